"""Columns freed of their units, to the bit the same for any order of the rows.

Positive multiples and shifts of a column that lose no digits give the same scaled column.
"""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.runtime.once import once_for_columns


@once_for_columns
def unit_range(column: Vector) -> Vector:
    """Column shifted and scaled to run from 0 to 1; it must vary and be finite.

    Examples
    --------
    >>> unit_range(np.array([3.0, 5.0, 4.0]))
    array([0. , 1. , 0.5])
    """
    low, high = float(column.min()), float(column.max())
    if not isfinite(high - low):
        # Halves, as the range of the column itself is beyond the largest number.
        column, low, high = 0.5 * column, 0.5 * low, 0.5 * high
    return (column - low) / (high - low)


@once_for_columns
def unit_variance(column: Vector) -> Vector:
    """Column shifted and scaled to mean 0 and variance 1, with n - 1 below the squares.

    Examples
    --------
    >>> unit_variance(np.array([3.0, 5.0, 4.0]))
    array([-1.,  1.,  0.])
    """
    scaled = unit_range(column)
    # Sorted, so that the last bit of the sums does not know the order of the rows.
    in_order = np.sort(scaled)
    mean = float(in_order.mean())
    squares = float(np.square(in_order - mean).sum())
    return (scaled - mean) / sqrt(squares / (len(column) - 1))
