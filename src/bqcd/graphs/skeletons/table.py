"""Columns that a graph can be learnt from."""

from __future__ import annotations

from collections.abc import Mapping

from bqcd.data.checks import length_problem, row_problem, value_problem
from bqcd.data.vector import as_vector
from bqcd.errors import InvalidPairError, InvalidTableError
from bqcd.runtime.arrays import Vector


def checked_columns(
    columns: Mapping[str, Vector], *, owner: str, min_rows: int
) -> dict[str, Vector]:
    """The columns as floats, in alphabetical order of their names.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n,)
        At least two columns of the same length, finite and not constant.
    owner : str
        Who asks, for messages.
    min_rows : int
        Rows needed.

    Raises
    ------
    InvalidTableError
        If a rule is broken; the message names the column.

    Examples
    --------
    >>> list(checked_columns({"b": [1, 2], "a": [2, 1]}, owner="CAM", min_rows=2))
    ['a', 'b']
    """
    if len(columns) < 2:
        raise InvalidTableError(f"{owner} must have at least 2 columns, got {len(columns)}.")
    strange = next((name for name in columns if not isinstance(name, str)), None)
    if strange is not None:
        raise InvalidTableError(f"Names of columns of {owner} must be strings, got {strange!r}.")
    table = {name: _numbers(name, columns[name]) for name in sorted(columns)}
    rows = len(next(iter(table.values())))
    if problem := (
        length_problem({name: len(column) for name, column in table.items()})
        or row_problem(list(table), rows, min_rows=min_rows)
        or next(filter(None, map(_value_problem, table.values(), table)), "")
    ):
        raise InvalidTableError(problem)
    return table


def _value_problem(column: Vector, name: str) -> str:
    return value_problem(column, name, advice="leave such rows out")


def _numbers(name: str, column: object) -> Vector:
    try:
        return as_vector(column, name)
    except InvalidPairError as error:
        raise InvalidTableError(str(error)) from error
