"""Greedy couplings beside the best ones."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from bqcd.statistics.discrete.codes import entropy_bits
from bqcd.statistics.discrete.couplings import greedy_coupling


def least_entropy(one: np.ndarray, other: np.ndarray) -> float:
    """Least joint entropy of two distributions: at a vertex of the transport polytope.

    Every vertex comes out of the north-west corner rule under some order of the levels.
    """
    best = np.inf
    for rows, columns in product(permutations(range(len(one))), permutations(range(len(other)))):
        left, right, masses = one[list(rows)].copy(), other[list(columns)].copy(), []
        i = j = 0
        while i < len(left) and j < len(right):
            mass = min(left[i], right[j])
            masses.append(mass)
            left[i] -= mass
            right[j] -= mass
            if left[i] <= right[j]:
                i += 1
            else:
                j += 1
        best = min(best, entropy_bits([mass for mass in masses if mass > 1e-12]))
    return best


@pytest.mark.parametrize("seed", range(8))
def test_two_distributions_are_coupled_within_one_bit_of_the_least_entropy(seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(4), size=2)
    greedy, least = entropy_bits(greedy_coupling(shares)), least_entropy(*shares)
    assert least - 1e-9 <= greedy <= least + 1.0
    assert greedy <= least + 0.3


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_each_distribution_follows_from_the_coupling(rows):
    rng = np.random.default_rng(rows)
    shares = rng.dirichlet(np.ones(5), size=rows)
    masses = greedy_coupling(shares)
    assert masses.sum() == pytest.approx(1.0)
    assert (np.diff(masses) <= 1e-12).all()
    # No coupling has less entropy than any of its parts.
    assert entropy_bits(masses) >= max(entropy_bits(row) for row in shares) - 1e-9


def test_equal_distributions_need_no_more_than_their_entropy():
    shares = np.tile([0.5, 0.3, 0.2], (4, 1))
    assert greedy_coupling(shares) == pytest.approx([0.5, 0.3, 0.2])
