"""Columns without an order: their levels, and numbers that only name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from math import isnan, nan
from os import PathLike
from typing import Any

import numpy as np

from bqcd.data.scales import Ordered, Scale, number_of
from bqcd.errors import InvalidPairError


def nominal_column(values: object, *, declared: bool = False) -> Ordered | None:
    """Column of words as numbers of its levels, which are in alphabetical order.

    Parameters
    ----------
    values : array-like of shape (n,)
        Text, or categories without an order; missing values allowed.
    declared : bool, default=False
        Whether anything else that is a level by the caller's word is taken too.

    Returns
    -------
    Ordered or None
        With a nominal scale; None if it is no such column: if it holds anything but words, if
        words read as numbers and are not declared, or if there is only one.

    Examples
    --------
    >>> found = nominal_column(["oak", "elm", None, "oak"])
    >>> found.values, found.scale.levels
    (array([ 1.,  0., nan,  1.]), ('elm', 'oak'))
    """
    categorical, entries = _entries(values)
    if not isinstance(entries, Iterable):
        return None
    words = [_word(entry, declared or categorical) for entry in entries]
    if "" in words or (not declared and not categorical and any(map(_is_number, words))):
        return None
    levels = sorted({word for word in words if word is not None})
    if len(levels) < 2 and not declared:
        return None
    places = {word: float(at) for at, word in enumerate(levels)}
    numbers = np.array([nan if word is None else places[word] for word in words])
    return Ordered(numbers, Scale("nominal", levels=tuple(levels)))


def declared_column(values: object, name: str) -> Ordered:
    """Column whose values are names by the caller's word.

    Raises
    ------
    InvalidPairError
        If the values are no column.
    """
    found = nominal_column(values, declared=True)
    if found is None:
        raise InvalidPairError(f"Column {name!r} cannot be nominal: it is no column of values.")
    return found


def declared_table(table: Any, nominal: str | Sequence[str]) -> Any:
    """Table in which columns are declared to have no order.

    Parameters
    ----------
    table : path or table
        Whatever :func:`bqcd.read_table` takes.
    nominal : str or sequence of str
        Names of columns. Without any, the table comes back as it is.

    Raises
    ------
    InvalidTableError
        If a column is not there.
    """
    if not nominal:
        return table
    from dataclasses import replace

    from bqcd.data.files.finishing import Finisher
    from bqcd.data.files.reading import UnreadTable
    from bqcd.data.files.switches import Reading
    from bqcd.data.tables import held_table, open_table

    asked = (nominal,) if isinstance(nominal, str) else tuple(nominal)
    if isinstance(table, str | PathLike | UnreadTable):
        unread = UnreadTable.of(table)
        told = (*unread.reading.nominal, *asked)
        return UnreadTable(unread.source, replace(unread.reading, nominal=told))
    import pyarrow as pa

    names, columns_at = open_table(held_table(table))
    told_names = [str(name) for name in names]
    finisher = Finisher(Reading(nominal=asked), told_names)
    columns = list(columns_at(*range(len(told_names))))
    for at in finisher.nominal:
        column = columns[at]
        arrow = column if isinstance(column, pa.Array | pa.ChunkedArray) else _arrow(column)
        columns[at] = finisher.column(arrow, at)
    return dict(zip(told_names, columns, strict=True))


def _arrow(column: Any) -> Any:
    import pyarrow as pa

    to_arrow = getattr(column, "to_arrow", None)
    return to_arrow() if callable(to_arrow) else pa.array(column, from_pandas=True)


def _entries(values: Any) -> tuple[bool, Iterable[Any] | None]:
    """Whether a column is categorical by its type, and its entries; None if it is no column."""
    if isinstance(values, np.ndarray):
        return False, values.tolist() if values.ndim == 1 else None
    if isinstance(values, list | tuple | range):
        return False, values
    kind = str(getattr(values, "type", getattr(values, "dtype", ""))).lower()
    categorical = kind.startswith(("dictionary", "categor"))
    for name in ("to_pylist", "tolist", "to_list"):
        if callable(listed := getattr(values, name, None)):
            return categorical, listed()
    return False, None


def _word(entry: Any, anything: bool) -> str | None:
    """Name of a level; None if it is missing, empty if it is no word."""
    if isinstance(entry, str):
        return entry if entry.strip() else ""
    if isinstance(entry, Sized):
        return ""
    number = number_of(entry)
    if number is not None and isnan(number):
        return None
    if not anything:
        return ""
    if isinstance(entry, float) and entry.is_integer():
        entry = int(entry)
    return str(entry)


def _is_number(word: str | None) -> bool:
    try:
        float((word or "x").replace(",", "."))
    except ValueError:
        return False
    return True
