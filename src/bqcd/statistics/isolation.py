"""Rows whose values lie apart from all others."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.statistics.dependence.gaussian_kernels import gaussian_factor, median_distance
from bqcd.statistics.scaling import unit_range


def dense_rows(x: Vector, y: Vector, least: float, *, min_rows: int) -> NDArray[np.bool_]:
    """Rows whose values are isolated in neither column; all rows, if too few are left.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Two columns observed together.
    least : float
        A value is isolated if the density there, as a mean of kernels of height 1, is not
        above this.
    min_rows : int
        Rows that must be left.

    Examples
    --------
    >>> x = np.append(np.linspace(0.0, 1.0, 20), 9.0)
    >>> dense_rows(x, x, 0.2, min_rows=10).sum()
    np.int64(20)
    """
    dense = (_density(x) > least) & (_density(y) > least)
    few = np.count_nonzero(dense) < min_rows
    if few or any(column[dense].min() == column[dense].max() for column in (x, y)):
        return np.ones(len(x), dtype=np.bool_)
    return dense


def _density(column: Vector) -> Vector:
    """Mean over all values of the Gaussian kernel between each value and them."""
    scaled = unit_range(column)
    bandwidth = sqrt(2.0) * median_distance(scaled)
    if bandwidth == 0.0:
        # Most values are equal: the others are as far away as can be.
        bandwidth = sqrt(2.0) * median_distance(scaled, positive=True)
    in_order = np.sort(scaled)
    factor = gaussian_factor(in_order, bandwidth)
    density: Vector = factor @ factor.mean(axis=0)
    return density[np.searchsorted(in_order, scaled)]
