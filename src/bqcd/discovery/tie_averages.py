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
  there. g is 0.45. The mean of G over all orders is exact as well, from the variance of D
  (:mod:`bqcd.discovery.tie_moment_kernels`).

The mean of S is that of A, less g times that of G, plus the mean rest of the few fits. Orders come
with their opposites, all groups turned round, which takes the odd part off. The rest has a tenth
of the variance of S, a third where ties are few. Curves score too well on the orders they were
made of, by a share of what G owes to the order of ties: that is made good. Kernels have the mean
shape of the first order and its opposite, as the shape of one alone would be off for all fits.

The standard error left is that of the mean rest. Few fits tell little of their variance, so it is
taken together with what is usual: shares of the variance of G, of that of the fits and of the
distance of opposites, fitted to errors on simulated pairs. Fits are added until about as much is
known as 32 plain orders would tell, or the error is a two hundredth of the sampling error of
the confidence, which is about 0.06 / sqrt(n).

Where ties are fine, as of columns with many decimals, an order and its opposite leave so little
that none of this is needed. What tells is how much normal scores vary within groups: with J the sum
of that variance over both variables, means of opposites differ by 6 J / sqrt(n) between orders, and
single fits by 0.3 sqrt(J / n), on simulated pairs of 300 to 4,000 rows and J from 1e-6 to 1e-4.
Where fits differ by much more, curves jump between orders, and ties are taken as all others.

Curves jump where they run through places with next to no rows, and then the least change of ranks
moves the confidence, without ties as well: by 0.001 / sqrt(n) on most pairs and 0.01 / sqrt(n) at
worst, a sixth of the sampling error. Few fits may miss a jump, so the former is always part of the
error that is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.quantiles.copula import Copula
from bqcd.discovery.ranks import Orders, Ties, normal_scores, tie_generator
from bqcd.discovery.scores import Quadrature, marginal_scores
from bqcd.discovery.tie_bumps import bumps_along
from bqcd.runtime.arrays import Matrix, Stack, Vector

Order = NDArray[np.int32]

MOST_ROWS = 20_000
"""Up to so many rows; with more, plain orders are few already."""

# From so many rows on all orders have one kernel: its shape hardly depends on the order.
_SHARED_SHAPE = 500
_MOST_PAIRS = 16
# Pairs of opposites that are always fitted: two, and more of few rows, as these cost less.
_FIRST_PAIRS, _MOST_FIRST_PAIRS, _FIRST_ROWS = 2, 8, 1_200
# Steps between the knots at which gains are measured, in bandwidths, and the most of them.
_KNOT_STEP, _MOST_STEPS = 0.8, 63
# Plain pairs of opposites that the estimate shall be worth, and by how much it may fall short:
# what is usual makes less of plain ones than they are.
_WORTH, _TOLERANCE = 16, 1.25
# Error that may always be left, times the root of the rows.
_SMALL_ERROR = 0.0003
# Where ties are fine: standard deviation of the means of opposites over the variance within groups,
# and the most that of single fits over its root, both times the root of the rows.
_OF_VARIANCE, _MOST_OF_ROOT = 6.0, 1.0
# What jumps of curves do to a fit on most pairs, times the root of the rows.
_JUMPS = 0.001
# What is usual, as variance of the rest and of fits to opposites. It counts like so many fits.
_PRIOR = 2.4
_REST_OF_GAIN, _REST_OF_FITS, _REST_OF_OPPOSITES = 0.15, 0.0125, 0.006
_FITS_OF_GAIN, _FITS_OF_OPPOSITES = 0.9, 0.005


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
    if run.fine_pairs <= _FIRST_PAIRS:
        run.fit(run.fine_pairs)
        found = run.plain_result()
        if found.spread <= run.most_spread:
            return found
    first = min(max(-(-_FIRST_ROWS // run.n_rows), _FIRST_PAIRS), _MOST_FIRST_PAIRS)
    if run.pairs < first:
        run.fit(first - run.pairs)
    run.fix_curves()
    while not run.settled():
        run.fit(1)
    return run.result()


class _Fits(NamedTuple):
    """Orders of ties, each followed by its opposite, and fits to them.

    ``seconds`` are the scores of the second variable by rank of the first, ``scores`` the pinball
    scores of the fits.
    """

    inverses: Orders
    seconds: Matrix
    densities: Stack
    scores: Stack


class _Run:
    """Fits to orders of ties, one pair of opposites after the other."""

    def __init__(self, ties: Ties, copula: Copula, rule: Quadrature) -> None:
        self._copula, self._rule = copula, rule
        self._groups = (ties.second, ties.first_starts, ties.second_starts)
        n = self.n_rows = len(ties.second)
        self.pairs = 0
        self._scores = normal_scores(n)
        self._unit = _unit(n, rule)
        self._within = _kernels().variance_within(*self._groups[1:], self._scores)
        self._fits: list[_Fits] = []
        self._excesses: list[Stack] = []
        self._gains: list[Stack] = []
        self._has_curves = False

    @property
    def fine_pairs(self) -> int:
        """Orders, each with its opposite, whose mean leaves a small error if ties are fine."""
        few = _OF_VARIANCE * self._within / _SMALL_ERROR
        return max(ceil(few * few), 1)

    @property
    def most_spread(self) -> float:
        """By how much single fits may differ where ties are fine."""
        return _MOST_OF_ROOT * sqrt(self._within / self.n_rows)

    def fit(self, pairs: int) -> None:
        """Fit the next orders and their opposites."""
        uniforms = _uniforms(self.n_rows)[2 * self.pairs : 2 * (self.pairs + pairs)]
        inverses = np.empty((2 * pairs, self.n_rows), dtype=np.int32)
        seconds = np.empty((2 * pairs, self.n_rows))
        _kernels().fill_fitted_orders(*self._groups, uniforms, self._scores, inverses, seconds)
        found = self._copula.fits_both_ways(
            self._scores, inverses, seconds, self._shapes(inverses), self._rule.levels
        )
        self.pairs += pairs
        self._fits.append(_Fits(inverses, seconds, *found))
        if self._has_curves:
            self._compare(self._fits[-1])

    def fix_curves(self) -> None:
        """Curves of the mean density, and all that is known of them without a fit."""
        densities = _joined([fits.densities for fits in self._fits])
        density = np.add.reduce(densities) / len(densities)
        levels, n, m = self._rule.levels, self.n_rows, len(self._rule)
        grid, shares = self._copula.shares_both_ways(density, levels, n)
        bumps = bumps_along(n, self._steps())
        size = len(bumps.places)
        units, lines = np.empty(n, dtype=np.int32), np.empty((2, m, size), dtype=np.int32)
        steep, self._curves = np.empty((2, m, size)), np.empty_like(shares)
        self._expected, self._gained = np.empty((2, m)), np.empty((2, m, 3))
        at = (density, grid, self._shape, self._scores, levels, shares, *self._groups, *bumps)
        found = (self._curves, units, lines, steep, self._expected, self._gained)
        _kernels().fill_expected(*at, *found)
        self._gauge = (units, bumps.reach, bumps.shares, lines, steep)
        self._has_curves = True
        for fits in self._fits:
            self._compare(fits)

    def settled(self) -> bool:
        """Whether no more fits are needed; the estimate is brought up to date."""
        self._estimate = np.empty((2, len(self._rule)))
        found = _kernels().combine(
            self._fitted(),
            _joined(self._excesses),
            _joined(self._gains),
            self._expected,
            self._gained,
            self._rule.weights,
            self._estimate,
        )
        # Numbers of Python: those of NumPy take several times as long.
        plain, left, each, apart, usual = found.tolist()
        pairs = self.pairs
        fits = _FITS_OF_GAIN * usual + _FITS_OF_OPPOSITES * apart
        rest = _REST_OF_GAIN * usual + _REST_OF_OPPOSITES * apart
        rest += _REST_OF_FITS * plain / (pairs - 1)
        weight = pairs - 1 + _PRIOR
        variance = (left + _PRIOR * rest) / (weight * pairs)
        self._error = sqrt(variance) / self._unit
        self._spread = sqrt(each / (2 * pairs - 1)) / self._unit
        enough = variance <= _TOLERANCE**2 * (plain + _PRIOR * fits) / (weight * _WORTH)
        small = self._error * sqrt(self.n_rows) <= _SMALL_ERROR
        return enough or small or pairs == _MOST_PAIRS

    def result(self) -> TieAverage:
        """The estimate."""
        return self._told(self._estimate, self._error, self._spread)

    def plain_result(self) -> TieAverage:
        """The mean of the fits."""
        fitted = self._fitted()
        gaps = (fitted[:, 1] - fitted[:, 0]) @ self._rule.weights
        error = _OF_VARIANCE * self._within / sqrt(self.pairs * self.n_rows)
        spread = float(gaps.std(ddof=1)) / self._unit
        return self._told(np.add.reduce(fitted) / len(fitted), error, spread)

    def _told(self, scores: Matrix, error: float, spread: float) -> TieAverage:
        # Jumps of curves are a part of the error that fits may not show.
        jumps = _JUMPS / sqrt(self.pairs * self.n_rows)
        density = self._fits[0].densities[0]
        whole = hypot(error, jumps)
        return TieAverage(scores, 2 * self.pairs, whole, spread, density, self.n_rows)

    def _fitted(self) -> Stack:
        return _joined([fits.scores for fits in self._fits])

    def _shapes(self, inverses: Orders) -> Matrix:
        """Shapes of the kernels: of many rows that of the first order and its opposite."""
        if not self.pairs:
            both = self._copula.shapes(self._scores, inverses[:2])
            self._shape = 0.5 * (both[0] + both[1])
        if self.n_rows < _SHARED_SHAPE:
            return self._copula.shapes(self._scores, inverses)
        shapes = np.empty((len(inverses), 2))
        shapes[:] = self._shape
        return shapes

    def _compare(self, fits: _Fits) -> None:
        """Excess of the fixed curves in the orders of some fits, and what these gain over them."""
        excesses, gains = np.empty((2, *fits.scores.shape))
        orders = (fits.inverses, fits.seconds)
        _kernels().fill_comparison(
            self._curves, self._scores, *orders, *self._gauge, self._rule.levels, excesses, gains
        )
        self._excesses.append(excesses)
        self._gains.append(gains)

    def _steps(self) -> int:
        """Steps between knots from the first score to the last."""
        steps = ceil(2.0 * float(self._scores[-1]) / (_KNOT_STEP * float(self._shape[1])))
        return min(max(steps, 2), _MOST_STEPS)


def _joined(parts: list[Stack]) -> Stack:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class _Kernels(NamedTuple):
    """Compiled functions."""

    variance_within: Callable[[Order, Order, Vector], float]
    fill_fitted_orders: Callable[..., None]
    fill_expected: Callable[..., None]
    fill_comparison: Callable[..., None]
    combine: Callable[[Stack, Stack, Stack, Matrix, Stack, Vector, Matrix], Vector]


@lru_cache(maxsize=1)
def _kernels() -> _Kernels:
    """Kernels, loaded on first use: a pair without ties needs none of them."""
    from bqcd.discovery import tie_gain_kernels, tie_kernels, tie_moment_kernels

    return _Kernels(
        tie_kernels.variance_within,
        tie_kernels.fill_fitted_orders,
        tie_moment_kernels.fill_expected,
        tie_gain_kernels.fill_comparison,
        tie_gain_kernels.combine,
    )


@lru_cache(maxsize=8)
def _unit(n: int, rule: Quadrature) -> float:
    """What a gap between code lengths is divided by."""
    return 2.0 * rule.integrate(marginal_scores(n, rule))


@lru_cache(maxsize=8)
def _uniforms(n: int) -> Matrix:
    """Numbers from which all orders of ties of n rows are made."""
    return tie_generator().random((2 * _MOST_PAIRS, n))
