"""Columns of a table by name or by position, counted from 0."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from numbers import Integral
from reprlib import repr as short_repr

from bqcd.errors import InvalidPairError, InvalidTableError
from bqcd.runtime.settings import nearest_names

POSITION = "[0-9]{1,18}"
"""Pattern of text that is a position if it is no name; more digits are a name."""


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


def name_or_position(names: Container[object], column: str | int) -> str | int:
    """Column as it was given; text that is no name but all digits as a position.

    Examples
    --------
    >>> name_or_position(["a", "7"], "7"), name_or_position(["a", "7"], "0")
    ('7', 0)
    """
    if isinstance(column, str) and column not in names and re.fullmatch(POSITION, column):
        return int(column)
    return column


def side_columns(names: Container[object], text: str) -> str | int | list[str | int]:
    """Column that a text names, or the group of columns if it is a list of names with commas.

    A column whose own name has commas goes first.

    Examples
    --------
    >>> side_columns(["a", "b", "a,b"], "a,b"), side_columns(["a", "b"], "b, 0")
    ('a,b', ['b', 0])
    """
    if text in names or "," not in text:
        return name_or_position(names, text)
    return [name_or_position(names, part.strip()) for part in text.split(",")]


def positions_of(names: Sequence[str], columns: Sequence[str | int] | None) -> list[int]:
    """Positions of the columns asked for, each of which must be another; None asks for all.

    Raises
    ------
    InvalidTableError
        If a column is absent or ambiguous.
    InvalidPairError
        If a column is asked for twice.
    """
    if columns is None:
        return list(range(len(names)))
    places = name_places(names)
    asked = [name_or_position(places, column) for column in columns]
    positions = [column_position(names, column, places) for column in asked]
    counts = Counter(positions)
    for at in positions:
        if counts[at] > 1:
            raise InvalidPairError(
                f"Column {names[at]!r} is asked for twice; give two different columns."
            )
    return positions
