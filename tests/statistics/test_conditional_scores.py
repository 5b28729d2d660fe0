from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.conditional_scores import conditional_scores


def correlation(one, other):
    return abs(float(np.corrcoef(one, other)[0, 1]))


def test_scores_without_anything_given_are_normal_scores_of_the_ranks():
    values = np.array([3.0, 1.0, 2.0])
    [scores] = conditional_scores([values])
    assert scores == pytest.approx([0.6745, -0.6745, 0.0], abs=1e-4)


def test_equal_values_have_equal_scores():
    [scores] = conditional_scores([np.array([1.0, 2.0, 2.0, 3.0])])
    assert scores[1] == scores[2] == 0.0


def test_ranks_are_taken_within_groups():
    rng = np.random.default_rng(0)
    groups = rng.integers(3, size=600)
    column = 10.0 * groups + rng.normal(size=600)
    [scores] = conditional_scores([column], groups=groups)
    for group in range(3):
        rows = groups == group
        assert abs(scores[rows].mean()) < 1e-9
        assert np.array_equal(np.argsort(scores[rows]), np.argsort(column[rows]))


@pytest.mark.parametrize("shape", [np.tanh, np.square, np.sin], ids=["tanh", "square", "sine"])
def test_what_numbers_explain_is_taken_off(shape):
    rng = np.random.default_rng(1)
    z, noise = rng.normal(size=(2, 2000))
    [left] = conditional_scores([shape(z) + 0.5 * noise], [z])
    assert correlation(left, noise) > 0.95
    assert max(correlation(left, z), correlation(left, z**2), correlation(left, z**3)) < 0.06


def test_a_spread_that_changes_is_taken_off_too():
    rng = np.random.default_rng(2)
    z, noise = rng.normal(size=(2, 2000))
    column = np.exp(0.7 * z) * noise
    [before], [left] = conditional_scores([column]), conditional_scores([column], [z])
    assert correlation(np.abs(before), z) > 0.4
    assert correlation(np.abs(left), z) < 0.15


def test_several_columns_add_up():
    rng = np.random.default_rng(3)
    one, other, noise = rng.normal(size=(3, 2000))
    column = one**2 + np.tanh(other) + 0.4 * noise
    [left] = conditional_scores([column], [one, other])
    [half] = conditional_scores([column], [one])
    assert correlation(left, noise) > 0.85 > 0.6 > correlation(half, noise)
    assert max(correlation(left, one**2), correlation(left, np.tanh(other))) < 0.06


def test_units_and_outliers_do_not_count():
    rng = np.random.default_rng(4)
    z, noise = rng.normal(size=(2, 500))
    column = z + noise
    [left] = conditional_scores([column], [z])
    [other] = conditional_scores([np.exp(column)], [np.exp(3.0 * z)])
    assert left == pytest.approx(other)


def test_a_constant_column_that_is_given_explains_nothing():
    column = np.random.default_rng(5).normal(size=100)
    [left] = conditional_scores([column], [np.ones(100)])
    assert np.array_equal(np.argsort(left), np.argsort(column))
