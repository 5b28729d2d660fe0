"""GRCI: its formulas step by step, the published numbers, and what it can and cannot solve."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import digamma

from bqcd.data.pair import Pair
from bqcd.methods.grci import GRCI
from tests.conftest import REFERENCE
from tests.methods.trials import PAIRSETS, accuracies, benchmark, confidence, share_right

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("grci")

slow = pytest.mark.slow


# -- formulas --------------------------------------------------------------------------


def predicted(given: np.ndarray, target: np.ndarray, floor: float = -np.inf):
    """Predictions, with and without each row, by the hat matrix of every number of knots."""
    deviation = target.std(ddof=1)
    place, target = (given - given.min()) / np.ptp(given), target / deviation
    best = None
    for n_knots in range(1, round(np.sqrt(len(given) / 10.0)) + 1):
        basis = [np.ones_like(place)]
        if n_knots > 1:
            knots = np.linspace(0.0, 1.0, n_knots)[1:-1]
            basis += [place, *(np.maximum(place - knot, 0.0) for knot in knots)]
        basis = np.stack(basis, axis=1)
        ridge = 1e-8 * np.eye(basis.shape[1])
        hat = basis @ np.linalg.inv(basis.T @ basis + ridge) @ basis.T
        fitted = np.maximum(hat @ target, floor)
        errors = (target - fitted) / (1.0 - np.diag(hat))
        if best is None or np.mean(errors**2) < best[0]:
            best = np.mean(errors**2), fitted * deviation, (target - errors) * deviation
    return best[1:]


def information(cause: np.ndarray, effect: np.ndarray) -> float:
    cause, effect = ((column - column.mean()) / column.std(ddof=1) for column in (cause, effect))
    mean, left_out = predicted(cause, effect)
    noise = (effect - mean) / predicted(cause, np.abs(effect - left_out), 0.05)[0]
    noise /= noise.std(ddof=1)
    first, second = (np.abs(column[:, None] - column) for column in (cause, noise))
    reach = np.sort(np.maximum(first, second), axis=1)[:, [10]]
    counts = (first <= reach).sum(axis=1), (second <= reach).sum(axis=1)
    total = digamma(counts[0]) + digamma(counts[1])
    return digamma(10) + digamma(len(cause)) - total.mean()


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def growing_noise(rng, n: int = 500):
    x = rng.uniform(-2.0, 2.0, n)
    y = x + rng.uniform(0.2, 1.0) * x**3 + (1.0 + 0.4 * x) * rng.uniform(-1.0, 1.0, n)
    return x, y


@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_the_information_of_cause_and_noise(seed):
    x, y = growing_noise(rng_of(seed), 360)
    found = GRCI().evidence(Pair(x, y), np.random.default_rng(0))
    expected = information(x, y), information(y, x)
    assert (found.x_to_y, found.y_to_x) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [10, 100, 1_000])
def test_a_line_without_noise_leaves_none(n):
    x = np.random.default_rng(0).normal(size=n)
    found = GRCI().evidence(Pair(x, 3.0 * x - 7.0), np.random.default_rng(0))
    assert found.x_to_y <= 0.0
    assert found.y_to_x <= 0.0


def test_units_change_nothing_on_columns_that_repeat_values():
    x, y = (np.round(5.0 * column) for column in growing_noise(rng_of(2)))
    found = confidence(GRCI(), x, y)
    assert confidence(GRCI(), 2.54 * x + 0.1, 9.0 * y / 5.0 + 32.0) == pytest.approx(
        found, abs=1e-9
    )


def test_where_zero_is_matters_to_the_published_shift_only():
    x, y = (np.round(2.0**20 * column) / 2.0**20 for column in growing_noise(rng_of(1)))
    # A row alone between knots, which the ridge decides about.
    x[0], y[0] = -6.0, 30.0
    rng = np.random.default_rng(0)
    here, there = (
        GRCI(published_shift=True).evidence(Pair(x, y + at), rng) for at in (0.0, 1024.0)
    )
    assert here.x_to_y != there.x_to_y
    here, there = (GRCI().evidence(Pair(x, y + at), rng) for at in (0.0, 1024.0))
    assert here == there


# -- what can be solved ----------------------------------------------------------------


@pytest.mark.parametrize("method", [GRCI(), GRCI(neighbours=3)])
def test_noise_whose_spread_depends_on_the_cause_is_solved(method):
    assert share_right(method, growing_noise, 40) >= 0.95


# -- published numbers -----------------------------------------------------------------

COMPARED = ("AN", "LS-s", "SIM", "SIM-G")


@lru_cache(maxsize=8)
def scores(method: GRCI, name: str, most: int, home: Path) -> np.ndarray:
    pairs = zip(benchmark(name, home), range(most), strict=False)
    return np.array([confidence(method, item.pair.x, item.pair.y) for item, _ in pairs])


def published(name: str, most: int) -> np.ndarray:
    """Scores published with LOCI (Immer et al., ICML 2023), by the authors' R code."""
    with (REFERENCE / "published_grci.csv").open() as lines:
        return np.array(
            [float(row["grci"]) for row in csv.DictReader(lines) if row["pairset"] == name]
        )[:most]


few_or_all = pytest.mark.parametrize("most", [10, pytest.param(100, marks=slow)])


@pytest.mark.data
@few_or_all
@pytest.mark.parametrize("name", ["AN", "LS-s"])
def test_scores_with_the_published_shift_are_the_published_ones(name, most, data_home):
    found = scores(GRCI(published_shift=True), name, most, data_home)
    assert found == pytest.approx(published(name, most), abs=1e-12)


@pytest.mark.data
@few_or_all
@pytest.mark.parametrize("name", COMPARED)
def test_scores_and_signs_are_the_published_ones(name, most, data_home):
    """On SIM and SIM-G some rows are alone between knots, where theirs carries rounding."""
    ours, theirs = scores(GRCI(), name, most, data_home), published(name, most)
    assert len(ours) == len(theirs) == most
    assert np.array_equal(np.sign(ours), np.sign(theirs))
    assert np.abs(ours - theirs).max() < 1e-3
    assert np.median(np.abs(ours - theirs)) < 1e-12


# Of the scores published with LOCI, but for SIM-ln with 0.77 there: pair 95 differs, where a row
# is alone between knots. So it does in extended precision.
ACCURACIES = dict(zip(PAIRSETS, (0.77, 0.77, 0.76, 0.70, 1.0, 0.94, 0.98, 0.87, 0.88), strict=True))


@slow
@pytest.mark.data
@pytest.mark.parametrize(("name", "expected"), ACCURACIES.items())
def test_accuracies_are_the_published_ones(name, expected, data_home):
    found, _ = accuracies(GRCI(), benchmark(name, data_home))
    assert found == pytest.approx(expected, abs=1e-9)


@slow
@pytest.mark.data
def test_tuebingen_accuracies_are_the_published_ones(data_home):
    """0.80 and 0.82 from the scores published with LOCI. Columns that repeat values have many
    equal distances; in theirs rounding puts them within reach or not, in ours all are.
    """
    found = accuracies(GRCI(), benchmark("tuebingen", data_home))
    assert found == pytest.approx((0.80, 0.82), abs=0.02)
