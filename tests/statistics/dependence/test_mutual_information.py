"""Mutual information: by matrices of distances, and where it is known."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.special import digamma

from bqcd.statistics.dependence.mutual_information import neighbour_information, neighbour_reach
from bqcd.statistics.dependence.mutual_information_kernels import counts_within


def by_matrices(first: np.ndarray, second: np.ndarray, k: int, *, original: bool = False) -> float:
    """The estimate from all distances; the original leaves out what is just within reach."""
    first, second = (np.abs(column[:, None] - column) for column in (first, second))
    reach = np.sort(np.maximum(first, second), axis=1)[:, k]
    counts = [
        (distances < reach[:, None]).sum(axis=1)
        if original
        else (distances <= reach[:, None]).sum(axis=1)
        for distances in (first, second)
    ]
    return digamma(k) + digamma(len(reach)) - (digamma(counts[0]) + digamma(counts[1])).mean()


def gaussian(n: int, correlation: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    first, noise = np.random.default_rng(seed).normal(size=(2, n))
    return first, correlation * first + np.sqrt(1.0 - correlation**2) * noise


@pytest.mark.parametrize("k", [1, 3, 10, 50])
@pytest.mark.parametrize("digits", [None, 1, 0])
def test_the_estimate_is_the_one_from_all_distances(k, digits):
    first, second = gaussian(200, 0.7)
    if digits is not None:
        # Multiples of a power of two, whose distances are exact.
        first, second = (np.round(column * 8.0**digits) / 8.0**digits for column in (first, second))
    found = neighbour_information(first, second, neighbours=k)
    assert found == pytest.approx(by_matrices(first, second, k), abs=1e-13)


def test_the_original_estimate_is_higher_by_at_most_one_over_k():
    for seed in range(5):
        columns = gaussian(300, 0.5, seed)
        higher = by_matrices(*columns, 10, original=True) - neighbour_information(*columns)
        assert 0.0 < higher < 0.1


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 0.99])
def test_the_information_of_gaussian_columns_is_the_known_one(correlation):
    found = [neighbour_information(*gaussian(2_000, correlation, seed)) for seed in range(5)]
    known = -0.5 * log(1.0 - correlation**2)
    assert np.mean(found) == pytest.approx(known, abs=0.05)


def test_few_rows_have_fewer_neighbours():
    first, second = gaussian(8, 0.5)
    expected = neighbour_information(first, second, neighbours=7)
    assert neighbour_information(first, second) == expected


def test_a_column_that_does_not_vary_tells_nothing():
    first, _ = gaussian(100, 0.0)
    # Its n values are always within reach, and the others are about k + 1.
    assert -0.2 < neighbour_information(first, np.zeros(100)) <= 0.0


def test_exchanging_columns_and_permuting_rows_hardly_change_anything():
    first, second = gaussian(300, 0.8)
    order = np.random.default_rng(1).permutation(300)
    found = neighbour_information(first, second)
    assert neighbour_information(second, first) == pytest.approx(found, abs=1e-14)
    assert neighbour_information(first[order], second[order]) == pytest.approx(found, abs=1e-14)


def test_units_do_not_decide_what_is_within_reach():
    first, second = (np.round(8.0 * column) for column in gaussian(300, 0.6))
    found = neighbour_information(first, second)
    for unit in (0.1, 1.0 / 3.0, 2.54):
        # No multiple of these units is exact, nor are the distances between them.
        other = neighbour_information(unit * first, unit * second)
        assert other == pytest.approx(found, abs=1e-13)


def test_counts_are_those_of_all_distances_also_on_the_edge_of_the_reach():
    rng = np.random.default_rng(2)
    column = np.sort(rng.normal(size=100))
    distances = np.abs(column[:, None] - column)
    # The reach is a distance that occurs, which rounding must not lose.
    reach = distances[np.arange(100), rng.integers(100, size=100)]
    assert np.array_equal(counts_within(column, reach), (distances <= reach[:, None]).sum(axis=1))
    assert np.array_equal(counts_within(column, np.zeros(100)), np.ones(100))


@pytest.mark.parametrize("n", [12, 300, 2_000])
def test_nearest_neighbours_are_those_of_a_tree(n):
    rng = np.random.default_rng(n)
    plane = {
        "normal": rng.normal(size=(2, n)),
        "heavy tails": rng.standard_cauchy(size=(2, n)),
        "one decimal": rng.normal(size=(2, n)).round(1),
        "grades": rng.integers(0, 3, (2, n)).astype(float),
        "two values": np.stack((rng.integers(0, 2, n).astype(float), rng.normal(size=n))),
        "half zeros": np.where(rng.uniform(size=(2, n)) < 0.5, 0.0, rng.normal(size=(2, n))),
    }
    for name, (first, second) in plane.items():
        for k in (1, 2, 11):
            points = np.column_stack((first, second))
            expected = cKDTree(points).query(points, k=[k], p=np.inf)[0].ravel()
            assert np.array_equal(neighbour_reach(first, second, k), expected), (name, k)
            assert np.array_equal(neighbour_reach(second, first, k), expected), (name, k)
