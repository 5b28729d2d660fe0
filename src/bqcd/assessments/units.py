"""Rows that belong together: what is drawn as one when a verdict is asked again on halves.

Numbers drawn from halves of the rows are right if rows are independent. Where they are not, as in
a time series, in repeated measurements or in copies of rows, whole units of rows are drawn: a
unit is then what may vary.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.assessments.series import serial_rows
from bqcd.data.checks import MIN_ROWS, missing_problem
from bqcd.data.pair import Pair, named_columns
from bqcd.data.vector import as_vector, series_name
from bqcd.discovery.ranks import RankedPair, ranks_of
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Matrix, Numbers, Vector
from bqcd.statistics.clumps import clump_numbers, companions
from bqcd.statistics.common_grid import on_common_grid

Places = NDArray[np.intp]

Kind = Literal["given", "column", "blocks", "copies", "clumps"]
"""Units told by the caller, entries of a column beside the pair, neighbouring rows, equal rows,
rows that lie beside each other."""

# Rows that are worth this share of their number or more are taken as independent.
_NEARLY_ALL = 0.8
# A block of 1,000 rows or fewer has so many times the rows over which the dependence on earlier
# rows fades, and grows with the cube root of their number.
_BLOCK_LENGTHS, _FEWEST_BLOCKS = 3.0, 4
# Companions are copies if at least this share of them is.
_MOSTLY_EQUAL = 0.25
# Of more rows, clumps are looked for in so many neighbouring ones.
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Which rows belong together.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        Unit of each row, from 0.
    kind : {"given", "column", "blocks", "copies", "clumps"}
        How they are known.
    name : str, default=""
        Column they were read from.

    Examples
    --------
    >>> units = Units(np.array([0, 0, 0, 1, 1, 2]), "given", "person")
    >>> units.count, round(units.equal_count, 2)
    (3, 2.57)
    """

    numbers: Numbers
    kind: Kind
    name: str = ""

    @property
    def count(self) -> int:
        """Number of units."""
        return int(self.numbers.max()) + 1

    @property
    def equal_count(self) -> float:
        """Number of units of equal size that would vary as much: Kish's number."""
        sizes = np.bincount(self.numbers)
        return float(sizes.sum()) ** 2 / float((sizes.astype(np.float64) ** 2).sum())

    @property
    def largest(self) -> int:
        """Rows of the largest unit."""
        return int(np.bincount(self.numbers).max())


def given_units(
    units: object, x: object, y: object, *, table: object = None, dropped: bool = False
) -> Units | None:
    """Units that a caller tells, for the rows that make a pair; None if each is one row.

    Parameters
    ----------
    units : array-like of shape (n,), or a column name
        Whatever tells units apart: text, numbers, categories.
    x, y, table
        As in :func:`bqcd.decide`.
    dropped : bool, default=False
        Whether rows with missing values of x or y are left out.

    Raises
    ------
    InvalidPairError
        If the units are too many or too few for the rows, one is missing, or all rows are of
        one unit.

    Examples
    --------
    >>> given_units(list("aabbbb"), range(6), range(6)).numbers
    array([0, 0, 1, 1, 1, 1])
    """
    name = series_name(units) or "units"
    if table is not None:
        asked = (x, y, units) if isinstance(units, str | Integral) else (x, y)
        columns = named_columns(table, *asked)
        x, y = columns[0][1], columns[1][1]
        if len(columns) == 3:
            name, units = columns[2]
    complete = np.isfinite(as_vector(x, "x")) & np.isfinite(as_vector(y, "y"))
    labels = _labels(units, name)
    if len(labels) != len(complete):
        raise InvalidPairError(
            f"Units {name!r} must be one for each of {len(complete)} rows, got {len(labels)}."
        )
    numbers = _dense(labels[complete] if dropped else labels)
    if len(numbers) and numbers.max() == 0:
        raise InvalidPairError(f"Units {name!r} must be two or more, but all rows are of one.")
    found = Units(numbers, "given", name)
    return None if found.largest <= 1 else found


def found_units(pair: Pair) -> Units | None:
    """Units that can be seen in two columns and the order of their rows; None for single rows.

    Neighbouring rows that depend on each other make blocks. Otherwise rows that have more others
    right beside them than independent rows would are taken together: the equal ones, or those of
    a clump. What overlaps too much cannot be seen.

    Parameters
    ----------
    pair : Pair
        Two columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 200))
    >>> found_units(Pair(x, y)) is None
    True
    >>> five_times = np.tile(np.arange(200), 5)
    >>> units = found_units(Pair(x[five_times], y[five_times]))
    >>> units.kind, units.count
    ('copies', 200)
    """
    blocks = _blocks(serial_rows(pair), len(pair))
    return _clumps(pair) if blocks is None else blocks


def sorted_rows(pair: Pair, ranked: RankedPair) -> Places:
    """Rows in the order of the first variable of the ranks, then of the second."""
    return _sorted_rows(pair, ranked)[0]


def numbers_of_sorted(units: Units, pair: Pair, ranked: RankedPair) -> Numbers:
    """Unit of each row, the rows sorted by both variables of the ranks.

    Units are numbered by the smallest of their rows, so that neither the order of the rows nor
    that of the columns matters.

    Parameters
    ----------
    units : Units
        Of the rows of the pair.
    pair : Pair
        Two columns.
    ranked : RankedPair
        Their ranks; its sign must not be 0.
    """
    order, first, second = _sorted_rows(pair, ranked)
    return _in_order_of_rows(units.numbers[order], _copies(first, second))


def sorted_by_second(pair: Pair, ranked: RankedPair) -> Places:
    """Numbers of the sorted rows in the order of the second variable."""
    if ranked.ties is not None:
        return ranked.ties.second.astype(np.intp)
    return np.argsort(_sorted_rows(pair, ranked)[2])


def drawn_places(numbers: Numbers, rows: int, rng: Generator) -> Places:
    """Places of so many rows, in increasing order: those of random units, the last one in part.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        Unit of each row, from 0.
    rows : int
        How many to draw.
    rng : Generator
        Source of randomness.

    Examples
    --------
    >>> drawn_places(np.array([0, 0, 1, 1, 2, 2]), 4, default_rng(0))
    array([2, 3, 4, 5])
    """
    turn = rng.permutation(int(numbers.max()) + 1)
    keys = turn[numbers] + rng.random(len(numbers))
    return np.sort(np.argpartition(keys, rows - 1)[:rows])


def _labels(units: Any, name: str) -> NDArray[np.object_]:
    """Labels of the rows as text and numbers; refuses missing ones."""
    to_list = getattr(units, "to_list", None) or getattr(units, "tolist", None)
    values = list(to_list()) if to_list is not None else list(units)
    # NaN and the missing values of data frames do not equal themselves.
    gaps = [value is None or not _is_true(value == value) for value in values]
    missing = np.array(gaps, dtype=bool)
    if problem := missing_problem(missing, name, advice="leave such rows out"):
        raise InvalidPairError(problem)
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels


def _is_true(value: object) -> bool:
    try:
        return bool(value)
    except (TypeError, ValueError):
        return False


def _dense(labels: NDArray[np.object_]) -> Numbers:
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _blocks(worth: float, n: int) -> Units | None:
    """Blocks of neighbouring rows, if rows depend on those before and are not merely sorted."""
    if worth >= _NEARLY_ALL * n or n < 2 * MIN_ROWS:
        return None
    fading = n / worth
    length = ceil(_BLOCK_LENGTHS * fading * max(1.0, n / 1000.0) ** (1.0 / 3.0))
    length = min(length, n // _FEWEST_BLOCKS)
    return Units(np.arange(n) // length, "blocks")


def _clumps(pair: Pair) -> Units | None:
    """Equal rows, or rows that lie beside each other, where there are more than by chance."""
    ranked = ranks_of(pair)
    if ranked.sign == 0:
        return None
    order, first, second = _sorted_rows(pair, ranked)
    # A column that is coarser than the other lies in clumps of its own making.
    alike = on_common_grid(first, second)
    if alike is None:
        return None
    points = _points(*alike)
    beside = companions(_some_neighbours(points))
    if beside == 0.0:
        return None
    copy_of = _copies(first, second)
    sizes = np.bincount(copy_of).astype(np.float64)
    numbers = np.empty(len(pair), dtype=np.int64)
    if float((sizes * (sizes - 1.0)).sum()) / len(pair) >= _MOSTLY_EQUAL * beside:
        numbers[order] = copy_of
        return Units(numbers, "copies")
    numbers[order] = clump_numbers(points, ceil(2.0 * (1.0 + beside)))
    return Units(numbers, "clumps")


def _sorted_rows(pair: Pair, ranked: RankedPair) -> tuple[Places, Vector, Vector]:
    """Rows in the order of the first variable, then of the second, and both variables so."""
    first, second = (pair.x, pair.y) if ranked.sign > 0 else (pair.y, pair.x)
    order = np.lexsort((second, first))
    return order, first[order], second[order]


def _points(first: Vector, second: Vector) -> Matrix:
    """Ranks in the unit square, ties broken at random."""
    rng = default_rng(0)
    points = np.empty((len(first), 2))
    for at, column in enumerate((first, second)):
        order = np.lexsort((rng.random(len(column)), column))
        points[order, at] = (np.arange(len(column)) + 0.5) / len(column)
    return points


def _some_neighbours(points: Matrix) -> Matrix:
    """Points in an order of chance; of many, those in the middle of the second variable."""
    if len(points) > _MOST_ROWS:
        middle = np.abs(points[:, 1] - 0.5) < 0.5 * _MOST_ROWS / len(points)
        points = _points(points[middle, 0], points[middle, 1])
    return default_rng(1).permutation(points)


def _copies(first: Vector, second: Vector) -> Numbers:
    """Number of the distinct row that each row is; rows are sorted by both columns."""
    new = np.zeros(len(first), dtype=np.int64)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return np.cumsum(new)


def _in_order_of_rows(numbers: Numbers, copy_of: Numbers) -> Numbers:
    """The same units of sorted rows, numbered by their smallest row, then by size and sum."""
    count = int(numbers.max()) + 1
    smallest = np.full(count, len(numbers), dtype=np.int64)
    np.minimum.at(smallest, numbers, copy_of)
    sums = np.bincount(numbers, weights=copy_of, minlength=count)
    order = np.lexsort((sums, np.bincount(numbers, minlength=count), smallest))
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    renumbered = place[numbers]
    # Equal rows may belong to different units: which comes first must not hang on their order.
    return renumbered[np.lexsort((renumbered, copy_of))]
