"""Rows with the same point taken together, and what a penalised spline leaves of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.statistics.ordering import row_order


@dataclass(frozen=True, slots=True)
class SplineFit:
    """What a penalised spline left and what it took.

    Parameters
    ----------
    residual_sum : float
        Sum of squared residuals.
    degrees : float
        Effective degrees of freedom: trace of the smoother matrix.
    log_penalty : float
        Logarithm of the penalty, in units of the basis.
    """

    residual_sum: float
    degrees: float
    log_penalty: float


@dataclass(frozen=True, slots=True)
class Pooled:
    """Distinct points in increasing order with means, counts, and scatter about the means."""

    points: Vector
    means: Vector
    counts: Vector
    scatter: float


def pooled_rows(points: Vector, target: Vector, tolerance: float = 0.0) -> Pooled:
    """Rows with the same point, or the same to within a tolerance, taken together.

    Rows are ordered first, so that sums do not know their order.
    """
    order = row_order(points, target)
    points, target = points[order], target[order]
    target = target - target.mean()
    cells = points if tolerance == 0.0 else np.round((points - points.mean()) / tolerance)
    starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    if len(starts) == len(points):
        return Pooled(points, target, np.ones(len(points)), 0.0)
    counts = np.diff(np.append(starts, len(points)))
    means = np.add.reduceat(target, starts) / counts
    scatter = float(np.square(target - np.repeat(means, counts)).sum())
    return Pooled(points[starts], means, counts.astype(np.float64), scatter)
