"""Checks of settings: which setting of what, what is allowed, what was given."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real

from bqcd.errors import InvalidSettingError


def check_integer(
    owner: str, name: str, value: object, *, minimum: int, maximum: int | None = None
) -> None:
    """Refuse anything but an integer from ``minimum`` to ``maximum``."""
    whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    if whole and minimum <= int(value) and (maximum is None or int(value) <= maximum):  # type: ignore[call-overload]
        return
    limit = f">= {minimum}" if maximum is None else f"from {minimum} to {maximum}"
    raise InvalidSettingError(f"{name} of {owner} must be an integer {limit}, got {value!r}.")


def check_flag(owner: str, name: str, value: object) -> None:
    """Refuse anything but True and False."""
    if not isinstance(value, bool):
        raise InvalidSettingError(f"{name} of {owner} must be True or False, got {value!r}.")


def check_number(
    owner: str, name: str, value: object, *, above: float, at_most: float = float("inf")
) -> None:
    """Refuse anything but a finite number in the interval (``above``, ``at_most``]."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not isfinite(float(value)) or not above < float(value) <= at_most:  # type: ignore[arg-type]
        limit = "" if at_most == float("inf") else f" and <= {at_most:g}"
        raise InvalidSettingError(
            f"{name} of {owner} must be a number > {above:g}{limit}, got {value!r}."
        )


def check_choice(owner: str, name: str, value: object, allowed: Collection[str]) -> None:
    """Refuse anything but one of the ``allowed`` words."""
    if value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise InvalidSettingError(f"{name} of {owner} must be one of {words}, got {value!r}.")


def nearest_names(name: str, known: Collection[str], *, most: int = 3) -> str:
    """Known names spelled most like ``name``, as the end of an error message."""
    close = get_close_matches(name, known, n=most, cutoff=0.5)
    if close:
        return "Nearest: " + ", ".join(repr(other) for other in close) + "."
    listed = sorted(known)
    tail = ", ..." if len(listed) > 12 else ""
    return "Known: " + ", ".join(repr(other) for other in listed[:12]) + tail + "."
