"""Checks of settings: which setting of what, what is allowed, what was given.

Every integer that time or memory grows with has a largest value: one beyond it is a slip of the
hand, and is better refused at once than waited for. Seeds cost nothing and may be any integer.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real

from bqcd.errors import InvalidSettingError, shortened

MOST_ROWS = 1_000_000_000
"""Largest number of rows that a setting may speak of."""

MOST_REPEATS = 100_000
"""Largest number of times that something may be repeated, to average or to compare."""

MOST_DRAWS = 10_000
"""Largest number of draws of rows."""

MOST_STEPS = 1_000_000
"""Largest number of steps of a search."""

MOST_WORKERS = 1_024
"""Largest number of processes on one machine."""


def check_integer(
    owner: str, name: str, value: object, *, minimum: int, maximum: int | None = None
) -> None:
    """Refuse anything but an integer from ``minimum`` to ``maximum``."""
    whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    if whole and minimum <= int(value) and (maximum is None or int(value) <= maximum):  # type: ignore[call-overload]
        return
    limit = f">= {minimum}" if maximum is None else f"from {minimum:,} to {maximum:,}"
    raise InvalidSettingError(f"{name} of {owner} must be an integer {limit}, got {_told(value)}.")


def check_flag(owner: str, name: str, value: object) -> None:
    """Refuse anything but True and False."""
    if not isinstance(value, bool):
        raise InvalidSettingError(f"{name} of {owner} must be True or False, got {_told(value)}.")


def check_number(
    owner: str, name: str, value: object, *, above: float, at_most: float = float("inf")
) -> None:
    """Refuse anything but a finite number in the interval (``above``, ``at_most``]."""
    number = _finite(value)
    if number is None or not above < number <= at_most:
        limit = "" if at_most == float("inf") else f" and <= {at_most:g}"
        raise InvalidSettingError(
            f"{name} of {owner} must be a number > {above:g}{limit}, got {_told(value)}."
        )


def check_choice(owner: str, name: str, value: object, allowed: Collection[str]) -> None:
    """Refuse anything but one of the ``allowed`` words."""
    if value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise InvalidSettingError(f"{name} of {owner} must be one of {words}, got {_told(value)}.")


def _finite(value: object) -> float | None:
    """Number as a float, None if it is none or beyond them."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def _told(value: object) -> str:
    """Value as in code, not too long."""
    try:
        return shortened(repr(value))
    except ValueError:  # Python writes out no integer of more than 4,300 digits.
        return f"{type(value).__name__} of thousands of digits"


def nearest_names(name: str, known: Collection[str], *, most: int = 3) -> str:
    """Known names spelled most like ``name``, as the end of an error message."""
    close = get_close_matches(name, known, n=most, cutoff=0.5)
    if close:
        return "Nearest: " + ", ".join(repr(other) for other in close) + "."
    listed = sorted(known)
    tail = ", ..." if len(listed) > 12 else ""
    return "Known: " + ", ".join(repr(other) for other in listed[:12]) + tail + "."
