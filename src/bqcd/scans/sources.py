"""Tables that are scanned, column by column: files of any size, and tables in memory.

Of a Parquet, Arrow or NumPy file one column at a time is read, so that the table may be
larger than memory. Whatever else :func:`bqcd.read_table` takes is read once, as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from math import nan
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from bqcd.data.files.arrays import mapped_array
from bqcd.data.files.arrow import MAGIC, arrow_batches, check_room
from bqcd.data.files.finishing import Finisher
from bqcd.data.files.formats import format_of
from bqcd.data.files.opened import reading_as
from bqcd.data.files.parquet import is_pattern, parquet_table
from bqcd.data.files.reading import UnreadTable
from bqcd.data.files.remote import is_address
from bqcd.data.files.text import checked_path
from bqcd.data.nominal import nominal_column
from bqcd.data.scales import Ordered, Scale
from bqcd.data.tables import held_table, open_table
from bqcd.data.vector import as_column
from bqcd.errors import InvalidPairError, InvalidTableError
from bqcd.runtime.arrays import Vector
from bqcd.scans.selection import kind_of_column, kind_of_type, told_apart

Parts = Callable[[int], Iterator[Any]]
"""From the position of a column to its pieces, in the order of the rows."""

FileState = tuple[int, ...]
"""What a system tells of a file that changes with its content."""


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
    said : str
        What was said of how to read it.
    """

    label: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    n_rows: int
    parts: Parts = field(repr=False)
    paths: tuple[Path, ...] = ()
    states: tuple[FileState, ...] = field(default=(), repr=False)
    said: str = ""

    def __post_init__(self) -> None:
        """Refuse tables without columns or rows."""
        if not self.names:
            raise InvalidTableError(f"{self.label!r} has no columns.")
        if not self.n_rows:
            raise InvalidTableError(f"{self.label!r} has column names but no rows.")

    def column(self, at: int) -> Vector:
        """Column at a position, as float64 with NaN for missing; not to be written to.

        Anything without an order is an ``InvalidPairError``, a damaged file an
        ``InvalidTableError``.
        """
        return self.ordered(at).values

    def ordered(self, at: int, *, nominal: bool = False) -> Ordered:
        """Column at a position, as :meth:`column` has it, with what its numbers stand for.

        Parameters
        ----------
        at : int
            The position.
        nominal : bool, default=False
            Whether words without an order become numbers of their levels.
        """
        if nominal:
            try:
                return self.ordered(at)
            except InvalidPairError:
                found = self._levels(at)
                if found is None:
                    raise
                return found
        vector, start, scale = np.empty(0), 0, None
        for part in self.parts(at):
            found = as_column(part, self.names[at], first_row=start + 1)
            if len(found) == self.n_rows:
                return Ordered(np.ascontiguousarray(found.values), found.scale)
            values = found.values
            if start and found.scale != scale:
                scale, values = self._one_scale(at, scale, found)
            scale = scale or found.scale
            vector = vector if len(vector) else np.empty(self.n_rows)
            vector[start : start + len(values)] = values[: max(0, self.n_rows - start)]
            start += len(values)
        if start != self.n_rows:
            raise InvalidTableError(
                f"Column {self.names[at]!r} of {self.label!r} must have {self.n_rows} rows, "
                f"got {start}."
            )
        return Ordered(vector, scale)

    def _levels(self, at: int) -> Ordered | None:
        """Column of words; None if it is another one."""
        parts = list(self.parts(at))
        if len(parts) == 1:
            return nominal_column(parts[0])
        words: list[Any] = []
        categorical = False
        for part in parts:
            found = nominal_column(part, declared=True)
            if found is None:
                return None
            categorical = categorical or str(getattr(part, "type", "")).startswith("dictionary")
            assert found.scale is not None
            labels = np.array([*found.scale.levels, None], dtype=object)
            known = np.where(np.isnan(found.values), len(labels) - 1, found.values)
            words += labels[known.astype(np.intp)].tolist()
        return nominal_column(words, declared=categorical)

    def _one_scale(
        self, at: int, scale: Scale | None, found: Ordered
    ) -> tuple[Scale | None, Vector]:
        """Piece of a column on the scale of the pieces before it."""
        other = found.scale
        if np.isnan(found.values).all():
            return scale, found.values
        if scale is not None and other is not None and set(other.levels) <= set(scale.levels):
            place = {level: float(code) for code, level in enumerate(scale.levels)}
            codes = np.array([place[level] for level in other.levels])
            known = ~np.isnan(found.values)
            values = found.values.copy()
            values[known] = codes[found.values[known].astype(np.intp)]
            return scale, values
        raise InvalidPairError(
            f"Column {self.names[at]!r} must hold values of one kind, but parts of the table "
            "differ."
        )

    def fingerprint(self) -> str:
        """Digest of the files, or of the names and numbers of a table in memory.

        Tables in memory that differ in neither names nor numbers nor words have the same,
        whatever their kind; columns of anything else count by name only.
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
        digest = blake2b(self.said.encode(errors="replace"), digest_size=20)
        for path in self.paths:
            with reading_as(repr(path.name), "a table"), path.open("rb") as stream:
                while piece := stream.read(1 << 20):
                    digest.update(piece)
        for at in range(0 if self.paths else len(self.names)):
            digest.update(f"{len(self.names[at])}\0{self.names[at]}".encode(errors="replace"))
            digest.update(self._number_bytes(at))
        return digest.hexdigest()

    def _number_bytes(self, at: int) -> memoryview:
        try:
            column = self.ordered(at, nominal=True)
        except InvalidPairError:
            return memoryview(b"no numbers")
        vector = column.values
        if column.scale is not None and column.scale.is_nominal:
            words = "\0".join(column.scale.levels).encode(errors="replace")
            return memoryview(words + np.nan_to_num(vector, nan=-1.0).astype("<f8").tobytes())
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
    table : path or table
        Whatever :func:`bqcd.read_table` takes. Of Parquet, Arrow and NumPy files one column at a
        time is read (an array larger than memory is better stored column by column, in Fortran
        order). A lazy frame is collected once, all of it: collected column by column, its rows
        might come in another order each time.

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
    if not isinstance(table, str | os.PathLike | UnreadTable):
        return _held_source(*_labelled(table))
    unread = UnreadTable.of(table)
    if str(unread.source) == "-" or is_address(unread.source):
        return _held_source(unread.label, unread.read())
    path = checked_path(unread.source).absolute()
    if path.is_dir() or is_pattern(str(path)):
        paths = parquet_table(path).paths
    elif path.is_file():
        paths = (path,)
    else:
        return _held_source(path.name, unread.read())
    states = tuple(map(_state, paths))
    said = unread.reading.unusual()
    source = _file_source(replace(unread, source=path), path, paths)
    return replace(source, states=states, said=repr(said) if said else "")


def _file_source(unread: UnreadTable, path: Path, paths: tuple[Path, ...]) -> Source:
    several = path.is_dir() or path not in paths
    file_format = "Parquet" if several else _file_format(path)
    opener = _OPENERS.get(file_format)
    if opener is None:
        return _held_source(path.name, unread.read(), paths)
    unread.reading.check_used(file_format, ())
    return _finished(opener(path), unread)


def _finished(source: Source, unread: UnreadTable) -> Source:
    """Source whose columns are as they are said to be."""
    finisher = Finisher(unread.reading, source.names)
    if finisher.idle:
        return source

    def parts(at: int) -> Iterator[Any]:
        row = 1
        for part in source.parts(at):
            yield finisher.column(_as_arrow(part), at, first_row=row)
            row += len(part)

    said = {*unread.reading.nominal, *(column for column, _ in unread.reading.order)}
    kinds = tuple(
        "category" if name in said or str(at) in said else kind
        for at, (name, kind) in enumerate(zip(source.names, source.kinds, strict=True))
    )
    return replace(source, parts=parts, kinds=kinds)


def _as_arrow(part: Any) -> Any:
    import pyarrow as pa

    return pa.array(part) if isinstance(part, np.ndarray) else part


def _file_format(path: Path) -> str:
    return format_of(path.suffix.lower(), _head(path))


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(6)


def _labelled(table: Any) -> tuple[str, Any]:
    """Kind of a table, and the table, collected if it is lazy."""
    native = held_table(table)
    package, name = type(native).__module__.partition(".")[0], type(native).__name__
    return (name if package == "builtins" else f"{package} {name}"), native


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


def _parquet_source(path: Path) -> Source:
    """Columns of a Parquet file, or of several such files one below the other."""
    table = parquet_table(path)
    check_room(table.label, table.n_rows, 1)
    kinds = tuple(map(kind_of_type, table.types))
    return Source(path.name, told_apart(table.names), kinds, table.n_rows, table.parts, table.paths)


def _arrow_source(path: Path) -> Source:
    """Columns of an Arrow file, read in place; a stream is mapped as a whole."""
    import pyarrow as pa
    from pyarrow import ipc

    with reading_as(repr(path.name), "Arrow"):
        if _head(path) != MAGIC:
            return _held_source(path.name, UnreadTable(path).read(), (path,))
        with pa.OSFile(str(path)) as file:
            schema = ipc.open_file(file).schema
    batches = arrow_batches(path)
    # Values and which of them are missing are two buffers.
    largest = max((2 * max(batch.sizes, default=0) for batch in batches), default=0)
    check_room(repr(path.name), sum(batch.n_rows for batch in batches), 1, largest)

    def parts(at: int) -> Iterator[Any]:
        options = ipc.IpcReadOptions(included_fields=[at], use_threads=False)
        with reading_as(repr(path.name), "Arrow"), pa.OSFile(str(path)) as file:
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
    return _held_source(path.name, mapped_array(path, repr(path.name)), (path,))


_OPENERS = {"Parquet": _parquet_source, "Arrow": _arrow_source, "NumPy": _array_source}
