"""How a table is to be read where its file does not say so itself."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from reprlib import repr as short_repr
from typing import Any

from bqcd.errors import InvalidSettingError

MISSING_WORDS = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", ".", "-", "?",
)  # fmt: skip
"""Spellings of a missing value: those of pandas, a point, a dash and a question mark."""

_NAMED_LETTERS = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ","}
_NAMED_LETTERS |= {"semicolon": ";", "point": ".", "bar": "|", "apostrophe": "'"}
_THOUSANDS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is said of a table beside its name; see :func:`bqcd.read_table`.

    Examples
    --------
    >>> Reading(delimiter="semicolon", na="-999").unusual()
    {'delimiter': ';', 'na': ('-999',)}
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    na: Any = ()
    comment: str | None = None
    header: bool | None = None
    sheet: str | int | None = None
    table: str | None = None
    query: str | None = None
    nominal: Any = ()
    order: Any = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for name in ("delimiter", "decimal", "thousands", "comment"):
            value = getattr(self, name)
            self._set(name, _NAMED_LETTERS.get(value, value) if isinstance(value, str) else value)
        self._set("na", tuple(map(str, _listed("na", self.na))))
        self._set("nominal", tuple(map(str, _listed("nominal", self.nominal))))
        self._set("order", _levels(self.order))
        _check_letters(self)
        _check_words(self)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def unusual(self) -> dict[str, Any]:
        """What was said, without what was left open."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in told.items() if value not in (None, ())}

    @property
    def missing_words(self) -> tuple[str, ...]:
        """All spellings of a missing value."""
        return (*MISSING_WORDS, *self.na)

    def check_used(self, label: str, used: Iterable[str]) -> None:
        """Refuse switches that say nothing of a file of this kind.

        Raises
        ------
        InvalidSettingError
            If there is one.
        """
        for name in self.unusual():
            if name not in (*used, "na", "nominal", "order"):
                raise InvalidSettingError(
                    f"{name} (--{name}) says nothing of {label}; leave it out."
                )


def _listed(name: str, value: object) -> tuple[object, ...]:
    if isinstance(value, str | int | float):
        return (value,)
    if not isinstance(value, Iterable):
        raise InvalidSettingError(f"{name} must be one or several, got {short_repr(value)}.")
    return tuple(value)


def _levels(order: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Columns with their levels, lowest first."""
    items = order.items() if isinstance(order, Mapping) else order
    found = []
    for item in items:  # type: ignore[attr-defined]
        if isinstance(item, str):
            name, _, text = item.rpartition("=")
            item = name, [word.strip() for word in text.split("<" if "<" in text else ",")]
        name, levels = item
        words = tuple(map(str, levels)) if isinstance(levels, Sequence) else ()
        if not name or isinstance(levels, str) or len(set(words)) < max(2, len(words)):
            raise InvalidSettingError(
                "order must name a column and two or more different levels, lowest first "
                f"(--order grade=low,middle,high), got {short_repr(item)}."
            )
        found.append((str(name), words))
    return tuple(found)


def _check_letters(reading: Reading) -> None:
    for name in ("delimiter", "decimal", "thousands"):
        value = getattr(reading, name)
        if value is not None and (not isinstance(value, str) or len(value) != 1):
            raise InvalidSettingError(f"{name} must be one letter, got {short_repr(value)}.")
    if reading.delimiter is not None and (
        reading.delimiter in '\r\n"\0' or not reading.delimiter.isascii()
    ):
        raise InvalidSettingError(f"delimiter cannot be {reading.delimiter!r}.")
    if reading.decimal not in (None, ".", ","):
        raise InvalidSettingError(f"decimal must be '.' or ',', got {reading.decimal!r}.")
    if reading.thousands not in (None, *_THOUSANDS):
        raise InvalidSettingError(
            f"thousands must be one of {', '.join(map(repr, _THOUSANDS))}, got "
            f"{reading.thousands!r}."
        )
    for one, other in (
        ("decimal", "thousands"),
        ("decimal", "delimiter"),
        ("thousands", "delimiter"),
    ):
        value = getattr(reading, one)
        # A comma file may have decimal commas in quotes.
        if value is not None and value == getattr(reading, other) and value != ",":
            raise InvalidSettingError(f"{one} and {other} must differ, but both are {value!r}.")
    if reading.decimal == reading.thousands == ",":
        raise InvalidSettingError("decimal and thousands must differ, but both are ','.")


def _check_words(reading: Reading) -> None:
    for name in ("encoding", "comment", "table", "query"):
        value = getattr(reading, name)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise InvalidSettingError(f"{name} must be text, got {short_repr(value)}.")
    if reading.header is not None and not isinstance(reading.header, bool):
        raise InvalidSettingError(f"header must be true or false, got {reading.header!r}.")
    if reading.sheet is not None and not isinstance(reading.sheet, str | int):
        raise InvalidSettingError(f"sheet must be a name or a number, got {reading.sheet!r}.")
    if reading.table is not None and reading.query is not None:
        raise InvalidSettingError("table and query exclude each other; give one of them.")
    if reading.encoding is not None:
        try:
            text = "a".encode(reading.encoding)
        except (LookupError, ValueError, UnicodeError, AttributeError, TypeError) as error:
            raise InvalidSettingError(
                f"encoding must be one that Python knows, got {reading.encoding!r}."
            ) from error
        if not isinstance(codecs.lookup(reading.encoding).decode(text)[0], str):
            raise InvalidSettingError(f"encoding must be one of text, got {reading.encoding!r}.")
