"""Sums over all products of two features of the cause and two of the noise, each taken once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Upper:
    """Pairs of so many things, either order once."""

    count: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    @classmethod
    def of(cls, count: int) -> Upper:
        """Pairs on and above the diagonal."""
        return cls(count, *np.triu_indices(count))

    @property
    def table(self) -> NDArray[np.intp]:
        """Place of each pair, shape (count, count)."""
        places = np.empty((self.count, self.count), dtype=np.intp)
        places[self.first, self.second] = places[self.second, self.first] = np.arange(
            len(self.first)
        )
        return places

    @property
    def times(self) -> Vector:
        """How often each stands in a whole table."""
        return np.where(self.first == self.second, 1.0, 2.0)

    def products(self, columns: Matrix) -> Matrix:
        """Products of the columns of each pair."""
        found: Matrix = columns[:, self.first] * columns[:, self.second]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """Pairs of features crossed with pairs of others, and the whole table that they stand for."""

    rows: Upper
    columns: Upper
    whole: NDArray[np.intp]
    straight: tuple[NDArray[np.intp], NDArray[np.intp]]
    turned: tuple[NDArray[np.intp], NDArray[np.intp]]
    times: Matrix

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, row_count: int, column_count: int) -> Crossed:
        """Places of all products."""
        first, second = Upper.of(row_count), Upper.of(column_count)
        size = row_count * column_count
        whole = first.table[:, None, :, None] * len(second.first)
        whole = (whole + second.table[None, :, None, :]).reshape(size, size)
        rows, columns = (part[:, None] * column_count for part in (first.first, first.second))
        return cls(
            first,
            second,
            whole,
            (rows + second.first, columns + second.second),
            (rows + second.second, columns + second.first),
            0.5 * first.times[:, None] * second.times,
        )

    def folded(self, table: Matrix) -> Matrix:
        """Entries of a symmetric table, summed for each pair of features and pair of others."""
        found: Matrix = self.times * (table[self.straight] + table[self.turned])
        return found
