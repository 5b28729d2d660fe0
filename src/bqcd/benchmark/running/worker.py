"""What runs in a worker process: judge one task after the other, write down each outcome."""

from __future__ import annotations

import faulthandler
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from bqcd.benchmark.running.contenders import Contender
from bqcd.benchmark.running.journal import Outcome, Segment, Status
from bqcd.benchmark.running.pack import PairPack
from bqcd.benchmark.running.tasks import Task
from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.methods.asking import judged
from bqcd.runtime.pool import AtWork

# Stages of a task.
PREPARING, JUDGING = range(2)

Batch = list[tuple[int, Task]]
"""Tasks of one contender with their places in the plan."""

Ended = tuple[int, Status]
"""Place of a task in the plan, and how it ended."""

# Imports and compilation of a method are not its fault.
_WARM_UP_SECONDS = 180.0
_WARM_UP_ROWS = 250
_LONGEST_MESSAGE = 500


class BatchEnded(NamedTuple):
    """How the tasks of a batch ended, and the seconds they took together."""

    contender: int
    seconds: float
    ended: list[Ended]


@dataclass(frozen=True, slots=True)
class Desk:
    """What a worker needs to know before its first task.

    Parameters
    ----------
    contenders : bytes
        Pickled list of contenders.
    pack : Path
        File with the pairs.
    journal : Path
        Folder for the outcomes.
    log : Path
        File that receives whatever a method prints, and where it was when it crashed.
    time_limit : float or None
        Seconds one task may take.
    warm_up_seconds : float, default=180
        Seconds that preparing a contender may take, if they are more.
    cold : set of int
        Places of contenders to judge with unprepared: preparing them went wrong before. It
        grows, for the workers to come.
    """

    contenders: bytes
    pack: Path
    journal: Path
    log: Path
    time_limit: float | None
    warm_up_seconds: float = _WARM_UP_SECONDS
    cold: set[int] = field(default_factory=set)

    def __call__(self, at_work: AtWork) -> Callable[[Batch], BatchEnded]:
        """Sit down: what a worker does with each batch. The name of its segment is told."""
        _settle_in(self.log)
        return _Judge(self, at_work).judged


class _Judge:
    """One worker at its desk."""

    def __init__(self, desk: Desk, at_work: AtWork) -> None:
        self._segment = Segment(desk.journal)
        self._contenders: list[Contender] = pickle.loads(desk.contenders)
        self._pairs = PairPack(desk.pack)
        self._desk, self._at_work, self._warm = desk, at_work, set(desk.cold)
        at_work.tell(self._segment.path)

    def judged(self, batch: Batch) -> BatchEnded:
        """How the tasks of a batch ended; each outcome is written down at once."""
        begun = perf_counter()
        ended = [(place, self._status(place, task)) for place, task in batch]
        return BatchEnded(batch[0][1].contender, perf_counter() - begun, ended)

    def _status(self, place: int, task: Task) -> Status:
        one, pair = self._contenders[task.contender], self._pairs[task.pair]
        limit = self._desk.time_limit
        seconds = inf if limit is None else limit
        if task.contender not in self._warm:
            most = max(seconds, self._desk.warm_up_seconds)
            self._at_work.on(place, stage=PREPARING, seconds=most)
            _warm_up(one)
            self._warm.add(task.contender)
        self._at_work.on(place, stage=JUDGING, seconds=seconds)
        outcome = outcome_of(one, pair, task, limit)
        self._at_work.end_copies()
        self._segment.append(outcome)
        self._at_work.off()
        return outcome.status


def outcome_of(
    one: Contender, pair: Pair | VectorPair, task: Task, time_limit: float | None = None
) -> Outcome:
    """Outcome of one task; whatever the method raises becomes its message."""
    start = perf_counter()
    try:
        verdict = judged(one.method, one.name, pair, task.seed)
        seconds = perf_counter() - start
        probability = verdict.probability
    except BaseException as error:  # a method may also call sys.exit
        return Outcome(task.key, None, perf_counter() - start, "failed", _message(error))
    if time_limit is not None and seconds > time_limit:
        return Outcome(task.key, None, seconds, "timeout", overdue(time_limit))
    return Outcome(task.key, verdict.confidence, seconds, "done", probability=probability)


def overdue(time_limit: float) -> str:
    """Message of a task that ran out of time."""
    return f"took longer than the limit of {time_limit:g} s"


def _message(error: BaseException) -> str:
    """Name and text of an error in one line of printable letters."""
    try:
        said = str(error)
    except Exception:
        said = "an error that cannot be printed"
    told = f"{type(error).__name__}: {said}" if said else type(error).__name__
    text = " ".join(told[: 20 * _LONGEST_MESSAGE].split())
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 3] + "..."


def _warm_up(one: Contender) -> None:
    """Let a method import and compile what it needs before its first task is timed."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=_WARM_UP_ROWS)
    pair = Pair(x, np.tanh(x) + 0.3 * rng.normal(size=_WARM_UP_ROWS), key="warm-up")
    try:
        judged(one.method, one.name, pair, 0)
    except BaseException:  # its tasks will tell
        return


def _settle_in(log: Path) -> None:
    """Leave the terminal to the runner."""
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    faulthandler.enable(file=sink)
