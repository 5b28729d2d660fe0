"""Scaled columns: what they are, and what they do not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.scaling import drawn_in, unit_range, unit_variance

SCALED = pytest.mark.parametrize("scaled", [unit_range, unit_variance, drawn_in])


def test_the_range_is_that_from_0_to_1():
    column = np.random.default_rng(0).normal(size=50)
    scaled = unit_range(column)
    assert (scaled.min(), scaled.max()) == (0.0, 1.0)
    np.testing.assert_allclose(scaled, (column - column.min()) / np.ptp(column), rtol=1e-14)


def test_mean_and_variance_are_0_and_1():
    column = 1e6 + np.random.default_rng(1).exponential(size=50)
    scaled = unit_variance(column)
    assert scaled.mean() == pytest.approx(0.0, abs=1e-15)
    assert scaled.var(ddof=1) == pytest.approx(1.0, rel=1e-14)
    assert np.corrcoef(scaled, column)[0, 1] == pytest.approx(1.0, rel=1e-14)


@SCALED
def test_exact_shifts_and_multiples_and_the_order_of_rows_change_no_bit(scaled):
    rng = np.random.default_rng(2)
    column = rng.integers(-1000, 1000, size=200) / 64.0
    order = rng.permutation(200)
    assert np.array_equal(scaled(8.0 * column - 3.0), scaled(column))
    assert np.array_equal(scaled(column[order]), scaled(column)[order])


@SCALED
@pytest.mark.parametrize("size", [1.7e308, 5e-324, 1e-300])
def test_the_largest_and_smallest_numbers_are_scaled_like_others(scaled, size):
    signs = np.array([-1.0, 1.0, 1.0, -1.0, 1.0])
    np.testing.assert_allclose(scaled(size * signs), scaled(signs), rtol=1e-12)


@SCALED
def test_the_column_itself_is_left_alone(scaled):
    column = np.array([1.0, 2.0, 4.0])
    scaled(column)
    assert column.tolist() == [1.0, 2.0, 4.0]


def test_far_values_are_drawn_in_and_near_ones_are_not():
    column = np.random.default_rng(3).normal(size=2001)
    unit = (np.sort(column)[-501] - np.sort(column)[500]) / 1.35
    far = np.append(column, [1e12, -1e15])
    drawn = drawn_in(far)
    assert np.abs(drawn[:-2] - (column - np.median(far)) / unit).max() < 0.05
    assert np.array_equal(np.argsort(drawn), np.argsort(far))
    assert np.abs(drawn).max() < 20.0 * np.pi / 2.0 + 1e-9


def test_a_column_with_one_value_in_most_rows_is_drawn_in_by_its_range():
    column = np.zeros(100)
    column[:3] = [1.0, 2.0, 1e9]
    drawn = drawn_in(column)
    assert np.isfinite(drawn).all()
    assert len(np.unique(drawn)) == 4
