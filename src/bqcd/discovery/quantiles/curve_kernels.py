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
# Ranks of a piece that are filled at once, past its end if need be; and lanes of sums.
AT_ONCE = 8
LANES = 32


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
def gap_at(
    below: Vector, above: Vector, short: float, shorter: float, k: int
) -> tuple[float, float]:
    """Distribution less level at a knot, at the start of a cell, and how it rises to its end."""
    low = below[k] - short
    return low, (above[k] - shorter) - low


@kernel
def fill_piece(
    cumulative: Matrix,
    density: Matrix,
    knots: Vector,
    cell: int,
    level: float,
    s: float,
    hint: int,
    piece: Vector,
) -> tuple[int, float]:
    """Fill ``piece`` with the numbers that fix the curve about fraction ``s`` of a cell.

    At fraction s the distribution at knot k is short of the level by ``piece[0] + s
    piece[1]``, and the density runs from ``piece[2] + s piece[3]`` to ``piece[4] + s
    piece[5]``, over a width of ``piece[7]`` that begins at ``piece[6]``. Knot k, before which
    the distribution crosses the level no more, is returned and the fraction up to which it
    stays right. It is looked for from a hint on.
    """
    last, k = len(knots) - 2, hint
    below, above, left, right = (
        cumulative[cell],
        cumulative[cell + 1],
        density[cell],
        density[cell + 1],
    )
    short, shorter = level * below[last + 1], level * above[last + 1]
    low, rise = gap_at(below, above, short, shorter, k)
    while k > 0 and low + s * rise >= 0.0:
        k -= 1
        low, rise = gap_at(below, above, short, shorter, k)
    high, climb = gap_at(below, above, short, shorter, k + 1)
    while k < last and high + s * climb < 0.0:
        k += 1
        low, rise = high, climb
        high, climb = gap_at(below, above, short, shorter, k + 1)
    end = -low / rise if k > 0 and rise > 0.0 else 1.0
    end = min(end, -high / climb) if k < last and climb < 0.0 else min(end, 1.0)
    piece[0], piece[1], piece[2], piece[3] = low, rise, left[k], right[k] - left[k]
    piece[4], piece[5] = left[k + 1], right[k + 1] - left[k + 1]
    piece[6], piece[7] = knots[k], knots[k + 1] - knots[k]
    return k, max(end, s)


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
    """Fill ``curve[start:stop]`` on [0, 1]: :func:`quantile_in_piece` in vector form.

    Up to seven places after those are written to as well, so that no vector is left half full.
    """
    short, short_rise, v, v_rise = piece[0], piece[1], piece[2], piece[3]
    w, w_rise, knot, width = piece[4], piece[5], piece[6], piece[7]
    steep = 2.0 / width
    first, whole = np.uint64(start), np.uint64((stop - start + AT_ONCE - 1) // AT_ONCE * AT_ONCE)
    for r in range(first, first + whole):
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
    cumulative: Matrix,
    density: Matrix,
    knots: Vector,
    cell: int,
    level: float,
    ends: NDArray[np.int64],
    piece: Vector,
    hint: int,
) -> int:
    """Fill the first of ``curve`` with the conditional quantile at the ranks of a cell.

    The last bracket is returned: a hint for the next cell.
    """
    first, rows = ends[cell], ends[cell + 1] - ends[cell]
    span = (len(scores) + 1) * (knots[cell + 1] - knots[cell])
    unit, origin = 1.0 / span, knots[cell] * (len(scores) + 1) - 1.0 - first
    start, k = 0, hint
    while start < rows:
        s = (start - origin) * unit
        k, end = fill_piece(cumulative, density, knots, cell, level, s, k, piece)
        stop = max(min(int(origin + end * span), rows - 1), start) + 1
        if stop - start > 16:
            bisect_piece(curve, scores, piece, origin, unit, start, stop)
        else:
            fill_directly(curve, scores, piece, origin, unit, start, stop)
        start = stop
    return k


@kernel
def conditional_curves(
    given: Vector, scores: Vector, density: Matrix, knots: Vector, levels: Vector
) -> Matrix:
    """Conditional quantiles at given values, both on the normal scale: one column per level."""
    cumulative = cumulative_rows(density, knots)
    piece = np.empty(8)
    curves = np.empty((len(given), len(levels)))
    for i in range(len(given)):
        u = 0.5 * (1.0 + erf(given[i] / sqrt(2.0)))
        cell = 0
        while cell < len(knots) - 2 and knots[cell + 1] <= u:
            cell += 1
        s = (u - knots[cell]) / (knots[cell + 1] - knots[cell])
        for j in range(len(levels)):
            fill_piece(cumulative, density, knots, cell, levels[j], s, 0, piece)
            curves[i, j] = score_at(scores, quantile_in_piece(piece, s))
    return curves


@kernel
def pinball_sum(curve: Vector, target: Vector, rows: int, level: float, room: Matrix) -> float:
    """Sum of pinball scores, but for a term in the targets, which sum to zero over all cells.

    In lanes, for which there is ``room``: of what the curve is above the target, and of the curve.
    """
    above, lanes = room[0], room[1]
    room[:] = 0.0
    whole = rows // LANES * LANES
    for start in range(np.uint64(0), np.uint64(whole), np.uint64(LANES)):
        for i in range(np.uint64(LANES)):
            value = curve[start + i]
            gap = value - target[start + i]
            above[i] += gap if gap > 0.0 else 0.0
            lanes[i] += value
    over, total = 0.0, 0.0
    for r in range(whole, rows):
        over += max(curve[r] - target[r], 0.0)
        total += curve[r]
    for i in range(LANES):
        over += above[i]
        total += lanes[i]
    return over - level * total


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
    curve, room = np.empty(longest + AT_ONCE), np.empty((2, LANES))
    target = np.empty(longest)
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
            hints[j] = fill_cell(
                curve, scores, cumulative, density, knots, cell, levels[j], ends, piece, hints[j]
            )
            found[j] += pinball_sum(curve, target, rows, levels[j], room) / n


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
    n, k, piece = ends[len(ends) - 1], 0, np.empty(8)
    for cell in range(len(knots) - 1):
        span = (n + 1) * (knots[cell + 1] - knots[cell])
        unit, origin = 1.0 / span, knots[cell] * (n + 1) - 1.0
        start, last = ends[cell], ends[cell + 1] - 1
        while start <= last:
            s = (start - origin) * unit
            k, end = fill_piece(cumulative, density, knots, cell, level, s, k, piece)
            stop = max(min(int(origin + end * span), last), start) + 1
            fill_quantiles(curve, piece, origin, unit, start, stop)
            start = stop


@kernel
def to_scores(curve: Vector, scores: Vector, rises: Vector, places: NDArray[np.uint32]) -> None:
    """Turn a curve on [0, 1] into normal scores: :func:`score_at`, its first half in vectors.

    ``places`` is room to work in.
    """
    last = np.int32(len(rises) - 1)
    for r in range(np.uint64(len(places))):
        place = curve[r] * len(rises)
        k = min(np.int32(place), last)
        places[r] = np.uint32(k)
        curve[r] = place - k
    for r in range(np.uint64(len(places))):
        k = places[r]
        curve[r] = scores[k] + curve[r] * rises[k]


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
    curve, room, target = np.empty(n + AT_ONCE), np.empty((2, LANES)), targets
    if not len(targets):
        target = np.empty(n)
        for r in range(np.uint64(n)):
            target[r] = scores[np.uint32(order[r])]
    rises, places = np.empty(n - 1), np.empty(n, np.uint32)
    for r in range(np.uint64(n - 1)):
        rises[r] = scores[r + np.uint64(1)] - scores[r]
    for j in range(len(levels)):
        fill_curve(cumulative, density, knots, ends, levels[j], curve)
        to_scores(curve, scores, rises, places)
        found[j] = pinball_sum(curve, target, n, levels[j], room) / n


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


@kernel
def fill_shares_both_ways(density: Matrix, knots: Vector, levels: Vector, shares: Stack) -> None:
    """Fill with the conditional quantiles on [0, 1] at each rank of the given variable.

    Of the second variable given the first (0) and of the first given the second (1), by level.
    """
    n = shares.shape[2]
    ends, curve = cell_ends(knots, n), np.empty(n + AT_ONCE)
    for d in range(2):
        held = density if d == 0 else density.T.copy()
        cumulative = cumulative_rows(held, knots)
        for j in range(len(levels)):
            fill_curve(cumulative, held, knots, ends, levels[j], curve)
            for r in range(n):
                shares[d, j, r] = curve[r]
