from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from bqcd.statistics.common_grid import (
    equally_graded,
    has_ties,
    on_common_grid,
    same_cells,
)


def test_a_fine_column_is_cut_where_the_coarse_one_is() -> None:
    rng = default_rng(0)
    grades, fine = np.repeat([0.0, 1.0, 5.0, 9.0], [10, 20, 30, 40]), rng.normal(size=100)
    cells = on_common_grid(grades, fine)
    assert cells is not None
    assert [np.bincount(each.astype(int)).tolist() for each in cells] == [[10, 20, 30, 40]] * 2
    assert np.all(np.diff(cells[1][np.argsort(fine)]) >= 0.0)


def test_exchanging_columns_with_different_numbers_of_values_exchanges_the_cells() -> None:
    rng = default_rng(1)
    x, y = rng.integers(7, size=400).astype(float), rng.normal(size=400).round(1)
    one, other = on_common_grid(x, y), on_common_grid(y, x)
    assert one is not None
    assert other is not None
    np.testing.assert_array_equal(one[0], other[1])
    np.testing.assert_array_equal(one[1], other[0])


def test_cuts_at_other_shares_than_chance_allows_are_left_out() -> None:
    """At 1,000 rows and a half, shares of two samples differ by up to 0.03 or so."""
    x = (np.arange(1000.0) >= 500).astype(float)
    near, far = (np.arange(1000.0) >= 525).astype(float), (np.arange(1000.0) >= 600).astype(float)
    assert on_common_grid(x, near) is not None
    assert on_common_grid(x, far) is None


def test_the_cut_columns_of_a_symmetric_pair_look_the_same_from_both_sides() -> None:
    """Tables of cells against their transposes: as a chi-square variable, on average."""
    statistics = []
    for seed in range(200):
        rng = default_rng(seed)
        u, v = rng.normal(size=(2, 600))
        first, second = u + np.abs(v), v + np.abs(u)
        cells = on_common_grid(np.floor(first), second)
        assert cells is not None
        size = int(cells[0].max()) + 1
        table = np.zeros((size, size))
        np.add.at(table, (cells[0].astype(int), cells[1].astype(int)), 1.0)
        upper = np.triu_indices(size, 1)
        sums, differences = (table + table.T)[upper], (table - table.T)[upper]
        statistics.append(np.sum(differences[sums > 0] ** 2 / sums[sums > 0]) / (sums > 0).sum())
    assert np.mean(statistics) < 1.1


@pytest.mark.parametrize(("column", "ties"), [([1.0, 2.0, 3.0], False), ([1.0, 2.0, 1.0], True)])
def test_a_repeated_value_is_a_tie(column: list[float], ties: bool) -> None:
    assert has_ties(np.array(column)) is ties


def test_cells_are_the_same_if_equal_values_are_as_many() -> None:
    assert same_cells(np.array([1.0, 1.0, 5.0]), np.array([7.0, 3.0, 3.0]))
    assert not same_cells(np.array([1.0, 5.0, 5.0]), np.array([7.0, 3.0, 3.0]))


def test_grades_of_equally_many_rows_are_seen() -> None:
    column = default_rng(0).normal(size=103)
    ranks = np.argsort(np.argsort(column))
    assert equally_graded(np.floor(ranks * 5.0 / 103.0))
    assert not equally_graded(column)
    assert not equally_graded(column.round())
