"""What travels through a scan: tiles, the columns they need, the rows that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.holding import Held
from bqcd.assessments.separation import Neighbours
from bqcd.data.pair import Missing
from bqcd.errors import InvalidResultsError
from bqcd.methods.verdict import Method

ColumnKind = Literal["ranks", "values"]
"""Dense ranks (int32, -1 for missing), or the values themselves (float64, NaN for missing)."""

DTYPES: Mapping[ColumnKind, np.dtype[np.generic]] = {
    "ranks": np.dtype("<i4"),
    "values": np.dtype("<f8"),
}

HEAD_BYTES = 64
"""Before the columns, a file of them has room for the digest of its scan."""


def head_of(scan: str) -> bytes:
    """First bytes of the file of columns of a scan."""
    return scan.encode("ascii").ljust(HEAD_BYTES)


def checksum(column: NDArray[np.generic]) -> int:
    """Checksum of a column as it is stored."""
    return crc32(column.data)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column of the table, and whether it can be judged.

    Parameters
    ----------
    name : str
        Its name; columns of the same name are told apart by their position.
    position : int
        Place in the table, from 0.
    n_present : int
        Values that are not missing.
    n_distinct : int
        Different values among them.
    problem : str
        Why the column cannot be judged; empty if it can.
    autocorrelation : float, default=0.0
        Of its ranks with those of the row before.
    is_sorted : bool, default=False
        Whether it never falls or never rises.
    coarse : str, default=""
        How it is coarse (:mod:`bqcd.methods.coarseness`); empty if it is not.
    nominal : bool, default=False
        Whether its values have no order, and their numbers only name levels.
    """

    name: str
    position: int
    n_present: int
    n_distinct: int
    problem: str = ""
    autocorrelation: float = 0.0
    is_sorted: bool = False
    coarse: str = ""
    nominal: bool = False


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """Columns of a store on disk, opened and checked where they are needed.

    Parameters
    ----------
    path : Path
        File in which the columns stand one after the other.
    kind : {"ranks", "values"}
        What they hold.
    n_rows : int
        Length of each.
    places : tuple of int
        Places of the columns in the store.
    checksums : tuple of int
        Their checksums.
    scan : str
        Digest of the scan that the file belongs to.
    """

    path: Path
    kind: ColumnKind
    n_rows: int
    places: tuple[int, ...]
    checksums: tuple[int, ...]
    scan: str

    def columns(self) -> NDArray[np.generic]:
        """Columns as the rows of an array; mapped, not copied, where all of them adjoin.

        What is written to the array does not reach the file.

        Raises
        ------
        InvalidResultsError
            If the file belongs to another scan, or is damaged.
        """
        with self.path.open("rb") as file:
            whole = file.read(HEAD_BYTES) == head_of(self.scan)
            whole = whole and file.seek(0, 2) >= self._offset(max(self.places) + 1)
        if whole:
            mapped = [self._mapped(run) for run in _runs(self.places)]
            columns = np.asarray(mapped[0]) if len(mapped) == 1 else np.concatenate(mapped)
            if tuple(map(checksum, columns)) == self.checksums:
                return columns
        raise InvalidResultsError(
            f"The columns in {self.path} are damaged, or belong to another scan: run the scan "
            "again, which stores them anew."
        )

    def _offset(self, place: int) -> int:
        return HEAD_BYTES + place * self.n_rows * DTYPES[self.kind].itemsize

    def _mapped(self, places: range) -> NDArray[np.generic]:
        shape, offset = (len(places), self.n_rows), self._offset(places[0])
        return np.memmap(self.path, DTYPES[self.kind], mode="c", offset=offset, shape=shape)


def _runs(places: Iterable[int]) -> Iterator[range]:
    """Places that adjoin, together."""
    started = ended = -1
    for place in places:
        if place != ended:
            if ended > started:
                yield range(started, ended)
            started = place
        ended = place + 1
    yield range(started, ended)


@dataclass(frozen=True, slots=True, eq=False)
class SentBlock:
    """Columns that are sent along, for workers that do not see the folder.

    Parameters
    ----------
    kind : {"ranks", "values"}
        What they hold.
    places : tuple of int
        Places of the columns in the store.
    held : ndarray of shape (k, n)
        The columns.
    """

    kind: ColumnKind
    places: tuple[int, ...]
    held: NDArray[np.generic]

    def columns(self) -> NDArray[np.generic]:
        """Columns as the rows of an array."""
        return self.held


Block = StoredBlock | SentBlock


@dataclass(frozen=True, slots=True)
class Tile:
    """A piece of work: some pairs of columns, few enough to be done again if lost.

    Parameters
    ----------
    number : int
        Place in the plan, from 0.
    columns : tuple of int
        Places in the store of the columns needed, each once.
    pairs : ndarray of shape (k, 2)
        First and second column of each pair, as indices into ``columns``.
    """

    number: int
    columns: tuple[int, ...]
    pairs: NDArray[np.int32] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class TileTask:
    """All that a worker needs to judge a tile.

    Parameters
    ----------
    tile : Tile
        The pairs.
    block : StoredBlock or SentBlock
        The columns of the tile, in its order.
    names : tuple of str
        Their names: pairs are seeded from them.
    method : Method
        What judges.
    missing : {"raise", "drop"}
        What to do with rows in which a value is missing.
    seed : int
        Seed of the scan.
    nominal : tuple of bool, default=()
        Which columns of the tile have no order; none if empty.
    beside : Neighbours, optional
        Columns of the table, to be looked at beside pairs of which a direction would be told.
    positions : tuple of int, default=()
        Positions of the columns of the tile in the table; needed with ``beside``.
    """

    tile: Tile
    block: Block
    names: tuple[str, ...]
    method: Method
    missing: Missing
    seed: int
    nominal: tuple[bool, ...] = ()
    beside: Neighbours | None = None
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TileRows:
    """What became of the pairs of a tile, in the order of the tile.

    Parameters
    ----------
    number : int
        Of the tile.
    first, second : ndarray of int32
        Places in the store of the two columns.
    confidence : ndarray of float64
        Positive if the first is the cause; NaN where the pair could not be judged.
    n_rows : ndarray of int64
        Rows in which neither value is missing.
    spearman, dependence, p_value : ndarray of float64
        Rank correlation, strength of the dependence and p-value of independence; NaN where
        the pair could not be judged.
    bound : ndarray of float64
        Size that is common where no direction exists (:attr:`bqcd.methods.verdict.Verdict.limit`);
        infinity where none is to be told, NaN where it was not measured.
    messages : dict of int to str
        By place in the tile, why a pair could not be judged; no others are in it.
    held : dict of int to Held
        By place in the tile, what is left of a claimed probability and why. Pairs whose claim
        stays are in it only if it depends on the pair whether the method claims one.
    """

    number: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    confidence: NDArray[np.float64]
    n_rows: NDArray[np.int64]
    spearman: NDArray[np.float64]
    dependence: NDArray[np.float64]
    p_value: NDArray[np.float64]
    bound: NDArray[np.float64]
    messages: dict[int, str]
    held: dict[int, Held] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setback:
    """Why a tile could not be judged this time, for a reason that is not in its pairs.

    Parameters
    ----------
    number : int
        Of the tile.
    reason : str
        What happened.
    """

    number: int
    reason: str
