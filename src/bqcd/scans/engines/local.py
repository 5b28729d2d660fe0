"""Processes of this machine, started when they are needed and gone when they are not."""

from __future__ import annotations

import atexit
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from bqcd.errors import WorkerError
from bqcd.processes import ending, no_main_module, one_thread_each, starting_context
from bqcd.scans.engines.engine import ResultT, TaskT, task_name
from bqcd.scans.engines.serving import READY, order_bytes, serve
from bqcd.settings import MOST_WORKERS, check_integer

_PRELOADED = ["bqcd.scans.engines.serving", "numba", "scipy.special"]
# One in hand, one on the desk: a worker never waits for the next.
_ORDERS_AHEAD = 2
_MOST_ATTEMPTS = 3
_MOST_FALSE_STARTS = 5


@dataclass(frozen=True, kw_only=True)
class LocalEngine:
    """Worker processes on this machine; with one worker, this process itself.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    workers: int

    def __post_init__(self) -> None:
        """Refuse fewer than one worker."""
        check_integer("the local engine", "workers", self.workers, minimum=1, maximum=MOST_WORKERS)

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results as they come; see :class:`~bqcd.scans.engines.Engine`."""
        if self.workers == 1:
            for task in tasks:
                yield function(task)
        else:
            orders = (_Order(task_name(task), order_bytes(function, task)) for task in tasks)
            yield from _Pool(self.workers, orders).results()

    def sees(self, path: Path) -> bool:
        """Always: the workers are on this machine."""
        return True


@dataclass(eq=False)
class _Order:
    """What a worker is sent, and how many have died of it."""

    name: str
    data: bytes
    deaths: int = 0


@dataclass(eq=False)
class _Worker:
    """One process, its two lines, and the orders it has not answered, oldest first."""

    process: Any
    orders: Any
    answers: Any
    ready: bool = False
    given: deque[_Order] = field(default_factory=deque)


class _Pool:
    """Workers that share a queue of orders; the dead are replaced."""

    def __init__(self, size: int, orders: Iterator[_Order]) -> None:
        self._size = size
        self._orders = orders
        self._next: deque[_Order] = deque()
        self._workers: list[_Worker] = []
        self._false_starts = 0
        self._context = starting_context(_PRELOADED)

    def results(self) -> Generator[Any]:
        """Result of every order; when this ends in whatever way, no worker is left."""
        # Before multiprocessing, at exit, waits for processes that wait for orders.
        atexit.register(self._dismiss)
        try:
            self._hand_out()
            while any(worker.given for worker in self._workers):
                ended = self._listen()
                self._hand_out()
                yield from ended
        finally:
            self._dismiss()
            atexit.unregister(self._dismiss)

    def _hand_out(self) -> None:
        """Give orders to the idle first, and a second one while there are enough for all."""
        for load in range(_ORDERS_AHEAD):
            self._look_ahead()
            for worker in [one for one in self._workers if len(one.given) == load]:
                if len(self._next) > (self._size if load else 0):
                    self._give(worker)
                    self._look_ahead()
            while not load and self._next and len(self._workers) < self._size:
                self._workers.append(self._hired())
                self._give(self._workers[-1])
                self._look_ahead()

    def _look_ahead(self) -> None:
        missing = self._size + 1 - len(self._next)
        self._next.extend(islice(self._orders, max(0, missing)))

    def _give(self, worker: _Worker) -> None:
        order = self._next.popleft()
        worker.given.append(order)
        # If it has just died, listening finds out.
        with suppress(OSError):
            worker.orders.send_bytes(order.data)

    def _hired(self) -> _Worker:
        for_it, orders = self._context.Pipe(duplex=False)
        answers, from_it = self._context.Pipe(duplex=False)
        process = self._context.Process(target=serve, args=(for_it, from_it), name="bqcd-scan")
        with one_thread_each(), no_main_module():
            process.start()
        for_it.close()
        from_it.close()
        return _Worker(process, orders, answers)

    def _listen(self) -> list[Any]:
        """Results that have come; waits for the first sign of life, or death."""
        lines = {worker.answers: worker for worker in self._workers}
        ends = {worker.process.sentinel: worker for worker in self._workers}
        signs = wait([*lines, *ends])
        results: list[Any] = []
        for worker in dict.fromkeys((lines | ends)[sign] for sign in signs):
            if not self._hear(worker, results):
                self._bury(worker)
        return results

    def _hear(self, worker: _Worker, results: list[Any]) -> bool:
        """Whether a worker is alive, after all that it has said."""
        while True:
            try:
                if not worker.answers.poll():
                    return bool(worker.process.is_alive())
                answer = worker.answers.recv_bytes()
            except (EOFError, OSError):
                return False
            if answer == READY:
                worker.ready, self._false_starts = True, 0
                continue
            well, result = pickle.loads(answer)
            if not well:
                raise result
            worker.given.popleft()
            results.append(result)

    def _bury(self, worker: _Worker) -> None:
        """Put the orders of a dead worker back; the one it died of counts its deaths."""
        self._close(worker)
        self._workers.remove(worker)
        if not worker.ready:
            self._false_starts += 1
            if self._false_starts >= _MOST_FALSE_STARTS:
                raise WorkerError(
                    f"{self._false_starts} worker processes in a row ended before their first "
                    f"task, the last with {ending(worker.process)}."
                )
        elif worker.given:
            order = worker.given[0]
            order.deaths += 1
            if order.deaths >= _MOST_ATTEMPTS:
                raise WorkerError(
                    f"{order.deaths} worker processes ended while at work on {order.name}, "
                    f"the last with {ending(worker.process)}."
                )
        self._next.extendleft(reversed(worker.given))

    def _dismiss(self) -> None:
        """End every worker, whatever it is doing."""
        for worker in self._workers:
            worker.process.kill()
        while self._workers:
            self._close(self._workers.pop())

    def _close(self, worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.orders.close()
        worker.answers.close()
