"""Columns of numbers in the small text files of benchmarks.

NumPy reads them as fast as anything; only a file that it refuses is looked through in Python,
to name the line, the rule and the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from pathlib import Path
from typing import NoReturn

import numpy as np

from bqcd.benchmark.datasets.records import LabelledPair, RefusedPair, placed_pair
from bqcd.benchmark.datasets.unpacking import MOST_BYTES
from bqcd.data.files.text import reason, text_up_to
from bqcd.data.pair import Direction, Pair
from bqcd.errors import InvalidPairError, InvalidTableError
from bqcd.runtime.arrays import Matrix, Vector


def text_lines(path: Path) -> list[str]:
    """Lines of a text file, without their ends.

    Raises
    ------
    InvalidTableError
        If the file is missing, or no UTF-8 text.
    """
    try:
        return text_up_to(path, MOST_BYTES).splitlines()
    except FileNotFoundError:
        raise InvalidTableError(f"{path} is missing.") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InvalidTableError(
            f"{path} must be UTF-8 text, but byte {error.start} is 0x{byte:02x}."
        ) from error
    except (OSError, ValueError) as error:
        raise InvalidTableError(f"{path} cannot be read: {reason(error)}.") from error


def two_columns(
    path: Path, first: int, second: int, *, delimiter: str | None = None, headed: bool = False
) -> tuple[Vector, Vector]:
    """Two columns of a file of numbers, counted from 1; see :func:`columns_of`."""
    x, y = columns_of(path, (first, second), delimiter=delimiter, headed=headed)
    return x, y


def columns_of(
    path: Path, wanted: Sequence[int], *, delimiter: str | None = None, headed: bool = False
) -> tuple[Vector, ...]:
    """Some columns of a file of numbers, counted from 1.

    Parameters
    ----------
    path : Path
        File with as many numbers in each line; blank lines do not count.
    wanted : sequence of int
        Columns that are wanted. They must be finite; what else stands in a line must only
        be numbers.
    delimiter : str, optional
        What separates numbers; by default white space.
    headed : bool, default=False
        Whether the first line names the columns.

    Raises
    ------
    InvalidTableError
        If the file is not like that. The message names file, line, rule and value.
    """
    lines = text_lines(path)
    body = lines[int(headed) :]
    if headed and lines and all(_is_number(field) for field in _fields(lines[0], delimiter)):
        raise InvalidTableError(
            f"{path} line 1 must name the columns, but holds the numbers {lines[0].strip()!r}."
        )
    if not any(line.strip() for line in body):
        raise InvalidTableError(f"{path} holds no numbers.")
    try:
        numbers = np.loadtxt(body, delimiter=delimiter, comments=None, quotechar='"', ndmin=2)
        columns = tuple(numbers[:, place - 1].copy() for place in wanted)
    except (ValueError, IndexError):
        _refuse(path, lines, wanted, delimiter=delimiter, headed=headed)
    if not all(np.isfinite(column).all() for column in columns):
        _refuse(path, lines, wanted, delimiter=delimiter, headed=headed)
    return columns


def numbers_of(cell: str, where: str) -> Vector:
    """Numbers in a text, separated by white space.

    Parameters
    ----------
    cell : str
        The text.
    where : str
        File, line and column, for messages.

    Raises
    ------
    InvalidTableError
        If there are none, or one of them is no finite number.
    """
    if not cell.strip():
        raise InvalidTableError(f"{where} must hold numbers, but is empty.")
    try:
        numbers = np.loadtxt([cell], comments=None, ndmin=1)
    except ValueError:
        numbers = np.array([np.nan])
    if np.isfinite(numbers).all():
        return numbers
    for at, word in enumerate(cell.split(), start=1):
        if not _is_number(word) or not isfinite(float(word)):
            raise InvalidTableError(
                f"{where} must hold finite numbers, but value {at} is {word!r}."
            )
    raise InvalidTableError(f"{where} must hold numbers in one line, got {cell[:40]!r}.")


def labelled_or_refused(
    columns: tuple[Vector, Vector] | tuple[Matrix, Matrix],
    key: str,
    truth: Direction,
    *,
    weight: float = 1.0,
) -> LabelledPair | RefusedPair:
    """Labelled pair of two columns, or two groups; refused, with the reason, if it is no pair."""
    x, y = columns
    try:
        if x.ndim == 1:
            return LabelledPair(Pair(x, y, key=key), truth, weight)
        return LabelledPair(placed_pair(x, y, key=key), truth, weight)
    except InvalidPairError as error:
        return RefusedPair(key, str(error))


def _fields(line: str, delimiter: str | None) -> list[str]:
    return [field.strip().strip('"') for field in line.split(delimiter)]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field


def _refuse(
    path: Path,
    lines: Sequence[str],
    wanted: Sequence[int],
    *,
    delimiter: str | None,
    headed: bool,
) -> NoReturn:
    """Raise, naming the first line that breaks a rule."""
    width = 0
    for number, line in enumerate(lines, start=1):
        if number <= headed or not line.strip():
            continue
        fields = _fields(line, delimiter)
        width = width or len(fields)
        at = f"{path} line {number}"
        if width < max(wanted):
            raise InvalidTableError(
                f"{at} must have {max(wanted)} columns or more, but has {len(fields)}."
            )
        if len(fields) != width:
            raise InvalidTableError(
                f"{at} must have {width} columns like the first, but has {len(fields)}."
            )
        for column, field in enumerate(fields, start=1):
            if not _is_number(field):
                raise InvalidTableError(f"{at} column {column} must be a number, got {field!r}.")
            if column in wanted and not isfinite(float(field)):
                rule = "must not be missing" if isnan(float(field)) else "must be finite"
                raise InvalidTableError(f"{at} column {column} {rule}, got {field!r}.")
    raise InvalidTableError(f"{path} must hold lines of numbers, but cannot be read as such.")
