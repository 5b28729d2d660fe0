"""What fits to orders of ties gain over fixed curves, compiled.

Along the given variable stand knots, and about each a bump: a triangle of weights
(:mod:`bqcd.discovery.tie_bumps`). The rows below a bump that are also below a curve, less those
that should be, say how far the curve is off there in one order of ties; rows count by a ramp of
their distance rather than by a step. To second order a fit gains the square of that share over
the density. Weights and ramps are whole numbers, which may be added up in any order.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.tie_kernels import fill_excesses
from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]

# Width of the ramp, in bandwidths of the target; and how many units it is high.
RAMP = 2.5
UNITS = 1024
HALF = UNITS // 2
LEAST_DENSITY = 0.1
# Added and taken off again, this leaves the nearest whole number, as round does but in vectors.
ROUNDING = 1.5 * 2.0**52
# Share of the gain to second order that a fit has, and how much better than on others curves
# score on the orders they were made of, in shares of what gains owe to the order of ties.
GAINED = 0.45
OPTIMISM = 0.1


# -- curves and ramps ------------------------------------------------------------------


@kernel
def fill_units(scores: Vector, shape: Vector, found: Order) -> None:
    """Fill with the scores in units of the ramp."""
    unit = UNITS / (RAMP * shape[1] * sqrt(1.0 - shape[0] * shape[0]))
    for r in range(len(scores)):
        found[r] = np.int32((scores[r] * unit + ROUNDING) - ROUNDING)


@kernel
def density_at(density: Matrix, grid: Vector, row: int, column: int, u: float, v: float) -> float:
    """Bilinear density at a point of the cell that begins at a knot of the grid."""
    s = (u - grid[row]) / (grid[row + 1] - grid[row])
    t = (v - grid[column]) / (grid[column + 1] - grid[column])
    here, above = density[row], density[row + 1]
    low = here[column] + t * (here[column + 1] - here[column])
    high = above[column] + t * (above[column + 1] - above[column])
    between: float = low + s * (high - low)
    return between


@kernel
def fill_steepness(
    density: Matrix, grid: Vector, share: Vector, curve: Vector, places: Order, found: Vector
) -> None:
    """Fill with one over the target's density at the curve, at some places."""
    n, row, column = len(curve), 0, 0
    for k in range(len(places)):
        r = places[k]
        u, v = (r + 1.0) / (n + 1), share[r]
        while row < len(grid) - 2 and grid[row + 1] <= u:
            row += 1
        while column > 0 and grid[column] > v:
            column -= 1
        while column < len(grid) - 2 and grid[column + 1] <= v:
            column += 1
        normal = 0.3989422804014327 * exp(-0.5 * curve[r] * curve[r])
        dense = density_at(density, grid, row, column, u, v) * normal
        found[k] = 1.0 / max(dense, LEAST_DENSITY)


@kernel
def fill_gauge(
    density: Matrix,
    grid: Vector,
    shape: Vector,
    scores: Vector,
    shares: Stack,
    curves: Stack,
    places: Order,
    counts: Vector,
    units: Order,
    lines: NDArray[np.int32],
    steep: Stack,
) -> None:
    """Fill with what gains are measured by, besides bumps, of which come ``places`` and ``counts``.

    ``lines[d, j]`` are the curves at the knots in units, ``steep[d, j]`` what the square of a sum
    counts: by the rows there, over the density.
    """
    fill_units(scores, shape, units)
    unit = UNITS / (RAMP * shape[1] * sqrt(1.0 - shape[0] * shape[0]))
    for d in range(2):
        held = density if d == 0 else density.T.copy()
        for j in range(shares.shape[1]):
            fill_steepness(held, grid, shares[d, j], curves[d, j], places, steep[d, j])
            for k in range(len(places)):
                line = curves[d, j, places[k]] * unit
                lines[d, j, k] = np.int32((line + ROUNDING) - ROUNDING)
                steep[d, j, k] *= counts[k]


# -- gains of orders -------------------------------------------------------------------


@kernel
def bump_sum(line: int, targets: Order, bump: Order) -> int:
    """Sum of the shares of a bump times the ramps of the rows."""
    half, at = np.int32(HALF), np.int32(line)
    total = np.int32(0)
    for r in range(np.uint64(len(bump))):
        gap = np.int32(at - targets[r])
        below = np.int32(min(max(gap, -half), half))
        total = np.int32(total + np.int32(below * bump[r]))
    return int(total)


@kernel
def fill_gains(
    inverses: Orders,
    units: Order,
    reach: Orders,
    bumps: Order,
    lines: NDArray[np.int32],
    steep: Stack,
    levels: Vector,
    found: Stack,
) -> None:
    """Fill ``found[i, d, j]`` with what a fit to order i gains over curve j, both ways."""
    n, scale = len(units), 1.0 / (UNITS * UNITS)
    targets = np.empty((2, n), np.int32)
    found[:] = 0.0
    for i in range(len(inverses)):
        for s in range(np.uint64(n)):
            rank = np.uint64(inverses[i, s])
            targets[0, rank], targets[1, s] = units[s], units[rank]
        for k in range(reach.shape[1] - 1):
            bump = bumps[reach[2, k] : reach[2, k + 1]]
            total = float(UNITS * reach[3, k])
            for d in range(2):
                near = targets[d, reach[0, k] : reach[1, k]]
                for j in range(len(levels)):
                    off = bump_sum(lines[d, j, k], near, bump) + total * (0.5 - levels[j])
                    found[i, d, j] += steep[d, j, k] * scale * off * off


@kernel
def fill_comparison(
    curves: Stack,
    scores: Vector,
    inverses: Orders,
    seconds: Matrix,
    units: Order,
    reach: Orders,
    bumps: Order,
    lines: NDArray[np.int32],
    steep: Stack,
    levels: Vector,
    excesses: Stack,
    gains: Stack,
) -> None:
    """Fill with the mean excess of the curves in some orders, and what fits gain over them."""
    fill_excesses(curves, scores, inverses, seconds, excesses)
    fill_gains(inverses, units, reach, bumps, lines, steep, levels, gains)


# -- the estimate ------------------------------------------------------------------------


@kernel
def combine(
    fitted: Stack,
    fixed: Stack,
    gains: Stack,
    expected: Matrix,
    gained: Stack,
    weights: Vector,
    scores: Matrix,
) -> Vector:
    """Fill ``scores`` with the means over all orders of ties; how sure they are.

    Parameters are the scores of fits to some orders and their opposites, the excess of the fixed
    curves and the gains in these orders; the mean excess and the mean gains over all. Returned
    are sums of squares about their mean of the gap between the two directions: of fits to
    opposites, of what fixed curves and gains leave of them, and of single fits. Then come the
    mean square of half the distance of opposites, and what is expected of how gains differ.
    """
    pairs = len(fitted) // 2
    plain, left, each = np.zeros(pairs), np.zeros(pairs), np.zeros(2 * pairs)
    usual = 0.0
    for j in range(len(weights)):
        for d in range(2):
            weight, seen = weights[j] * (2 * d - 1), 0.0
            for i in range(2 * pairs):
                rest = fitted[i, d, j] - fixed[i, d, j] + GAINED * gains[i, d, j]
                each[i] += weight * fitted[i, d, j]
                plain[i // 2] += 0.5 * weight * fitted[i, d, j]
                left[i // 2] += 0.5 * weight * rest
                seen += rest
            known = expected[d, j] - GAINED * gained[d, j, 0]
            scores[d, j] = 0.5 * seen / pairs + known - OPTIMISM * gained[d, j, 1] / pairs
            usual += weight * weight * gained[d, j, 2]
    apart = 0.0
    for i in range(pairs):
        apart += 0.25 * (each[2 * i] - each[2 * i + 1]) ** 2 / pairs
    return np.array([squares(plain), squares(left), squares(each), apart, usual])


@kernel
def squares(values: Vector) -> float:
    """Sum of squares about the mean."""
    mean, total = 0.0, 0.0
    for value in values:
        mean += value
    mean /= len(values)
    for value in values:
        total += (value - mean) ** 2
    return total
