"""Two methods on the same pairs: is one of them better, or is it luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from bqcd.benchmark.metrics.answers import Answers, checked_answers
from bqcd.benchmark.metrics.contract import Statistic
from bqcd.benchmark.metrics.forced import accuracy
from bqcd.benchmark.metrics.resampling import Rows, resampled_values
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_STEPS, check_integer


@dataclass(frozen=True, slots=True)
class McNemarTest:
    """Pairs on which two methods differ, and how odd their split is.

    Parameters
    ----------
    only_first, only_second : int
        Pairs that only the first or only the second method got right.
    p_value : float
        Two-sided and exact, for equal chances of either.
    """

    only_first: int
    only_second: int
    p_value: float


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Difference of a metric between two methods.

    Parameters
    ----------
    difference : float
        Metric of the first method minus that of the second.
    low, high : float
        Ends of its 95 % percentile bootstrap interval.
    p_value : float
        Two-sided, for no difference.
    """

    difference: float
    low: float
    high: float
    p_value: float


def mcnemar(truth: ArrayLike, first: ArrayLike, second: ArrayLike) -> McNemarTest:
    """Exact test of McNemar that two methods are right equally often.

    Abstentions and failures count as not right. Among the pairs that one method alone got
    right, each method's share is binomial with probability one half if they are equally
    good; the p-value doubles the smaller tail. Weights play no part.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    first, second : array-like of shape (k,)
        Confidences of the two methods.

    Examples
    --------
    >>> mcnemar([1] * 6, [1, 1, 1, 1, 1, -1], [-1, -1, -1, -1, -1, -1])
    McNemarTest(only_first=5, only_second=0, p_value=0.0625)
    """
    from scipy.special import bdtr

    one, other = _both(truth, first, second, None)
    only_first = int((one.right & ~other.right).sum())
    only_second = int((other.right & ~one.right).sum())
    differing = only_first + only_second
    tail = float(bdtr(min(only_first, only_second), differing, 0.5)) if differing else 1.0
    return McNemarTest(only_first, only_second, min(2.0 * tail, 1.0))


def paired_bootstrap(
    truth: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    statistic: Statistic = accuracy,
    n_resamples: int = 2000,
    rng: Generator,
) -> PairedDifference:
    """Difference of a metric between two methods, with a bootstrap over pairs.

    Both methods are scored on the same draws, so what makes a pair hard cancels. The
    p-value is twice the smaller share of draws on either side of zero, with draws of
    exactly zero on both sides and one added to count and total: it is below 0.05 when the
    interval leaves zero out, up to the number of draws.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    first, second : array-like of shape (k,)
        Confidences of the two methods.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.
    statistic : Statistic, optional
        Called as ``statistic(truth, confidence, weight=weight)``; by default
        :func:`bqcd.benchmark.metrics.accuracy`.
    n_resamples : int, default=2000
        Number of draws.
    rng : Generator
        Draws the pairs.

    Raises
    ------
    UndefinedMetricError
        If the metric is undefined on the data, or on more than half of the draws.

    Examples
    --------
    >>> truth, rng = [1, -1] * 20, np.random.default_rng(0)
    >>> found = paired_bootstrap(truth, truth, [1] * 40, rng=rng)
    >>> found.difference, found.low > 0.3, found.p_value < 0.01
    (0.5, True, True)
    """
    one, other = (answers.counted() for answers in _both(truth, first, second, weight))

    def difference_on(rows: Rows) -> float:
        drawn, weights = one.truth[rows], one.weight[rows]
        return statistic(drawn, one.confidence[rows], weight=weights) - statistic(
            drawn, other.confidence[rows], weight=weights
        )

    difference = difference_on(np.arange(len(one)))
    drawn = resampled_values(
        difference_on, len(one), n_resamples=n_resamples, rng=rng, owner="paired_bootstrap"
    )
    return _bootstrapped(float(difference), drawn)


def mean_paired_difference(
    benchmarks: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike | None]],
    *,
    n_resamples: int = 2000,
    rng: Generator,
) -> PairedDifference:
    """Difference of the mean accuracy over benchmarks, with a bootstrap within each of them.

    Abstentions and failures count as not right. Interval and p-value as in
    :func:`paired_bootstrap`, which this is for a single benchmark.

    Parameters
    ----------
    benchmarks : sequence of (truth, first, second, weight)
        Truths, the confidences of the two methods, and weights or None, of each benchmark.
    n_resamples : int, default=2000
        Number of draws.
    rng : Generator
        Draws the pairs.

    Examples
    --------
    >>> easy, hard = ([1] * 20, [1] * 20, [1] * 20, None), ([1] * 20, [1] * 20, [-1] * 20, None)
    >>> mean_paired_difference([easy, hard], rng=np.random.default_rng(0)).difference
    0.5
    """
    check_integer(
        "mean_paired_difference", "n_resamples", n_resamples, minimum=1, maximum=MOST_STEPS
    )
    found = [_gains(*benchmark) for benchmark in benchmarks]
    difference = float(np.mean([(gain * weight).sum() / weight.sum() for gain, weight in found]))
    drawn = np.mean([_redrawn(*one, n_resamples, rng) for one in found], axis=0)
    return _bootstrapped(difference, drawn)


def _gains(
    truth: ArrayLike, first: ArrayLike, second: ArrayLike, weight: ArrayLike | None
) -> tuple[Vector, Vector]:
    """1 where only the first method is right, -1 where only the second is; and the weights."""
    one, other = (answers.counted() for answers in _both(truth, first, second, weight))
    return one.right.astype(np.float64) - other.right, one.weight


def _redrawn(gains: Vector, weight: Vector, n_resamples: int, rng: Generator) -> Vector:
    rows = rng.integers(len(gains), size=(n_resamples, len(gains)))
    means: Vector = (gains * weight)[rows].sum(axis=1) / weight[rows].sum(axis=1)
    return means


def _bootstrapped(difference: float, drawn: Vector) -> PairedDifference:
    low, high = np.quantile(drawn, [0.025, 0.975])
    rarer = min(int((drawn <= 0.0).sum()), int((drawn >= 0.0).sum()))
    p_value = min(2.0 * (rarer + 1) / (len(drawn) + 1), 1.0)
    return PairedDifference(difference, float(low), float(high), p_value)


def _both(
    truth: ArrayLike, first: ArrayLike, second: ArrayLike, weight: ArrayLike | None
) -> tuple[Answers, Answers]:
    return checked_answers(truth, first, weight), checked_answers(truth, second, weight)
