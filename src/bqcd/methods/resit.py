"""Regression with subsequent independence test, for two columns.

If y = f(x) + noise and the noise is independent of x, the residuals of y regressed on x are
independent of x, while in general those of x regressed on y depend on y. The direction whose
residuals look more independent of the regressor is taken as causal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice, check_flag, check_number
from bqcd.statistics.dependence.independence import embedded, embedded_gamma_test
from bqcd.statistics.gaussian_process import Covariance, posterior_mean, trained_covariance
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_variance

Regressor = Literal["fixed", "trained"]

# The covariance of the published code, which creates a Gaussian process and never trains it:
# length scale 1, variance 1, noise of variance exp(-2).
PUBLISHED = Covariance(1.0, 1.0, exp(-1.0))


@dataclass(frozen=True, kw_only=True)
class RESIT:
    """Regression with subsequent independence test [1]_.

    Parameters
    ----------
    regressor : {"fixed", "trained"}, default="fixed"
        Gaussian process that regresses one column on the other: with length scale 1, signal
        variance 1 and noise variance exp(-2), which is what the published code computes; or
        with the likeliest length scale, signal and noise.
    standardise : bool, default=False
        Whether columns are scaled to variance 1 first. The published code leaves them in
        their own units, in which the fixed length scale is counted.
    alpha : float, default=0.05
        Level of the test of independence of the columns themselves. Unless it rejects, the
        pair stays undecided, for there is no edge to orient; 1 turns the test off.
    smallest_p : float, default=5e-324
        A pair whose p are both below this stays undecided: the default is the smallest
        number a computer has above zero, as if p had been computed and not its logarithm. 0
        decides by the logarithms, however small p is.

    Notes
    -----
    Independence is tested by HSIC with Gaussian kernels, bandwidths from the median distance
    of all rows, and a gamma distribution. The confidence is the difference of the two log p.
    Time is linear in the rows but for sorting; no row is left out.

    References
    ----------
    .. [1] Peters, Mooij, Janzing, Schölkopf. Causal discovery with continuous additive noise
       models. JMLR 2014.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 500)
    >>> y = x + x**3 / 3.0 + rng.normal(size=500)
    >>> RESIT().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    regressor: Regressor = "fixed"
    standardise: bool = False
    alpha: float = 0.05
    smallest_p: float = 5e-324

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("RESIT", "regressor", self.regressor, get_args(Regressor))
        check_flag("RESIT", "standardise", self.standardise)
        check_number("RESIT", "alpha", self.alpha, above=0.0, at_most=1.0)
        if self.smallest_p != 0.0:
            check_number("RESIT", "smallest_p", self.smallest_p, above=0.0, at_most=1.0)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare how independent the residuals of the two directions are."""
        evidence = self.evidence(pair)
        telling = evidence.facts["related"] and not self._vanishing(evidence)
        confidence = evidence.y_to_x - evidence.x_to_y if telling else 0.0
        return Verdict(confidence, pair, evidence)

    def _vanishing(self, evidence: DirectedScores) -> bool:
        """Whether both p are too small to compare."""
        if self.smallest_p == 0.0:
            return False
        return min(evidence.x_to_y, evidence.y_to_x) > -log(self.smallest_p)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        log_p = _independence(pair.x, pair.y)
        return DirectedScores(
            x_to_y=self._surprise(pair.x, pair.y),
            y_to_x=self._surprise(pair.y, pair.x),
            measure="-log p of independent residuals",
            n_rows=len(pair),
            facts={"independence_log_p": log_p, "related": log_p <= log(self.alpha)},
        )

    def _surprise(self, cause: Vector, effect: Vector) -> float:
        """-log p of the independence of cause and residuals."""
        order = row_order(cause, effect)
        scaled, target = unit_variance(cause)[order], unit_variance(effect)[order]
        target -= target.mean()
        if self.regressor == "trained":
            given, covariance = scaled, trained_covariance(scaled, target)
        else:
            # Residuals scale with the target, whatever the covariance: its units do not matter.
            given, covariance = scaled if self.standardise else cause[order], PUBLISHED
        residuals = target - posterior_mean(given, target, covariance)
        there = embedded(unit_variance(cause))[order]
        return -embedded_gamma_test(there, embedded(residuals)).log_p


def _independence(x: Vector, y: Vector) -> float:
    """Log p of the independence of the columns, to the last digit the same if they are swapped.

    The test is run from the side whose scaled values come first in the dictionary, or, if they
    are the same, from both.
    """
    sides = np.sort(unit_variance(x)), np.sort(unit_variance(y))
    differ = np.flatnonzero(sides[0] != sides[1])
    if len(differ) == 0:
        return 0.5 * (_log_p(x, y) + _log_p(y, x))
    return _log_p(x, y) if sides[0][differ[0]] < sides[1][differ[0]] else _log_p(y, x)


def _log_p(first: Vector, second: Vector) -> float:
    """Log p of independence, rows in the order of the first column."""
    order = row_order(first, second)
    columns = embedded(unit_variance(first)), embedded(unit_variance(second))
    return embedded_gamma_test(columns[0][order], columns[1][order]).log_p


CARDS = (
    MethodCard(
        name="resit",
        build=RESIT,
        assumes="Y = f(X) + noise independent of X; f varies over one unit of X, as published",
        reference="Peters et al.: Causal discovery with continuous additive noise models, "
        "JMLR 2014",
        cost="n log n",
        seconds=0.01,
        seconds_beyond=(0.088, 1.2, 13.0),
        varies=7e-15,
    ),
)
"""RESIT in the units of the data, as published; standardised columns are a setting."""
