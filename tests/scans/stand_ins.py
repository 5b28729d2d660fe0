"""Tiles that cost some milliseconds, are easy to check, and misbehave where they are told to."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bqcd.scans.records import SentBlock, Tile, TileRows, TileTask

PAIRS = 4
NAMES = tuple(f"column {place}" for place in range(1000))


@dataclass(frozen=True)
class Pause:
    """In place of a method: how long a tile takes, and what else happens on one of them."""

    seconds: float = 0.0
    does: str = "nothing"
    on: int = -1
    diary: str = ""

    def decide(self, pair, rng):
        raise NotImplementedError


class Untransportable(Exception):
    """An error that does not survive pickling."""

    def __init__(self, one, two):
        super().__init__(one)
        self.two = lambda: two


def make_tasks(
    count: int, method: Pause | None = None, *, start: int = 0, values: int = 2
) -> Iterator[TileTask]:
    pairs = np.array([(0, 1)] * PAIRS, dtype=np.int32)
    block = SentBlock("values", (0, 1), np.zeros((2, values)))
    for number in range(start, start + count):
        tile = Tile(number, (number, number + 1), pairs)
        yield TileTask(tile, block, NAMES[:2], method or Pause(), "drop", seed=5)


def judged(task: TileTask) -> TileRows:
    method = task.method
    time.sleep(method.seconds)
    if task.tile.number == method.on:
        BEHAVIOURS[method.does](task)
    if method.diary:
        write_line(method.diary, f"{task.tile.number} {os.getpid()}")
    return rows_of(task.tile.number, seed=task.seed)


def rows_of(number: int, *, seed: int = 5) -> TileRows:
    """Rows that follow from the number; one pair is undecided, one could not be judged."""
    rng = np.random.default_rng([seed, number])
    confidence, spearman, dependence, p_value = rng.normal(size=(4, PAIRS))
    confidence[1] = 0.0
    for values in (confidence, spearman, dependence, p_value):
        values[2] = np.nan
    return TileRows(
        number=number,
        first=np.arange(number, number + PAIRS, dtype=np.int32),
        second=np.arange(PAIRS, dtype=np.int32),
        confidence=confidence,
        n_rows=rng.integers(10, 100, PAIRS),
        spearman=spearman,
        dependence=dependence,
        p_value=p_value,
        bound=np.zeros(PAIRS),
        messages={2: f"tile {number} has a constant column"},
    )


def contents(results: Iterable[TileRows]) -> list[tuple]:
    """All that is in some rows, by tile, in a form that can be compared bit by bit."""
    return sorted(
        (
            rows.number,
            *(
                getattr(rows, name).tobytes()
                for name in ("first", "second", "confidence", "n_rows", "spearman", "p_value")
            ),
            tuple(rows.messages.items()),
        )
        for rows in results
    )


def expected(count: int) -> list[tuple]:
    return contents(rows_of(number) for number in range(count))


def write_line(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"{text}\n".encode())
    os.close(file)


def _dies(task: TileTask) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dies_twice(task: TileTask) -> None:
    deaths = Path(task.method.diary + ".deaths")
    write_line(str(deaths), str(os.getpid()))
    if len(deaths.read_text().split()) <= 2:
        os.kill(os.getpid(), signal.SIGKILL)


def _raises(task: TileTask) -> None:
    raise ConnectionResetError("not the line of the worker")


def _raises_untransportable(task: TileTask) -> None:
    raise Untransportable("no way home", 2)


def _exits(task: TileTask) -> None:
    raise SystemExit(4)


BEHAVIOURS: dict[str, Callable[[TileTask], None]] = {
    "dies": _dies,
    "dies twice": _dies_twice,
    "raises": _raises,
    "raises untransportable": _raises_untransportable,
    "exits": _exits,
}


THREADS = "threads-for-tests"


def register_threads(*, streams: bool = True) -> None:
    """Register threads with joblib under a name of their own, as a cluster is."""
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    from joblib._parallel_backends import ThreadingBackend

    class Threads(ThreadingBackend):
        supports_return_generator = streams

    joblib.register_parallel_backend(THREADS, Threads)


def leaves_at_once(orders, answers, marker, begin) -> None:
    os._exit(3)
