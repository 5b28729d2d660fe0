from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.statistics.clumps import clump_numbers, companions

Points = NDArray[np.float64]


def in_ranks(x: NDArray[np.float64], y: NDArray[np.float64], rng: Generator) -> Points:
    ranks = np.column_stack([np.argsort(np.argsort(column)) for column in (x, y)])
    return rng.permutation((ranks + 0.5) / len(x))


def gaussian(rng: Generator, n: int) -> Points:
    x, noise = rng.normal(size=(2, n))
    return in_ranks(x, 0.6 * x + 0.8 * noise, rng)


def curve(rng: Generator, n: int) -> Points:
    x, noise = rng.normal(size=(2, n))
    return in_ranks(x, x**2 + 0.5 * noise, rng)


@pytest.mark.parametrize("kind", [gaussian, curve])
@pytest.mark.parametrize("n", [200, 1000])
def test_independent_points_have_no_companions(
    kind: Callable[[Generator, int], Points], n: int
) -> None:
    found = [companions(kind(default_rng(seed), n)) for seed in range(20)]
    assert sum(number > 0.0 for number in found) <= 1


@pytest.mark.parametrize("repeats", [2, 5, 20])
def test_repeated_points_have_the_others_beside_them(repeats: int) -> None:
    found = []
    for seed in range(10):
        rng = default_rng(seed)
        x, noise = (np.repeat(each, repeats) for each in rng.normal(size=(2, 2000 // repeats)))
        blur = 0.01 * rng.normal(size=(2, len(x)))
        found.append(companions(in_ranks(x + blur[0], x + noise + blur[1], rng)))
    assert sum(number > 0.0 for number in found) >= 9
    assert 0.5 * (repeats - 1) <= np.median(found) <= 2.0 * (repeats - 1)


def test_few_points_are_not_asked() -> None:
    assert companions(np.repeat(default_rng(0).random((20, 2)), 2, axis=0)) == 0.0


def test_clumps_are_whole_where_gaps_are_wide() -> None:
    rng = default_rng(0)
    centres = np.column_stack((np.arange(20.0), rng.permutation(20))) / 20.0
    points = np.repeat(centres, 8, axis=0) + 0.001 * rng.random((160, 2))
    numbers = clump_numbers(points, 12)
    assert numbers.max() + 1 == 20
    assert all(len(set(each)) == 1 for each in numbers.reshape(20, 8))


def test_no_clump_is_larger_than_asked_and_none_is_empty() -> None:
    numbers = clump_numbers(default_rng(0).random((1000, 2)), 7)
    sizes = np.bincount(numbers)
    assert sizes.min() >= 1
    assert sizes.max() <= 7
