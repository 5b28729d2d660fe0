"""Regression by a line that bends at evenly spaced knots, as many as leave-one-out prefers."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.statistics.scaling import unit_range

# Most knots, and how many numbers of knots are tried.
MOST_KNOTS = 200
TRIALS = 10
# Added to the squares of every coefficient, for stretches between knots without rows.
RIDGE = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class LinearSpline:
    """A fitted linear spline.

    Parameters
    ----------
    fitted : ndarray of shape (n,)
        Prediction of every row.
    left_out : ndarray of shape (n,)
        The same by the spline that was fitted without that row.
    n_knots : int
        Knots, both ends included: 2 is a line, and 0 stands for a constant.
    """

    fitted: Vector
    left_out: Vector
    n_knots: int


def best_linear_spline(
    given: Vector, target: Vector, *, least: float | None = None
) -> LinearSpline:
    """Linear spline with the smallest mean squared error on rows left out of the fit.

    A constant, a line and splines of up to √(n / 10) knots are tried.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Predictor, which must vary, and target.
    least : float, optional
        Predictions below so many standard deviations of the target are raised to them, for
        targets that are positive.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 201)
    >>> best_linear_spline(x, np.abs(x)).n_knots
    3
    """
    from bqcd.statistics.splines.linear_kernels import best_spline

    deviation = float(target.std(ddof=1))
    if deviation == 0.0:
        return LinearSpline(target.copy(), target.copy(), 0)
    numbers = np.array([0, *knot_numbers(len(target))])
    floor = -np.inf if least is None else float(least)
    scaled, place = target / deviation, unit_range(given)
    fitted, left_out, n_knots = best_spline(place, scaled, numbers, RIDGE, floor)
    return LinearSpline(fitted * deviation, np.maximum(left_out, floor) * deviation, n_knots)


def knot_numbers(n_rows: int) -> tuple[int, ...]:
    """Numbers of knots worth trying, at most ten from 2 to √(n / 10).

    Examples
    --------
    >>> knot_numbers(1000)
    (2, 3, 4, 5, 6, 7, 8, 9, 10)
    """
    most = max(2.0, min(float(MOST_KNOTS), sqrt(n_rows / 10.0)))
    return tuple(int(number) for number in np.unique(np.rint(np.linspace(2.0, most, TRIALS))))
