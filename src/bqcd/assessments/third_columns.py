"""Columns beside a pair: numbers, or entries that make groups of the rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.data.places import column_position
from bqcd.data.tables import open_table
from bqcd.data.vector import as_vector, series_name
from bqcd.errors import BqcdError, InvalidPairError, InvalidSettingError
from bqcd.runtime.arrays import Numbers, Vector

Rows = NDArray[np.bool_]
Places = NDArray[np.intp]

# Numbers with so many different values or fewer are entries, if they repeat.
_FEW_VALUES = 12
# Of a wide or long table so many columns and rows are looked at.
MOST_COLUMNS, MOST_ROWS = 100, 2_000
# Text with more different entries than that is no grouping of rows.
_MOST_ENTRIES = 50


@dataclass(frozen=True, slots=True, eq=False)
class ThirdColumn:
    """A column beside a pair.

    Parameters
    ----------
    name : str
        Of the column.
    values : ndarray of shape (n,)
        Its numbers, or the number of the entry of each row; NaN where it is missing.
    labels : tuple of str, default=()
        Entries by their number; empty for a column of numbers.
    """

    name: str
    values: Vector
    labels: tuple[str, ...] = ()

    @property
    def is_grouping(self) -> bool:
        """Whether rows are grouped by its entries; else its numbers are regressed on."""
        return bool(self.labels)

    def in_rows(self, rows: Rows | Places) -> ThirdColumn:
        """The same column in some of the rows."""
        return ThirdColumn(self.name, self.values[rows], self.labels)

    @property
    def groups(self) -> Numbers:
        """Number of the group of each row, -1 where it is missing."""
        return np.where(np.isnan(self.values), -1, self.values).astype(np.int64)


def third_column(values: Any, name: str, *, grouping: bool | None = None) -> ThirdColumn:
    """A column as numbers or as entries.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers, text, categories or booleans.
    name : str
        Of the column.
    grouping : bool, optional
        Whether it is taken as entries. Default: if it holds no numbers, or twelve different
        ones at most that repeat.

    Raises
    ------
    InvalidPairError
        If it shall be numbers and is not.

    Examples
    --------
    >>> third_column(["b", "a", "b", None], "kind").labels
    ('a', 'b')
    >>> third_column(np.arange(40.0), "age").is_grouping
    False
    """
    try:
        numbers = as_vector(values, name)
    except InvalidPairError:
        if grouping is False:
            raise
        return _of_entries(values, name)
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    if grouping is None:
        known = np.unique(numbers[~np.isnan(numbers)])
        grouping = len(known) <= min(_FEW_VALUES, len(numbers) // 2)
    return _of_numbers(numbers, name) if grouping else ThirdColumn(name, numbers)


def _of_numbers(numbers: Vector, name: str) -> ThirdColumn:
    known = np.unique(numbers[~np.isnan(numbers)])
    codes = np.searchsorted(known, numbers).astype(np.float64)
    codes[np.isnan(numbers)] = np.nan
    return ThirdColumn(name, codes, tuple(f"{value:g}" for value in known))


def _of_entries(values: Any, name: str) -> ThirdColumn:
    to_list = getattr(values, "to_list", None) or getattr(values, "tolist", None)
    # NaN and the missing values of data frames do not equal themselves.
    held = [None if value is None or not _is_itself(value) else str(value)
            for value in (to_list() if to_list is not None else values)]  # fmt: skip
    labels = tuple(sorted({value for value in held if value is not None}))
    place = {label: float(at) for at, label in enumerate(labels)}
    codes = [np.nan if value is None else place[value] for value in held]
    return ThirdColumn(name, np.array(codes, dtype=np.float64), labels)


def _is_itself(value: object) -> bool:
    try:
        return bool(value == value)
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Asked:
    """Columns that a verdict is asked to survive.

    Parameters
    ----------
    kind : {"by", "given"}
        Whether the verdict is told for each group as well.
    columns : tuple of ThirdColumn
        What is given, for the rows of the pair.
    """

    kind: Literal["by", "given"]
    columns: tuple[ThirdColumn, ...]


def asked_columns(
    by: object,
    given: object,
    *,
    table: object = None,
    complete: Rows,
    without: Collection[int] = (),
) -> Asked | None:
    """Columns that a caller names or hands in, for the rows of a pair; None if there are none.

    Parameters
    ----------
    by : column name, position, or array-like of shape (n,), or None
        Whose entries make groups.
    given : the same, or a list of such, or None
        What is taken off.
    table : data frame, mapping or ndarray, optional
        Where columns are looked up.
    complete : ndarray of bool, shape (n,)
        Rows that make the pair.
    without : collection of int
        Positions of the columns of the pair, which cannot be given.

    Raises
    ------
    InvalidSettingError
        If both are asked for, a column has another length, or entries make no groups.
    """
    if by is None and given is None:
        return None
    if by is not None and given is not None:
        raise InvalidSettingError("assess takes by or given, not both; given takes groups as well.")
    if by is not None:
        columns = [_looked_up(by, table, without, grouping=True, called="by")]
    else:
        listed = given if isinstance(given, list | tuple) and not _is_column(given) else [given]
        columns = [
            _looked_up(each, table, without, grouping=None, called="given") for each in listed
        ]
    for column in columns:
        if len(column.values) != len(complete):
            raise InvalidSettingError(
                f"Column {column.name!r} of assess must have {len(complete)} rows as x and y have, "
                f"got {len(column.values)}."
            )
    found = tuple(column.in_rows(complete) for column in columns)
    for column in found:
        _check_use(column, by is not None)
    return Asked("given" if by is None else "by", found)


def _is_column(values: Sequence[object]) -> bool:
    """Whether a list is a column itself: numbers that are no positions, or missing ones."""
    return bool(values) and not all(
        isinstance(each, str | Integral) or hasattr(each, "__len__") for each in values
    )


def _looked_up(
    column: object,
    table: object,
    without: Collection[int],
    *,
    grouping: bool | None,
    called: str,
) -> ThirdColumn:
    if isinstance(column, str | Integral):
        if table is None:
            raise InvalidSettingError(
                f"{called} of assess must be a column if there is no table, got {column!r}. What "
                "abstain is about is told by abstain_by."
            )
        names, columns_at = open_table(table)
        place = column_position(names, column)  # type: ignore[arg-type]
        if place in without:
            name = str(names[place])
            raise InvalidSettingError(
                f"{called} of assess must be another column than x and y, got {name!r}."
            )
        return third_column(columns_at(place)[0], str(names[place]), grouping=grouping)
    return third_column(column, series_name(column) or called, grouping=grouping)


def _check_use(column: ThirdColumn, is_by: bool) -> None:
    known = column.values[~np.isnan(column.values)]
    if not len(known) or known.min() == known.max():
        raise InvalidSettingError(
            f"Column {column.name!r} of assess must vary in the rows of x and y, and does not."
        )
    if column.is_grouping and len(column.labels) > _MOST_ENTRIES:
        advice = " Use given for numbers." if is_by else ""
        raise InvalidSettingError(
            f"Column {column.name!r} of assess must have {_MOST_ENTRIES} different entries at most "
            f"to make groups, got {len(column.labels):,}.{advice}"
        )


@dataclass(slots=True)
class Beside:
    """All columns of a table, to be looked at beside its pairs, in 2,000 of its rows at most.

    Parameters
    ----------
    names : tuple of str
        Of all columns; the first hundred are looked at.
    rows : ndarray of int
        Rows that are looked at, in their order.
    read : callable
        Column at a position, all rows of it.
    """

    names: tuple[str, ...]
    rows: Places
    read: Callable[[int], object]
    _held: dict[int, ThirdColumn | None] = field(default_factory=dict)

    @classmethod
    def of_table(cls, table: object, n_rows: int) -> Beside:
        """Columns of a table of so many rows.

        Parameters
        ----------
        table : data frame, mapping or ndarray of shape (n, k)
            As in :func:`bqcd.decide`.
        n_rows : int
            Rows of the table.
        """
        names, columns_at = open_table(table)
        return cls.of_columns(tuple(map(str, names)), n_rows, lambda place: columns_at(place)[0])

    @classmethod
    def of_columns(
        cls, names: tuple[str, ...], n_rows: int, read: Callable[[int], object]
    ) -> Beside:
        """Columns that are read by position.

        Parameters
        ----------
        names, read
            As above.
        n_rows : int
            Rows of each.
        """
        rows: Places = np.arange(n_rows)
        if n_rows > MOST_ROWS:
            rows = np.sort(np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS])
        return cls(names, rows, read)

    def gathered(self) -> Beside:
        """The same with all columns read that are looked at: it can be sent to other processes."""
        held = {at: self.column(at) for at in range(min(len(self.names), MOST_COLUMNS))}
        return Beside(self.names, self.rows, _read_before, held)

    def hold(self, place: int, values: Vector) -> None:
        """Take a column from elsewhere, if it is not at hand.

        Parameters
        ----------
        place : int
            Its position.
        values : ndarray of shape (n,)
            All rows of it.
        """
        if place not in self._held:
            self._held[place] = self._taken(values, place)

    def column(self, place: int) -> ThirdColumn | None:
        """Column at a position; None if it neither holds numbers nor makes groups."""
        if place not in self._held:
            self._held[place] = self._read(place)
        return self._held[place]

    def others(self, without: Collection[int]) -> list[int]:
        """Positions of the columns that may be looked at, but some."""
        places = (at for at in range(min(len(self.names), MOST_COLUMNS)) if at not in without)
        return [at for at in places if self.column(at) is not None]

    def _read(self, place: int) -> ThirdColumn | None:
        try:
            return self._taken(self.read(place), place)
        except (BqcdError, TypeError, ValueError, IndexError):
            return None

    def _taken(self, held: object, place: int) -> ThirdColumn | None:
        try:
            held = held if self.rows[-1] < MOST_ROWS else _in_rows(held, self.rows)
            column = third_column(held, self.names[place])
        except (BqcdError, TypeError, ValueError, IndexError):
            return None
        if len(column.values) != len(self.rows) or len(column.labels) > _MOST_ENTRIES:
            return None
        known = column.values[~np.isnan(column.values)]
        return column if len(known) and known.min() < known.max() else None


def _read_before(place: int) -> object:
    """No column: all that there are were read."""
    raise IndexError(place)


def _in_rows(column: Any, rows: Places) -> object:
    """Some rows of a column of any kind, so that a long one is not read whole."""
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    for name in ("take", "gather"):
        if hasattr(column, name):
            return getattr(column, name)(rows)
    return [column[at] for at in rows.tolist()]
