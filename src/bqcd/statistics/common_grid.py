"""Two columns brought to one grid, so that rounding tells them apart no longer.

A column that is coarser than the other looks different even if nothing else does. Let two
variables look the same from both sides, and be seen through grids: x in cells A, y in cells B. If
both are cut at values that both grids can tell, at the same shares of the rows, what remains looks
the same from both sides again, whatever the variables are. That is also all that can be tested:
where y is not cut at all, any distribution of y in the cells of x can be had from variables that
look the same from both sides, if only the table of x by y cut like x is symmetric.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector

Places = NDArray[np.intp]

# Two grids cut at the same share of the rows if they differ by no more than the share of two
# samples does, in units of its standard deviation.
_SAME_SHARE = 2.0


def on_common_grid(first: Vector, second: Vector) -> tuple[Vector, Vector] | None:
    """Both columns as numbers of the cells of a grid that both can tell; None if there is none.

    Of the cuts of the column with fewer values, of the first if both have equally many, those are
    kept that the other column can follow.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Finite numbers.

    Examples
    --------
    >>> grades, fine = np.repeat([1.0, 2.0, 4.0], 3), np.arange(9.0) ** 2
    >>> [cells.tolist() for cells in on_common_grid(grades, fine)]
    [[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0]]
    """
    ordered = np.sort(first), np.sort(second)
    cuts = _cuts(ordered[0]), _cuts(ordered[1])
    turned = len(cuts[1]) < len(cuts[0])
    kept = _matched(cuts[turned], cuts[not turned], len(first))
    if not len(kept[0]):
        return None
    of_first, of_second = kept[turned], kept[not turned]
    return _cells(first, ordered[0], of_first), _cells(second, ordered[1], of_second)


def equally_coarse(first: Vector, second: Vector) -> tuple[Vector, Vector]:
    """Both columns as coarse as the coarser one, on scales of their own.

    The column with more values is cut at the same shares of the rows as the other one, and each of
    its values becomes the mean of its cell. Columns with equally many values stay as they are.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Finite numbers.

    Examples
    --------
    >>> grades, fine = np.repeat([1.0, 2.0, 4.0], 3), np.arange(9.0)
    >>> equally_coarse(fine, grades)[0]
    array([1., 1., 1., 4., 4., 4., 7., 7., 7.])
    """
    ordered = np.sort(first), np.sort(second)
    cuts = _cuts(ordered[0]), _cuts(ordered[1])
    if len(cuts[0]) == len(cuts[1]):
        return first, second
    if len(cuts[0]) < len(cuts[1]):
        return first, _cell_means(second, ordered[1], cuts[0])
    return _cell_means(first, ordered[0], cuts[1]), second


def sizes_of_values(column: Vector) -> Places:
    """How many rows have each value, from the smallest value on.

    Examples
    --------
    >>> sizes_of_values(np.array([2.5, 0.0, 0.0, 1.5]))
    array([2, 1, 1])
    """
    return np.diff(_cuts(np.sort(column)), prepend=0, append=len(column))


def has_ties(column: Vector) -> bool:
    """Whether a value repeats another."""
    ordered = np.sort(column)
    return bool((ordered[1:] == ordered[:-1]).any())


def equally_graded(column: Vector) -> bool:
    """Whether a column was put into grades by its own quantiles: each value has as many rows.

    Examples
    --------
    >>> equally_graded(np.array([1.0, 1.0, 2.0, 2.0, 3.0])), equally_graded(np.arange(5.0))
    (True, False)
    """
    sizes = sizes_of_values(column)
    return bool(sizes.max() > 1 and sizes.max() - sizes.min() <= 1)


def same_cells(first: Vector, second: Vector) -> bool:
    """Whether both columns have the same numbers of equal values, from the smallest value on."""
    return np.array_equal(_cuts(np.sort(first)), _cuts(np.sort(second)))


def _cuts(ordered: Vector) -> Places:
    """How many values lie below each new value of a sorted column, but the first."""
    return np.flatnonzero(ordered[1:] != ordered[:-1]) + 1


def _matched(few: Places, many: Places, n: int) -> tuple[Places, Places]:
    """Cuts of the one that the other can follow, and how it does; both increase."""
    after = np.searchsorted(many, few)
    below, above = many[np.maximum(after - 1, 0)], many[np.minimum(after, len(many) - 1)]
    nearest = np.where(np.abs(few - below) <= np.abs(above - few), below, above)
    shares = few / n
    near = np.abs(nearest - few) <= _SAME_SHARE * np.sqrt(n * shares * (1.0 - shares))
    few, nearest = few[near], nearest[near]
    _, once = np.unique(nearest, return_index=True)
    return few[once], nearest[once]


def _cell_means(column: Vector, ordered: Vector, cuts: Places) -> Vector:
    """Mean of the cell of each value; cuts that fall on the same value are one."""
    cell = np.searchsorted(np.unique(ordered[cuts]), column, side="right")
    sizes = np.maximum(np.bincount(cell), 1)
    means: Vector = (np.bincount(cell, weights=column) / sizes)[cell]
    return means


def _cells(column: Vector, ordered: Vector, cuts: Places) -> Vector:
    return np.searchsorted(ordered[cuts], column, side="right").astype(np.float64)
