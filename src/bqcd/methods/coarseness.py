"""Coarse columns: what counts as one, for assessments, scans and the method ``auto`` alike.

A column that is coarser than the other looks different even where nothing else does, and a method
that has seen doses and years takes the coarse one for the cause. Three kinds are told apart, as
what can be done about them differs. The bounds were set by simulation and checked on families of
pairs that were left out (``benchmarks/coarse_pairs.py``, ``benchmarks/auto_rule.py``).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.statistics.common_grid import sizes_of_values

Coarseness = Literal["grades", "heap", "steps"]
"""Grades of equal size, whose numbers tell an order only; many rows at one value; few values."""

COARSE = 0.5
"""A column is coarse if its distinct values are no more than this share of the rows."""

# Or if the commonest value has this share of the rows.
_HEAP = 0.1
# Grades of equal size have this many rows each, at least.
_ROWS_OF_GRADE = 3


def coarseness(column: Vector) -> Coarseness | None:
    """How a column is coarse; None if it is not.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Finite numbers.

    Examples
    --------
    >>> fine = np.random.default_rng(0).normal(size=600)
    >>> grades = np.argsort(np.argsort(fine)) // 60
    >>> [coarseness(1.0 * each) for each in (fine, fine.round(1), fine.clip(-0.5), grades)]
    [None, 'steps', 'heap', 'grades']
    """
    return coarseness_by_sizes(sizes_of_values(column))


def coarseness_by_sizes(sizes: NDArray[np.integer[Any]]) -> Coarseness | None:
    """How a column is coarse, by how many rows have each of its values.

    Parameters
    ----------
    sizes : ndarray of int of shape (k,)
        In any order, each at least 1.

    Examples
    --------
    >>> coarseness_by_sizes(np.ones(50, dtype=np.int64)), coarseness_by_sizes(np.array([9, 8, 9]))
    (None, 'grades')
    """
    n, most = int(sizes.sum()), int(sizes.max())
    if sizes.min() >= _ROWS_OF_GRADE and most - sizes.min() <= 1:
        return "grades"
    if len(sizes) <= COARSE * n:
        return "steps"
    return "heap" if most > 1 and most >= _HEAP * n else None
