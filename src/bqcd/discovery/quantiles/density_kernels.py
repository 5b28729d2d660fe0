"""Kernel density of a copula on a grid, with uniform margins, compiled.

``scores`` are the normal scores of the first variable, increasing; ``second`` are those of
the second variable in the same rows.
"""

from __future__ import annotations

from math import ceil, exp, floor, inf, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

# Bins per bandwidth, at least, and more of them where it is narrower than by its rule; and
# bandwidths that the taps cover either side. With 2 bins the confidence would be off by more than
# 1e-5 where the bandwidth is narrow.
BINS_PER_BANDWIDTH = 2.8
MORE_BINS = 3.5
NEARLY_WIDE = 0.9
REACH = 5.3
SIDE_BY_SIDE = 256
SIXTH = 1.0 / 6.0
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
def fill_taps(taps: Vector, first: float, step: float) -> None:
    """Fill with the kernel at bins ``first``, ``first`` + 1, ... of a width in bandwidths.

    Cubic B-spline binning smooths too; its variance is taken off the Gaussian's and its fourth
    order is made good. A Gaussian at equal steps follows from the one before by a product.
    """
    sigma = sqrt(1.0 - step * step / 3.0)
    unit = step / sigma
    fourth = unit**4 / 720.0
    t = first * unit
    value, ratio, shrink = exp(-0.5 * t * t), exp(-unit * (t + 0.5 * unit)), exp(-unit * unit)
    for k in range(len(taps)):
        t2 = t * t
        taps[k] = value * (1.0 + fourth * (t2 * t2 - 6.0 * t2 + 3.0))
        t += unit
        value *= ratio
        ratio *= shrink


@kernel
def fill_spline_weights(place: float, weights: Matrix, at: int) -> None:
    """Fill a column with the cubic B-spline weights of the four bins around a fraction of one."""
    r = 1.0 - place
    a, d = r * r * r * SIXTH, place * place * place * SIXTH
    b = 4.0 * SIXTH - place * place * (1.0 - 0.5 * place)
    weights[0, at], weights[1, at], weights[2, at], weights[3, at] = a, b, 1.0 - a - b - d, d


@kernel
def bin_rows(scores: Vector, second: Vector, lines: Vector, columns: Vector, bins: Matrix) -> None:
    """Add the rows to the bins with cubic B-spline weights.

    A row is at bin ``lines[0] + lines[1] * score`` across the first axis, and at ``columns[0] +
    columns[1] * score + columns[2] * second`` across the other. Weights of some rows are worked
    out side by side before any is added.
    """
    flat, width = bins.ravel(), bins.shape[1]
    below = np.uint64(width)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    across, along = np.empty((4, SIDE_BY_SIDE)), np.empty((4, SIDE_BY_SIDE))
    places = np.empty(SIDE_BY_SIDE, np.int32)
    x_start, x_rise = lines[0], lines[1]
    y_start, y_shear, y_rise = columns[0], columns[1], columns[2]
    for start in range(0, len(scores), SIDE_BY_SIDE):
        first, others = scores[start : start + SIDE_BY_SIDE], second[start : start + SIDE_BY_SIDE]
        for i in range(len(first)):
            x = x_start + x_rise * first[i]
            y = y_start + y_shear * first[i] + y_rise * others[i]
            row, column = np.int32(x), np.int32(y)
            fill_spline_weights(x - row, across, i)
            fill_spline_weights(y - column, along, i)
            places[i] = (row - 1) * width + column - 1
        for i in range(len(first)):
            p = np.uint64(places[i])
            a, b, c, d = along[0, i], along[1, i], along[2, i], along[3, i]
            for k in range(4):
                weight = across[k, i]
                flat[p] += weight * a
                flat[p + one] += weight * b
                flat[p + two] += weight * c
                flat[p + three] += weight * d
                p += below


@kernel
def smooth_across(bins: Matrix, centre: int, taps: Vector, line: Vector) -> None:
    """Fill ``line`` with the bins smoothed across their first axis, at the middle of one.

    ``taps`` are those from the middle on, a multiple of four after the first.
    """
    width = bins.shape[1]
    middle = bins[centre]
    for j in range(width):
        line[j] = taps[0] * middle[j]
    for k in range(1, len(taps), 4):
        a, b = bins[centre + k], bins[centre - k]
        c, d = bins[centre + k + 1], bins[centre - k - 1]
        e, f = bins[centre + k + 2], bins[centre - k - 2]
        g, h = bins[centre + k + 3], bins[centre - k - 3]
        s, t, u, v = taps[k], taps[k + 1], taps[k + 2], taps[k + 3]
        for j in range(width):
            line[j] += (s * (a[j] + b[j]) + t * (c[j] + d[j])) + (
                u * (e[j] + f[j]) + v * (g[j] + h[j])
            )


@kernel
def smooth_along(
    line: Vector, start: int, taps: Vector, per: int, length: int, values: Vector
) -> None:
    """Fill ``values`` with a line smoothed at places ``per`` bins apart.

    ``taps`` begin at bin ``start`` for the first value; there are a multiple of eight of them.
    Bins that are ``per`` apart lie beside each other, in parts of some ``length``.
    """
    values[:] = 0.0
    for k in range(0, len(taps), 8):
        y = start + k
        a, b = line[y % per * length + y // per :], line[(y + 1) % per * length + (y + 1) // per :]
        y += 2
        c, d = line[y % per * length + y // per :], line[(y + 1) % per * length + (y + 1) // per :]
        y += 2
        e, f = line[y % per * length + y // per :], line[(y + 1) % per * length + (y + 1) // per :]
        y += 2
        g, h = line[y % per * length + y // per :], line[(y + 1) % per * length + (y + 1) // per :]
        p, q, r, s = taps[k], taps[k + 1], taps[k + 2], taps[k + 3]
        t, u, v, w = taps[k + 4], taps[k + 5], taps[k + 6], taps[k + 7]
        for j in range(len(values)):
            values[j] += ((p * a[j] + q * b[j]) + (r * c[j] + s * d[j])) + (
                (t * e[j] + u * f[j]) + (v * g[j] + w * h[j])
            )


@kernel
def density_from_bins(
    scores: Vector, second: Vector, rho: float, h: float, points: Vector
) -> Matrix:
    """Kernel density at all grid points, up to a factor, from binned rows.

    Bins divide the steps of the grid, so that all points of a line are at the same place
    between two bins, and all lines in the middle of one. In a line, bins that are a step of the
    grid apart are put beside each other.
    """
    size = len(points)
    across = sqrt(1.0 - rho * rho)
    apart = points[1] - points[0]
    wide = h > NEARLY_WIDE * len(scores) ** (-1.0 / 6.0)
    finest = (BINS_PER_BANDWIDTH if wide else MORE_BINS) * apart / h
    per_x, per_y = ceil(finest), ceil(finest / across)
    step_x, step_y = apart / per_x, apart / (across * per_y)
    reach_x = (ceil(REACH * h / step_x) + 3) // 4 * 4
    reach_y = ceil(REACH * h / step_y) + 1
    n_taps = (2 * reach_y + 8) // 8 * 8
    # Bins below the first grid point, for the rows and for the taps; as many above the last.
    before = max(ceil((points[0] - scores[0]) / step_x) + 2, reach_x)
    low, high = sheared_range(scores, second, rho)
    low_y = low / across - 1.5 * step_y
    held = ceil((ceil((high / across - low_y) / step_y) + 3) / per_y)
    bins = np.zeros((2 * before + (size - 1) * per_x + 1, held * per_y))
    lines = np.array([before - points[0] / step_x, 1.0 / step_x])
    rise = 1.0 / (across * step_y)
    columns = np.array([-low_y / step_y, -rho * rise, rise])
    bin_rows(scores, second, lines, columns, bins)
    # Lines are smoothed with room on either side, as far as the taps of the outer points reach.
    farthest = points[size - 1] * (1.0 + abs(rho)) / across
    room = ceil((max((farthest + low_y) / step_y, 0.0) + reach_y + 2) / per_y)
    after = ceil((max((farthest - high / across) / step_y, 0.0) + n_taps + 2) / per_y)
    length = room + held + after
    smoothed, line = np.empty(held * per_y), np.zeros(per_y * length)
    taps_x, taps_y = np.empty(reach_x + 1), np.empty(n_taps)
    fill_taps(taps_x, 0.0, step_x / h)
    density = np.empty((size, size))
    for i in range(size):
        smooth_across(bins, before + i * per_x, taps_x, smoothed)
        for p in range(per_y):
            start = p * length + room
            for m in range(held):
                line[start + m] = smoothed[m * per_y + p]
        place = ((points[0] - rho * points[i]) / across - low_y) / step_y
        cell = floor(place)
        fill_taps(taps_y, cell - reach_y - place, step_y / h)
        smooth_along(line, room * per_y + cell - reach_y, taps_y, per_y, length, density[i])
    return density


@kernel
def sheared_range(scores: Vector, second: Vector, rho: float) -> tuple[float, float]:
    """Least and greatest second score less ``rho`` times the first."""
    low, high = inf, -inf
    for i in range(len(scores)):
        sheared = second[i] - rho * scores[i]
        low = min(low, sheared)
        high = max(high, sheared)
    return low, high


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
def copula_density(scores: Vector, second: Vector, rho: float, h: float, points: Vector) -> Matrix:
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
        density = density_from_bins(scores, second, rho, h, points)
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
) -> Matrix:
    """Copula density with uniform margins at all pairs of grid points, first variable down."""
    density = copula_density(scores, second, rho, h, points)
    return with_uniform_margins(density, trapezoid_weights(knots))


@kernel
def fill_densities(
    scores: Vector,
    seconds: Matrix,
    shapes: Matrix,
    points: Vector,
    knots: Vector,
    densities: Stack,
) -> None:
    """Fill ``densities`` with the :func:`fitted_density` of each row of ``seconds``."""
    for b in range(len(seconds)):
        rho, h = shapes[b, 0], shapes[b, 1]
        density = fitted_density(scores, seconds[b], rho, h, points, knots)
        for i in range(len(points)):
            for j in range(len(points)):
                densities[b, i, j] = density[i, j]
