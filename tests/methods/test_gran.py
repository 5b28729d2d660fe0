"""GR-AN: low rank against dense matrices, the statistic against its integral, accuracies."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm

from bqcd.data.pair import Pair
from bqcd.methods.gran import GRAN, gaussian_distance, matched
from tests.methods.trials import PAIRSETS, accuracies, benchmark, confidence, share_right

QUICK = GRAN(folds=2, grid=4)


def bent(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.tanh(2.0 * x) + 0.3 * rng.uniform(-1.0, 1.0, size=n)


# -- dense matrices --------------------------------------------------------------------


def gram(one: np.ndarray, other: np.ndarray, sigma: float) -> np.ndarray:
    return np.exp(-sigma * (one[:, None] - other) ** 2)


def dense_explained(x, y, out: np.ndarray, sigma: float, tau: float) -> float:
    """Share explained in the rows left out, features centred by the means of the others."""
    m, left = int(out.sum()), int((~out).sum())
    centre = np.eye(left) - 1.0 / left
    means = np.full((m, left), 1.0 / left)
    k, t = (gram(column[~out], column[~out], sigma) for column in (x, y))
    k_cross = (gram(x[out], x[~out], sigma) - means @ k) @ centre
    t_cross = gram(y[out], y[~out], sigma)
    t_new = gram(y[out], y[out], sigma) - t_cross @ means.T - means @ t_cross.T
    t_new += means @ t @ means.T
    t_cross = (t_cross - means @ t) @ centre
    a = k_cross @ np.linalg.inv(centre @ k @ centre + tau * np.eye(left))
    errors = t_new - a @ t_cross.T - t_cross @ a.T + a @ centre @ t @ centre @ a.T
    return 1.0 - np.trace(errors) / np.trace(t_new)


def dense_distance(x: np.ndarray, y: np.ndarray, parts: np.ndarray, grid: int) -> float:
    """Distance of the residuals of x -> y from a Gaussian, with matrices of all pairs."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    n, best, found = len(x), -np.inf, None
    for sigma in np.exp(np.linspace(-10.0, 3.0, grid)):
        for tau in np.exp(np.linspace(-7.0, 7.0, grid)):
            each = [dense_explained(x, y, parts == k, sigma, tau) for k in np.unique(parts)]
            if np.mean(each) > best:
                best, found = np.mean(each), (sigma, tau)
    centre = np.eye(n) - 1.0 / n
    k, t = (centre @ gram(column, column, found[0]) @ centre for column in (x, y))
    rest = np.eye(n) - k @ np.linalg.inv(k + found[1] * np.eye(n))
    _, vectors = np.linalg.eigh(centre @ rest @ t @ rest.T @ centre)
    e = np.sort(sqrt(n) * vectors[:, -1])
    places = np.arange(1 - n, n, 2)
    to_gaussian = 2.0 * e * norm.cdf(e) + 2.0 * norm.pdf(e)
    return 2.0 * (np.sum(to_gaussian) - n / sqrt(np.pi) - np.mean(places * e))


def dense_confidence(x: np.ndarray, y: np.ndarray, parts: np.ndarray, grid: int) -> float:
    """The published decision, positive for x -> y."""
    x, y = ((column - column.mean()) / column.std(ddof=1) for column in (x, y))
    like_y, like_x = matched(x, y), matched(y, x)
    gap = dense_distance(like_y, y, parts, grid) - dense_distance(y, like_y, parts, grid)
    other = dense_distance(x, like_x, parts, grid) - dense_distance(like_x, x, parts, grid)
    return gap if abs(gap) > abs(other) else other


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("digits", [None, 1], ids=["no ties", "ties"])
def test_the_confidence_is_that_of_dense_matrices(digits, seed):
    x, y = bent(80, seed)
    if digits is not None:
        x, y = x.round(digits), y.round(digits)
    parts = np.random.default_rng(seed).permutation(np.arange(80) * 4 // 80)
    expected = dense_confidence(x, y, parts, grid=7)
    found = confidence(GRAN(folds=4, grid=7), x, y, seed)
    assert found == pytest.approx(expected, abs=1e-5 * max(1.0, abs(expected)))


def test_scores_are_distances_with_a_minus():
    evidence = QUICK.evidence(Pair(*bent(100, 7)), np.random.default_rng(0))
    assert max(evidence.x_to_y, evidence.y_to_x) < 0.0


# -- parts -----------------------------------------------------------------------------


def test_a_matched_column_has_the_values_of_the_other_in_its_own_order():
    x, y = bent(50, 3)
    moved = matched(x, y)
    assert np.array_equal(np.sort(moved), np.sort(y))
    assert np.array_equal(np.argsort(moved), np.argsort(x))


def test_matching_interpolates_shares_where_values_repeat():
    # Half of the rows are up to 0; of the other column, a quarter is up to 1, all up to 5.
    found = matched(np.array([0.0, 0.0, 7.0, 7.0]), np.array([1.0, 5.0, 5.0, 5.0]))
    assert found == pytest.approx([1.0 + 4.0 / 3.0] * 2 + [5.0] * 2)
    # No share is as small as that up to the least value: it becomes that value.
    found = matched(np.array([1.0, 5.0, 5.0, 5.0]), np.array([0.0, 0.0, 7.0, 7.0]))
    assert found == pytest.approx([0.0, 7.0, 7.0, 7.0])


def test_the_distance_from_a_gaussian_is_an_integral_over_distribution_functions():
    # Energy distance: n times twice the integrated squared difference.
    points = np.random.default_rng(4).exponential(size=40) - 1.0
    grid = np.linspace(-12.0, 12.0, 2_400_001)
    share = np.searchsorted(np.sort(points), grid, side="right") / 40
    expected = 2.0 * 40 * np.sum((share - norm.cdf(grid)) ** 2) * (grid[1] - grid[0])
    assert gaussian_distance(points) == pytest.approx(expected, rel=1e-4)


def test_the_distance_from_a_gaussian_does_not_know_the_sign():
    points = np.random.default_rng(5).exponential(size=100)
    points -= points.mean()
    assert gaussian_distance(-points) == pytest.approx(gaussian_distance(points), rel=1e-9)


# -- what can be solved and what cannot ------------------------------------------------


def time_series(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of a linear process with uniform shocks: past and future, distributed alike."""
    shocks = rng.uniform(-1.0, 1.0, 4_000)
    values = np.zeros(4_000)
    for i in range(1, 4_000):
        values[i] = 0.8 * values[i - 1] + shocks[i]
    return values[100:-1:5], values[101::5]


def test_the_direction_of_time_is_found():
    assert share_right(QUICK, time_series, 30) >= 0.9


def test_an_increasing_function_is_undecided():
    # With one distribution for both, the columns are the same.
    x = np.random.default_rng(8).uniform(size=300)
    assert confidence(QUICK, x, np.exp(3.0 * x)) == 0.0


# -- the paper's accuracies ------------------------------------------------------------

PAPER = dict(zip(PAIRSETS, (0.48, 0.44, 0.43, 0.37, 0.05, 0.06, 0.11, 0.20, 0.50), strict=True))


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAIRSETS if name != "MN-U"])
def test_accuracies_are_those_of_the_paper(name, data_home):
    found, _ = accuracies(GRAN(), benchmark(name, data_home))
    assert found == pytest.approx(PAPER[name], abs=0.06)


@pytest.mark.data
@pytest.mark.slow
def test_multiplicative_noise_is_always_got_wrong(data_home):
    # The paper has 0.50; another implementation gets 0.05 on 20 pairs of 150 rows each.
    assert accuracies(GRAN(), benchmark("MN-U", data_home))[0] <= 0.05


@pytest.mark.data
@pytest.mark.slow
def test_tuebingen_accuracies_are_those_of_the_paper(data_home):
    found = accuracies(GRAN(), benchmark("tuebingen", data_home))
    assert found == pytest.approx((0.40, 0.50), abs=0.06)


@pytest.mark.data
def test_few_pairs_of_additive_noise_are_got_right(data_home):
    # Noise of these pairs is nearly Gaussian, which the theory excludes.
    found, _ = accuracies(QUICK, list(benchmark("AN", data_home))[:20])
    assert found <= 0.25
