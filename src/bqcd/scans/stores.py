"""The columns of a scan on disk: ranked or as they are, one after the other in one file.

A store is what workers read. Each column is read, checked, sorted and written in turn, so
that room is needed for one, however many there are: 37 bytes a row, 45 if values are missing,
most of it for the sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from reprlib import repr as short_repr
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from bqcd.data.checks import (
    DROP,
    MIN_ROWS,
    constant_problem,
    infinite_problem,
    level_problem,
    missing_problem,
    row_problem,
)
from bqcd.data.files.text import reason
from bqcd.data.pair import Missing
from bqcd.data.scales import Ordered
from bqcd.discovery.sorting import stable_order
from bqcd.errors import (
    InvalidPairError,
    InvalidResultsError,
    InvalidSettingError,
    InvalidTableError,
)
from bqcd.methods.coarseness import coarseness_by_sizes
from bqcd.runtime.arrays import Vector
from bqcd.runtime.atomic import whole_file, write_whole
from bqcd.runtime.seals import sealed, unsealed
from bqcd.runtime.settings import MOST_ROWS, check_choice, check_integer
from bqcd.scans.problems import order_of_rows
from bqcd.scans.records import (
    DTYPES,
    HEAD_BYTES,
    ColumnFacts,
    ColumnKind,
    StoredBlock,
    checksum,
    head_of,
)
from bqcd.scans.skipping import identifier_problem, text_problem
from bqcd.scans.sources import Source

DATA, INDEX = "columns.data", "columns.json"

_MOST_ROWS = 2**31 - 1
_DROP = f"{DROP}, pair by pair"

Progress = Callable[[int, int], None]
"""Told how many columns are done, and of how many."""


@dataclass(frozen=True, slots=True)
class ColumnStore:
    """Columns in a folder, to be read where they are needed.

    A column has the same place in ``facts`` and in the file: those that can be judged come
    first, in the order of the table, then the others, which are not in the file.

    Parameters
    ----------
    folder : Path
        Where ``columns.data`` and ``columns.json`` are.
    kind : {"ranks", "values"}
        What the file holds.
    n_rows : int
        Length of each column.
    facts : tuple of ColumnFacts
        All columns chosen, by place.
    checksums : tuple of int
        Of the columns in the file, by place.
    scan : str
        Digest of the scan they are stored for.
    """

    folder: Path
    kind: ColumnKind
    n_rows: int
    facts: tuple[ColumnFacts, ...] = field(repr=False)
    checksums: tuple[int, ...] = field(repr=False)
    scan: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns chosen, by place."""
        return tuple(facts.name for facts in self.facts)

    @property
    def usable(self) -> tuple[int, ...]:
        """Places of the columns that can be judged."""
        return tuple(place for place, facts in enumerate(self.facts) if not facts.problem)

    @property
    def n_bytes(self) -> int:
        """Size that the file must have."""
        return HEAD_BYTES + len(self.checksums) * self.n_rows * DTYPES[self.kind].itemsize

    def block(self, places: Iterable[int]) -> StoredBlock:
        """Columns at some places, in that order.

        Raises
        ------
        InvalidSettingError
            If there is no such place, or none is given.
        """
        places, n_usable = tuple(map(int, places)), len(self.checksums)
        if not places or min(places) < 0 or max(places) >= n_usable:
            raise InvalidSettingError(
                f"places of a block must be some of the {n_usable} columns that can be judged, "
                f"from 0 to {n_usable - 1}, got {short_repr(places)}."
            )
        checksums = tuple(self.checksums[place] for place in places)
        return StoredBlock(self.folder / DATA, self.kind, self.n_rows, places, checksums, self.scan)

    @classmethod
    def open(cls, folder: str | Path, *, scan: str) -> ColumnStore:
        """Store that was written to a folder, every column of it checked.

        Parameters
        ----------
        folder : str or Path
            Where it is.
        scan : str
            Digest of the scan it must belong to.

        Raises
        ------
        InvalidResultsError
            If there is none, it belongs to another scan, or it is damaged.
        """
        store = cls.index(folder, scan=scan)
        try:
            size = Path(folder, DATA).stat().st_size
            if size != store.n_bytes:
                raise InvalidResultsError(
                    f"The file {DATA!r} in {str(folder)!r} must have {store.n_bytes} bytes, "
                    f"got {size}."
                )
            # One by one, as all of them may be more than there is room for.
            for place in range(len(store.checksums)):
                store.block([place]).columns()
        except OSError as error:
            raise _unreadable(folder, error) from error
        return store

    @classmethod
    def index(cls, folder: str | Path, *, scan: str) -> ColumnStore:
        """What is known of the columns, whether they are still there or not.

        Parameters
        ----------
        folder : str or Path
            Where they are or were.
        scan : str
            Digest of the scan they must belong to.

        Raises
        ------
        InvalidResultsError
            If nothing is known, it is of another scan, or it is damaged.
        """
        try:
            held = unsealed(Path(folder, INDEX).read_bytes())
        except (OSError, ValueError) as error:
            raise _unreadable(folder, error) from error
        if held["scan"] != scan:
            raise InvalidResultsError(f"The columns in {str(folder)!r} belong to another scan.")
        facts = tuple(ColumnFacts(**column) for column in held["columns"])
        checksums = tuple(held["checksums"])
        return cls(Path(folder), held["kind"], held["n_rows"], facts, checksums, scan)

    def drop_data(self) -> None:
        """Remove the columns; what is known of them stays."""
        (self.folder / DATA).unlink(missing_ok=True)


def _unreadable(folder: str | Path, error: Exception) -> InvalidResultsError:
    return InvalidResultsError(f"The columns in {str(folder)!r} cannot be read: {reason(error)}.")


def store_columns(
    source: Source,
    positions: Sequence[int],
    folder: str | Path,
    *,
    kind: ColumnKind,
    missing: Missing,
    scan: str,
    min_rows: int = MIN_ROWS,
    skip_identifiers: bool = False,
    nominal: bool = False,
    progress: Progress | None = None,
) -> ColumnStore:
    """Store of the chosen columns of a table, written to a folder.

    Columns that cannot be judged, because they are constant, have too few values or
    infinite ones, or hold anything but numbers, are listed with the reason and not stored.
    Nothing that is half written can be taken for a store: the files get their names when
    they are complete, the index last. Nor can what was read of a table that was changed
    meanwhile: it is looked at again before anything is kept.

    Parameters
    ----------
    source : Source
        The table.
    positions : sequence of int
        Positions of the chosen columns.
    folder : str or Path
        Where to write, in place of a store that is there; it is made if need be.
    kind : {"ranks", "values"}
        Dense ranks as int32, -1 for missing, or values as float64, NaN for missing.
    missing : {"raise", "drop"}
        Whether missing values are refused, in columns that could be judged otherwise.
    scan : str
        Digest of the scan that the columns are for.
    min_rows : int, default=10
        Values a column must have that are not missing.
    skip_identifiers : bool, default=False
        Whether columns of numbers that only name the rows are left out.
    nominal : bool, default=False
        Whether columns without an order are stored too, as numbers of their levels.
    progress : callable, optional
        Told after each column how many are done, and of how many.

    Raises
    ------
    InvalidPairError
        If values are missing and must not be. Nothing is left in the folder.
    InvalidTableError
        If the table cannot be read, or was changed since it was opened. Nothing is left in
        the folder.
    InvalidResultsError
        If the folder cannot be written to.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from bqcd.scans.sources import open_source
    >>> source = open_source({"a": [5, 7, None, 5] * 4, "b": [1] * 16})
    >>> with TemporaryDirectory() as folder:
    ...     how = {"kind": "ranks", "missing": "drop", "scan": "ab12"}
    ...     store = store_columns(source, [0, 1], folder, **how)
    ...     store.block([0]).columns()[0, :4].tolist()
    [0, 1, -1, 0]
    >>> store.facts[1].problem
    "Column 'b' must vary, but it is constant: all 16 rows are 1.0."
    """
    check_choice("a store of columns", "kind", kind, tuple(DTYPES))
    check_choice("a store of columns", "missing", missing, ("raise", "drop"))
    check_integer("a store of columns", "min_rows", min_rows, minimum=2, maximum=MOST_ROWS)
    if source.n_rows > _MOST_ROWS:
        raise InvalidSettingError(f"A scan takes at most {_MOST_ROWS} rows, got {source.n_rows}.")
    source.fingerprint()  # of the table as it is before anything is stored
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / DATA).unlink(missing_ok=True)
        with whole_file(folder / DATA) as data:
            data.write(head_of(scan))
            writer = _Writer(source, data, kind, missing, min_rows, skip_identifiers, nominal)
            _write_all(writer, positions, progress)
        facts, checksums = writer.facts(), tuple(writer.checksums)
        store = ColumnStore(folder, kind, source.n_rows, facts, checksums, scan)
        write_whole(folder / INDEX, _index_of(store))
    except OSError as error:
        raise InvalidResultsError(
            f"The columns cannot be written to {str(folder)!r}: {reason(error)}."
        ) from error
    return store


def _write_all(writer: _Writer, positions: Sequence[int], progress: Progress | None) -> None:
    """Write the columns at some positions of a table that must be the same afterwards."""
    try:
        for done, position in enumerate(positions, 1):
            writer.add(position)
            if progress is not None:
                progress(done, len(positions))
    except (InvalidPairError, InvalidTableError):
        # A file that is changed while it is read looks damaged.
        writer.source.check_unchanged()
        raise
    writer.source.check_unchanged()


def dense_ranks(values: Vector) -> NDArray[np.int32]:
    """Ranks from 0 in steps of one, the same for equal values; -1 for missing ones.

    Examples
    --------
    >>> dense_ranks(np.array([2.5, np.nan, -1.0, 2.5]))
    array([ 1, -1,  0,  1], dtype=int32)
    """
    missing = np.isnan(values)
    if not missing.any():
        return _ranks_of_present(values)
    present = np.logical_not(missing, out=missing)
    ranks_of_present = _ranks_of_present(values[present]) if present.any() else 0
    ranks = np.full(len(values), -1, dtype=np.int32)
    ranks[present] = ranks_of_present
    return ranks


def _ranks_of_present(values: Vector) -> NDArray[np.int32]:
    order, repeats = stable_order(values)
    numbers = np.arange(len(values), dtype=np.int32)
    if repeats:
        ordered = values[order]
        np.cumsum(ordered[1:] != ordered[:-1], out=numbers[1:])
    ranks = np.empty_like(numbers)
    ranks[order] = numbers
    return ranks


@dataclass(slots=True)
class _Writer:
    """Puts columns into a file one after the other, and notes what is known of them."""

    source: Source
    data: BinaryIO
    kind: ColumnKind
    missing: Missing
    min_rows: int
    skip_identifiers: bool
    nominal: bool = False
    stored: list[ColumnFacts] = field(default_factory=list)
    others: list[ColumnFacts] = field(default_factory=list)
    checksums: list[int] = field(default_factory=list)

    def facts(self) -> tuple[ColumnFacts, ...]:
        return (*self.stored, *self.others)

    def add(self, position: int) -> None:
        name = self.source.names[position]
        try:
            column = self.source.ordered(position, nominal=self.nominal)
        except InvalidPairError as error:
            told = text_problem(self.source.parts(position), name, str(error))
            self.others.append(ColumnFacts(name, position, 0, 0, told))
            return
        values = column.values
        ranks = dense_ranks(values)
        counts = int(np.count_nonzero(ranks >= 0)), int(ranks.max()) + 1
        problem = _problem(column, name, counts[0], self.min_rows)
        if not problem and column.scale is not None and column.scale.is_nominal:
            problem = level_problem(values[ranks >= 0], name, scale=column.scale)
        elif not problem and self.skip_identifiers:
            problem = identifier_problem(values, name, counts[1])
        if problem:
            self.others.append(ColumnFacts(name, position, *counts, problem))
            return
        nominal = column.scale is not None and column.scale.is_nominal
        present, order, coarse = ranks[ranks >= 0], (0.0, False), ""
        if not nominal:
            order = order_of_rows(present.astype(np.float64))
            coarse = coarseness_by_sizes(np.bincount(present)) or ""
        facts = ColumnFacts(name, position, *counts, problem, *order, coarse, nominal)
        if self.missing == "raise" and facts.n_present < len(values):
            raise InvalidPairError(missing_problem(np.isnan(values), name, advice=_DROP))
        stored = (ranks if self.kind == "ranks" else values).astype(DTYPES[self.kind], copy=False)
        self.data.write(stored.data)
        self.checksums.append(checksum(stored))
        self.stored.append(facts)


def _problem(column: Ordered, name: str, n_present: int, min_rows: int) -> str:
    """Why a column cannot be judged with any other; empty if it can."""
    values = column.values
    known = "" if n_present == len(values) else "that are not missing"
    return (
        infinite_problem(values, name)
        or row_problem([name], n_present, where=known, min_rows=min_rows)
        or constant_problem(values, name, scale=column.scale)
    )


def _index_of(store: ColumnStore) -> bytes:
    held = {
        "scan": store.scan,
        "kind": store.kind,
        "n_rows": store.n_rows,
        "columns": [asdict(facts) for facts in store.facts],
        "checksums": store.checksums,
    }
    return sealed(held)
