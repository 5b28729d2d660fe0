"""Why a column is left out of a scan though it could be read: names, notes, one value only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from bqcd.data.checks import MIN_ROWS
from bqcd.runtime.arrays import Vector

# Enough to tell what kind of text it is.
_LOOKED_AT = 10_000
_IDENTIFIER = re.compile(
    r"(?i:(.*[_ .-])?(id|uuid|guid|rowid|row[_ ]?names?)|index|unnamed: 0)|.*[a-z]I[dD]"
    # What pandas writes of the numbers of rows.
    r"|__index_level_[0-9]+__"
)
_NUMBERISH = re.compile(r"[+-]?[0-9.,]+")


def identifier_problem(values: Vector, name: str, n_distinct: int) -> str:
    """That a column of numbers names its rows; empty if it does not.

    It must be called so, and its values must be whole and all different.

    Examples
    --------
    >>> identifier_problem(np.arange(20.0), "patient_id", 20)
    "Column 'patient_id' is an identifier: its 20 values all differ."
    >>> identifier_problem(np.arange(20.0), "age", 20)
    ''
    """
    if n_distinct < max(MIN_ROWS, len(values)) or not _IDENTIFIER.fullmatch(name):
        return ""
    if not (np.floor(values) == values).all():
        return ""
    return f"Column {name!r} is an identifier: its {n_distinct:,} values all differ."


def text_problem(parts: Iterator[Any], name: str, told: str) -> str:
    """Why a column of words is left out.

    Parameters
    ----------
    parts : iterator of array-like
        Its pieces.
    name : str
        Its name.
    told : str
        Why it cannot be read as numbers, which is said if nothing better is known.

    Examples
    --------
    >>> text_problem(iter([["CH"] * 12]), "country", "")
    "Column 'country' must vary, but it is constant: all 12 rows are 'CH'."
    >>> text_problem(iter([[f"person {at}" for at in range(12)]]), "name", "")
    "Column 'name' is an identifier: its 12 values all differ."
    """
    words = _first_words(parts)
    if len(words) < MIN_ROWS or any(map(_NUMBERISH.fullmatch, words)):
        return told
    different = len(set(words))
    if different == 1:
        rows = f"all {len(words):,} rows" if len(words) < _LOOKED_AT else "its rows"
        return f"Column {name!r} must vary, but it is constant: {rows} are {words[0]!r}."
    first = "first " if len(words) == _LOOKED_AT else ""
    if different == len(words):
        return f"Column {name!r} is an identifier: its {first}{different:,} values all differ."
    if 2 * different > len(words):
        return (
            f"Column {name!r} is free text: {different:,} of its {first}{len(words):,} values "
            "differ."
        )
    return told


def _first_words(parts: Iterator[Any]) -> list[str]:
    """The first words of a column; none if one of its values is no word."""
    words: list[str] = []
    for part in parts:
        piece = part[: _LOOKED_AT - len(words)]
        values = piece.to_pylist() if hasattr(piece, "to_pylist") else list(piece)
        known = [value for value in values if value is not None and value == value]
        if not all(isinstance(value, str) for value in known):
            return []
        words += known
        if len(words) >= _LOOKED_AT:
            break
    return words
