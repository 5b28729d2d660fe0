"""Linear and maximal correlation of ranks and the bandwidth that rests on them, compiled.

Everything is a function of one permutation: ``inverse[s]`` is the rank of the first
variable in the row where the second has rank ``s`` (ranks count from 0). ``scores`` are
the normal scores of the ranks, increasing.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]

# Rows from which a table of ranks is exact enough (to 1e-5), and its size.
MANY_ROWS = 100_000
TABLE = 400
TOLERANCE = 2e-8
MOST_SWEEPS = 100
# Directions of the search, at how many places they are made orthogonal, and what may be left of
# a sweep outside of them. Four directions are the rule, eight where columns are independent.
MOST_DIRECTIONS = 12
PLACES = 64
RESIDUAL = 1e-6
SOME_TURNS = 15
LEAST_TURN = 1e-9

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
def fill_running_sums(steps: Vector, total: float, share: float, out: Vector) -> None:
    """Fill ``out`` with ``share`` times the sums of ``total`` and the first steps.

    In four parts side by side, as each sum has to wait for the one before.
    """
    part = np.uint64(len(steps) // 4)
    two, three, four = part + part, part + part + part, np.uint64(4) * part
    a, b, c, d = total, 0.0, 0.0, 0.0
    for i in range(part):
        a += steps[i]
        b += steps[part + i]
        c += steps[two + i]
        d += steps[three + i]
        out[i] = a * share
        out[part + i] = b
        out[two + i] = c
        out[three + i] = d
    b += a
    c += b
    for i in range(part):
        out[part + i] = (out[part + i] + a) * share
        out[two + i] = (out[two + i] + b) * share
        out[three + i] = (out[three + i] + c) * share
    total = d + c
    for i in range(four, np.uint64(len(steps))):
        total += steps[i]
        out[i] = total * share


@kernel
def smooth(values: Vector, steps: Vector, out: Vector) -> None:
    """Fill ``out`` with a moving mean over a fifth of the rows either side, less its mean.

    ``steps`` is room to work in.
    """
    n = len(values)
    width = ceil(n / 5)
    span = np.uint64(2 * width + 1)
    inner = n - 2 * width
    total = lane_sum(values[:span])
    for i in range(np.uint64(inner - 1)):
        steps[i] = values[i + span] - values[i]
    first = total / span
    out[width] = first
    fill_running_sums(steps[: inner - 1], total, 1.0 / span, out[width + 1 : n - width])
    last = out[n - width - 1]
    mean = (lane_sum(out[width : n - width]) + width * (first + last)) / n
    out[:width] = first
    out[n - width :] = last
    for i in range(np.uint64(n)):
        out[i] -= mean


@kernel
def sweep(
    inverse: Order, given: Vector, held: Vector, steps: Vector, second: Vector, found: Vector
) -> None:
    """Fill ``found`` with the smoothed conditional mean of the smoothed conditional mean.

    ``second`` is the one in between, by the second variable, and ``held`` the same by the
    first one; ``steps`` is room to work in.
    """
    n = len(inverse)
    # Unsigned indices spare the check for negative ones, which takes as long as the rest.
    for s in range(n):
        held[s] = given[np.uint32(inverse[s])]
    smooth(held, steps, second)
    for s in range(n):
        held[np.uint32(inverse[s])] = second[s]
    smooth(held, steps, found)


@kernel
def swept_correlation(held: Vector, found: Vector) -> float:
    """Correlation of the two transformations that a sweep leaves; 0 if one is constant."""
    square = inner_product(held, held) * inner_product(found, found)
    return inner_product(held, found) / sqrt(square) if square > 0.0 else 0.0


@kernel
def sampled_product(first: Vector, second: Vector, stride: int) -> float:
    """Sum of the products at every so many places."""
    total = 0.0
    for i in range(0, len(first), stride):
        total += first[i] * second[i]
    return total


@kernel
def turn_towards(matrix: Matrix, size: int, vector: Vector, most: int) -> float:
    """Turn a vector towards the leading eigenvector of a small matrix; the factor it grows by.

    The matrix is zero below its first subdiagonal.
    """
    room = np.empty(size)
    growth = 0.0
    for _ in range(most):
        square = 0.0
        for i in range(size):
            total = 0.0
            for j in range(max(i - 1, 0), size):
                total += matrix[i, j] * vector[j]
            room[i] = total
            square += total * total
        growth = sqrt(square)
        if growth == 0.0:
            return 0.0
        turn = 0.0
        for i in range(size):
            value = room[i] / growth
            turn = max(turn, abs(value - vector[i]))
            vector[i] = value
        if turn < LEAST_TURN:
            break
    return growth


@kernel
def maximal_by_directions(inverse: Order) -> float:
    """Maximal correlation from the few directions that sweeps span: Arnoldi's method.

    Sweeping again and again ends at the leading eigenvector of a sweep; the span of a few
    sweeps has it already. Directions are made orthogonal by their values at some places only,
    which serves as well and is quicker.
    """
    n = len(inverse)
    stride = max(1, n // PLACES)
    directions = np.empty((MOST_DIRECTIONS + 1, n))
    products = np.zeros((MOST_DIRECTIONS + 1, MOST_DIRECTIONS))
    held, steps, second = np.empty(n), np.empty(n), np.empty(n)
    shares = np.zeros(MOST_DIRECTIONS)
    shares[0] = 1.0
    for r in range(n):
        directions[0, r] = r - 0.5 * (n - 1)
    norm = sqrt(sampled_product(directions[0], directions[0], stride))
    for r in range(n):
        directions[0, r] /= norm
    size = 0
    for k in range(MOST_DIRECTIONS):
        size = k + 1
        last = directions[size]
        sweep(inverse, directions[k], held, steps, second, last)
        for i in range(size):
            other = directions[i]
            product = sampled_product(other, last, stride)
            products[i, k] = product
            for r in range(n):
                last[r] -= product * other[r]
        norm = sqrt(sampled_product(last, last, stride))
        products[size, k] = norm
        growth = turn_towards(products, size, shares, SOME_TURNS)
        if norm * abs(shares[k]) <= RESIDUAL * growth:
            break
        for r in range(n):
            last[r] /= norm
    # Where two eigenvectors are nearly as good, or turn about each other, sweeps have no end
    # but the last one allowed: what they would come to by then.
    shares[:] = 0.0
    shares[0] = 1.0
    turn_towards(products, size, shares, MOST_SWEEPS - 1)
    found = directions[size]
    found[:] = 0.0
    for i in range(size):
        share, other = shares[i], directions[i]
        for r in range(n):
            found[r] += share * other[r]
    sweep(inverse, found, held, steps, second, directions[0])
    return swept_correlation(held, directions[0])


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
def maximal_by_table(inverse: Order) -> float:
    """Maximal correlation by a table of ranks, which is exact enough where rows are many."""
    table = rank_table(inverse, TABLE)
    flipped = table.T.copy()
    first = centred_ranks(TABLE + 1)
    second = np.empty(TABLE + 1)
    found = 0.0
    for _ in range(MOST_SWEEPS):
        table_sweep(table, first, second)
        table_sweep(flipped, second, first)
        last, found = found, table_correlation(table, first, second)
        if abs(last - found) < TOLERANCE:
            break
    return found


@kernel
def bandwidth(n: int, rho: float, maximal: float) -> float:
    """Kernel bandwidth on the normal scale, from linear and maximal correlation."""
    scale = abs(rho / maximal) ** (0.5 * maximal) if maximal > 0.0 else 1.0
    return sqrt(n ** (-1.0 / 3.0) * max(scale, LEAST_SCALE))


@kernel
def clipped_correlation(scores: Vector, second: Vector) -> float:
    """Correlation of two arrangements of the same scores, as far from one as a density allows."""
    return min(max(correlation(scores, second), -MOST_CORRELATION), MOST_CORRELATION)


@kernel
def fill_kernel_shapes(scores: Vector, inverses: Orders, seconds: Matrix, shapes: Matrix) -> None:
    """Fill ``shapes`` with correlation and bandwidth of each pair, ``seconds`` by :func:`place`."""
    for b in range(len(inverses)):
        place(scores, inverses[b], seconds[b])
        rho = clipped_correlation(scores, seconds[b])
        maximal = maximal_by_directions(inverses[b])
        shapes[b, 0], shapes[b, 1] = rho, bandwidth(len(scores), rho, maximal)


@kernel
def fill_long_kernel_shapes(
    scores: Vector, inverses: Orders, seconds: Matrix, shapes: Matrix
) -> None:
    """Do what :func:`fill_kernel_shapes` does, for ``MANY_ROWS`` rows or more."""
    for b in range(len(inverses)):
        place(scores, inverses[b], seconds[b])
        rho = clipped_correlation(scores, seconds[b])
        maximal = maximal_by_table(inverses[b])
        shapes[b, 0], shapes[b, 1] = rho, bandwidth(len(scores), rho, maximal)
