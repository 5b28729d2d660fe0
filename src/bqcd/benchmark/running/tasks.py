"""The plan of a benchmark: which method judges which pair, and with which seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bqcd.benchmark.datasets import PairSet
from bqcd.benchmark.running.contenders import Contender
from bqcd.runtime.seeds import seed_from


class TaskKey(NamedTuple):
    """What names one judgement, and one row of the results."""

    pairset: str
    pair: str
    method: str
    settings: str
    repeat: int

    def seed(self, base: int) -> int:
        """Seed of the task: it follows from the key, not from the place in the queue."""
        return seed_from(base, *self)


class Task(NamedTuple):
    """One method on one pair.

    Parameters
    ----------
    key : TaskKey
        What names the task.
    contender, pair : int
        Places in the lists of contenders and of pairs handed to the workers.
    seed : int
        Seed of the generator handed to the method.
    """

    key: TaskKey
    contender: int
    pair: int
    seed: int


def plan(
    contenders: Sequence[Contender], pairsets: Sequence[PairSet], *, repeats: int, seed: int
) -> Iterator[Task]:
    """Tasks in the order of the results: by benchmark, method, repetition and pair."""
    first = 0
    for pairset in pairsets:
        for place, one in enumerate(contenders):
            for repeat in range(repeats):
                for number, item in enumerate(pairset):
                    key = TaskKey(pairset.name, item.pair.key, one.name, one.settings, repeat)
                    yield Task(key, place, first + number, key.seed(seed))
        first += len(pairset)
