"""Bases of penalised splines for the terms of additive models, and what they share.

Each term has orthonormal functions without mean at the rows: a straight line, free of any
penalty, and thin-plate functions, each with a penalty of its own. An additive model then only
needs products of functions, which are summed over the rows once for all models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.thin_plates import orthonormalise, thin_plate_rows

Places = NDArray[np.intp]

# Rows for each function, at least; with fewer rows the bases shrink.
ROWS_PER_FUNCTION = 3
# A line and one curved function are the least of a spline.
LEAST_BASIS = 3


@dataclass(frozen=True, eq=False)
class SmoothTerm:
    """Functions of one column: orthonormal over its rows, orthogonal to a constant.

    Parameters
    ----------
    functions : ndarray of shape (w, n)
        One function a row: a straight line first, then curved ones.
    stiffness : ndarray of shape (w,)
        Penalty of the square of each coefficient: 0 for the line, and at least 1 for the
        others, the softest of which has 1.
    """

    functions: Matrix
    stiffness: Vector


def smooth_term(column: Vector, *, n_basis: int = 10) -> SmoothTerm:
    """Thin-plate functions of a column.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Numbers of moderate size, not constant.
    n_basis : int, default=10
        Dimension of the basis, the constant included that is then left out. Fewer where the
        distinct values are.

    Examples
    --------
    >>> term = smooth_term(np.linspace(0.0, 1.0, 50), n_basis=5)
    >>> term.functions.shape
    (4, 50)
    >>> bool(np.allclose(term.functions @ term.functions.T, np.eye(4)))
    True
    """
    points, places, counts = np.unique(column, return_inverse=True, return_counts=True)
    roots = np.sqrt(counts)
    rows, bending = thin_plate_rows(points, n_basis)
    rows *= roots
    lower = orthonormalise(rows)
    new = np.flatnonzero(np.diag(lower)[2:])
    functions, stiffness = rows[1:2], np.zeros(1)
    if len(new):
        lower, bending = lower[2:, 2:][np.ix_(new, new)], bending[np.ix_(new, new)]
        half = np.linalg.solve(lower, bending)
        values, turn = np.linalg.eigh(np.linalg.solve(lower, half.T))
        # Positive but for rounding, to which it is left in degenerate columns.
        values = np.maximum(np.abs(values), 1e-14 * np.abs(values).max())
        functions = np.concatenate((functions, turn.T @ rows[2:][new]))
        stiffness = np.append(stiffness, values / values.min())
    return SmoothTerm((functions / roots)[:, places.ravel()], stiffness)


@dataclass(frozen=True, eq=False)
class SmoothTerms:
    """Terms of several columns with the products of all their functions.

    Parameters
    ----------
    terms : tuple of SmoothTerm
        One for each column.
    gram : ndarray of shape (m, m)
        Products of the functions of all terms.
    starts : ndarray of shape (k + 1,)
        Where the functions of each term start, and where the last ones end.
    """

    terms: tuple[SmoothTerm, ...]
    gram: Matrix
    starts: Places

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.terms[0].functions.shape[1])

    def places(self, which: Sequence[int]) -> Places:
        """Where the functions of some terms are among all."""
        return np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in which])

    def widths(self, which: Sequence[int]) -> Places:
        """How many functions some terms have."""
        return np.diff(self.starts)[list(which)]

    def stiffness(self, which: Sequence[int]) -> Vector:
        """Penalties of the functions of some terms, one after the other."""
        return np.concatenate([self.terms[i].stiffness for i in which])

    def products(self, target: Vector) -> Vector:
        """Products of all functions with a column."""
        return np.concatenate([term.functions @ target for term in self.terms])


def smooth_terms(columns: Sequence[Vector], *, n_basis: int = 10) -> SmoothTerms:
    """Terms of several columns, with their products.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
        Numbers of moderate size; no column is constant.
    n_basis : int, default=10
        Dimension of each basis, the constant included.
    """
    return joined_terms([smooth_term(column, n_basis=n_basis) for column in columns])


def joined_terms(terms: Sequence[SmoothTerm]) -> SmoothTerms:
    """Some terms, with their products.

    Parameters
    ----------
    terms : sequence of SmoothTerm
        Of the same rows.
    """
    functions = np.concatenate([term.functions for term in terms])
    widths = [len(term.stiffness) for term in terms]
    return SmoothTerms(tuple(terms), functions @ functions.T, np.append(0, np.cumsum(widths)))


def dimension_for(n_rows: int, n_terms: int, *, n_basis: int) -> int:
    """Dimension of the splines in models of some terms: less than asked for where rows are few.

    Examples
    --------
    >>> [dimension_for(60, terms, n_basis=10) for terms in (1, 2, 5, 50)]
    [10, 10, 4, 3]
    """
    if n_rows >= n_terms * ROWS_PER_FUNCTION * n_basis:
        return n_basis
    return max(ceil(n_rows / (ROWS_PER_FUNCTION * n_terms)), LEAST_BASIS)
