"""Conditional quantile curves of a copula density on a grid, and their scores, compiled.

The density is bilinear between knots, so the conditional distribution function is
quadratic between knots and its inverse the root of a quadratic.
"""

from __future__ import annotations

from math import ceil, erf, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.compilation import kernel

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Order = NDArray[np.int32]

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
    k = min(int(place), len(scores) - 2)
    value: float = scores[k] + (place - k) * (scores[k + 1] - scores[k])
    return value


@kernel
def bisect_piece(
    curve: Vector, scores: Vector, piece: Vector, origin: float, unit: float, start: int, stop: int
) -> None:
    """Fill ``curve[start:stop]``, straight where the middle says a straight line will do."""
    ends = np.empty((64, 2), np.int64)
    ends[0] = start, stop - 1
    for r in ends[0]:
        curve[r] = score_at(scores, quantile_in_piece(piece, (r - origin) * unit))
    depth = 1
    while depth > 0:
        depth -= 1
        a, z = ends[depth]
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
        ends[depth] = a, m
        ends[depth + 1] = m, z
        depth += 2


@kernel
def fill_curve(
    curve: Vector, scores: Vector, density: Matrix, cumulative: Matrix, knots: Vector, level: float
) -> None:
    """Fill ``curve`` with the conditional quantile, on the normal scale, at every rank."""
    n = len(scores)
    excess = np.empty((2, len(knots)))
    piece = np.empty(8)
    start = 0
    for cell in range(len(knots) - 1):
        last = cell == len(knots) - 2
        stop = n if last else min(max(ceil(knots[cell + 1] * (n + 1)) - 1, start), n)
        if stop > start:
            fill_excess(cumulative, cell, level, excess)
        unit = 1.0 / ((n + 1) * (knots[cell + 1] - knots[cell]))
        origin = knots[cell] * (n + 1) - 1.0
        k = 0
        while start < stop:
            s = (start - origin) * unit
            k = bracket(excess, s, k)
            end = min(int(origin + bracket_end(excess, s, k) / unit), stop - 1) + 1
            end = max(end, start + 1)
            fill_piece(excess, density, knots, cell, k, piece)
            if n >= MANY_ROWS and end - start > 16:
                bisect_piece(curve, scores, piece, origin, unit, start, end)
            else:
                for r in range(start, end):
                    curve[r] = quantile_in_piece(piece, (r - origin) * unit)
                for r in range(start, end):
                    curve[r] = score_at(scores, curve[r])
            start = end


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
def mean_pinball(curve: Vector, target: Vector, level: float) -> float:
    """Mean pinball score of targets that sum to zero."""
    above = 0.0
    total = 0.0
    for i in range(len(curve)):
        above += max(curve[i] - target[i], 0.0)
        total += curve[i]
    return (above - level * total) / len(curve)


@kernel
def scores_both_ways(
    density: Matrix, knots: Vector, scores: Vector, second: Vector, inverse: Order, levels: Vector
) -> Matrix:
    """Mean pinball scores of second given first (row 0) and first given second (row 1)."""
    n = len(scores)
    target = second
    facing = density
    curve = np.empty(n)
    found = np.empty((2, len(levels)))
    for way in range(2):
        if way == 1:
            facing = density.T.copy()
            target = np.empty(n)
            for s in range(n):
                target[s] = scores[inverse[s]]
        cumulative = cumulative_rows(facing, knots)
        for j in range(len(levels)):
            fill_curve(curve, scores, facing, cumulative, knots, levels[j])
            found[way, j] = mean_pinball(curve, target, levels[j])
    return found
