"""Tables read from files: delimited text, Parquet, Arrow and Feather.

What is in a file is told by its suffix or its content. Only the columns asked for are read. A
text of many megabytes goes through memory in pieces, of which these columns are kept; what would
not fit is refused.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bqcd.data.files.arrow import arrow_batches, check_room, open_parquet, page_bytes, spelled_out
from bqcd.data.files.delimited import HEAD_BYTES, MISSING_WORDS, lay_out, read_text
from bqcd.data.files.text import READ_ERRORS, Text, checked_path, is_binary, reason
from bqcd.data.tables import POSITION, column_position, name_places
from bqcd.errors import BqcdError, InvalidPairError, InvalidTableError
from bqcd.runtime.settings import nearest_names

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MISSING_WORDS", "read_columns", "read_if_small", "read_table"]

# Up to this many bytes a file is read whole to look beside a pair.
_SMALL_FILE = 1 << 28

_FORMATS = {
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".dat": "text",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
}


def read_table(path: str | Path) -> pa.Table:
    r"""Table of all columns of a file.

    Parameters
    ----------
    path : str or Path
        As in :func:`read_columns`.

    Returns
    -------
    pyarrow.Table
        Columns of numbers as numbers, columns with any other word as text.

    Raises
    ------
    InvalidTableError
        If the file is absent, empty, damaged or no table.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "houses.csv")
    ...     _ = path.write_text("area;price\n80,5;210\n95;NA\n")
    ...     read_table(path).to_pydict()
    {'area': [80.5, 95.0], 'price': [210, None]}
    """
    return _read(path, None)


def read_columns(path: str | Path, columns: Sequence[str | int]) -> pa.Table:
    r"""Table of the columns asked for, in the order asked for; no others are parsed.

    Parameters
    ----------
    path : str or Path
        Delimited text (comma, semicolon, tab, ``|`` or white space; also ``.gz``),
        Parquet, Arrow or Feather, told apart by suffix, or by content if the suffix is
        unknown; ``"-"`` is delimited text from standard input. Text is UTF-8, or UTF-16
        with a byte order mark. A first row of numbers is data, not a header; columns
        are then called ``"column 0"``, ``"column 1"`` and so on.
    columns : sequence of str or int
        Names, or positions counted from 0. Text that is no name but all digits is a
        position, as it comes from a command line.

    Returns
    -------
    pyarrow.Table
        Columns of numbers as numbers, columns with any other word as text. Words in
        ``MISSING_WORDS`` are null.

    Raises
    ------
    InvalidTableError
        If the file is absent, empty, damaged or no table, or a column is absent or ambiguous.
    InvalidPairError
        If a column is asked for twice.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "houses.csv")
    ...     _ = path.write_text("id,area,price\n7,80.5,210\n8,95,\n")
    ...     read_columns(path, ["price", "1"]).to_pydict()
    {'price': [210, None], 'area': [80.5, 95.0]}
    """
    return _read(path, columns)


def read_if_small(path: str | Path) -> pa.Table | None:
    """All columns of a file of at most 256 MB; None if it is larger, a stream, or none can be read.

    For what is of use and not asked for: columns beside a pair.

    Parameters
    ----------
    path : str or Path
        As in :func:`read_columns`.
    """
    file = Path(path)
    if str(path) == "-" or not file.is_file() or file.stat().st_size > _SMALL_FILE:
        return None
    try:
        return read_table(file)
    except BqcdError:
        return None


def _read(path: str | Path, columns: Sequence[str | int] | None) -> pa.Table:
    if str(path) == "-":
        label = "Standard input"
        text = Text.from_stream(sys.stdin.buffer, label)
        table = _read_text(text, text.read(HEAD_BYTES), columns)
    else:
        path = checked_path(path)
        label = repr(path.name)
        table = _read_file(path, label, columns)
    if table.num_rows == 0:
        raise InvalidTableError(f"{label} has column names but no rows.")
    return table


def _read_file(path: Path, label: str, columns: Sequence[str | int] | None) -> pa.Table:
    _check_file(path)
    try:
        text = Text.from_file(path, label)
        head = text.read(HEAD_BYTES)
    except READ_ERRORS as error:
        raise InvalidTableError(f"{label} cannot be read: {reason(error)}.") from error
    if not head:
        raise InvalidTableError(f"{label} is an empty file.")
    file_format = _FORMATS.get(text.suffix) or _format_by_content(head)
    if file_format == "Parquet":
        return _read_parquet(path, columns)
    if file_format == "Arrow":
        return _read_arrow(path, columns)
    if file_format == "text":
        return _read_text(text, head, columns)
    raise InvalidTableError(
        f"{label} has an unknown format; save it as CSV, TSV, Parquet, Arrow or Feather."
    )


def _read_text(text: Text, head: bytes, columns: Sequence[str | int] | None) -> pa.Table:
    text, layout = lay_out(text, head)
    return read_text(text, layout, _positions(layout.names, columns))


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise InvalidTableError(f"{str(path)!r} is a folder, not a table.")
    if path.exists():
        return
    if not path.parent.is_dir():
        raise InvalidTableError(f"There is no folder {str(path.parent)!r}.")
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    nearest = nearest_names(path.name, names) if names else "The folder holds no files."
    raise InvalidTableError(f"There is no file {str(path)!r}. {nearest}")


def _format_by_content(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head.startswith(b"ARROW1"):
        return "Arrow"
    # JSON and HTML are text too, but no tables.
    if head.lstrip()[:1] in (b"{", b"[", b"<"):
        return "unknown"
    return "unknown" if is_binary(head) else "text"


def _read_parquet(path: Path, columns: Sequence[str | int] | None) -> pa.Table:
    import pyarrow as pa

    label = repr(path.name)
    try:
        file, schema = open_parquet(path)
        with file:
            names = schema.names
            positions = _positions(names, columns)
            n_bytes = page_bytes(file.metadata, positions, len(names))
            check_room(label, file.metadata.num_rows, len(positions), n_bytes)
            # By name, because that is how Parquet is projected; repeated names come together.
            some = file.read(columns=list(dict.fromkeys(names[at] for at in positions)))
            some.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeError, MemoryError) as error:
        raise _damaged(path, "Parquet", error) from error
    place = _places_in(some.column_names, names)
    found = _arranged(some, [place[at] for at in positions])
    texts = zip(found.columns, positions, strict=True)
    columns_read = [spelled_out(column, schema.field(at).type, label) for column, at in texts]
    return pa.Table.from_arrays(columns_read, names=found.column_names)


def _places_in(some: Sequence[str], names: Sequence[str]) -> dict[int, int]:
    """Places in ``some`` by the position in ``names``; columns of one name keep their order."""
    positions = name_places(names)
    return {
        at: place
        for name, places in name_places(some).items()
        for at, place in zip(positions[name], places, strict=True)
    }


def _read_arrow(path: Path, columns: Sequence[str | int] | None) -> pa.Table:
    import pyarrow as pa
    from pyarrow import ipc

    def opened(fields: list[int] | None) -> Any:
        options = ipc.IpcReadOptions(included_fields=fields)
        source = pa.memory_map(str(path))
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        return (ipc.open_file if is_file else ipc.open_stream)(source, options=options)

    try:
        schema = opened(None).schema
        positions = _positions(schema.names, columns)
        batches = arrow_batches(path)
        n_bytes = sum(batch.bytes_of(schema, positions) for batch in batches)
        n_rows = sum(batch.n_rows for batch in batches)
        check_room(repr(path.name), n_rows, len(positions), n_bytes)
        fields = sorted(positions)
        some = opened(fields).read_all()
        # Offsets that lead out of the file would be followed.
        some.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeError, MemoryError) as error:
        raise _damaged(path, "Arrow", error) from error
    place = {at: number for number, at in enumerate(fields)}
    return _arranged(some, [place[at] for at in positions])


def _arranged(table: pa.Table, places: Sequence[int]) -> pa.Table:
    """Columns at ``places``, without what the file says beside names and values."""
    import pyarrow as pa

    # Asked for once: the table makes the list anew every time.
    names = table.column_names
    columns = [table.column(place) for place in places]
    return pa.Table.from_arrays(columns, names=[names[place] for place in places])


def _damaged(path: Path, file_format: str, error: BaseException) -> InvalidTableError:
    if isinstance(error, MemoryError):
        return InvalidTableError(
            f"{path.name!r} needs more memory than there is, or is damaged ({reason(error)})."
        )
    return InvalidTableError(
        f"{path.name!r} cannot be read as {file_format}; it is damaged or of another format "
        f"({reason(error)})."
    )


def _positions(names: Sequence[str], columns: Sequence[str | int] | None) -> list[int]:
    if columns is None:
        return list(range(len(names)))
    places = name_places(names)
    asked = [_name_or_position(places, column) for column in columns]
    positions = [column_position(names, column, places) for column in asked]
    counts = Counter(positions)
    for at in positions:
        if counts[at] > 1:
            raise InvalidPairError(
                f"Column {names[at]!r} is asked for twice; give two different columns."
            )
    return positions


def _name_or_position(names: Container[object], column: str | int) -> str | int:
    if isinstance(column, str) and column not in names and re.fullmatch(POSITION, column):
        return int(column)
    return column
