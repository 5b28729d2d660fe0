"""Additive models of conditional quantiles: q_τ(x) = m(x) + c_τ s(x).

The location m and the logarithm of the scale s are sums of penalised splines, one of each column
and, if asked for, one of the location in the scale. The c_τ minimise the pinball loss: restricted
regression quantiles [1]_, which never cross. A model is judged by its pinball scores in units of
s(x), and gives each row the level at which it lies.

References
----------
.. [1] He. Quantile curves without crossing. The American Statistician 1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.scaling import drawn_in, unit_variance
from bqcd.statistics.splines.additive_models import AdditiveFit, fitted
from bqcd.statistics.splines.smooth_terms import (
    SmoothTerm,
    SmoothTerms,
    dimension_for,
    joined_terms,
    smooth_term,
    smooth_terms,
)

# Sizes of residuals count as at least this share of their deviation, before logarithms are taken.
SMALL = 1e-2
# Where residuals are cut off for location, and for scale, in robust standard deviations.
HUBER, LARGE = 1.5, 2.5
# Scores are not taken below this: a column that others determine has no residuals.
EXACT = 1e-12


@dataclass(frozen=True, eq=False)
class LevelModel:
    """Conditional quantiles of a column at its rows.

    Parameters
    ----------
    residuals : ndarray of shape (n,)
        The column less the location.
    log_scale : ndarray of shape (n,)
        Logarithm of the scale, with mean 0.
    functions : ndarray of shape (m, n)
        Functions that the location is made of, the constant left out.
    scale_functions : ndarray of shape (l, n)
        Functions that the logarithm of the scale is made of.
    degrees : float
        Effective degrees of freedom of the location, the constant left out.
    location_spread, scale_spread : ndarray of shape (m, m), (l, l)
        What coefficients of the functions are of their products with a target, penalties held.
    """

    residuals: Vector
    log_scale: Vector
    functions: Matrix
    scale_functions: Matrix
    degrees: float
    location_spread: Matrix
    scale_spread: Matrix

    @cached_property
    def noise(self) -> Vector:
        """Residuals in units of the scale."""
        noise: Vector = self.residuals * np.exp(-self.log_scale)
        return noise

    @cached_property
    def levels(self) -> Vector:
        """Level of each row in (0, 1): that of the conditional quantile which it is."""
        return levels_of(self.noise)

    @property
    def spanned(self) -> Matrix:
        """Functions that a change of location or scale moves levels by."""
        return np.concatenate((self.scale_functions, self.functions * np.exp(-self.log_scale)))

    def sharpened(self) -> LevelModel:
        """The model a step nearer to one that large residuals do not move, penalties held.

        Least squares and logarithms of sizes are quick, but where tails are heavy or the noise is
        bounded they leave more error than need be. The step is that of Huber's location and of a
        scale by mean sizes, both with large residuals cut off.
        """
        noise, unit = _centred(self.noise)
        if unit == 0.0:
            return self
        cut = np.clip(noise, -HUBER * unit, HUBER * unit)
        pull = np.exp(self.log_scale) * cut / np.mean(np.abs(noise) < HUBER * unit)
        residuals = self.residuals - _smoothed(pull, self.functions, self.location_spread)
        noise, _ = _centred(residuals * np.exp(-self.log_scale))
        sizes = np.minimum(np.abs(noise), LARGE * unit)
        # By how much the mean size grows with the logarithm of the scale.
        slope = np.mean(sizes * (sizes < LARGE * unit))
        if slope == 0.0:
            return self
        pull = _smoothed(sizes / slope, self.scale_functions, self.scale_spread)
        log_scale = self.log_scale + pull
        return replace(self, residuals=residuals, log_scale=log_scale - log_scale.mean())

    def score(self, at: Vector, weights: Vector) -> float:
        """Logarithm of the pinball scores in units of the scale, integrated over levels.

        As the mean of ``log_scale`` is 0, this is the logarithm of the likelihood of the quantiles,
        turned round, but for a constant: that of asymmetric Laplace noise of scale s(x).

        Parameters
        ----------
        at, weights : ndarray of shape (m,)
            Levels, and the weights that integrate over them.
        """
        return log(max(integrated_pinball(self.noise, at, weights), EXACT))


def levels_of(noise: Vector) -> Vector:
    """Middle ranks as levels in (0, 1).

    Examples
    --------
    >>> levels_of(np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    from scipy.stats import rankdata

    return np.asarray((rankdata(noise) - 0.5) / len(noise))


def integrated_pinball(values: Vector, at: Vector, weights: Vector) -> float:
    """Mean pinball score of the quantiles of some values, integrated over levels.

    Examples
    --------
    >>> round(integrated_pinball(np.arange(5.0), np.array([0.5]), np.array([1.0])), 6)
    0.6
    """
    in_order = np.sort(values)
    n = len(in_order)
    sums = np.append(0.0, np.cumsum(in_order))
    # Of the values below, as many as the level says: the pinball loss is least there.
    below = np.clip(np.ceil(at * n).astype(np.int64), 1, n)
    best = in_order[below - 1]
    losses = best * below - sums[below] - at * (n * best - sums[n])
    return float(weights @ losses) / n


class LevelModels:
    """Models of columns on each other, with all that they share.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
        Finite columns, none of them constant.
    n_basis : int
        Dimension of the splines, of normal scores, where there are enough rows.
    """

    def __init__(self, columns: Sequence[Vector], n_basis: int) -> None:
        self.targets = [unit_variance(drawn_in(column)) for column in columns]
        self.inputs = [_normal_scores(column) for column in columns]
        self._n_basis = n_basis
        self._bases: dict[int, tuple[SmoothTerms, Matrix]] = {}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.targets[0])

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.targets)

    def fit(self, node: int, parents: Sequence[int], *, following: bool = False) -> LevelModel:
        """Model of a column on others, of which there may be none.

        Parameters
        ----------
        node : int
            The column.
        parents : sequence of int
            The others.
        following : bool, default=False
            Whether the logarithm of the scale has one more term: a spline of the location. Where
            noise is multiplied the scale is a function of that, and of several columns no sum.
        """
        if not parents:
            return self.alone(self.targets[node])
        return self._fit(self.targets[node], parents, following=following)

    @staticmethod
    def alone(target: Vector) -> LevelModel:
        """Model of a column on nothing: its quantiles."""
        none, nothing = np.empty((0, 0)), np.empty((0, len(target)))
        return LevelModel(target, np.zeros(len(target)), nothing, nothing, 0.0, none, none)

    def refined(self, model: LevelModel, other: int) -> LevelModel:
        """A model with one more column, what it had so far held."""
        return self._fit(model.residuals, [other], model.log_scale)

    def functions(self, node: int, n_basis: int | None = None) -> Matrix:
        """Functions of one column, orthonormal over its rows and to a constant."""
        terms, _ = self._basis(n_basis or self._dimension(1))
        return terms.terms[node].functions

    def _fit(
        self,
        target: Vector,
        parents: Sequence[int],
        known: Vector | None = None,
        *,
        following: bool = False,
    ) -> LevelModel:
        terms, functions = self._basis(self._dimension(len(parents)))
        functions = functions[terms.places(parents)]
        location, fit = _smooth(target, terms, parents, functions)
        residuals = target - location
        sizes = _log_sizes(residuals)
        if known is not None:
            sizes = sizes - known
        of_scale = functions
        if following:
            terms = self._followed(location, [terms.terms[parent] for parent in parents])
            of_scale = np.concatenate([term.functions for term in terms.terms])
            parents = range(len(terms.terms))
        scale, scale_fit = _smooth(sizes, terms, parents, of_scale)
        log_scale = scale if known is None else scale + known
        return LevelModel(
            residuals,
            log_scale - log_scale.mean(),
            functions,
            of_scale,
            fit.total_degrees - 1.0,
            fit.spread,
            scale_fit.spread,
        )

    def _followed(self, location: Vector, terms: list[SmoothTerm]) -> SmoothTerms:
        """Terms with one more: that of the location, if it varies."""
        # Rows with the same inputs have the same location, but for rounding.
        location = location.round(9)
        if np.ptp(location) > 0.0:
            n_basis = self._dimension(len(terms) + 1)
            terms = [*terms, smooth_term(_normal_scores(location), n_basis=n_basis)]
        return joined_terms(terms)

    def _dimension(self, n_terms: int) -> int:
        """Dimension of the splines in models of so many terms."""
        return dimension_for(self.n_rows, n_terms, n_basis=self._n_basis)

    def _basis(self, n_basis: int) -> tuple[SmoothTerms, Matrix]:
        """Terms of all columns, and all their functions."""
        if n_basis not in self._bases:
            terms = smooth_terms(self.inputs, n_basis=n_basis)
            functions = np.concatenate([term.functions for term in terms.terms])
            self._bases[n_basis] = terms, functions
        return self._bases[n_basis]


def _smooth(
    target: Vector, terms: SmoothTerms, which: Sequence[int], functions: Matrix
) -> tuple[Vector, AdditiveFit]:
    """Sum of some terms, whose functions are given, that is nearest to a target."""
    mean = float(target.mean())
    centred = target - mean
    total = max(float(centred @ centred), EXACT)
    products = np.zeros(len(terms.gram))
    products[terms.places(which)] = functions @ centred
    fit = fitted(terms, which, products, total=total)
    return mean + fit.coefficients @ functions, fit


def _smoothed(target: Vector, functions: Matrix, spread: Matrix) -> Vector:
    """Fit of a target, less its mean."""
    fit: Vector = (spread @ (functions @ target)) @ functions
    return fit


def _centred(noise: Vector) -> tuple[Vector, float]:
    """Noise less its median, and its standard deviation by quartiles."""
    low, middle, high = np.quantile(noise, [0.25, 0.5, 0.75])
    return noise - middle, float(high - low) / 1.35


def _log_sizes(residuals: Vector) -> Vector:
    least = max(SMALL * float(np.std(residuals)), EXACT)
    return np.asarray(np.log(np.abs(residuals) + least))


def _normal_scores(column: Vector) -> Vector:
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return np.asarray(ndtri(rankdata(column) / (len(column) + 1.0)))
