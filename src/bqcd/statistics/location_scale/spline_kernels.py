"""Location and scale of one column given another, compiled: splines of natural parameters."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

# Splines that live on one interval of knots: degree 5 and one more.
LIVE = 6
# Non-zero diagonals, the main one first, where the two weights of a spline are neighbours.
BANDS = 2 * LIVE
# Products of two of them, and where they begin in a row of the basis; zeros fill it up.
PAIRS = LIVE * (LIVE + 1) // 2
PRODUCTS, WIDTH = 8, 32
# Numbers whose product is a number too, whatever a further one is.
SMALL, LARGE = 1e-100, 1e100


@kernel
def quintic_values(points: Vector, n_intervals: int) -> tuple[Matrix, NDArray[np.int64]]:
    """Values of the six quintic B-splines that live at each point, and the first one's number.

    Knots are evenly spaced over [0, 1], where the points are, and go on beyond: interval i
    holds the splines i to i + 5.
    """
    values, first = np.zeros((len(points), LIVE)), np.empty(len(points), dtype=np.int64)
    for row in range(len(points)):
        at = points[row] * n_intervals
        first[row] = min(int(at), n_intervals - 1)
        share = at - first[row]
        values[row, 0] = 1.0
        for degree in range(1, LIVE):
            carried = 0.0
            for r in range(degree):
                part = values[row, r] / degree
                values[row, r] = carried + (r + 1.0 - share) * part
                carried = (share + degree - 1.0 - r) * part
            values[row, degree] = carried
    return values, first


@kernel
def all_natural_parameters(
    values: Matrix, first: NDArray[np.int64], weights: Vector
) -> tuple[Vector, Vector]:
    """Mean over variance, and half of one over variance, in every row."""
    lifted, precision = np.empty(len(first)), np.empty(len(first))
    for row in range(len(first)):
        one, other = 0.0, 0.0
        for r in range(LIVE):
            at = 2 * (first[row] + r)
            one += values[row, r] * weights[at]
            other += values[row, r] * weights[at + 1]
        lifted[row], precision[row] = one, other
    return lifted, precision


@kernel
def basis_rows(values: Matrix) -> Matrix:
    """Values of the live splines, and from ``PRODUCTS`` on those of two of them, (0, 0) first."""
    basis = np.zeros((len(values), WIDTH))
    for row in range(len(values)):
        at = PRODUCTS
        for r in range(LIVE):
            basis[row, r] = values[row, r]
            for s in range(r, LIVE):
                basis[row, at] = values[row, r] * values[row, s]
                at += 1
    return basis


@kernel
def parameters_loss(parameters: tuple[Vector, Vector], target: Vector) -> float:
    """-log likelihood of Gaussians, but for half of log π a row; infinite outside.

    Logarithms are taken of products, which are fewer.
    """
    lifted, precision = parameters
    total, product = 0.0, 1.0
    for row in range(len(target)):
        if not precision[row] > 0.0:
            return np.inf
        # (y - m)² / 2v, with m = lifted / 2p and v = 1 / 2p: no difference of large numbers.
        total += precision[row] * (target[row] - 0.5 * lifted[row] / precision[row]) ** 2
        product *= precision[row]
        if not SMALL < product < LARGE:
            total -= 0.5 * log(product)
            product = 1.0
    return total - 0.5 * log(product)


@kernel
def penalised_loss(
    parameters: tuple[Vector, Vector],
    target: Vector,
    weights: Vector,
    ridge: float,
    barrier: float,
) -> float:
    """The loss with half the ridge times squared weights, and a barrier before precision 0."""
    total = parameters_loss(parameters, target)
    for k in range(0, len(weights), 2):
        if not weights[k + 1] > 0.0:
            return np.inf
        total += 0.5 * ridge * (weights[k] ** 2 + weights[k + 1] ** 2)
        total -= barrier * log(weights[k + 1])
    return total


@kernel
def penalty_bands(weights: Vector, ridge: float, barrier: float) -> tuple[Vector, Matrix]:
    """Gradient and second derivatives of the penalties; entry (j, j + d) is at [j, d]."""
    gradient, bands = np.empty(len(weights)), np.zeros((len(weights), BANDS))
    for k in range(len(weights)):
        gradient[k], bands[k, 0] = ridge * weights[k], ridge
    for k in range(1, len(weights), 2):
        gradient[k] -= barrier / weights[k]
        bands[k, 0] += barrier / weights[k] ** 2
    return gradient, bands


@kernel
def row_slopes(parameters: tuple[Vector, Vector], target: Vector) -> Matrix:
    """First and second derivatives of the loss by the two natural parameters in each row.

    By mean over variance and by precision, then by both of the first, by each and by both of
    the second. ``np.divide`` does not ask for zeros, which would keep the loop scalar.
    """
    lifted, precision = parameters
    slopes = np.empty((5, len(target)))
    for row in range(len(target)):
        slopes[0, row] = np.divide(0.5 * lifted[row], precision[row])
    for row in range(len(target)):
        slopes[2, row] = np.divide(0.5, precision[row])
    for row in range(len(target)):
        y, mean = target[row], slopes[0, row]
        slopes[1, row] = (y - mean) * (y + mean) - slopes[2, row]
    for row in range(len(target)):
        slopes[3, row] = -2.0 * slopes[2, row] * slopes[0, row]
    for row in range(len(target)):
        mean, half = slopes[0, row], slopes[2, row]
        slopes[4, row] = 2.0 * half * (2.0 * mean * mean + half)
    for row in range(len(target)):
        slopes[0, row] -= target[row]
    return slopes


@kernel
def weighted_sums(basis: Matrix, slopes: Matrix, start: int, stop: int, sums: Matrix) -> None:
    """Sums over some rows of the basis, weighted by each of the five derivatives."""
    sums[:] = 0.0
    first, second, both, mixed, other = sums[0], sums[1], sums[2], sums[3], sums[4]
    for row in range(start, stop):
        line = basis[row]
        a, b = slopes[0, row], slopes[1, row]
        for q in range(PRODUCTS):
            first[q] += line[q] * a
            second[q] += line[q] * b
        c, d, e = slopes[2, row], slopes[3, row], slopes[4, row]
        for q in range(PRODUCTS, WIDTH):
            both[q] += line[q] * c
            mixed[q] += line[q] * d
            other[q] += line[q] * e


@kernel
def add_bands(sums: Matrix, interval: int, gradient: Vector, bands: Matrix) -> None:
    """Add the sums over the rows of an interval to the gradient and the bands."""
    q = PRODUCTS
    for r in range(LIVE):
        at = 2 * (interval + r)
        gradient[at] += sums[0, r]
        gradient[at + 1] += sums[1, r]
        for s in range(r, LIVE):
            step = 2 * (s - r)
            bands[at, step] += sums[2, q]
            bands[at, step + 1] += sums[3, q]
            bands[at + 1, step] += sums[4, q]
            if s > r:
                bands[at + 1, step - 1] += sums[3, q]
            q += 1


@kernel
def add_rows(
    basis: Matrix, first: NDArray[np.int64], slopes: Matrix, gradient: Vector, bands: Matrix
) -> None:
    """Add all rows to the gradient and the bands, those of one interval after the other."""
    start, sums = 0, np.empty((5, WIDTH))
    while start < len(first):
        stop = start + 1
        while stop < len(first) and first[stop] == first[start]:
            stop += 1
        weighted_sums(basis, slopes, start, stop, sums)
        add_bands(sums, first[start], gradient, bands)
        start = stop


@kernel
def factorise(bands: Matrix) -> bool:
    """Turn bands of A into those of L' with A = L L'; False if A is not positive definite."""
    size = len(bands)
    for j in range(size):
        column = bands[j]
        if not column[0] > 0.0:
            return False
        scale = 1.0 / sqrt(column[0])
        for d in range(BANDS):
            column[d] *= scale
        for k in range(1, min(BANDS, size - j)):
            share, row = column[k], bands[j + k]
            for d in range(BANDS - k):
                row[d] -= share * column[k + d]
    return True


@kernel
def solution(factor: Matrix, right: Vector) -> Vector:
    """Solution of A c = - ``right`` from the factor of A."""
    size = len(right)
    out = np.empty(size)
    for j in range(size):
        out[j] = -right[j]
    for j in range(size):
        out[j] /= factor[j, 0]
        for d in range(1, min(BANDS, size - j)):
            out[j + d] -= factor[j, d] * out[j]
    for j in range(size - 1, -1, -1):
        out[j] /= factor[j, 0]
        for d in range(1, min(BANDS, j + 1)):
            out[j - d] -= factor[j - d, d] * out[j]
    return out


@kernel
def newton_minimum(
    basis: Matrix,
    first: NDArray[np.int64],
    target: Vector,
    weights: Vector,
    ridge: float,
    barrier: float,
) -> int:
    """Move the weights to the least penalised loss; the number of Newton steps taken."""
    parameters = all_natural_parameters(basis, first, weights)
    loss = penalised_loss(parameters, target, weights, ridge, barrier)
    reached = np.empty(len(weights))
    for step in range(100):
        gradient, bands = penalty_bands(weights, ridge, barrier)
        add_rows(basis, first, row_slopes(parameters, target), gradient, bands)
        if not factorise(bands):
            return step
        move = solution(bands, gradient)
        decrease = 0.0
        for k in range(len(move)):
            decrease -= gradient[k] * move[k]
        if not decrease > 1e-9 * len(target) * max(barrier, 1e-3):
            return step
        length = 1.0
        for k in range(1, len(weights), 2):
            if move[k] < 0.0:
                length = min(length, -0.99 * weights[k] / move[k])
        while length > 1e-12:
            for k in range(len(weights)):
                reached[k] = weights[k] + length * move[k]
            parameters = all_natural_parameters(basis, first, reached)
            new = penalised_loss(parameters, target, reached, ridge, barrier)
            if new <= loss - 0.1 * length * decrease:
                break
            length *= 0.5
        else:
            return step
        for k in range(len(weights)):
            weights[k] = reached[k]
        loss = new
    return 100


@kernel
def ridge_weights(
    values: Matrix, first: NDArray[np.int64], target: Vector, n_splines: int, ridge: float
) -> Vector:
    """Weights of the splines of both natural parameters, those of one spline side by side.

    The likeliest ones less a ridge, with weights of the precision not negative: a convex
    problem, solved by Newton steps behind a barrier that is lowered in stages.
    """
    basis = basis_rows(values)
    weights = np.zeros(2 * n_splines)
    for k in range(1, len(weights), 2):
        weights[k] = 0.5
    barrier = 1.0
    while barrier > 1e-6:
        newton_minimum(basis, first, target, weights, ridge, barrier)
        barrier *= 0.1
    return weights


@kernel
def spline_fit(
    points: Vector, target: Vector, n_intervals: int, ridge: float
) -> tuple[Vector, Vector, float]:
    """Natural parameters in every row by splines of the points, and :func:`parameters_loss`."""
    values, first = quintic_values(points, n_intervals)
    weights = ridge_weights(values, first, target, n_intervals + LIVE - 1, ridge)
    parameters = all_natural_parameters(values, first, weights)
    return parameters[0], parameters[1], parameters_loss(parameters, target)
