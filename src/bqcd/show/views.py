"""What a picture of a verdict shows, in numbers: curves, rows and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from zlib import crc32

import numpy as np
from numpy.random import default_rng

from bqcd.data.pair import Pair
from bqcd.discovery.evidence import CodeLengths
from bqcd.discovery.quantiles import ConditionalQuantiles, QuantileRegressor
from bqcd.discovery.ranks import normal_scores, ranks_of
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.methods.bqcd import BQCD
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Matrix, Vector

Limits = tuple[float, float]

DRAWN_LEVELS = (0.1, 0.5, 0.9)
# A column with at most this many values, some repeated, counts as discrete: its dots are
# spread a little, its curves marked at each value.
FEW_VALUES = 50

_PROBES = 200
_MOST_DOTS = 5_000
_CELLS = 120


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Conditional quantiles of one column given the other, in the units of the data.

    Parameters
    ----------
    given : ndarray of shape (p,)
        Increasing values of the given column.
    quantiles : ndarray of shape (p, m)
        Quantiles of the other column there; rows do not decrease.
    """

    given: Vector
    quantiles: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class CurvesBothWays:
    """Conditional quantile curves in both directions of a pair.

    Parameters
    ----------
    levels : ndarray of shape (m,)
        Quantile levels, increasing.
    y_given_x, x_given_y : Curves
        The curves of either direction.
    """

    levels: Vector
    y_given_x: Curves
    x_given_y: Curves


def quantile_curves(verdict: Verdict, levels: Sequence[float] = DRAWN_LEVELS) -> CurvesBothWays:
    """Conditional quantiles both ways, from the regressor the verdict was reached with.

    The regressor is fitted on the normal scale, as for the verdict; its curves are read off
    the empirical quantiles of the columns. Ties are broken in one fixed order.

    Parameters
    ----------
    verdict : Verdict
        Verdict of :class:`bqcd.BQCD`.
    levels : sequence of float, default=(0.1, 0.5, 0.9)
        Quantile levels, increasing.

    Raises
    ------
    InvalidSettingError
        If the verdict is of another method, or the levels do not increase within (0, 1).
    InvalidPairError
        If the values of a column are too far apart for an axis.
    """
    if not isinstance(verdict.method, BQCD):
        raise InvalidSettingError(
            f"quantile_curves needs a verdict of BQCD, got one of {verdict.method!r}."
        )
    wanted = _checked_levels(levels)
    return _curves(verdict, verdict.method.quantile_regressor(), wanted)


def _checked_levels(levels: Sequence[float]) -> Vector:
    wanted = np.asarray(levels, dtype=np.float64)
    inside = wanted.ndim == 1 and wanted.size > 0 and bool(((wanted > 0) & (wanted < 1)).all())
    if not inside or bool((np.diff(wanted) <= 0).any()):
        raise InvalidSettingError(
            f"levels of quantile_curves must increase within (0, 1), got {levels!r}."
        )
    return wanted


def _curves(verdict: Verdict, regressor: QuantileRegressor, levels: Vector) -> CurvesBothWays:
    seen = verdict.seen_pair
    x, y = _Column.of(seen.x), _Column.of(seen.y)
    seed = verdict.seed or 0
    ranked = ranks_of(seen)
    inverse = next(ranked.orders(jitters=None, fixed=2, rng=default_rng(seed)))
    permutation = np.empty_like(inverse)
    permutation[inverse] = np.arange(len(inverse), dtype=inverse.dtype)
    scores = normal_scores(len(inverse))
    second, first = (
        regressor.fit(scores, scores[order], levels, default_rng(seed))
        for order in (permutation, inverse)
    )
    # Which model is that of y; both, where the ranks look the same from either side.
    of_y = {1: (second,), -1: (first,), 0: (second, first)}[ranked.sign]
    of_x = {1: (first,), -1: (second,), 0: (second, first)}[ranked.sign]
    return CurvesBothWays(levels, _in_units(of_y, x, y), _in_units(of_x, y, x))


def _in_units(models: Sequence[ConditionalQuantiles], given: _Column, target: _Column) -> Curves:
    """Mean of the curves of some models, in the units of the data."""
    probes = given.probes()
    scores = given.on_normal_scale(probes)
    curves = np.mean([model(scores) for model in models], axis=0)
    return Curves(probes, target.in_units(curves))


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """The values of a column in order, and the places ties share.

    Parameters
    ----------
    ordered : ndarray of shape (n,)
        Values, increasing.
    values, places : ndarray of shape (k,)
        Different values, and the mean rank of each, divided by n + 1.
    limits : (float, float)
        What is drawn of the column.
    """

    ordered: Vector
    values: Vector
    places: Vector
    limits: Limits

    @classmethod
    def of(cls, column: Vector) -> _Column:
        ordered = np.sort(column)
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        ends = np.append(starts[1:], len(ordered))
        places = (starts + 1 + ends) / (2.0 * (len(ordered) + 1))
        return cls(ordered, ordered[starts], places, _limits(ordered))

    @property
    def is_discrete(self) -> bool:
        return len(self.values) <= FEW_VALUES and len(self.values) < len(self.ordered)

    def probes(self) -> Vector:
        """Values at which curves are drawn: all of few, or evenly spaced ones in view."""
        low, high = self.limits
        if self.is_discrete:
            return self.values[(self.values >= low) & (self.values <= high)]
        # The outermost values are too few to carry a curve.
        last = max(1, len(self.ordered) // 1_000)
        low, high = max(low, self.ordered[last]), min(high, self.ordered[-1 - last])
        return np.linspace(low, high, _PROBES)

    def on_normal_scale(self, values: Vector) -> Vector:
        from scipy.special import ndtri

        # A power of two loses no digit, and the slope between subnormal numbers is no infinity.
        shift = -int(np.frexp(max(-self.values[0], self.values[-1]))[1])
        known = np.ldexp(self.values, shift)
        return np.asarray(ndtri(np.interp(np.ldexp(values, shift), known, self.places)))

    def in_units(self, scores: Matrix) -> Matrix:
        from scipy.special import ndtr

        ranks = ndtr(scores) * (len(self.ordered) + 1)
        if self.is_discrete:
            # No quantile of few values lies between two of them.
            ranks = np.rint(ranks)
        return np.interp(ranks, np.arange(1.0, len(self.ordered) + 1), self.ordered)


def _limits(ordered: Vector) -> Limits:
    """Range of a column, cut where outliers would squeeze the rest."""
    lowest, highest = float(ordered[0]), float(ordered[-1])
    if not isfinite(2.0 * max(highest - lowest, -lowest, highest)):
        raise InvalidPairError(
            "A column to be drawn must span less than 1e308 and lie within 8e307 of zero, got "
            f"{lowest:g} to {highest:g}."
        )
    low, high = (float(value) for value in np.quantile(ordered, (0.05, 0.95)))
    reach = 2.5 * (high - low)
    # Nine in ten values are the same: no width to judge outliers by.
    if reach == 0.0:
        return lowest, highest
    return max(lowest, low - reach), min(highest, high + reach)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The rows of a pair as they are drawn.

    Parameters
    ----------
    x, y : ndarray
        Where the dots are: in view, spread a little where a column has few values.
    x_limits, y_limits : (float, float)
        Ends of the axes.
    counts : ndarray of shape (cells, cells) or None
        Rows in each cell, x down; None where there are few enough for dots.
    outside : int
        Rows that are not in view.
    spread : bool
        Whether tied values are spread a little.
    """

    x: Vector
    y: Vector
    x_limits: Limits
    y_limits: Limits
    counts: Matrix | None
    outside: int
    spread: bool

    def turned(self) -> View:
        """The same rows with the axes exchanged."""
        counts = None if self.counts is None else self.counts.T
        return replace(
            self,
            x=self.y,
            y=self.x,
            x_limits=self.y_limits,
            y_limits=self.x_limits,
            counts=counts,
        )


def view_of(pair: Pair) -> View:
    """What is drawn of a pair: dots, or above 5,000 rows a density; without far outliers.

    Parameters
    ----------
    pair : Pair
        The rows.

    Raises
    ------
    InvalidPairError
        If the values of a column are too far apart for an axis.
    """
    columns = _Column.of(pair.x), _Column.of(pair.y)
    x, x_limits = _spread(pair.x, columns[0], pair.x_name)
    y, y_limits = _spread(pair.y, columns[1], pair.y_name)
    seen = np.isfinite(x) & np.isfinite(y)
    x, y, outside = x[seen], y[seen], int(np.count_nonzero(~seen))
    counts = None
    if len(pair) > _MOST_DOTS:
        counts = np.histogram2d(x, y, bins=_CELLS, range=(x_limits, y_limits))[0]
    spread = any(column.is_discrete for column in columns)
    return View(x, y, x_limits, y_limits, counts, outside, spread)


def _spread(column: Vector, summary: _Column, name: str) -> tuple[Vector, Limits]:
    """Positions of a column's dots, NaN for those out of view, and the ends of its axis."""
    low, high = summary.limits
    margin = 0.03 * (high - low)
    seen = np.where((column >= low) & (column <= high), column, np.nan)
    if summary.is_discrete:
        width = 0.3 * float(np.diff(summary.values).min())
        # Seeded by name: a column is spread the same way on either side of a pair.
        rng = default_rng(crc32(name.encode(errors="replace")))
        seen += rng.uniform(-width, width, len(column))
        margin += width
    return seen, (low - margin, high + margin)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Conditional scores as shares of marginal ones, level by level and for all levels.

    Parameters
    ----------
    labels : tuple of str
        Name of each row.
    y_given_x, x_given_y : ndarray of shape (rows,)
        The shares; 1 where the other column does not help.
    gaps : ndarray of shape (rows,)
        Confidence each level alone would give; last, that of the verdict.
    """

    labels: tuple[str, ...]
    y_given_x: Vector
    x_given_y: Vector
    gaps: Vector


def score_shares(lengths: CodeLengths) -> Scores:
    """What the score panel shows.

    Parameters
    ----------
    lengths : CodeLengths
        Scores of the verdict.
    """
    weights = lengths.quadrature.weights
    m = len(lengths.quadrature)
    # One row for each level and, unless there is only one level, one for all of them.
    rows = np.vstack([np.eye(m), weights]) if m > 1 else np.eye(1)
    x, y = rows @ lengths.x, rows @ lengths.y
    x_given_y, y_given_x = rows @ lengths.x_given_y, rows @ lengths.y_given_x
    labels = [f"{level:.3g}" for level in lengths.quadrature.levels]
    return Scores(
        (*labels, "all") if m > 1 else tuple(labels),
        y_given_x / y,
        x_given_y / x,
        ((y + x_given_y) - (x + y_given_x)) / (x + y),
    )
