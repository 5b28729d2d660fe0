"""Columns that a caller hands in or names, and what is asked of the others beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bqcd.assessments.separation import Neighbours, PairNeighbours
from bqcd.assessments.third_columns import Asked, Beside, asked_columns
from bqcd.data.pair import Pair
from bqcd.data.places import column_position
from bqcd.data.tables import open_table
from bqcd.data.vector import as_vector
from bqcd.runtime.arrays import Vector


@dataclass(frozen=True)
class ObservedRows:
    """Two columns of a table, or two arrays, and the rows of them that make a pair.

    Parameters
    ----------
    x, y, table
        As in :func:`bqcd.decide`.
    dropped : bool
        Whether rows with missing values of x or y are left out.
    """

    x: object
    y: object
    table: object
    dropped: bool

    @cached_property
    def places(self) -> tuple[int, int]:
        """Positions of the columns in the table."""
        names, _ = open_table(self.table)
        x, y = (column_position(names, column) for column in (self.x, self.y))  # type: ignore[arg-type]
        return x, y

    @cached_property
    def columns(self) -> tuple[Vector, Vector]:
        """Both columns, all rows, NaN where a value is missing."""
        found: tuple[object, ...] = self.x, self.y
        if self.table is not None:
            found = open_table(self.table)[1](*self.places)
        return as_vector(found[0], "x or y"), as_vector(found[1], "x or y")

    def asked(self, by: object, given: object) -> Asked | None:
        """Columns that link and direction shall survive; None if there are none."""
        if by is None and given is None:
            return None
        x, y = self.columns
        complete = np.isfinite(x) & np.isfinite(y) if self.dropped else np.ones(len(x), dtype=bool)
        without = () if self.table is None else self.places
        return asked_columns(by, given, table=self.table, complete=complete, without=without)

    def neighbours(self, pair: Pair) -> PairNeighbours:
        """The other columns of the table."""
        beside = Beside.of_table(self.table, len(self.columns[0]))
        return Neighbours(beside).of_pair(pair, self.places)
