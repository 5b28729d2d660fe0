"""Symmetric positive definite matrices: their Cholesky factor, and what follows from it."""

from __future__ import annotations

import numpy as np

from bqcd.runtime.arrays import Matrix


def cholesky(matrix: Matrix) -> Matrix | None:
    """Lower Cholesky factor, None if the matrix is not positive definite or not finite."""
    from scipy.linalg.lapack import dpotrf

    if not np.isfinite(matrix).all():
        return None
    factor, info = dpotrf(matrix, lower=1)
    return factor if info == 0 else None


def solved(factor: Matrix, right: Matrix) -> Matrix:
    """Inverse of the factorised matrix times one or more columns."""
    from scipy.linalg.lapack import dpotrs

    solution: Matrix = dpotrs(factor, right, lower=1)[0]
    return solution.reshape(right.shape)


def inverse(factor: Matrix) -> Matrix:
    """Inverse of the factorised matrix."""
    from scipy.linalg.lapack import dpotri

    lower: Matrix = np.tril(dpotri(factor, lower=1)[0])
    return lower + np.tril(lower, -1).T
