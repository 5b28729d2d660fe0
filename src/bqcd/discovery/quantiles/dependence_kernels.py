"""Linear and maximal correlation of ranks and the bandwidth that rests on them, compiled.

Everything is a function of one permutation: ``inverse[s]`` is the rank of the first
variable in the row where the second has rank ``s`` (ranks count from 0). ``scores`` are
the normal scores of the ranks, increasing.

A kernel calls kernels of its own file only: the cache does not see changes elsewhere.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]

# Rows from which the search starts on a table of ranks, and rows from which a finer table
# is exact enough by itself (to 1e-5).
MANY_ROWS = 4000
VERY_MANY_ROWS = 100_000
COARSE_TABLE = 100
FINE_TABLE = 400
TOLERANCE = 2e-8
MOST_SWEEPS = 100

MOST_CORRELATION = 0.95
# Where the correlation vanishes under strong dependence, the rule would give no width at all.
LEAST_SCALE = 0.01


@kernel
def place(scores: Vector, inverse: Order, second: Vector) -> None:
    """Fill ``second`` with the scores of the second variable, in order of the first."""
    for s in range(len(scores)):
        second[inverse[s]] = scores[s]


@kernel
def lane_sum(values: Vector) -> float:
    """Sum, in four lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(values) // 4 * 4
    for i in range(0, whole, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    for i in range(whole, len(values)):
        a += values[i]
    return (a + b) + (c + d)


@kernel
def inner_product(first: Vector, second: Vector) -> float:
    """Sum of products, in four lanes."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(first) // 4 * 4
    for i in range(0, whole, 4):
        a += first[i] * second[i]
        b += first[i + 1] * second[i + 1]
        c += first[i + 2] * second[i + 2]
        d += first[i + 3] * second[i + 3]
    for i in range(whole, len(first)):
        a += first[i] * second[i]
    return (a + b) + (c + d)


@kernel
def correlation(first: Vector, second: Vector) -> float:
    """Correlation of two arrangements of the same normal scores."""
    return inner_product(first, second) / inner_product(first, first)


@kernel
def smooth(values: Vector, out: Vector) -> tuple[float, float]:
    """Fill ``out`` with a moving mean over a fifth of the rows either side.

    What makes it of mean 0 and variance 1 is returned: what to take off, and the factor.
    """
    n = len(values)
    width = ceil(n / 5)
    span = 2 * width + 1
    share = 1.0 / span
    total = lane_sum(values[:span])
    first = total * share
    out[width] = first
    added, square = first, first * first
    for i in range(width + 1, n - width):
        total += values[i + width] - values[i - width - 1]
        value = total * share
        out[i] = value
        added += value
        square += value * value
    last = out[n - width - 1]
    for i in range(width):
        out[i] = first
        out[n - 1 - i] = last
    mean = (added + width * (first + last)) / n
    square += width * (first * first + last * last) - n * mean * mean
    return mean, sqrt((n - 1) / square) if square > 0.0 else 0.0


@kernel
def exact_sweep(
    inverse: Order, first: Vector, second: Vector, held: Vector, mean: float, scale: float
) -> tuple[float, float, float]:
    """Replace both transformations by smoothed conditional means; their correlation.

    The first transformation is ``first`` less ``mean``, times ``scale``, before and after.
    """
    n = len(inverse)
    # Unsigned indices spare the check for negative ones, which takes as long as the rest.
    for s in range(n):
        held[s] = (first[np.uint32(inverse[s])] - mean) * scale
    mean, scale = smooth(held, second)
    for s in range(n):
        held[np.uint32(inverse[s])] = (second[s] - mean) * scale
    mean, scale = smooth(held, first)
    return inner_product(first, held) * scale / (n - 1), mean, scale


@kernel
def centred_ranks(n: int) -> Vector:
    """Ranks less their mean."""
    ranks = np.empty(n)
    for i in range(n):
        ranks[i] = i - 0.5 * (n - 1)
    return ranks


@kernel
def rank_table(inverse: Order, size: int) -> Matrix:
    """Share of the rows in each cell of a table of ranks: second variable down, first across."""
    n = len(inverse)
    table = np.zeros((size, size))
    share = 1.0 / n
    unit = size / n
    for j in range(size):
        line = table[j]
        for s in range(j * n // size, (j + 1) * n // size):
            line[min(int(inverse[s] * unit), size - 1)] += share
    return table


@kernel
def means_of_neighbours(values: Vector) -> Vector:
    """Mean of each value and the next."""
    means = np.empty(len(values) - 1)
    for i in range(len(means)):
        means[i] = 0.5 * (values[i] + values[i + 1])
    return means


@kernel
def table_sweep(table: Matrix, given: Vector, out: Vector) -> None:
    """Smoothed conditional mean of a transformation, by a table of ranks.

    Transformations are linear between the edges of equal bins and held by their values
    at the edges, so that the error is of second order in the bin width.
    """
    size = len(table)
    width = size // 5
    running = np.empty(size + 1)
    running[0] = 0.0
    middle = means_of_neighbours(given)
    for j in range(size):
        running[j + 1] = running[j] + inner_product(table[j], middle)
    for j in range(width, size + 1 - width):
        out[j] = running[j + width] - running[j - width]
    for j in range(width):
        out[j] = out[width]
        out[size - j] = out[size - width]
    mean = 0.0
    for j in range(size):
        mean += 0.5 * (out[j] + out[j + 1]) / size
    square = 0.0
    for j in range(size + 1):
        out[j] -= mean
    for j in range(size):
        square += (out[j] * (out[j] + out[j + 1]) + out[j + 1] * out[j + 1]) / (3.0 * size)
    for j in range(size + 1):
        out[j] /= sqrt(square)


@kernel
def table_correlation(table: Matrix, first: Vector, second: Vector) -> float:
    """Correlation of two transformations held by their values at the edges of bins."""
    middle = means_of_neighbours(first)
    total = 0.0
    for j in range(len(table)):
        total += inner_product(table[j], middle) * 0.5 * (second[j] + second[j + 1])
    return total


@kernel
def table_transformation(inverse: Order, size: int) -> tuple[float, Vector, bool]:
    """Maximal correlation by a table of ranks, the first transformation at its edges.

    And whether the search has come to an end: of independent columns it may go in circles.
    """
    table = rank_table(inverse, size)
    flipped = table.T.copy()
    first = centred_ranks(size + 1)
    second = np.empty(size + 1)
    found = 0.0
    for _ in range(MOST_SWEEPS):
        table_sweep(table, first, second)
        table_sweep(flipped, second, first)
        last, found = found, table_correlation(table, first, second)
        if abs(last - found) < TOLERANCE:
            return found, first, True
    return found, first, False


@kernel
def maximal_correlation(inverse: Order) -> float:
    """Correlation of the two transformations found by alternating conditional means."""
    n = len(inverse)
    if n >= VERY_MANY_ROWS:
        return table_transformation(inverse, FINE_TABLE)[0]
    first = centred_ranks(n)
    sweeps = MOST_SWEEPS
    if n >= MANY_ROWS:
        _, edges, settled = table_transformation(inverse, COARSE_TABLE)
        sweeps = MOST_SWEEPS if settled else 1
        for i in range(n):
            place = (i + 0.5) * COARSE_TABLE / n
            j = int(place)
            first[i] = edges[j] + (place - j) * (edges[j + 1] - edges[j])
    second = np.empty(n)
    held = np.empty(n)
    found, step, limit = 0.0, 0.0, 0.0
    mean, scale = 0.0, 1.0
    for _ in range(sweeps):
        last = found
        found, mean, scale = exact_sweep(inverse, first, second, held, mean, scale)
        before, step = step, found - last
        # Steps shrink by a nearly constant factor: the limit is known before it is reached.
        guess, limit = limit, found
        if before > step > 0.0:
            limit = min(found + step * step / (before - step), 1.0)
        if abs(limit - guess) < TOLERANCE:
            break
    return limit


@kernel
def bandwidth(n: int, rho: float, maximal: float) -> float:
    """Kernel bandwidth on the normal scale, from linear and maximal correlation."""
    scale = abs(rho / maximal) ** (0.5 * maximal) if maximal > 0.0 else 1.0
    return sqrt(n ** (-1.0 / 3.0) * max(scale, LEAST_SCALE))


@kernel
def kernel_shape(scores: Vector, inverse: Order, second: Vector) -> tuple[float, float]:
    """Correlation and bandwidth of the kernel; ``second`` is filled as by :func:`place`."""
    place(scores, inverse, second)
    rho = min(max(correlation(scores, second), -MOST_CORRELATION), MOST_CORRELATION)
    return rho, bandwidth(len(scores), rho, maximal_correlation(inverse))


@kernel
def fill_kernel_shapes(scores: Vector, inverses: Orders, seconds: Matrix, shapes: Matrix) -> None:
    """Do what :func:`kernel_shape` does for each row of ``inverses``."""
    for b in range(len(inverses)):
        shapes[b, 0], shapes[b, 1] = kernel_shape(scores, inverses[b], seconds[b])
