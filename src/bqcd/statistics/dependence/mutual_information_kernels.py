"""Counts of values within reach of each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.runtime.kernel import kernel


@kernel
def counts_within(in_order: Vector, reach: Vector) -> NDArray[np.int64]:
    """How many values of a sorted column, itself included, are within reach of each.

    Distances are compared as they are rounded, so that a value whose distance was taken for
    the reach is always counted.

    Parameters
    ----------
    in_order, reach : ndarray of shape (n,)
        Sorted column, and the largest distance that counts for each of its values.
    """
    n = len(in_order)
    counts = np.empty(n, dtype=np.int64)
    for i in range(n):
        low, high = 0, i
        while low < high:
            middle = (low + high) // 2
            if in_order[i] - in_order[middle] <= reach[i]:
                high = middle
            else:
                low = middle + 1
        first = low
        low, high = i, n - 1
        while low < high:
            middle = (low + high + 1) // 2
            if in_order[middle] - in_order[i] <= reach[i]:
                low = middle
            else:
                high = middle - 1
        counts[i] = low - first + 1
    return counts
