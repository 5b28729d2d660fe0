"""The plan of a scan: which pairs make up which tile.

A plan follows from the numbers of columns and rows and the cost of a pair alone, so that a
scan can be gone on with by other workers, and more or fewer of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.scans.records import Tile

Pairs = NDArray[np.int32]

# A tile should keep a worker busy so long, at most: what is lost with a worker is a tile. It
# should not be much shorter than the least, as handing it over and keeping it take time too.
_MOST_SECONDS, _LEAST_SECONDS = 2.0, 0.25
_MOST_PAIRS = 1 << 14
_ENOUGH_BLOCKS = 8


@dataclass(frozen=True, slots=True)
class Blocks:
    """Every pair of columns, tile by tile: a tile is one block of columns against another.

    Parameters
    ----------
    n_columns : int
        Columns, numbered from 0. The first of a pair is the one with the lower number.
    side : int
        Columns of a block.

    Examples
    --------
    >>> plan = Blocks(3, 2)
    >>> len(plan), plan.n_pairs, plan.tile(1).columns, plan.tile(1).pairs.tolist()
    (3, 3, (0, 1, 2), [[0, 2], [1, 2]])
    """

    n_columns: int
    side: int

    @property
    def n_blocks(self) -> int:
        """Blocks of columns; the last one may be shorter."""
        return -(-self.n_columns // self.side)

    @property
    def n_pairs(self) -> int:
        """Pairs of all tiles."""
        return self.n_columns * (self.n_columns - 1) // 2

    def __len__(self) -> int:
        return self.n_blocks * (self.n_blocks + 1) // 2

    def pairs_of(self, number: int) -> int:
        """Pairs of one tile."""
        first, second = (len(self._block(at)) for at in self._blocks_of(number))
        above, beside = self._blocks_of(number)
        return first * (first - 1) // 2 if above == beside else first * second

    def tile(self, number: int) -> Tile:
        """One of the tiles."""
        above, beside = self._blocks_of(number)
        if above == beside:
            columns = tuple(self._block(above))
            first, second = np.triu_indices(len(columns), 1)
        else:
            columns = (*self._block(above), *self._block(beside))
            grid = np.indices((len(self._block(above)), len(self._block(beside))))
            first, second = grid[0].ravel(), grid[1].ravel() + len(self._block(above))
        return Tile(number, columns, np.column_stack([first, second]).astype(np.int32))

    def _block(self, at: int) -> range:
        return range(at * self.side, min((at + 1) * self.side, self.n_columns))

    def _blocks_of(self, number: int) -> tuple[int, int]:
        """The two blocks of a tile; tiles are numbered along the columns of a triangle."""
        beside = (isqrt(8 * number + 1) - 1) // 2
        return number - beside * (beside + 1) // 2, beside


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Pairs that were asked for one by one, tile by tile in their order.

    Parameters
    ----------
    pairs : ndarray of shape (k, 2)
        First and second column of each.
    size : int
        Pairs of a tile.

    Examples
    --------
    >>> plan = Listed(np.array([[5, 2], [2, 7], [1, 5]], dtype=np.int32), 2)
    >>> len(plan), plan.tile(0).columns, plan.tile(0).pairs.tolist()
    (2, (2, 5, 7), [[1, 0], [0, 2]])
    """

    pairs: Pairs
    size: int

    @property
    def n_pairs(self) -> int:
        """Pairs of all tiles."""
        return len(self.pairs)

    def __len__(self) -> int:
        return -(-len(self.pairs) // self.size)

    def pairs_of(self, number: int) -> int:
        """Pairs of one tile."""
        return len(self._chosen(number))

    def tile(self, number: int) -> Tile:
        """One of the tiles."""
        columns, places = np.unique(self._chosen(number), return_inverse=True)
        pairs = places.reshape(-1, 2).astype(np.int32)
        return Tile(number, tuple(int(column) for column in columns), pairs)

    def _chosen(self, number: int) -> Pairs:
        return self.pairs[number * self.size : (number + 1) * self.size]


Plan = Blocks | Listed


def plan_tiles(
    n_columns: int,
    n_rows: int,
    *,
    seconds: float,
    pairs: Pairs | None = None,
) -> Plan:
    """Plan for all pairs of some columns, or for the pairs listed.

    Parameters
    ----------
    n_columns, n_rows : int
        Size of the table.
    seconds : float
        What a pair of 1,000 rows costs.
    pairs : ndarray of shape (k, 2), optional
        Columns of the pairs asked for. Default: all.

    Examples
    --------
    >>> plan_tiles(200, 1000, seconds=0.0002)
    Blocks(n_columns=200, side=35)
    """
    cost = seconds * max(n_rows, 500) / 1000
    least, most = (
        min(max(int(limit / cost), 1), _MOST_PAIRS) for limit in (_LEAST_SECONDS, _MOST_SECONDS)
    )
    if pairs is not None:
        size = min(max(-(-len(pairs) // _ENOUGH_BLOCKS), least), most)
        # Columns of a list may all be different: a tile should not need too many of them.
        return Listed(pairs, min(size, 1024))
    side = min(max(-(-n_columns // _ENOUGH_BLOCKS), isqrt(least)), isqrt(most))
    return Blocks(n_columns, side)
