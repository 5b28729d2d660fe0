"""Pairs in one file that every worker maps into memory: written once, copied never."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from bqcd.data.pair import Pair
from bqcd.data.scales import Scale
from bqcd.runtime.arrays import Vector

_ALIGNMENT = 64


def write_pack(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs to ``path``; truth and weight are not among what is written.

    Raises
    ------
    OSError
        If the disk is full; its ``filename`` is that of the file.
    """
    try:
        with path.open("wb") as file:
            # An empty file cannot be mapped.
            file.write(bytes(_ALIGNMENT))
            index = [_written(file, pair) for pair in pairs]
        _index_path(path).write_text(json.dumps(index), encoding="ascii")
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def _written(file: BinaryIO, pair: Pair) -> dict[str, Any]:
    """Write the columns of a pair; what else it is made of, and where they begin."""
    return {
        "x_name": pair.x_name,
        "y_name": pair.y_name,
        "key": pair.key,
        "dropped_rows": pair.dropped_rows,
        "levels": [_levels(scale) for scale in (pair.x_scale, pair.y_scale)],
        "rows": len(pair),
        "x": _aligned(file, pair.x),
        "y": _aligned(file, pair.y),
    }


def _levels(scale: Scale | None) -> list[str] | None:
    """Levels of a column without an order; other scales are for people to read."""
    return list(scale.levels) if scale is not None and scale.is_nominal else None


def _aligned(file: BinaryIO, column: Vector) -> int:
    """Write a column at a place that suits processors, and tell it."""
    file.write(bytes(-file.tell() % _ALIGNMENT))
    start = file.tell()
    file.write(np.ascontiguousarray(column).data)
    return start


class PairPack:
    """Pairs of a pack by their place; columns are views of the mapped file."""

    def __init__(self, path: Path) -> None:
        self._index: list[dict[str, Any]] = json.loads(_index_path(path).read_bytes())
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._opened: dict[int, Pair] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __getitem__(self, place: int) -> Pair:
        if place not in self._opened:
            told = dict(self._index[place])
            rows = told.pop("rows")
            x, y = (self._column(told.pop(name), rows) for name in ("x", "y"))
            scales = [
                None if levels is None else Scale("nominal", levels=tuple(levels))
                for levels in told.pop("levels")
            ]
            self._opened[place] = Pair(x, y, **told, x_scale=scales[0], y_scale=scales[1])
        return self._opened[place]

    def _column(self, start: int, rows: int) -> Vector:
        return np.frombuffer(self._bytes, dtype=np.float64, count=rows, offset=start)


def _index_path(path: Path) -> Path:
    return path.with_suffix(".index")
