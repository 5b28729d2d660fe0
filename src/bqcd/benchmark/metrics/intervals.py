"""Intervals around an accuracy or any other metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from bqcd.benchmark.metrics.answers import checked_answers
from bqcd.benchmark.metrics.contract import Statistic
from bqcd.benchmark.metrics.resampling import Rows, resampled_values
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_integer, check_number


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence interval.

    Parameters
    ----------
    low, high : float
        Its ends.
    level : float
        Probability with which such intervals hold the true value.
    """

    low: float
    high: float
    level: float


def binomial_interval(right: int, total: int, *, level: float = 0.95) -> Interval:
    """Exact interval of Clopper and Pearson for a share of right answers.

    It holds the true share with probability at least ``level``, whatever that share is.

    Parameters
    ----------
    right, total : int
        Right answers and all answers; total is at least 1.
    level : float, default=0.95
        In (0, 1].

    Examples
    --------
    >>> interval = binomial_interval(8, 10)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.444, 0.975)
    """
    check_integer("binomial_interval", "total", total, minimum=1)
    check_integer("binomial_interval", "right", right, minimum=0, maximum=total)
    check_number("binomial_interval", "level", level, above=0.0, at_most=1.0)
    low, high = clopper_pearson(np.array([right]), np.array([total]), level)
    return Interval(float(low[0]), float(high[0]), float(level))


def clopper_pearson(
    right: ArrayLike, total: ArrayLike, level: float = 0.95
) -> tuple[Vector, Vector]:
    """Ends of the intervals of Clopper and Pearson, as quantiles of beta distributions.

    Counts need not be whole: with an effective total in place of a count these are the
    intervals of Korn and Graubard (1998) for weighted shares.

    Examples
    --------
    >>> low, high = clopper_pearson([0, 5], [5, 5])
    >>> low.round(3), high.round(3)
    (array([0.   , 0.478]), array([0.522, 1.   ]))
    """
    from scipy.special import betaincinv

    hits = np.asarray(right, dtype=np.float64)
    misses = np.maximum(np.asarray(total, dtype=np.float64) - hits, 0.0)
    tail = (1.0 - level) / 2.0
    low = np.where(hits > 0.0, betaincinv(np.maximum(hits, 1e-300), misses + 1.0, tail), 0.0)
    high = np.where(
        misses > 0.0, betaincinv(hits + 1.0, np.maximum(misses, 1e-300), 1.0 - tail), 1.0
    )
    return low, high


def bootstrap_interval(
    statistic: Statistic,
    truth: ArrayLike,
    confidence: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: Generator,
) -> Interval:
    """Percentile bootstrap interval of any metric, over pairs.

    Pairs of positive weight are drawn with replacement together with their weights, and
    the ends are quantiles of the metric on the draws. Draws on which the metric is
    undefined are left out. On few pairs, or near 0 and 1, percentile intervals are too
    short; for an unweighted accuracy prefer :func:`binomial_interval`.

    Parameters
    ----------
    statistic : Statistic
        Called as ``statistic(truth, confidence, weight=weight)``, e.g. ``roc_auc``.
    truth, confidence : array-like of shape (k,)
        As in :func:`bqcd.benchmark.metrics.accuracy`.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.
    level : float, default=0.95
        In (0, 1].
    n_resamples : int, default=2000
        Number of draws.
    rng : Generator
        Draws the pairs.

    Raises
    ------
    UndefinedMetricError
        If the metric is undefined on more than half of the draws.

    Examples
    --------
    >>> from bqcd.benchmark.metrics import accuracy
    >>> truth, confidence = [1, -1] * 20, [0.5, -0.5, 0.5, 0.1] * 10
    >>> rng = np.random.default_rng(0)
    >>> interval = bootstrap_interval(accuracy, truth, confidence, rng=rng)
    >>> 0.55 < interval.low < 0.75 < interval.high < 0.95
    True
    """
    check_number("bootstrap_interval", "level", level, above=0.0, at_most=1.0)
    answers = checked_answers(truth, confidence, weight).counted()

    def value_on(rows: Rows) -> float:
        return statistic(answers.truth[rows], answers.confidence[rows], weight=answers.weight[rows])

    values = resampled_values(
        value_on, len(answers), n_resamples=n_resamples, rng=rng, owner="bootstrap_interval"
    )
    low, high = np.quantile(values, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(low), float(high), float(level))
