"""Columns that a graph can be learnt from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidTableError

Vector = NDArray[np.float64]


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
    table = {name: _checked(name, columns[name], owner) for name in sorted(columns)}
    lengths = {name: len(column) for name, column in table.items()}
    first = next(iter(table))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InvalidTableError(
                f"Columns of {owner} must have the same length, got {lengths[first]} rows in "
                f"{first!r} and {length} in {name!r}."
            )
    if lengths[first] < min_rows:
        raise InvalidTableError(
            f"{owner} must have at least {min_rows} rows, got {lengths[first]}."
        )
    return table


def _checked(name: str, column: Vector, owner: str) -> Vector:
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidTableError(f"Columns of {owner} must be numbers, {name!r} is not.") from error
    if values.ndim != 1:
        raise InvalidTableError(
            f"Columns of {owner} must have one dimension, {name!r} has {values.ndim}."
        )
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InvalidTableError(
            f"Columns of {owner} must be finite, got {values[place]} in row {place} of {name!r}."
        )
    if len(values) and (values == values[0]).all():
        raise InvalidTableError(
            f"Columns of {owner} must vary, {name!r} is {values[0]:g} in every row."
        )
    return values
