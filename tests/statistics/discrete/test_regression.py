"""Discrete regression, and the test of its residuals beside SciPy's and permutations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bqcd.statistics.discrete.regression import (
    exact_moments,
    independence_p_value,
    residual_dependence,
    residual_entropy,
    residual_table,
)


def permuted_statistics(rows, columns, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    first, second = (np.repeat(np.arange(len(sums)), sums) for sums in (rows, columns))
    expected = np.outer(rows, columns) / len(first)
    found = np.empty(count)
    for at in range(count):
        table = np.zeros(expected.shape)
        np.add.at(table, (first, rng.permutation(second)), 1)
        found[at] = (table**2 / expected).sum() - len(first)
    return found


@pytest.mark.parametrize(
    ("rows", "columns"),
    [((3, 4, 5), (2, 4, 6)), ((1, 2, 7, 10), (15, 5)), ((1, 1, 1, 9, 20), (1, 2, 29))],
)
def test_mean_and_deviation_of_chi_squared_are_those_over_permutations(rows, columns):
    mean, deviation = exact_moments(np.array(rows, float), np.array(columns, float))
    found = permuted_statistics(rows, columns, 5_000)
    assert found.mean() == pytest.approx(mean, rel=0.05)
    assert found.std() == pytest.approx(deviation, rel=0.12)


def test_full_tables_have_the_p_value_of_scipy():
    table = np.random.default_rng(0).integers(10, 60, size=(3, 5))
    assert independence_p_value(table) == pytest.approx(
        chi2_contingency(table, correction=False).pvalue
    )


def test_sparse_tables_are_rejected_as_often_as_said():
    rejected = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        table = np.zeros((6, 9))
        x, y = rng.geometric(0.4, size=60), rng.geometric(0.35, size=60)
        np.add.at(table, (np.minimum(x, 6) - 1, np.minimum(y, 9) - 1), 1)
        rejected += independence_p_value(table) < 0.05
    assert 0.02 < rejected / 400 < 0.09


def test_a_single_row_or_column_is_independent():
    assert independence_p_value(np.array([[3, 4, 5]])) == 1.0


@pytest.mark.parametrize("criterion", [residual_entropy, residual_dependence])
@pytest.mark.parametrize("cyclic", [False, True])
def test_the_function_behind_additive_noise_is_found(criterion, cyclic):
    noise, function = np.array([60, 30, 10]), [0, 3, 1, 3]
    table = np.zeros((4, 6), dtype=int)
    for level, value in enumerate(function):
        table[level, value : value + 3] = noise * (level + 1)
    found = residual_table(table, criterion, cyclic=cyclic)
    assert found.shape == (4, 3)
    shares = found / found.sum(axis=1, keepdims=True)
    assert np.ptp(shares, axis=0) == pytest.approx(0.0)
    assert independence_p_value(found) == pytest.approx(1.0)


def test_the_search_leaves_no_less_entropy_than_the_best_function():
    from itertools import product

    rng = np.random.default_rng(1)
    for _ in range(10):
        table = rng.integers(0, 12, size=(3, 4)) + 1
        found = residual_table(table, residual_entropy, cyclic=True).sum(axis=0)
        totals = [
            sum(np.roll(row, -shift) for row, shift in zip(table, shifts, strict=True))
            for shifts in product(range(4), repeat=3)
        ]

        def bits(counts):
            shares = counts[counts > 0] / counts.sum()
            return -(shares * np.log2(shares)).sum()

        best = min(map(bits, totals))
        assert best - 1e-9 <= bits(found) <= best + 0.1
