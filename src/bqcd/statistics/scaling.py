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


def drawn_in(column: Vector, reach: float = 20.0) -> Vector:
    """Column in robust standard deviations from its median, with far values drawn in.

    v becomes k arctan(v / k): hardly anything happens to what is nearer than k / 4, the order of
    values stays, and none is beyond 1.6 k. Where more than half of the rows have one value, ranges
    of more rows than half stand for the deviation.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Finite, not constant.
    reach : float, default=20.0
        k.

    Examples
    --------
    >>> drawn_in(np.array([-2.0, -1.0, 0.0, 1.0, 1e9])).round(2)
    array([-1.35, -0.67,  0.  ,  0.67, 31.42])
    """
    in_order = np.sort(column)
    n = len(in_order)
    if not isfinite(float(in_order[-1]) - float(in_order[0])):
        # Halves, as the range of the column itself is beyond the largest number.
        column, in_order = 0.5 * column, 0.5 * in_order
    lower, upper = in_order[(n - 1) // 2], in_order[n // 2]
    middle = lower + 0.5 * (upper - lower)
    spans = [(n // 4, 1.35), (n // 20, 3.29), (0, 3.29)]
    span, deviations = next(
        (in_order[n - 1 - outside] - in_order[outside], deviations)
        for outside, deviations in spans
        if in_order[n - 1 - outside] > in_order[outside]
    )
    with np.errstate(over="ignore"):
        # First the quotient: a span may be the smallest number there is.
        drawn: Vector = reach * np.arctan((column - middle) / span * deviations / reach)
    return drawn
