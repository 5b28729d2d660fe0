"""Slope: the published rule word for word, published numbers, and awkward input."""

from __future__ import annotations

import csv
from functools import lru_cache
from math import ceil, log, log2, pi
from pathlib import Path

import numpy as np
import pytest

from bqcd.baselines import Slope
from bqcd.datasets import PairSet, load_pairs
from bqcd.errors import InvalidSettingError
from bqcd.pair import Direction, Pair
from tests.conftest import REFERENCE

LIBRARIES = ("published", "corrected", "extended")
every_library = pytest.mark.parametrize("library", LIBRARIES)


def confidence(x, y, **settings: object) -> float:
    return Slope(**settings).decide(Pair(x, y), np.random.default_rng(0)).confidence


def bent(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(size=n)
    return x, x**3 + 0.05 * rng.normal(size=n)


# -- the published rule, written out ---------------------------------------------------


def bits(value: float) -> float:
    return 0.0 if value == 0.0 else log2(value)


def integer(value: float) -> float:
    value = ceil(value)
    if value < 1:
        return 0.0
    total = term = bits(value)
    while term > 0.0:
        term = bits(term)
        total += term
    return total + log2(2.865064)


def parameters(coefficients: tuple[float, ...]) -> float:
    total = 0.0
    for value in map(abs, coefficients):
        if value != 0.0:
            places = 1
            while value < 1000.0:
                value, places = value * 10.0, places + 1
            total += integer(value) + integer(places) + 1.0
    return total


def gaussian(squares: float, m: int, step: float) -> float:
    if squares == 0.0:
        return 0.0
    return max(m / (2 * log(2)) + m / 2 * log2(2 * pi * squares / m) - m * log2(step), 0.0)


def log_factorial(n: int) -> float:
    return 1.0 if n < 2 else sum(log2(i) for i in range(2, n + 1))


def choices(n: int, k: int) -> float:
    if k == 0 or k > n:
        return 0.0
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def fits(x: np.ndarray, y: np.ndarray, step: float, count: int) -> list:
    """Residual bits, parameter bits and fitted values of each function that is finite."""
    apart = np.where(x == 0.0, step, x)
    with np.errstate(all="ignore"):
        every = [x, x**2, x**3, np.exp(x), 1 / apart, 1 / apart**2, 1 / apart**3, np.log(apart)]
    found = []
    for feature in every[:count]:
        if not np.isfinite(feature).all():
            found.append(None)
            continue
        away = feature - feature.mean()
        slope = float((away * (y - y.mean())).sum() / (away**2).sum())
        intercept = float(y.mean() - slope * feature.mean())
        left = y - y.mean() - slope * away
        told = gaussian(float((left**2).sum()), len(y), step), parameters((intercept, slope))
        found.append((*told, y - left))
    return found


def conditional(x: np.ndarray, y: np.ndarray, step: float, count: int) -> float:
    n = len(x)
    whole = fits(x, y, step, count)
    best = min((fit for fit in whole if fit), key=lambda fit: fit[0] + fit[1])
    totals, bins = [best[0]] * count, [1] * count
    cells = np.round(x * 1e5)
    for cell in np.unique(cells):
        rows = cells == cell
        m = int(rows.sum())
        if m < 5:
            continue
        before = gaussian(float(((y - best[2])[rows] ** 2).sum()), m, step)
        spaced = np.arange(m) / (m - 1) * 10.0 - 5.0
        for j, fit in enumerate(fits(spaced, np.sort(y[rows]), step, count)):
            if fit is None:
                continue
            b = bins[j]
            change = fit[0] + fit[1] - before + choices(n - 1, b + 1) - choices(n - 1, b)
            change += bits(b + 1) - bits(b)
            if change < 0.0:
                bins[j] += 1
                totals[j] += change
    n_cells = len(np.unique(cells))
    bins = [b - 1 if b > n_cells else b for b in bins]
    return min(total + 1 + choices(n - 1, b - 1) for total, b in zip(totals, bins, strict=True))


def by_the_book(x: np.ndarray, y: np.ndarray, count: int) -> float:
    x, y = ((v - v.min()) / (v.max() - v.min()) for v in (x, y))
    step_x, step_y = (min([0.01, *(gap for gap in np.diff(np.sort(v)) if gap)]) for v in (x, y))
    alone_x, alone_y = -len(x) * log2(step_x), -len(y) * log2(step_y)
    to_y = alone_x + conditional(x, y, step_y, count)
    to_x = alone_y + conditional(y, x, step_x, count)
    return (to_x - to_y) / (alone_x + alone_y)


def samples() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=150)
    y = x**2 + 0.3 * rng.normal(size=150)
    return {
        "no ties": (x, y),
        "ties in one": (x.round(1), y),
        "ties in the other": (x, y.round(1)),
        "many ties": ((2.0 * x).round(), y.round(1)),
        "five groups": (np.arange(300) % 5, np.sin(np.arange(300) % 5) + rng.uniform(size=300)),
        "odd groups": (np.arange(147) // 21, np.sort(x[:147]) + rng.uniform(size=147)),
    }


SAMPLES = samples()


@pytest.mark.parametrize(("x", "y"), SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize(
    ("library", "count"), [("published", 5), ("corrected", 6), ("extended", 8)]
)
def test_confidences_are_those_of_the_rule(x, y, library, count):
    expected = by_the_book(x.astype(float), y.astype(float), count)
    assert confidence(x, y, library=library) == pytest.approx(expected, rel=1e-9)


def test_the_sixth_function_of_the_published_library_is_never_the_better_one():
    # 1/x stands there a second time, and the first of equals is taken: five functions do.
    x, y = SAMPLES["many ties"]
    cells = np.unique(np.round((x - x.min()) / np.ptp(x) * 1e5), return_counts=True)[1]
    assert (cells >= 5).any()
    assert confidence(x, y) != confidence(x, y, local=False)


def test_groups_with_their_own_curves_are_counted_in_the_evidence():
    evidence = Slope().evidence(Pair(*SAMPLES["five groups"]))
    assert evidence.y_given_x.local_curves == 5
    assert evidence.x_given_y.local_curves == 0
    assert Slope(local=False).evidence(Pair(*SAMPLES["five groups"])).y_given_x.local_curves == 0


def test_the_function_that_made_the_data_is_found():
    rng = np.random.default_rng(2)
    x = rng.uniform(size=400)
    for function, name in ((np.square, "x^2"), (lambda v: v**3, "x^3"), (np.abs, "x")):
        y = function(x) + 0.01 * rng.normal(size=400)
        assert Slope().evidence(Pair(x, y)).y_given_x.function == name


# -- significance ----------------------------------------------------------------------


def test_the_p_value_halves_with_every_other_bit():
    evidence = Slope().evidence(Pair(*bent(300, np.random.default_rng(3))))
    assert evidence.difference > 20.0
    assert evidence.p_value == pytest.approx(2.0 ** (-evidence.difference / 2.0), rel=1e-12)
    assert "bits shorter" in evidence.strength(evidence.saving)
    assert "significant)" in evidence.strength(evidence.saving)


def test_directions_without_significance_are_left_open_on_demand():
    rng = np.random.default_rng(4)
    for _ in range(30):
        x = rng.normal(size=50)
        pair = Pair(x, x + rng.normal(size=50))
        evidence = Slope().evidence(pair)
        strict = Slope(alpha=0.001).decide(pair, rng)
        assert (strict.direction is Direction.UNDECIDED) == (evidence.p_value > 0.001)
        assert Slope().decide(pair, rng).confidence == evidence.saving


# -- what can be solved and what cannot ------------------------------------------------


@every_library
def test_simple_functions_with_noise_are_solved(library):
    rng = np.random.default_rng(5)
    assert sum(confidence(*bent(300, rng), library=library) > 0.0 for _ in range(100)) >= 95


@every_library
def test_linear_gaussian_pairs_are_a_coin_flip(library):
    rng = np.random.default_rng(6)
    right = 0
    for _ in range(400):
        x = rng.normal(size=100)
        right += confidence(x, 2.0 * x + rng.normal(size=100), library=library) > 0.0
    # Four standard errors.
    assert abs(right - 200) <= 40


# -- awkward input ---------------------------------------------------------------------


def awkward() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(10)
    x = rng.normal(size=200)
    mostly = np.where(rng.uniform(size=200) < 0.9, 0.0, x)
    return {
        "nine in ten tied": (mostly, np.where(mostly == 0.0, 1.0, x**2)),
        "a function": (x, np.exp(x)),
        "a line": (x, 3.0 * x + 1.0),
        "large numbers": (1e12 + x, 1e12 * x**2),
        "twenty rows": (x[:20], x[:20] ** 2),
        "three values": (np.sign(x.round()), x),
        "the smallest numbers": (np.round(3.0 * x) * 5e-324, x),
        "one far away": (np.where(np.arange(200) == 3, 1e3, x), rng.normal(size=200)),
        "tenths of tenths": (10.0 ** -np.arange(200.0), x),
        "next to nothing": (np.where(x > 0.0, x, 5e-324 * np.arange(200)), x),
        "whole numbers": (np.arange(200), np.arange(200) ** 2),
    }


AWKWARD = awkward()


@every_library
@pytest.mark.parametrize(("x", "y"), AWKWARD.values(), ids=AWKWARD)
def test_awkward_input_gets_a_finite_answer_that_flips(x, y, library):
    found = confidence(x, y, library=library)
    assert np.isfinite(found)
    assert confidence(y, x, library=library) == -found
    order = np.random.default_rng(11).permutation(len(x))
    assert confidence(x[order], y[order], library=library) == found


def test_two_values_or_clusters_leave_a_pair_undecided():
    x = np.random.default_rng(12).normal(size=200)
    for two in (x > 0.0, np.where(x > 0.0, 1.0, 0.0) + 1e-9 * x):
        evidence = Slope().evidence(Pair(two, x**2))
        assert (evidence.saving, evidence.p_value) == (0.0, 1.0)
        assert evidence.y_given_x.function is None


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"library": "full"}, "library of Slope must be one of 'published', 'corrected', 'exten"),
        ({"local": 1}, "local of Slope must be True or False"),
        ({"alpha": 0.0}, "alpha of Slope must be a number > 0 and <= 1, got 0.0"),
        ({"alpha": 1.01}, "alpha of Slope must be a number > 0 and <= 1, got 1.01"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(settings, word):
    with pytest.raises(InvalidSettingError, match=word):
        Slope(**settings)


# -- published numbers -----------------------------------------------------------------

# The bQCD paper's table of accuracies; but on AN-s it has 0.18, as on AN beside it, where
# the script of 2018 by its first author has 0.28.
PAPER = {
    "SIM": 0.45,
    "SIM-c": 0.54,
    "SIM-ln": 0.47,
    "SIM-G": 0.48,
    "AN": 0.18,
    "AN-s": 0.28,
    "LS": 0.21,
    "LS-s": 0.17,
    "MN-U": 0.07,
}


@lru_cache(maxsize=16)
def benchmark(name: str, home: Path) -> PairSet:
    return load_pairs(name, data_home=home)


def judged(name: str, home: Path, **settings: object) -> tuple[np.ndarray, np.ndarray]:
    """Confidences signed so that positive is right, and weights."""
    pairs = benchmark(name, home)
    found = [item.truth.sign * confidence(item.pair.x, item.pair.y, **settings) for item in pairs]
    return np.array(found), np.array([item.weight for item in pairs])


@pytest.mark.data
@pytest.mark.parametrize("name", ["AN", "LS-s", "SIM", "SIM-G"])
def test_scores_are_the_published_ones(name, data_home):
    """Against the authors' R code of 8 December 2018, which has 1/x², run by others (bicausal)
    without local curves, of which these data have none; positive is right.
    """
    with (REFERENCE / "published_slope_sloppy.csv").open() as lines:
        theirs = [float(row["slope"]) for row in csv.DictReader(lines) if row["pairset"] == name]
    ours, _ = judged(name, data_home, library="corrected")
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_accuracies_are_those_of_the_paper(name, data_home):
    ours, _ = judged(name, data_home)
    assert np.mean(ours > 0.0) == pytest.approx(PAPER[name], abs=0.021)


@pytest.mark.data
def test_tuebingen_accuracies_are_those_of_the_paper_and_rest_on_local_curves(data_home):
    ours, weights = judged("tuebingen", data_home)
    assert np.mean(ours > 0.0) == pytest.approx(0.75, abs=0.01)
    assert np.average(ours > 0.0, weights=weights) == pytest.approx(0.83, abs=0.01)
    # What others found with a threshold that no group of equal values reaches.
    ours, weights = judged("tuebingen", data_home, local=False)
    assert np.mean(ours > 0.0) == pytest.approx(0.63, abs=0.01)
    assert np.average(ours > 0.0, weights=weights) == pytest.approx(0.73, abs=0.01)
