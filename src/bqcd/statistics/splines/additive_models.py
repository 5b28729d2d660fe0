"""Additive models y = Σ f_i(x_i) + noise with a penalised spline for each f_i.

The penalties minimise generalised cross-validation, as in ``gam(y ~ s(x1) + s(x2))`` of the R
package mgcv, and each term has the p-value of Wood's test that it is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.smooth_terms import SmoothTerm, SmoothTerms, smooth_terms

Places = NDArray[np.intp]

# Added to the diagonal, so that columns that repeat each other do no harm.
RIDGE = 1e-10
# Share of the sum of squares below which residuals are rounding.
EXACT = 1e-12
# Beyond this logarithm of its penalty a term is a straight line, and as far below the least
# one that any function feels, it is free.
BEYOND = 12.0
# Newton steps, at most, and their greatest length in one logarithm.
MOST_STEPS = 40
LONGEST_STEP = 4.0
# Gradients of the logarithm of GCV no longer than this are zero.
FLAT = 1e-6
# Steps that promise to lower it by less are not worth while.
SETTLED = 1e-9


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """What an additive model took and left.

    Parameters
    ----------
    residual_sum : float
        Sum of squared residuals.
    log_penalties : ndarray of shape (k,)
        Logarithms of the penalties: at 0 the softest curved function of a term keeps half
        of its coefficient, if the term is alone.
    coefficients : ndarray of shape (m,)
        Coefficients of the functions of all terms, one after the other.
    spread : ndarray of shape (m, m)
        Their covariance, given the data and the penalties, but for the noise variance.
    influence : ndarray of shape (m, m)
        What the coefficients are of those without penalty.
    widths : ndarray of shape (k,)
        Functions of each term.
    n_rows : int
        Number of rows.
    """

    residual_sum: float
    log_penalties: Vector
    coefficients: Vector
    spread: Matrix
    influence: Matrix
    widths: Places
    n_rows: int

    @property
    def degrees(self) -> Vector:
        """Effective degrees of freedom of each term."""
        return self._by_term(np.diag(self.influence))

    @property
    def total_degrees(self) -> float:
        """Effective degrees of freedom of the model, with the constant."""
        return 1.0 + float(np.trace(self.influence))

    @cached_property
    def p_values(self) -> Vector:
        """Probability of each term to seem so large if it is zero, by Wood's test."""
        from bqcd.statistics.splines.smooth_term_tests import term_p_value

        left = self.n_rows - self.total_degrees
        noise = self.residual_sum / left
        ranks = self._by_term(2.0 * np.diag(self.influence) - _diagonal_of_square(self.influence))
        ends = np.cumsum(self.widths)
        return np.array(
            [
                term_p_value(
                    self.coefficients[end - width : end],
                    noise * self.spread[end - width : end, end - width : end],
                    rank=min(float(rank), float(width)),
                    residual_degrees=left,
                )
                for end, width, rank in zip(ends, self.widths, ranks, strict=True)
            ]
        )

    def _by_term(self, values: Vector) -> Vector:
        return np.add.reduceat(values, np.cumsum(self.widths) - self.widths)


def additive_model(givens: Sequence[Vector], target: Vector, *, n_basis: int = 10) -> AdditiveFit:
    """Additive model of a target on several columns, its penalties found by GCV.

    Parameters
    ----------
    givens : sequence of ndarray of shape (n,)
        Columns, none of them constant, all of moderate size.
    target : ndarray of shape (n,)
        What they shall explain; not constant.
    n_basis : int, default=10
        Dimension of the thin-plate splines, as in
        :func:`bqcd.statistics.splines.thin_plates.thin_plate_fit`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x, z, noise = rng.normal(size=(3, 300))
    >>> fit = additive_model([x, z], np.sin(2.0 * x) + 0.3 * noise)
    >>> fit.degrees.round(1)
    array([8.4, 2.1])
    >>> (fit.p_values < 0.001).tolist()
    [True, False]
    """
    terms = smooth_terms(givens, n_basis=n_basis)
    centred = target - target.mean()
    return fitted(
        terms, range(len(givens)), terms.products(centred), total=float(np.square(centred).sum())
    )


def additive_residuals(givens: Sequence[Vector], target: Vector, *, n_basis: int = 10) -> Vector:
    """What an additive model of several columns leaves of a target, in the target's units.

    Parameters
    ----------
    givens, target, n_basis
        As in :func:`additive_model`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x, z, noise = rng.normal(size=(3, 300))
    >>> left = additive_residuals([x, z], np.sin(2.0 * x) + z**2 + 0.3 * noise)
    >>> bool(np.corrcoef(left, noise)[0, 1] > 0.95)
    True
    """
    terms = smooth_terms(givens, n_basis=n_basis)
    centred = target - target.mean()
    every = range(len(givens))
    fit = fitted(terms, every, terms.products(centred), total=float(np.square(centred).sum()))
    functions = np.concatenate([term.functions for term in terms.terms])
    residuals: Vector = centred - fit.coefficients @ functions
    return residuals


def fitted(
    terms: SmoothTerms,
    which: Sequence[int],
    products: Vector,
    *,
    total: float,
    log_penalties: Vector | None = None,
) -> AdditiveFit:
    """Additive model of some of the terms.

    Parameters
    ----------
    terms : SmoothTerms
        Terms to choose from.
    which : sequence of int
        Those of the model; at least one.
    products : ndarray of shape (m,)
        Products of the functions of all terms with the target.
    total : float
        Sum of squares of the target about its mean.
    log_penalties : ndarray of shape (k,), optional
        Logarithms of the penalties; found by generalised cross-validation if not given.
    """
    places = terms.places(which)
    problem = _Problem(
        terms.gram[np.ix_(places, places)],
        products[places],
        terms.stiffness(which),
        terms.widths(which),
        total,
        terms.n_rows,
    )
    if log_penalties is not None:
        return _fit(problem, _at(problem, log_penalties))
    if len(which) == 1:
        return _fit(problem, _at(problem, np.array([_least_gcv_alone(problem)])))
    return _fit(problem, _descended(problem, np.array([_middling(terms.terms[i]) for i in which])))


@dataclass(frozen=True, eq=False)
class _Problem:
    """Normal equations of a model, with all that its penalties are judged by."""

    gram: Matrix
    products: Vector
    stiffness: Vector
    widths: Places
    total: float
    n_rows: int

    @cached_property
    def starts(self) -> Places:
        return np.cumsum(self.widths) - self.widths

    @cached_property
    def term_of(self) -> Places:
        return np.repeat(np.arange(len(self.widths)), self.widths)

    @cached_property
    def bounds(self) -> tuple[Vector, Vector]:
        """Least and greatest logarithms of penalties."""
        stiffest = np.maximum(np.maximum.reduceat(self.stiffness, self.starts), 1.0)
        return -np.log(stiffest) - BEYOND, np.full(len(stiffest), BEYOND)

    def by_term(self, values: Vector) -> Vector:
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))


@dataclass(frozen=True, eq=False)
class _State:
    """A model at some penalties."""

    log_penalties: Vector
    penalties: Vector
    inverse: Matrix
    coefficients: Vector
    residual_sum: float
    degrees: float
    criterion: float


def _at(problem: _Problem, log_penalties: Vector) -> _State:
    """The model at some penalties, with the logarithm of GCV but for a constant."""
    from scipy.linalg.lapack import dpotrf, dpotri

    penalties = np.exp(log_penalties)[problem.term_of] * problem.stiffness + RIDGE
    system = problem.gram.copy()
    on_diagonal = slice(None, None, len(system) + 1)
    system.flat[on_diagonal] += penalties
    factor, _ = dpotrf(system, lower=1, clean=1)
    lower, _ = dpotri(factor, lower=1, overwrite_c=1)
    inverse = lower + lower.T
    inverse.flat[on_diagonal] *= 0.5
    coefficients = inverse @ problem.products
    left = problem.total - coefficients @ problem.products
    left = max(float(left - penalties @ np.square(coefficients)), EXACT * problem.total)
    # Penalties take away from the number of functions.
    degrees = 1.0 + len(penalties) - float(penalties @ np.diag(inverse))
    free = problem.n_rows - degrees
    criterion = np.log(left) - 2.0 * np.log(free) if free > 0.0 else np.inf
    return _State(log_penalties, penalties, inverse, coefficients, left, degrees, float(criterion))


def _slopes(problem: _Problem, state: _State) -> tuple[Vector, Matrix]:
    """First and second derivatives of the logarithm of GCV in the logarithms of penalties.

    With H = G + S, the derivative of the coefficients β is -v_i = -H⁻¹ S_i β, and the trace
    of H⁻¹ G falls by tr(S_i K), where K = H⁻¹ G H⁻¹.
    """
    inverse, bent = state.inverse, state.penalties * state.coefficients
    shrunk = inverse @ (state.penalties[:, None] * inverse)
    spread = inverse - shrunk
    pull = inverse @ bent
    moved = problem.by_term(inverse * bent)
    weighted = problem.by_term((moved * (state.penalties * pull)[:, None]).T)
    flat = problem.by_term(bent * pull)
    sums = 2.0 * flat
    square = 2.0 * (moved.T @ problem.gram @ moved - weighted - weighted.T)
    square.flat[:: len(sums) + 1] += sums
    lost = problem.by_term(state.penalties * np.diag(spread))
    crossed = inverse * spread * state.penalties * state.penalties[:, None]
    twice = 2.0 * problem.by_term(problem.by_term(crossed).T)
    twice.flat[:: len(lost) + 1] -= lost
    free = problem.n_rows - state.degrees
    rise, fall = sums / state.residual_sum, lost / free
    gradient = rise - 2.0 * fall
    curvature = square / state.residual_sum - np.outer(rise, rise)
    return gradient, curvature + 2.0 * twice / free + 2.0 * np.outer(fall, fall)


def _descended(problem: _Problem, start: Vector) -> _State:
    """The model at a minimum of GCV, by Newton's method from some penalties."""
    low, high = problem.bounds
    state = _at(problem, start)
    for _ in range(MOST_STEPS):
        gradient, curvature = _slopes(problem, state)
        stuck = ((state.log_penalties <= low) & (gradient > 0.0)) | (
            (state.log_penalties >= high) & (gradient < 0.0)
        )
        moving = np.flatnonzero(~stuck & (np.abs(gradient) > FLAT))
        if len(moving) == 0:
            break
        step = np.zeros(len(start))
        step[moving] = _newton_step(gradient[moving], curvature[np.ix_(moving, moving)])
        # Towards a straight line GCV falls exponentially, where Newton's steps have length 1.
        step[(step > 0.7) & (_curved_degrees(problem, state) < 0.5)] = LONGEST_STEP
        better = _shortened(problem, state, step) if gradient @ step < -SETTLED else None
        if better is None:
            break
        state = better
    return state


def _curved_degrees(problem: _Problem, state: _State) -> Vector:
    """Degrees of freedom of each term beyond a straight line."""
    return problem.by_term(1.0 - state.penalties * np.diag(state.inverse)) - 1.0


def _newton_step(gradient: Vector, curvature: Matrix) -> Vector:
    """Way to the minimum of a parabola, downhill also where that is none, and not too long."""
    values, vectors = np.linalg.eigh(curvature)
    values = np.maximum(np.abs(values), 1e-7 * np.abs(values).max())
    step: Vector = -vectors @ ((vectors.T @ gradient) / values)
    return step * min(LONGEST_STEP / float(np.abs(step).max()), 1.0)


def _shortened(problem: _Problem, state: _State, step: Vector) -> _State | None:
    """The model after as much of a step as lowers GCV; None if nothing of it does."""
    for _ in range(8):
        tried = _at(problem, np.clip(state.log_penalties + step, *problem.bounds))
        if tried.criterion < state.criterion:
            return tried
        step = 0.5 * step
    return None


def _middling(term: SmoothTerm) -> float:
    """Logarithm of the penalty with which a term uses two fifths of its curved functions.

    Newton's method starts there, as in mgcv: GCV may have several minima, and this start is
    on the slope of none of the flat ones, at which terms are straight.
    """
    curved = term.stiffness[1:]
    if len(curved) == 0:
        return 0.0
    grid = np.arange(-np.log(curved.max()) - 3.0, 3.0, 0.125)
    kept = (1.0 / (1.0 + np.exp(grid)[:, None] * curved)).mean(axis=1)
    return float(grid[np.abs(kept - 0.4).argmin()])


def _least_gcv_alone(problem: _Problem) -> float:
    """Logarithm of the penalty with the least GCV, of all minima, if there is only one term."""
    from bqcd.statistics.splines.thin_plate_kernels import least_gcv

    if len(problem.stiffness) == 1:
        return 0.0
    energy = np.square(problem.products)
    rest = max(problem.total - float(energy.sum()), EXACT * problem.total)
    low, high = (float(bound[0]) for bound in problem.bounds)
    grid = np.arange(low - 3.0, high + 3.0, 0.25)
    return least_gcv(problem.stiffness[1:], energy[1:], rest, problem.n_rows, 2, grid)[0]


def _fit(problem: _Problem, state: _State) -> AdditiveFit:
    return AdditiveFit(
        state.residual_sum,
        state.log_penalties,
        state.coefficients,
        state.inverse,
        np.eye(len(state.inverse)) - state.inverse * state.penalties,
        problem.widths,
        problem.n_rows,
    )


def _diagonal_of_square(matrix: Matrix) -> Vector:
    return np.asarray(np.einsum("ij,ji->i", matrix, matrix))
