"""Whether directions are right as often as a method claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bqcd.benchmark.metrics.answers import checked_truth, checked_weight
from bqcd.benchmark.metrics.calibration import (
    CalibrationCurve,
    calibration_curve,
    calibration_error_by_chance,
    expected_calibration_error,
)
from bqcd.benchmark.metrics.decision_rate import decision_rate_curve
from bqcd.errors import UndefinedMetricError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_REPEATS, check_integer


@dataclass(frozen=True, slots=True)
class Bar:
    """Claims of about the same probability, and how often they were right.

    Parameters
    ----------
    above, up_to : float
        Probabilities of the direction taken that fall into the bar.
    pairs : int
        How many do.
    claimed, right : float
        Weighted mean of the probabilities, and share of right directions.
    low, high : float
        Ends of the 95 % interval of that share.
    """

    above: float
    up_to: float
    pairs: int
    claimed: float
    right: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """What a method claims of the directions it takes, against how often they are right.

    Parameters
    ----------
    pairs : int
        Pairs of which something was claimed.
    claimed, right : float
        Weighted mean of the claimed probabilities, and share of right directions.
    error : float
        Expected calibration error: mean distance of the two over the bars, by weight.
    error_by_chance : float
        What that error is on average if every claim is exactly true.
    surer_half : float
        Share of right directions among the surer half of the pairs, by weight.
    bars : tuple of Bar
        Bars that are not empty, from 1/2 to 1.
    """

    pairs: int
    claimed: float
    right: float
    error: float
    error_by_chance: float
    surer_half: float
    bars: tuple[Bar, ...]


def reliability(
    truth: ArrayLike,
    probability: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_bars: int = 5,
) -> Reliability:
    """Claimed probability of the direction taken, against how often that direction is right.

    A probability p of +1 below one half is a claim of 1 - p for -1. Pairs without a claim,
    NaN or exactly one half, are left out.

    Parameters
    ----------
    truth : array-like of shape (k,)
        +1 where the first column is the cause, -1 where the second is.
    probability : array-like of shape (k,)
        Claimed probability that the first column is the cause, in [0, 1] or NaN.
    weight : array-like of shape (k,), optional
        Weights >= 0; by default all pairs weigh the same.
    n_bars : int, default=5
        Number of bars of equal width between 1/2 and 1.

    Raises
    ------
    UndefinedMetricError
        If nothing is claimed of any pair that has weight.

    Examples
    --------
    >>> found = reliability([1, -1, 1, 1], [0.9, 0.3, 0.4, 0.5])
    >>> found.pairs, round(found.claimed, 3), round(found.right, 3), round(found.error, 3)
    (3, 0.733, 0.667, 0.333)
    """
    check_integer("reliability", "n_bars", n_bars, minimum=1, maximum=MOST_REPEATS)
    directions = checked_truth(truth)
    values = np.asarray(probability, dtype=np.float64)
    weights = checked_weight(weight, len(directions))
    told = ~np.isnan(values) & (values != 0.5) & (weights > 0.0)
    if not told.any():
        raise UndefinedMetricError("no probability is claimed of any pair that has weight")
    values, weights = values[told], weights[told]
    right = np.where(values > 0.5, directions[told], -directions[told])
    claimed = np.maximum(values, 1.0 - values)
    curve = calibration_curve(right, claimed, weight=weights, n_bins=2 * n_bars)
    decided = decision_rate_curve(right, 2.0 * claimed - 1.0, weight=weights)
    return Reliability(
        pairs=len(values),
        claimed=float(np.average(claimed, weights=weights)),
        right=float(np.average(right > 0.0, weights=weights)),
        error=expected_calibration_error(right, claimed, weight=weights, n_bins=2 * n_bars),
        error_by_chance=calibration_error_by_chance(claimed, weight=weights, n_bins=2 * n_bars),
        surer_half=float(decided.accuracy[np.searchsorted(decided.rate, 0.5 - 1e-12)]),
        bars=tuple(_bars(curve, claimed)),
    )


def _bars(curve: CalibrationCurve, claimed: Vector) -> Iterator[Bar]:
    counts = np.bincount(
        np.searchsorted(curve.edges[1:-1], claimed), minlength=len(curve.probability)
    )
    for at in np.flatnonzero(counts):
        yield Bar(
            float(curve.edges[at]),
            float(curve.edges[at + 1]),
            int(counts[at]),
            *(float(part[at]) for part in (curve.probability, curve.observed)),
            *(float(part[at]) for part in (curve.low, curve.high)),
        )
