"""Folders with ``pairs_gt.txt``: the layout of the AN, AN-s, LS, LS-s and MN-U pairs.

``pair_1.txt``, ``pair_2.txt``, ... are tables with a header, an index column and two columns,
separated by commas; ``pairs_gt.txt`` has a label for each, in the order of their numbers: 1 if
the first column causes the second, 0 for the reverse. The published headers differ with the
label, "x_pa" and "x_child" for 1 but "x" and "y" for 0, so they are not handed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bqcd.benchmark.datasets.records import LabelledPair, RefusedPair
from bqcd.benchmark.datasets.text_columns import labelled_or_refused, text_lines, two_columns
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError

LABELS = "pairs_gt.txt"

_DIRECTIONS = {"1": Direction.X_TO_Y, "0": Direction.Y_TO_X}


def read_numbered(
    folder: Path, name: str, left_out: Mapping[str, str]
) -> Iterator[LabelledPair | RefusedPair]:
    """Pairs of such a folder by number; parameters and errors as of ``read_pairmeta``."""
    truths = list(_truths(folder / LABELS))
    _check_count(folder, len(truths))
    for number, truth in enumerate(truths, start=1):
        key = f"{name}/{number:04d}"
        if reason := left_out.get(str(number)):
            yield RefusedPair(key, reason)
            continue
        columns = two_columns(folder / f"pair_{number}.txt", 2, 3, delimiter=",", headed=True)
        yield labelled_or_refused(columns, key, truth)


def _truths(path: Path) -> Iterator[Direction]:
    lines = text_lines(path)
    if not any(line.strip() for line in lines):
        raise InvalidTableError(f"{path} must have a label for each pair, but is empty.")
    for at, line in enumerate(lines, start=1):
        for label in line.split():
            if label not in _DIRECTIONS:
                raise InvalidTableError(f"{path} line {at} must be 0 or 1, got {label!r}.")
            yield _DIRECTIONS[label]


def _check_count(folder: Path, labels: int) -> None:
    """Refuse labels without a file and files without a label."""
    names = (re.fullmatch(r"pair_([0-9]+)\.txt", path.name) for path in folder.iterdir())
    files = {int(match[1]) for match in names if match}
    if files != set(range(1, labels + 1)):
        odd = min(files ^ set(range(1, labels + 1)))
        lacks = "a file" if odd <= labels else "a label"
        raise InvalidTableError(
            f"{folder / LABELS} must have a label for each pair file and no other, but there are "
            f"{labels} labels and {len(files)} files: pair {odd} has not got {lacks}."
        )
