"""Ranked decisions: ROC and precision-recall with "first column causes second" as positive.

Pairs are ranked by signed confidence. A failure (NaN) ranks like an abstention, at zero.
The curves and areas are scikit-learn's.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from bqcd.benchmark.metrics.answers import Answers, checked_answers, read_only
from bqcd.errors import UndefinedMetricError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.optional import require


@dataclass(frozen=True, slots=True, eq=False)
class RocCurve:
    """Points of an ROC curve, from (0, 0) to (1, 1).

    Parameters
    ----------
    false_positive_rate, true_positive_rate : ndarray of shape (m,)
        Weighted shares of the -1 and of the +1 pairs with a confidence at or above the
        threshold.
    threshold : ndarray of shape (m,)
        Decreasing confidences; the first is infinite.
    """

    false_positive_rate: Vector
    true_positive_rate: Vector
    threshold: Vector


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecallCurve:
    """Points of a precision-recall curve, from recall 0 to recall 1.

    Parameters
    ----------
    recall : ndarray of shape (m,)
        Weighted share of the +1 pairs with a confidence at or above the threshold.
    precision : ndarray of shape (m,)
        Weighted share of +1 among the pairs at or above the threshold; 1 by convention at
        the first point, where there are none.
    threshold : ndarray of shape (m,)
        Decreasing confidences; the first is infinite.
    """

    recall: Vector
    precision: Vector
    threshold: Vector


def roc_auc(truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Area under the ROC curve.

    The chance that a pair with truth +1 has a higher confidence than one with truth -1,
    ties counting half. Exchanging the columns of all pairs leaves it unchanged.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    confidence : array-like of shape (k,)
        Signed like truth; zero for an abstention, NaN (no answer) counts as zero.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.

    Raises
    ------
    UndefinedMetricError
        If all truths are equal.

    Examples
    --------
    >>> roc_auc([1, 1, -1, -1], [0.9, 0.1, 0.2, -0.5])
    0.75
    """
    answers = _rankable(truth, confidence, weight, needed_by="roc_auc")
    area = _sklearn("roc_auc").roc_auc_score(
        answers.truth, answers.confidence, sample_weight=answers.weight
    )
    return min(float(area), 1.0)


def roc_curve(
    truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None
) -> RocCurve:
    """ROC curve with every threshold; arguments and errors as in :func:`roc_auc`.

    Examples
    --------
    >>> roc_curve([1, -1, 1], [0.9, 0.2, -0.5]).true_positive_rate
    array([0. , 0.5, 0.5, 1. ])
    """
    answers = _rankable(truth, confidence, weight, needed_by="roc_curve")
    false, true, threshold = _sklearn("roc_curve").roc_curve(
        answers.truth, answers.confidence, sample_weight=answers.weight, drop_intermediate=False
    )
    return RocCurve(read_only(false), read_only(true), read_only(threshold))


def average_precision(
    truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None
) -> float:
    """Mean precision over the +1 pairs, each at its own threshold.

    Steps of recall times the precision at their upper end, without interpolation. The
    positive class is "first column causes second", so unlike the ROC area this number
    changes when the columns of all pairs are exchanged, and a method that knows nothing
    scores the weighted share of +1. Arguments and errors as in :func:`roc_auc`.

    Examples
    --------
    >>> round(average_precision([1, -1, 1], [0.9, 0.2, -0.5]), 4)
    0.8333
    """
    answers = _rankable(truth, confidence, weight, needed_by="average_precision")
    area = _sklearn("average_precision").average_precision_score(
        answers.truth, answers.confidence, sample_weight=answers.weight
    )
    return min(float(area), 1.0)


def precision_recall_curve(
    truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None
) -> PrecisionRecallCurve:
    """Precision-recall curve with every threshold; arguments and errors as in :func:`roc_auc`.

    Examples
    --------
    >>> precision_recall_curve([1, -1, 1], [0.9, 0.2, -0.5]).recall
    array([0. , 0.5, 0.5, 1. ])
    """
    answers = _rankable(truth, confidence, weight, needed_by="precision_recall_curve")
    precision, recall, threshold = _sklearn("precision_recall_curve").precision_recall_curve(
        answers.truth, answers.confidence, sample_weight=answers.weight
    )
    return PrecisionRecallCurve(
        read_only(recall[::-1]),
        read_only(precision[::-1]),
        read_only(np.append(threshold, np.inf)[::-1]),
    )


def pr_auc(truth: ArrayLike, confidence: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Area under the precision-recall curve with straight lines between its points.

    Close to :func:`average_precision` on many pairs. Straight lines can be too generous
    where a threshold admits many pairs at once; some published tables use them. Arguments
    and errors as in :func:`roc_auc`.

    Examples
    --------
    >>> round(pr_auc([1, -1, 1], [0.9, 0.2, -0.5]), 4)
    0.7917
    """
    curve = precision_recall_curve(truth, confidence, weight=weight)
    return min(float(np.trapezoid(curve.precision, curve.recall)), 1.0)


def _rankable(
    truth: ArrayLike, confidence: ArrayLike, weight: ArrayLike | None, *, needed_by: str
) -> Answers:
    """Pairs with weight and both truths among them, no answer taken as zero."""
    answers = checked_answers(truth, confidence, weight).counted()
    if (answers.truth == answers.truth[0]).all():
        raise UndefinedMetricError(
            f"{needed_by} has no value: all {len(answers)} truths are {answers.truth[0]:+g}. "
            "A benchmark whose labels are all alike cannot be ranked, and always naming the "
            "same column would be perfect; draw the column order at random first."
        )
    ranks = np.where(answers.failed, 0.0, answers.confidence)
    return Answers(answers.truth, ranks, answers.weight)


def _sklearn(needed_by: str) -> ModuleType:
    caller = f"bqcd.benchmark.metrics.{needed_by}"
    return require("sklearn.metrics", extra="bench", needed_by=caller)
