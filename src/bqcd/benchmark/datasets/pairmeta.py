"""Folders with ``pairmeta.txt``: the layout of the Tübingen and the SIM pairs.

Each line of ``pairmeta.txt`` has six fields: number of the pair, first and last column of the
cause, first and last column of the effect, weight. Pair ``0001`` stands in ``pair0001.txt``,
columns separated by white space. A file may have columns that belong to neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bqcd.benchmark.datasets.records import LabelledPair, PairSet, RefusedPair
from bqcd.benchmark.datasets.text_columns import (
    columns_of,
    labelled_or_refused,
    text_lines,
    two_columns,
)
from bqcd.data.pair import Direction
from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.runtime.atomic import about_file, write_whole

META = "pairmeta.txt"


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the meta data; columns are counted from 1."""

    number: str
    cause: tuple[int, int]
    effect: tuple[int, int]
    weight: float

    @property
    def columns(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Columns of x and y: of the side that comes first in the file, and of the other."""
        first, second = sorted((self.cause, self.effect))
        return tuple(range(first[0], first[1] + 1)), tuple(range(second[0], second[1] + 1))


def read_pairmeta(
    folder: Path, name: str, left_out: Mapping[str, str]
) -> Iterator[LabelledPair | RefusedPair]:
    """Pairs of such a folder in the order of the meta data, groups of columns among them.

    Parameters
    ----------
    folder : Path
        Folder with ``pairmeta.txt`` and the pair files.
    name : str
        Beginning of the keys.
    left_out : mapping from str to str
        Numbers of pairs to refuse unread, and the reasons.

    Raises
    ------
    InvalidTableError
        If a file breaks the layout. The message names file, line, rule and value.
    """
    lines = list(_meta_lines(folder / META))
    _check_files(folder, {line.number for line in lines})
    for line in lines:
        key = f"{name}/{line.number}"
        if reason := left_out.get(line.number):
            yield RefusedPair(key, reason)
            continue
        path, (x, y) = folder / f"pair{line.number}.txt", line.columns
        truth = Direction.X_TO_Y if line.cause < line.effect else Direction.Y_TO_X
        if len(x) == len(y) == 1:
            columns = two_columns(path, x[0], y[0])
            yield labelled_or_refused(columns, key, truth, weight=line.weight)
        else:
            sides = columns_of(path, (*x, *y))
            matrices = np.stack(sides[: len(x)], axis=1), np.stack(sides[len(x) :], axis=1)
            yield labelled_or_refused(matrices, key, truth, weight=line.weight)


def write_pairmeta(pairs: PairSet, folder: str | Path, *, readme: str = "") -> Path:
    """Folder with the pairs in this layout; read again, they have the same numbers.

    Parameters
    ----------
    pairs : PairSet
        Pairs to write; they are numbered from 1.
    folder : path
        Folder to make. It appears when it is complete.
    readme : str, default=""
        Text of a ``README.txt`` beside the pairs.

    Raises
    ------
    InvalidSettingError
        If the folder exists and is not empty, or is a file.
    OSError
        If it cannot be written; its ``filename`` is the folder.
    """
    target = Path(folder).expanduser().absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidSettingError(f"{folder} must be a new or an empty folder.")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
            made = Path(scratch) / "pairs"
            made.mkdir()
            _write(pairs, made)
            if readme:
                write_whole(made / "README.txt", readme)
            if target.exists():
                target.rmdir()
            made.rename(target)
    except OSError as error:
        # Nobody knows the folder that it is made in.
        raise about_file(error, target) from error
    return target


def _write(pairs: PairSet, folder: Path) -> None:
    meta = []
    for count, item in enumerate(pairs, start=1):
        number = f"{count:04d}"
        table = np.column_stack((item.pair.x, item.pair.y)).tolist()
        # repr is the shortest text that reads back as the same float.
        text = "".join(f"{' '.join(map(repr, row))}\n" for row in table)
        write_whole(folder / f"pair{number}.txt", text)
        width = item.pair.x.shape[1] if item.pair.x.ndim == 2 else 1
        x, y = f"1 {width}", f"{width + 1} {len(table[0])}"
        columns = f"{x} {y}" if item.truth is Direction.X_TO_Y else f"{y} {x}"
        meta.append(f"{number} {columns} {float(item.weight)!r}\n")
    write_whole(folder / META, "".join(meta))


def _meta_lines(path: Path) -> Iterator[_Line]:
    seen: dict[str, int] = {}
    for at, text in enumerate(text_lines(path), start=1):
        if not text.strip():
            continue
        line = _meta_line(text, f"{path} line {at}")
        if line.number in seen:
            raise InvalidTableError(
                f"{path} line {at} must be about another pair, but {line.number!r} is in line "
                f"{seen[line.number]} already."
            )
        seen[line.number] = at
        yield line
    if not seen:
        raise InvalidTableError(f"{path} must list pairs, but is empty.")


def _meta_line(text: str, where: str) -> _Line:
    fields = text.split()
    if len(fields) != 6:
        raise InvalidTableError(
            f"{where} must have 6 fields (pair, first and last column of the cause, of the "
            f"effect, weight), got {text.strip()!r}."
        )
    number, *columns, weight = fields
    if not re.fullmatch(r"[0-9]+", number):
        raise InvalidTableError(f"{where} must begin with a number of digits, got {number!r}.")
    for column in columns:
        if not re.fullmatch(r"[1-9][0-9]*", column):
            raise InvalidTableError(f"{where} must count columns from 1, got {column!r}.")
    cause, cause_end, effect, effect_end = map(int, columns)
    if cause_end < cause or effect_end < effect or not (cause_end < effect or effect_end < cause):
        raise InvalidTableError(
            f"{where} must give the cause and the effect columns of their own, first before "
            f"last, got {' '.join(columns)!r}."
        )
    return _Line(number, (cause, cause_end), (effect, effect_end), _weight(weight, where))


def _weight(text: str, where: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not isfinite(weight) or weight < 0.0:
        raise InvalidTableError(f"{where} must end with a weight >= 0, got {text!r}.")
    return weight


def _check_files(folder: Path, listed: set[str]) -> None:
    """Refuse a pair file that the meta data do not list: it would be left out unseen."""
    names = (re.fullmatch(r"pair([0-9]+)\.txt", path.name) for path in folder.iterdir())
    unlisted = sorted(match[0] for match in names if match and match[1] not in listed)
    if unlisted:
        more = f" and {len(unlisted) - 1} more" if len(unlisted) > 1 else ""
        raise InvalidTableError(
            f"{folder / META} must list every pair file, but has no line for {unlisted[0]}{more}."
        )
