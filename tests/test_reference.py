"""bQCD on the paper's own files, against the authors' published results and vinecopulib."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.benchmark.datasets import PairSet, load_pairs
from bqcd.discovery.evidence import TUEBINGEN_DECILES
from tests.conftest import REFERENCE

# One process, as verdicts are shared.
pytestmark = [pytest.mark.data, pytest.mark.xdist_group("reference")]

SIMULATED = ("SIM", "SIM-c", "SIM-ln", "SIM-G", "AN", "AN-s", "LS", "LS-s", "MN-U")
# Table "Accuracy on simulated and real data", row m = 3.
PAPER = dict(zip(SIMULATED, (0.61, 0.72, 0.76, 0.65, 1.0, 0.81, 1.0, 0.98, 0.99), strict=True))
PAPER_ONE_LEVEL = dict(
    zip(SIMULATED, (0.57, 0.69, 0.69, 0.59, 0.99, 0.47, 1.0, 0.93, 0.23), strict=True)
)
_CACHE: dict[tuple[str, str], tuple[PairSet, list[bqcd.Verdict]]] = {}


@pytest.fixture(scope="session")
def published() -> dict[str, np.ndarray]:
    found: dict[str, list[float]] = {}
    with (REFERENCE / "published_bqcd.csv").open() as lines:
        for row in csv.DictReader(lines):
            found.setdefault(row["pairset"], []).append(float(row["confidence"]))
    return {name: np.array(values) for name, values in found.items()}


def judged(name: str, home: Path, **settings) -> tuple[PairSet, list[bqcd.Verdict]]:
    key = (name, repr(sorted(settings.items())))
    if key not in _CACHE:
        pairs = load_pairs(name, data_home=home)
        _CACHE[key] = pairs, [bqcd.decide_pair(item.pair, **settings) for item in pairs]
    return _CACHE[key]


def confidences(verdicts: list[bqcd.Verdict]) -> np.ndarray:
    return np.array([verdict.confidence for verdict in verdicts])


def accuracy(pairs: PairSet, verdicts: list[bqcd.Verdict], *, weighted: bool = False) -> float:
    signs = np.sign(confidences(verdicts))
    right = [sign == item.truth.sign for item, sign in zip(pairs, signs, strict=True)]
    weights = [item.weight if weighted else 1.0 for item in pairs]
    return float(np.average(right, weights=weights))


@pytest.mark.parametrize("name", ["AN", "AN-s", "MN-U", "SIM", "SIM-ln"])
def test_confidence_is_that_of_the_authors(name: str, data_home, published) -> None:
    _, verdicts = judged(name, data_home)
    found = confidences(verdicts)
    assert np.corrcoef(found, published[name])[0, 1] >= 0.9997
    # The rest is a difference of versions of the copula library, 2020 and now.
    assert abs(found - published[name]).max() < 2e-3


@pytest.mark.parametrize("name", sorted(PAPER.keys() - {"SIM-ln"}))
def test_accuracy_is_within_two_pairs_of_the_paper(name: str, data_home) -> None:
    pairs, verdicts = judged(name, data_home)
    assert len(pairs) == 100
    assert abs(accuracy(pairs, verdicts) - PAPER[name]) <= 0.02 + 1e-9


def test_low_noise_pairs_are_borderline_and_a_little_better_than_published(data_home) -> None:
    # A dozen pairs of SIM-ln flip with the version of the copula library: 0.76 became 0.81.
    pairs, verdicts = judged("SIM-ln", data_home)
    assert 0.76 <= accuracy(pairs, verdicts) <= 0.82


@pytest.mark.parametrize("name", sorted(PAPER_ONE_LEVEL))
def test_one_level_has_the_accuracy_of_the_paper_too(name: str, data_home) -> None:
    pairs, verdicts = judged(name, data_home, n_levels=1)
    slack = 0.08 if name == "SIM-ln" else 0.03
    assert abs(accuracy(pairs, verdicts) - PAPER_ONE_LEVEL[name]) <= slack + 1e-9


# -- Tübingen --------------------------------------------------------------------------


def test_tuebingen_in_the_published_order_of_ties_is_the_paper_to_the_digit(
    data_home, published
) -> None:
    pairs, verdicts = judged("tuebingen", data_home, published_ties=True)
    found = confidences(verdicts)
    assert np.corrcoef(found, published["tuebingen"])[0, 1] >= 0.9999
    np.testing.assert_array_equal(np.sign(found), np.sign(published["tuebingen"]))
    assert accuracy(pairs, verdicts) == pytest.approx(69 / 99)
    # The paper says 0.77.
    assert accuracy(pairs, verdicts, weighted=True) == pytest.approx(0.771, abs=5e-4)


def test_tuebingen_by_default_correlates_with_the_published_draw(data_home, published) -> None:
    _, verdicts = judged("tuebingen", data_home)
    assert np.corrcoef(confidences(verdicts), published["tuebingen"])[0, 1] >= 0.997


def test_tuebingen_accuracy_hangs_on_the_order_of_ties(data_home) -> None:
    """The published 0.77 is one draw; averaged over draws, two heavy pairs are a coin flip.

    Pairs 86 and 100, weight 1 each of 35.5, have means of -5e-5 and +2e-5 over 20,000 random
    orders (standard errors 6e-6) and standard deviations near 9e-4.
    """
    pairs, verdicts = judged("tuebingen", data_home)
    found = confidences(verdicts)
    borderline = {item.pair.key for item, c in zip(pairs, found, strict=True) if abs(c) < 2e-4}
    assert {"tuebingen/0086", "tuebingen/0100"} <= borderline
    weights = np.array([item.weight for item in pairs])
    right = np.sign(found) == [item.truth.sign for item in pairs]
    unsure = np.array([item.pair.key in borderline for item in pairs])
    sure = weights @ (right & ~unsure) / weights.sum()
    at_most = sure + weights @ unsure / weights.sum()
    assert sure < 0.743 < 0.771 < at_most


def tied(pairs: PairSet) -> list[int]:
    chosen = []
    for i, item in enumerate(pairs):
        repeats = 2 * len(item.pair) - len(np.unique(item.pair.x)) - len(np.unique(item.pair.y))
        if 0.1 * len(item.pair) <= repeats and len(item.pair) <= 20_000:
            chosen.append(i)
    return chosen


def test_random_tie_orders_agree_with_the_default_within_their_sampling_error(data_home) -> None:
    pairs, verdicts = judged("tuebingen", data_home)
    chosen = tied(pairs)
    assert len(chosen) > 80
    away = []
    for i in chosen:
        drawn = bqcd.decide_pair(pairs.items[i].pair, jitters=30, seed=i)
        # The default is an estimate too, with an error of its own.
        error = np.hypot(drawn.evidence.tie_error, verdicts[i].evidence.tie_error)
        away.append((drawn.confidence - verdicts[i].confidence) / error)
    assert np.abs(away).max() < 4.0
    assert np.sqrt(np.mean(np.square(away))) < 1.2


def test_the_published_deciles_of_real_pairs_are_those_of_this_code(data_home) -> None:
    _, verdicts = judged("tuebingen", data_home)
    deciles = np.quantile(np.abs(confidences(verdicts)), np.arange(0.1, 0.95, 0.1))
    np.testing.assert_allclose(TUEBINGEN_DECILES, deciles, atol=6e-5)


# -- vinecopulib -----------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SIMULATED, "tuebingen"])
def test_confidence_is_that_of_vinecopulib_with_the_same_ranks(name: str, data_home) -> None:
    pairs = load_pairs(name, data_home=data_home)
    step = 1 if os.environ.get("BQCD_ALL_PAIRS") else 8
    for item in list(pairs)[::step]:
        if len(item.pair) > 20_000:
            continue
        settings = {"published_ties": True}
        ours = bqcd.decide_pair(item.pair, **settings)
        reference = bqcd.decide_pair(item.pair, regressor="vinecopulib", **settings)
        assert ours.confidence == pytest.approx(reference.confidence, abs=1e-5), item.pair.key


# -- forest ----------------------------------------------------------------------------


def test_the_forest_follows_the_authors_forest_on_real_pairs(data_home) -> None:
    # Mean of both implementations' noise: their file is one run, seeded with 0.
    pairs = load_pairs("tuebingen", data_home=data_home)
    with (REFERENCE / "published_forest.csv").open() as lines:
        theirs = np.array([float(row["confidence"]) for row in csv.DictReader(lines)])
    ours = [
        bqcd.decide_pair(item.pair, regressor="forest", published_ties=True).confidence
        for item in pairs
    ]
    assert np.corrcoef(ours, theirs)[0, 1] > 0.97
