"""Tables that are scanned, column by column: files of any size, and tables in memory.

Of a Parquet, Arrow or NumPy file one column at a time is read, so that the table may be
larger than memory. Delimited text is parsed once, as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import nan
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from bqcd.data.files.arrow import MAGIC, arrow_batches, check_room, open_parquet, spelled_out
from bqcd.data.files.reading import read_table
from bqcd.data.files.text import checked_path, reason
from bqcd.data.tables import open_table
from bqcd.data.vector import as_vector
from bqcd.errors import BqcdError, InvalidPairError, InvalidTableError
from bqcd.runtime.arrays import Vector
from bqcd.scans.selection import kind_of_column, kind_of_type, told_apart

Parts = Callable[[int], Iterator[Any]]
"""From the position of a column to its pieces, in the order of the rows."""

FileState = tuple[int, ...]
"""What a system tells of a file that changes with its content."""

_BATCH_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class Source:
    """A table whose columns are read one at a time.

    Parameters
    ----------
    label : str
        Name of the file, or kind of the table.
    names : tuple of str
        Names of the columns, all different; where several have the same name, their
        positions are added: ``"a (column 3)"``.
    kinds : tuple of str
        What each column holds, one of :data:`bqcd.scans.selection.KINDS`.
    n_rows : int
        Number of rows.
    parts : callable
        From the position of a column to its pieces.
    paths : tuple of Path
        Files that the table is read from; empty for a table in memory.
    states : tuple of tuple of int
        State of each file before anything of it was read.
    """

    label: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    n_rows: int
    parts: Parts = field(repr=False)
    paths: tuple[Path, ...] = ()
    states: tuple[FileState, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Refuse tables without columns or rows."""
        if not self.names:
            raise InvalidTableError(f"{self.label!r} has no columns.")
        if not self.n_rows:
            raise InvalidTableError(f"{self.label!r} has column names but no rows.")

    def column(self, at: int) -> Vector:
        """Column at a position, as float64 with NaN for missing; not to be written to.

        Anything but numbers is an ``InvalidPairError``, a damaged file an ``InvalidTableError``.
        """
        vector, start = np.empty(0), 0
        for part in self.parts(at):
            values = as_vector(part, self.names[at], first_row=start + 1)
            if len(values) == self.n_rows:
                return np.ascontiguousarray(values)
            vector = vector if len(vector) else np.empty(self.n_rows)
            vector[start : start + len(values)] = values[: max(0, self.n_rows - start)]
            start += len(values)
        if start != self.n_rows:
            raise InvalidTableError(
                f"Column {self.names[at]!r} of {self.label!r} must have {self.n_rows} rows, "
                f"got {start}."
            )
        return vector

    def fingerprint(self) -> str:
        """Digest of the files, or of the names and numbers of a table in memory.

        Tables in memory that differ in neither names nor numbers have the same, whatever
        their kind; columns without numbers count by name only.
        """
        return self._digest

    def check_unchanged(self) -> None:
        """Refuse a table that is not what it was when it was opened and its digest was taken.

        Raises
        ------
        InvalidTableError
            If it is another now, or a file was written to meanwhile.
        """
        for path, before in zip(self.paths, self.states, strict=True):
            if _state(path) != before:
                raise _changed(path)
        if self._digest_now() != self.fingerprint():
            raise _changed(self.paths[0] if len(self.paths) == 1 else self.label)

    @cached_property
    def _digest(self) -> str:
        return self._digest_now()

    def _digest_now(self) -> str:
        digest = blake2b(digest_size=20)
        for path in self.paths:
            with _reading(path, "a table"), path.open("rb") as stream:
                while piece := stream.read(1 << 20):
                    digest.update(piece)
        for at in range(0 if self.paths else len(self.names)):
            digest.update(f"{len(self.names[at])}\0{self.names[at]}".encode(errors="replace"))
            digest.update(self._number_bytes(at))
        return digest.hexdigest()

    def _number_bytes(self, at: int) -> memoryview:
        try:
            vector = self.column(at)
        except InvalidPairError:
            return memoryview(b"no numbers")
        # NaN has many bit patterns.
        return np.where(np.isnan(vector), nan, vector).astype("<f8", copy=False).data


def _changed(what: object) -> InvalidTableError:
    return InvalidTableError(
        f"{str(what)!r} was changed while it was read, so that nothing of it is kept: run the "
        "scan again when nobody writes to it."
    )


def _state(path: Path) -> FileState:
    try:
        told = path.stat()
    except OSError:
        return ()
    # The last one can be set by nobody, but tells little on some systems.
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns


def open_source(table: Any) -> Source:
    """Table whose columns can be read one at a time.

    Parameters
    ----------
    table : str, Path, data frame, mapping or ndarray of shape (n, k)
        A file: delimited text, also compressed with gzip, Parquet, Arrow, Feather, or a
        two-dimensional array in NumPy's ``.npy`` (if larger than memory, better stored
        column by column, in Fortran order); a folder of Parquet files with the same
        columns, taken in the order of their names; ``"-"`` for delimited text from standard
        input; or a table in memory, as in :meth:`bqcd.Pair.from_table`. A lazy frame is
        collected once, all of it: collected column by column, its rows might come in
        another order each time.

    Raises
    ------
    InvalidTableError
        If it is no such table, is damaged, or has no columns or no rows.

    Examples
    --------
    >>> source = open_source({"age": [3, None, 5], "name": ["Ann", "Bo", "Cy"]})
    >>> source.names, source.kinds, source.n_rows
    (('age', 'name'), ('integer', 'text'), 3)
    >>> source.column(0)
    array([ 3., nan,  5.])
    """
    if not isinstance(table, str | os.PathLike):
        return _held_source(*_labelled(table))
    if str(table) == "-":
        return _held_source("standard input", read_table("-"))
    path = checked_path(table).absolute()
    if not path.is_dir() and not path.is_file():
        return _held_source(path.name, read_table(Path(table)))
    paths = _part_files(path) if path.is_dir() else (path,)
    states = tuple(map(_state, paths))
    return replace(_file_source(path, paths), states=states)


def _file_source(path: Path, paths: tuple[Path, ...]) -> Source:
    file_format = "Parquet" if path.is_dir() else _file_format(path)
    if file_format == "Parquet":
        return _parquet_source(path, paths)
    opener = _OPENERS.get(file_format)
    return opener(path) if opener else _held_source(path.name, read_table(path), paths)


def _file_format(path: Path) -> str:
    starts = (name for start, name in _HEADS.items() if _head(path).startswith(start))
    return _SUFFIXES.get(path.suffix.lower()) or next(starts, "text")


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(6)


def _labelled(table: Any) -> tuple[str, Any]:
    """Kind of a table, and the table, collected if it is lazy."""
    import narwhals as nw
    from narwhals.dependencies import is_pandas_like_dataframe, is_pyarrow_table

    native = table
    # These may have repeated names, which narwhals refuses.
    if not (is_pandas_like_dataframe(table) or is_pyarrow_table(table)):
        frame = nw.from_native(table, pass_through=True)
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        if isinstance(frame, nw.DataFrame):
            native = frame.to_native()
            # One by one: to polars, "*" and "^a.*$" are not names but patterns.
            table = {name: frame.get_column(name).to_native() for name in frame.columns}
    package, name = type(native).__module__.partition(".")[0], type(native).__name__
    return (name if package == "builtins" else f"{package} {name}"), table


def _held_source(label: str, table: Any, paths: tuple[Path, ...] = ()) -> Source:
    keys, columns_at = open_table(table)
    names = told_apart(keys)
    columns = columns_at(*range(len(names))) if names else ()
    lengths = {n: len(c) for n, c in zip(names, columns, strict=True) if _has_length(c)}
    n_rows = next(iter(lengths.values()), 0)
    for name, length in lengths.items():
        if length != n_rows:
            raise InvalidTableError(
                f"Columns of a table must have the same length, but {next(iter(lengths))!r} has "
                f"{n_rows} rows and {name!r} has {length}."
            )
    kinds = tuple(map(kind_of_column, columns))
    return Source(label, names, kinds, n_rows, lambda at: iter((columns[at],)), paths)


def _has_length(column: object) -> TypeGuard[Sized]:
    # Arrays without dimensions and types have the word, but no length.
    return hasattr(type(column), "__len__") and getattr(column, "ndim", 1) > 0


@contextmanager
def _reading(path: Path, file_format: str) -> Iterator[None]:
    """Turn errors of reading a file into one that names it."""
    from pyarrow import ArrowException

    try:
        yield
    except BqcdError:
        raise
    except MemoryError as error:
        raise InvalidTableError(
            f"{path.name!r} needs more memory than there is, or is damaged ({reason(error)})."
        ) from error
    except (ArrowException, OSError, ValueError) as error:
        raise InvalidTableError(
            f"{path.name!r} cannot be read as {file_format}; it is damaged or of another format "
            f"({reason(error)})."
        ) from error


def _parquet_source(path: Path, paths: tuple[Path, ...]) -> Source:
    """Columns of a Parquet file, or of the Parquet files in a folder one below the other."""
    # A file of thousands of columns is slow to open, so that some are kept open.
    opened = lru_cache(maxsize=64)(_parquet_file)
    schema = opened(paths[0])[1]
    names, types = schema.names, schema.types
    for part in paths:
        if opened(part)[1].names != names:
            raise InvalidTableError(
                f"The files in {path.name!r} must have the same columns, but those of "
                f"{paths[0].name!r} and {part.name!r} differ."
            )
    n_rows = sum(opened(part)[0].metadata.num_rows for part in paths)
    check_room(repr(path.name), n_rows, 1)
    leaves = np.cumsum([0, *map(_n_leaves, types)]).tolist()

    def parts(at: int) -> Iterator[Any]:
        for part in paths:
            with _reading(part, "Parquet"):
                file, own = opened(part)
                # By number: asked for by name, "a" would bring "a.1", "a.2" and so on along.
                leaf = list(range(leaves[at], leaves[at + 1]))
                chosen = {"column_indices": leaf, "use_threads": False}
                groups = range(file.num_row_groups)
                for batch in file.reader.iter_batches(_BATCH_ROWS, groups, **chosen):
                    batch.validate(full=True)
                    yield spelled_out(batch.column(0), own.field(at).type, repr(part.name))

    return Source(
        path.name, told_apart(names), tuple(map(kind_of_type, types)), n_rows, parts, paths
    )


def _parquet_file(path: Path) -> tuple[Any, Any]:
    """Parquet file that is read from page to page, not a row group at once, and its schema."""
    with _reading(path, "Parquet"):
        return open_parquet(path, buffer_size=1 << 20, pre_buffer=False)


def _part_files(folder: Path) -> tuple[Path, ...]:
    found = (path for path in folder.iterdir() if path.suffix.lower() in (".parquet", ".pq"))
    paths = tuple(sorted(path for path in found if path.name[0] not in "._" and path.is_file()))
    if not paths:
        raise InvalidTableError(f"{str(folder)!r} is a folder without Parquet files, not a table.")
    return paths


def _n_leaves(dtype: Any) -> int:
    """Number of columns a type takes in a Parquet file."""
    below = [dtype.field(at).type for at in range(dtype.num_fields)]
    return sum(map(_n_leaves, below)) if below else 1


def _arrow_source(path: Path) -> Source:
    """Columns of an Arrow file, read in place; a stream is mapped as a whole."""
    import pyarrow as pa
    from pyarrow import ipc

    with _reading(path, "Arrow"):
        if _head(path) != MAGIC:
            return _held_source(path.name, read_table(path), (path,))
        with pa.OSFile(str(path)) as file:
            schema = ipc.open_file(file).schema
    batches = arrow_batches(path)
    # Values and which of them are missing are two buffers.
    largest = max((2 * max(batch.sizes, default=0) for batch in batches), default=0)
    check_room(repr(path.name), sum(batch.n_rows for batch in batches), 1, largest)

    def parts(at: int) -> Iterator[Any]:
        options = ipc.IpcReadOptions(included_fields=[at], use_threads=False)
        with _reading(path, "Arrow"), pa.OSFile(str(path)) as file:
            reader = ipc.open_file(file, options=options)
            for number in range(reader.num_record_batches):
                column = reader.get_batch(number).column(0)
                # Offsets that lead out of the file would be followed.
                column.validate(full=True)
                yield column

    n_rows = sum(map(len, parts(0))) if schema.names else 0
    kinds = tuple(map(kind_of_type, schema.types))
    return Source(path.name, told_apart(schema.names), kinds, n_rows, parts, (path,))


def _array_source(path: Path) -> Source:
    """Columns of an array in NumPy's format, mapped as a whole."""
    from tokenize import TokenError
    from warnings import catch_warnings, simplefilter

    with _reading(path, "NumPy"):
        try:
            with catch_warnings():
                # That a header was written by Python 2 is nothing to the user.
                simplefilter("ignore")
                # Not np.load, which would open what is no array at all.
                array = np.lib.format.open_memmap(path, mode="r")
        except (SyntaxError, TokenError, TypeError, OverflowError) as error:
            # The header is read as Python, and some errors of that come through.
            raise ValueError(f"header: {error}") from error
    _check_array(repr(path.name), array)
    return _held_source(path.name, array, (path,))


def _check_array(label: str, array: np.ndarray[Any, Any]) -> None:
    """Refuse what is no table of numbers before its columns are counted: there may be no end."""
    if array.ndim != 2:
        raise InvalidTableError(
            f"{label} must be two-dimensional to be a table, got shape {array.shape}."
        )
    if array.dtype.kind not in "biufc":
        raise InvalidTableError(f"{label} must hold numbers, but its values are {array.dtype}.")
    if not len(array):
        raise InvalidTableError(f"{label} has column names but no rows.")
    check_room(label, len(array), 1)


_OPENERS = {"Arrow": _arrow_source, "NumPy": _array_source}
_HEADS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\x93NUMPY": "NumPy"}
_SUFFIXES = {
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "Arrow"),
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ".gz"), "text"),
    ".npy": "NumPy",
}
