"""Tables of any kind opened: names of the columns, and the columns at given positions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from bqcd.errors import InvalidTableError
from bqcd.runtime.settings import nearest_names

Columns = Callable[..., tuple[object, ...]]
"""From positions, counted from 0, to columns."""

POSITION = "[0-9]{1,18}"
"""Pattern of text that is a position if it is no name; more digits are a name."""


def open_table(table: Any) -> tuple[Sequence[object], Columns]:
    """Column names of a table, and a function from positions to columns.

    Parameters
    ----------
    table : data frame, mapping or ndarray of shape (n, k)
        A pandas or polars frame, a pyarrow table, any other frame narwhals reads, a
        mapping from names to columns, or a two-dimensional NumPy array. Of a lazy frame
        only the columns asked for are collected.

    Raises
    ------
    InvalidTableError
        If it is none of these.

    Examples
    --------
    >>> names, columns_at = open_table({"age": [3, 4], "height": [95, 102]})
    >>> names, columns_at(1)
    (['age', 'height'], ([95, 102],))
    """
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise InvalidTableError(
                f"An array must be two-dimensional to be a table, got shape {table.shape}."
            )
        # A column of a matrix would have two dimensions; one of a masked array keeps its mask.
        table = np.asarray(table) if isinstance(table, np.matrix) else table
        names: Sequence[object] = [f"column {position}" for position in range(table.shape[1])]
        return names, lambda *places: tuple(table[:, place] for place in places)
    if isinstance(table, Mapping):
        names = list(table)
        return names, lambda *places: tuple(table[names[place]] for place in places)
    return _open_frame(table)


def _open_frame(table: Any) -> tuple[Sequence[object], Columns]:
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(table, pyarrow.Table):
        return table.column_names, lambda *places: tuple(table.column(place) for place in places)
    import narwhals as nw
    from narwhals.dependencies import is_pandas_like_dataframe

    # narwhals refuses frames with repeated names even when they are not asked for.
    if is_pandas_like_dataframe(table):
        return list(table.columns), lambda *places: tuple(table.iloc[:, at] for at in places)
    frame = nw.from_native(table, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InvalidTableError(
            "A table must be a data frame, a mapping from names to columns or a "
            f"two-dimensional array, got {type(table).__name__}."
        )
    names = frame.collect_schema().names()

    def columns_at(*places: int) -> tuple[object, ...]:
        # By position: polars takes names such as "*" for patterns where columns are selected.
        held = frame
        if isinstance(held, nw.LazyFrame):
            held = held.select(nw.nth(*sorted({*places}))).collect()
        return tuple(held.get_column(names[place]).to_native() for place in places)

    return names, columns_at


def columns_of_rows(rows: Sequence[object]) -> dict[str, list[object]]:
    """Columns of a table given row by row, called by their positions.

    Raises
    ------
    InvalidTableError
        If a row is no sequence of values, or has more or fewer than the first.

    Examples
    --------
    >>> columns_of_rows([[1, 2.5], [3, None]])
    {'column 0': [1, 3], 'column 1': [2.5, None]}
    """
    held = [_row(row, number) for number, row in enumerate(rows, 1)]
    for number, row in enumerate(held, 1):
        if len(row) != len(held[0]):
            raise InvalidTableError(
                "Rows of a table must have equally many values, but row 1 has "
                f"{len(held[0])} and row {number} has {len(row)}."
            )
    return {f"column {at}": list(column) for at, column in enumerate(zip(*held, strict=True))}


def _row(row: object, number: int) -> list[object]:
    is_row = isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes)
    if not (is_row or hasattr(row, "iloc")) or getattr(row, "ndim", 1) != 1:
        raise InvalidTableError(
            "A table given row by row must hold sequences of values, but row "
            f"{number} is {short_repr(row)} ({type(row).__name__})."
        )
    return list(row)  # type: ignore[call-overload, no-any-return]


def name_places(names: Iterable[object]) -> dict[object, list[int]]:
    """Positions of the columns of each name, to look many columns up.

    Examples
    --------
    >>> name_places(["age", "height", "age"])
    {'age': [0, 2], 'height': [1]}
    """
    places: dict[object, list[int]] = {}
    for position, name in enumerate(names):
        places.setdefault(name, []).append(position)
    return places


def column_position(
    names: Sequence[object],
    column: str | int,
    places: Mapping[object, Sequence[int]] | None = None,
) -> int:
    """Position, counted from 0, of a column given by name or by position.

    Parameters
    ----------
    names : sequence of object
        Names of all columns.
    column : str or int
        Name or position.
    places : mapping of object to sequence of int, optional
        What :func:`name_places` says of the names. Whoever looks up many columns makes it
        once: without it, every look takes as long as there are columns.

    Raises
    ------
    InvalidTableError
        If no column, or more than one, is meant.

    Examples
    --------
    >>> column_position(["age", "height"], "height")
    1
    """
    places = name_places(names) if places is None else places
    if isinstance(column, str):
        return _position_of_name(names, column, places.get(column, ()))
    if isinstance(column, bool) or not isinstance(column, Integral):
        raise InvalidTableError(
            f"A column must be given by its name or its position, got {short_repr(column)}."
        )
    position = int(column)
    if not 0 <= position < len(names):
        raise InvalidTableError(
            f"Column position {position} is out of range: {_known_positions(names)}."
        )
    # Labels such as 1, 2, 3 make "column 1" two different columns.
    if position in places and names[position] != position:
        raise InvalidTableError(
            f"Column {position} is ambiguous: it is the name of one column and the position "
            f"of another, {names[position]!r}; rename the columns to text."
        )
    return position


def _position_of_name(names: Sequence[object], column: str, found: Sequence[int]) -> int:
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(map(str, found))
        raise InvalidTableError(
            f"Column {column!r} is ambiguous: the columns at positions {listed} have that name; "
            "give a position."
        )
    nearest = nearest_names(column, [str(name) for name in names]) if names else ""
    raise InvalidTableError(
        f"The table has no column {column!r}; {_known_positions(names)}. {nearest}".rstrip()
    )


def _known_positions(names: Sequence[object]) -> str:
    if not names:
        return "there are no columns"
    return f"positions run from 0 to {len(names) - 1}"
