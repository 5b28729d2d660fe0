"""Maximal correlation of ranks, compiled.

Everything is a function of one permutation: ``inverse[s]`` is the rank of the first
variable in the row where the second has rank ``s`` (ranks count from 0).
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel
from bqcd.runtime.sum_kernels import lane_sum, long_inner_product

Order = NDArray[np.int32]

TABLE = 400
TOLERANCE = 2e-8
MOST_SWEEPS = 100
# Directions of the search, at how many places they are made orthogonal, and what may be left of
# a sweep outside of them. Four directions are the rule, eight where columns are independent.
MOST_DIRECTIONS = 16
FEWEST_DIRECTIONS = 2
PLACES = 64
RESIDUAL = 1e-7
SOME_TURNS = 6
LEAST_TURN = 1e-9


@kernel
def fill_window_sums(
    values: Vector, places: NDArray[np.uint32], sums: Vector, windows: Vector
) -> None:
    """Fill ``windows`` with moving sums of the values at the given places.

    There is one for each place as far from both ends as half a window; ``sums`` is room for
    the running sums. Four places are taken at once, as each sum has to wait for the one before.
    """
    n = len(places)
    # Unsigned indices spare the check for negative ones, which takes as long as the rest.
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    total = 0.0
    sums[0] = 0.0
    for i in range(np.uint64(0), np.uint64(n // 4 * 4), four):
        a = values[places[i]]
        b = a + values[places[i + one]]
        c = values[places[i + two]]
        d = c + values[places[i + three]]
        sums[i + one] = total + a
        sums[i + two] = total + b
        sums[i + three] = total + (b + c)
        total += b + d
        sums[i + four] = total
    for i in range(n // 4 * 4, n):
        total += values[places[i]]
        sums[i + 1] = total
    span = np.uint64(n - len(windows) + 1)
    for i in range(np.uint64(len(windows))):
        windows[i] = sums[i + span] - sums[i]


@kernel
def inner_places(inverse: Order, inner: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """For each rank of the second variable, the place of the first among the inner ones; and back.

    Smoothed transformations are constant outside of the inner ranks, so these are all that is
    kept of them.
    """
    n = len(inverse)
    width, last = (n - inner) // 2, inner - 1
    towards, back = np.empty(n, np.uint32), np.empty(n, np.uint32)
    for s in range(n):
        towards[s] = min(max(inverse[s] - width, 0), last)
        back[np.uint32(inverse[s])] = min(max(s - width, 0), last)
    return towards, back


@kernel
def total_of(values: Vector, width: int) -> float:
    """Sum over all ranks of a transformation held at the inner ones."""
    ends: float = values[0] + values[len(values) - 1]
    return lane_sum(values) + width * ends


@kernel
def centre(values: Vector, width: int) -> float:
    """Take its mean off a transformation held at the inner ranks; its sum of squares after."""
    mean = total_of(values, width) / (len(values) + 2 * width)
    for i in range(len(values)):
        values[i] -= mean
    ends: float = values[0] ** 2 + values[len(values) - 1] ** 2
    return long_inner_product(values, values) + width * ends


@kernel
def add_directions(values: Vector, directions: Matrix, shares: Vector, size: int) -> None:
    """Add shares of the first directions to the values, four at a time."""
    whole = size // 4 * 4
    for k in range(0, whole, 4):
        a, b, c, d = directions[k], directions[k + 1], directions[k + 2], directions[k + 3]
        p, q, r, s = shares[k], shares[k + 1], shares[k + 2], shares[k + 3]
        for i in range(len(values)):
            values[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i])
    for k in range(whole, size):
        a, p = directions[k], shares[k]
        for i in range(len(values)):
            values[i] += p * a[i]


@kernel
def turn_towards(matrix: Matrix, size: int, vector: Vector, turns: int, room: Vector) -> float:
    """Turn a vector towards the leading eigenvector of a small matrix; the factor it grows by.

    The matrix is zero below its first subdiagonal, and the vector is of length one after.
    """
    before, after = 1.0, 1.0
    for _ in range(turns):
        before, after = after, 0.0
        for i in range(size):
            total = 0.0
            for j in range(max(i - 1, 0), size):
                total += matrix[i, j] * vector[j]
            room[i] = total
        for i in range(size):
            vector[i] = room[i]
            after += room[i] * room[i]
    if after == 0.0:
        return 0.0
    length = sqrt(after)
    for i in range(size):
        vector[i] /= length
    return sqrt(after / before)


@kernel
def fill_square(matrix: Matrix, size: int, square: Matrix) -> None:
    """Fill ``square`` with the product of a small matrix with itself."""
    for i in range(size):
        for j in range(size):
            total = 0.0
            for k in range(size):
                total += matrix[i, k] * matrix[k, j]
            square[i, j] = total


@kernel
def turn_all_the_way(matrix: Matrix, size: int, vector: Vector, room: Vector) -> None:
    """Fill ``vector`` with where the first direction is after all sweeps, or after enough.

    Where two eigenvectors are nearly as good, or turn about each other, sweeps have no end
    but the last one allowed: what they would come to by then. The matrix is squared to take
    eight turns at once; the first two are taken one by one, which leaves 96.
    """
    twice, fold = np.empty((size, size)), np.empty((size, size))
    fill_square(matrix, size, fold)
    fill_square(fold, size, twice)
    fill_square(twice, size, fold)
    vector[:] = 0.0
    vector[0] = 1.0
    turn_towards(matrix, size, vector, 2, room)
    for _ in range(MOST_SWEEPS // 8):
        square, turn = 0.0, 0.0
        for i in range(size):
            total = 0.0
            for j in range(size):
                total += fold[i, j] * vector[j]
            room[i] = total
            square += total * total
        length = sqrt(square)
        if length == 0.0:
            break
        for i in range(size):
            value = room[i] / length
            turn = max(turn, abs(value - vector[i]))
            vector[i] = value
        if turn < LEAST_TURN:
            break


@kernel
def make_orthogonal(sample: Vector, samples: Matrix, size: int, shares: Vector) -> float:
    """Take its shares of the others off a sample, and tell what length is left."""
    for i in range(size):
        other = samples[i]
        share = long_inner_product(other, sample)
        shares[i] = -share
        for j in range(len(sample)):
            sample[j] -= share * other[j]
    return sqrt(long_inner_product(sample, sample))


@kernel
def span_directions(
    towards: NDArray[np.uint32],
    back: NDArray[np.uint32],
    directions: Matrix,
    halfway: Vector,
    products: Matrix,
    shares: Vector,
) -> int:
    """Sweep direction after direction, each made orthogonal to those before; how many there are.

    The first direction is given, the one after the last is left as long as it came out. In
    ``products`` is what a sweep does to the directions; ``halfway`` is room for transformations
    of the second variable. Directions are made orthogonal by their values at some places only,
    which serves as well and is quicker.
    """
    n, inner = len(towards), directions.shape[1]
    width = (n - inner) // 2
    stride = max(1, inner // PLACES)
    scale = 1.0 / ((2 * width + 1) * (2 * width + 1))
    samples = np.empty((MOST_DIRECTIONS + 1, (inner + stride - 1) // stride))
    sums, taken, room = np.empty(n + 1), np.empty(MOST_DIRECTIONS), np.empty(MOST_DIRECTIONS)
    for j in range(samples.shape[1]):
        samples[0, j] = directions[0, j * stride]
    length = sqrt(long_inner_product(samples[0], samples[0]))
    for k in range(MOST_DIRECTIONS):
        if length == 0.0:
            return k
        for j in range(samples.shape[1]):
            samples[k, j] *= 1.0 / length
        for i in range(inner):
            directions[k, i] *= 1.0 / length
        last, sample = directions[k + 1], samples[k + 1]
        fill_window_sums(directions[k], towards, sums, halfway)
        fill_window_sums(halfway, back, sums, last)
        mean = total_of(last, width) / n * scale
        for i in range(inner):
            last[i] = last[i] * scale - mean
        for j in range(len(sample)):
            sample[j] = last[j * stride]
        length = make_orthogonal(sample, samples, k + 1, taken)
        add_directions(last, directions, taken, k + 1)
        for i in range(k + 1):
            products[i, k] = -taken[i]
        products[k + 1, k] = length
        if k >= FEWEST_DIRECTIONS - 1:
            growth = turn_towards(products, k + 1, shares, SOME_TURNS, room)
            if length * abs(shares[k]) <= RESIDUAL * growth:
                return k + 1
    return MOST_DIRECTIONS


@kernel
def maximal_by_directions(inverse: Order) -> float:
    """Maximal correlation from the few directions that sweeps span: Arnoldi's method.

    Sweeping again and again, from the centred ranks on, ends at the leading eigenvector of a
    sweep: the conditional mean, smoothed by a moving mean over a fifth of the rows either side,
    of the conditional mean. The span of a few sweeps has it already.
    """
    n = len(inverse)
    width = ceil(n / 5)
    inner = n - 2 * width
    towards, back = inner_places(inverse, inner)
    directions, second = np.empty((MOST_DIRECTIONS + 2, inner)), np.empty(inner)
    products = np.zeros((MOST_DIRECTIONS + 1, MOST_DIRECTIONS))
    shares, swept = np.zeros(MOST_DIRECTIONS), np.empty(MOST_DIRECTIONS + 1)
    sums, found = np.empty(n + 1), np.zeros(inner)
    fill_window_sums(centred_ranks(n), inverse.view(np.uint32), sums, second)
    fill_window_sums(second, back, sums, directions[0])
    centre(directions[0], width)
    shares[0] = 1.0
    size = span_directions(towards, back, directions, second, products, shares)
    if size == 0:
        return 0.0
    turn_all_the_way(products, size, shares, swept)
    for i in range(size):
        swept[i] = 0.0
        for j in range(max(i - 1, 0), size):
            swept[i] += products[i, j] * shares[j]
    # The last direction is as long as it came out.
    swept[size] = shares[size - 1]
    # Half a sweep of the sum is the sum of the halves of all sweeps, which need not be kept.
    add_directions(found, directions, shares, size)
    fill_window_sums(found, towards, sums, second)
    found[:] = 0.0
    add_directions(found, directions, swept, size + 1)
    return correlation_of_swept(second, found, back)


@kernel
def correlation_of_swept(second: Vector, found: Vector, back: NDArray[np.uint32]) -> float:
    """Correlation of the two transformations that a sweep leaves; 0 if one is constant."""
    n, inner = len(back), len(found)
    width = (n - inner) // 2
    square = centre(second, width) * centre(found, width)
    held = np.empty(n)
    for r in range(n):
        held[r] = second[back[r]]
    product = lane_sum(held[:width]) * found[0] + lane_sum(held[n - width :]) * found[inner - 1]
    product += long_inner_product(held[width : n - width], found)
    return product / sqrt(square) if square > 0.0 else 0.0


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
        running[j + 1] = running[j] + long_inner_product(table[j], middle)
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
        total += long_inner_product(table[j], middle) * 0.5 * (second[j] + second[j + 1])
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
