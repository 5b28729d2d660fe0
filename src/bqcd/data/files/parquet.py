"""Parquet files: one, those of a folder, of partitions in folders, or of a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from glob import glob, has_magic
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bqcd.data.files.arrow import check_room, open_parquet, page_bytes, spelled_out
from bqcd.data.files.opened import arranged, reading_as
from bqcd.data.places import name_places
from bqcd.errors import InvalidTableError

_BATCH_ROWS = 1 << 16
_SUFFIXES = (".parquet", ".pq")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, eq=False)
class ParquetTable:
    """Parquet files with the same columns, one below the other.

    Parameters
    ----------
    label : str
        What they are called in messages, in quotes.
    paths : tuple of Path
        The files, in the order of their rows.
    keys : tuple of str
        Columns that are told by the names of folders, such as ``year`` in ``year=2020``.
    values : tuple of dict
        Values of these columns in each file.
    """

    label: str
    paths: tuple[Path, ...]
    keys: tuple[str, ...] = ()
    values: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Refuse files whose columns differ."""
        # A file of thousands of columns is slow to open, so that some are kept open.
        object.__setattr__(self, "_opened", lru_cache(maxsize=64)(_parquet_file))
        names = self.schema.names
        for part in self.paths:
            if self._file(part)[1].names != names:
                raise InvalidTableError(
                    f"The files in {self.label} must have the same columns, but those of "
                    f"{self.paths[0].name!r} and {part.name!r} differ."
                )

    def _file(self, path: Path) -> tuple[Any, Any]:
        found: tuple[Any, Any] = self._opened(path)  # type: ignore[attr-defined]
        return found

    @property
    def schema(self) -> Any:
        """Of the first file."""
        return self._file(self.paths[0])[1]

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        return [*self.schema.names, *self.keys]

    @property
    def types(self) -> list[Any]:
        """Types of all columns."""
        return [*self.schema.types, *(self._key_column(key, [1]).type for key in self.keys)]

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(self._rows(path) for path in self.paths)

    def _rows(self, path: Path) -> int:
        return int(self._file(path)[0].metadata.num_rows)

    def _key_column(self, key: str, counts: Sequence[int]) -> Any:
        """Values of a column that names of folders tell, each so many times."""
        import pyarrow as pa

        told = [self.values[at][key] for at in range(len(self.paths))]
        if all(isinstance(value, int | None) for value in told):
            levels = pa.array(told, pa.int64())
        else:
            levels = pa.array([None if one is None else str(one) for one in told], pa.string())
        places = [at for at, count in enumerate(counts) for _ in range(count)]
        return levels.take(pa.array(places, pa.int64()))

    def read(self, positions: Sequence[int]) -> Any:
        """Columns at some positions, of all files."""
        import pyarrow as pa

        own = [at for at in positions if at < len(self.schema.names)]
        parts = [_read_file(path, own) for path in self.paths] if own else []
        counts = [self._rows(path) for path in self.paths]
        columns = [
            self._below([part.column(own.index(at)) for part in parts])
            if at in own
            else self._key_column(self.names[at], counts)
            for at in positions
        ]
        return pa.Table.from_arrays(columns, names=[self.names[at] for at in positions])

    def _below(self, parts: list[Any]) -> Any:
        """Parts of a column one below the other, of the type that all of them fit."""
        import pyarrow as pa

        if len({str(part.type) for part in parts}) > 1:
            tables = [pa.table({"": part}) for part in parts]
            with reading_as(self.label, "Parquet"):
                return pa.concat_tables(tables, promote_options="permissive").column(0)
        chunks = [chunk for part in parts for chunk in part.chunks]
        return pa.chunked_array(chunks, parts[0].type)

    def parts(self, at: int) -> Iterator[Any]:
        """Pieces of a column, in the order of the rows."""
        import numpy as np

        n_own = len(self.schema.names)
        if at >= n_own:
            yield self._key_column(self.names[at], [self._rows(path) for path in self.paths])
            return
        leaves = np.cumsum([0, *map(_n_leaves, self.schema.types)]).tolist()
        for part in self.paths:
            with reading_as(repr(part.name), "Parquet"):
                file, own = self._file(part)
                # By number: asked for by name, "a" would bring "a.1", "a.2" and so on along.
                leaf = list(range(leaves[at], leaves[at + 1]))
                chosen = {"column_indices": leaf, "use_threads": False}
                groups = range(file.num_row_groups)
                for batch in file.reader.iter_batches(_BATCH_ROWS, groups, **chosen):
                    batch.validate(full=True)
                    yield spelled_out(batch.column(0), own.field(at).type, repr(part.name))


def _parquet_file(path: Path) -> tuple[Any, Any]:
    """Parquet file that is read from page to page, not a row group at once, and its schema."""
    with reading_as(repr(path.name), "Parquet"):
        return open_parquet(path, buffer_size=1 << 20, pre_buffer=False)


def _n_leaves(dtype: Any) -> int:
    """Number of columns a type takes in a Parquet file."""
    below = [dtype.field(at).type for at in range(dtype.num_fields)]
    return sum(map(_n_leaves, below)) if below else 1


def _read_file(path: Path, positions: Sequence[int]) -> Any:
    import pyarrow as pa

    label = repr(path.name)
    with reading_as(label, "Parquet"):
        file, schema = open_parquet(path)
        with file:
            names = schema.names
            n_bytes = page_bytes(file.metadata, positions, len(names))
            check_room(label, file.metadata.num_rows, len(positions), n_bytes)
            # By name, because that is how Parquet is projected; repeated names come together.
            some = file.read(columns=list(dict.fromkeys(names[at] for at in positions)))
            some.validate(full=True)
    place = places_in(some.column_names, names)
    found = arranged(some, [place[at] for at in positions])
    texts = zip(found.columns, positions, strict=True)
    columns = [spelled_out(column, schema.field(at).type, label) for column, at in texts]
    return pa.Table.from_arrays(columns, names=found.column_names)


def places_in(some: Sequence[str], names: Sequence[str]) -> dict[int, int]:
    """Places in ``some`` by the position in ``names``; columns of one name keep their order."""
    positions = name_places(names)
    return {
        at: place
        for name, places in name_places(some).items()
        for at, place in zip(positions[name], places, strict=True)
    }


def is_pattern(source: str) -> bool:
    """Whether a name stands for several files."""
    return has_magic(source) and not Path(source).exists()


def parquet_table(source: str | Path) -> ParquetTable:
    """Table of a Parquet file, a folder of them, or a pattern such as ``"2020-*.parquet"``.

    Raises
    ------
    InvalidTableError
        If there is no file, or they do not fit together.
    """
    path = Path(source)
    if path.is_file():
        return ParquetTable(repr(path.name), (path,))
    if path.is_dir():
        paths = [one for suffix in _SUFFIXES for one in path.rglob(f"*{suffix}")]
        root = path
    else:
        paths = [Path(one) for one in glob(str(source), recursive=True)]
        fixed = Path(str(source)).parts
        at = next((at for at, part in enumerate(fixed) if has_magic(part)), len(fixed))
        root = Path(*fixed[:at]) if at else Path()
    kept = tuple(sorted(one for one in paths if one.is_file() and _is_shown(one, root)))
    wrong = [one for one in kept if one.suffix.lower() not in _SUFFIXES]
    if not kept or wrong:
        what = "a folder without Parquet files" if path.is_dir() else "no pattern of Parquet files"
        raise InvalidTableError(f"{str(source)!r} is {what}, not a table.")
    told = [_told_by_folders(one.relative_to(root)) for one in kept]
    if any(one.keys() != told[0].keys() for one in told):
        raise InvalidTableError(
            f"The folders in {str(source)!r} must all name the same columns, but some name "
            f"{', '.join(told[0]) or 'none'} and others do not."
        )
    return ParquetTable(repr(path.name), kept, tuple(told[0]), tuple(told))


def _is_shown(path: Path, root: Path) -> bool:
    return not any(part[0] in "._" for part in path.relative_to(root).parts)


def _told_by_folders(path: Path) -> dict[str, Any]:
    """Columns and values that the folders above a file are named after."""
    pairs = (part.partition("=") for part in path.parts[:-1])
    return {unquote(key): _value(unquote(text)) for key, sign, text in pairs if sign and key}


def _value(text: str) -> int | str | None:
    if text == _NO_VALUE:
        return None
    digits = text.lstrip("+-")
    return int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 19 else text
