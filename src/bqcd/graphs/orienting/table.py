"""Columns of a table side by side, for models of more than two of them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bqcd.data.pair import MIN_ROWS, Missing
from bqcd.data.tables import open_table
from bqcd.data.vector import Vector, as_vector
from bqcd.errors import InvalidTableError


def complete_columns(table: object, *, missing: Missing = "raise") -> dict[str, Vector]:
    """All columns of a table by name, in rows where none of them is missing.

    Raises
    ------
    InvalidPairError
        If a column does not hold numbers.
    InvalidTableError
        If a value is missing or infinite and rows are not to be dropped, a column is constant,
        two have the same name, or too few rows are left.

    Examples
    --------
    >>> table = {"side": range(12), "area": [None, *(side**2 for side in range(1, 12))]}
    >>> {name: len(column) for name, column in complete_columns(table, missing="drop").items()}
    {'side': 11, 'area': 11}
    """
    names, columns_at = open_table(table)
    told = [str(name) for name in names]
    repeated = sorted(name for name, count in Counter(told).items() if count > 1)
    if repeated:
        raise InvalidTableError(f"Columns must have different names, got {repeated[0]!r} twice.")
    values = columns_at(*range(len(told)))
    columns = {name: as_vector(one, name) for name, one in zip(told, values, strict=True)}
    usable = np.all([np.isfinite(column) for column in columns.values()], axis=0)
    if missing == "raise" and not usable.all():
        _refuse_missing(columns)
    kept = {name: np.ascontiguousarray(column[usable]) for name, column in columns.items()}
    rows = int(usable.sum())
    if rows < MIN_ROWS:
        raise InvalidTableError(
            f"At least {MIN_ROWS} rows must be complete, got {rows} of {len(usable)}."
        )
    for name, column in kept.items():
        if column.min() == column.max():
            raise InvalidTableError(
                f"Column {name!r} must vary, but is {column[0]:g} in all {rows:,} complete rows."
            )
    return kept


def _refuse_missing(columns: dict[str, Vector]) -> None:
    for name, column in columns.items():
        at = np.flatnonzero(~np.isfinite(column))
        if len(at):
            raise InvalidTableError(
                f"Column {name!r} must have a finite number in every row, got {column[at[0]]:g} "
                f'in row {at[0] + 1}; pass missing="drop" (--missing drop on the command line) to '
                "leave such rows out."
            )
