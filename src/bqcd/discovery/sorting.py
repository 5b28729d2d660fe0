"""Columns in order: by compiled code where it is at hand or pays, by NumPy elsewhere.

The stable order of a column is unique, so both give the same numbers. Compiling the sort takes as
long as NumPy takes for ten thousand columns of a thousand rows: short columns do without unless the
code is there already, as it is after ``bqcd warm-up``, a long column, or very many short ones.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector

Order = NDArray[np.int32]
Sign = Literal[-1, 0, 1]

# From here on NumPy takes eight times as long.
LONG_COLUMN = 1 << 14
# Rows of short columns that NumPy sorts before it has taken as long as compiling takes.
MANY_ROWS = 20_000_000


def stable_order(values: Vector) -> tuple[Order, int]:
    """Row numbers in increasing order of value, and how many values repeat an earlier one.

    Examples
    --------
    >>> stable_order(np.array([0.5, 0.1, 0.5]))
    (array([1, 0, 2], dtype=int32), 1)
    """
    from bqcd.discovery.ranking_kernels import fill_order
    from bqcd.runtime.kernel import at_hand

    words = np.empty((2, len(values)), dtype=np.uint64)
    order = np.empty(len(values), dtype=np.int32)
    # A copy, as one kernel for columns that may be written to is one compilation less.
    arguments = (np.array(values, dtype=np.float64), words[0], words[1], order)
    if not (at_hand(fill_order, *arguments) or _pays(len(values))):
        return _order_by_numpy(values)
    return order, fill_order(*arguments)


def untied_form(x: Vector, y: Vector) -> tuple[Sign, int, int, Order | None]:
    """Which column is the first, the ties of both, and the pair as read from there.

    Of the two ways to read a pair, ranks of x by those of y and ranks of y by those of x, the
    one that comes first in the dictionary makes its column the first: 1 if that is x, -1 if it
    is y, 0 if they are the same. With ties, only their numbers are told.

    Examples
    --------
    >>> untied_form(np.array([1.0, 2.0, 3.0]), np.array([5.0, 9.0, 7.0]))
    (0, 0, 0, array([0, 2, 1], dtype=int32))
    """
    from bqcd.discovery.ranking_kernels import fill_untied_form
    from bqcd.runtime.kernel import at_hand

    # Room is made here, not in the kernel: NumPy asks for huge pages, which are faster.
    words = np.empty((2, len(x)), dtype=np.uint64)
    orders = np.empty((3, len(x)), dtype=np.int32)
    arguments = (_read_only(x), _read_only(y), words, np.empty(len(x)), orders)
    if not (at_hand(fill_untied_form, *arguments) or _pays(len(x))):
        return _form_by_numpy(x, y)
    sign, x_ties, y_ties = fill_untied_form(*arguments)
    untied = None if x_ties or y_ties else orders[2 if sign < 0 else 1].copy()
    return sign, x_ties, y_ties, untied


class _ByNumPy:
    """What NumPy has sorted in this process."""

    rows = 0


def _pays(rows: int) -> bool:
    """Whether to compile the sort for a column."""
    return rows >= LONG_COLUMN or _ByNumPy.rows >= MANY_ROWS


def _read_only(values: Vector) -> Vector:
    """The same column, in the one of two kinds that the kernel is compiled for."""
    view = values.view()
    view.flags.writeable = False
    return view


def _order_by_numpy(values: Vector) -> tuple[Order, int]:
    _ByNumPy.rows += len(values)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    return order.astype(np.int32), int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _form_by_numpy(x: Vector, y: Vector) -> tuple[Sign, int, int, Order | None]:
    x_order, x_ties = _order_by_numpy(x)
    x_by_y, y_ties = _order_by_numpy(y[x_order])
    if x_ties or y_ties:
        return 0, x_ties, y_ties, None
    y_by_x = np.empty_like(x_by_y)
    y_by_x[x_by_y] = np.arange(len(x), dtype=np.int32)
    place = int(np.argmax(x_by_y != y_by_x))
    if x_by_y[place] == y_by_x[place]:
        return 0, 0, 0, x_by_y
    return (1, 0, 0, x_by_y) if y_by_x[place] < x_by_y[place] else (-1, 0, 0, y_by_x)
