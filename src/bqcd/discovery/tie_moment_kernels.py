"""Mean over all orders of ties of what fits gain over fixed curves, in closed form, compiled.

A bump is a function of the place of a row in the given variable, a ramp one of its place in the
target (:mod:`bqcd.discovery.tie_gain_kernels`). Both places are anywhere in the groups the row is
in, each as often, and no two rows are at the same: with f the bump and g the ramp, a and b the
groups of a row, the sum of f g over the rows has

- the mean of the sum of f_a g_b, which are means over groups;
- a variance of three parts: of places in the given variable about f_a, of places in the target
  about g_b, and of both at once.

Within a group of size s the places of two rows are correlated by -1 / (s - 1). Groups of one row
are called single; what is single on both sides is the same in all orders.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.tie_gain_kernels import HALF, UNITS, bump_sum, fill_gauge
from bqcd.discovery.tie_group_kernels import (
    clear,
    fill_bump_moments,
    fill_given_rows,
    fill_prefix_sums,
    fill_single_bumps,
    fill_target_groups,
    fill_target_sums,
    fill_tied_cells,
    fill_weights,
    spread_groups,
    spread_rows,
)
from bqcd.discovery.tie_kernels import fill_codes, fill_curve_values, fill_expected_excess
from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Codes = NDArray[np.int32]

FEW_CELLS = 6
# Sums by given and target group are kept if these are so few, and entries so few for each row.
FEW_TARGETS, MOST_ENTRIES = 256, 16


@kernel
def ramp_in_group(
    line: int, edges: tuple[int, int], begin: int, end: int, prefix: Matrix
) -> tuple[float, float]:
    """Mean and variance of a ramp over the places of a group."""
    low, high = min(max(edges[0], begin), end), min(max(edges[1], begin), end)
    inside, flat = high - low, (low - begin) - (end - high)
    first, square = prefix[0, high] - prefix[0, low], prefix[1, high] - prefix[1, low]
    size, at = end - begin, float(line)
    total = HALF * flat + inside * at - first
    squares = HALF * HALF * (size - inside) + (inside * at - 2.0 * first) * at + square
    mean = total / size
    return mean, max(squares / size - mean * mean, 0.0)


@kernel
def first_not_below(values: Order, begin: int, end: int, value: int) -> int:
    """First of some places of increasing values at which the value is not below another.

    Halves are chosen without a branch: which one it will be cannot be foreseen.
    """
    first, length = begin, end - begin
    if length <= 0:
        return begin
    while length > 1:
        half = length >> 1
        first += half if values[np.uint64(first + half - 1)] < value else 0
        length -= half
    return first + (1 if values[np.uint64(first)] < value else 0)


@kernel
def ramp_over_few_cells(
    line: int, span: tuple[int, int], ends: Order, ramps: Matrix, cells: Orders, mean: Vector
) -> tuple[float, float]:
    """Do what :func:`ramp_over_cells` does cell by cell."""
    total, squares, at = 0.0, 0.0, float(line)
    first, last = ends[0], ends[1]
    for c in range(np.uint64(span[0]), np.uint64(span[1])):
        b = cells[0, c]
        if b < first:
            ramp = float(HALF)
        elif b > last:
            ramp = -float(HALF)
        elif b == first:
            ramp = ramps[0, 0]
        elif b == last:
            ramp = ramps[1, 0]
        else:
            ramp = at - mean[np.uint64(b)]
        part = cells[1, c] * ramp
        total += part
        squares += part * ramp
    return total, squares


@kernel
def ramp_over_cells(
    line: int, span: tuple[int, int], ends: Order, ramps: Matrix, cells: Orders, sums: Matrix
) -> tuple[float, float]:
    """Sums over the rows of some cells of the mean ramps of their target groups, and squared.

    Groups before the first of ``ends`` are wholly below the line and those after the last
    wholly above; between them ramps are straight.
    """
    at, half = float(line), float(HALF)
    c = first_not_below(cells[0], span[0], span[1], ends[0])
    rows = sums[0, c] - sums[0, span[0]]
    total, squares = half * rows, half * half * rows
    if c < span[1] and cells[0, c] == ends[0]:
        total += cells[1, c] * ramps[0, 0]
        squares += cells[1, c] * ramps[0, 0] * ramps[0, 0]
        c += 1
    d = first_not_below(cells[0], c, span[1], ends[1])
    rows, first, square = sums[0, d] - sums[0, c], sums[1, d] - sums[1, c], sums[2, d] - sums[2, c]
    total += rows * at - first
    squares += (rows * at - 2.0 * first) * at + square
    if d < span[1] and cells[0, d] == ends[1]:
        total += cells[1, d] * ramps[1, 0]
        squares += cells[1, d] * ramps[1, 0] * ramps[1, 0]
        d += 1
    rows = sums[0, span[1]] - sums[0, d]
    return total - half * rows, squares + half * half * rows


@kernel
def fill_edges(
    line: int, units: Order, target: Order, group: Order, prefix: Matrix, ends: Order, ramps: Matrix
) -> None:
    """Fill with the target groups at both ends of a ramp, and mean and variance of it there.

    Where there is none, one after the last is told.
    """
    n = len(units)
    low = first_not_below(units, 0, n, line - HALF + 1)
    high = first_not_below(units, low, n, line + HALF)
    ends[0], ends[1] = group[low], group[high]
    for e in range(2):
        b = ends[e]
        ramps[e, 0] = ramps[e, 1] = 0.0
        if b < len(target) - 1:
            found = ramp_in_group(line, (low, high), target[b], target[b + 1], prefix)
            ramps[e, 0], ramps[e, 1] = found


@kernel
def over_targets(
    line: int,
    ends: Order,
    ramps: Matrix,
    tied: Order,
    before: Order,
    moments: Matrix,
    held: Matrix,
    below: Vector,
) -> tuple[float, float]:
    """What target groups that are not single bring to mean and variance of a sum."""
    first, last = before[ends[0]], before[ends[1]]
    if last < len(tied) and tied[last] == ends[1]:
        last += 1
    mean, variance = HALF * (below[first] - (below[len(tied)] - below[last])), 0.0
    lowest, highest, at = ends[0], ends[1], float(line)
    for i in range(np.uint64(first), np.uint64(last)):
        b = np.uint64(tied[i])
        if tied[i] == lowest:
            mean += held[0, b] * ramps[0, 0]
            variance += held[2, b] * ramps[0, 1]
        elif tied[i] == highest:
            mean += held[0, b] * ramps[1, 0]
            variance += held[2, b] * ramps[1, 1]
        else:
            mean += held[0, b] * (at - moments[0, b])
            variance += held[2, b] * moments[1, b]
    return mean, variance


@kernel
def over_given(
    line: int,
    ends: Order,
    ramps: Matrix,
    groups: Order,
    given: Order,
    shape: Matrix,
    cells: Orders,
    begins: Order,
    sums: Matrix,
    mean: Vector,
) -> tuple[float, float]:
    """What given groups that are not single bring to mean and variance of a sum."""
    middle, variance = 0.0, 0.0
    lowest, highest = ends[0], ends[1]
    for i in range(np.uint64(len(groups))):
        a = np.uint64(groups[i])
        after = a + np.uint64(1)
        size, begin, end = given[after] - given[a], begins[a], begins[after]
        if cells[0, np.uint64(end - 1)] < lowest:
            middle += shape[0, a] * (HALF * size)
        elif cells[0, np.uint64(begin)] > highest:
            middle -= shape[0, a] * (HALF * size)
        else:
            span = (begin, end)
            if end - begin <= FEW_CELLS:
                total, squares = ramp_over_few_cells(line, span, ends, ramps, cells, mean)
            else:
                total, squares = ramp_over_cells(line, span, ends, ramps, cells, sums)
            middle += shape[0, a] * total
            variance += shape[1, a] * (size * squares - total * total) / (size - 1.0)
    return middle, variance


@kernel
def over_few_targets(
    line: int, ends: Order, ramps: Matrix, groups: Order, shape: Matrix, table: Stack
) -> tuple[float, float]:
    """Do what :func:`over_given` does by sums that are kept, without a branch or a search."""
    middle, variance, at, half = 0.0, 0.0, float(line), float(HALF)
    one, all_of = np.uint64(1), np.uint64(table.shape[1] - 1)
    first, last = np.uint64(ends[0]), np.uint64(ends[1])
    # Where both ends are in one group, it counts once and nothing is between.
    between = min(first + one, last)
    low, high = ramps[0, 0], ramps[1, 0] if last > first else ramps[0, 0]
    for i in range(np.uint64(len(groups))):
        a, line_sums = np.uint64(groups[i]), table[i]
        size, below = line_sums[all_of, 0], line_sums[first, 0]
        start, stop = line_sums[between, 0], line_sums[last, 0]
        above = line_sums[last + one, 0]
        rows, units = stop - start, line_sums[last, 1] - line_sums[between, 1]
        at_low, at_high = (start - below) * low, (above - stop) * high
        total = half * (below - (size - above)) + at_low + at_high + (rows * at - units)
        squares = half * half * (below + (size - above)) + at_low * low + at_high * high
        squares += (rows * at - 2.0 * units) * at + (line_sums[last, 2] - line_sums[between, 2])
        middle += shape[0, a] * total
        variance += shape[1, a] * (size * squares - total * total) / max(size - 1.0, 1.0)
    return middle, variance


@kernel
def fill_moments(
    units: Order,
    prefix: Matrix,
    starts: tuple[Order, Order],
    targets: Codes,
    reach: Orders,
    bumps: Order,
    lines: Orders,
    found: Stack,
) -> None:
    """Fill ``found[j, k]`` with mean and variance over all orders of bump k times ramp j."""
    given, target = starts
    n, n_given, n_target = len(units), len(given) - 1, len(target) - 1
    moments, group = np.empty((3, n_target)), np.empty(n + 1, np.int32)
    tied, before = np.empty(n_target, np.int32), np.empty(n_target + 1, np.int32)
    tied = tied[: fill_target_groups(target, prefix, moments, group, tied, before)]
    group[n] = n_target
    cells, sums = np.empty((2, n), np.int32), np.empty((3, n + 1))
    begins = np.empty(n_given + 1, np.int32)
    fill_tied_cells(targets, given, moments[0], cells, begins, sums)
    wide, loose, single = np.empty((3, n), np.int32)
    n_wide, n_loose, n_single = fill_given_rows(starts, targets, wide, loose, single)
    few = n_target <= FEW_TARGETS and n_wide * n_target <= MOST_ENTRIES * n
    table = np.empty((n_wide if few else 0, n_target + 2, 3))
    fill_target_sums(wide, cells, begins, moments[0], table)
    by_target, kept = np.empty(n, np.int32), np.empty(len(bumps), np.int32)
    if n_single > 0:
        for r in range(n):
            by_target[r] = units[target[targets[r]]]
        fill_single_bumps(reach, bumps, single, kept)
    shape, held, below = np.empty((2, n_given)), np.empty((3, n_target)), np.zeros(len(tied) + 1)
    ends, ramps = np.empty(2, np.int32), np.empty((2, 2))
    low, high, begin, end = 0, 0, 0, 0
    for k in range(reach.shape[1] - 1):
        first, stop = reach[0, k], reach[1, k]
        bump, alone = bumps[reach[2, k] : reach[2, k + 1]], kept[reach[2, k] : reach[2, k + 1]]
        while low < n_wide and given[wide[low] + 1] <= first:
            low += 1
        while high < n_wide and given[wide[high]] < stop:
            high += 1
        while begin < n_loose and loose[begin] < first:
            begin += 1
        while end < n_loose and loose[end] < stop:
            end += 1
        groups = wide[low:high]
        fill_bump_moments(bump, first, given, groups, shape)
        if len(tied) > 0:
            clear(tied, held)
            spread_groups(groups, shape, given, moments[2], cells, begins, held)
            spread_rows(loose[begin:end], bump, first, targets, moments[2], held)
            fill_weights(tied, moments[2], held, below)
        for j in range(len(lines)):
            line = lines[j, k]
            fill_edges(line, units, target, group, prefix, ends, ramps)
            one = over_targets(line, ends, ramps, tied, before, moments, held, below)
            if few:
                other = over_few_targets(line, ends, ramps, groups, shape, table[low:high])
            else:
                other = over_given(
                    line, ends, ramps, groups, given, shape, cells, begins, sums, moments[0]
                )
            found[j, k, 0] = one[0] + other[0]
            if n_single > 0:
                found[j, k, 0] += bump_sum(line, by_target[first:stop], alone)
            found[j, k, 1] = one[1] + other[1]


@kernel
def fill_expected_gains(
    units: Order,
    first_starts: Order,
    second_starts: Order,
    groups: Orders,
    reach: Orders,
    bumps: Order,
    lines: NDArray[np.int32],
    steep: Stack,
    levels: Vector,
    found: Stack,
) -> None:
    """Fill ``found[d, j]`` with the mean gain over all orders, and what of it is variance.

    Third comes the sum of the squares of the variances: how much gains differ between orders.
    """
    scale = 1.0 / (UNITS * UNITS)
    prefix = np.empty((2, len(units) + 1))
    fill_prefix_sums(units, prefix)
    moments = np.empty((len(levels), reach.shape[1] - 1, 2))
    found[:] = 0.0
    for d in range(2):
        starts = (first_starts, second_starts) if d == 0 else (second_starts, first_starts)
        fill_moments(units, prefix, starts, groups[d], reach, bumps, lines[d], moments)
        for j in range(len(levels)):
            for k in range(reach.shape[1] - 1):
                weight = steep[d, j, k] * scale
                off = moments[j, k, 0] + float(UNITS * reach[3, k]) * (0.5 - levels[j])
                spread = weight * max(moments[j, k, 1], 0.0)
                found[d, j, 0] += weight * off * off + spread
                found[d, j, 1] += spread
                found[d, j, 2] += spread * spread


@kernel
def fill_expected(
    density: Matrix,
    grid: Vector,
    shape: Vector,
    scores: Vector,
    levels: Vector,
    shares: Stack,
    second: Order,
    first_starts: Order,
    second_starts: Order,
    reach: Orders,
    bumps: Order,
    knots: Order,
    counts: Vector,
    curves: Stack,
    units: Order,
    lines: NDArray[np.int32],
    steep: Stack,
    excess: Matrix,
    gained: Stack,
) -> None:
    """Fill with all that is known of fixed curves without a fit, ``curves`` and what follows.

    One call in place of six: each would cost Python as much as some of them take.
    """
    places = np.empty(shares.shape, np.uint32)
    fill_curve_values(shares, scores, curves, places)
    fill_gauge(density, grid, shape, scores, shares, curves, knots, counts, units, lines, steep)
    codes, groups = np.empty((2, 2, len(second)), np.int32)
    fill_codes(second, first_starts, second_starts, codes)
    for r in range(len(second)):
        groups[0, r], groups[1, r] = codes[1, r], codes[0, second[r]]
    for d in range(2):
        starts = (first_starts, second_starts) if d == 0 else (second_starts, first_starts)
        fill_expected_excess(
            curves[d], places[d], scores, groups[d], starts[0], starts[1], excess[d]
        )
    fill_expected_gains(
        units, first_starts, second_starts, groups, reach, bumps, lines, steep, levels, gained
    )
