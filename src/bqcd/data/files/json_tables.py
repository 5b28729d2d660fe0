"""Tables in JSON: lists of records, columns by name, and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bqcd.data.files.numerals import Context
from bqcd.data.files.opened import Opened, values_table
from bqcd.data.files.switches import Reading
from bqcd.data.files.text import Text, free_bytes, reason
from bqcd.data.files.values import typed_column
from bqcd.errors import InvalidTableError

# A number in a list of Python takes so many times the room that it has in a file.
_GROWTH = 12
# Records within records: deeper ones stay one value.
_DEEPEST = 8


def open_json(text: Text, reading: Reading, *, lines: bool) -> Opened:
    """Table of a JSON text.

    Parameters
    ----------
    text : Text
        The text, in UTF-8, UTF-16 or UTF-32.
    reading : Reading
        How numbers in quotes are written, and what stands for a missing one.
    lines : bool
        Whether it is JSON lines: one record in each.

    Raises
    ------
    InvalidTableError
        If it is no JSON, or no table.
    """
    reading.check_used("JSON", ("decimal", "thousands", "encoding"))
    if text.size * _GROWTH > free_bytes():
        raise InvalidTableError(
            f"{text.label} does not fit in the memory that is free; save it as Parquet."
        )
    content = _decoded(text, reading)
    found = _of_lines(content, text.label) if lines else _whole(content, text.label)
    columns = _columns(found, text.label)
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise InvalidTableError(
            f"{text.label} is not a table: its columns have {min(lengths)} to {max(lengths)} rows."
        )
    context = Context(reading)
    typed = {n: typed_column(v, n, text.label, context) for n, v in columns.items()}
    return Opened.of_table(text.label, values_table(text.label, typed))


def _decoded(text: Text, reading: Reading) -> str:
    content = text.read()
    try:
        encoding = reading.encoding or json.detect_encoding(content)
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InvalidTableError(f"{text.label} is not UTF-8 text: {reason(error)}.") from error


def _loaded(content: str, where: str) -> Any:
    try:
        return json.loads(content, object_pairs_hook=_record)
    except (ValueError, RecursionError) as error:
        raise InvalidTableError(f"{where} is not JSON: {reason(error)}.") from error


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} comes twice in one record")
    return found


def _of_lines(content: str, label: str) -> list[Any]:
    lines = content.split("\n")
    return [
        _loaded(line, f"Line {number} of {label}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def _whole(content: str, label: str) -> Any:
    """One value; or records one to a line, if that is what the second one shows."""
    start = content.lstrip()
    if start.startswith("{") and "\n" in start.strip():
        first, _, rest = start.partition("\n")
        if rest.lstrip().startswith("{") and first.rstrip().endswith("}"):
            return _of_lines(content, label)
    return _loaded(content, label)


def _columns(found: Any, label: str) -> dict[str, list[Any]]:
    """Columns by name of whatever form a table has."""
    if isinstance(found, dict):
        return _of_mapping(found, label)
    if _is_records(found):
        return _of_records(found, label)
    if isinstance(found, list) and found and all(isinstance(row, list) for row in found):
        return _of_rows(found, None, label)
    raise InvalidTableError(
        f"{label} is not a table: it must be a list of records, or columns by name."
    )


def _of_mapping(found: Mapping[str, Any], label: str) -> dict[str, list[Any]]:
    data = found.get("data")
    names = found.get("columns")
    if isinstance(names, list) and isinstance(data, list):
        rows = [row if isinstance(row, list) else [row] for row in data]
        return _of_rows(rows, [str(name) for name in names], label)
    wrapped = [value for value in found.values() if _is_records(value)]
    if len(wrapped) == 1:
        return _of_records(wrapped[0], label)
    if found and all(isinstance(values, list) for values in found.values()):
        return dict(found)
    if found and all(isinstance(values, dict) for values in found.values()):
        # By name of column, then of row, as pandas writes it.
        keys = dict.fromkeys(row for values in found.values() for row in values)
        return {name: [values.get(row) for row in keys] for name, values in found.items()}
    if found and not any(isinstance(value, list | dict) for value in found.values()):
        return _of_records([found], label)
    raise InvalidTableError(
        f"{label} is not a table: it must be a list of records, or columns by name."
    )


def _of_records(records: Sequence[Mapping[str, Any]], label: str) -> dict[str, list[Any]]:
    """Columns of records; what is in a record within one is named after both: ``v.a``."""
    outer: set[str] = set()
    if any(isinstance(value, dict) for record in records for value in record.values()):
        outer = {n for record in records for n, value in record.items() if isinstance(value, dict)}
        records = [_flattened(record, label) for record in records]
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: [record.get(name) for record in records] for name in names}
    # Where a record within one is missing, there is nothing else to tell.
    return {n: v for n, v in columns.items() if n not in outer or any(x is not None for x in v)}


def _is_records(found: Any) -> bool:
    return isinstance(found, list) and bool(found) and all(isinstance(row, dict) for row in found)


def _flattened(record: Mapping[str, Any], label: str) -> dict[str, Any]:
    try:
        return _record(list(_flat(record)))
    except ValueError as error:
        raise InvalidTableError(f"{label} is not a table: {error}.") from error


def _flat(record: Mapping[str, Any], *, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Names and values of a record and of those within it."""
    for name, value in record.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from ((f"{name}.{inner}", v) for inner, v in _flat(value, depth=depth + 1))
        else:
            yield name, value


def _of_rows(
    rows: Sequence[Sequence[Any]], names: Sequence[str] | None, label: str
) -> dict[str, list[Any]]:
    width = len(names) if names is not None else len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InvalidTableError(
                f"{label} is not a table: row {number} has {len(row)} values, not {width}."
            )
    told = names if names is not None else [f"column {at}" for at in range(width)]
    if len(set(told)) < len(told):
        raise InvalidTableError(f"{label} names a column twice.")
    columns: Iterable[Any] = zip(*rows, strict=True) if rows else ([] for _ in told)
    return {name: list(values) for name, values in zip(told, columns, strict=True)}
