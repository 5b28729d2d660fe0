"""Cubic smoothing splines by B-splines, compiled: banded matrices and their equations."""

from __future__ import annotations

from math import exp

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel
from bqcd.runtime.sum_kernels import inner_product

# Non-zero diagonals, the main one first, of a matrix of products of cubic B-splines.
BANDS = 4


@kernel
def cubic_values(knots: Vector, interval: int, at: float, values: Vector) -> None:
    """Values at a point of the four cubic B-splines that live on one interval of knots.

    De Boor's recursion: ``interval`` i holds the point between knots i and i + 1, and the
    splines are those numbered i - 3 to i.
    """
    values[0] = 1.0
    for degree in range(1, 4):
        carried = 0.0
        for r in range(degree):
            right = knots[interval + r + 1]
            left = knots[interval + 1 - degree + r]
            share = values[r] / (right - left)
            values[r] = carried + (right - at) * share
            carried = (at - left) * share
        values[degree] = carried


@kernel
def data_bands(
    knots: Vector, points: Vector, means: Vector, weights: Vector
) -> tuple[Matrix, Vector]:
    """Bands of X'WX, and X'Wy, for cubic B-splines X at increasing points."""
    size = len(knots) - 4
    gram, moments = np.zeros((BANDS, size)), np.zeros(size)
    values = np.empty(4)
    interval = 3
    for i in range(len(points)):
        while interval < size - 1 and points[i] >= knots[interval + 1]:
            interval += 1
        cubic_values(knots, interval, points[i], values)
        for a in range(4):
            at = interval - 3 + a
            moments[at] += weights[i] * values[a] * means[i]
            for b in range(a, 4):
                gram[b - a, at] += weights[i] * values[a] * values[b]
    return gram, moments


@kernel
def factorise(bands: Matrix) -> bool:
    """Turn bands of A into those of L and D with A = L D L': D in row 0, L below it.

    False if the matrix is not positive definite to the last digit.
    """
    size = bands.shape[1]
    for j in range(size):
        for b in range(1, min(BANDS, j + 1)):
            bands[0, j] -= bands[b, j - b] ** 2 * bands[0, j - b]
        if not bands[0, j] > 0.0:
            return False
        for a in range(1, min(BANDS, size - j)):
            for b in range(1, min(BANDS - a, j + 1)):
                bands[a, j] -= bands[b, j - b] * bands[a + b, j - b] * bands[0, j - b]
            bands[a, j] /= bands[0, j]
    return True


@kernel
def solution(factor: Matrix, right: Vector) -> Vector:
    """Solution of A c = ``right`` from the factors of A."""
    size = len(right)
    out = right.copy()
    for j in range(size):
        for b in range(1, min(BANDS, j + 1)):
            out[j] -= factor[b, j - b] * out[j - b]
    for j in range(size - 1, -1, -1):
        out[j] /= factor[0, j]
        for a in range(1, min(BANDS, size - j)):
            out[j] -= factor[a, j] * out[j + a]
    return out


@kernel
def inverse_bands(factor: Matrix) -> Matrix:
    """Bands of the inverse of A from its factors, last column first."""
    size = factor.shape[1]
    out = np.zeros((BANDS, size))
    for j in range(size - 1, -1, -1):
        reach = min(BANDS, size - j)
        for a in range(reach - 1, 0, -1):
            for b in range(1, reach):
                near = min(a, b)
                out[a, j] -= factor[b, j] * out[abs(a - b), j + near]
        out[0, j] = 1.0 / factor[0, j]
        for b in range(1, reach):
            out[0, j] -= factor[b, j] * out[b, j]
    return out


@kernel
def banded_sum(first: Matrix, second: Matrix) -> float:
    """Sum over all entries of the products of two symmetric matrices given by their bands."""
    total = 0.0
    for b in range(BANDS):
        total += (1.0 if b == 0 else 2.0) * inner_product(first[b], second[b])
    return total


@kernel
def banded_square(bands: Matrix, vector: Vector) -> float:
    """Quadratic form of a symmetric matrix given by its bands."""
    size = len(vector)
    total = 0.0
    for b in range(BANDS):
        along = 0.0
        for j in range(size - b):
            along += bands[b, j] * vector[j] * vector[j + b]
        total += (1.0 if b == 0 else 2.0) * along
    return total


@kernel
def smoothed(
    gram: Matrix, curvature: Matrix, moments: Vector, log_penalty: float
) -> tuple[float, float]:
    """Degrees of freedom at a penalty, and what the fit explains: y'Wy less its residuals.

    Both are NaN where the penalised matrix cannot be factorised.
    """
    factor, penalty = np.empty(gram.shape), exp(log_penalty)
    for b in range(BANDS):
        for j in range(gram.shape[1]):
            factor[b, j] = gram[b, j] + penalty * curvature[b, j]
    if not factorise(factor):
        return np.nan, np.nan
    degrees = banded_sum(inverse_bands(factor), gram)
    coefficients = solution(factor, moments)
    explained = 2.0 * inner_product(coefficients, moments) - banded_square(gram, coefficients)
    return degrees, explained
