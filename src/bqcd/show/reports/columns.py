"""Columns of the table of a report by name, and what stands beside a pair of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache, partial
from os import PathLike
from typing import Any

import numpy as np

from bqcd.assessments.separation import Neighbours, PairNeighbours
from bqcd.assessments.third_columns import Asked, Beside, asked_columns
from bqcd.assessments.unit_columns import UnitColumn, UnitColumns
from bqcd.data.files.reading import UnreadTable
from bqcd.data.pair import Missing, Pair
from bqcd.data.places import column_position
from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.scans.sources import open_source

# Numbers of columns that are kept at hand.
_HELD_NUMBERS = 1 << 25


def _is_one(by: object, given: object) -> bool:
    """Whether a single column is asked for, if any."""
    return by is not None or given is None or isinstance(given, str | int)


class TableColumns:
    """Columns of a table by name, some of them kept at hand."""

    def __init__(
        self, table: Any, missing: Missing, labels: Mapping[str, object] | None = None
    ) -> None:
        source = open_source(table)
        self._table = table
        self._n_rows = source.n_rows
        self._places = {name: at for at, name in enumerate(source.names)}
        self._labels = labels or {}
        self._missing = missing
        kept = max(2, _HELD_NUMBERS // source.n_rows)
        self._column_at = lru_cache(maxsize=kept)(partial(source.ordered, nominal=True))

    def column(self, name: str) -> Vector:
        """Numbers of a column, NaN for missing."""
        return self._column_at(self._place(name)).values

    def pair(self, x: str, y: str) -> Pair:
        """Two columns, in rows where neither is missing if that is the rule."""
        columns = self._column_at(self._place(x)), self._column_at(self._place(y))
        return Pair.from_arrays(*columns, x_name=x, y_name=y, missing=self._missing)

    def unit_columns(self, x: str, y: str) -> tuple[UnitColumn, ...]:
        """Other columns that tell which rows of two columns belong together."""
        places = self._place(x), self._place(y)
        return self._beside.of_pair(self.column(x), self.column(y), without=places)

    def neighbours(self, pair: Pair) -> PairNeighbours | None:
        """Other columns that may explain the link of two; None if the table is not at hand."""
        if self._neighbours is None:
            return None
        return self._neighbours.of_pair(pair, (self._place(pair.x_name), self._place(pair.y_name)))

    def asked(self, pair: Pair, by: object, given: object) -> Asked | None:
        """Third columns that link and direction of a pair shall survive; None if there are none.

        Parameters
        ----------
        pair : Pair
            Two columns.
        by, given : str, int or sequence of them, or None
            As in :func:`bqcd.assess`; columns of the pair itself are left out.

        Raises
        ------
        InvalidSettingError
            If the table is a large file, of which no other columns are at hand.
        """
        listed = [by if by is not None else given] if _is_one(by, given) else [*given]  # type: ignore[misc]
        places = self._place(pair.x_name), self._place(pair.y_name)
        wanted = [one for one in listed if one is not None and self._at(one) not in places]
        if not wanted:
            return None
        if self._whole is None:
            raise InvalidSettingError(
                "by and given of report need a table that is read whole, got a large file."
            )
        x, y = self.column(pair.x_name), self.column(pair.y_name)
        rows = np.isfinite(x) & np.isfinite(y) if self._missing == "drop" else np.full(len(x), True)
        chosen = (wanted[0], None) if by is not None else (None, wanted)
        return asked_columns(*chosen, table=self._whole, complete=rows, without=places)

    def _at(self, column: object) -> int:
        return column_position(tuple(self._places), column)  # type: ignore[arg-type]

    @cached_property
    def _beside(self) -> UnitColumns:
        return UnitColumns() if self._whole is None else UnitColumns.of_table(self._whole)

    @cached_property
    def _neighbours(self) -> Neighbours | None:
        if self._whole is None:
            return None
        return Neighbours(Beside.of_table(self._whole, self._n_rows))

    @cached_property
    def _whole(self) -> Any:
        """The table at hand; None if it is a large file."""
        if not isinstance(self._table, str | PathLike):
            return self._table
        unread = UnreadTable.of(self._table)
        return unread.read() if unread.is_small else None

    def _place(self, name: str) -> int:
        at = self._places.get(name)
        # Nodes of a graph may be positions in the table.
        return int(str(self._labels[name])) if at is None else at
