"""Correlations of polynomials of ranks, compiled."""

from __future__ import annotations

from math import acos, cos, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Stack, Vector
from bqcd.runtime.kernel import kernel

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Codes = NDArray[np.int32]

DEGREE = 3
# Sums that are kept side by side, each of every so many rows.
LANES = 32


@kernel
def fill_untied_products(inverses: Orders, products: Stack) -> None:
    """Fill ``products`` with the correlations of rank polynomials, for each permutation.

    ``inverses[b, s]`` is the rank of the first variable where the second has rank s. For
    ranks without ties the orthogonal polynomials are known: t, t^2 - c, t^3 - d t, with t the
    distance from the middle rank.
    """
    n = inverses.shape[1]
    middle = 0.5 * (n - 1)
    square = (n * n - 1.0) / 12.0
    cube = (3.0 * n * n - 7.0) / 20.0
    a, b, c = 0.0, 0.0, 0.0
    for s in range(n):
        t = s - middle
        one, two, three = t, t * t - square, t * (t * t - cube)
        a += one * one
        b += two * two
        c += three * three
    scale = (1.0 / sqrt(a), 1.0 / sqrt(b), 1.0 / sqrt(c))
    lanes = np.empty((DEGREE, DEGREE, LANES))
    for k in range(len(inverses)):
        fill_lanes(inverses[k], (middle, square, cube), lanes)
        for i in range(DEGREE):
            for j in range(DEGREE):
                total = 0.0
                for lane in range(LANES):
                    total += lanes[i, j, lane]
                products[k, i, j] = total * scale[i] * scale[j]


@kernel
def fill_lanes(inverse: Order, polynomials: tuple[float, float, float], lanes: Stack) -> None:
    """Fill ``lanes`` with sums of products of rank polynomials, over every so many ranks."""
    middle, square, cube = polynomials
    n = len(inverse)
    lanes[:] = 0.0
    # One flat array at unsigned places is what the compiler makes vectors of.
    sums, lane = lanes.ravel(), np.uint64(LANES)
    two, three, four = lane + lane, lane * np.uint64(3), lane * np.uint64(4)
    five, six, seven = four + lane, four + two, four + three
    for start in range(np.uint64(0), np.uint64(n), lane):
        for i in range(min(lane, np.uint64(n) - start)):
            s = start + i
            t, u = s - middle, inverse[s] - middle
            t2, t3 = t * t - square, t * (t * t - cube)
            u2, u3 = u * u - square, u * (u * u - cube)
            sums[i] += u * t
            sums[i + lane] += u * t2
            sums[i + two] += u * t3
            sums[i + three] += u2 * t
            sums[i + four] += u2 * t2
            sums[i + five] += u2 * t3
            sums[i + six] += u3 * t
            sums[i + seven] += u3 * t2
            sums[i + (four + four)] += u3 * t3


@kernel
def largest_size(values: Vector) -> float:
    """Largest size of the values."""
    largest = 0.0
    for value in values:
        largest = max(largest, abs(value))
    return largest


@kernel
def group_polynomials(counts: Vector) -> Matrix:
    """Orthonormal polynomials of mid-ranks, up to the third degree, at each tied value.

    Sums of squares over all rows are one. Degrees beyond the number of values less one are
    zero.
    """
    values = len(counts)
    powers = np.zeros((DEGREE + 1, values))
    polynomials = np.zeros((DEGREE, values))
    n = 0.0
    for g in range(values):
        n += counts[g]
    before = 0.0
    for g in range(values):
        powers[0, g] = 1.0 / sqrt(n)
        # Half the rows is the unit, so that no power grows out of hand.
        powers[1, g] = (2.0 * before + counts[g] - n) / n
        before += counts[g]
    for degree in range(1, min(DEGREE, values - 1) + 1):
        if degree > 1:
            size = largest_size(powers[1])
            for g in range(values):
                powers[degree, g] = powers[degree - 1, g] * powers[1, g] / size
        # Twice, as once leaves rounding errors where values are few and uneven.
        for _ in range(2):
            for lower in range(degree):
                along = 0.0
                for g in range(values):
                    along += counts[g] * powers[degree, g] * powers[lower, g]
                for g in range(values):
                    powers[degree, g] -= along * powers[lower, g]
        square = 0.0
        for g in range(values):
            square += counts[g] * powers[degree, g] * powers[degree, g]
        for g in range(values):
            powers[degree, g] /= sqrt(square)
            polynomials[degree - 1, g] = powers[degree, g]
    return polynomials


@kernel
def fill_tied_products(
    first: Codes, second: Codes, of_first: Matrix, of_second: Matrix, products: Matrix
) -> None:
    """Fill ``products`` with the correlations of polynomials that are given value by value."""
    products[:] = 0.0
    for row in range(len(first)):
        a, b = first[row], second[row]
        for i in range(DEGREE):
            for j in range(DEGREE):
                products[i, j] += of_first[i, a] * of_second[j, b]


@kernel
def fill_largest_singular_values(products: Stack, found: Vector) -> None:
    """Fill ``found`` with the largest singular value of each matrix of three rows."""
    for k in range(len(products)):
        r = products[k]
        m = np.zeros((DEGREE, DEGREE))
        for i in range(DEGREE):
            for j in range(DEGREE):
                for s in range(DEGREE):
                    m[i, j] += r[s, i] * r[s, j]
        found[k] = min(sqrt(max(largest_eigenvalue(m), 0.0)), 1.0)


@kernel
def largest_eigenvalue(m: Matrix) -> float:
    """Largest eigenvalue of a symmetric matrix of three rows, by the cosine formula."""
    mean = (m[0, 0] + m[1, 1] + m[2, 2]) / 3.0
    off = m[0, 1] ** 2 + m[0, 2] ** 2 + m[1, 2] ** 2
    around = (m[0, 0] - mean) ** 2 + (m[1, 1] - mean) ** 2 + (m[2, 2] - mean) ** 2
    spread = sqrt((around + 2.0 * off) / 6.0)
    if spread == 0.0:
        return float(mean)
    a, b, c = (m[0, 0] - mean) / spread, (m[1, 1] - mean) / spread, (m[2, 2] - mean) / spread
    d, e, f = m[0, 1] / spread, m[0, 2] / spread, m[1, 2] / spread
    half = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e))
    angle = acos(min(max(half, -1.0), 1.0)) / 3.0
    # Of the three angles a third of a turn apart, the smallest gives the largest root.
    return float(mean + 2.0 * spread * cos(angle % (2.0 * pi / 3.0)))
