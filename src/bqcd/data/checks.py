"""What columns must be: numbers that are known, finite and vary, in enough rows.

Each rule has one function and one message, whoever asks. A function returns the message, empty
if the rule is kept; whoever asks raises it as an error of its own kind, or keeps it with the
column. Rows are counted from 1. That values are numbers at all is checked where they are read, in
:mod:`bqcd.data.vector`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from bqcd.data.scales import Scale
from bqcd.errors import counted
from bqcd.runtime.arrays import Vector

Rows = NDArray[np.bool_]

# The outermost default quantile level is 0.113: in fewer rows, none is expected beyond it.
MIN_ROWS = 10

DROP = 'pass missing="drop" (--missing drop on the command line) to leave such rows out'
"""What to do about missing values where rows can be dropped."""


def value_problem(
    column: Vector, name: str, *, advice: str = DROP, scale: Scale | None = None
) -> str:
    """Why the values of a column cannot be judged: infinite, missing, or all the same.

    Parameters
    ----------
    column : ndarray of shape (n,)
        One row or more.
    name : str
        Its name.
    advice : str, optional
        What to do about missing values.
    scale : Scale, optional
        What its numbers stand for.

    Examples
    --------
    >>> value_problem(np.array([2.0, 2.0]), "age")
    "Column 'age' must vary, but it is constant: all 2 rows are 2.0."
    """
    # The ufuncs themselves: their methods on arrays take twice as long on a short column.
    low, high = float(np.minimum.reduce(column)), float(np.maximum.reduce(column))
    # Compared, not subtracted: the range may overflow or underflow. NaN compares as false.
    if -inf < low < high < inf:
        return ""
    return (
        infinite_problem(column, name)
        or missing_problem(np.isnan(column), name, advice=advice)
        or constant_problem(column, name, scale=scale)
    )


def infinite_problem(column: Vector, name: str) -> str:
    """How many values are infinite, and which is the first.

    Examples
    --------
    >>> infinite_problem(np.array([1.0, -np.inf]), "age")
    "Column 'age' must be finite, but it has 1 infinite value, the first in row 2 (-inf)."
    """
    low, high = np.fmin.reduce(column), np.fmax.reduce(column)
    if -inf < low <= high < inf:
        return ""
    infinite = np.isinf(column)
    count = int(np.count_nonzero(infinite))
    if not count:
        return ""
    at = int(infinite.argmax())
    return (
        f"Column {name!r} must be finite, but it has {counted(count, 'infinite value')}, "
        f"the first in row {at + 1} ({column[at]})."
    )


def missing_problem(missing: Rows, name: str, *, advice: str = DROP) -> str:
    """How many values are missing, and the row of the first.

    Examples
    --------
    >>> missing_problem(np.array([False, True]), "age", advice="fill them in")
    "Column 'age' has 1 missing value, the first in row 2; fill them in."
    """
    count = int(np.count_nonzero(missing))
    if not count:
        return ""
    first = int(missing.argmax()) + 1
    return (
        f"Column {name!r} has {counted(count, 'missing value')}, the first in row {first}; "
        f"{advice}."
    )


def constant_problem(column: Vector, name: str, *, scale: Scale | None = None) -> str:
    """What value a column has in all rows in which it is not missing."""
    low, high = float(np.fmin.reduce(column)), float(np.fmax.reduce(column))
    if low != high:
        return ""
    rows = int(np.count_nonzero(~np.isnan(column)))
    known = "" if rows == len(column) else " that are not missing"
    return (
        f"Column {name!r} must vary, but it is constant: all {counted(rows, 'row')}{known} are "
        f"{low if scale is None else scale.label(low)}."
    )


def level_problem(column: Vector, name: str, *, scale: Scale | None = None) -> str:
    """That most levels of a column without an order come once, as in free text.

    Examples
    --------
    >>> names = Scale("nominal", levels=("Ann", "Bo", "Cy"))
    >>> level_problem(np.array([0.0, 1.0, 2.0]), "name", scale=names)
    "Column 'name' is free text or an identifier: 3 of its 3 values differ."
    """
    if scale is None or not scale.is_nominal:
        return ""
    levels = len(np.unique(column))
    if 2 * levels <= len(column):
        return ""
    return (
        f"Column {name!r} is free text or an identifier: {levels:,} of its {len(column):,} values "
        "differ."
    )


def row_problem(
    names: Sequence[str], rows: int, *, where: str = "", min_rows: int = MIN_ROWS
) -> str:
    """How many rows columns have, if these are too few.

    Parameters
    ----------
    names : sequence of str
        One column or more.
    rows : int
        How many rows they have.
    where : str, default=""
        Which rows are counted.
    min_rows : int, default=10
        How many are needed.

    Examples
    --------
    >>> row_problem(["age", "height"], 7, where="in common")
    "Columns 'age' and 'height' have 7 rows in common, but at least 10 are needed."
    """
    if rows >= min_rows:
        return ""
    one = len(names) == 1
    found = f"{'has' if one else 'have'} {counted(rows, 'row')}{' ' if where else ''}{where}"
    if not rows and not where:
        found = "is empty" if one else "are empty"
    return (
        f"{'Column' if one else 'Columns'} {_listed(names)} {found}, but at least {min_rows} are "
        "needed."
    )


def after_dropping(dropped: int) -> str:
    """Which rows are counted, where some were dropped; empty if none were."""
    return f"after dropping {counted(dropped, 'row')} with missing values" if dropped else ""


def length_problem(lengths: Mapping[str, int]) -> str:
    """Which two columns differ in length.

    Examples
    --------
    >>> length_problem({"age": 12, "height": 11})
    "Columns 'age' and 'height' must have the same length, got 12 and 11 rows."
    """
    (first, rows), *others = lengths.items()
    for name, length in others:
        if length != rows:
            return (
                f"Columns {first!r} and {name!r} must have the same length, "
                f"got {rows} and {length} rows."
            )
    return ""


def _listed(names: Sequence[str]) -> str:
    told = [repr(name) for name in names]
    if len(told) > 3:
        told = [*told[:2], f"{len(told) - 2} more"]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
