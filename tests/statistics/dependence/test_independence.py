"""HSIC: against Gram matrices, another package, and what a test of independence promises."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.stats import binom, gamma

from bqcd.errors import InvalidSettingError
from bqcd.statistics.dependence import independence
from bqcd.statistics.dependence.independence import (
    IndependenceTest,
    gamma_test,
    hsic,
    kernel_bandwidth,
    permutation_test,
)

# -- Gram matrices ---------------------------------------------------------------------


def gram(points: np.ndarray, positive: bool = False) -> np.ndarray:
    squares = (points[:, None] - points) ** 2
    apart = squares[np.triu_indices(len(points), 1)]
    if positive or np.median(apart) == 0.0:
        apart = apart[apart > 0.0]
    return np.exp(-squares / np.median(apart))


def directly(first: np.ndarray, second: np.ndarray) -> IndependenceTest:
    """The formulas of Gretton and others, NIPS 2007, with matrices of all pairs."""
    n = len(first)
    centring = np.eye(n) - 1.0 / n
    k, l = gram(first), gram(second)  # noqa: E741
    k_centred, l_centred = centring @ k @ centring, centring @ l @ centring
    statistic = float(np.sum(k_centred * l_centred)) / n**2
    mean_k, mean_l = ((matrix.sum() - n) / (n * (n - 1)) for matrix in (k, l))
    mean = (1.0 + mean_k * mean_l - mean_k - mean_l) / n
    factor = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = factor * np.sum(k_centred**2) * np.sum(l_centred**2) / (n - 1) ** 4
    shape, scale = mean**2 / variance, n * variance / mean
    return IndependenceTest(statistic, float(gamma.logsf(n * statistic, shape, scale=scale)))


def pairs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=300), rng.normal(size=300)
    return {
        "independent": (x, noise),
        "dependent": (x, x**2 + noise),
        "six rows": (x[:6], noise[:6]),
        "twenty rows": (x[:20], x[:20] + noise[:20]),
        "ties": (x.round(1), (x + noise).round(0)),
        "two values": (x > 0.0, noise),
        "heavy tails": (rng.standard_cauchy(300), rng.standard_cauchy(300)),
        "heavier tails": (rng.standard_cauchy(300) ** 3, rng.standard_cauchy(300) ** 3 + x),
        "far from zero": (1e9 + x, 1e-9 * noise),
    }


PAIRS = {name: (np.asarray(x, float), np.asarray(y, float)) for name, (x, y) in pairs().items()}
every_pair = pytest.mark.parametrize(("x", "y"), PAIRS.values(), ids=PAIRS)


@every_pair
def test_statistic_and_probability_are_those_of_the_gram_matrices(x, y):
    expected, found = directly(x, y), gamma_test(x, y)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-10, abs=1e-14)
    assert found.log_p == pytest.approx(expected.log_p, rel=1e-10, abs=1e-11)
    assert hsic(x, y) == found.statistic


@every_pair
def test_sparse_products_give_the_same_statistic(x, y, monkeypatch):
    dense = hsic(x, y)
    monkeypatch.setattr(independence, "MOST_PRODUCTS", 1)
    assert hsic(x, y) == pytest.approx(dense, rel=1e-9, abs=1e-14)


def test_many_rows_with_heavy_tails_are_tested_in_little_memory():
    # Dense products would be tens of thousands by tens of thousands.
    rng = np.random.default_rng(1)
    x, y = rng.standard_cauchy((2, 4_000)) ** 3
    assert gamma_test(x, y).p > 1e-3
    assert gamma_test(x, x + y).p < 1e-10


@every_pair
def test_exchanging_the_columns_or_permuting_the_rows_changes_digits_at_most(x, y):
    found = gamma_test(x, y)
    order = np.random.default_rng(2).permutation(len(x))
    for other in (gamma_test(y, x), gamma_test(x[order], y[order])):
        assert other.statistic == pytest.approx(found.statistic, rel=1e-10, abs=1e-15)
        assert other.log_p == pytest.approx(found.log_p, rel=1e-10, abs=1e-11)


@every_pair
def test_units_do_not_matter(x, y):
    found, scaled = gamma_test(x, y), gamma_test(1024.0 * x, y / 64.0)
    assert (scaled.statistic, scaled.log_p) == (found.statistic, found.log_p)


def test_the_statistic_is_that_of_hyppo():
    """Against hyppo 0.5.2: Hsic(bias=True, gamma=0.5).statistic, the root of a ratio."""
    i = np.arange(60.0)
    x, z = np.sin(i), np.cos(i * i)
    for y, theirs in ((x * x + 0.3 * z, 0.3507934720094743), (z, 0.09092496898045878)):
        one, own = {"bandwidths": (1.0, 1.0)}, hsic(x, x, bandwidths=(1.0, 1.0))
        ours = sqrt(hsic(x, y, **one) / sqrt(own * hsic(y, y, **one)))
        assert ours == pytest.approx(theirs, rel=1e-11)


# -- bandwidths ------------------------------------------------------------------------


def test_the_squared_bandwidth_is_half_the_median_squared_distance():
    points = np.random.default_rng(3).normal(size=20).round(1)  # 190 pairs: two in the middle
    squares = ((points[:, None] - points) ** 2)[np.triu_indices(20, 1)]
    assert kernel_bandwidth(points) == pytest.approx(sqrt(0.5 * np.median(squares)), rel=1e-14)
    positive = sqrt(0.5 * np.median(squares[squares > 0.0]))
    assert kernel_bandwidth(points, positive=True) == pytest.approx(positive, rel=1e-14)


def test_where_most_distances_are_zero_the_others_tell_the_bandwidth():
    points = np.r_[np.zeros(18), 1.0, 3.0]
    assert kernel_bandwidth(points) == kernel_bandwidth(points, positive=True) > 0.0


def test_a_constant_column_is_independent_of_anything():
    x, y = np.full(50, 4.2), np.random.default_rng(4).normal(size=50)
    for first, second in ((x, y), (y, x), (x, x)):
        assert gamma_test(first, second) == IndependenceTest(0.0, 0.0)
        assert hsic(first, second) < 1e-20


# -- what a test promises --------------------------------------------------------------


def rejections(test, make, repeats: int, level: float = 0.05) -> int:
    rng = np.random.default_rng(5)
    return sum(test(*make(rng), rng).p <= level for _ in range(repeats))


NULLS = {
    "normal": lambda rng: (rng.normal(size=80), rng.normal(size=80)),
    "skewed": lambda rng: (rng.exponential(size=80), rng.uniform(size=80)),
    "tied": lambda rng: (rng.integers(5, size=80).astype(float), rng.normal(size=80)),
}
every_null = pytest.mark.parametrize("make", NULLS.values(), ids=NULLS)


@every_null
def test_the_gamma_test_rejects_independent_columns_as_often_as_its_level(make):
    low, high = binom.interval(0.999, 400, 0.05)
    assert low <= rejections(lambda x, y, _: gamma_test(x, y), make, 400) <= high


@every_null
def test_the_permutation_test_rejects_independent_columns_as_often_as_its_level(make):
    low, high = binom.interval(0.999, 200, 0.05)
    # Of 60 places, the best three are 5 %.
    test = lambda x, y, rng: permutation_test(x, y, rng, permutations=59)  # noqa: E731
    assert low <= rejections(test, make, 200) <= high


def circle(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Dependent, uncorrelated columns."""
    angle = rng.uniform(0.0, 2.0 * np.pi, 100)
    noise = 0.1 * rng.normal(size=(2, 100))
    return np.cos(angle) + noise[0], np.sin(angle) + noise[1]


def test_dependence_without_correlation_is_found():
    assert rejections(lambda x, y, _: gamma_test(x, y), circle, 50) == 50
    test = lambda x, y, rng: permutation_test(x, y, rng, permutations=99)  # noqa: E731
    assert rejections(test, circle, 20) == 20


def test_gamma_and_permutations_agree_on_the_probability():
    rng = np.random.default_rng(6)
    for _ in range(10):
        x = rng.normal(size=100)
        y = 0.2 * x + rng.normal(size=100)
        by_permutation = permutation_test(x, y, rng, permutations=1_000).p
        error = sqrt(by_permutation / 1_000)
        assert gamma_test(x, y).p == pytest.approx(by_permutation, abs=0.02 + 4.0 * error)


def test_permutations_are_those_of_the_generator():
    x, y = PAIRS["dependent"]
    first, second = (
        permutation_test(x, y[::-1], np.random.default_rng(7), permutations=50) for _ in range(2)
    )
    assert first == second


def test_a_statistic_that_all_permutations_reach_has_probability_one():
    x = np.repeat([0.0, 1.0], 10)
    found = permutation_test(x, np.tile([0.0, 1.0], 10), np.random.default_rng(8))
    assert found.p == 1.0


# -- far tails -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "x", "expected"),
    [
        # log of mpmath.gammainc(shape, x, regularized=True), mpmath 1.4.1.
        (3.3, 900.0, -885.339034643404),
        (50.0, 2000.0, -1772.09673116933),
        (1e-3, 800.0, -813.586352419105),
        (0.7, 1e5, -100003.714747886),
    ],
)
def test_the_logarithm_goes_on_where_the_probability_underflows(shape, x, expected):
    assert independence.log_upper_tail(shape, x) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("shape", [0.05, 1.0, 7.0, 60.0])
def test_the_tail_is_one_curve_on_either_side_of_underflow(shape):
    for x in (shape + 200.0, shape + 500.0):
        fraction = log(independence._tail_fraction(shape, x))
        assert gamma.logsf(x, shape) == pytest.approx(
            shape * log(x) - x - independence.lgamma(shape) + fraction, rel=1e-12
        )


def test_log_p_is_finite_on_thousands_of_dependent_rows():
    x = np.random.default_rng(9).normal(size=5_000)
    found = gamma_test(x, np.sin(x))
    assert -1e6 < found.log_p < -1e3
    assert found.p == exp(found.log_p) == 0.0


# -- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), [(5, 5), (10, 11)])
def test_too_few_or_unequal_rows_are_refused(n, m):
    with pytest.raises(InvalidSettingError, match=rf"6 or more, got {n} and {m} rows"):
        hsic(np.arange(float(n)), np.arange(float(m)))


def test_a_number_of_permutations_out_of_range_is_refused_by_name():
    x = np.arange(10.0)
    with pytest.raises(InvalidSettingError, match="permutations of permutation_test must be"):
        permutation_test(x, x, np.random.default_rng(0), permutations=0)
