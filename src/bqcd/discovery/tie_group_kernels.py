"""Groups of tied rows, and what bumps over one variable bring to those of the other, compiled.

These are the parts of :mod:`bqcd.discovery.tie_moment_kernels` that know nothing of curves.
``starts`` are the places at which groups begin, and n, of the given variable and of the target;
``targets`` the target groups of the rows sorted by the given variable and then by the target.
Groups of one row are called single.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Codes = NDArray[np.int32]


@kernel
def fill_prefix_sums(units: Order, sums: Matrix) -> None:
    """Fill with sums of the units below each place, and of their squares."""
    sums[0, 0] = sums[1, 0] = 0.0
    for t in range(len(units)):
        unit = float(units[t])
        sums[0, t + 1] = sums[0, t] + unit
        sums[1, t + 1] = sums[1, t] + unit * unit


@kernel
def fill_target_groups(
    starts: Order, prefix: Matrix, moments: Matrix, group: Order, tied: Order, before: Order
) -> int:
    """Fill with mean and variance of the units of each group; how many are not single.

    Third comes one over the other rows of a group, 0 if there are none. ``group`` is the group of
    each place, ``tied`` the groups that are not single, and ``before`` how many of those come
    before a group.
    """
    count = 0
    for b in range(len(starts) - 1):
        begin, end = starts[b], starts[b + 1]
        size = end - begin
        mean = (prefix[0, end] - prefix[0, begin]) / size
        moments[0, b] = mean
        moments[1, b] = max((prefix[1, end] - prefix[1, begin]) / size - mean * mean, 0.0)
        moments[2, b] = 1.0 / (size - 1) if size > 1 else 0.0
        before[b] = count
        for t in range(begin, end):
            group[t] = b
        if size > 1:
            tied[count] = b
            count += 1
    before[len(starts) - 1] = count
    return count


@kernel
def fill_tied_cells(
    targets: Codes, given_starts: Order, mean: Vector, cells: Orders, begins: Order, sums: Matrix
) -> None:
    """Fill with the target groups that rows of each given group are in, and how many of them.

    ``begins`` is the first cell of each given group; ``sums`` are of rows, of their mean units
    and of the squares of these, before each cell.
    """
    at = 0
    sums[0, 0] = sums[1, 0] = sums[2, 0] = 0.0
    for a in range(len(given_starts) - 1):
        begins[a] = at
        r, end = given_starts[a], given_starts[a + 1]
        while r < end:
            b, first = targets[r], r
            while r < end and targets[r] == b:
                r += 1
            rows, unit = r - first, mean[b]
            cells[0, at], cells[1, at] = b, rows
            sums[0, at + 1] = sums[0, at] + rows
            sums[1, at + 1] = sums[1, at] + rows * unit
            sums[2, at + 1] = sums[2, at] + rows * unit * unit
            at += 1
    begins[len(given_starts) - 1] = at


@kernel
def fill_target_sums(
    groups: Order, cells: Orders, begins: Order, mean: Vector, table: Stack
) -> None:
    """Fill ``table[i, b]`` with sums over the rows of a given group before target group b.

    Of the rows, of their mean units and of the squares of these; behind the last target group
    stand those of all rows twice.
    """
    for i in range(len(table)):
        cell, end = begins[groups[i]], begins[groups[i] + 1]
        rows, total, squares = 0.0, 0.0, 0.0
        for b in range(table.shape[1]):
            table[i, b, 0], table[i, b, 1], table[i, b, 2] = rows, total, squares
            if cell < end and cells[0, cell] == b:
                count, unit = float(cells[1, cell]), mean[b]
                rows += count
                total += count * unit
                squares += count * unit * unit
                cell += 1


@kernel
def fill_given_rows(
    starts: tuple[Order, Order], targets: Codes, tied: Order, loose: Order, single: Order
) -> tuple[int, int, int]:
    """Fill with given groups that are not single, and places of rows that are, but not in target.

    ``single`` is 1 at places whose rows are single on both sides, and 0 at others. Returned are
    the numbers of groups, of places and of rows that are single on both sides.
    """
    given, target = starts
    n_tied, n_loose, n_single = 0, 0, 0
    for a in range(len(given) - 1):
        r = given[a]
        if given[a + 1] - r > 1:
            tied[n_tied] = a
            n_tied += 1
            for i in range(r, given[a + 1]):
                single[i] = 0
            continue
        b = targets[r]
        single[r] = 1 if target[b + 1] - target[b] == 1 else 0
        n_single += single[r]
        if single[r] == 0:
            loose[n_loose] = r
            n_loose += 1
    return n_tied, n_loose, n_single


@kernel
def fill_single_bumps(reach: Orders, bumps: Order, single: Order, found: Order) -> None:
    """Fill with the bumps, but zero where a row is not single on both sides."""
    for k in range(reach.shape[1] - 1):
        whole, part = bumps[reach[2, k] : reach[2, k + 1]], found[reach[2, k] : reach[2, k + 1]]
        kept = single[reach[0, k] : reach[1, k]]
        for r in range(np.uint64(len(whole))):
            part[r] = whole[r] * kept[r]


@kernel
def fill_bump_moments(
    bump: Order, first: int, given: Order, groups: Order, moments: Matrix
) -> None:
    """Fill with mean and variance of a bump by its place in each of some given groups."""
    for a in groups:
        size = given[a + 1] - given[a]
        near = bump[max(given[a] - first, 0) : min(given[a + 1] - first, len(bump))]
        total, squares = 0, 0
        for r in range(np.uint64(len(near))):
            total += near[r]
            squares += np.int64(near[r]) * near[r]
        part = 1.0 / size
        mean = total * part
        moments[0, a] = mean
        moments[1, a] = max(squares * part - mean * mean, 0.0)


@kernel
def spread_groups(
    groups: Order,
    moments: Matrix,
    given: Order,
    rest: Vector,
    cells: Orders,
    begins: Order,
    held: Matrix,
) -> None:
    """Add what a bump over given groups brings to the target groups that are not single.

    To ``held[1]`` sums of the means of the bump, to ``held[2]`` what the variance of the ramps
    is counted by. ``rest`` is one over the other rows of a target group, 0 if there are none.
    """
    for a in groups:
        mean, variance = moments[0, a], moments[1, a]
        square, part = mean * mean, variance / (given[a + 1] - given[a] - 1)
        for c in range(np.uint64(begins[a]), np.uint64(begins[a + 1])):
            b, rows = np.uint64(cells[0, c]), float(cells[1, c])
            other = rest[b]
            if other > 0.0:
                held[1, b] += rows * mean
                held[2, b] += rows * (square + variance + other * (square + (rows - 1.0) * part))


@kernel
def spread_rows(
    places: Order, bump: Order, first: int, targets: Codes, rest: Vector, held: Matrix
) -> None:
    """Add what a bump over rows of single given groups brings to their target groups.

    As :func:`spread_groups` does; and to ``held[0]`` what the means of the ramps are counted by.
    """
    for r in places:
        b, share = np.uint64(targets[r]), float(bump[r - first])
        held[0, b] += share
        held[1, b] += share
        held[2, b] += share * share * (1.0 + rest[b])


@kernel
def fill_weights(tied: Order, rest: Vector, held: Matrix, below: Vector) -> None:
    """Take off what rows of one group lack of being independent, and sum up what is before."""
    total = 0.0
    below[0] = 0.0
    for i in range(np.uint64(len(tied))):
        b = np.uint64(tied[i])
        held[2, b] -= held[1, b] * held[1, b] * rest[b]
        total += held[0, b]
        below[i + np.uint64(1)] = total


@kernel
def clear(tied: Order, held: Matrix) -> None:
    """Set what is held of some groups to zero."""
    for b in tied:
        held[0, np.uint64(b)] = held[1, np.uint64(b)] = held[2, np.uint64(b)] = 0.0
