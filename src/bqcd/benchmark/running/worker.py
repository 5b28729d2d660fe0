"""What runs in a worker process: judge one task after the other, write down each outcome."""

from __future__ import annotations

import faulthandler
import os
import pickle
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np

from bqcd.benchmark.running.contenders import Contender
from bqcd.benchmark.running.journal import Outcome, Segment, Status
from bqcd.benchmark.running.pack import PairPack
from bqcd.benchmark.running.tasks import Task
from bqcd.data.pair import Pair
from bqcd.methods.verdict import judged
from bqcd.runtime.seeds import mix_seeds

# Fields of the marker that a worker shares with the runner.
PLACE, STARTED, JUDGING = range(3)

Ended = tuple[int, Status]
"""Place of a task in the plan, and how it ended."""

_LONGEST_MESSAGE = 500
_WARM_UP_ROWS = 250


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
    cold : frozenset of int
        Places of contenders to judge with unprepared: preparing them went wrong before.
    """

    contenders: bytes
    pack: Path
    journal: Path
    log: Path
    time_limit: float | None
    cold: frozenset[int] = frozenset()


def serve(orders: Connection[Any, Any], marker: Any, desk: Desk) -> None:
    """Judge the tasks that come through ``orders`` until there are no more."""
    _settle_in(desk.log)
    segment = Segment(desk.journal)
    contenders: list[Contender] = pickle.loads(desk.contenders)
    pairs = PairPack(desk.pack)
    warm, process = set(desk.cold), os.getpid()
    orders.send(str(segment.path))
    while (batch := _next(orders)) is not None:
        ended: list[Ended] = []
        mix_seeds([task.seed for _, task in batch])
        for place, task in batch:
            marker[STARTED], marker[JUDGING], marker[PLACE] = monotonic(), 0.0, place
            one, pair = contenders[task.contender], pairs[task.pair]
            if task.contender not in warm:
                _warm_up(one)
                warm.add(task.contender)
            marker[STARTED], marker[JUDGING] = monotonic(), 1.0
            outcome = outcome_of(one, pair, task, desk.time_limit)
            if os.getpid() != process:  # a copy made by the method has lost its way
                os._exit(1)
            _write_down(segment, outcome, orders)
            marker[PLACE] = -1.0
            ended.append((place, outcome.status))
        orders.send(ended)
    segment.close()


def outcome_of(one: Contender, pair: Pair, task: Task, time_limit: float | None = None) -> Outcome:
    """Outcome of one task; whatever the method raises becomes its message."""
    start = perf_counter()
    try:
        verdict = judged(one.method, one.name, pair, task.seed)
    except BaseException as error:  # a method may also call sys.exit
        return Outcome(task.key, None, perf_counter() - start, "failed", _message(error))
    seconds = perf_counter() - start
    if time_limit is not None and seconds > time_limit:
        return Outcome(task.key, None, seconds, "timeout", overdue(time_limit))
    return Outcome(task.key, verdict.confidence, seconds, "done")


def overdue(time_limit: float) -> str:
    """Message of a task that ran out of time."""
    return f"took longer than the limit of {time_limit:g} s"


def _write_down(segment: Segment, outcome: Outcome, orders: Connection[Any, Any]) -> None:
    """Append an outcome; if that fails, it is the runner's trouble and not the method's."""
    try:
        segment.append(outcome)
    except OSError as error:
        orders.send(error)
        raise


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


def _next(orders: Connection[Any, Any]) -> list[tuple[int, Task]] | None:
    try:
        batch: list[tuple[int, Task]] | None = orders.recv()
    except EOFError:
        return None
    return batch


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
