"""What Parquet and Arrow files would take in memory, told before it is taken.

A file of a kilobyte may say that it holds a thousand million rows: repeated values and long
text are stored once, and compressed buffers say how large they will be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, BinaryIO

from bqcd.data.files.text import free_bytes
from bqcd.errors import InvalidTableError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAGIC = b"ARROW1"
"""How an Arrow file begins and ends; a stream of Arrow has neither."""


def check_room(label: str, n_rows: int, n_columns: int, n_bytes: float = 0.0) -> None:
    """Refuse a table that would take more memory than is free.

    Parameters
    ----------
    label : str
        What it is called in the message.
    n_rows, n_columns : int
        Its size; a number takes 8 bytes.
    n_bytes : float, default=0
        What it takes at least, if that is known and may be more.

    Raises
    ------
    InvalidTableError
        If it does not fit. The message has both numbers.

    Examples
    --------
    >>> check_room("t.parquet", 1000, 2)
    """
    columns = "1 column" if n_columns == 1 else f"{n_columns:,} columns"
    _check_bytes(label, f"{n_rows:,} rows of {columns}", max(8.0 * n_rows * n_columns, n_bytes))


def _check_bytes(label: str, what: str, needed: float) -> None:
    room = free_bytes()
    if needed > room:
        raise InvalidTableError(
            f"{label} does not fit in the memory that is free: {what} would take "
            f"{needed / 1e9:,.1f} GB of {room / 1e9:,.1f} GB."
        )


def open_parquet(path: Path, **options: Any) -> tuple[pq.ParquetFile, pa.Schema]:
    """Parquet file whose text is read as words and their places, and what it is in the file.

    See :func:`spelled_out`.

    Parameters
    ----------
    path : Path
        The file.
    **options
        Of ``pyarrow.parquet.ParquetFile``.
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, **options)
    schema = file.schema_arrow
    texts = [field.name for field in schema if _is_text(field.type)]
    if texts:
        known = file.metadata
        file.close()
        file = pq.ParquetFile(path, metadata=known, read_dictionary=texts, **options)
    return file, schema


def spelled_out(column: pa.ChunkedArray | pa.Array, dtype: pa.DataType, label: str) -> Any:
    """Column of the type it has in its file, if the memory that is free has room for its text.

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray
        Read from what :func:`open_parquet` gave.
    dtype : pyarrow.DataType
        Of the column in the file.
    label : str
        What the file is called in the message.

    Raises
    ------
    InvalidTableError
        If a long word is repeated so often that there is no room for it.
    """
    import pyarrow as pa

    if not _is_text(dtype) or not pa.types.is_dictionary(column.type):
        return column
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    sizes = [_n_letters(chunk) for chunk in chunks]
    _check_bytes(label, "a column of text", sum(sizes))
    if max(sizes, default=0) >= _MOST_LETTERS:
        dtype = pa.large_string() if pa.types.is_string(dtype) else pa.large_binary()
    return column.cast(dtype)


# More do not fit in one piece of the usual type.
_MOST_LETTERS = 2**31 - 1


def _is_text(dtype: pa.DataType) -> bool:
    from pyarrow import types

    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(dtype) for test in tests)


def _n_letters(words: Any) -> int:
    """Bytes of a column of text if every word is spelled out."""
    import pyarrow.compute as pc

    lengths = pc.binary_length(words.dictionary).cast("int64")
    return int(pc.sum(lengths.take(words.indices)).as_py() or 0)


def page_bytes(metadata: pq.FileMetaData, positions: Sequence[int], n_columns: int) -> int:
    """Decompressed bytes of the pages of some columns of a Parquet file, as it says itself.

    Parameters
    ----------
    metadata : pyarrow.parquet.FileMetaData
        Of the file.
    positions : sequence of int
        Of the columns.
    n_columns : int
        Of the file; columns of columns are not counted one by one.
    """
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    if len(positions) == n_columns:
        return sum(group.total_byte_size for group in groups)
    if metadata.num_columns != n_columns:
        return 0
    return sum(group.column(at).total_uncompressed_size for group in groups for at in positions)


@dataclass(frozen=True, slots=True)
class Batch:
    """A piece of an Arrow file: rows, or the words of a dictionary.

    Parameters
    ----------
    n_rows : int
        Rows of the table; 0 for a dictionary.
    sizes : tuple of int
        Bytes of its buffers once decompressed; none if they are not compressed, as they are
        then read in place.
    """

    n_rows: int
    sizes: tuple[int, ...]

    def bytes_of(self, schema: pa.Schema, positions: Sequence[int]) -> int:
        """What some columns take; what all take where it is not known which is whose."""
        counts = [_n_buffers(dtype) for dtype in schema.types]
        if not self.n_rows or sum(counts) != len(self.sizes):
            return sum(self.sizes)
        ends = list(accumulate(counts))
        return sum(sum(self.sizes[ends[at] - counts[at] : ends[at]]) for at in positions)


def _n_buffers(dtype: pa.DataType) -> int:
    from pyarrow import types

    if types.is_null(dtype):
        return 0
    below = [dtype.field(at).type for at in range(dtype.num_fields)]
    return int(dtype.num_buffers) + sum(map(_n_buffers, below))


def arrow_batches(path: Path) -> list[Batch]:
    """Pieces of an Arrow file or stream, by what it says of itself.

    Raises
    ------
    InvalidTableError
        If the file is damaged.
    """
    try:
        with path.open("rb") as file:
            return list(_batches(file))
    except (StructError, OverflowError, ValueError, IndexError, OSError) as error:
        raise InvalidTableError(
            f"{path.name!r} cannot be read as Arrow; it is damaged or of another format "
            "(its parts are not where they should be)."
        ) from error


def _batches(file: BinaryIO) -> Iterator[Batch]:
    if file.read(len(MAGIC)) != MAGIC:
        yield from _streamed(file)
        return
    size = file.seek(-10, 2)
    length = _INT.unpack_from(file.read(10))[0]
    file.seek(size - length)
    footer = _Table.root(file.read(length))
    for number in (2, 3):  # dictionaries, then rows
        for start, n_head, _ in footer.records(number, _BLOCK):
            file.seek(start)
            yield from _batch(file, file.read(n_head), start + n_head)


def _streamed(file: BinaryIO) -> Iterator[Batch]:
    """Pieces of a stream, one after the other."""
    at = file.seek(0)
    while len(start := file.read(8)) == 8:
        mark, length = _TWO_INTS.unpack(start)
        if mark != -1:  # as it was before 2019
            length, start = mark, start[:4]
            file.seek(at + 4)
        if length <= 0:
            return
        head = start + file.read(length)
        at += len(head)
        yield from _batch(file, head, at)
        at += max(0, _Table.root(head[len(start) :]).number(3))
        file.seek(at)


def _batch(file: BinaryIO, head: bytes, body: int) -> Iterator[Batch]:
    """The piece that a message tells of, if it tells of one."""
    marked = _INT.unpack_from(head)[0] == -1
    message = _Table.root(head[8 if marked else 4 :])
    kind = message.byte(1)
    if kind not in (_DICTIONARY, _ROWS):
        return
    rows = message.table(2)
    rows = rows.table(1) if kind == _DICTIONARY else rows
    buffers = rows.records(2, _TWO_LONGS) if rows.place(3) is not None else ()
    sizes = tuple(_decompressed(file, body + start, length) for start, length in buffers)
    yield Batch(rows.number(0) if kind == _ROWS else 0, sizes)


def _decompressed(file: BinaryIO, start: int, length: int) -> int:
    if length < 8:
        return length
    file.seek(start)
    told = int(_LONG.unpack(file.read(8))[0])
    return length if told == -1 else told


_ROWS, _DICTIONARY = 3, 2
_SHORT, _INT, _LONG = Struct("<H"), Struct("<i"), Struct("<q")
_TWO_INTS, _TWO_LONGS, _BLOCK = Struct("<ii"), Struct("<qq"), Struct("<qi4xq")


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a flatbuffer: fields by their numbers."""

    data: bytes
    at: int

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, _INT.unpack_from(data)[0])

    def place(self, number: int) -> int | None:
        """Where a field is, None if it has its usual value."""
        fields = self.at - int(_INT.unpack_from(self.data, self.at)[0])
        entry = 4 + 2 * number
        if entry >= _SHORT.unpack_from(self.data, fields)[0]:
            return None
        offset = int(_SHORT.unpack_from(self.data, fields + entry)[0])
        return self.at + offset if offset else None

    def number(self, number: int) -> int:
        place = self.place(number)
        return 0 if place is None else int(_LONG.unpack_from(self.data, place)[0])

    def byte(self, number: int) -> int:
        place = self.place(number)
        return 0 if place is None else self.data[place]

    def _behind(self, number: int) -> int:
        place = self.place(number)
        if place is None:
            raise ValueError("a part is absent")
        return place + int(_INT.unpack_from(self.data, place)[0])

    def table(self, number: int) -> _Table:
        return _Table(self.data, self._behind(number))

    def records(self, number: int, record: Struct) -> Iterator[tuple[Any, ...]]:
        """Entries of a vector, none if it is absent."""
        if self.place(number) is None:
            return
        start = self._behind(number)
        count = int(_INT.unpack_from(self.data, start)[0])
        for entry in range(count):
            yield record.unpack_from(self.data, start + 4 + entry * record.size)
