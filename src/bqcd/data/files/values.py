"""Columns of Python values, as files without types hold them, as columns of Arrow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from math import inf
from typing import Any

from bqcd.data.files.numerals import Context
from bqcd.data.files.words import typed_words


def typed_column(values: Sequence[Any], name: str, label: str, context: Context) -> Any:
    """Column of Arrow for values of any kind, None for missing ones.

    Numbers, booleans, dates and times stay what they are. Text is read as numbers or dates if
    all of it is; beside numbers it makes the column text, unless it stands for a missing value.

    Parameters
    ----------
    values : sequence of object
        The column.
    name, label : str
        Of the column and its file, for messages.
    context : Context
        What is known of numbers in the file.

    Raises
    ------
    InvalidTableError
        If a number can be read in two ways.
    """
    import pyarrow as pa

    absent = frozenset(context.reading.missing_words)
    known = [None if _is_absent(value, absent) else value for value in values]
    kinds = {_kind(value) for value in known} - {None}
    if not kinds:
        return pa.nulls(len(known), pa.float64())
    if kinds == {"number"}:
        return _numbers(known)
    if kinds <= {"date", "datetime"}:
        return _moments(known, "datetime" in kinds)
    if len(kinds) == 1 and kinds <= {"boolean", "time", "duration"}:
        return pa.array(known)
    words = pa.array([None if value is None else _word(value) for value in known], pa.string())
    return typed_words(words, name, label, context) if kinds <= {"text", "number"} else words


def _is_absent(value: Any, absent: frozenset[str]) -> bool:
    if isinstance(value, str):
        return value.strip() in absent
    return value is None or value != value


def _kind(value: Any) -> str | None:
    if value is None:
        return None
    # A boolean is a number, and a moment a date, to Python.
    for types, kind in (
        (bool, "boolean"),
        (int | float, "number"),
        (str, "text"),
        (datetime, "datetime"),
        (date, "date"),
        (time, "time"),
        (timedelta, "duration"),
    ):
        if isinstance(value, types):
            return kind
    return "other"


def _numbers(values: Sequence[Any]) -> Any:
    import pyarrow as pa

    whole = all(value is None or isinstance(value, int) for value in values)
    if whole and all(value is None or abs(value) < 2**63 for value in values):
        return pa.array(values, pa.int64())
    return pa.array([None if value is None else _float(value) for value in values], pa.float64())


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _moments(values: Iterable[Any], with_time: bool) -> Any:
    import pyarrow as pa

    if not with_time:
        return pa.array(values, pa.date32())
    told = [_moment(value) for value in values]
    midnight = all(value is None or value.time() == time() for value in told)
    if midnight:
        return pa.array([None if value is None else value.date() for value in told], pa.date32())
    return pa.array(told, pa.timestamp("us"))


def _moment(value: Any) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return (
            None
            if value is None
            else value.replace(tzinfo=None) - (value.utcoffset() or timedelta())
        )
    return datetime(value.year, value.month, value.day)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return json.dumps(value)
    return repr(value) if isinstance(value, float | int) else str(value)


def named_columns_of(
    header: Sequence[Any] | None, rows: Sequence[Sequence[Any]], width: int
) -> list[tuple[str, list[Any]]]:
    """Columns of rows, with their names; short rows end in missing values."""
    names = [str(header[at]) if header is not None and at < len(header) and header[at] is not None
             else f"column {at}" for at in range(width)]  # fmt: skip
    return [
        (name, [row[at] if at < len(row) else None for row in rows])
        for at, name in enumerate(names)
    ]
