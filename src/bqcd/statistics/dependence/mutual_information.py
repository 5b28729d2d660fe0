"""Mutual information of two columns, from distances to nearest neighbours."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector

# Distances that differ by so little, relative to themselves and to the values, are equal: on
# columns that repeat values, what is just within reach would otherwise be up to rounding.
SAME_DISTANCE = 1e-9
SAME_VALUE = 1e-12


def neighbour_information(first: Vector, second: Vector, *, neighbours: int = 10) -> float:
    """Mutual information in nats, from the k nearest neighbours of every row [1]_.

    ψ(k) + ψ(n) - mean(ψ(a) + ψ(b)), where a row's reach is the larger of its two distances,
    one per column, to its k-th neighbour, and a and b are how many values of each column,
    its own included, are within that reach but for rounding. The original estimate leaves
    out the k-th neighbour and is higher by up to 1/k.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Columns of comparable spread.
    neighbours : int, default=10
        Which neighbour k sets the reach; n - 1 if there are not so many.

    References
    ----------
    .. [1] Kraskov, Stögbauer, Grassberger. Estimating mutual information. Physical Review E
       69, 2004.

    Examples
    --------
    >>> first, second = np.random.default_rng(0).normal(size=(2, 500))
    >>> neighbour_information(first, first + second) > neighbour_information(first, second) + 0.2
    True
    """
    from scipy.special import digamma

    k = min(neighbours, len(first) - 1)
    reach = neighbour_reach(first, second, k + 1)
    counts = np.stack((_within(first, reach), _within(second, reach)))
    values = digamma(np.arange(1, counts.max() + 1))
    total = values[counts[0] - 1] + values[counts[1] - 1]
    return float(digamma(k) + digamma(len(first)) - total.mean())


def neighbour_reach(first: Vector, second: Vector, k: int) -> Vector:
    """Larger of two distances, one per column, of each row to the k-th nearest, itself included.

    Rows are searched in slabs along the first column, which hold about as many of them as are
    in reach.

    Examples
    --------
    >>> neighbour_reach(np.array([0.0, 1.0, 5.0]), np.array([0.0, 2.0, 2.0]), 2)
    array([2., 2., 4.])
    """
    from bqcd.statistics.dependence.mutual_information_kernels import neighbour_distances

    n = len(first)
    order = np.argsort(first, kind="stable")
    starts = np.append(np.arange(0, n, int(sqrt(n * k)) + 1), n)
    ends = first[order[np.stack((starts[:-1], starts[1:] - 1), axis=1)]]
    slabs = np.empty(n, dtype=np.int64)
    slabs[order] = np.repeat(np.arange(len(ends)), np.diff(starts))
    rows = np.lexsort((second, slabs))
    reach = np.empty(n)
    reach[rows] = neighbour_distances(first[rows], second[rows], starts, ends, k)
    return reach


def _within(column: Vector, reach: Vector) -> NDArray[np.int64]:
    """Number of values within reach of each, in the order of the column."""
    from bqcd.statistics.dependence.mutual_information_kernels import counts_within

    order = np.argsort(column, kind="stable")
    farthest = (1.0 + SAME_DISTANCE) * reach + SAME_VALUE * np.abs(column).max()
    counts = np.empty(len(column), dtype=np.int64)
    counts[order] = counts_within(column[order], farthest[order])
    return counts
