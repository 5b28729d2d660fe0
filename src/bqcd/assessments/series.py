"""How many independent rows a series is worth, also where its rows are sorted by a column."""

from __future__ import annotations

from math import cbrt, sqrt

import numpy as np

from bqcd.data.pair import Pair
from bqcd.runtime.arrays import Numbers, Vector
from bqcd.statistics.conditional_scores import conditional_scores, curve_residuals
from bqcd.statistics.courses import Course, course_of
from bqcd.statistics.dependence.autocorrelation import (
    autocorrelation,
    effective_rows,
    is_monotone,
    serial_dependence,
)

# Sorted values are told apart if this share of them is distinct, and an autocorrelation is none
# up to this many deviations. Of values that repeat two things must be seen, and fewer deviations
# do for the second.
_MOSTLY_DISTINCT, _BEYOND_CHANCE, _SECOND_SIGN = 0.9, 3.0, 1.5
_LEAST_SHARED = 0.05
# A curve has so many functions times the cube root of the number of its points, within bounds.
_FUNCTIONS, _FEWEST, _MOST = 1.8, 4, 20
# A course bends if that gains so much log-likelihood, and is a curve if jumps lose so much.
_BENDS, _CURVE = 2.0, 1.0


def serial_rows(pair: Pair) -> float:
    """Independent rows that rows in their order are worth, as far as the link is concerned.

    Where rows are sorted by a column, what that column leaves of the other one is looked at:
    neighbours are alike in it if the rows are a series, and not if they were merely sorted. If
    values of that column repeat, as years with several rows each do, the order within a value may
    be that of the other column and tells nothing: rows are taken together by value.

    Parameters
    ----------
    pair : Pair
        Two columns in the order of their rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> time, noise = np.arange(500.0), rng.normal(size=500)
    >>> serial_rows(Pair(time, np.sin(time / 100.0) + noise)) > 400
    True
    >>> serial_rows(Pair(time, noise.cumsum())) < 100
    True
    >>> year, walk = np.repeat(time[:50], 10), np.repeat(noise[:50].cumsum(), 10)
    >>> serial_rows(Pair(year, walk)) < 50
    True
    """
    serial = serial_dependence(pair.x, pair.y)
    if not serial.is_sorted:
        return serial.effective_rows
    by, other = (pair.x, pair.y) if is_monotone(pair.x) else (pair.y, pair.x)
    if len(np.unique(by)) < _MOSTLY_DISTINCT * len(pair):
        return _rows_of_values(by, other)
    left = _series_along(by, other, _BEYOND_CHANCE)
    return float(len(pair)) if left is None else effective_rows(left)


def jumps_along(by: Vector, other: Vector) -> bool:
    """Whether a column may be a series along a sorted one whose values repeat, by its jumps.

    Along a few years a series and a curve cannot always be told apart. A curve is seen where smooth
    courses are likelier than rough ones, by the numbers or by the ranks of the other column, and
    where a straight line will do. Steps, and doses that each have a chance of their own, jump, too.

    Parameters
    ----------
    by, other : ndarray of shape (n,)
        In the order of the rows.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> number, noise = np.repeat(np.arange(10), 50), rng.normal(size=500)
    >>> jumps_along(1.0 * number, rng.normal(size=10).cumsum()[number] + noise)
    True
    >>> jumps_along(1.0 * number, 0.2 * (number - 3.0) ** 2 + noise)
    False
    """
    if not is_monotone(by) or len(np.unique(by)) >= _MOSTLY_DISTINCT * len(by):
        return False
    found = (course_of(by, column) for column in (other, *conditional_scores([other])))
    return all(course is not None and _jumps(course) for course in found)


def _jumps(course: Course) -> bool:
    return course.bends > _BENDS and course.jumps > -_CURVE


def _series_along(by: Vector, other: Vector, deviations: float) -> Vector | None:
    """What curves leave of a column along another one, if it is a series; else None.

    A curve whose residuals are as independent ones would be explains the column; it may do so in
    the numbers or in the ranks. Residuals of independent rows have an autocorrelation of about
    minus the number of functions by that of rows.
    """
    n, functions = len(by), _functions(len(by))
    left = min(curve_residuals(other, by, functions), key=autocorrelation)
    bound = deviations / sqrt(n) - functions / n
    return None if autocorrelation(left) < bound else left


def _rows_of_values(by: Vector, other: Vector) -> float:
    """Independent rows that sorted ones are worth if values repeat, whatever their order within.

    Rows at one dose share what the curve of the doses explains, and no more. Rows of one year
    share its chance as well, and a series is alike in neighbouring years. Both must be seen:
    rows of a value have more in common than a curve along all values explains, and means of
    neighbouring values are alike in it.
    """
    n = len(by)
    values, at, sizes = np.unique(by, return_inverse=True, return_counts=True)
    count = len(values)
    shared = min(_variance_of_sum(left, at) for left in curve_residuals(other, by, _functions(n)))
    beyond_chance = shared >= 1.0 + _BEYOND_CHANCE * sqrt(2.0 / count)
    # The same as a share of what the curve leaves, for rows of a value on average.
    if not beyond_chance or shared - 1.0 < _LEAST_SHARED * (float(sizes @ sizes) / n - 1.0):
        return float(n)
    means = np.bincount(at, weights=other / np.abs(other).max()) / sizes
    along = _series_along(values, means, _SECOND_SIGN)
    return float(n) if along is None else n / (shared * count / effective_rows(along))


def _variance_of_sum(left: Vector, at: Numbers) -> float:
    """Variance of the sum of rows, in units of what it is if rows of a value are independent."""
    sums = np.bincount(at, weights=left)
    return float(sums @ sums) / max(float(left @ left), 1e-300)


def _functions(points: int) -> int:
    return min(_MOST, max(_FEWEST, round(_FUNCTIONS * cbrt(points))))
