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
from bqcd.data.vector_pair import VectorPair
from bqcd.runtime.arrays import Vector

_ALIGNMENT = 64


def write_pack(path: Path, pairs: Iterable[Pair | VectorPair]) -> None:
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


def _written(file: BinaryIO, pair: Pair | VectorPair) -> dict[str, Any]:
    """Write the columns of a pair; what else it is made of, and where they begin."""
    special: dict[str, Any]
    if isinstance(pair, VectorPair):
        special = {"x_names": pair.x_names, "y_names": pair.y_names}
    else:
        special = {"levels": [_levels(scale) for scale in (pair.x_scale, pair.y_scale)]}
    return {
        **special,
        "x_name": pair.x_name,
        "y_name": pair.y_name,
        "key": pair.key,
        "dropped_rows": pair.dropped_rows,
        "rows": len(pair),
        "x": _aligned(file, pair.x.T),
        "y": _aligned(file, pair.y.T),
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
        self._opened: dict[int, Pair | VectorPair] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __getitem__(self, place: int) -> Pair | VectorPair:
        if place not in self._opened:
            self._opened[place] = self._pair(dict(self._index[place]))
        return self._opened[place]

    def _pair(self, told: dict[str, Any]) -> Pair | VectorPair:
        rows, starts = told.pop("rows"), (told.pop("x"), told.pop("y"))
        if "x_names" not in told:
            x, y = (self._column(start, rows) for start in starts)
            scales = [
                None if levels is None else Scale("nominal", levels=tuple(levels))
                for levels in told.pop("levels")
            ]
            return Pair(x, y, **told, x_scale=scales[0], y_scale=scales[1])
        names = told.pop("x_names"), told.pop("y_names")
        x, y = (
            self._column(start, rows * len(side)).reshape(len(side), rows).T
            for start, side in zip(starts, names, strict=True)
        )
        return VectorPair(x, y, tuple(names[0]), tuple(names[1]), **told)

    def _column(self, start: int, rows: int) -> Vector:
        return np.frombuffer(self._bytes, dtype=np.float64, count=rows, offset=start)


def _index_path(path: Path) -> Path:
    return path.with_suffix(".index")
