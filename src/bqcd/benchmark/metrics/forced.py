"""Forced decisions: how many directions are right, and what a method without eyes would get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bqcd.benchmark.metrics.answers import checked_answers, checked_truth, checked_weight
from bqcd.errors import UndefinedMetricError
from bqcd.runtime.settings import check_choice

Rule = Literal["wrong", "half", "skip"]
RULES: tuple[Rule, ...] = ("wrong", "half", "skip")


@dataclass(frozen=True, slots=True)
class Counts:
    """How the pairs of a benchmark ended.

    Parameters
    ----------
    right, wrong : int
        Decided pairs.
    undecided : int
        Pairs on which the method abstained.
    failed : int
        Pairs without an answer.
    """

    right: int
    wrong: int
    undecided: int
    failed: int

    @property
    def total(self) -> int:
        """Number of pairs."""
        return self.right + self.wrong + self.undecided + self.failed


def counts(truth: ArrayLike, confidence: ArrayLike) -> Counts:
    """Numbers of right, wrong, undecided and failed pairs.

    Examples
    --------
    >>> counts([1, 1, -1, -1], [0.3, -0.2, 0.0, float("nan")])
    Counts(right=1, wrong=1, undecided=1, failed=1)
    """
    answers = checked_answers(truth, confidence)
    right = int(answers.right.sum())
    undecided, failed = int(answers.undecided.sum()), int(answers.failed.sum())
    return Counts(right, len(answers) - right - undecided - failed, undecided, failed)


def accuracy(
    truth: ArrayLike,
    confidence: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    undecided: Rule = "wrong",
    failed: Rule = "wrong",
) -> float:
    """Weighted share of pairs whose direction is right.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    confidence : array-like of shape (k,)
        Signed like truth; zero for an abstention, NaN for no answer.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.
    undecided : {"wrong", "half", "skip"}, default="wrong"
        How an abstention counts: as an error, as a coin flip, or not at all.
    failed : {"wrong", "half", "skip"}, default="wrong"
        How a missing answer counts.

    Raises
    ------
    UndefinedMetricError
        If no weight is left after skipping.

    Examples
    --------
    >>> accuracy([1, -1, 1, -1], [0.5, -0.1, -2.0, 0.0])
    0.5
    >>> accuracy([1, -1, 1, -1], [0.5, -0.1, -2.0, 0.0], undecided="half")
    0.625
    """
    check_choice("accuracy", "undecided", undecided, RULES)
    check_choice("accuracy", "failed", failed, RULES)
    answers = checked_answers(truth, confidence, weight)
    credit = answers.right.astype(np.float64)
    weights = answers.weight.copy()
    for rule, affected in ((undecided, answers.undecided), (failed, answers.failed)):
        if rule == "half":
            credit[affected] = 0.5
        elif rule == "skip":
            weights[affected] = 0.0
    if not weights.any():
        raise UndefinedMetricError(
            f"accuracy with undecided={undecided!r} and failed={failed!r} skips all "
            f"{len(answers)} pairs, or all that have weight: none was decided."
        )
    return float((weights * credit).sum() / weights.sum())


def always_first_accuracy(truth: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Accuracy of answering "the first column is the cause" every time.

    Examples
    --------
    >>> always_first_accuracy([1, 1, 1, -1])
    0.75
    """
    directions = checked_truth(truth)
    return accuracy(directions, np.ones(len(directions)), weight=weight)


def is_one_sided(truth: ArrayLike, *, weight: ArrayLike | None = None) -> bool:
    """Whether all pairs of positive weight have the same true direction.

    A method that looks at nothing but the order of the columns is then perfect, and no
    ranking can be judged. Draw the order of the columns at random before running methods.

    Examples
    --------
    >>> is_one_sided([1, 1, 1]), is_one_sided([1, -1, 1])
    (True, False)
    """
    directions = checked_truth(truth)
    kept = directions[checked_weight(weight, len(directions)) > 0.0]
    return bool((kept == kept[0]).all())
