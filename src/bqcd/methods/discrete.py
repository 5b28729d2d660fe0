"""What methods for columns of few values share: levels of a pair, and tables of counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bqcd.data.pair import Pair
from bqcd.data.scales import Scale
from bqcd.errors import InvalidPairError
from bqcd.methods.verdict import DirectedScores
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_integer
from bqcd.statistics.discrete.tables import (
    Codes,
    Counts,
    count_table,
    cut_levels,
    in_fixed_order,
    level_codes,
    level_order,
    merged_levels,
    whole_codes,
)

MAX_LEVELS = 20
"""Levels that a column is cut into if it has more values, by default."""

MOST_LEVELS = 200
"""Levels that a column may have at all."""

# Bits per row that are no difference: sums of the same terms in another order.
_ROUNDING = 1e-10


def check_levels(owner: str, max_levels: int) -> None:
    """Refuse fewer than two levels, and more than tables are made for."""
    check_integer(owner, "max_levels", max_levels, minimum=2, maximum=MOST_LEVELS)


def level_table(pair: Pair, max_levels: int) -> Counts:
    """How often levels of x (rows) come with those of y (columns).

    Parameters
    ----------
    pair : Pair
        Two columns; those without an order are taken as they are.
    max_levels : int
        Groups that an ordered column with more values is cut into.

    Raises
    ------
    InvalidPairError
        If a column without an order has more than 200 levels.

    Examples
    --------
    >>> level_table(Pair(np.arange(12.0) % 2, np.arange(12.0) % 3), 20)
    array([[2, 2, 2],
           [2, 2, 2]])
    """
    return count_table(
        _levels(pair.x, pair.x_scale, pair.x_name, max_levels),
        _levels(pair.y, pair.y_scale, pair.y_name, max_levels),
    )


def equal_table(pair: Pair, max_levels: int) -> Counts:
    """The same with equally many levels in both columns, as many as the coarser one has.

    Parameters
    ----------
    pair, max_levels
        As in :func:`level_table`.

    Examples
    --------
    >>> equal_table(Pair(np.arange(12.0) % 2, np.arange(12.0)), 20)
    array([[3, 3],
           [3, 3]])
    """
    sides = (pair.x, pair.x_scale, pair.x_name), (pair.y, pair.y_scale, pair.y_name)
    codes = [_levels(*side, max_levels) for side in sides]
    fewest = min(int(one.max()) + 1 for one in codes)
    for at, (column, scale, _) in enumerate(sides):
        if int(codes[at].max()) + 1 == fewest:
            continue
        if scale is None or not scale.is_nominal:
            # Values and not levels are cut, so that groups do not depend on levels made before.
            codes[at] = cut_levels(column, fewest)
            continue
        # Of levels that are equally rare, what they are called does not say which is merged.
        places = np.argsort(level_order(count_table(codes[at], codes[1 - at])))
        codes[at] = merged_levels(places[codes[at]], fewest)
    return count_table(codes[0], codes[1])


def whole_table(pair: Pair, max_levels: int) -> Counts:
    """The same of whole numbers, whose gaps have rows and columns of zeros."""
    return count_table(whole_codes(pair.x, max_levels), whole_codes(pair.y, max_levels))


def _levels(column: Vector, scale: Scale | None, name: str, max_levels: int) -> Codes:
    if scale is None or not scale.is_nominal:
        return level_codes(column, max_levels)
    codes = level_codes(column, 0)
    if (count := int(codes.max()) + 1) > MOST_LEVELS:
        raise InvalidPairError(
            f"Column {name!r} must have at most {MOST_LEVELS} levels without an order, got {count}."
        )
    return codes


def table_scores(
    table: Counts, bits: Callable[[Counts], float], measure: str, *, reordered: bool = True
) -> DirectedScores:
    """Bits per row of either direction, from a table of counts.

    Parameters
    ----------
    table : ndarray of shape (k, m)
        Levels of x in rows, of y in columns.
    bits : callable
        Bits of a table whose rows are levels of the cause.
    measure : str
        What they are.
    reordered : bool, default=True
        Whether levels come in an order that does not depend on what they are called.
    """
    n = int(table.sum())
    tables = (table, np.ascontiguousarray(table.T))
    forward, backward = (bits(in_fixed_order(one) if reordered else one) / n for one in tables)
    if abs(forward - backward) < _ROUNDING:
        forward = backward = 0.5 * (forward + backward)
    return DirectedScores(
        x_to_y=forward,
        y_to_x=backward,
        measure=measure,
        n_rows=n,
        facts={
            "x_levels": int((table.sum(axis=1) > 0).sum()),
            "y_levels": int((table.sum(axis=0) > 0).sum()),
        },
    )
