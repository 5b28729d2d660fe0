"""Means over all orders of ties from fits to few of them.

Ties are broken at random, in both variables independently, and what is asked for is the mean of
the scores over all orders. A fit to each of many orders would do; fits to few do as well if most
of what differs between orders is known without a fit. With q the curves of the mean density of
the first fits, the score S(o) of a fit to order o is

    S(o) = A(o) - g G(o) + rest,

- A(o) the pinball score of the points of order o on the curves q. It is a sum over points, each of
  which is anywhere in its tied cell: its mean over all orders is exact and cheap.
- G(o) what a fit gains by following the points, to second order: the sum over the given variable of
  D(o)^2 / f, where D is the smoothed share of points below q less the level, and f the density
  there. g is 0.5. Its mean is taken over many orders, none of which is fitted.

The mean of S is that of A, less g times that of G, plus the mean rest of the few fits. Orders come
with their opposites, all groups turned round, which takes the odd part off. The rest has a tenth to
a third of the variance of S. Curves score too well on the orders they were made of, by the variance
of D over f between pairs of opposites: that is made good.

The standard error left counts the variance of the rest over the fits, and that of the mean of G.
Few fits tell little of their variance, so it is taken together with what is usual: a share of the
variance of G. Fits are added until about as much is known as 32 plain orders would tell, or the
error is a small fraction of the sampling error of the confidence, about 0.06 / sqrt(n). Up to half
as much again is allowed, and a tenth where the confidence is below its error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from bqcd.discovery.quantiles.copula import Copula
from bqcd.discovery.ranks import Orders, Ties, normal_scores, tie_generator
from bqcd.discovery.scores import Quadrature, marginal_scores
from bqcd.runtime.arrays import Matrix, Stack, Vector

MOST_ROWS = 20_000
"""Up to so many rows; with more, plain orders are few already."""

# From so many rows on all orders have one kernel: its shape hardly depends on the order.
_SHARED_SHAPE = 500
_MOST_PAIRS = 16
# Pairs of opposites that are always fitted: two, and more of few rows, as these cost less.
_FIRST_PAIRS, _MOST_FIRST_PAIRS, _FIRST_ROWS = 2, 8, 2_000
# Orders over which gains are averaged, with their opposites; more only if they are fitted.
_GAIN_ORDERS = 12
# Plain pairs of opposites that the estimate shall be worth, and by how much it may fall short.
_WORTH = 16
# Below so many errors the sign hangs on the order of ties, and it may fall short by less.
_TOLERANCE, _STRICT, _SURE = 1.5, 1.1, 1.0
# Error that may always be left, times the root of the rows.
_SMALL_ERROR = 0.0016
# What is usual, in variances of the gain: the variance of fits to opposites, and of the rest. It
# counts like so many fits.
_USUAL_PLAIN, _USUAL_REST, _PRIOR = 0.9, 0.12, 3.0


@dataclass(frozen=True, slots=True, eq=False)
class TieAverage:
    """Mean scores over all orders of ties.

    Parameters
    ----------
    scores : ndarray of shape (2, m)
        Mean pinball scores of the second variable given the first, and the other way.
    orders : int
        Orders fitted.
    error : float
        Standard error of the confidence that is left.
    spread : float
        Standard deviation of the confidence between single orders.
    density : ndarray
        Of the first order.
    n_rows : int
        Rows of the pair.
    """

    scores: Matrix
    orders: int
    error: float
    spread: float
    density: Matrix
    n_rows: int


def average_over_ties(ties: Ties, copula: Copula, rule: Quadrature) -> TieAverage:
    """Mean scores of a pair over all orders of its ties, from fits to as few as will do.

    Examples
    --------
    >>> from bqcd.discovery.ranks import rank_pair
    >>> from bqcd.discovery.scores import gauss_legendre
    >>> x = np.random.default_rng(0).normal(size=300).round(1)
    >>> ties = rank_pair(x, np.roll(x, 1) + x).ties
    >>> found = average_over_ties(ties, Copula(), gauss_legendre(3))
    >>> found.orders >= 4, found.error < 1e-3
    (True, True)
    """
    run = _Run(ties, copula, rule)
    run.fit(min(max(-(-_FIRST_ROWS // run.n_rows), _FIRST_PAIRS), _MOST_FIRST_PAIRS))
    run.fix_curves()
    while not run.settled():
        run.fit(1)
    return run.result()


class _Run:
    """Fits to orders of ties, one pair of opposites after the other."""

    def __init__(self, ties: Ties, copula: Copula, rule: Quadrature) -> None:
        self._ties, self._copula, self._rule = ties, copula, rule
        n = self.n_rows = len(ties.second)
        self._scores = normal_scores(n)
        self._turns = ties.turns()
        self._broken = ties.broken_by(_uniforms(n)[: 2 * _GAIN_ORDERS])
        self._shape = copula.shapes(self._scores, self._broken[:1])
        self._unit = 2.0 * rule.integrate(marginal_scores(n, rule))
        self._estimate = np.empty((2, len(rule)))
        self._fitted, self._fixed = np.empty((2, 0, *self._estimate.shape))
        self._pairs = 0

    def fit(self, pairs: int) -> None:
        """Fit the next orders and their opposites."""
        if self._pairs + pairs > len(self._broken):
            self._broken = self._ties.broken_by(_uniforms(self.n_rows))
            self._gains = self._all_gains()
        chosen = self._broken[self._pairs : self._pairs + pairs]
        inverses = np.empty((2 * pairs, self.n_rows), dtype=np.int32)
        seconds = np.empty((2 * pairs, self.n_rows))
        _kernels().fill_fitted_orders(chosen, self._turns, self._scores, inverses, seconds)
        if self.n_rows < _SHARED_SHAPE:
            shapes = self._copula.shapes(self._scores, inverses)
        else:
            shapes = np.empty((len(inverses), 2))
            shapes[:] = self._shape
        densities, fitted = self._copula.fits_both_ways(
            self._scores, inverses, seconds, shapes, self._rule.levels
        )
        self._fitted = np.concatenate((self._fitted, fitted))
        if self._pairs:
            fixed = self._excesses(inverses, seconds)
            self._fixed = np.concatenate((self._fixed, fixed))
        else:
            self._densities, self._first = densities, (inverses, seconds)
        self._pairs += pairs

    def fix_curves(self) -> None:
        """Curves of the mean density, and all that is known of them without a fit."""
        self._density = np.add.reduce(self._densities) / len(self._densities)
        self._grid, self._shares = self._copula.shares_both_ways(
            self._density, self._rule.levels, self.n_rows
        )
        self._curves = np.empty_like(self._shares)
        _kernels().fill_curve_values(self._shares, self._scores, self._curves)
        self._fixed = self._excesses(*self._first)
        self._expected = self._expected_excess()
        self._gains = self._all_gains()

    def settled(self) -> bool:
        """Whether no more fits are needed; the estimate is brought up to date."""
        plain, rest, gains, each = _kernels().combine(
            self._fitted,
            self._fixed,
            self._expected,
            self._gains,
            self._rule.weights,
            self._estimate,
        )
        pairs, held = self._pairs, len(self._broken)
        gain = gains / (held - 1)
        plain = (plain + _PRIOR * _USUAL_PLAIN * gain) / (pairs - 1 + _PRIOR)
        rest = (rest + _PRIOR * _USUAL_REST * gain) / (pairs - 1 + _PRIOR)
        variance = rest / pairs + _kernels().gained ** 2 * gain / held
        self._error = sqrt(variance) / self._unit
        self._spread = sqrt(each / (2 * pairs - 1)) / self._unit
        gap = self._rule.integrate(self._estimate[1] - self._estimate[0])
        tolerance = _TOLERANCE if gap * gap >= _SURE**2 * variance else _STRICT
        enough = variance <= tolerance**2 * plain / _WORTH
        small = self._error * sqrt(self.n_rows) <= _SMALL_ERROR
        return enough or small or pairs == _MOST_PAIRS

    def result(self) -> TieAverage:
        """The estimate."""
        return TieAverage(
            self._estimate,
            2 * self._pairs,
            self._error,
            self._spread,
            self._densities[0],
            self.n_rows,
        )

    def _excesses(self, inverses: Orders, seconds: Matrix) -> Stack:
        found = np.empty((len(inverses), *self._estimate.shape))
        _kernels().fill_excesses(self._curves, self._scores, inverses, seconds, found)
        return found

    def _expected_excess(self) -> Matrix:
        ties = self._ties
        first, second = ties.codes()
        groups = (second, first[ties.second])
        found = np.empty_like(self._estimate)
        starts = (ties.first_starts, ties.second_starts)
        for way in range(2):
            _kernels().fill_expected_excess(
                self._shares[way],
                self._curves[way],
                self._scores,
                groups[way],
                starts[way],
                starts[1 - way],
                found[way],
            )
        return found

    def _all_gains(self) -> Stack:
        found = np.empty((*self._estimate.shape, 3 * len(self._broken) + 1))
        _kernels().fill_in_sample_gains(
            self._density,
            self._grid,
            self._shape[0],
            self._rule.levels,
            self._scores,
            self._shares,
            self._curves,
            self._broken,
            self._turns,
            found,
        )
        return found


class _Kernels(NamedTuple):
    """Compiled functions, and the share of the gain to second order that a fit has."""

    fill_fitted_orders: Callable[[Orders, Orders, Vector, Orders, Matrix], None]
    fill_curve_values: Callable[[Stack, Vector, Stack], None]
    fill_excesses: Callable[[Stack, Vector, Orders, Matrix, Stack], None]
    fill_expected_excess: Callable[[Matrix, Matrix, Vector, Orders, Orders, Orders, Vector], None]
    fill_in_sample_gains: Callable[..., None]
    combine: Callable[[Stack, Stack, Matrix, Stack, Vector, Matrix], Vector]
    gained: float


@lru_cache(maxsize=1)
def _kernels() -> _Kernels:
    """Kernels, loaded on first use: a pair without ties needs none of them."""
    from bqcd.discovery import tie_gain_kernels, tie_kernels

    return _Kernels(
        tie_kernels.fill_fitted_orders,
        tie_kernels.fill_curve_values,
        tie_kernels.fill_excesses,
        tie_kernels.fill_expected_excess,
        tie_gain_kernels.fill_in_sample_gains,
        tie_gain_kernels.combine,
        tie_gain_kernels.GAINED,
    )


@lru_cache(maxsize=8)
def _uniforms(n: int) -> Matrix:
    """Numbers from which all orders of ties of n rows are made."""
    return tie_generator().random((2 * _MOST_PAIRS, n))
