"""Which columns of a table are scanned, and which pairs of them."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from bqcd.data.files.cells import unguarded
from bqcd.data.files.layout import sniffed_delimiter
from bqcd.data.files.text import bytes_up_to, reason
from bqcd.data.places import POSITION, column_position, name_places
from bqcd.errors import InvalidTableError
from bqcd.runtime.settings import check_choice, nearest_names

KINDS = ("float", "integer", "decimal", "boolean", "text", "date", "category", "empty", "other")
"""Words for what a column holds; an ``"empty"`` one has no type, as all of it is missing."""

NUMBERS = ("float", "integer", "decimal")
"""Kinds that the word ``"number"`` stands for."""

_STARTS = {
    "float": ("float", "double", "halffloat"),
    "integer": ("int8", "int16", "int32", "int64", "int128", "uint"),
    "decimal": ("decimal",),
    "boolean": ("bool",),
    "text": ("string", "large_string", "<u", ">u", "|s"),
    "date": ("date", "time", "duration", "<m8", ">m8"),
    "category": ("categorical", "enum", "dictionary"),
    "empty": ("null",),
}

Columns = str | int | Sequence[str | int]
"""Names, patterns or positions of columns, or a single one."""

Places = Mapping[object, Sequence[int]]
"""Positions of the columns of each name, as :func:`bqcd.data.places.name_places` gives them."""


MOST_BYTES = 1 << 28
"""Largest file of pairs that is read: some ten million of them."""


def told_apart(names: Sequence[object]) -> tuple[str, ...]:
    """Names as text that can be written; those not unique get the position of their column.

    Examples
    --------
    >>> told_apart(["a", "b", "a", 7])
    ('a (column 0)', 'b', 'a (column 2)', '7')
    """
    # Halves of surrogate pairs, which no file holds, become question marks.
    told = [str(name).encode(errors="replace").decode() for name in names]
    while len(set(told)) < len(told):
        counts = Counter(told)
        told = [f"{n} (column {at})" if counts[n] > 1 else n for at, n in enumerate(told)]
    return tuple(told)


def kind_of_type(dtype: object) -> str:
    """Word for a type of NumPy, Arrow or narwhals, one of ``KINDS``.

    Examples
    --------
    >>> kind_of_type(np.dtype("uint8")), kind_of_type(np.dtype(object))
    ('integer', 'other')
    """
    name = str(dtype).lower()
    return next((kind for kind, starts in _STARTS.items() if name.startswith(starts)), "other")


def kind_of_column(column: Any) -> str:
    """Word for what a column in memory holds, one of ``KINDS``.

    Examples
    --------
    >>> kind_of_column([1, None, 2.5]), kind_of_column(range(3)), kind_of_column(np.array(["a"]))
    ('float', 'integer', 'text')
    """
    if isinstance(column, list | tuple | range):
        present = [value for value in column if value is not None and value is not np.ma.masked]
        try:
            return kind_of_type(np.asarray(present).dtype if present else "null")
        except (ValueError, OverflowError):
            return "other"
    if isinstance(column, np.ndarray):
        return kind_of_type(column.dtype)
    if hasattr(column, "type") and not hasattr(column, "dtype"):
        return kind_of_type(column.type)
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    return kind_of_type(series.dtype) if isinstance(series, nw.Series) else "other"


def chosen_columns(
    names: Sequence[str],
    kinds: Sequence[str],
    columns: Columns | None = None,
    *,
    exclude: Columns = (),
    dtypes: str | Sequence[str] = (),
) -> list[int]:
    """Positions of the columns asked for, in the order of the table, each once.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.
    kinds : sequence of str
        What each holds, one of ``KINDS``.
    columns : str, int or sequence of them, optional
        Names, positions counted from 0, or patterns such as ``"gene_*"`` with ``*``, ``?``
        and ``[...]`` (upper and lower case differ). What is the name of a column stands for
        that column alone, be it a pattern or not; other text that is all digits is a
        position. After ``"!"`` the columns are left out; if nothing is asked for but
        to leave some out, all others are chosen. Default: all columns.
    exclude : str, int or sequence of them, default=()
        Columns to leave out, in the same way.
    dtypes : str or sequence of str, default=()
        Kinds to choose from, also ``"number"`` for floats, integers and decimals. Empty
        stands for all kinds: columns without numbers are then among the chosen.

    Raises
    ------
    InvalidTableError
        If a name or pattern is that of no column, or nothing is left.
    InvalidSettingError
        If a kind is unknown.

    Examples
    --------
    >>> names, kinds = ["id", "gene_1", "gene_2"], ["text", "float", "integer"]
    >>> chosen_columns(names, kinds, "gene_*"), chosen_columns(names, kinds, "!gene_2")
    ([1, 2], [0, 1])
    >>> chosen_columns(names, kinds, dtypes="number", exclude="gene_1")
    [2]
    """
    known = name_places(names)
    asked = [] if columns is None else _listed(columns)
    left_out = [item for item in asked if _is_exclusion(item, known)]
    wanted = [item for item in asked if not _is_exclusion(item, known)]
    chosen = set(range(len(names))) if not wanted else set()
    for item in wanted:
        chosen.update(_matches(names, known, item))
    for item in (*(str(item)[1:] for item in left_out), *_listed(exclude)):
        chosen.difference_update(_matches(names, known, item))
    allowed = _allowed_kinds([dtypes] if isinstance(dtypes, str) else dtypes)
    positions = [at for at in sorted(chosen) if kinds[at] in allowed]
    if not positions:
        raise InvalidTableError(
            f"No column is left of {len(names)}: {len(chosen)} asked for and not left out, "
            f"none of the kind {' or '.join(allowed)}."
        )
    return positions


def _listed(columns: Columns) -> list[str | int]:
    if isinstance(columns, str | int):
        return [columns]
    if not isinstance(columns, Iterable):
        raise InvalidTableError(
            f"Columns must be given by names, patterns or positions, got {short_repr(columns)}."
        )
    return list(columns)


def _is_exclusion(item: str | int, known: Places) -> bool:
    return isinstance(item, str) and item.startswith("!") and item not in known


def _matches(names: Sequence[str], known: Places, item: str | int) -> list[int]:
    """Positions of the columns that a name, position or pattern stands for."""
    if isinstance(item, str) and item not in known and not re.fullmatch(POSITION, item):
        found = [at for at, name in enumerate(names) if fnmatchcase(name, item)]
        if found:
            return found
        if any(sign in item for sign in "*?["):
            raise InvalidTableError(
                f"No column matches {item!r} (upper and lower case differ). "
                + nearest_names(item, list(names))
            )
    return [_position(names, known, item)]


def _allowed_kinds(dtypes: Sequence[str]) -> tuple[str, ...]:
    for dtype in dtypes:
        check_choice("a scan", "dtypes", dtype, ("number", *KINDS))
    wanted = {kind for dtype in dtypes for kind in (NUMBERS if dtype == "number" else (dtype,))}
    return tuple(kind for kind in KINDS if kind in wanted or not dtypes)


def _position(names: Sequence[str], known: Places, column: object) -> int:
    """Position of a column given by name or position; text that is all digits may be either."""
    if isinstance(column, str) and column not in known and re.fullmatch(POSITION, column):
        column = int(column)
    return column_position(names, column, known)  # type: ignore[arg-type]


def read_pairs(pairs: str | Path | Iterable[Any], names: Sequence[str]) -> list[tuple[int, int]]:
    r"""Positions of the columns of each pair in a list, in the order of the list.

    A pair that comes again, also with its columns exchanged, is kept once, as it came first.

    Parameters
    ----------
    pairs : str, Path or iterable of pairs
        Pairs of names or of positions counted from 0; or a text file with two columns,
        separated by tab, comma or semicolon. A first line ``x,y`` is a header, unless the
        table has columns of both names. Empty lines are passed over.
    names : sequence of str
        Names of all columns of the table.

    Raises
    ------
    InvalidTableError
        If there is no pair, a pair has not two columns or the same one twice, or a column
        is unknown. The message gives the line, or the place in the list from 1.

    Examples
    --------
    >>> read_pairs([("b", "a"), ("a", "c"), ("a", "b")], ["a", "b", "c"])
    [(1, 0), (0, 2)]
    """
    known = name_places(names)
    is_file = isinstance(pairs, str | Path)
    items = _lines(Path(pairs), known) if is_file else _numbered(pairs)  # type: ignore[arg-type]
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for place, item in items:
        try:
            pair = _checked_pair(item, names, known)
        except InvalidTableError as error:
            raise InvalidTableError(f"{place}: {error}") from None
        found.setdefault((min(pair), max(pair)), pair)
    if not found:
        where = f"{Path(pairs).name!r}" if is_file else "The list of pairs"  # type: ignore[arg-type]
        raise InvalidTableError(f"{where} holds no pairs.")
    return list(found.values())


def _numbered(pairs: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    return ((f"Pair {number}", item) for number, item in enumerate(pairs, 1))


def _checked_pair(item: Any, names: Sequence[str], known: Places) -> tuple[int, int]:
    if isinstance(item, str) or not isinstance(item, Sequence | np.ndarray) or len(item) != 2:
        raise InvalidTableError(f"A pair must be two columns, got {short_repr(item)}.")
    first, second = (_position(names, known, column) for column in item)
    if first == second:
        raise InvalidTableError(
            f"A pair needs two different columns, but both are {names[first]!r}."
        )
    return first, second


def _lines(path: Path, known: Places) -> Iterator[tuple[str, list[str]]]:
    """Fields of each line of a file of pairs, with its name for messages."""
    try:
        text = bytes_up_to(path, MOST_BYTES).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    head = next((line for line in text.splitlines() if line.strip()), "x")
    delimiter = sniffed_delimiter(head, "\t,;", n_fields=2) or ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    is_first = True
    try:
        for row in reader:
            fields = [cell.strip() for cell in row]
            if not any(fields):
                continue
            is_header = is_first and [cell.lower() for cell in fields] == ["x", "y"]
            is_first = False
            if not (is_header and not set(fields) <= known.keys()):
                columns = [_as_known(cell, known) for cell in row]
                yield f"Line {reader.line_num} of {path.name!r}", columns
    except csv.Error as error:
        raise _unreadable(path, error) from error


def _as_known(cell: str, known: Places) -> str:
    """Name as the table has it; it may come from a file that keeps it from spreadsheets."""
    bare = cell.strip()
    spellings = (cell, unguarded(cell), bare, unguarded(bare))
    return next((name for name in spellings if name in known), spellings[-1])


def _unreadable(path: Path, error: BaseException) -> InvalidTableError:
    return InvalidTableError(f"The file of pairs {path.name!r} cannot be read: {reason(error)}.")


def pairs_against(column: int, others: Iterable[int]) -> list[tuple[int, int]]:
    """Pairs of one column, the first of each, with every other one, given by positions.

    Examples
    --------
    >>> pairs_against(1, [0, 1, 2])
    [(1, 0), (1, 2)]
    """
    return [(column, other) for other in dict.fromkeys(others) if other != column]
