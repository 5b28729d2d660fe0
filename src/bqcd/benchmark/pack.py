"""Pairs in one file that every worker maps into memory: written once, copied never."""

from __future__ import annotations

import mmap
import pickle
from collections.abc import Iterable
from pathlib import Path

from bqcd.pair import Pair

_ALIGNMENT = 64


def write_pack(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs to ``path``; truth and weight are not among what is written."""
    index: list[tuple[bytes, list[tuple[int, int]]]] = []
    with path.open("wb") as file:
        # An empty file cannot be mapped.
        file.write(bytes(_ALIGNMENT))
        for pair in pairs:
            buffers: list[pickle.PickleBuffer] = []
            head = pickle.dumps(pair, protocol=5, buffer_callback=buffers.append)
            spans = []
            for buffer in buffers:
                file.write(bytes(-file.tell() % _ALIGNMENT))
                spans.append((file.tell(), buffer.raw().nbytes))
                file.write(buffer.raw())
            index.append((head, spans))
    _index_path(path).write_bytes(pickle.dumps(index))


class PairPack:
    """Pairs of a pack by their place; columns are views of the mapped file."""

    def __init__(self, path: Path) -> None:
        self._index: list[tuple[bytes, list[tuple[int, int]]]] = pickle.loads(
            _index_path(path).read_bytes()
        )
        with path.open("rb") as file:
            self._bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        self._opened: dict[int, Pair] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __getitem__(self, place: int) -> Pair:
        if place not in self._opened:
            head, spans = self._index[place]
            buffers = [self._bytes[start : start + size] for start, size in spans]
            self._opened[place] = pickle.loads(head, buffers=buffers)
        return self._opened[place]


def _index_path(path: Path) -> Path:
    return path.with_suffix(".index")
