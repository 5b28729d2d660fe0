"""Two groups of columns observed together: a cause or an effect that is a vector.

A group of one column on either side is no vector: such pairs are :class:`bqcd.data.pair.Pair`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bqcd.data.checks import (
    after_dropping,
    infinite_problem,
    length_problem,
    row_problem,
    value_problem,
)
from bqcd.data.margins import mapped_to_uniform
from bqcd.data.pair import Direction, Missing, Pair
from bqcd.data.places import column_position
from bqcd.data.scales import Ordered, Scale
from bqcd.data.tables import open_table
from bqcd.data.vector import as_column
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_choice

ROWS_PER_COLUMN = 4
"""Rows that each column of a side needs, at least."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class VectorPair:
    """Two groups of columns observed together, at least one of them of two columns or more.

    What exists is valid, as a :class:`~bqcd.data.pair.Pair` is: read-only, finite, no column
    constant, none twice, with four times as many rows as a side has columns, and at least ten.

    Parameters
    ----------
    x, y : ndarray of shape (n, d)
        The columns of each side.
    x_names, y_names : tuple of str
        Names of the columns; all differ.
    x_name, y_name : str
        What the sides are called, for answers. Empty stands for the names of the columns,
        joined by commas.
    key : str
        As in :class:`~bqcd.data.pair.Pair`; the order of sides and columns leaves it unchanged.
    dropped_rows : int
        Rows left out because a value was missing.
    x_scales, y_scales : tuple of Scale or None
        What the numbers of each column stand for; empty if all are numbers.

    Raises
    ------
    InvalidPairError
        If the columns are not such. The message names column, rule and value.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> pair = VectorPair(x, x[:, :1] ** 2, ("length", "width"), ("price",), x_name="size")
    >>> pair
    VectorPair('size' of 2, 'price' of 1, 20 rows)
    >>> pair.key, len(list(pair.column_pairs()))
    ('length+width|price', 2)
    """

    x: Matrix
    y: Matrix
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    x_name: str = ""
    y_name: str = ""
    key: str = ""
    dropped_rows: int = 0
    x_scales: tuple[Scale | None, ...] = ()
    y_scales: tuple[Scale | None, ...] = ()

    def __post_init__(self) -> None:
        """Check, name and freeze both sides."""
        for side in ("x", "y"):
            columns, names = _frozen(getattr(self, side)), tuple(getattr(self, f"{side}_names"))
            if columns.shape[1] != len(names) or not names:
                raise InvalidPairError(
                    f"Side {side} of a VectorPair must have a name for each column and one column "
                    f"or more, got {columns.shape[1]} columns and {len(names)} names."
                )
            object.__setattr__(self, side, columns)
            object.__setattr__(self, f"{side}_names", names)
            object.__setattr__(self, f"{side}_name", getattr(self, f"{side}_name") or _told(names))
            scales = tuple(getattr(self, f"{side}_scales")) or (None,) * len(names)
            object.__setattr__(self, f"{side}_scales", scales)
        self._check()
        sides = ("+".join(sorted(names)) for names in (self.x_names, self.y_names))
        object.__setattr__(self, "key", self.key or "|".join(sorted(sides)))

    def _check(self) -> None:
        check_sides(self.x_names, self.y_names)
        if self.x_name == self.y_name:
            raise InvalidPairError(
                f"A pair needs two different sides, but both are called {self.x_name!r}."
            )
        if len(self.x) != len(self.y):
            raise InvalidPairError(
                length_problem({self.x_name: len(self.x), self.y_name: len(self.y)})
            )
        names, where = (*self.x_names, *self.y_names), after_dropping(self.dropped_rows)
        problem = row_problem(names, len(self), where=where)
        for name, column, scale in self._columns() if not problem else ():
            problem = problem or value_problem(column, name, scale=scale)
        problem = problem or self._width_problem()
        if problem:
            raise InvalidPairError(problem)

    def _width_problem(self) -> str:
        for name, columns in ((self.x_name, self.x), (self.y_name, self.y)):
            if (width := columns.shape[1]) * ROWS_PER_COLUMN > len(self):
                return (
                    f"Side {name!r} has {width} columns in {len(self)} rows, but a side must have "
                    f"no more columns than a {_PARTS[ROWS_PER_COLUMN]} of the rows."
                )
        return ""

    def _columns(self) -> Iterator[tuple[str, Vector, Scale | None]]:
        yield from zip(self.x_names, self.x.T, self.x_scales, strict=True)
        yield from zip(self.y_names, self.y.T, self.y_scales, strict=True)

    @property
    def nominal(self) -> tuple[str, ...]:
        """Names of columns without an order: a group has none."""
        return ()

    def column_pairs(self) -> Iterator[Pair]:
        """Every column of x with every column of y, those of the first column of x first."""
        for at in range(len(self.x_names)):
            for other in range(len(self.y_names)):
                yield self.column_pair(at, other)

    def column_pair(self, at: int, other: int) -> Pair:
        """One column of x with one of y, by position from 0."""
        return Pair(
            self.x[:, at],
            self.y[:, other],
            self.x_names[at],
            self.y_names[other],
            dropped_rows=self.dropped_rows,
            x_scale=self.x_scales[at],
            y_scale=self.y_scales[other],
        )

    @property
    def foremost(self) -> Pair:
        """Columns of both sides of the largest rank correlation: what is drawn of the pair."""
        x, y = (np.stack([mapped_to_uniform(c) for c in side.T]) for side in (self.x, self.y))
        size = np.abs(np.corrcoef(x, y)[: len(x), len(x) :]).round(12)
        # Equals go by name, whichever side is x and in whatever order the columns come.
        places = [(-size[at], sorted((self.x_names[at[0]], self.y_names[at[1]])), at)
                  for at in np.ndindex(*size.shape)]  # fmt: skip
        return self.column_pair(*min(places)[2])

    def taken(self, rows: Any) -> VectorPair:
        """Some of the rows, under the same names and key."""
        told = (getattr(self, field.name) for field in fields(self)[2:])
        return VectorPair(self.x[rows], self.y[rows], *told)

    def swapped(self) -> VectorPair:
        """The same rows with the sides exchanged, under the same key."""
        return VectorPair(
            self.y,
            self.x,
            self.y_names,
            self.x_names,
            self.y_name,
            self.x_name,
            self.key,
            self.dropped_rows,
            self.y_scales,
            self.x_scales,
        )

    def cause_by(self, direction: Direction) -> str | None:
        """Name of the cause in a direction, None where that is undecided."""
        if direction is Direction.UNDECIDED:
            return None
        return self.x_name if direction is Direction.X_TO_Y else self.y_name

    def effect_by(self, direction: Direction) -> str | None:
        """Name of the effect in a direction, None where that is undecided."""
        return self.cause_by(direction.flipped())

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        sides = ((self.x_name, self.x_names), (self.y_name, self.y_names))
        told = ", ".join(f"{name!r} of {len(names)}" for name, names in sides)
        return f"VectorPair({told}, {len(self)} rows)"

    def __reduce__(self) -> tuple[object, ...]:
        return VectorPair, tuple(getattr(self, field.name) for field in fields(self))


_PARTS = {4: "quarter"}


def is_vector(side: object, *, in_table: bool) -> bool:
    """Whether a side of a pair is a group of columns, and not one column.

    Parameters
    ----------
    side : object
        Names or positions in a table, or the columns themselves.
    in_table : bool
        Which of the two it is.

    Examples
    --------
    >>> is_vector(["a", "b"], in_table=True), is_vector([1.5, 2.5], in_table=False)
    (True, False)
    >>> is_vector(np.zeros((20, 3)), in_table=False)
    True
    """
    if in_table:
        return isinstance(side, list | tuple)
    if isinstance(side, np.ndarray):
        return side.ndim == 2
    # Frames have columns, a column has none; asked of the class, as a lazy frame would look.
    return isinstance(side, Mapping) or hasattr(type(side), "columns")


def vector_pair(
    x: object,
    y: object,
    *,
    table: object = None,
    missing: Missing = "raise",
    x_name: str = "",
    y_name: str = "",
) -> Pair | VectorPair:
    """Pair of two groups of columns; a plain pair if both are of one column.

    Parameters
    ----------
    x, y : ndarray of shape (n, d), frame, column, or names of columns
        With ``table``, a name, a position from 0, or a list of them. Otherwise an array of
        columns, a frame or mapping all of whose columns are taken, or a single column.
    table : path or table, optional
        Where to look the columns up.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which any value is missing.
    x_name, y_name : str, default=""
        What the sides are called; empty stands for their columns.

    Raises
    ------
    InvalidTableError
        If ``table`` is no table, or a column is unknown or ambiguous.
    InvalidPairError
        If a column is on both sides, or the columns are no pair, as in :class:`VectorPair`.

    Examples
    --------
    >>> table = {"length": range(20), "width": [at % 7 for at in range(20)], "price": range(20)}
    >>> vector_pair(["length", "width"], "price", table=table)
    VectorPair('length, width' of 2, 'price' of 1, 20 rows)
    """
    check_choice("vector_pair", "missing", missing, ("raise", "drop"))
    sides = (_side_of(x, "x"), _side_of(y, "y")) if table is None else _sides_in(table, x, y)
    told = [[(name, as_column(values, name)) for name, values in side] for side in sides]
    check_sides(*(tuple(name for name, _ in side) for side in told))
    lengths = {name: len(column.values) for side in told for name, column in side}
    if problem := length_problem(lengths):
        raise InvalidPairError(problem)
    dropped = 0
    if missing == "drop":
        told, dropped = _complete(told)
    if len(told[0]) == len(told[1]) == 1:
        (first, x_column), (second, y_column) = told[0][0], told[1][0]
        scales = x_column.scale, y_column.scale
        names = x_name or first, y_name or second
        return Pair(x_column.values, y_column.values, *names, "", dropped, *scales)
    return _built(told, (x_name, y_name), dropped)


def check_sides(x_names: Sequence[str], y_names: Sequence[str]) -> None:
    """Refuse a column that is on both sides, or on one side twice.

    Parameters
    ----------
    x_names, y_names : sequence of str
        Names of the columns of the sides.

    Raises
    ------
    InvalidPairError
        Names the column.
    """
    for name in x_names:
        if name in y_names:
            raise InvalidPairError(
                f"Column {name!r} is on both sides; cause and effect must have columns of their "
                "own."
            )
    for names in (x_names, y_names):
        for at, name in enumerate(names):
            if name in names[:at]:
                raise InvalidPairError(f"Column {name!r} is asked for twice on one side.")


Side = list[tuple[str, Any]]


def _sides_in(table: object, x: Any, y: Any) -> tuple[Side, Side]:
    """Names and columns of both sides of a table; equal names are told apart by position."""
    names, columns_at = open_table(table)
    asked = [list(side) if isinstance(side, list | tuple) else [side] for side in (x, y)]
    for side in asked:
        if not side:
            raise InvalidPairError("A side of a pair must have one column or more, got none.")
    places = [column_position(names, column) for side in asked for column in side]
    texts = [str(names[place]) for place in places]
    alike = {text: {at for at, other in zip(places, texts, strict=True) if other == text}
             for text in texts}  # fmt: skip
    told = [
        f"{text} (column {place})" if len(alike[text]) > 1 else text
        for text, place in zip(texts, places, strict=True)
    ]
    cut = len(asked[0])
    check_sides(told[:cut], told[cut:])
    columns = list(zip(told, columns_at(*places), strict=True))
    return columns[:cut], columns[cut:]


def _side_of(side: Any, name: str) -> Side:
    """Names and columns of a side that is handed in."""
    if not is_vector(side, in_table=False):
        return [(str(getattr(side, "name", None) or name), side)]
    names, columns_at = open_table(side)
    if not len(names):
        raise InvalidPairError(f"Side {name!r} of a pair must have one column or more, got none.")
    columns = columns_at(*range(len(names)))
    if isinstance(side, np.ndarray):
        names = [f"{name}{at + 1}" for at in range(len(names))]
    return list(zip(map(str, names), columns, strict=True))


def _complete(told: list[list[tuple[str, Ordered]]]) -> tuple[list[list[tuple[str, Ordered]]], int]:
    """Rows in which no value is missing, and the number of the others."""
    columns = [column.values for side in told for _, column in side]
    complete = np.isfinite(columns).all(axis=0)
    dropped = int(np.count_nonzero(~complete))
    if not dropped:
        return told, 0
    # Before rows go, so that the message counts the rows of the caller.
    for side in told:
        for name, column in side:
            if problem := infinite_problem(column.values, name):
                raise InvalidPairError(problem)
    kept = [
        [(name, Ordered(column.values[complete], column.scale)) for name, column in side]
        for side in told
    ]
    return kept, dropped


def _built(
    told: list[list[tuple[str, Ordered]]], names: tuple[str, str], dropped: int
) -> VectorPair:
    x, y = (np.stack([column.values for _, column in side], axis=1) for side in told)
    x_names, y_names = (tuple(name for name, _ in side) for side in told)
    x_scales, y_scales = (tuple(column.scale for _, column in side) for side in told)
    return VectorPair(x, y, x_names, y_names, *names, "", dropped, x_scales, y_scales)


def _told(names: Sequence[str]) -> str:
    return ", ".join(names)


def _frozen(columns: object) -> Matrix:
    """Columns next to each other in memory, read-only."""
    matrix = np.asarray(columns, dtype=np.float64)
    if matrix.ndim != 2:
        raise InvalidPairError(
            f"A side of a VectorPair must be two-dimensional, got shape {matrix.shape}."
        )
    matrix = np.asfortranarray(matrix).view()
    matrix.flags.writeable = False
    return matrix
