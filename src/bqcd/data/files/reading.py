"""Files, addresses and standard input, opened as what they are.

What is in a file is told by its suffix or its content. Only the columns asked for are read where
the format allows it. A text of many megabytes goes through memory in pieces, of which these
columns are kept; what would not fit is refused.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bqcd.data.files.delimited import read_text
from bqcd.data.files.finishing import Finisher
from bqcd.data.files.formats import TEXTS, format_of, is_foreign
from bqcd.data.files.layout import HEAD_BYTES, lay_out
from bqcd.data.files.opened import Opened
from bqcd.data.files.parquet import is_pattern, parquet_table
from bqcd.data.files.remote import fetched, is_address
from bqcd.data.files.switches import Reading
from bqcd.data.files.text import READ_ERRORS, Text, checked_path, free_bytes, reason
from bqcd.data.places import positions_of
from bqcd.errors import InvalidTableError
from bqcd.runtime.settings import nearest_names

if TYPE_CHECKING:
    import pyarrow as pa

SMALL_FILE = 1 << 28
"""Up to this many bytes a file is read whole to look beside a pair."""

_TEXT_SWITCHES = ("delimiter", "decimal", "thousands", "encoding", "comment", "header")
_PIECE = 1 << 20
_AS_IT_IS = Reading()


@dataclass(frozen=True, slots=True)
class UnreadTable:
    """A table somewhere, and how it is to be read. It goes wherever a table goes.

    Parameters
    ----------
    source : str or Path
        File, folder, pattern, address, or ``"-"`` for standard input.
    reading : Reading
        What is said of it.

    Examples
    --------
    >>> UnreadTable("sales.csv", Reading(decimal=",")).label
    'sales.csv'
    """

    source: str | os.PathLike[str]
    reading: Reading = field(default=_AS_IT_IS)

    @classmethod
    def of(cls, source: Any) -> UnreadTable:
        """The source itself if it is one, else a source of which nothing is said."""
        return source if isinstance(source, UnreadTable) else cls(source)

    @property
    def label(self) -> str:
        """What the table is called."""
        if str(self.source) == "-":
            return "standard input"
        return Path(self.source).name or str(self.source)

    @property
    def is_file(self) -> bool:
        """Whether it is in a single file that can be read again."""
        if str(self.source) == "-" or is_address(self.source):
            return False
        return checked_path(self.source).is_file()

    @property
    def is_small(self) -> bool:
        """Whether it is a file of at most 256 MB."""
        return self.is_file and Path(self.source).stat().st_size <= SMALL_FILE

    def at_hand(self) -> tuple[UnreadTable, TemporaryDirectory[str] | None]:
        """The same table where it can be read again, and the folder it is kept in, if it is new.

        Raises
        ------
        InvalidTableError
            If it cannot be read.
        """
        if str(self.source) != "-" and not is_address(self.source):
            return UnreadTable(checked_path(self.source).absolute(), self.reading), None
        from pyarrow import feather

        folder = TemporaryDirectory(prefix="bqcd-table-")
        path = Path(folder.name, "table.feather")
        feather.write_feather(self.read(), str(path), compression="uncompressed")
        return UnreadTable(path), folder

    def open(self) -> Opened:
        """Names of its columns, and a way to read some of them."""
        return open_unread(self.source, self.reading)

    def finished(self, opened: Opened, positions: Sequence[int]) -> pa.Table:
        """Columns at some positions, as they are said to be.

        Raises
        ------
        InvalidTableError
            If there are no rows.
        """
        import pyarrow as pa

        finisher = Finisher(self.reading, opened.names)
        table = opened.read(positions)
        if table.num_columns and table.num_rows == 0:
            raise InvalidTableError(f"{opened.label} has column names but no rows.")
        if finisher.idle:
            return table
        columns = zip(table.columns, positions, strict=True)
        return pa.Table.from_arrays(
            [finisher.column(column, at) for column, at in columns], names=table.column_names
        )

    def read(self, columns: Sequence[str | int] | None = None) -> pa.Table:
        """Table of the columns asked for, in that order; None asks for all.

        Raises
        ------
        InvalidTableError
            If it cannot be read, or a column is absent or ambiguous.
        InvalidPairError
            If a column is asked for twice.
        """
        opened = self.open()
        return self.finished(opened, positions_of(opened.names, columns))


def open_unread(source: str | os.PathLike[str], reading: Reading) -> Opened:
    """Table of a file, a folder, an address or standard input.

    Parameters
    ----------
    source : str or Path
        Where it is.
    reading : Reading
        What is said of it.

    Raises
    ------
    InvalidTableError
        If it is absent, empty, damaged or no table.
    """
    if str(source) == "-":
        label = "Standard input"
        return _open_bytes(Text.from_stream(sys.stdin.buffer, label, is_foreign), reading)
    if is_address(source):
        address = str(source)
        if address.lower().startswith("file://"):
            # It brings along what speaks http, which a file on disk does not need.
            from urllib.request import url2pathname

            return _open_path(Path(url2pathname(urlsplit(address).path)), reading)
        with fetched(address) as path:
            return _read_at_once(_open_path(path, reading))
    return _open_path(checked_path(source), reading)


def _open_path(path: Path, reading: Reading) -> Opened:
    if path.is_dir() or is_pattern(str(path)):
        reading.check_used("Parquet", ())
        parts = parquet_table(path)
        return Opened(parts.label, parts.names, parts.read)
    _check_file(path)
    label = repr(path.name)
    try:
        text = Text.from_file(path, label, is_foreign)
    except READ_ERRORS as error:
        raise InvalidTableError(f"{label} cannot be read: {reason(error)}.") from error
    return _open_bytes(text, reading)


def _read_at_once(opened: Opened) -> Opened:
    """A table that is read before the file it is in goes."""
    return Opened.of_table(opened.label, opened.read(range(len(opened.names))))


def _open_bytes(text: Text, reading: Reading) -> Opened:
    head = text.read(HEAD_BYTES)
    if not head:
        raise InvalidTableError(f"{text.label} is an empty file.")
    file_format = format_of(text.suffix, head)
    # What is said of a text makes it one.
    if not file_format and (reading.delimiter or reading.encoding):
        file_format = "text"
    if file_format == "text":
        return _open_text(text, head, reading)
    if file_format in TEXTS:
        from bqcd.data.files.json_tables import open_json

        return open_json(text, reading, lines=file_format == "JSON lines")
    if not file_format:
        raise InvalidTableError(
            f"{text.label} has an unknown format; save it as CSV, Parquet, Arrow, JSON or Excel."
        )
    if isinstance(text.content, Path) and not text.compressed:
        return _OPENERS[file_format](text.content, text.label, reading)
    with _unpacked(text) as path:
        return _read_at_once(_OPENERS[file_format](path, text.label, reading))


@contextmanager
def _unpacked(text: Text) -> Iterator[Path]:
    """File with the bytes of a text, for formats that need one."""
    with TemporaryDirectory(prefix="bqcd-table-") as folder:
        path = Path(folder, f"table{text.suffix}")
        try:
            with text.open(free_bytes()) as stream, path.open("wb") as file:
                while piece := stream.read(_PIECE):
                    file.write(piece)
        except READ_ERRORS as error:
            raise InvalidTableError(f"{text.label} cannot be read: {reason(error)}.") from error
        yield path


def _open_text(text: Text, head: bytes, reading: Reading) -> Opened:
    reading.check_used("text", _TEXT_SWITCHES)
    text, layout = lay_out(text, head, reading)
    return Opened(text.label, layout.names, lambda places: read_text(text, layout, places))


def _open_parquet(path: Path, label: str, reading: Reading) -> Opened:
    reading.check_used("Parquet", ())
    parts = parquet_table(path)
    return Opened(label, parts.names, parts.read)


def _open_arrow(path: Path, label: str, reading: Reading) -> Opened:
    from bqcd.data.files.ipc import open_arrow

    reading.check_used("Arrow", ())
    return open_arrow(path, label)


def _open_array(path: Path, label: str, reading: Reading) -> Opened:
    from bqcd.data.files.arrays import open_array

    reading.check_used("NumPy", ())
    return open_array(path, label)


def _open_excel(path: Path, label: str, reading: Reading) -> Opened:
    from bqcd.data.files.excel import open_excel

    return open_excel(path, label, reading)


def _open_sqlite(path: Path, label: str, reading: Reading) -> Opened:
    from bqcd.data.files.databases import open_sqlite

    return open_sqlite(path, label, reading)


def _open_duckdb(path: Path, label: str, reading: Reading) -> Opened:
    from bqcd.data.files.databases import open_duckdb

    return open_duckdb(path, label, reading)


def _labelled(file_format: str) -> Callable[[Path, str, Reading], Opened]:
    def opened(path: Path, label: str, reading: Reading) -> Opened:
        from bqcd.data.files.labelled import open_labelled

        return open_labelled(path, label, file_format, reading)

    return opened


_OPENERS: dict[str, Callable[[Path, str, Reading], Opened]] = {
    "Parquet": _open_parquet,
    "Arrow": _open_arrow,
    "NumPy": _open_array,
    "Excel": _open_excel,
    "SQLite": _open_sqlite,
    "DuckDB": _open_duckdb,
    **{
        name: _labelled(name) for name in ("Stata", "SAS", "SAS transport", "SPSS", "SPSS portable")
    },
}


def _check_file(path: Path) -> None:
    if path.exists():
        return
    if not path.parent.is_dir():
        raise InvalidTableError(f"There is no folder {str(path.parent)!r}.")
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    nearest = nearest_names(path.name, names) if names else "The folder holds no files."
    raise InvalidTableError(f"There is no file {str(path)!r}. {nearest}")
