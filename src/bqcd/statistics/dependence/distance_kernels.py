"""Distances and Gram matrices on a line, compiled: columns come sorted."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

Places = NDArray[np.int64]

# What a pivot hands on to a later one is left out below this.
NEGLIGIBLE = 1e-17


@kernel
def distances_around(values: Vector, starts: Places, reach: float) -> tuple[int, float, float]:
    """Number of distances up to ``reach`` between two values of one column, all columns added.

    Also the largest of them, and the next one beyond: -1 and infinite where there is none.
    Column k is ``values[starts[k]:starts[k + 1]]``, in increasing order.
    """
    count, largest, following = 0, -1.0, np.inf
    for column in range(len(starts) - 1):
        end, j = starts[column + 1], starts[column]
        for i in range(starts[column], end):
            while j < end and values[j] - values[i] <= reach:
                j += 1
            count += j - 1 - i
            if j - 1 > i and values[j - 1] - values[i] > largest:
                largest = values[j - 1] - values[i]
            if j < end and values[j] - values[i] < following:
                following = values[j] - values[i]
    return count, largest, following


@kernel
def fill_pivot_row(positions: Vector, rows: Matrix, rank: int, pivot: int, scale: float) -> None:
    """Next row of the factor: Gram matrix at the pivot, less what earlier rows explain."""
    row = rows[rank]
    for i in range(len(positions)):
        gap = positions[i] - positions[pivot]
        row[i] = exp(-0.5 * gap * gap)
    for k in range(rank):
        share = rows[k, pivot]
        if abs(share) > NEGLIGIBLE:
            earlier = rows[k]
            for i in range(len(positions)):
                row[i] -= share * earlier[i]
    for i in range(len(positions)):
        row[i] *= scale


@kernel
def pivoted_factor(positions: Vector, tolerance: float) -> Matrix:
    """Rows of the pivoted Cholesky factor of the Gram matrix exp(-gap^2 / 2).

    The next pivot is the position that is explained worst; of several, the first. Rows stop
    when no position misses more than ``tolerance`` of its one.
    """
    n = len(positions)
    rows = np.empty((min(n, 32), n))
    left = np.ones(n)
    rank = 0
    while rank < n:
        pivot = int(np.argmax(left))
        if left[pivot] <= tolerance:
            break
        if rank == len(rows):
            wider = np.empty((min(n, 2 * rank), n))
            for k in range(rank):
                for i in range(n):
                    wider[k, i] = rows[k, i]
            rows = wider
        fill_pivot_row(positions, rows, rank, pivot, 1.0 / sqrt(left[pivot]))
        for i in range(n):
            left[i] -= rows[rank, i] * rows[rank, i]
        left[pivot] = 0.0
        rank += 1
    return rows[:rank]
