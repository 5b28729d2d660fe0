"""What is left of a column once others are given: its ranks among rows that are alike in them.

Entries of groups are taken as they are: a value is ranked within its group. What numbers explain
is taken off by a model of location and scale, additive over the columns, with cubic splines of
normal scores; the residuals are ranked. Neither depends on units or outliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bqcd.runtime.arrays import Matrix, Numbers, Vector

_FEWEST_FUNCTIONS, _MOST_FUNCTIONS, _SCALE_FUNCTIONS = 4, 20, 6
# Rows to a function, at least: fewer would be fitted, not explained.
_ROWS_EACH = 10
_RIDGE = 1e-8
# Logarithms of residuals stay above that of this, in units of their deviation.
_SMALL = 1e-3


def conditional_scores(
    columns: Sequence[Vector], given: Sequence[Vector] = (), groups: Numbers | None = None
) -> list[Vector]:
    """Normal scores of the ranks that columns have, given other columns.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
        Finite numbers; ties take their middle rank.
    given : sequence of ndarray of shape (n,)
        Columns of finite numbers.
    groups : ndarray of shape (n,), optional
        Number of the group of each row, from 0. Default: all rows are of one.

    Returns
    -------
    list of ndarray of shape (n,)
        Standard normal scores of each column: independent of what is given where that shifts
        and stretches the column.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> z, noise = rng.normal(size=(2, 1000))
    >>> [left] = conditional_scores([z**2 + 0.5 * noise], [z])
    >>> bool(np.corrcoef(left, noise)[0, 1] > 0.9), bool(abs(np.corrcoef(left, z**2)[0, 1]) < 0.1)
    (True, True)
    """
    n = len(columns[0])
    groups = np.zeros(n, dtype=np.int64) if groups is None else groups
    scores = [_scores_within(column, groups) for column in columns]
    if not given:
        return scores
    known = [_scores_within(each, groups) for each in given]
    most = max(_FEWEST_FUNCTIONS, n // (_ROWS_EACH * len(known)))
    count = min(most, max(_FEWEST_FUNCTIONS, round(1.2 * n ** (1 / 3))), _MOST_FUNCTIONS)
    location = _Functions.of(known, count)
    scale = _Functions.of(known, min(count, _SCALE_FUNCTIONS))
    return [_residual_scores(each, location, scale) for each in scores]


def curve_residuals(column: Vector, along: Vector, functions: int) -> tuple[Vector, Vector]:
    """What a smooth curve of location and scale leaves of a column, on two scales.

    A curve may be smooth in the numbers and have a cusp in the ranks, as a parabola with little
    noise has, or the other way round, as with outliers.

    Parameters
    ----------
    column, along : ndarray of shape (n,)
        Finite numbers.
    functions : int
        Cubic splines of the curve, at least 4.

    Returns
    -------
    tuple of two ndarrays of shape (n,)
        Normal scores of the ranks of residuals, of the numbers and of normal scores.

    Examples
    --------
    >>> x, noise = np.linspace(-1.0, 1.0, 200), np.random.default_rng(0).normal(size=200)
    >>> [bool(np.corrcoef(left, noise)[0, 1] > 0.9) for left in curve_residuals(x + noise, x, 6)]
    [True, True]
    """
    one = np.zeros(len(column), dtype=np.int64)
    scales = (
        (_standardised(column), _standardised(along)),
        (_scores_within(column, one), _scores_within(along, one)),
    )
    left = []
    for target, given in scales:
        location = _Functions.of([given], functions)
        scale = _Functions.of([given], min(functions, _SCALE_FUNCTIONS))
        left.append(_residual_scores(target, location, scale))
    return left[0], left[1]


def _standardised(column: Vector) -> Vector:
    """Numbers with mean 0 and deviation 1, however large they are."""
    column = column / max(float(np.abs(column).max()), 1e-300)
    centred = column - column.mean()
    standard: Vector = centred / max(float(centred.std()), 1e-300)
    return standard


def _residual_scores(scores: Vector, location: _Functions, scale: _Functions) -> Vector:
    residuals = scores - location.fitted(scores)
    sizes = np.abs(residuals) + _SMALL * float(np.std(residuals))
    if sizes.min() > 0.0:
        logs = np.log(sizes)
        residuals = residuals / np.exp(scale.fitted(logs) - logs.mean())
    return _scores_within(residuals, np.zeros(len(scores), dtype=np.int64))


def _scores_within(column: Vector, groups: Numbers) -> Vector:
    """Normal scores of the middle ranks within each group."""
    from scipy.special import ndtri

    order = np.lexsort((column, groups))
    values, members = column[order], groups[order]
    new_group = np.append(True, members[1:] != members[:-1])
    new_value = new_group | np.append(True, values[1:] != values[:-1])
    starts = np.flatnonzero(new_value)
    counts = np.diff(np.append(starts, len(column)))
    group_starts = np.flatnonzero(new_group)
    sizes = np.diff(np.append(group_starts, len(column)))
    at = np.cumsum(new_group) - 1
    middle = starts - group_starts[at[starts]] + 0.5 * (counts + 1)
    places = np.repeat(middle / (sizes[at[starts]] + 1.0), counts)
    scores = np.empty(len(column))
    scores[order] = ndtri(places)
    return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Functions:
    """A constant and the cubic splines of all columns, knots at quantiles."""

    values: Matrix
    square: Matrix

    @classmethod
    def of(cls, columns: Sequence[Vector], count: int) -> _Functions:
        constant = np.ones((len(columns[0]), 1))
        values = np.hstack([constant, *(_splines(column, count) for column in columns)])
        square = values.T @ values
        square[np.diag_indices_from(square)] += _RIDGE * len(values)
        return cls(values, square)

    def fitted(self, target: Vector) -> Vector:
        """Values of the functions nearest to a target."""
        found: Vector = self.values @ np.linalg.solve(self.square, self.values.T @ target)
        return found


def _splines(column: Vector, count: int) -> Matrix:
    from scipy.interpolate import BSpline

    low, high = float(column.min()), float(column.max())
    if low == high:
        return np.zeros((len(column), 1))
    # As many values between one knot and the next: with even distances the middle is too stiff.
    inner = np.unique(np.quantile(column, np.linspace(0.0, 1.0, count - 2)[1:-1]))
    knots = np.r_[[low] * 4, inner[(inner > low) & (inner < high)], [high] * 4]
    # One function is left out: all of them add up to the constant.
    return np.asarray(BSpline.design_matrix(column, knots, 3).toarray()[:, 1:])
