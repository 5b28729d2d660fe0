"""Worker processes: who is at work on what, who is overdue, who has died.

A method that raises, hangs or takes its process down costs its own row only: the worker
is replaced and the tasks it had not begun go back to the queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic
from typing import Any

from bqcd.benchmark.running.journal import Outcome, Segment, read_segment
from bqcd.benchmark.running.tasks import Task
from bqcd.benchmark.running.worker import JUDGING, PLACE, STARTED, Desk, Ended, overdue, serve
from bqcd.errors import WorkerError
from bqcd.runtime.pool import (
    check_may_start,
    ctrl_c_kept_from_new_ones,
    ending,
    no_main_module,
    one_thread_each,
    starting_context,
)

_PRELOADED = ["bqcd.benchmark.running.worker", "numba", "scipy.special"]

# A batch should keep a worker busy this long: short enough for a lively progress bar,
# long enough that handing it over costs nothing beside it.
_BATCH_SECONDS = 0.2
_LARGEST_BATCH = 1000
_POLL_SECONDS = 0.05
# Imports and compilation of a method are not its fault.
_WARM_UP_SECONDS = 180.0
_GRACE_SECONDS = 0.1
_FAREWELL_SECONDS = 5.0
_NO_DAEMON = "Run it in a process with daemon=False."


@dataclass(eq=False)
class _Worker:
    """One process, its line, and what it has been given."""

    process: Any
    orders: Any
    marker: Any
    cold: frozenset[int] = frozenset()
    segment: Path | None = None
    batch: list[tuple[int, Task]] = field(default_factory=list)
    given_at: float = 0.0

    @property
    def idle(self) -> bool:
        return self.segment is not None and not self.batch

    def overdue(self, time_limit: float) -> int | None:
        """Place of the task in hand if it has taken too long."""
        place = self.marker[PLACE]
        allowed = time_limit if self.marker[JUDGING] else max(time_limit, _WARM_UP_SECONDS)
        late = monotonic() - self.marker[STARTED] > allowed + _GRACE_SECONDS
        return int(place) if late and place >= 0 and place == self.marker[PLACE] else None


class Crew:
    """A number of workers and the queue of tasks they share.

    Parameters
    ----------
    desk : Desk
        What every worker is told.
    jobs : int
        Number of workers.
    report : callable
        Called with the tasks that ended, as pairs of place in the plan and status.
    """

    def __init__(self, desk: Desk, jobs: int, report: Callable[[Sequence[Ended]], None]) -> None:
        check_may_start("Workers of a benchmark", instead=_NO_DAEMON)
        self._desk = desk
        self._jobs = jobs
        self._report = report
        self._queue: deque[tuple[int, Task]] = deque()
        self._pace: dict[int, float] = {}
        self._workers: list[_Worker] = []
        self._cold: set[int] = set()
        self._own: Segment | None = None
        self._context = starting_context(_PRELOADED)

    def work_off(self, tasks: Sequence[tuple[int, Task]]) -> None:
        """Run every task; when this returns or raises, no worker is left."""
        self._queue.extend(tasks)
        try:
            for _ in range(min(self._jobs, len(tasks))):
                self._hire()
            while self._queue or any(worker.batch for worker in self._workers):
                self._hand_out()
                self._listen()
                self._dismiss_overdue()
            self._call_it_a_day()
        finally:
            self._send_home()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        marker = self._context.RawArray("d", [-1.0, 0.0, 0.0])
        cold = frozenset(self._cold)
        desk = replace(self._desk, cold=cold)
        process = self._context.Process(
            target=serve, args=(theirs, marker, desk), name="bqcd-bench"
        )
        with ctrl_c_kept_from_new_ones(), one_thread_each(), no_main_module():
            process.start()
            self._workers.append(_Worker(process, ours, marker, cold))
        theirs.close()

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.idle and self._queue:
                worker.batch = self._next_batch()
                worker.given_at = monotonic()
                # If it has just died, listening finds out.
                with suppress(OSError):
                    worker.orders.send(worker.batch)

    def _next_batch(self) -> list[tuple[int, Task]]:
        """Tasks of one method, as many as fit the time; the last ones are shared out."""
        one = self._queue[0][1].contender
        size = 1
        if one in self._pace:
            size = int(_BATCH_SECONDS / max(self._pace[one], 1e-9))
            share = len(self._queue) // (2 * len(self._workers))
            size = max(1, min(size, share, _LARGEST_BATCH))
        batch = [self._queue.popleft()]
        while len(batch) < size and self._queue and self._queue[0][1].contender == one:
            batch.append(self._queue.popleft())
        return batch

    def _listen(self) -> None:
        lines = {worker.orders: worker for worker in self._workers}
        ends = {worker.process.sentinel: worker for worker in self._workers}
        ready = wait([*lines, *ends], timeout=_POLL_SECONDS)
        for line in ready:
            if line in lines:
                self._hear(lines[line])
        for end in ready:
            if end in ends and ends[end] in self._workers:
                self._bury(ends[end])

    def _hear(self, worker: _Worker) -> None:
        try:
            message = worker.orders.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if isinstance(message, OSError):
            raise message
        if worker.segment is None:
            worker.segment = Path(message)
            return
        per_task = (monotonic() - worker.given_at) / len(worker.batch)
        self._pace[worker.batch[0][1].contender] = per_task
        worker.batch = []
        self._report(message)

    def _dismiss_overdue(self) -> None:
        if self._desk.time_limit is None:
            return
        for worker in list(self._workers):
            late = worker.overdue(self._desk.time_limit) if worker.batch else None
            if late is not None:
                worker.process.kill()
                self._bury(worker, late=late)

    def _bury(self, worker: _Worker, *, late: int | None = None) -> None:
        """Account for a dead worker's batch, and hire another in its place."""
        worker.process.join(_FAREWELL_SECONDS)
        worker.process.kill()
        worker.process.join()
        if worker.segment is None:
            raise WorkerError(
                f"A worker process ended before its first task, with {ending(worker.process)}: "
                f"{_last_words(self._desk.log)}"
            )
        written = read_segment(worker.segment).outcomes
        at = int(worker.marker[PLACE])
        ended, unbegun = [], []
        for place, task in worker.batch:
            if task.key in written:
                ended.append((place, written[task.key].status))
            elif place == at and late in (None, at) and self._was_judging(worker, task):
                outcome = self._cut_short(worker, task, too_late=late is not None)
                self._journal().append(outcome)
                ended.append((place, outcome.status))
            else:
                unbegun.append((place, task))
        self._queue.extendleft(reversed(unbegun))
        worker.orders.close()
        self._workers.remove(worker)
        self._report(ended)
        if self._queue:
            self._hire()

    def _was_judging(self, worker: _Worker, task: Task) -> bool:
        """Whether it was the task that ended a worker, and not preparing for it."""
        if worker.marker[JUDGING] or task.contender in worker.cold:
            return True
        self._cold.add(task.contender)
        return False

    def _cut_short(self, worker: _Worker, task: Task, *, too_late: bool) -> Outcome:
        seconds = monotonic() - worker.marker[STARTED]
        limit = self._desk.time_limit
        if too_late and limit is not None:
            return Outcome(task.key, None, seconds, "timeout", overdue(limit))
        message = f"the method ended its process with {ending(worker.process)}"
        return Outcome(task.key, None, seconds, "failed", message)

    def _journal(self) -> Segment:
        if self._own is None:
            self._own = Segment(self._desk.journal)
        return self._own

    def _call_it_a_day(self) -> None:
        """Let idle workers force their outcomes to disk and leave."""
        for worker in self._workers:
            with suppress(OSError):
                worker.orders.send(None)
        for worker in self._workers:
            worker.process.join(_FAREWELL_SECONDS)

    def _send_home(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.orders.close()
        self._workers = []
        if self._own is not None:
            self._own.close()


def _last_words(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else "it said nothing."
