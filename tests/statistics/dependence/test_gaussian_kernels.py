"""Gaussian kernels on a line: medians of distances by counting them all, factors by Gram matrix."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError
from bqcd.statistics.dependence.gaussian_kernels import (
    WIDEST_GAP,
    gaussian_factor,
    median_distance,
    middle_distances,
    positions,
)


def distances(points: np.ndarray) -> np.ndarray:
    return np.abs(points[:, None] - points)[np.triu_indices(len(points), 1)]


def gram(points: np.ndarray, bandwidth: float) -> np.ndarray:
    return np.exp(-0.5 * ((points[:, None] - points) / bandwidth) ** 2)


def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "normal": rng.normal(size=300),
        "uniform": rng.uniform(size=301),
        "heavy tails": rng.standard_cauchy(size=200),
        "one decimal": rng.normal(size=250).round(1),
        "whole numbers": rng.normal(size=100).round(),
        "nine in ten tied": np.where(rng.uniform(size=200) < 0.9, 1.0, rng.normal(size=200)),
        "two clusters": np.r_[rng.normal(size=100), 1e6 + rng.normal(size=100)],
        "far from zero": 1e12 + 100.0 * rng.normal(size=100),
    }


COLUMNS = columns()
every_column = pytest.mark.parametrize("points", COLUMNS.values(), ids=COLUMNS)


# -- medians of distances --------------------------------------------------------------


@every_column
def test_the_median_distance_is_the_median_of_all_distances(points):
    assert median_distance(points) == np.median(distances(points))


@pytest.mark.parametrize("digits", [0, 1, 15])
def test_odd_and_even_numbers_of_pairs_have_the_median_numpy_has(digits):
    for n, seed in product(range(2, 12), range(20)):
        points = np.random.default_rng(seed).normal(size=n).round(digits)
        assert median_distance(points) == np.median(distances(points)), (n, seed)


@every_column
def test_distances_of_zero_can_be_left_out(points):
    apart = distances(points)
    expected = np.median(apart[apart > 0.0])
    assert median_distance(points, positive=True) == expected


@pytest.mark.parametrize("name", ["heavy tails", "grades", "half zeros", "two clusters"])
def test_long_columns_have_the_median_numpy_has_wherever_the_first_guess_is(name):
    rng = np.random.default_rng(3)
    points = {
        "heavy tails": rng.standard_cauchy(size=1_500) ** 3,
        "grades": rng.integers(0, 5, 1_500).astype(float),
        "half zeros": np.where(rng.uniform(size=1_500) < 0.5, 0.0, rng.exponential(size=1_500)),
        "two clusters": np.r_[rng.normal(size=1_030), 1e9 + rng.normal(size=1_030)],
    }[name]
    apart = distances(points)
    assert median_distance(points) == np.median(apart)
    assert median_distance(points, positive=True) == np.median(apart[apart > 0.0])


def test_equal_points_have_a_median_distance_of_zero():
    points = np.full(10, 3.0)
    assert median_distance(points) == median_distance(points, positive=True) == 0.0


def test_distances_of_several_columns_are_pooled():
    first, second = COLUMNS["normal"], COLUMNS["one decimal"]
    pooled = np.r_[distances(first), distances(second)]
    assert median_distance(first, second) == np.median(pooled)
    assert median_distance(second, first, positive=True) == np.median(pooled[pooled > 0.0])


def test_the_middle_distances_are_the_two_the_median_is_between():
    points = np.array([0.0, 1.0, 3.0, 7.0])  # distances 1, 2, 3, 4, 6, 7
    assert middle_distances(points) == (3.0, 4.0)
    assert middle_distances(points[:3]) == (2.0, 2.0)


def test_a_hundred_thousand_points_are_counted_without_their_pairs():
    # Of the points 0, 1, ..., n - 1, n - d pairs are d apart.
    n = 100_001
    counts = np.cumsum(n - np.arange(1, n))
    pairs = n * (n - 1) // 2
    expected = 1 + np.searchsorted(counts, (pairs + 1) // 2)
    points = np.random.default_rng(1).permutation(n).astype(float)
    assert median_distance(points) == expected


# -- factors ---------------------------------------------------------------------------


@every_column
def test_the_factor_gives_the_gram_matrix_back(points):
    for bandwidth, tolerance in product((0.1, 1.0, 30.0), (1e-4, 1e-10)):
        factor = gaussian_factor(points, bandwidth, tolerance=tolerance)
        left = gram(points, bandwidth) - factor @ factor.T
        assert np.diag(left).max() <= tolerance + 1e-14, bandwidth
        assert np.abs(left).max() <= tolerance + 1e-14, bandwidth
        # Rounding, of a matrix of that size.
        assert np.linalg.eigvalsh(left).min() > -1e-14 * len(points), bandwidth


@every_column
def test_rows_of_the_factor_follow_their_points(points):
    order = np.random.default_rng(2).permutation(len(points))
    factor = gaussian_factor(points, 0.7)
    assert np.array_equal(gaussian_factor(points[order], 0.7), factor[order])
    values, places = np.unique(points, return_index=True)
    assert factor.shape[1] <= len(values)
    assert np.array_equal(factor, factor[places][np.searchsorted(values, points)])


def test_the_rank_is_that_of_the_range_in_bandwidths_whatever_the_rows():
    ranks = [
        gaussian_factor(np.random.default_rng(n).uniform(size=n), 0.1).shape[1]
        for n in (500, 5_000)
    ]
    assert max(ranks) < 40
    assert ranks[1] - ranks[0] <= 2


def test_points_far_apart_have_a_factor_of_full_rank():
    points = np.array([3.0, -2e300, 1e300, 5e8])
    factor = gaussian_factor(points, 1e-3)
    np.testing.assert_allclose(factor @ factor.T, np.eye(4), atol=1e-12)


def test_a_constant_column_has_rank_one():
    assert np.array_equal(gaussian_factor(np.full(7, 2.0), 1.0), np.ones((7, 1)))


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"bandwidth": 0.0}, "bandwidth of gaussian_factor must be a number > 0"),
        ({"bandwidth": np.nan}, "bandwidth of gaussian_factor"),
        ({"bandwidth": 1.0, "tolerance": -1.0}, "tolerance of gaussian_factor"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(settings, word):
    with pytest.raises(InvalidSettingError, match=word):
        gaussian_factor(np.arange(5.0), **settings)


# -- positions -------------------------------------------------------------------------


def test_positions_keep_the_gaps_that_matter_and_narrow_the_others():
    values = np.array([-1e308, -5.0, -3.0, 8.0, 1.7e308])
    gaps = np.diff(positions(values, 2.0))
    np.testing.assert_allclose(gaps, [WIDEST_GAP, 1.0, 5.5, WIDEST_GAP], rtol=1e-14)


def test_a_range_beyond_the_largest_number_is_measured_in_halves():
    values = np.array([-1.5e308, 0.0, 1.5e308])
    np.testing.assert_allclose(positions(values, 1.5e308), [0.0, 1.0, 2.0])
