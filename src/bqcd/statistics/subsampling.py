"""Fewer rows where a method's cost demands it, drawn without looking at order or names."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector


def subsamples(
    x: Vector, y: Vector, *, max_rows: int, draws: int, rng: Generator
) -> list[tuple[Vector, Vector]]:
    """Columns of as many random subsets of rows, or of all rows once if they are few enough.

    Which rows are drawn depends on the generator and on the ranks of the values: not on the
    order of the rows, nor on which column comes first, nor on units.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Two columns observed together.
    max_rows : int
        Most rows of a subset; 0 takes all rows.
    draws : int
        Number of subsets, each without replacement. Those in which a column is constant
        are left out.
    rng : Generator
        Source of randomness; untouched if all rows are taken.

    Examples
    --------
    >>> x, y = np.arange(9.0), np.arange(9.0) ** 2
    >>> drawn = subsamples(x, y, max_rows=5, draws=2, rng=np.random.default_rng(0))
    >>> [len(rows) for rows, _ in drawn]
    [5, 5]
    """
    if max_rows == 0 or len(x) <= max_rows:
        return [(x, y)]
    group, n_groups = _unordered_groups(x, y)
    sizes = np.bincount(group, minlength=n_groups)
    chosen = []
    for _ in range(draws):
        order = rng.permutation(n_groups)
        kept = np.zeros(n_groups, dtype=bool)
        kept[order[np.cumsum(sizes[order]) <= max_rows]] = True
        rows = kept[group]
        chosen.append((x[rows], y[rows]))
    return [(a, b) for a, b in chosen if a.min() < a.max() and b.min() < b.max()]


def _unordered_groups(x: Vector, y: Vector) -> tuple[NDArray[np.intp], int]:
    """Group of each row, and how many there are: alone, or with its mirror image.

    A row whose ranks are (1, 2) and one whose ranks are (2, 1) cannot be told apart without
    saying which column is first, so both are drawn or none. Of repeated rows, each is a
    group of its own.
    """
    first, second = (np.unique(column, return_inverse=True)[1] for column in (x, y))
    low, high = np.minimum(first, second), np.maximum(first, second)
    rows = np.lexsort((second, first))
    repeated = np.diff(first[rows], prepend=-1) == 0
    repeated &= np.diff(second[rows], prepend=-1) == 0
    places = np.arange(len(x))
    copy = np.empty(len(x), dtype=np.intp)
    copy[rows] = places - np.maximum.accumulate(np.where(repeated, 0, places))
    keys, group = np.unique(np.column_stack((low, high, copy)), axis=0, return_inverse=True)
    return group.ravel(), len(keys)
