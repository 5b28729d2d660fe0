"""Stochastic complexity beside sums over all sequences."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import log2, prod

import numpy as np
import pytest

from bqcd.statistics.discrete import codes
from bqcd.statistics.discrete.codes import (
    binary_code_bits,
    code_bits,
    conditional_code_bits,
    entropy_bits,
    log_regret,
)


@pytest.mark.parametrize(("n", "levels"), [(1, 2), (3, 2), (4, 3), (5, 4), (6, 3), (4, 6), (9, 2)])
def test_the_regret_is_the_sum_of_largest_likelihoods_over_all_sequences(n, levels):
    brute = sum(
        prod((count / n) ** count for count in Counter(sequence).values())
        for sequence in product(range(levels), repeat=n)
    )
    assert 2.0 ** log_regret(n, levels) == pytest.approx(brute, rel=1e-12)


def test_the_expansion_for_many_draws_meets_the_sum(monkeypatch):
    series = codes._log_binomial_sum(6001)
    monkeypatch.setattr(codes, "_SUMMED", 10**6)
    codes._log_binomial_sum.cache_clear()
    summed = codes._log_binomial_sum(6001)
    codes._log_binomial_sum.cache_clear()
    assert series == pytest.approx(summed, abs=1e-9)


def test_many_levels_do_not_overflow():
    assert np.isfinite(log_regret(100_000, 200))
    assert log_regret(1, 200) == pytest.approx(log2(200))


def test_shares_of_the_code_are_a_distribution():
    """Every sequence of 5 draws of 3 levels gets 2^-bits, and these add up to 1."""
    total = sum(
        2.0 ** -code_bits([sequence.count(level) for level in range(3)], 3)
        for sequence in product(range(3), repeat=5)
    )
    assert total == pytest.approx(1.0, rel=1e-12)


def test_a_conditional_code_is_one_for_each_level():
    table = np.array([[3, 0, 4], [1, 1, 1]])
    assert conditional_code_bits(table) == pytest.approx(
        code_bits([3, 0, 4], 3) + code_bits([1, 1, 1], 3)
    )


def test_binary_codes_are_the_multinomial_ones():
    ones, totals = np.array([0, 3, 7, 10]), np.array([0, 5, 7, 40])
    expected = [code_bits((a, n - a), 2) for a, n in zip(ones, totals, strict=True)]
    assert binary_code_bits(ones, totals) == pytest.approx(expected)


def test_entropy_does_not_know_an_order():
    counts = np.random.default_rng(0).integers(1, 50, size=30)
    expected = -sum(c / counts.sum() * log2(c / counts.sum()) for c in counts)
    assert entropy_bits(counts) == pytest.approx(expected)
    assert entropy_bits(counts) == entropy_bits(counts[::-1])
