"""What is computed from an object once, however many ask for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

Given = TypeVar("Given")
Made = TypeVar("Made")


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
