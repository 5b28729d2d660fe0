"""Accuracy among the most confident pairs, against the share of pairs decided.

Pairs enter from the most to the least confident, as in Mooij et al. (JMLR 17, 2016).
Pairs with the same absolute confidence enter together, so the order of rows does not
matter. Abstentions and failures enter last, together, and count as not right; the curve
therefore ends at the forced-decision accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bqcd.benchmark.metrics.answers import Flags, checked_answers, read_only
from bqcd.benchmark.metrics.coin import coin_band
from bqcd.runtime.arrays import Vector


@dataclass(frozen=True, slots=True, eq=False)
class DecisionRateCurve:
    """Accuracy at each decision rate, and where a fair coin would be.

    Parameters
    ----------
    rate : ndarray of shape (m,)
        Increasing shares of the total weight; the last is 1.
    accuracy : ndarray of shape (m,)
        Weighted share of right answers among the pairs decided up to that rate.
    coin_low, coin_high : ndarray of shape (m,)
        The middle 95 % of the accuracies of a fair coin on the same pairs.
    pairs : ndarray of shape (m,)
        Number of pairs decided up to that rate.
    """

    rate: Vector
    accuracy: Vector
    coin_low: Vector
    coin_high: Vector
    pairs: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Weights and right answers in the order of entering, and how many enter by each step."""

    weight: Vector
    right: Flags
    ends: NDArray[np.intp]

    def curve(self) -> tuple[Vector, Vector]:
        """Rate and accuracy after each step."""
        last = self.ends - 1
        decided = np.cumsum(self.weight)
        right = np.cumsum(self.weight * self.right)
        return decided[last] / decided[-1], right[last] / decided[last]


def decision_rate_curve(
    truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None
) -> DecisionRateCurve:
    """Accuracy against the decision rate, with the band of a fair coin.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    confidence : array-like of shape (k,)
        Signed like truth; zero for an abstention, NaN for no answer.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.

    Examples
    --------
    >>> curve = decision_rate_curve([1, -1, 1, -1], [0.9, -0.5, -0.5, 0.0])
    >>> curve.rate
    array([0.25, 0.75, 1.  ])
    >>> curve.accuracy.round(3)
    array([1.   , 0.667, 0.5  ])
    >>> curve.pairs
    array([1, 3, 4])
    """
    entries = _entries(truth, confidence, weight)
    rate, accuracy = entries.curve()
    low, high = coin_band(entries.weight, entries.ends)
    pairs = entries.ends.copy()
    pairs.flags.writeable = False
    return DecisionRateCurve(
        read_only(rate), read_only(accuracy), read_only(low), read_only(high), pairs
    )


def decision_rate_area(
    truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None
) -> float:
    """Area under the curve of accuracy against decision rate, from 0 to 1.

    Steps of the rate times the accuracy at their upper end: with equal weights and without
    ties the mean over m of the accuracy on the m most confident pairs, as in Immer et al.
    (ICML 2023). Arguments as in :func:`decision_rate_curve`.

    Examples
    --------
    >>> decision_rate_area([1, 1], [0.9, -0.1])
    0.75
    """
    rate, accuracy = _entries(truth, confidence, weight).curve()
    return min(float((np.diff(rate, prepend=0.0) * accuracy).sum()), 1.0)


def _entries(truth: ArrayLike, confidence: ArrayLike, weight: ArrayLike | None) -> _Entries:
    answers = checked_answers(truth, confidence, weight).counted()
    strength = np.where(answers.failed, 0.0, np.abs(answers.confidence))
    # Sorted also within ties: sums of floats depend on their order.
    order = np.lexsort((answers.right, answers.weight, -strength))
    strength = strength[order]
    ends = np.append(np.flatnonzero(strength[1:] != strength[:-1]) + 1, len(answers))
    return _Entries(answers.weight[order], answers.right[order], ends)
