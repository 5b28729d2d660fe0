"""Kernel density of a copula on a grid, with uniform margins, compiled.

``scores`` are the normal scores of the first variable, increasing; ``second`` are those of
the second variable in the same rows.
"""

from __future__ import annotations

from math import ceil, exp, floor, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.quantiles.margin_kernels import trapezoid_weights, with_uniform_margins
from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Places = NDArray[np.uint64]

# Bins per bandwidth, at least, and more of them where it is narrower than by its rule; and
# bandwidths that the taps cover either side. With 2 bins the confidence would be off by more than
# 1e-5 where the bandwidth is narrow.
BINS_PER_BANDWIDTH = 2.8
MORE_BINS = 3.5
NEARLY_WIDE = 0.9
REACH = 5.3
SIDE_BY_SIDE = 256
SIXTH = 1.0 / 6.0
# Numbers of a line that are summed side by side, over so many taps at once.
BLOCK = 32
TAPS = 8
# Where bins are not exact enough, and rows are few enough to do without: few rows, a
# bandwidth below half its rule, or grid points so far out that the taps do not reach back.
FEW_ROWS = 100
NARROW = 0.5
FAR_OUT = 4.0
MANY_ROWS = 4000


@kernel
def bell_values(length: int, step: float) -> Vector:
    """A Gaussian at 0, 1, ... bins of a width in bandwidths.

    Cubic B-spline binning smooths too; its variance is taken off the Gaussian's. At equal steps
    each value follows from the one before by a product.
    """
    bell = np.empty(length)
    unit = step / sqrt(1.0 - step * step / 3.0)
    value, ratio, shrink = 1.0, exp(-0.5 * unit * unit), exp(-unit * unit)
    for k in range(length):
        bell[k] = value
        value *= ratio
        ratio *= shrink
    return bell


@kernel
def fill_taps(taps: Vector, bell: Vector, first: float, step: float) -> None:
    """Fill with the kernel at bins ``first``, ``first`` + 1, ...; a multiple of four of them.

    A Gaussian about any place is the ``bell`` about zero times the powers of one number. What
    binning takes away in the fourth order is made good.
    """
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    unit = step / sqrt(1.0 - step * step / 3.0)
    fourth = unit**4 / 720.0
    start = first * unit
    a, ratio = exp(-0.5 * start * start), exp(-start * unit)
    b, square = a * ratio, ratio * ratio
    c, d, leap = a * square, b * square, square * square
    for k in range(np.uint64(0), np.uint64(len(taps)), four):
        taps[k], taps[k + one], taps[k + two], taps[k + three] = a, b, c, d
        a, b, c, d = a * leap, b * leap, c * leap, d * leap
    for k in range(len(taps)):
        t = start + k * unit
        t2 = t * t
        taps[k] = taps[k] * bell[k] * (1.0 + fourth * (t2 * t2 - 6.0 * t2 + 3.0))


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
def sum_block(
    lines: Vector, places: Places, shift: int, taps: Vector, sums: Vector, at: int
) -> None:
    """Fill a block of ``sums``, from ``at`` on, with blocks of lines times taps.

    The k-th block begins at ``places[k] + shift``; there are as many as taps, a multiple of
    eight. Unsigned places and one length of blocks let the compiler make vectors of this.
    """
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    five, six, seven = np.uint64(5), np.uint64(6), np.uint64(7)
    start, move = np.uint64(at), np.uint64(shift)
    for j in range(np.uint64(BLOCK)):
        sums[start + j] = 0.0
    for k in range(np.uint64(0), np.uint64(len(taps)), np.uint64(TAPS)):
        a, b = places[k] + move, places[k + one] + move
        c, d = places[k + two] + move, places[k + three] + move
        e, f = places[k + four] + move, places[k + five] + move
        g, h = places[k + six] + move, places[k + seven] + move
        p, q, r, s = taps[k], taps[k + one], taps[k + two], taps[k + three]
        t, u, v, w = taps[k + four], taps[k + five], taps[k + six], taps[k + seven]
        for j in range(np.uint64(BLOCK)):
            sums[start + j] += (
                (p * lines[a + j] + q * lines[b + j]) + (r * lines[c + j] + s * lines[d + j])
            ) + ((t * lines[e + j] + u * lines[f + j]) + (v * lines[g + j] + w * lines[h + j]))


@kernel
def in_blocks(length: int) -> int:
    """Length of the blocks that hold so many numbers."""
    return (length + BLOCK - 1) // BLOCK * BLOCK


@kernel
def smoothed_across(
    bins: Matrix, centre: int, per: int, size: int, reach: int, step: float
) -> Matrix:
    """Bins smoothed across their first axis, at every ``per``-th line from ``centre`` on.

    The last line of the bins is an empty one, and stands for all beyond.
    """
    rows, width = len(bins) - 1, bins.shape[1]
    taps = np.zeros(2 * reach + 1 + TAPS)
    some = (2 * reach + 4) // 4 * 4
    fill_taps(taps[:some], bell_values(some, step), float(-reach), step)
    taps[2 * reach + 1 :] = 0.0
    places = np.empty(rows + TAPS, np.uint64)
    for row in range(len(places)):
        places[row] = min(row, rows) * width
    smoothed = np.empty((size, width))
    lines, sums = bins.ravel(), smoothed.ravel()
    for block in range(0, width, BLOCK):
        for i in range(size):
            middle = centre + i * per
            first = min(max(middle - reach, 0), rows)
            stop = min(max(middle + reach + 1, first), rows)
            count = (stop - first + TAPS - 1) // TAPS * TAPS
            start = max(first - middle + reach, 0)
            near = taps[start : start + count]
            sum_block(lines, places[first : first + count], block, near, sums, i * width + block)
    return smoothed


@kernel
def phase_places(per: int, length: int) -> Places:
    """Place of each bin of a line in which those ``per`` apart lie beside each other."""
    places = np.empty(per * length, np.uint64)
    for m in range(length):
        for p in range(per):
            places[m * per + p] = p * length + m
    return places


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
    # Bins from the first that holds a row to the first grid point, and all that hold one.
    before = ceil((points[0] - scores[0]) / step_x) + 2
    lines = np.array([before - points[0] / step_x, 1.0 / step_x])
    rows = int(lines[0] + lines[1] * scores[len(scores) - 1]) + 3
    low, high = sheared_range(scores, second, rho)
    low, high = low / across - 1.5 * step_y, high / across
    held = ceil((ceil((high - low) / step_y) + 3) / per_y)
    bins = np.zeros((rows + 1, in_blocks(held * per_y)))
    rise = 1.0 / (across * step_y)
    columns = np.array([-low / step_y, -rho * rise, rise])
    bin_rows(scores, second, lines, columns, bins)
    smoothed = smoothed_across(bins, before, per_x, size, reach_x, step_x / h)
    return density_along(smoothed[:, : held * per_y], per_y, low, step_y, h, (rho, points))


@kernel
def density_along(
    smoothed: Matrix,
    per: int,
    low: float,
    step: float,
    h: float,
    grid: tuple[float, Vector],
) -> Matrix:
    """Density at all grid points from lines that are smoothed across, one for each point.

    There are ``per`` bins of some ``step`` to a step of the grid; the first begins at ``low``.
    """
    rho, points = grid
    size, held = len(points), smoothed.shape[1] // per
    across = sqrt(1.0 - rho * rho)
    reach = ceil(REACH * h / step) + 1
    n_taps = (2 * reach + 8) // 8 * 8
    values, taps = np.empty(in_blocks(size)), np.empty(n_taps)
    # Room on either side of a line, as far as the taps of the outer points reach.
    farthest = points[size - 1] * (1.0 + abs(rho)) / across
    room = ceil((max((farthest + low) / step, 0.0) + reach + 2) / per)
    after = ceil((max((farthest - low) / step - held * per, 0.0) + n_taps + 3) / per)
    length = room + held + after + len(values) - size
    line, places = np.zeros(per * length), phase_places(per, length)
    bell = bell_values(n_taps, step / h)
    density = np.empty((size, size))
    for i in range(size):
        for p in range(per):
            start = p * length + room
            for m in range(held):
                line[start + m] = smoothed[i, m * per + p]
        place = ((points[0] - rho * points[i]) / across - low) / step
        cell = floor(place)
        fill_taps(taps, bell, cell - reach - place, step / h)
        start = room * per + cell - reach
        for block in range(0, len(values), BLOCK):
            sum_block(line, places[start : start + n_taps], block, taps, values, block)
        for j in range(size):
            density[i, j] = values[j]
    return density


@kernel
def sheared_range(scores: Vector, second: Vector, rho: float) -> tuple[float, float]:
    """Least and greatest second score less ``rho`` times the first."""
    low, high = inf, -inf
    lows, highs = np.full(BLOCK, inf), np.full(BLOCK, -inf)
    whole = len(scores) // BLOCK * BLOCK
    for start in range(np.uint64(0), np.uint64(whole), np.uint64(BLOCK)):
        for i in range(np.uint64(BLOCK)):
            sheared = second[start + i] - rho * scores[start + i]
            lows[i] = sheared if sheared < lows[i] else lows[i]
            highs[i] = sheared if sheared > highs[i] else highs[i]
    for i in range(whole, len(scores)):
        sheared = second[i] - rho * scores[i]
        low, high = min(low, sheared), max(high, sheared)
    for i in range(BLOCK):
        low, high = min(low, lows[i]), max(high, highs[i])
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
    share = np.empty(len(points))
    for i in range(len(points)):
        share[i] = exp(0.5 * points[i] * points[i])
    narrow = n < FEW_ROWS or h < NARROW * n ** (-1.0 / 6.0)
    narrow = narrow or points[len(points) - 1] - scores[n - 1] > FAR_OUT * h
    if narrow and n < MANY_ROWS:
        density = density_from_rows(scores, second, rho, h, points)
    else:
        density = density_from_bins(scores, second, rho, h, points)
    for i in range(len(points)):
        for j in range(len(points)):
            density[i, j] *= share[i] * share[j]
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
