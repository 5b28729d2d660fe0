"""Columns as levels, and how often two levels come together."""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]

# Rows that a cell of two cut columns has on average, at least.
_ROWS_PER_CELL = 5
# Whole numbers further apart than this are taken by their places.
_WIDEST = 200


def level_codes(column: Vector, most: int) -> Codes:
    """Levels of a column from 0 on: its values in order, or groups of about equal counts.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Finite values.
    most : int
        A column with more distinct values is cut into groups: as many as this, and fewer where
        pairs of groups would have fewer than 5 rows on average. Equal values stay together. 0
        cuts nothing.

    Examples
    --------
    >>> level_codes(np.array([5.0, 2.0, 5.0, 9.0]), 20)
    array([1, 0, 1, 2])
    >>> level_codes(np.arange(8.0), 2)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """
    values, codes = np.unique(column, return_inverse=True)
    if not most or len(values) <= most:
        return codes
    return cut_levels(column, max(2, min(most, isqrt(len(column) // _ROWS_PER_CELL))))


def cut_levels(column: Vector, groups: int) -> Codes:
    """Groups of about equal counts, in which equal values stay together; at least two.

    Examples
    --------
    >>> cut_levels(np.array([1.0, 2.0, 2.0, 2.0, 3.0, 4.0]), 2)
    array([0, 0, 0, 0, 1, 1])
    """
    _, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    # Twice the middle rank of each value, over twice the rows.
    group = (groups * (2 * np.cumsum(counts) - counts)) // (2 * len(column))
    if group[0] == group[-1]:
        # One value has nearly all rows: it begins a group of its own, or ends one.
        group = (np.arange(len(group)) >= max(1, int(counts.argmax()))).astype(group.dtype)
    places: Codes = np.unique(group, return_inverse=True)[1]
    return places[codes]


def merged_levels(codes: Codes, levels: int) -> Codes:
    """Levels of which the two rarest are merged until so many are left.

    Examples
    --------
    >>> merged_levels(np.array([0, 0, 0, 1, 2, 3, 3]), 2)
    array([0, 0, 0, 1, 1, 1, 1])
    """
    counts = np.bincount(codes).astype(float)
    group = np.arange(len(counts))
    for _ in range(int((counts > 0).sum()) - levels):
        present = np.where(counts > 0, counts, np.inf)
        one = int(present.argmin())
        present[one] = np.inf
        other = int(present.argmin())
        group[group == one] = other
        counts[other] += counts[one]
        counts[one] = 0.0
    places: Codes = np.unique(group, return_inverse=True)[1]
    return places[codes]


def whole_codes(column: Vector, most: int) -> Codes:
    """Whole numbers less the smallest; the levels of any other column.

    Parameters
    ----------
    column, most
        As in :func:`level_codes`. Whole numbers more than 200 apart are taken as levels too.

    Examples
    --------
    >>> whole_codes(np.array([5.0, 2.0, 9.0]), 20), whole_codes(np.array([0.5, 2.0, 9.0]), 20)
    (array([3, 0, 7]), array([0, 1, 2]))
    """
    low, high = float(column.min()), float(column.max())
    levels = level_codes(column, most)
    cut = bool(most) and len(np.unique(column)) > most
    if cut or abs(low) > 2.0**52 or high - low > _WIDEST or (np.floor(column) != column).any():
        return levels
    return (column - low).astype(np.intp)


def count_table(first: Codes, second: Codes) -> Counts:
    """How often each level of one column comes with each of another.

    Examples
    --------
    >>> count_table(np.array([0, 1, 1]), np.array([2, 0, 2]))
    array([[0, 0, 1],
           [1, 0, 1]])
    """
    shape = int(first.max()) + 1, int(second.max()) + 1
    flat = np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1])
    return flat.reshape(shape).astype(np.int64)


def in_fixed_order(table: Counts) -> Counts:
    """Table with rows and columns in an order that does not depend on what levels are called.

    By their sums, then by their counts from the largest on. Only levels that are alike in all
    of that keep the order they had.

    Examples
    --------
    >>> in_fixed_order(np.array([[0, 5], [2, 1]]))
    array([[2, 1],
           [0, 5]])
    """
    rows = level_order(table)
    columns = level_order(table.T)
    return np.ascontiguousarray(table[np.ix_(rows, columns)])


def level_order(table: Counts) -> Codes:
    """Order of the rows that :func:`in_fixed_order` gives a table."""
    inside = np.sort(table, axis=1)
    keys = np.column_stack((table.sum(axis=1), inside[:, ::-1]))
    return np.lexsort(keys.T[::-1])
