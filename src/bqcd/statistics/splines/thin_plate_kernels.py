"""Thin-plate splines on a line, compiled: products with the kernel |x - x'|³, and GCV."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel
from bqcd.runtime.sum_kernels import inner_product

# What is left of squares when all is explained.
TINY = 1e-300
# QL steps for one eigenvalue, at most; two or three are the rule.
MOST_TURNS = 50


@kernel
def cubed_distance_sums(knots: Vector, weights: Vector, points: Vector, out: Vector) -> None:
    """Fill ``out`` with Σ_j |x_i - k_j|³ w_j / 12 for increasing points and knots.

    One pass each way: ``s_p`` is Σ (k - k_j)^p w_j over the knots up to the last one passed,
    k, moved on by the binomial theorem.
    """
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    j = 0
    for i in range(len(points)):
        while j < len(knots) and knots[j] <= points[i]:
            h = knots[j] - knots[max(j - 1, 0)]
            s3 += h * (3.0 * s2 + h * (3.0 * s1 + h * s0))
            s2 += h * (2.0 * s1 + h * s0)
            s1 += h * s0
            s0 += weights[j]
            j += 1
        h = points[i] - knots[max(j - 1, 0)]
        out[i] = s3 + h * (3.0 * s2 + h * (3.0 * s1 + h * s0))
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    j = len(knots) - 1
    for i in range(len(points) - 1, -1, -1):
        while j >= 0 and knots[j] > points[i]:
            h = knots[min(j + 1, len(knots) - 1)] - knots[j]
            s3 += h * (3.0 * s2 + h * (3.0 * s1 + h * s0))
            s2 += h * (2.0 * s1 + h * s0)
            s1 += h * s0
            s0 += weights[j]
            j -= 1
        h = knots[min(j + 1, len(knots) - 1)] - points[i]
        out[i] = (out[i] + s3 + h * (3.0 * s2 + h * (3.0 * s1 + h * s0))) / 12.0


@kernel
def orthogonalise(vector: Vector, basis: Matrix, count: int, shares: Vector) -> None:
    """Take the first ``count`` rows of ``basis`` out of ``vector``, one after the other.

    What is taken out of each is added to ``shares``.
    """
    for j in range(count):
        share = inner_product(basis[j], vector)
        shares[j] += share
        for i in range(len(vector)):
            vector[i] -= share * basis[j, i]


@kernel
def tridiagonal_eigenvectors(diagonal: Vector, beside: Vector) -> tuple[Vector, Matrix]:
    """Eigenvalues of a symmetric tridiagonal matrix, and its eigenvectors as columns.

    QL steps with implicit shifts. ``beside`` holds one entry less than ``diagonal``.
    """
    size = len(diagonal)
    values, off, vectors = np.empty(size), np.zeros(size), np.zeros((size, size))
    for k in range(size):
        values[k], vectors[k, k] = diagonal[k], 1.0
    for k in range(size - 1):
        off[k] = beside[k]
    for low in range(size):
        for _ in range(MOST_TURNS):
            # The first entry beside the diagonal that is as good as zero ends the block.
            high = low
            while high < size - 1:
                if abs(off[high]) <= 1e-16 * (abs(values[high]) + abs(values[high + 1])):
                    break
                high += 1
            if high == low:
                break
            ql_step(values, off, vectors, low, high)
    return values, vectors


@kernel
def ql_step(values: Vector, off: Vector, vectors: Matrix, low: int, high: int) -> None:
    """One QL step on the rows from ``low`` to ``high``, with the shift of Wilkinson."""
    half = (values[low + 1] - values[low]) / (2.0 * off[low])
    root = sqrt(half * half + 1.0)
    shift = half + (root if half >= 0.0 else -root)
    bulge = values[high] - values[low] + off[low] / shift
    sine, cosine, carried = 1.0, 1.0, 0.0
    for i in range(high - 1, low - 1, -1):
        above, beside = sine * off[i], cosine * off[i]
        length = sqrt(above * above + bulge * bulge)
        off[i + 1] = length
        if length == 0.0:
            values[i + 1] -= carried
            off[high] = 0.0
            return
        sine, cosine = above / length, bulge / length
        bulge = values[i + 1] - carried
        turned = (values[i] - bulge) * sine + 2.0 * cosine * beside
        carried = sine * turned
        values[i + 1] = bulge + carried
        bulge = cosine * turned - beside
        for k in range(len(vectors)):
            right, left = vectors[k, i + 1], vectors[k, i]
            vectors[k, i + 1] = sine * left + cosine * right
            vectors[k, i] = cosine * left - sine * right
    values[low] -= carried
    off[low] = bulge
    off[high] = 0.0


@kernel
def combined_rows(basis: Matrix, mixing: Matrix) -> Matrix:
    """Row r is Σ_j ``mixing[j, r]`` times row j of ``basis``."""
    count, rows = mixing.shape
    out = np.zeros((rows, basis.shape[1]))
    for r in range(rows):
        for j in range(count):
            for i in range(basis.shape[1]):
                out[r, i] += mixing[j, r] * basis[j, i]
    return out


@kernel
def shrunken(log_penalty: float, stiffness: Vector, energy: Vector) -> tuple[float, float]:
    """Residual energy of the penalised directions, and how many of them are in use.

    A direction of stiffness d keeps 1 / (1 + λd) of its coefficient.
    """
    left, used = 0.0, 0.0
    penalty = exp(log_penalty)
    for i in range(len(stiffness)):
        kept = 1.0 / (1.0 + penalty * stiffness[i])
        left += (1.0 - kept) ** 2 * energy[i]
        used += kept
    return left, used


@kernel
def log_gcv(
    log_penalty: float, stiffness: Vector, energy: Vector, rest: float, n: int, free: int
) -> float:
    """Logarithm of generalised cross-validation, but for a constant: RSS / (n - degrees)²."""
    left, used = shrunken(log_penalty, stiffness, energy)
    if n - free - used <= 0.0:
        return np.inf
    return log(max(rest + left, TINY)) - 2.0 * log(n - free - used)


@kernel
def least_gcv(
    stiffness: Vector, energy: Vector, rest: float, n: int, free: int, grid: Vector
) -> tuple[float, float, float]:
    """Penalty with the least GCV, as a logarithm, and what :func:`shrunken` says of it.

    The best of a grid, then golden sections.
    """
    best, least = 0, np.inf
    for g in range(len(grid)):
        value = log_gcv(grid[g], stiffness, energy, rest, n, free)
        if value < least:
            best, least = g, value
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    ratio = (sqrt(5.0) - 1.0) / 2.0
    inner, outer = high - ratio * (high - low), low + ratio * (high - low)
    at_inner = log_gcv(inner, stiffness, energy, rest, n, free)
    at_outer = log_gcv(outer, stiffness, energy, rest, n, free)
    while high - low > 1e-9:
        if at_inner <= at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - ratio * (high - low)
            at_inner = log_gcv(inner, stiffness, energy, rest, n, free)
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + ratio * (high - low)
            at_outer = log_gcv(outer, stiffness, energy, rest, n, free)
    log_penalty = 0.5 * (low + high)
    left, used = shrunken(log_penalty, stiffness, energy)
    return log_penalty, left, used
