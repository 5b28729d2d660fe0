"""Whether probabilities mean what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bqcd.benchmark.metrics.answers import (
    checked_truth,
    checked_weight,
    read_only,
    refuse_where,
    vector,
)
from bqcd.benchmark.metrics.intervals import clopper_pearson
from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_REPEATS, check_integer

_DRAWS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Claimed probabilities against what happened, in bins of equal width.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        A bin holds its upper edge; the first holds 0 too.
    probability : ndarray of shape (n_bins,)
        Mean claimed probability in the bin; NaN if it is empty.
    observed : ndarray of shape (n_bins,)
        Weighted share of +1 in the bin; NaN if it is empty.
    weight : ndarray of shape (n_bins,)
        Share of the total weight in the bin; sums to one.
    low, high : ndarray of shape (n_bins,)
        Ends of the 95 % interval of the share; NaN if the bin is empty.
    """

    edges: Vector
    probability: Vector
    observed: Vector
    weight: Vector
    low: Vector
    high: Vector


def calibration_curve(
    truth: ArrayLike,
    probability: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_bins: int = 10,
) -> CalibrationCurve:
    """Share of +1 among pairs whose claimed probability of +1 was about the same.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    probability : array-like of shape (k,)
        Claimed probability that the first column is the cause, in [0, 1]. Leave out
        pairs for which nothing was claimed.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.
    n_bins : int, default=10
        Number of bins of equal width.

    Notes
    -----
    The intervals are exact (Clopper and Pearson) if the weights in a bin are equal. With
    unequal weights the count is replaced by the effective count (sum of weights) squared
    over the sum of squared weights, as in Korn and Graubard (1998).

    Examples
    --------
    >>> curve = calibration_curve([1, -1, 1, 1], [0.2, 0.4, 0.8, 1.0], n_bins=2)
    >>> curve.probability.round(3), curve.observed
    (array([0.3, 0.9]), array([0.5, 1. ]))
    """
    check_integer("calibration_curve", "n_bins", n_bins, minimum=1, maximum=MOST_REPEATS)
    directions = checked_truth(truth)
    claimed = _checked_probability(probability, len(directions))
    weights = checked_weight(weight, len(directions))

    edges = np.linspace(0.0, 1.0, n_bins + 1)
    bins = _bins_of(claimed, n_bins)

    def summed(values: Vector) -> Vector:
        return np.bincount(bins, values, minlength=n_bins).astype(np.float64)

    total = summed(weights)
    held = np.where(total > 0.0, total, np.nan)
    observed = summed(weights * (directions > 0.0)) / held
    effective = held**2 / summed(weights**2)
    low, high = clopper_pearson(observed * effective, effective)
    empty = np.isnan(held)
    return CalibrationCurve(
        read_only(edges),
        read_only(summed(weights * claimed) / held),
        read_only(observed),
        read_only(total / total.sum()),
        read_only(np.where(empty, np.nan, low)),
        read_only(np.where(empty, np.nan, high)),
    )


def expected_calibration_error(
    truth: ArrayLike,
    probability: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_bins: int = 10,
) -> float:
    """Mean distance between claimed and observed probability over the bins, by weight.

    Zero for probabilities that mean what they say, up to noise: with few pairs per bin it
    is above zero even then, and :func:`calibration_error_by_chance` says how far. Arguments as in
    :func:`calibration_curve`.

    Examples
    --------
    >>> round(expected_calibration_error([1, -1, 1, 1], [0.2, 0.4, 0.8, 1.0], n_bins=2), 3)
    0.15
    """
    curve = calibration_curve(truth, probability, weight=weight, n_bins=n_bins)
    held = curve.weight > 0.0
    gaps = np.abs(curve.observed[held] - curve.probability[held])
    return float((curve.weight[held] * gaps).sum())


def calibration_error_by_chance(
    probability: ArrayLike, *, weight: ArrayLike | None = None, n_bins: int = 10
) -> float:
    """Mean of the expected calibration error if every probability were exactly true.

    What an error is to be held against: with few pairs, or a few heavy ones, it is large for the
    best of all probabilities too. Arguments as in :func:`calibration_curve`.

    Notes
    -----
    By 2,000 draws of the answers with a seed of their own, so that the same claims give the same
    number, in whichever order they come. Its standard error is a hundredth of it or less.

    Examples
    --------
    >>> round(calibration_error_by_chance([0.8] * 20), 2), round(
    ...     calibration_error_by_chance([0.8] * 2000), 2
    ... )
    (0.07, 0.01)
    """
    check_integer("calibration_error_by_chance", "n_bins", n_bins, minimum=1, maximum=MOST_REPEATS)
    claimed = _checked_probability(probability)
    if not len(claimed):
        raise InvalidSettingError(f"probability must hold at least one pair, got {probability!r}.")
    weights = checked_weight(weight, len(claimed))
    order = np.lexsort((weights, claimed))
    claimed, weights = claimed[order], weights[order]
    starts = np.flatnonzero(np.diff(_bins_of(claimed, n_bins), prepend=-1))
    rng = np.random.default_rng(0)
    errors = np.empty(_DRAWS)
    for draw in range(_DRAWS):
        excess = weights * ((rng.random(len(claimed)) < claimed) - claimed)
        errors[draw] = np.abs(np.add.reduceat(excess, starts)).sum()
    return float(errors.mean() / weights.sum())


def _checked_probability(probability: ArrayLike, count: int | None = None) -> Vector:
    claimed = vector("probability", probability, count=count)
    refuse_where(~((claimed >= 0.0) & (claimed <= 1.0)), "probability", claimed, "in [0, 1]")
    return claimed


def _bins_of(claimed: Vector, n_bins: int) -> NDArray[np.intp]:
    """Bin of each probability; a bin holds its upper edge."""
    return np.searchsorted(np.linspace(0.0, 1.0, n_bins + 1)[1:-1], claimed)
