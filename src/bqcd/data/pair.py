"""Two columns observed together, and the checks that a pair of them must pass.

Missing values travel as NaN until they are refused or dropped. Rows are counted from 1 in
messages; column positions are counted from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Literal

import numpy as np

from bqcd.data.checks import (
    MIN_ROWS,
    after_dropping,
    infinite_problem,
    length_problem,
    level_problem,
    row_problem,
    value_problem,
)
from bqcd.data.places import column_position
from bqcd.data.scales import Scale
from bqcd.data.tables import open_table
from bqcd.data.vector import as_column, series_name
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice

__all__ = [
    "MIN_ROWS",
    "Direction",
    "Missing",
    "Pair",
]

Missing = Literal["raise", "drop"]


class Direction(Enum):
    """Which column of a pair causes the other.

    Examples
    --------
    >>> Direction.X_TO_Y.sign, Direction.X_TO_Y.flipped()
    (1, <Direction.Y_TO_X: '<-'>)
    """

    X_TO_Y = "->"
    Y_TO_X = "<-"
    UNDECIDED = "--"

    @staticmethod
    def of(confidence: float) -> Direction:
        """Direction with the sign of a confidence: what is said where something must be said.

        Examples
        --------
        >>> Direction.of(-0.01)
        <Direction.Y_TO_X: '<-'>
        """
        if confidence == 0.0:
            return Direction.UNDECIDED
        return Direction.X_TO_Y if confidence > 0.0 else Direction.Y_TO_X

    @property
    def sign(self) -> Literal[-1, 0, 1]:
        """+1 for ``X_TO_Y``, -1 for ``Y_TO_X``, 0 for ``UNDECIDED``."""
        if self is Direction.UNDECIDED:
            return 0
        return 1 if self is Direction.X_TO_Y else -1

    def flipped(self) -> Direction:
        """Direction of the same pair with its columns exchanged."""
        if self is Direction.UNDECIDED:
            return self
        return Direction.Y_TO_X if self is Direction.X_TO_Y else Direction.X_TO_Y


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Pair:
    """Two columns observed together.

    A ``Pair`` that exists is valid: both columns are read-only float64 vectors of one
    length, finite, not constant, with at least ``MIN_ROWS`` rows. It holds no label, so
    a method has no way to see the answer.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        The columns, in the order in which directions are reported. Columns that are
        float64 already are kept as read-only views, not copied; do not write to the
        arrays they come from while the pair is in use.
    x_name, y_name : str
        Column names, for messages, graphs and plots. They differ.
    key : str
        Stable identifier of the pair; results are stored under it and randomness is
        seeded from it. Empty stands for the two names, sorted and joined by ``"|"``,
        so that exchanging the columns leaves it unchanged.
    dropped_rows : int
        Rows left out because a value was missing.
    x_scale, y_scale : Scale or None
        What the numbers stand for, where a column held dates, words or the like; for people to
        read, nothing else.

    Raises
    ------
    InvalidPairError
        If the columns are not such vectors. The message names column, rule and value.

    Examples
    --------
    >>> pair = Pair(np.arange(10.0), np.arange(10.0) ** 2, "side", "area")
    >>> pair
    Pair('side', 'area', 10 rows)
    >>> pair.key
    'area|side'
    """

    x: Vector
    y: Vector
    x_name: str = "x"
    y_name: str = "y"
    key: str = ""
    dropped_rows: int = 0
    x_scale: Scale | None = None
    y_scale: Scale | None = None

    def __post_init__(self) -> None:
        """Convert, check and freeze the columns."""
        if self.x_name == self.y_name:
            raise InvalidPairError(
                f"A pair needs two different columns, but both are called {self.x_name!r}."
            )
        first, second = as_column(self.x, self.x_name), as_column(self.y, self.y_name)
        x, y = first.values, second.values
        x_scale, y_scale = self.x_scale or first.scale, self.y_scale or second.scale
        _check_lengths(x, y, self.x_name, self.y_name)
        names, where = (self.x_name, self.y_name), after_dropping(self.dropped_rows)
        if problem := (
            row_problem(names, len(x), where=where)
            or value_problem(x, self.x_name, scale=x_scale)
            or value_problem(y, self.y_name, scale=y_scale)
            or level_problem(x, self.x_name, scale=x_scale)
            or level_problem(y, self.y_name, scale=y_scale)
        ):
            raise InvalidPairError(problem)
        object.__setattr__(self, "x_scale", x_scale)
        object.__setattr__(self, "y_scale", y_scale)
        object.__setattr__(self, "x", _read_only(x))
        object.__setattr__(self, "y", _read_only(y))
        object.__setattr__(self, "key", self.key or "|".join(sorted((self.x_name, self.y_name))))

    @classmethod
    def from_arrays(
        cls,
        x: object,
        y: object,
        *,
        x_name: str | None = None,
        y_name: str | None = None,
        missing: Missing = "raise",
        key: str = "",
    ) -> Pair:
        """Pair of two one-dimensional sequences.

        Parameters
        ----------
        x, y : array-like of shape (n,)
            NumPy arrays (masked entries are missing), lists, tuples, ranges, or pandas,
            polars or pyarrow columns holding integers, floats, booleans, decimals or
            fractions; or anything else that has an order: dates, times, durations, periods,
            ordered categories, the words yes and no. Integers beyond 2**53 are rounded to
            float64 and may collide. Other words and categories become numbers of their levels,
            with a nominal scale; few methods take such columns.
        x_name, y_name : str, optional
            Column names. Default: the ``name`` of a series, else ``"x"`` and ``"y"``; if
            both come out as ``"a"``, they are ``"a (first)"`` and ``"a (second)"``.
        missing : {"raise", "drop"}, default="raise"
            What to do with rows in which either value is missing: NaN, None, null,
            ``pandas.NA``, NaT.
        key : str, default=""
            Identifier of the pair, see :class:`Pair`.

        Raises
        ------
        InvalidPairError
            If the columns differ in length, hold anything but finite numbers, are
            constant, or are shorter than ``MIN_ROWS``.

        Examples
        --------
        >>> heights = [1.2, 1.3, None, 1.4, 1.5, 1.6, 1.5, 1.7, 1.8, 1.7, 1.9]
        >>> pair = Pair.from_arrays(range(11), heights, missing="drop")
        >>> len(pair), pair.dropped_rows
        (10, 1)
        """
        check_choice("Pair", "missing", missing, ("raise", "drop"))
        x_name, y_name = _told_apart(x, y, x_name, y_name)
        first, second = (
            as_column(values, name, nominal=True) for values, name in ((x, x_name), (y, y_name))
        )
        x_vector, y_vector, dropped = first.values, second.values, 0
        if missing == "drop":
            _check_lengths(x_vector, y_vector, x_name, y_name)
            x_vector, y_vector, dropped = _complete_rows(x_vector, y_vector, x_name, y_name)
        return cls(x_vector, y_vector, x_name, y_name, key, dropped, first.scale, second.scale)

    @classmethod
    def from_table(
        cls, table: object, x: str | int, y: str | int, *, missing: Missing = "raise", key: str = ""
    ) -> Pair:
        """Pair of two numeric columns of a table.

        Parameters
        ----------
        table : path, data frame, mapping or ndarray of shape (n, k)
            A file, or any table that :func:`bqcd.read_table` takes. Of a file or a lazy frame
            only the two columns are read.
        x, y : str or int
            Column names, or positions counted from 0.
        missing : {"raise", "drop"}, default="raise"
            What to do with rows in which either value is missing.
        key : str, default=""
            Identifier of the pair, see :class:`Pair`.

        Raises
        ------
        InvalidTableError
            If ``table`` is no table, or a column is unknown or ambiguous.
        InvalidPairError
            If both are the same column, or as in :meth:`from_arrays`.

        Examples
        --------
        >>> table = {"side": range(10), "area": [side**2 for side in range(10)]}
        >>> Pair.from_table(table, "side", "area")
        Pair('side', 'area', 10 rows)
        """
        (x_name, x_values), (y_name, y_values) = named_columns(table, x, y)
        return cls.from_arrays(
            x_values, y_values, x_name=x_name, y_name=y_name, missing=missing, key=key
        )

    @property
    def nominal(self) -> tuple[str, ...]:
        """Names of the columns without an order, whose numbers only name their levels."""
        scales = (self.x_name, self.x_scale), (self.y_name, self.y_scale)
        return tuple(name for name, scale in scales if scale is not None and scale.is_nominal)

    def swapped(self) -> Pair:
        """Pair of the same rows with the columns exchanged, under the same key.

        Examples
        --------
        >>> Pair(np.arange(10.0), np.arange(10.0) ** 2, "side", "area").swapped()
        Pair('area', 'side', 10 rows)
        """
        scales = self.y_scale, self.x_scale
        return Pair(self.y, self.x, self.y_name, self.x_name, self.key, self.dropped_rows, *scales)

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
        return f"Pair({self.x_name!r}, {self.y_name!r}, {len(self)} rows)"

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, tuple(getattr(self, field.name) for field in fields(self))


def _restored(x: Vector, y: Vector, *told: object) -> Pair:
    """Pair from its pickled parts: checked once, not again; arrays come back writable."""
    pair = object.__new__(Pair)
    values = (_read_only(x), _read_only(y), *told)
    for field, value in zip(fields(Pair), values, strict=True):
        object.__setattr__(pair, field.name, value)
    return pair


def named_columns(table: object, *columns: str | int) -> list[tuple[str, object]]:
    """Names and values of different columns of a table; equal names are told apart by position.

    Parameters
    ----------
    table : data frame, mapping or ndarray of shape (n, k)
        As in :meth:`Pair.from_table`.
    *columns : str or int
        Names or positions: of the pair, and of what else is observed with it.

    Raises
    ------
    InvalidTableError
        If ``table`` is no table, or a column is unknown or ambiguous.
    InvalidPairError
        If a column is asked for twice.

    Examples
    --------
    >>> named_columns({"side": [1, 2], "area": [1, 4]}, "area", 0)
    [('area', [1, 4]), ('side', [1, 2])]
    """
    names, columns_at = open_table(table)
    places = [column_position(names, column) for column in columns]
    texts = [str(names[place]) for place in places]
    if places[0] in places[1:2]:
        raise InvalidPairError(f"A pair needs two different columns, but both are {texts[0]!r}.")
    for number, place in enumerate(places):
        if place in places[:number]:
            raise InvalidPairError(
                f"Column {texts[number]!r} is asked for twice; give different columns."
            )
    told = [
        f"{text} (column {place})" if texts.count(text) > 1 else text
        for text, place in zip(texts, places, strict=True)
    ]
    return list(zip(told, columns_at(*places), strict=True))


def _told_apart(x: object, y: object, x_name: str | None, y_name: str | None) -> tuple[str, str]:
    """Names of two columns, those given or their own."""
    first, second = x_name or series_name(x) or "x", y_name or series_name(y) or "y"
    if first == second and not (x_name and y_name):
        return f"{first} (first)", f"{second} (second)"
    return first, second


def _complete_rows(x: Vector, y: Vector, x_name: str, y_name: str) -> tuple[Vector, Vector, int]:
    """Rows in which neither value is missing, and the number of the others."""
    complete = np.isfinite(x)
    complete &= np.isfinite(y)
    dropped = len(x) - int(np.count_nonzero(complete))
    if dropped == 0:
        return x, y, 0
    # Before rows go, so that the message counts the rows of the caller.
    if problem := infinite_problem(x, x_name) or infinite_problem(y, y_name):
        raise InvalidPairError(problem)
    return x[complete], y[complete], dropped


def _check_lengths(x: Vector, y: Vector, x_name: str, y_name: str) -> None:
    if len(x) != len(y):
        raise InvalidPairError(length_problem({x_name: len(x), y_name: len(y)}))


def _read_only(column: Vector) -> Vector:
    view = column.view()
    view.flags.writeable = False
    return view
