"""What fits to orders of ties gain over fixed curves, and the mean over all orders, compiled.

``orders`` are inverse permutations of the ranks with ties broken; the opposite of one has all
groups turned round.
"""

from __future__ import annotations

from math import ceil, exp, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]

# Knots along the given variable: their step and their smoothing in bandwidths, and how many
# neighbours are smoothed over. Width of the ramp a row counts by, in bandwidths of the target.
KNOT_STEP = 0.8
SMOOTHING = 0.7
REACH = 3
MOST_KNOTS = 64
RAMP = 2.5
LEAST_DENSITY = 0.02
# Share of the gain to second order that a fit has, and how much better than on others curves
# score on the orders they were made of, in variances of the share of rows they have wrong.
GAINED = 0.5
OPTIMISM = 0.7
LEAST_ROWS = 1e-3
# A ramp is so many units high, a row divided into so many shares: whole numbers may be added up
# in any order.
UNITS = 1024
SHARES = 256


@kernel
def knots_of(scores: Vector, h: float) -> Vector:
    """Equally spaced knots on the normal scale, from the least score to the greatest."""
    edge = scores[len(scores) - 1]
    steps = min(max(ceil(2.0 * edge / (KNOT_STEP * h)), 2), MOST_KNOTS - 1)
    knots = np.empty(steps + 1)
    for b in range(steps + 1):
        knots[b] = edge * (2.0 * b / steps - 1.0)
    return knots


@kernel
def fill_places(scores: Vector, knots: Vector, starts: Order, shares: Order) -> None:
    """Fill with the first rank of each step, and n, and the part of a rank at the upper knot."""
    n, steps = len(scores), len(knots) - 1
    step = knots[1] - knots[0]
    at = 0
    starts[0] = 0
    for r in range(n):
        while at < steps - 1 and scores[r] >= knots[at + 1]:
            at += 1
            starts[at] = r
        shares[r] = min(max(round((scores[r] - knots[at]) / step * SHARES), 0), SHARES)
    for b in range(at + 1, steps + 1):
        starts[b] = n


@kernel
def fill_knot_rows(starts: Order, shares: Order, rows: Vector) -> None:
    """Fill with the number of rows at each knot."""
    rows[:] = 0.0
    for b in range(len(starts) - 1):
        for r in range(starts[b], starts[b + 1]):
            upper = shares[r] / SHARES
            rows[b] += 1.0 - upper
            rows[b + 1] += upper


@kernel
def smoothing_of(knots: Vector, rows: Vector, h: float) -> Matrix:
    """Share of each knot in the smoothed mean at another, for ``REACH`` knots either side."""
    size = len(knots)
    weights = np.zeros((size, 2 * REACH + 1))
    for b in range(size):
        total = 0.0
        for k in range(max(0, b - REACH), min(size, b + REACH + 1)):
            apart = (knots[b] - knots[k]) / (SMOOTHING * h)
            weight = exp(-0.5 * apart * apart)
            weights[b, k - b + REACH] = weight
            total += weight * rows[k]
        for k in range(2 * REACH + 1):
            weights[b, k] /= max(total, LEAST_ROWS)
    return weights


@kernel
def fill_steepness(
    density: Matrix,
    grid: Vector,
    share: Vector,
    curve: Vector,
    starts: Order,
    rows: Vector,
    found: Vector,
) -> None:
    """Fill with the share of the rows at a knot over the target's density at the curve there."""
    n = len(curve)
    row, column = 0, 0
    for b in range(len(rows)):
        r = min(starts[b], n - 1)
        u, v = (r + 1.0) / (n + 1), share[r]
        while row < len(grid) - 2 and grid[row + 1] <= u:
            row += 1
        while column > 0 and grid[column] > v:
            column -= 1
        while column < len(grid) - 2 and grid[column + 1] <= v:
            column += 1
        s = (u - grid[row]) / (grid[row + 1] - grid[row])
        t = (v - grid[column]) / (grid[column + 1] - grid[column])
        here, above = density[row], density[row + 1]
        low = here[column] + t * (here[column + 1] - here[column])
        high = above[column] + t * (above[column + 1] - above[column])
        normal = 0.3989422804014327 * exp(-0.5 * curve[r] * curve[r])
        found[b] = rows[b] / (n * max((low + s * (high - low)) * normal, LEAST_DENSITY))


@kernel
def fill_targets(
    order: Order, turns: Orders, units: Order, by_second: Orders, by_first: Orders
) -> None:
    """Fill two rows with the targets of an order of ties and of its opposite.

    ``by_second`` are those of the first variable by rank of the second, ``by_first`` the other
    way.
    """
    first_turn, second_turn = turns[0], turns[1]
    for s in range(np.uint64(len(order))):
        unit = units[s]
        rank = np.uint64(order[s])
        turned = np.uint64(first_turn[np.uint64(order[np.uint64(second_turn[s])])])
        by_second[0, s], by_second[1, s] = units[rank], units[turned]
        by_first[0, rank] = by_first[1, turned] = unit


@kernel
def fill_knot_sums(
    curve: Order, targets: Orders, starts: Order, shares: Order, sums: Matrix
) -> None:
    """Fill with the rows at each knot that are below the curve, less half of them, by order.

    A row counts by a ramp of its distance rather than by a step. Sums of integers may be
    regrouped, and are taken in vector form.
    """
    half = np.int32(UNITS // 2)
    sums[:] = 0.0
    for i in range(len(targets)):
        target = targets[i]
        for b in range(len(starts) - 1):
            total, upper = np.int32(0), np.int32(0)
            for r in range(np.uint64(starts[b]), np.uint64(starts[b + 1])):
                gap = np.int32(curve[r] - target[r])
                below = np.int32(min(max(gap, -half), half))
                total = np.int32(total + below)
                upper = np.int32(upper + np.int32(below * shares[r]))
            part = upper * (1.0 / (SHARES * UNITS))
            sums[b, i] += total * (1.0 / UNITS) - part
            sums[b + 1, i] += part


@kernel
def fill_gains(sums: Matrix, smoothing: Matrix, steepness: Vector, gains: Vector) -> None:
    """Fill with the sum over the knots of squared smoothed means, column by column."""
    size = len(sums)
    mean = np.empty(len(gains))
    gains[:] = 0.0
    for b in range(size):
        mean[:] = 0.0
        for k in range(max(0, b - REACH), min(size, b + REACH + 1)):
            weight, row = smoothing[b, k - b + REACH], sums[k]
            for i in range(len(mean)):
                mean[i] += weight * row[i]
        steep = steepness[b]
        for i in range(len(mean)):
            gains[i] += steep * mean[i] * mean[i]


@kernel
def add_means(sums: Matrix, rows: Vector, level: float, n_orders: int) -> None:
    """Take off the rows that should be below; fill the columns of pairs and of all orders."""
    last = sums.shape[1] - 1
    for b in range(len(sums)):
        row, shift = sums[b], rows[b] * (0.5 - level)
        total = 0.0
        for i in range(0, n_orders, 2):
            row[i] += shift
            row[i + 1] += shift
            mean = 0.5 * (row[i] + row[i + 1])
            row[n_orders + i // 2] = mean
            total += mean
        row[last] = total / (n_orders // 2)


@kernel
def in_units(values: Vector, unit: float, found: Order) -> None:
    """Fill with the values in whole units."""
    for i in range(len(values)):
        found[i] = np.int32(values[i] * unit)


@kernel
def fill_in_sample_gains(
    density: Matrix,
    grid: Vector,
    shape: Vector,
    levels: Vector,
    scores: Vector,
    shares: Stack,
    curves: Stack,
    orders: Orders,
    turns: Orders,
    found: Stack,
) -> None:
    """Fill ``found[d, j]`` with what fits to orders and their opposites gain over fixed curves.

    To second order a curve moves by the share of rows it has wrong over the density there, and
    gains the square of that share over the density. After the orders, of which two neighbours
    are opposites, come the gains of the mean shares of opposites, and of all orders.
    """
    n, m, n_orders = len(scores), len(levels), 2 * len(orders)
    h = shape[1]
    unit = UNITS / (RAMP * h * sqrt(1.0 - shape[0] * shape[0]))
    units, lines = np.empty(n, np.int32), np.empty((2, m, n), np.int32)
    in_units(scores, unit, units)
    knots = knots_of(scores, h)
    starts, upper = np.empty(len(knots), np.int32), np.empty(n, np.int32)
    rows = np.empty(len(knots))
    fill_places(scores, knots, starts, upper)
    fill_knot_rows(starts, upper, rows)
    smoothing, steepness = smoothing_of(knots, rows, h), np.empty(len(knots))
    targets = np.empty((2, 2, n), np.int32)
    sums = np.empty((2, m, len(knots), n_orders + n_orders // 2 + 1))
    for d in range(2):
        for j in range(m):
            in_units(curves[d, j], unit, lines[d, j])
    for k in range(len(orders)):
        fill_targets(orders[k], turns, units, targets[1], targets[0])
        for d in range(2):
            for j in range(m):
                here = sums[d, j, :, 2 * k : 2 * k + 2]
                fill_knot_sums(lines[d, j], targets[d], starts, upper, here)
    for d in range(2):
        held = density if d == 0 else density.T.copy()
        for j in range(m):
            fill_steepness(held, grid, shares[d, j], curves[d, j], starts, rows, steepness)
            add_means(sums[d, j], rows, levels[j], n_orders)
            fill_gains(sums[d, j], smoothing, steepness, found[d, j])


# -- the estimate ------------------------------------------------------------------------


@kernel
def combine(
    fitted: Stack, fixed: Stack, expected: Matrix, gains: Stack, weights: Vector, scores: Matrix
) -> Vector:
    """Fill ``scores`` with the means over all orders of ties; how sure they are.

    Parameters are the scores of fits to some orders and their opposites, the excess of the fixed
    curves in these orders and over all, and :func:`fill_in_sample_gains`. Returned are sums of
    squares about the mean of the gap between the two directions: of fits to opposites, of what
    fixed curves and gains leave of them, of the gains of opposites, and of single fits.
    """
    n_orders = gains.shape[2] // 3 * 2
    pairs, last = len(fitted) // 2, gains.shape[2] - 1
    plain, left, each = np.zeros(pairs), np.zeros(pairs), np.zeros(2 * pairs)
    gained = np.zeros(n_orders // 2)
    for d in range(2):
        for j in range(len(weights)):
            weight, gain = weights[j] * (2 * d - 1), gains[d, j]
            total, seen, between = 0.0, 0.0, 0.0
            for k in range(n_orders // 2):
                both = 0.5 * (gain[2 * k] + gain[2 * k + 1])
                gained[k] += weight * both
                total += both
                between += gain[n_orders + k]
            for i in range(pairs):
                rest = -0.5 * (fixed[2 * i, d, j] + fixed[2 * i + 1, d, j])
                rest += GAINED * 0.5 * (gain[2 * i] + gain[2 * i + 1])
                both = 0.5 * (fitted[2 * i, d, j] + fitted[2 * i + 1, d, j])
                each[2 * i] += weight * fitted[2 * i, d, j]
                each[2 * i + 1] += weight * fitted[2 * i + 1, d, j]
                plain[i] += weight * both
                left[i] += weight * (both + rest)
                seen += both + rest
            mean = total / (n_orders // 2)
            variance = max(between / (n_orders // 2) - gain[last], 0.0)
            scores[d, j] = (seen - OPTIMISM * variance) / pairs + expected[d, j] - GAINED * mean
    return np.array([squares(plain), squares(left), squares(gained), squares(each)])


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
