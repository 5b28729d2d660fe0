"""Folders with ``*_pairs.csv``: the layout of the Kaggle challenge and of the CE pairs.

``NAME_pairs.csv`` has the columns SampleID, A and B, and a cell holds all numbers of a column
separated by blanks. ``NAME_targets.csv`` (or ``NAME_target.csv``) gives each sample 1 if A causes
B, -1 for the reverse, 0 for neither. ``NAME_publicinfo.csv``, if there is one, gives the type of
A and of B: Numerical, Categorical or Binary. Harvard Dataverse hands the same tables out with
tabs, as ``.tab``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from bqcd.benchmark.datasets.records import LabelledPair, RefusedPair
from bqcd.benchmark.datasets.text_columns import labelled_or_refused, numbers_of, text_lines
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError

PAIRS = "*_pairs.*"

_DELIMITERS = {".csv": ",", ".tab": "\t"}
_TYPES = ("Numerical", "Categorical", "Binary")
_DIRECTIONS = {1.0: Direction.X_TO_Y, -1.0: Direction.Y_TO_X}


def read_kaggle(
    folder: Path, name: str, left_out: Mapping[str, str]
) -> Iterator[LabelledPair | RefusedPair]:
    """Pairs of such a folder by line; parameters and errors as of ``read_pairmeta``.

    Samples that neither direction is true of, or with a column of categories, are refused.
    """
    path = _pairs_file(folder)
    labels = _beside(path, "_targets") or _beside(path, "_target")
    if labels is None:
        raise InvalidTableError(f"{path} must have its targets beside it, but they are missing.")
    targets = _targets(labels)
    info = _beside(path, "_publicinfo")
    types = {} if info is None else _types(info)
    seen = set()
    for where, (sample, a, b) in _records(path, 3):
        if sample not in targets:
            raise InvalidTableError(f"{where} must have a target, but {sample!r} has none.")
        seen.add(sample)
        key = f"{name}/{sample}"
        if reason := left_out.get(sample) or _reason(targets[sample], types.get(sample, ())):
            yield RefusedPair(key, reason)
            continue
        columns = numbers_of(a, f"{where} column A"), numbers_of(b, f"{where} column B")
        yield labelled_or_refused(columns, key, _DIRECTIONS[targets[sample]])
    if spare := targets.keys() - seen:
        raise InvalidTableError(
            f"{path} must have a line for each of the {len(targets)} targets, "
            f"but {min(spare)!r} has none."
        )


def _pairs_file(folder: Path) -> Path:
    found = sorted(path for path in folder.glob(PAIRS) if path.suffix in _DELIMITERS)
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise InvalidTableError(f"{folder} must hold one file {PAIRS}, found {names}.")
    return found[0]


def _beside(path: Path, ending: str) -> Path | None:
    """File of the same name with another ending, if there is one."""
    stem = path.stem.removesuffix("_pairs") + ending
    candidates = (path.with_name(stem + suffix) for suffix in _DELIMITERS)
    return next((other for other in candidates if other.is_file()), None)


def _records(path: Path, width: int) -> Iterator[tuple[str, list[str]]]:
    """Place and first fields of each line below the header."""
    lines = text_lines(path)
    if not lines or "SampleID" not in lines[0]:
        got = lines[0][:40] if lines else ""
        raise InvalidTableError(f"{path} line 1 must begin with SampleID, got {got!r}.")
    # Not the width of the header: in the challenge its names may hold commas, "[1,0,-1]".
    expected = 0
    seen = set()
    for at, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        where = f"{path} line {at}"
        cells = line.split(_DELIMITERS[path.suffix])
        expected = expected or max(len(cells), width)
        if len(cells) != expected:
            raise InvalidTableError(f"{where} must have {expected} columns, but has {len(cells)}.")
        sample, *fields = (cell.strip().strip('"').strip() for cell in cells[:width])
        if sample in seen:
            raise InvalidTableError(f"{where} must be of another sample, {sample!r} was before.")
        seen.add(sample)
        yield where, [sample, *fields]


def _targets(path: Path) -> dict[str, float]:
    targets = {}
    for where, (sample, text) in _records(path, 2):
        try:
            target = float(text)
        except ValueError:
            target = 2.0
        if target not in (-1.0, 0.0, 1.0):
            raise InvalidTableError(f"{where} must have the target 1, -1 or 0, got {text!r}.")
        targets[sample] = target
    return targets


def _types(path: Path) -> dict[str, tuple[str, str]]:
    types = {}
    for where, (sample, a, b) in _records(path, 3):
        for kind in (a, b):
            if kind not in _TYPES:
                known = ", ".join(_TYPES)
                raise InvalidTableError(f"{where} must have the types {known}, got {kind!r}.")
        types[sample] = (a, b)
    return types


def _reason(target: float, types: tuple[str, ...]) -> str:
    """Why a sample is no pair for us; empty if it is one."""
    if target == 0.0:
        return "the target is 0: neither column causes the other"
    for column, kind in zip("AB", types, strict=False):
        if kind == "Categorical":
            return f"column {column} holds categories, not numbers"
    return ""
