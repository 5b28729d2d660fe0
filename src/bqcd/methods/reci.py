"""Regression error based causal inference.

If y = f(x) plus little noise, with f increasing and chosen without regard to the density of
x, then a curve predicts the effect from the cause with the smaller squared error, once both
are brought to one scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice, check_integer, check_number
from bqcd.statistics.isolation import dense_rows
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range, unit_variance

Curve = Literal["log", "mon", "poly"]
Scaling = Literal["range", "variance"]

# Logistic curves to start from: every steepness, at quantiles of the cause and outside it, are
# tried on means of so many groups of rows, and the fits start from the best of each.
_STEEPNESS = np.array([1.0, 3.0, 6.0, 12.0, 30.0, 100.0, 300.0])
_OUTSIDE = (-3.0, -0.5, 1.5, 4.0)
_QUANTILES = (np.arange(15) + 0.5) / 15
_GROUPS = 128
_FITS = 4


@dataclass(frozen=True, kw_only=True)
class RECI:
    """Comparison of regression errors [1]_.

    Parameters
    ----------
    curve : {"log", "mon", "poly"}, default="log"
        What is fitted by least squares, both ways: a logistic curve
        a + (b - a) / (1 + exp(c (d - x))); a power a xᵏ + b; or a polynomial.
    degree : int, default=3
        Power or degree k of "mon" and "poly", from 1 to 9.
    scaling : {"range", "variance"}, default="range"
        Columns are scaled to run from 0 to 1, or to mean 0 and variance 1.
    min_density : float, optional
        Rows isolated in either column are left out first: those where the density of the
        column, as a mean of kernels of height 1, is at most this. The kernels are Gaussian
        with √2 times the median distance as bandwidth. By default no row is left out; 0.35
        takes 3 in 100 of a Gaussian column.

    References
    ----------
    .. [1] Blöbaum, Janzing, Washio, Shimizu, Schölkopf. Cause-effect inference by comparing
       regression errors. AISTATS 2018.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=500)
    >>> y = x**3 + 0.02 * rng.normal(size=500)
    >>> RECI().decide(Pair(x, y, "side", "volume"), rng).cause
    'side'
    """

    curve: Curve = "log"
    degree: int = 3
    scaling: Scaling = "range"
    min_density: float | None = None

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("RECI", "curve", self.curve, get_args(Curve))
        check_integer("RECI", "degree", self.degree, minimum=1, maximum=9)
        check_choice("RECI", "scaling", self.scaling, get_args(Scaling))
        if self.min_density is not None:
            check_number("RECI", "min_density", self.min_density, above=0.0, at_most=0.9)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the mean squared errors of the two regressions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        x, y = pair.x, pair.y
        if self.min_density is not None:
            kept = dense_rows(x, y, self.min_density, min_rows=MIN_ROWS)
            x, y = x[kept], y[kept]
        return DirectedScores(
            x_to_y=self._error(x, y),
            y_to_x=self._error(y, x),
            measure="mean squared error",
            n_rows=len(x),
            facts={"isolated_rows": len(pair) - len(x)},
        )

    def _error(self, cause: Vector, effect: Vector) -> float:
        """Mean squared error of the effect's regression on the cause, both scaled."""
        order = row_order(cause, effect)
        scaled = unit_range if self.scaling == "range" else unit_variance
        given, target = scaled(cause)[order], scaled(effect)[order]
        target = target - target.mean()
        if self.curve == "mon":
            return _line_error(given**self.degree, target)
        # The other curves are the same family at any scale of the cause.
        given = unit_range(given)
        if self.curve == "poly":
            return _polynomial_error(given, target, self.degree)
        return _logistic_error(given, target)


def _line_error(given: Vector, target: Vector) -> float:
    """Mean squared error of the best line through the points; the target has mean 0."""
    centred = given - given.mean()
    # Added up by NumPy: sums of linear algebra depend on the processor.
    slope = float(np.sum(centred * target)) / float(np.sum(np.square(centred)))
    return float(np.square(target - slope * centred).mean())


def _polynomial_error(given: Vector, target: Vector, degree: int) -> float:
    """Mean squared error of the best polynomial; ``given`` runs from 0 to 1."""
    powers = np.polynomial.legendre.legvander(2.0 * given - 1.0, degree)
    coefficients = np.linalg.lstsq(powers, target)[0]
    return float(np.square(target - powers @ coefficients).mean())


def _logistic_error(given: Vector, target: Vector) -> float:
    """Mean squared error of the best logistic curve; ``given`` runs from 0 to 1, sorted."""
    from bqcd.methods.models.reci_kernels import logistic_fit

    fits = [logistic_fit(given, target, *start) for start in _starts(given, target)]
    steepness, place, _ = max(fits, key=lambda fit: fit[2])
    side = 1.0 if place >= 0.5 else -1.0
    with np.errstate(over="ignore"):
        curve = 1.0 / (1.0 + np.exp(side * steepness * (place - given)))
    if np.ptp(curve) == 0.0:
        return float(np.square(target).mean())
    return _line_error(curve, target)


def _starts(given: Vector, target: Vector) -> list[tuple[float, float]]:
    """Steepness and place of the most promising logistic curves."""
    from bqcd.methods.models.reci_kernels import explained_squares

    n = len(given)
    groups = min(n, _GROUPS)
    firsts = np.arange(groups) * n // groups
    sizes = np.diff(firsts, append=n)
    places = np.concatenate(
        [given[(_QUANTILES * n).astype(np.int64)], _OUTSIDE, [_best_step(given, target)]]
    )
    explained = explained_squares(
        np.add.reduceat(given, firsts) / sizes,
        np.add.reduceat(target, firsts) / sizes,
        _STEEPNESS,
        places,
    )
    best = np.argsort(-explained.max(axis=1), kind="stable")[:_FITS]
    return list(zip(_STEEPNESS[best], places[explained.argmax(axis=1)[best]], strict=True))


def _best_step(given: Vector, target: Vector) -> float:
    """Where a step from one mean to another explains most of the target."""
    n = len(given)
    below = np.arange(1, n)
    explained = np.square(np.cumsum(target)[:-1]) / (below * (n - below))
    at = int(np.argmax(np.where(np.diff(given) > 0.0, explained, -1.0)))
    return 0.5 * float(given[at] + given[at + 1])


CARDS = (
    MethodCard(
        name="reci",
        build=RECI,
        assumes="Y = f(X) plus little noise, f increasing and unrelated to X's density",
        reference="Blöbaum et al.: Cause-effect inference by comparing regression errors, "
        "AISTATS 2018",
        cost="n log n",
        seconds=0.004,
        seconds_beyond=(0.017, 0.19, 2.1),
        varies=2e-15,
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""The paper runs the logistic curve; the others are a setting."""
