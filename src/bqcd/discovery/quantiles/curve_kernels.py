"""Conditional quantile curves of a copula density on a grid, and their scores, compiled.

The density is bilinear between knots, so the conditional distribution function is
quadratic between knots and its inverse the root of a quadratic.
"""

from __future__ import annotations

from math import ceil, erf, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]

# Rows from which a curve may go straight between its ranks, and by how much it may err.
MANY_ROWS = 4000
CURVE_TOLERANCE = 3e-6


@kernel
def cumulative_rows(density: Matrix, knots: Vector) -> Matrix:
    """Integral of each row of the density up to each knot."""
    size = len(knots)
    total = np.zeros((size, size))
    for i in range(size):
        for k in range(size - 1):
            cell = 0.5 * (density[i, k] + density[i, k + 1]) * (knots[k + 1] - knots[k])
            total[i, k + 1] = total[i, k] + cell
    return total


@kernel
def bracket(excess: Matrix, s: float, hint: int) -> int:
    """Cell in which the conditional distribution function crosses the level."""
    k = hint
    while k > 0 and excess[0, k] + s * (excess[1, k] - excess[0, k]) >= 0.0:
        k -= 1
    last = excess.shape[1] - 2
    while k < last and excess[0, k + 1] + s * (excess[1, k + 1] - excess[0, k + 1]) < 0.0:
        k += 1
    return k


@kernel
def bracket_end(excess: Matrix, s: float, k: int) -> float:
    """Fraction of a cell up to which bracket ``k``, right at ``s``, stays right."""
    end = 1.0
    low, rise = excess[0, k], excess[1, k] - excess[0, k]
    if k > 0 and rise > 0.0:
        end = min(end, -low / rise)
    high, rise = excess[0, k + 1], excess[1, k + 1] - excess[0, k + 1]
    if k < excess.shape[1] - 2 and rise < 0.0:
        end = min(end, -high / rise)
    return max(end, s)


@kernel
def fill_excess(cumulative: Matrix, cell: int, level: float, excess: Matrix) -> None:
    """Fill ``excess`` with distribution minus level at both ends of a cell."""
    last = cumulative.shape[1] - 1
    for k in range(last + 1):
        excess[0, k] = cumulative[cell, k] - level * cumulative[cell, last]
        excess[1, k] = cumulative[cell + 1, k] - level * cumulative[cell + 1, last]


@kernel
def fill_piece(
    excess: Matrix, density: Matrix, knots: Vector, cell: int, k: int, piece: Vector
) -> None:
    """Fill ``piece`` with the numbers that fix the curve of one cell and one bracket.

    At fraction s the distribution at knot k is short of the level by ``piece[0] + s
    piece[1]``, and the density runs from ``piece[2] + s piece[3]`` to ``piece[4] + s
    piece[5]``, over a width of ``piece[7]`` that begins at ``piece[6]``.
    """
    piece[0], piece[1] = excess[0, k], excess[1, k] - excess[0, k]
    piece[2], piece[3] = density[cell, k], density[cell + 1, k] - density[cell, k]
    piece[4], piece[5] = density[cell, k + 1], density[cell + 1, k + 1] - density[cell, k + 1]
    piece[6], piece[7] = knots[k], knots[k + 1] - knots[k]


@kernel
def quantile_in_piece(piece: Vector, s: float) -> float:
    """Conditional quantile on [0, 1] at fraction ``s`` of a cell: the root of a quadratic."""
    short = min(piece[0] + s * piece[1], 0.0)
    v = piece[2] + s * piece[3]
    slope = 0.5 * (piece[4] + s * piece[5] - v) / piece[7]
    root = v + sqrt(max(v * v - 4.0 * slope * short, 0.0))
    quantile: float = piece[6] + min(-2.0 * short / max(root, 1e-300), piece[7])
    return quantile


@kernel
def score_at(scores: Vector, p: float) -> float:
    """Empirical quantile of the normal scores, linear between them."""
    place = p * (len(scores) - 1)
    k = np.uint64(min(int(place), len(scores) - 2))
    value: float = scores[k] + (place - k) * (scores[k + np.uint64(1)] - scores[k])
    return value


@kernel
def fill_quantiles(
    curve: Vector, piece: Vector, origin: float, unit: float, start: int, stop: int
) -> None:
    """Fill ``curve[start:stop]`` on [0, 1]: :func:`quantile_in_piece` in vector form."""
    short, short_rise, v, v_rise = piece[0], piece[1], piece[2], piece[3]
    w, w_rise, knot, width = piece[4], piece[5], piece[6], piece[7]
    steep = 2.0 / width
    for r in range(np.uint64(start), np.uint64(stop)):
        s = (r - origin) * unit
        gap = min(short + s * short_rise, 0.0)
        low = v + s * v_rise
        turn = low * low - steep * (w + s * w_rise - low) * gap
        root = low + sqrt(max(turn, 0.0))
        curve[r] = knot + min(-2.0 * gap / max(root, 1e-300), width)


@kernel
def fill_directly(
    curve: Vector, scores: Vector, piece: Vector, origin: float, unit: float, start: int, stop: int
) -> None:
    """Fill ``curve[start:stop]`` row by row."""
    fill_quantiles(curve, piece, origin, unit, start, stop)
    for r in range(np.uint64(start), np.uint64(stop)):
        curve[r] = score_at(scores, curve[r])


@kernel
def bisect_piece(
    curve: Vector, scores: Vector, piece: Vector, origin: float, unit: float, start: int, stop: int
) -> None:
    """Fill ``curve[start:stop]``, straight where the middle says a straight line will do."""
    ends = np.empty((64, 2), np.int64)
    ends[0, 0], ends[0, 1] = start, stop - 1
    curve[start] = score_at(scores, quantile_in_piece(piece, (start - origin) * unit))
    curve[stop - 1] = score_at(scores, quantile_in_piece(piece, (stop - 1 - origin) * unit))
    depth = 1
    while depth > 0:
        depth -= 1
        a, z = ends[depth, 0], ends[depth, 1]
        if z - a < 2:
            continue
        m = (a + z) // 2
        value = score_at(scores, quantile_in_piece(piece, (m - origin) * unit))
        base, slope = curve[a], (curve[z] - curve[a]) / (z - a)
        if abs(value - (base + slope * (m - a))) < CURVE_TOLERANCE:
            for r in range(a + 1, z):
                curve[r] = base + slope * (r - a)
            continue
        curve[m] = value
        ends[depth, 0], ends[depth, 1] = a, m
        ends[depth + 1, 0], ends[depth + 1, 1] = m, z
        depth += 2


@kernel
def cell_ends(knots: Vector, n: int) -> NDArray[np.int64]:
    """Rank at which each cell of the knots begins, and n."""
    ends = np.zeros(len(knots), np.int64)
    for cell in range(1, len(knots) - 1):
        ends[cell] = min(max(ceil(knots[cell] * (n + 1)) - 1, ends[cell - 1]), n)
    ends[len(knots) - 1] = n
    return ends


@kernel
def fill_cell(
    curve: Vector,
    scores: Vector,
    excess: Matrix,
    density: Matrix,
    knots: Vector,
    cell: int,
    first: int,
    rows: int,
    piece: Vector,
    hint: int,
) -> int:
    """Fill ``curve[:rows]`` with the conditional quantile at the ranks from ``first`` on.

    The last bracket is returned: a hint for the next cell.
    """
    n = len(scores)
    unit = 1.0 / ((n + 1) * (knots[cell + 1] - knots[cell]))
    origin = knots[cell] * (n + 1) - 1.0 - first
    k = hint
    start = 0
    while start < rows:
        s = (start - origin) * unit
        k = bracket(excess, s, k)
        end = min(int(origin + bracket_end(excess, s, k) / unit), rows - 1) + 1
        end = max(end, start + 1)
        fill_piece(excess, density, knots, cell, k, piece)
        if n >= MANY_ROWS and end - start > 16:
            bisect_piece(curve, scores, piece, origin, unit, start, end)
        else:
            fill_directly(curve, scores, piece, origin, unit, start, end)
        start = end
    return k


@kernel
def conditional_curves(
    given: Vector, scores: Vector, density: Matrix, knots: Vector, levels: Vector
) -> Matrix:
    """Conditional quantiles at given values, both on the normal scale: one column per level."""
    cumulative = cumulative_rows(density, knots)
    excess = np.empty((2, len(knots)))
    piece = np.empty(8)
    curves = np.empty((len(given), len(levels)))
    for i in range(len(given)):
        u = 0.5 * (1.0 + erf(given[i] / sqrt(2.0)))
        cell = 0
        while cell < len(knots) - 2 and knots[cell + 1] <= u:
            cell += 1
        s = (u - knots[cell]) / (knots[cell + 1] - knots[cell])
        for j in range(len(levels)):
            fill_excess(cumulative, cell, levels[j], excess)
            fill_piece(excess, density, knots, cell, bracket(excess, s, 0), piece)
            curves[i, j] = score_at(scores, quantile_in_piece(piece, s))
    return curves


@kernel
def pinball_sum(curve: Vector, target: Vector, rows: int, level: float) -> float:
    """Sum of pinball scores, but for a term in the targets, which sum to zero over all cells.

    In four lanes: of what the curve is above the target, and of the curve.
    """
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    e, f, g, h = 0.0, 0.0, 0.0, 0.0
    whole = rows // 4 * 4
    for r in range(0, whole, 4):
        a += max(curve[r] - target[r], 0.0)
        b += max(curve[r + 1] - target[r + 1], 0.0)
        c += max(curve[r + 2] - target[r + 2], 0.0)
        d += max(curve[r + 3] - target[r + 3], 0.0)
        e += curve[r]
        f += curve[r + 1]
        g += curve[r + 2]
        h += curve[r + 3]
    for r in range(whole, rows):
        a += max(curve[r] - target[r], 0.0)
        e += curve[r]
    return (a + b) + (c + d) - level * ((e + f) + (g + h))


@kernel
def fill_scores_by_cells(
    density: Matrix,
    knots: Vector,
    scores: Vector,
    targets: Vector,
    order: Order,
    levels: Vector,
    found: Vector,
) -> None:
    """Do what :func:`fill_scores` does cell by cell, so that what a cell needs stays in the cache.

    Curves may go straight between ranks.
    """
    n = len(scores)
    ends = cell_ends(knots, n)
    cumulative = cumulative_rows(density, knots)
    longest = 0
    for cell in range(len(knots) - 1):
        longest = max(longest, ends[cell + 1] - ends[cell])
    curve = np.empty(longest)
    target = np.empty(longest)
    excess = np.empty((2, len(knots)))
    piece = np.empty(8)
    hints = np.zeros(len(levels), np.int64)
    found[:] = 0.0
    for cell in range(len(knots) - 1):
        first, rows = ends[cell], ends[cell + 1] - ends[cell]
        if len(targets):
            for r in range(rows):
                target[r] = targets[first + r]
        else:
            for r in range(rows):
                target[r] = scores[order[first + r]]
        for j in range(len(levels)):
            fill_excess(cumulative, cell, levels[j], excess)
            hints[j] = fill_cell(
                curve, scores, excess, density, knots, cell, first, rows, piece, hints[j]
            )
            found[j] += pinball_sum(curve, target, rows, levels[j]) / n


@kernel
def fill_curve(
    cumulative: Matrix,
    density: Matrix,
    knots: Vector,
    ends: NDArray[np.int64],
    level: float,
    curve: Vector,
) -> None:
    """Fill ``curve`` with the conditional quantile on [0, 1] at each rank.

    Between two knots of either axis the curve is the root of a quadratic whose coefficients
    are linear in the rank: such pieces are filled in vector form.
    """
    n = len(curve)
    excess, piece = np.empty((2, len(knots))), np.empty(8)
    k = 0
    for cell in range(len(knots) - 1):
        unit = 1.0 / ((n + 1) * (knots[cell + 1] - knots[cell]))
        origin = knots[cell] * (n + 1) - 1.0
        start, last = ends[cell], ends[cell + 1] - 1
        fill_excess(cumulative, cell, level, excess)
        while start <= last:
            s = (start - origin) * unit
            k = bracket(excess, s, k)
            stop = min(int(origin + bracket_end(excess, s, k) / unit), last) + 1
            stop = max(stop, start + 1)
            fill_piece(excess, density, knots, cell, k, piece)
            fill_quantiles(curve, piece, origin, unit, start, stop)
            start = stop


@kernel
def fill_scores(
    density: Matrix,
    knots: Vector,
    scores: Vector,
    targets: Vector,
    order: Order,
    levels: Vector,
    found: Vector,
) -> None:
    """Fill ``found`` with the mean pinball scores of one direction.

    The target at rank r is ``targets[r]``, or ``scores[order[r]]`` where there are no
    targets.
    """
    n = len(scores)
    ends = cell_ends(knots, n)
    cumulative = cumulative_rows(density, knots)
    curve, target = np.empty(n), targets
    if not len(targets):
        target = np.empty(n)
        for r in range(n):
            target[r] = scores[order[r]]
    for j in range(len(levels)):
        fill_curve(cumulative, density, knots, ends, levels[j], curve)
        for r in range(np.uint64(n)):
            curve[r] = score_at(scores, curve[r])
        found[j] = pinball_sum(curve, target, n, levels[j]) / n


@kernel
def fill_scores_both_ways(
    densities: Stack,
    knots: Vector,
    scores: Vector,
    seconds: Matrix,
    inverses: Orders,
    levels: Vector,
    found: Stack,
) -> None:
    """Fill ``found`` with the mean pinball scores of each density.

    First those of the second variable given the first, then those of the first given the second.
    """
    for b in range(len(densities)):
        density, second = densities[b], seconds[b]
        fill_scores(density, knots, scores, second, inverses[b], levels, found[b, 0])
        flipped = density.T.copy()
        fill_scores(flipped, knots, scores, second[:0], inverses[b], levels, found[b, 1])


@kernel
def fill_long_scores_both_ways(
    densities: Stack,
    knots: Vector,
    scores: Vector,
    seconds: Matrix,
    inverses: Orders,
    levels: Vector,
    found: Stack,
) -> None:
    """Do what :func:`fill_scores_both_ways` does, for ``MANY_ROWS`` rows or more."""
    for b in range(len(densities)):
        density, second = densities[b], seconds[b]
        fill_scores_by_cells(density, knots, scores, second, inverses[b], levels, found[b, 0])
        flipped = density.T.copy()
        fill_scores_by_cells(flipped, knots, scores, second[:0], inverses[b], levels, found[b, 1])
