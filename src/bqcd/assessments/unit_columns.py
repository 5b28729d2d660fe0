"""Columns of a table that tell which rows belong together.

Where rows with the same entry of a third column are alike in both columns of a pair, the rows may
be repeated measurements of the units named there. Whether a few entries are a sample of units or
all there are, such as colours, no number can tell. If most of what varies in both columns varies
between entries, rows are taken as repetitions; if less does, the column is named and no more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.units import Units, found_units
from bqcd.data.pair import Pair
from bqcd.data.tables import open_table
from bqcd.runtime.arrays import Numbers, Vector

Rows = NDArray[np.bool_]

# Fewer entries, or means that differ by a chance above this, are no units.
_FEWEST_UNITS, _ALIKE = 5, 1e-6
# Of a wide table, so many columns are looked at.
_MOST_COLUMNS = 100
# Rows are repetitions if this share of the variance of both columns lies between entries.
_MOSTLY_BETWEEN = 0.5


class UnitColumn(NamedTuple):
    """A column whose entries look like units, and the least share of variance between them."""

    units: Units
    between: float

    @property
    def repeats(self) -> bool:
        """Whether rows with the same entry repeat each other."""
        return self.between >= _MOSTLY_BETWEEN


class _Entries(NamedTuple):
    """Place of a column, number of the entry of each row, and whether entries have an order."""

    place: int
    name: str
    numbers: Numbers
    ordered: bool


@dataclass(frozen=True, slots=True)
class UnitColumns:
    """Columns of text, categories and whole numbers of a table that repeat their entries.

    Parameters
    ----------
    columns : tuple
        Their entries; see :meth:`of_table`.
    """

    columns: tuple[_Entries, ...] = ()

    @classmethod
    def of_table(cls, table: object) -> UnitColumns:
        """Such columns of a table, of its first hundred ones.

        Parameters
        ----------
        table : data frame, mapping or ndarray of shape (n, k)
            As in :func:`bqcd.decide`.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> person = np.repeat(np.arange(20), 10)
        >>> x, y = rng.normal(size=(2, 20))[:, person] + 0.5 * rng.normal(size=(2, 200))
        >>> table = {"x": x, "y": y, "person": person, "noise": rng.random(200)}
        >>> [found] = UnitColumns.of_table(table).of_pair(x, y)
        >>> found.units.name, found.units.count, found.repeats
        ('person', 20, True)
        """
        names, columns_at = open_table(table)
        held = []
        for at in range(min(len(names), _MOST_COLUMNS)):
            entries = _entries(columns_at(at)[0])
            if entries is not None and _may_be_units(entries[0]):
                held.append(_Entries(at, str(names[at]), *entries))
        return cls(tuple(held))

    def in_rows(self, rows: Rows) -> UnitColumns:
        """The same columns in some of the rows.

        Parameters
        ----------
        rows : ndarray of bool, shape (n,)
            Which rows; columns of another length are left out.
        """
        return UnitColumns(
            tuple(
                column._replace(numbers=column.numbers[rows])
                for column in self.columns
                if len(column.numbers) == len(rows)
            )
        )

    def of_pair(
        self, x: Vector, y: Vector, *, without: Collection[int] = ()
    ) -> tuple[UnitColumn, ...]:
        """Columns in whose entries both columns of a pair are alike.

        Rows in which a column of the pair is missing do not count. Whole numbers along which a
        column changes gradually, such as an age, are no units.

        Parameters
        ----------
        x, y : ndarray of shape (n,)
            All rows of the pair, NaN where one is missing.
        without : collection of int
            Places of columns that are not looked at: those of the pair.
        """
        complete = np.isfinite(x) & np.isfinite(y)
        pair = x[complete], y[complete]
        found = (
            _unit_column(column, complete, pair)
            for column in self.columns
            if column.place not in without and len(column.numbers) == len(complete)
        )
        return tuple(column for column in found if column is not None)


def repeated_units(columns: Sequence[UnitColumn]) -> Units | None:
    """Units whose rows repeat each other: those worth the fewest rows, if there are several."""
    units = [column.units for column in columns if column.repeats]
    return min(units, key=lambda each: each.equal_count, default=None)


def seen_units(pair: Pair, columns: Sequence[UnitColumn]) -> Units | None:
    """Units that rows are drawn by if none are given: of a column beside the pair, or of the pair.

    Parameters
    ----------
    pair : Pair
        Two columns.
    columns : sequence of UnitColumn
        What :meth:`UnitColumns.of_pair` gives for it.
    """
    units = repeated_units(columns)
    return found_units(pair) if units is None else units


def _unit_column(
    column: _Entries, complete: Rows, pair: tuple[Vector, Vector]
) -> UnitColumn | None:
    numbers = np.unique(column.numbers[complete], return_inverse=True)[1].astype(np.int64)
    if not _may_be_units(numbers):
        return None
    shares = [_share_between(numbers, each, ordered=column.ordered) for each in pair]
    if min(shares) <= 0.0:
        return None
    return UnitColumn(Units(numbers, "column", column.name), min(shares))


def _may_be_units(numbers: Numbers) -> bool:
    return len(numbers) > 0 and _FEWEST_UNITS <= int(numbers.max()) + 1 <= len(numbers) / 2


def _entries(column: Any) -> tuple[Numbers, bool] | None:
    """Number of the entry of each row, and whether entries have an order; None for no entries."""
    import pyarrow as pa

    try:
        held = column.to_arrow() if hasattr(column, "to_arrow") else column
        held = held if isinstance(held, pa.Array | pa.ChunkedArray) else pa.array(held)
        # Of chunks with dictionaries of their own, one; of none or one, the array itself.
        held = held.combine_chunks() if isinstance(held, pa.ChunkedArray) else held
    except (pa.ArrowException, TypeError, ValueError):
        return None
    kind = held.type
    texts = pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view
    ordered = pa.types.is_integer(kind)
    if not (ordered or pa.types.is_dictionary(kind) or any(is_text(kind) for is_text in texts)):
        return None
    if held.null_count or not len(held):
        return None
    if ordered:
        numbers = np.unique(held.to_numpy(zero_copy_only=False), return_inverse=True)[1]
    else:
        coded = held if pa.types.is_dictionary(kind) else held.dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False)
        numbers = np.unique(codes, return_inverse=True)[1]
    return numbers.astype(np.int64), ordered


def _share_between(numbers: Numbers, column: Vector, *, ordered: bool) -> float:
    """Share of the variance of ranks that lies between entries; 0 by chance or along a trend."""
    from scipy.special import fdtrc
    from scipy.stats import rankdata

    count, n = int(numbers.max()) + 1, len(numbers)
    ranks = rankdata(column) / n
    sizes = np.bincount(numbers, minlength=count)
    means = np.bincount(numbers, weights=ranks, minlength=count) / sizes
    between = float(sizes @ (means - ranks.mean()) ** 2) / (count - 1)
    within = float(((ranks - means[numbers]) ** 2).sum()) / (n - count)
    if within > 0.0 and fdtrc(count - 1, n - count, between / within) > _ALIKE:
        return 0.0
    # Von Neumann's ratio: about 2 if neighbours have nothing in common, near 0 along a trend.
    if ordered and (np.diff(means) ** 2).sum() <= ((means - means.mean()) ** 2).sum():
        return 0.0
    rows_each = (n - float((sizes.astype(np.float64) ** 2).sum()) / n) / (count - 1)
    # The intraclass correlation of a one-way layout with unequal groups.
    return (between - within) / (between + (rows_each - 1.0) * within)
