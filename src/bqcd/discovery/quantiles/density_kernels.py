"""Kernel density of a copula on a grid, with uniform margins, compiled.

``scores`` are the normal scores of the first variable, increasing; ``second`` are those of
the second variable in the same rows.
"""

from __future__ import annotations

from math import exp, floor, inf, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

# Bins per bandwidth, and the taps that cover the kernel to 5 1/3 bandwidths. With 2 bins
# the confidence would be off by more than 1e-5 where the bandwidth is narrow.
BINS_PER_BANDWIDTH = 3
TAPS = 32
BEFORE = 15
FRACTIONS = 256
# Where bins are not exact enough, and rows are few enough to do without: few rows, a
# bandwidth below half its rule, or grid points so far out that the taps do not reach back.
FEW_ROWS = 100
NARROW = 0.5
FAR_OUT = 4.0
MANY_ROWS = 4000

LEAST_MASS = 1e-20
MARGIN_TOLERANCE = 1e-8
MOST_SWEEPS = 3000
PLAIN_SWEEPS = 6
CYCLE = 30


@kernel
def kernel_taps() -> Matrix:
    """Kernel weights of the bins around a point, by the point's place between two bins.

    Row p belongs to the fraction p / FRACTIONS of a bin. Cubic B-spline binning smooths
    too; its variance is taken off the Gaussian's and its fourth order is made good.
    """
    step = 1.0 / BINS_PER_BANDWIDTH
    sigma = sqrt(1.0 - step * step / 3.0)
    fourth = (step / sigma) ** 4 / 720.0
    taps = np.empty((FRACTIONS + 1, TAPS))
    for p in range(FRACTIONS + 1):
        for k in range(TAPS):
            t = (k - BEFORE - p / FRACTIONS) * step / sigma
            t2 = t * t
            taps[p, k] = exp(-0.5 * t2) * (1.0 + fourth * (t2 * t2 - 6.0 * t2 + 3.0)) / sigma
    return taps


@kernel
def window(place: float) -> tuple[int, int, float]:
    """First bin that the taps around a place on the bin axis touch, and where to read them.

    The taps are those of the row returned, and by the fraction returned those of the next.
    """
    cell = floor(place)
    fine = (place - cell) * FRACTIONS
    row = min(int(fine), FRACTIONS - 1)
    return int(cell) - BEFORE, row, fine - row


@kernel
def spline_weights(t: float) -> tuple[float, float, float, float]:
    """Cubic B-spline weights of the four bins around a point at fraction ``t``."""
    r = 1.0 - t
    a = r * r * r / 6.0
    d = t * t * t / 6.0
    b = 2.0 / 3.0 - t * t * (1.0 - 0.5 * t)
    return a, b, 1.0 - a - b - d, d


@kernel
def binned_rows(
    scores: Vector, second: Vector, rho: float, step: float, low_x: float, low_y: float, n_y: int
) -> Matrix:
    """Histogram of the rows with cubic B-spline weights, on bins of width ``step``."""
    n = len(scores)
    # The sheared score is (second - rho * score) / across; products are cheaper than quotients.
    across = sqrt(1.0 - rho * rho)
    per_step = 1.0 / step
    slope, rise = rho / (across * step), 1.0 / (across * step)
    bins = np.zeros((int((scores[n - 1] - low_x) / step) + 3, n_y))
    flat = bins.ravel()
    for i in range(n):
        x = (scores[i] - low_x) * per_step
        y = second[i] * rise - scores[i] * slope - low_y * per_step
        row = int(x)
        column = int(y)
        a, b, c, d = spline_weights(y - column)
        place = np.uint64((row - 1) * n_y + column - 1)
        for weight in spline_weights(x - row):
            flat[place] += weight * a
            flat[place + np.uint64(1)] += weight * b
            flat[place + np.uint64(2)] += weight * c
            flat[place + np.uint64(3)] += weight * d
            place += np.uint64(n_y)
    return bins


@kernel
def smoothed_line(bins: Matrix, place: float, taps: Matrix, line: Vector) -> None:
    """Fill the middle of ``line`` with the bins smoothed across their first axis at a place."""
    first, row, part = window(place)
    n_x, n_y = bins.shape
    line[:] = 0.0
    for k in range(max(0, -first), min(TAPS, n_x - first)):
        weight = taps[row, k] + part * (taps[row + 1, k] - taps[row, k])
        source = np.uint64(first + k)
        for j in range(np.uint64(n_y)):
            line[np.uint64(TAPS) + j] += weight * bins[source, j]


@kernel
def smoothed_point(line: Vector, place: float, taps: Matrix, products: Vector) -> float:
    """Value of a padded line smoothed at a place on the bin axis; ``products`` is room."""
    first, row, part = window(place)
    start = first + TAPS
    if start < 0 or start + TAPS > len(line):
        return 0.0
    # Unsigned indices spare the check for negative ones, which would halt the vector units.
    low, near, next_row = np.uint64(start), np.uint64(row), np.uint64(row + 1)
    for k in range(np.uint64(TAPS)):
        tap = taps[near, k]
        products[k] = (tap + part * (taps[next_row, k] - tap)) * line[low + k]
    # Added up by halves, which runs on vector units without regrouping anything.
    for k in range(16):
        products[k] += products[k + 16]
    for k in range(8):
        products[k] += products[k + 8]
    for k in range(4):
        products[k] += products[k + 4]
    total: float = (products[0] + products[2]) + (products[1] + products[3])
    return total


@kernel
def density_from_bins(
    scores: Vector, second: Vector, rho: float, h: float, points: Vector, taps: Matrix
) -> Matrix:
    """Kernel density at all grid points, up to a factor, from binned rows."""
    step = h / BINS_PER_BANDWIDTH
    across = sqrt(1.0 - rho * rho)
    low_x = scores[0] - 1.5 * step
    lowest, highest = inf, -inf
    for i in range(len(scores)):
        sheared = second[i] - rho * scores[i]
        lowest = min(lowest, sheared)
        highest = max(highest, sheared)
    low_y = lowest / across - 1.5 * step
    n_y = int((highest / across - low_y) / step) + 4
    bins = binned_rows(scores, second, rho, step, low_x, low_y, n_y)
    line = np.empty(n_y + 2 * TAPS)
    products = np.empty(TAPS)
    density = np.zeros((len(points), len(points)))
    for i in range(len(points)):
        smoothed_line(bins, (points[i] - low_x) / step, taps, line)
        for j in range(len(points)):
            t = (points[j] - rho * points[i]) / across
            value = smoothed_point(line, (t - low_y) / step, taps, products)
            density[i, j] = max(value, 0.0)
    return density


@kernel
def density_from_rows(
    scores: Vector, second: Vector, rho: float, h: float, points: Vector
) -> Matrix:
    """Kernel density at all grid points, up to a factor, summed row by row.

    Along the second axis the kernel at equal steps follows from its neighbour by two
    multiplications.
    """
    size = len(points)
    across = sqrt(1.0 - rho * rho)
    step = (points[1] - points[0]) / across / h
    shrink = exp(-step * step)
    density = np.zeros((size, size))
    for i in range(size):
        low = (points[0] - rho * points[i]) / across
        for r in range(len(scores)):
            dx = (points[i] - scores[r]) / h
            offset = ((second[r] - rho * scores[r]) / across - low) / h
            nearest = min(max(floor(offset / step + 0.5), 0), size - 1)
            d = nearest * step - offset
            centre = exp(-0.5 * (dx * dx + d * d))
            # Nothing is cut but zeros: uniform margins will blow up what is small beyond the data.
            if centre == 0.0:
                continue
            value, ratio = centre, exp(-step * (d + 0.5 * step))
            for j in range(nearest, size):
                density[i, j] += value
                value *= ratio
                ratio *= shrink
            value, ratio = centre, exp(step * (d - 0.5 * step))
            for j in range(nearest - 1, -1, -1):
                value *= ratio
                ratio *= shrink
                density[i, j] += value
    return density


@kernel
def copula_density(
    scores: Vector, second: Vector, rho: float, h: float, points: Vector, taps: Matrix
) -> Matrix:
    """Kernel estimate of the copula density at all pairs of grid points, up to a factor."""
    n = len(scores)
    normal = np.empty(len(points))
    for i in range(len(points)):
        normal[i] = exp(-0.5 * points[i] * points[i])
    narrow = n < FEW_ROWS or h < NARROW * n ** (-1.0 / 6.0)
    narrow = narrow or points[len(points) - 1] - scores[n - 1] > FAR_OUT * h
    if narrow and n < MANY_ROWS:
        density = density_from_rows(scores, second, rho, h, points)
    else:
        density = density_from_bins(scores, second, rho, h, points, taps)
    for i in range(len(points)):
        for j in range(len(points)):
            density[i, j] /= normal[i] * normal[j]
    return density


@kernel
def trapezoid_weights(knots: Vector) -> Vector:
    """Weights that integrate a piecewise linear function through the knots."""
    weights = np.zeros(len(knots))
    for i in range(len(knots) - 1):
        half = 0.5 * (knots[i + 1] - knots[i])
        weights[i] += half
        weights[i + 1] += half
    return weights


@kernel
def overshot(margin: float, power: float) -> float:
    """Margin to a power, to second order where it is near one: powers are costly."""
    off = margin - 1.0
    if abs(off) > 0.1:
        return float(margin**power)
    return 1.0 + power * off * (1.0 + 0.5 * (power - 1.0) * off)


@kernel
def rescale(
    flipped: Matrix,
    weights: Vector,
    factors: Vector,
    others: Vector,
    power: float,
    totals: Vector,
) -> float:
    """Update the factors of the rows in place; the largest error of a margin before.

    The density comes with its rows as columns, so that all rows are summed side by side.
    """
    totals[:] = 0.0
    for j in range(len(others)):
        weight = others[j] * weights[j]
        for i in range(len(totals)):
            totals[i] += weight * flipped[j, i]
    worst = 0.0
    for i in range(len(factors)):
        margin = max(totals[i] * factors[i], LEAST_MASS)
        worst = max(worst, abs(margin - 1.0))
        factors[i] /= margin if power == 1.0 else overshot(margin, power)
    return worst


@kernel
def with_uniform_margins(density: Matrix, weights: Vector) -> Matrix:
    """Density rescaled by rows and columns until both margins are uniform.

    Plain sweeps tell how fast the error shrinks; from that follows how far the next sweeps
    may overshoot. Near-deterministic pairs would take thousands of plain ones.
    """
    flipped = density.T.copy()
    rows = np.ones(len(weights))
    columns = np.ones(len(weights))
    totals = np.empty(len(weights))
    power = 1.0
    last = 1.0
    for sweep in range(MOST_SWEEPS):
        worst = rescale(flipped, weights, rows, columns, power, totals)
        worst = max(worst, rescale(density, weights, columns, rows, power, totals))
        if worst < MARGIN_TOLERANCE:
            break
        if sweep % CYCLE == PLAIN_SWEEPS:
            rate = min(worst / last, 0.9999)
            power = 2.0 / (1.0 + sqrt(1.0 - rate))
        elif sweep % CYCLE == CYCLE - 1:
            power = 1.0
        last = worst
    for i in range(len(rows)):
        for j in range(len(columns)):
            density[i, j] *= rows[i] * columns[j]
    return density


@kernel
def fitted_density(
    scores: Vector,
    second: Vector,
    rho: float,
    h: float,
    points: Vector,
    knots: Vector,
    taps: Matrix,
) -> Matrix:
    """Copula density with uniform margins at all pairs of grid points, first variable down."""
    density = copula_density(scores, second, rho, h, points, taps)
    return with_uniform_margins(density, trapezoid_weights(knots))


@kernel
def fill_densities(
    scores: Vector,
    seconds: Matrix,
    shapes: Matrix,
    points: Vector,
    knots: Vector,
    taps: Matrix,
    densities: Stack,
) -> None:
    """Fill ``densities`` with the :func:`fitted_density` of each row of ``seconds``."""
    for b in range(len(seconds)):
        densities[b] = fitted_density(
            scores, seconds[b], shapes[b, 0], shapes[b, 1], points, knots, taps
        )
