"""Trees of binary attributes, and merged levels."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from bqcd.statistics.discrete.codes import code_bits
from bqcd.statistics.discrete.merging import merged_rows
from bqcd.statistics.discrete.packing import packed_bits


def test_independent_attributes_are_coded_apart():
    """Two attributes, each a leaf of one bit and its code."""
    table = np.array([[40, 40], [40, 40]])
    assert packed_bits(table) == pytest.approx(2 * (1.0 + code_bits([80, 80], 2)))


def test_an_effect_that_copies_its_cause_asks_one_question():
    """The tree of the effect: a question of 1 + log2(2) bits, and two pure leaves."""
    table = np.array([[60, 0], [0, 100]])
    cause = 1.0 + code_bits([60, 100], 2)
    effect = (1.0 + log2(2)) + 2 * 1.0 + code_bits([60], 2) + code_bits([100], 2)
    assert packed_bits(table) == pytest.approx(cause + effect)


def test_attributes_of_one_column_ask_each_other_but_never_in_a_circle():
    """Three levels: the third attribute follows from the others, none asks back."""
    alone = np.array([[50, 50], [50, 50], [50, 50]])
    apart = 3 * (1.0 + code_bits([100, 200], 2)) + 1.0 + code_bits([150, 150], 2)
    assert 0 < packed_bits(alone) < apart


def test_levels_of_the_same_shares_are_merged():
    table = np.array([[30, 10, 10], [5, 40, 5], [60, 20, 20], [6, 39, 5], [29, 11, 10]])
    found = merged_rows(table, 0.5 * log2(table.sum()) * 2)
    assert found.sum() == table.sum()
    assert sorted(found.sum(axis=1).tolist()) == [100, 200]


def test_levels_of_different_shares_stay():
    table = np.array([[90, 5, 5], [5, 90, 5], [5, 5, 90]])
    assert len(merged_rows(table, 8.0)) == 3
