"""Distances to nearest neighbours in the plane, and counts of values within reach of each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
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


@kernel
def take_in(distance: float, nearest: Vector) -> None:
    """Replace the largest of the nearest distances, which are kept as a heap, by a smaller one."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= len(nearest):
            break
        if child + 1 < len(nearest) and nearest[child + 1] > nearest[child]:
            child += 1
        if nearest[child] <= distance:
            break
        nearest[at] = nearest[child]
        at = child
    nearest[at] = distance


@kernel
def search_slab(
    first: Vector, second: Vector, point: tuple[float, float], start: int, nearest: Vector
) -> None:
    """Take in the distances of a point to the rows of a slab, from ``start`` up and down.

    ``second`` increases, and is at least that of the point from ``start`` on.
    """
    x, y = point
    for i in range(start, len(second)):
        gap = second[i] - y
        if gap >= nearest[0]:
            break
        distance = max(gap, abs(first[i] - x))
        if distance < nearest[0]:
            take_in(distance, nearest)
    for i in range(start - 1, -1, -1):
        gap = y - second[i]
        if gap >= nearest[0]:
            break
        distance = max(gap, abs(first[i] - x))
        if distance < nearest[0]:
            take_in(distance, nearest)


@kernel
def first_not_below(in_order: Vector, value: float) -> int:
    """Place of the first of increasing numbers that is at least the value."""
    low, high = 0, len(in_order)
    while low < high:
        middle = (low + high) // 2
        if in_order[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def neighbour_distances(
    first: Vector, second: Vector, starts: NDArray[np.int64], ends: Matrix, neighbours: int
) -> Vector:
    """Distance of every point to the k-th nearest one, itself included, in the larger coordinate.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Points in slabs along the first coordinate, within each by the second.
    starts : ndarray of shape (m + 1,)
        First point of each slab, and n.
    ends : ndarray of shape (m, 2)
        Smallest and largest first coordinate of each slab, increasing.
    neighbours : int
        Which neighbour k, at most n.
    """
    reach, nearest = np.empty(len(first)), np.empty(neighbours)
    for slab in range(len(ends)):
        for i in range(starts[slab], starts[slab + 1]):
            point = first[i], second[i]
            for k in range(neighbours):
                nearest[k] = np.inf
            up, down = slab, slab - 1
            while up < len(ends) and ends[up, 0] - point[0] < nearest[0]:
                rows = slice(starts[up], starts[up + 1])
                at = first_not_below(second[rows], point[1])
                search_slab(first[rows], second[rows], point, at, nearest)
                up += 1
            while down >= 0 and point[0] - ends[down, 1] < nearest[0]:
                rows = slice(starts[down], starts[down + 1])
                at = first_not_below(second[rows], point[1])
                search_slab(first[rows], second[rows], point, at, nearest)
                down -= 1
            reach[i] = nearest[0]
    return reach
