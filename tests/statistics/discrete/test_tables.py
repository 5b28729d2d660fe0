"""Columns as levels, and tables of them."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.discrete.tables import (
    count_table,
    cut_levels,
    in_fixed_order,
    level_codes,
    merged_levels,
    whole_codes,
)

RNG = np.random.default_rng(0)


def test_few_values_stay_and_many_are_cut_into_equal_groups():
    few, many = RNG.integers(7, size=500).astype(float), RNG.normal(size=500)
    assert np.array_equal(level_codes(few, 20), few.astype(int))
    sizes = np.bincount(level_codes(many, 20))
    assert len(sizes) == 10
    assert sizes.min() == sizes.max() == 50


def test_equal_values_stay_together_and_the_order_is_kept():
    column = np.round(RNG.normal(size=400), 1)
    codes = level_codes(column, 8)
    for value in np.unique(column):
        assert len(np.unique(codes[column == value])) == 1
    order = np.argsort(column, kind="stable")
    assert (np.diff(codes[order]) >= 0).all()


@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_value_with_nearly_all_rows_leaves_two_groups(place):
    column = np.append(np.full(500, float(place)), np.arange(7.0))
    assert len(np.unique(cut_levels(column, 3))) >= 2


def test_the_rarest_levels_are_merged_until_so_many_are_left():
    codes = np.repeat([0, 1, 2, 3], [50, 5, 10, 20])
    merged = merged_levels(codes, 2)
    assert np.bincount(merged).tolist() in ([50, 35], [35, 50])


def test_whole_numbers_keep_their_gaps():
    column = np.array([3.0, 5.0, 3.0, 10.0])
    assert whole_codes(column, 20).tolist() == [0, 2, 0, 7]
    assert whole_codes(column + 0.5, 20).tolist() == [0, 1, 0, 2]
    assert whole_codes(column * 1000, 20).tolist() == [0, 1, 0, 2]


def test_tables_in_fixed_order_do_not_know_what_levels_are_called():
    table = RNG.integers(30, size=(5, 4))
    turned = table[RNG.permutation(5)][:, RNG.permutation(4)]
    assert np.array_equal(in_fixed_order(table), in_fixed_order(turned))
    assert in_fixed_order(table).sum() == table.sum()


def test_a_table_counts_every_row():
    x, y = RNG.integers(3, size=200), RNG.integers(4, size=200)
    assert np.array_equal(
        count_table(x, y), [[np.sum((x == a) & (y == b)) for b in range(4)] for a in range(3)]
    )
