"""What is computed from an object once, however many ask for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import ParamSpec, TypeVar, cast
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from bqcd.runtime.arrays import Vector

Given = TypeVar("Given")
Made = TypeVar("Made")
Asked = ParamSpec("Asked")

# What is made of longer columns is not kept: it would hold memory as long as they live.
MOST_ROWS_KEPT = 100_000


def once_for_each(function: Callable[[Given], Made]) -> Callable[[Given], Made]:
    """Function of an immutable object that keeps its answer as long as the object lives.

    The answers stay in this process: an object that is sent to another one goes without them.

    Examples
    --------
    >>> asked = []
    >>> @once_for_each
    ... def size(names):
    ...     asked.append(len(names))
    ...     return len(names)
    >>> names = frozenset({"a", "b"})
    >>> size(names), size(names), asked
    (2, 2, [2])
    """
    kept: WeakKeyDictionary[Given, Made] = WeakKeyDictionary()

    @wraps(function)
    def asked(given: Given) -> Made:
        try:
            return kept[given]
        except KeyError:
            return kept.setdefault(given, function(given))

    return asked


def once_for_columns(function: Callable[Asked, Made]) -> Callable[Asked, Made]:
    """Function of read-only columns, and settings by name, that keeps its answers.

    They are kept as long as the columns live, so that methods that judge the same pair share
    what they make of its columns, and of what was made of those. An array that comes out is
    read-only too. Columns that can be written to, or have more than ``MOST_ROWS_KEPT`` rows,
    are computed with each time. What comes out must not hold on to the columns.

    Examples
    --------
    >>> @once_for_columns
    ... def doubled(column):
    ...     return 2.0 * column
    >>> column = np.arange(3.0)
    >>> doubled(column) is doubled(column)
    False
    >>> column.flags.writeable = False
    >>> doubled(column) is doubled(column)
    True
    """
    kept: dict[Hashable, tuple[Made, list[ReferenceType[Vector]]]] = {}

    @wraps(function)
    def asked(*args: Asked.args, **kwargs: Asked.kwargs) -> Made:
        columns = cast("tuple[Vector, ...]", args)
        if any(column.flags.writeable or len(column) > MOST_ROWS_KEPT for column in columns):
            return function(*args, **kwargs)
        key = *map(id, columns), *kwargs.items()
        if key in kept:
            return kept[key][0]
        made = function(*args, **kwargs)
        if isinstance(made, np.ndarray):
            made.flags.writeable = False
        # The number of an object is free for another one once it is gone.
        kept[key] = made, [ref(column, lambda _: kept.pop(key, None)) for column in columns]
        return made

    return asked
