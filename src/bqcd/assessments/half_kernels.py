"""Ranks within random halves of a ranked pair, compiled: counting, no sorting.

A pair is a permutation: ``inverse[s]`` is the place of the first variable in the row whose
second variable has place s. With ties, the places of equal values are a group.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]


@kernel
def fill_sample(uniforms: Vector, places: Order) -> None:
    """Fill ``places`` with a random subset, in increasing order, of the numbers below n.

    All subsets are equally likely; one uniform number is looked at per number, n in all.
    """
    n, left = len(uniforms), len(places)
    for i in range(n):
        if left == 0:
            break
        if uniforms[i] * (n - i) < left:
            places[len(places) - left] = i
            left -= 1


@kernel
def fill_rows_by_first(
    inverse: Order, places: Order, marks: Order, rows: Order, first_places: Order
) -> None:
    """Fill ``rows`` with the drawn rows in order of the first variable, and these places.

    Drawn rows are counted from 0 in order of the second variable. ``marks`` has a zero for
    every row of the pair, before and after.
    """
    for row in range(len(places)):
        marks[inverse[places[row]]] = row + 1
    drawn = 0
    for place in range(len(inverse)):
        if marks[place]:
            rows[drawn] = marks[place] - 1
            first_places[drawn] = place
            marks[place] = 0
            drawn += 1


@kernel
def fill_untied_half(rows: Order, half: Order) -> Literal[-1, 0, 1]:
    """Fill ``half`` with the form in which the drawn rows are read; 1 if first stays first.

    As :func:`bqcd.discovery.ranks.rank_pair` reads them, were they all there is: -1 if the
    second variable becomes the first, 0 if both readings are the same.
    """
    for r in range(len(rows)):
        half[rows[r]] = r
    for r in range(len(rows)):
        if rows[r] < half[r]:
            return 1
        if rows[r] > half[r]:
            for i in range(len(rows)):
                half[i] = rows[i]
            return -1
    return 0


@kernel
def fill_groups(places: Order, starts: Order, groups: Order) -> None:
    """Fill ``groups`` with the group of each drawn place, those that were drawn counted from 0."""
    g, drawn = 0, -1
    for i in range(len(places)):
        fresh = i == 0
        while places[i] >= starts[g + 1]:
            g += 1
            fresh = True
        if fresh:
            drawn += 1
        groups[i] = drawn


@kernel
def tells_apart(rows: Order, first_groups: Order, second_groups: Order) -> bool:
    """Whether both variables of the drawn rows vary, and look different from either side."""
    last = len(rows) - 1
    if first_groups[last] == 0 or second_groups[last] == 0:
        return False
    group_of = np.empty_like(rows)
    for r in range(len(rows)):
        group_of[rows[r]] = first_groups[r]
    for r in range(len(rows)):
        if first_groups[r] != second_groups[r] or second_groups[rows[r]] != group_of[r]:
            return True
    return False


@kernel
def shuffle_groups(order: Order, groups: Order, uniforms: Vector) -> None:
    """Put rows into random order within their groups; one uniform number is spent per row."""
    begin = 0
    for i in range(len(order)):
        if i and groups[i] != groups[i - 1]:
            begin = i
        j = begin + int(uniforms[i] * (i - begin + 1))
        order[i], order[j] = order[j], order[i]


@kernel
def turn_groups(order: Order, groups: Order) -> None:
    """Put rows into opposite order within their groups."""
    begin = 0
    for i in range(len(order)):
        if i == len(order) - 1 or groups[i + 1] != groups[i]:
            j, k = begin, i
            while j < k:
                order[j], order[k] = order[k], order[j]
                j += 1
                k -= 1
            begin = i + 1


@kernel
def fill_joined(first: Order, second: Order, half: Order) -> None:
    """Fill ``half`` with the rank of the first variable by the rank of the second."""
    ranks = np.empty_like(first)
    for r in range(len(first)):
        ranks[first[r]] = r
    for s in range(len(second)):
        half[s] = ranks[second[s]]


@kernel
def fill_tied_half(
    rows: Order, first_groups: Order, second_groups: Order, uniforms: Vector, halves: Orders
) -> None:
    """Fill ``halves`` with ranks whose ties are broken at random, and turned in every other.

    Two uniform numbers are spent per row and two halves.
    """
    m = len(rows)
    for at in range(0, len(halves), 2):
        spent = at * m
        first, second = rows.copy(), np.arange(m).astype(np.int32)
        shuffle_groups(first, first_groups, uniforms[spent : spent + m])
        shuffle_groups(second, second_groups, uniforms[spent + m : spent + 2 * m])
        fill_joined(first, second, halves[at])
        turn_groups(first, first_groups)
        turn_groups(second, second_groups)
        fill_joined(first, second, halves[at + 1])
