"""True directions and the answers of a method, checked once for every metric.

``truth`` is +1 where the first column causes the second and -1 where the second causes the
first. ``confidence`` has the sign of the direction a method chose; zero means that it
abstained, NaN that it failed or ran out of time. Pairs are counted from 1 in messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as short_repr

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Truth, confidence and weight of some pairs, all of them checked.

    Parameters
    ----------
    truth, confidence, weight : ndarray of shape (k,)
        Weights in a unit in which the largest is in [1, 2).
    """

    truth: Vector
    confidence: Vector
    weight: Vector

    @property
    def right(self) -> Flags:
        """Whether the confidence has the sign of the truth."""
        return self.confidence * self.truth > 0.0

    @property
    def undecided(self) -> Flags:
        """Whether the method abstained."""
        return np.asarray(self.confidence == 0.0)

    @property
    def failed(self) -> Flags:
        """Whether there is no answer."""
        return np.isnan(self.confidence)

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.truth)

    def counted(self) -> Answers:
        """Pairs of positive weight."""
        kept = self.weight > 0.0
        return Answers(self.truth[kept], self.confidence[kept], self.weight[kept])


def checked_answers(
    truth: ArrayLike, confidence: ArrayLike, weight: ArrayLike | None = None
) -> Answers:
    """Answers that passed every check.

    Raises
    ------
    InvalidSettingError
        If lengths differ, there is no pair, a truth is neither -1 nor +1, a confidence is
        infinite, or a weight is negative, not finite, or none of them positive.

    Examples
    --------
    >>> checked_answers([1, -1], [0.2, None], [3, 6]).weight
    array([0.75, 1.5 ])
    """
    directions = checked_truth(truth)
    answers = vector("confidence", confidence, count=len(directions))
    refuse_where(np.isinf(answers), "confidence", answers, "finite, or NaN for no answer")
    return Answers(directions, answers, checked_weight(weight, len(directions)))


def checked_truth(truth: ArrayLike) -> Vector:
    """True directions, every one of them -1 or +1."""
    directions = vector("truth", truth)
    if not len(directions):
        raise InvalidSettingError(f"truth must hold at least one pair, got {truth!r}.")
    refuse_where(np.abs(directions) != 1.0, "truth", directions, "-1 or +1")
    return directions


def checked_weight(weight: ArrayLike | None, count: int) -> Vector:
    """Weights in a unit in which the largest is in [1, 2); all one if none are given."""
    if weight is None:
        return np.ones(count)
    weights = vector("weight", weight, count=count)
    refuse_where(~(np.isfinite(weights) & (weights >= 0.0)), "weight", weights, "finite and >= 0")
    if not weights.any():
        raise InvalidSettingError("weight must be positive for at least one pair, got zeros only.")
    # A power of two: sums cannot overflow, and no weight is rounded.
    _, exponent = np.frexp(weights.max())
    return np.asarray(np.ldexp(weights, 1 - exponent))


def vector(name: str, values: ArrayLike, *, count: int | None = None) -> Vector:
    """One-dimensional float64 array, of the length of ``truth`` if that is given."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        array = np.empty(0, dtype=np.str_)
    if array.dtype.kind not in "biuf" or array.ndim != 1:
        raise InvalidSettingError(
            f"{name} must be a one-dimensional row of numbers, got {short_repr(values)}."
        )
    if count is not None and len(array) != count:
        raise InvalidSettingError(
            f"{name} must have one value for each of the {count} values of truth, got {len(array)}."
        )
    return array.astype(np.float64)


def refuse_where(broken: Flags, name: str, values: Vector, rule: str) -> None:
    """Refuse the first value that breaks the rule."""
    if broken.any():
        at = int(broken.argmax())
        raise InvalidSettingError(f"{name} must be {rule}, got {values[at]:g} for pair {at + 1}.")


def read_only(values: ArrayLike) -> Vector:
    """Array that a record can hand out without being changed through it."""
    array = np.asarray(values, dtype=np.float64)
    array.setflags(write=False)
    return array
