"""Thin-plate regression splines of one variable on another.

They keep the leading eigenvectors of the kernel |x - x'|³ and find their penalty by generalised
cross-validation, as ``gam(y ~ s(x, k))`` of the R package mgcv does.
"""

from __future__ import annotations

from functools import lru_cache
from math import log, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.pooling import SplineFit, pooled_rows

# Knots, at most: evenly chosen from the distinct points where there are more.
MOST_KNOTS = 2000
# What is left of a vector, relative to it, when those before it make it up.
DEPENDENT = 1e-10


def thin_plate_fit(given: Vector, target: Vector, *, n_basis: int = 10) -> SplineFit:
    """Thin-plate regression spline of ``target`` on ``given``, its penalty found by GCV.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Numbers of moderate size; ``given`` is not constant.
    n_basis : int, default=10
        Dimension of the basis, a constant and a straight line included. Fewer where the
        distinct values of ``given`` are.

    Returns
    -------
    SplineFit
        The least GCV = n RSS / (n - degrees)² over all penalties.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 200)
    >>> fit = thin_plate_fit(x, np.sin(6.0 * x))
    >>> fit.residual_sum < 1e-3, round(fit.degrees, 1)
    (True, 10.0)
    """
    from bqcd.runtime.sum_kernels import inner_product
    from bqcd.statistics.splines import thin_plate_kernels as kernels

    pooled = pooled_rows(given, target)
    roots = np.sqrt(pooled.counts)
    rows, bending = thin_plate_rows(pooled.points, n_basis)
    rows *= roots
    lower = orthonormalise(rows)
    means = roots * pooled.means
    shares = np.array([inner_product(row, means) for row in rows])
    kernels.orthogonalise(means, rows, len(rows), np.zeros(len(rows)))
    rest = inner_product(means, means) + pooled.scatter
    new = np.flatnonzero(np.diag(lower)[2:])
    if len(new) == 0:
        return SplineFit(rest, 2.0, 0.0)
    lower, bending = lower[2:, 2:][np.ix_(new, new)], bending[np.ix_(new, new)]
    half = np.linalg.solve(lower, bending)
    stiffness, turn = np.linalg.eigh(np.linalg.solve(lower, half.T))
    # Positive but for rounding, to which it is left in degenerate columns.
    stiffness = np.maximum(np.abs(stiffness), 1e-14 * np.abs(stiffness).max())
    energy = np.square(turn.T @ shares[2:][new])
    grid = np.arange(-log(stiffness.max()) - 15.0, -log(stiffness.min()) + 15.0, 0.25)
    log_penalty, left, used = kernels.least_gcv(stiffness, energy, rest, len(given), 2, grid)
    return SplineFit(rest + left, 2.0 + used, log_penalty)


def thin_plate_rows(points: Vector, n_basis: int) -> tuple[Matrix, Matrix]:
    """Basis functions at increasing points, one a row, and the penalty of all but the first two.

    A constant, a straight line, and functions of the ``n_basis`` leading eigenvectors of
    |k - k'|³ / 12 over the knots, less the two combinations that are not orthogonal to lines.
    """
    from bqcd.statistics.splines import thin_plate_kernels as kernels

    line = points - points.mean()
    rows = np.stack((np.ones_like(points), line))
    if min(len(points), n_basis) <= 2:
        return rows, np.empty((0, 0))
    knots = points
    if len(points) > MOST_KNOTS:
        knots = points[np.linspace(0, len(points) - 1, MOST_KNOTS).astype(np.int64)]
    values, vectors = _kept_eigenvectors(knots.tobytes(), n_basis)
    straight = np.stack((vectors.sum(axis=1), np.einsum("ij,j->i", vectors, knots - knots.mean())))
    rest = np.linalg.qr(straight.T, mode="complete")[0][:, 2:]
    weights = kernels.combined_rows(vectors, np.ascontiguousarray(rest))
    curved = np.empty((len(weights), len(points)))
    for row, weight in zip(curved, weights, strict=True):
        kernels.cubed_distance_sums(knots, weight, points, row)
    return np.concatenate((rows, curved)), rest.T @ (values[:, None] * rest)


@lru_cache(maxsize=4)
def _kept_eigenvectors(knots: bytes, count: int) -> tuple[Vector, Matrix]:
    """Those of the last few sets of knots: on ranks, all columns without ties share one."""
    # A copy: kernels would be compiled once more for arrays that are read only.
    return _leading_eigenvectors(np.frombuffer(knots).copy(), count)


def _leading_eigenvectors(knots: Vector, count: int) -> tuple[Vector, Matrix]:
    """The eigenvalues of |k - k'|³ / 12 that are largest in size, and their vectors as rows.

    Lanczos' method: the values fall with the fourth power of their number, so that a few
    dozen products with the matrix are enough, none of which needs the matrix.
    """
    from bqcd.statistics.splines import thin_plate_kernels as kernels

    size = len(knots)
    most = min(size, 30 * count)
    basis = np.empty((most + 1, size))
    # Any start will do that no symmetry of the knots makes orthogonal to an eigenvector.
    start = np.modf(np.arange(1, size + 1) * 0.6180339887498949)[0]
    basis[0] = start / np.sqrt(np.square(start).sum())
    diagonal, beside = np.zeros(most), np.zeros(most)
    done, planned = 0, min(3 * count, most)
    while True:
        reached = _lanczos_steps(knots, basis, (diagonal, beside), done, planned)
        inner = diagonal[:reached], beside[: reached - 1]
        values, mixing = kernels.tridiagonal_eigenvectors(*inner)
        leading = np.argsort(-np.abs(values), kind="stable")[:count]
        missed = beside[reached - 1] * np.abs(mixing[-1, leading])
        settled = bool((missed <= 1e-9 * abs(values[leading[-1]])).all())
        if settled or reached < planned or planned == most:
            break
        done, planned = reached, min(planned + count, most)
    mixed = np.ascontiguousarray(mixing[:, leading])
    return values[leading], kernels.combined_rows(basis[:reached], mixed)


def _lanczos_steps(
    knots: Vector, basis: Matrix, entries: tuple[Vector, Vector], first: int, last: int
) -> int:
    """Lanczos steps ``first`` to ``last`` with the matrix |k - k'|³ / 12; steps done.

    Row j of ``basis`` is the j-th vector, row 0 the start. ``entries`` are those on and beside
    the diagonal of the tridiagonal matrix. Fewer steps are done where the vectors run out.
    """
    from bqcd.runtime.sum_kernels import inner_product
    from bqcd.statistics.splines.thin_plate_kernels import cubed_distance_sums, orthogonalise

    diagonal, beside = entries
    moved, shares = np.empty(len(knots)), np.zeros(last)
    for j in range(first, last):
        vector = basis[j]
        cubed_distance_sums(knots, vector, knots, moved)
        diagonal[j] = inner_product(vector, moved)
        # Twice, for the largest values are found first and would come back.
        orthogonalise(moved, basis, j + 1, shares)
        orthogonalise(moved, basis, j + 1, shares)
        length = sqrt(inner_product(moved, moved))
        if length <= 1e-14 * abs(diagonal[0]):
            beside[j] = 0.0
            return j + 1
        beside[j] = length
        np.divide(moved, length, out=basis[j + 1])
    return last


def orthonormalise(rows: Matrix) -> Matrix:
    """Orthonormal rows in place; returns the lower triangle L with old = L @ new.

    A row that those before it make up, but for rounding, becomes zero, as does its end of L.

    Examples
    --------
    >>> rows = np.array([[3.0, 4.0], [6.0, 8.0], [1.0, 0.0]])
    >>> orthonormalise(rows).round(3)
    array([[ 5. ,  0. ,  0. ],
           [10. ,  0. ,  0. ],
           [ 0.6,  0. ,  0.8]])
    """
    from bqcd.runtime.sum_kernels import inner_product
    from bqcd.statistics.splines.thin_plate_kernels import orthogonalise

    lower = np.zeros((len(rows), len(rows)))
    for r, row in enumerate(rows):
        size = sqrt(inner_product(row, row))
        # Twice, for rounding in the first pass.
        orthogonalise(row, rows, r, lower[r])
        orthogonalise(row, rows, r, lower[r])
        left = sqrt(inner_product(row, row))
        if left > DEPENDENT * size:
            lower[r, r] = left
            row /= left
        else:
            row[:] = 0.0
    return lower
