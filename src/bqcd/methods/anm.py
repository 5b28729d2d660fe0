"""Additive noise models with trained Gaussian processes.

If y = f(x) + noise and the noise is independent of x, a model of that form fits one way and,
but for few exceptions, not the other. Both are fitted, and the residuals or the fit decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.draws import check_draws, mean_scores
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice
from bqcd.statistics.codes.entropy import spacing_entropy
from bqcd.statistics.dependence.independence import gamma_test, hsic, kernel_bandwidth
from bqcd.statistics.gaussian_process import (
    Covariance,
    log_likelihood,
    posterior_mean,
    trained_covariance,
)
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.subsampling import subsamples

Decision = Literal["hsic", "p-value", "entropy", "gaussian", "evidence"]


@dataclass(frozen=True, kw_only=True)
class ANM:
    """Additive noise model, fitted both ways by a Gaussian process [1]_ [2]_.

    Parameters
    ----------
    decision : {"hsic", "p-value", "entropy", "gaussian", "evidence"}, default="hsic"
        What is compared; the smaller one wins:

        - "hsic": HSIC of cause and residuals.
        - "p-value": -log p of their independence, by HSIC and a gamma distribution.
        - "entropy": entropy of the cause plus that of the residuals, from the gaps between
          neighbouring values. Not for columns that repeat values.
        - "gaussian": the same if both were Gaussian, which leaves the logarithms of the
          standard deviations.
        - "evidence": -log evidence of the effect under the Gaussian process, plus that of the
          cause under a Gaussian.
    max_rows : int, default=50_000
        Longer pairs are judged on that many rows drawn at random; 0 takes all rows.
    draws : int, default=3
        Times rows are drawn, the numbers of which are averaged.

    Notes
    -----
    Columns are scaled to variance 1. The process has a squared-exponential covariance and
    noise; its length scale, signal and noise are the likeliest ones, and its mean is that of
    the effect. Bandwidths of HSIC are from the median of the distances that are not zero. The
    confidence is the difference of the two numbers. Time is linear in the rows but for
    sorting.

    References
    ----------
    .. [1] Hoyer, Janzing, Mooij, Peters, Schölkopf. Nonlinear causal discovery with additive
       noise models. NIPS 2008.
    .. [2] Mooij, Peters, Janzing, Zscheischler, Schölkopf. Distinguishing cause from effect
       using observational data: methods and benchmarks. JMLR 2016.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 500)
    >>> y = x + x**3 / 3.0 + rng.normal(size=500)
    >>> ANM().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    decision: Decision = "hsic"
    max_rows: int = 50_000
    draws: int = 3

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("ANM", "decision", self.decision, get_args(Decision))
        check_draws("ANM", self.max_rows, self.draws)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the models of the two directions."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    def evidence(self, pair: Pair, rng: Generator) -> DirectedScores:
        """The numbers behind :meth:`decide`, means over the draws; zeros if none varies."""
        judged = JUDGED_BY[self.decision]
        drawn = subsamples(pair.x, pair.y, max_rows=self.max_rows, draws=self.draws, rng=rng)
        return mean_scores(drawn, judged.both_ways, judged.measure)


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """Additive noise model of one direction, columns scaled and in increasing order."""

    cause: Vector
    effect: Vector
    covariance: Covariance
    residuals: Vector

    @property
    def bandwidths(self) -> tuple[float, float]:
        """Bandwidths of HSIC between cause and residuals."""
        return (
            kernel_bandwidth(self.cause, positive=True),
            kernel_bandwidth(self.residuals, positive=True),
        )


def _fitted(cause: Vector, effect: Vector) -> _Model:
    order = np.lexsort((effect, cause))
    given, target = unit_variance(cause)[order], unit_variance(effect)[order]
    target -= target.mean()
    covariance = trained_covariance(given, target)
    return _Model(given, target, covariance, target - posterior_mean(given, target, covariance))


def _dependence(model: _Model) -> float:
    return hsic(model.cause, model.residuals, bandwidths=model.bandwidths)


def _surprise(model: _Model) -> float:
    return -gamma_test(model.cause, model.residuals, bandwidths=model.bandwidths).log_p


def _entropy(model: _Model) -> float:
    return spacing_entropy(model.cause) + spacing_entropy(model.residuals)


def _gaussian_entropy(model: _Model) -> float:
    """Logarithm of the standard deviation of the residuals; that of the cause is 0."""
    return 0.5 * log(float(np.mean(np.square(model.residuals))))


def _code_length(model: _Model) -> float:
    """-log evidence of the effect; that of the cause, scaled, is the same both ways."""
    return -log_likelihood(model.cause, model.effect, model.covariance)[0]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What of a fitted model is compared, and what it is called."""

    measure: str
    of: Callable[[_Model], float]

    def both_ways(self, x: Vector, y: Vector) -> tuple[float, float]:
        """What is compared, of x -> y and of y -> x."""
        return self.of(_fitted(x, y)), self.of(_fitted(y, x))


JUDGED_BY: Mapping[Decision, Judgement] = MappingProxyType(
    {
        "hsic": Judgement("HSIC of cause and residuals", _dependence),
        "p-value": Judgement("-log p of independent residuals", _surprise),
        "entropy": Judgement("entropy of cause and residuals in nats", _entropy),
        "gaussian": Judgement("log standard deviation of the residuals", _gaussian_entropy),
        "evidence": Judgement("-log evidence of the effect in nats", _code_length),
    }
)
"""What each decision compares."""

CARDS = (
    MethodCard(
        name="anm",
        build=ANM,
        assumes="Y = f(X) + noise independent of X, f smooth",
        reference="Hoyer et al.: Nonlinear causal discovery with additive noise models, NIPS 2008",
        cost="n log n",
        seconds=0.04,
        seconds_beyond=(0.33, 5.0, 7.5),
        varies=1e-11,
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""The statistic decides, as in the paper; the other decisions are a setting."""
