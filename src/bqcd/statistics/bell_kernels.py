r"""Sums over bells, compiled: the Gaussian kernel as products of few features a row.

With bells :math:`\varphi_j(t) = c\, e^{-(t - jh)^2}` on a grid of step h and
:math:`c^2 = h \sqrt{2 / \pi}`,

.. math:: \exp(-(s - t)^2 / 2) = \sum_j \varphi_j(s) \varphi_j(t)

but for :math:`2 e^{-\pi^2 / 2h^2}` at most, by Poisson's summation formula. With h = 0.4 that
is 8e-14, and as little is lost if a row keeps the 28 bells next to it and no others. A matrix
of features of n rows then has n x 28 entries other than zero however far the rows spread, and
its Gram matrix is a band of that width.

Positions are in units of the bandwidth, at least zero; see ``kernels.positions``. A band holds
the entries (j, j + d) of a symmetric matrix at [j, d].
"""

from __future__ import annotations

from math import exp, floor, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

STEP = 0.4
WINDOW = 28
BEFORE = 13
HEIGHT = sqrt(STEP * sqrt(2.0 / pi))
FALL = exp(-STEP * STEP)
BEND = exp(-2.0 * STEP * STEP)


@kernel
def bell_count(positions: Vector) -> int:
    """Number of bells that positions from 0 on may need."""
    furthest: float = 0.0
    for position in positions:
        furthest = position if position > furthest else furthest
    return floor(furthest / STEP) + WINDOW


@kernel
def fill_bells(position: float, bells: Vector) -> int:
    """Fill in the bells next to a position from left to right; number of the first of them.

    From one bell to the next the logarithm changes linearly, so two exponentials serve all.
    """
    first = floor(position / STEP)
    offset = position - STEP * first
    bells[BEFORE] = HEIGHT * exp(-offset * offset)
    rise = exp(2.0 * STEP * offset)
    right, left = FALL * rise, FALL / rise
    for k in range(BEFORE + 1, WINDOW):
        bells[k] = bells[k - 1] * right
        right *= BEND
    for k in range(BEFORE - 1, -1, -1):
        bells[k] = bells[k + 1] * left
        left *= BEND
    return first


@kernel
def fill_bells_and_slopes(position: float, bells: Vector, slopes: Vector) -> int:
    """Bells as :func:`fill_bells` has them, and their derivatives by the log of the bandwidth."""
    first = fill_bells(position, bells)
    for k in range(WINDOW):
        offset = position - STEP * (first + k - BEFORE)
        slopes[k] = 2.0 * offset * position * bells[k]
    return first


@kernel
def feature_sums(positions: Vector, weights: Vector) -> Vector:
    """Sum over rows of each bell, weighted."""
    sums = np.zeros(bell_count(positions))
    bells = np.empty(WINDOW)
    for i in range(len(positions)):
        first = fill_bells(positions[i], bells)
        for k in range(WINDOW):
            sums[first + k] += weights[i] * bells[k]
    return sums


@kernel
def feature_band(positions: Vector, weights: Vector) -> Matrix:
    """Band of the sum over rows of products of two bells, weighted.

    Neighbouring rows with the same bells, up to four, are taken together: positions that
    increase save most of what is read and written of the band.
    """
    n = len(positions)
    band = np.zeros((bell_count(positions), WINDOW))
    bells, shares = np.zeros((4, WINDOW)), np.zeros(4)
    a, b, c, e = bells[0], bells[1], bells[2], bells[3]
    row = 0
    while row < n:
        first, count = fill_bells(positions[row], a), 1
        while count < 4 and row + count < n and floor(positions[row + count] / STEP) == first:
            fill_bells(positions[row + count], bells[count])
            count += 1
        for k in range(4):
            shares[k] = weights[row + k] if k < count else 0.0
        for k in range(WINDOW):
            line = band[first + k]
            p, q = shares[0] * a[k], shares[1] * b[k]
            r, s = shares[2] * c[k], shares[3] * e[k]
            for d in range(WINDOW - k):
                # As if one row came after the other.
                total = line[d] + p * a[k + d] + q * b[k + d]
                line[d] = total + r * c[k + d] + s * e[k + d]
        row += count
    return band


@kernel
def slope_band(positions: Vector, weights: Vector) -> Matrix:
    """Derivative of :func:`feature_band` by the logarithm of the bandwidth."""
    band = np.zeros((bell_count(positions), WINDOW))
    bells, slopes = np.empty(WINDOW), np.empty(WINDOW)
    for i in range(len(positions)):
        first = fill_bells_and_slopes(positions[i], bells, slopes)
        for k in range(WINDOW):
            share, slope = weights[i] * bells[k], weights[i] * slopes[k]
            row = band[first + k]
            for d in range(WINDOW - k):
                row[d] += share * slopes[k + d] + slope * bells[k + d]
    return band


@kernel
def feature_values(positions: Vector, weights: Vector) -> Vector:
    """Sum of the bells at each row, each bell with its weight."""
    values = np.empty(len(positions))
    bells = np.empty(WINDOW)
    for i in range(len(positions)):
        first = fill_bells(positions[i], bells)
        total = 0.0
        for k in range(WINDOW):
            total += weights[first + k] * bells[k]
        values[i] = total
    return values


@kernel
def slope_values(positions: Vector, weights: Vector) -> Vector:
    """Derivative of :func:`feature_values` by the logarithm of the bandwidth."""
    values = np.empty(len(positions))
    bells, slopes = np.empty(WINDOW), np.empty(WINDOW)
    for i in range(len(positions)):
        first = fill_bells_and_slopes(positions[i], bells, slopes)
        total = 0.0
        for k in range(WINDOW):
            total += weights[first + k] * slopes[k]
        values[i] = total
    return values


@kernel
def cross_products(first: Vector, second: Vector) -> Matrix:
    """Sum over rows of products of a bell of the first position and one of the second."""
    products = np.zeros((bell_count(first), bell_count(second)))
    bells, others = np.empty(WINDOW), np.empty(WINDOW)
    for i in range(len(first)):
        at, other_at = fill_bells(first[i], bells), fill_bells(second[i], others)
        block = products[at : at + WINDOW, other_at : other_at + WINDOW]
        # Four lines at a time: what is read of the other bells serves all of them.
        for k in range(0, WINDOW, 4):
            p, q, r, s = bells[k], bells[k + 1], bells[k + 2], bells[k + 3]
            one, two, three, four = block[k], block[k + 1], block[k + 2], block[k + 3]
            for d in range(WINDOW):
                bell = others[d]
                one[d] += p * bell
                two[d] += q * bell
                three[d] += r * bell
                four[d] += s * bell
    return products


@kernel
def centred_energy(products: Matrix, sums: Vector, other_sums: Vector, n: int) -> float:
    """Sum of the squares of products less the product of the sums over n, in two lanes."""
    even, odd = 0.0, 0.0
    for j in range(len(sums)):
        share = sums[j] / n
        row = products[j]
        for k in range(0, len(other_sums) - 1, 2):
            entry, next_entry = (
                row[k] - share * other_sums[k],
                row[k + 1] - share * other_sums[k + 1],
            )
            even += entry * entry
            odd += next_entry * next_entry
        if len(other_sums) % 2:
            entry = row[len(other_sums) - 1] - share * other_sums[len(other_sums) - 1]
            even += entry * entry
    return even + odd


@kernel
def covariance_energy(first: Vector, second: Vector, sums: Vector, other_sums: Vector) -> float:
    """Sum of the squared covariances, times the rows, of bells of the one and of the other."""
    return centred_energy(cross_products(first, second), sums, other_sums, len(first))


@kernel
def windows(positions: Vector) -> tuple[Matrix, NDArray[np.int64]]:
    """Bells next to each row, and the number of the first of them."""
    bells = np.empty((len(positions), WINDOW))
    starts = np.empty(len(positions), dtype=np.int64)
    for i in range(len(positions)):
        starts[i] = fill_bells(positions[i], bells[i])
    return bells, starts


@kernel
def band_energy(band: Matrix, sums: Vector, n: int) -> float:
    """Sum of the squares of a symmetric band less the outer product of the sums over n."""
    squares, mixed, total = 0.0, 0.0, 0.0
    for j in range(len(sums)):
        total += sums[j] * sums[j]
        squares += band[j, 0] * band[j, 0]
        mixed += sums[j] * sums[j] * band[j, 0]
        for d in range(1, min(WINDOW, len(sums) - j)):
            squares += 2.0 * band[j, d] * band[j, d]
            mixed += 2.0 * sums[j] * sums[j + d] * band[j, d]
    return squares - 2.0 * mixed / n + (total / n) ** 2


@kernel
def factorize(band: Matrix) -> float:
    """Put the Cholesky factor of a band in its place; logarithm of the determinant."""
    size = len(band)
    log_determinant = 0.0
    for j in range(size):
        column = band[j]
        log_determinant += log(column[0])
        scale = 1.0 / sqrt(column[0])
        for d in range(WINDOW):
            column[d] *= scale
        for k in range(1, min(WINDOW, size - j)):
            share = column[k]
            if share == 0.0:
                continue
            row = band[j + k]
            for d in range(WINDOW - k):
                row[d] -= share * column[k + d]
    return log_determinant


@kernel
def solve(factor: Matrix, values: Vector) -> None:
    """Put the solution of the equations whose band was factorized in the place of ``values``."""
    size = len(factor)
    for j in range(size):
        values[j] /= factor[j, 0]
        for d in range(1, min(WINDOW, size - j)):
            values[j + d] -= factor[j, d] * values[j]
    for j in range(size - 1, -1, -1):
        for d in range(1, min(WINDOW, size - j)):
            values[j] -= factor[j, d] * values[j + d]
        values[j] /= factor[j, 0]


@kernel
def smooth(band: Matrix, weights: Vector, positions: Vector) -> tuple[Vector, float]:
    """Sum of the bells at each row with the weights that solve the equations of the band.

    Also the logarithm of the determinant. Factor and weights take the places of the band and
    of the right side.
    """
    log_determinant = factorize(band)
    solve(band, weights)
    return feature_values(positions, weights), log_determinant


@kernel
def inverse_band(factor: Matrix) -> Matrix:
    """Band of the inverse, from the factor: last row first (Takahashi's equations)."""
    size = len(factor)
    inverse = np.zeros((size, WINDOW))
    sums = np.empty(WINDOW)
    for j in range(size - 1, -1, -1):
        reach = min(WINDOW, size - j)
        sums[:reach] = 0.0
        for k in range(1, reach):
            share, row, total = factor[j, k], inverse[j + k], 0.0
            for d in range(1, reach - k):
                sums[k + d] += share * row[d]
                total += factor[j, k + d] * row[d]
            sums[k] += share * row[0] + total
        scale = 1.0 / factor[j, 0]
        diagonal = scale * scale
        for k in range(1, reach):
            inverse[j, k] = -scale * sums[k]
            diagonal -= scale * factor[j, k] * inverse[j, k]
        inverse[j, 0] = diagonal
    return inverse
