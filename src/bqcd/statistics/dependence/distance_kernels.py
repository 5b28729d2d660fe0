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
def distances_within(values: Vector, starts: Places, reach: float) -> int:
    """Number of distances up to ``reach`` between two values of one column, all columns added.

    Column k is ``values[starts[k]:starts[k + 1]]``, in increasing order.
    """
    count = 0
    for column in range(len(starts) - 1):
        end, j = starts[column + 1], starts[column]
        for i in range(starts[column], end):
            while j < end and values[j] - values[i] <= reach:
                j += 1
            count += j - 1 - i
    return count


@kernel
def next_distance(values: Vector, starts: Places, reach: float) -> float:
    """Smallest distance between two values of one column that is above ``reach``."""
    smallest = np.inf
    for column in range(len(starts) - 1):
        end, j = starts[column + 1], starts[column]
        for i in range(starts[column], end):
            while j < end and values[j] - values[i] <= reach:
                j += 1
            if j < end and values[j] - values[i] < smallest:
                smallest = values[j] - values[i]
    return smallest


@kernel
def distance_of_rank(values: Vector, starts: Places, rank: int) -> float:
    """Distance that ``rank`` others do not exceed, found by bisection on the bits of doubles.

    The bits of doubles that are not negative, read as whole numbers, are in their order.
    """
    bits = np.zeros(1, dtype=np.int64)
    reach = bits.view(np.float64)
    for column in range(len(starts) - 1):
        reach[0] = max(reach[0], values[starts[column + 1] - 1] - values[starts[column]])
    low, high = np.int64(-1), bits[0]
    while high - low > 1:
        middle = low + (high - low) // 2
        bits[0] = middle
        if distances_within(values, starts, reach[0]) > rank:
            high = middle
        else:
            low = middle
    bits[0] = high
    return float(reach[0])


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
            wider[:rank] = rows
            rows = wider
        fill_pivot_row(positions, rows, rank, pivot, 1.0 / sqrt(left[pivot]))
        for i in range(n):
            left[i] -= rows[rank, i] * rows[rank, i]
        left[pivot] = 0.0
        rank += 1
    return rows[:rank]
