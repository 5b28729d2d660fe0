"""A few processes that share a queue of orders, started when needed and gone when not."""

from __future__ import annotations

import atexit
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, TypeVar

from bqcd.errors import WorkerError
from bqcd.runtime.pool.serving import READY, order_bytes, serve
from bqcd.runtime.pool.starting import (
    check_may_start,
    ctrl_c_kept_from_new_ones,
    ending,
    no_main_module,
    one_thread_each,
    starting_context,
)

# One in hand, one on the desk: a worker never waits for the next.
_ORDERS_AHEAD = 2
_MOST_ATTEMPTS = 3
_MOST_FALSE_STARTS = 5

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")


def answers_in_order(
    function: Callable[[TaskT], ResultT],
    tasks: Iterable[TaskT],
    *,
    workers: int,
    preloaded: Sequence[str] = (),
) -> Generator[ResultT]:
    """Answers in the order of the tasks, from this process or from others.

    Parameters
    ----------
    function : callable
        Of one task.
    tasks : iterable
        Its arguments, taken a few ahead of the workers.
    workers : int
        Number of processes; 1 is this one.
    preloaded : sequence of str, default=()
        Modules that are imported once for all of them.

    Raises
    ------
    WorkerError
        If processes cannot be started, or a task ends each one it is given.

    Examples
    --------
    >>> list(answers_in_order(abs, [3, -2, -1], workers=1))
    [3, 2, 1]
    """
    if workers == 1:
        yield from map(function, tasks)
        return
    orders = (
        Order(f"task {place}", order_bytes(_numbered, (place, function, task)))
        for place, task in enumerate(tasks)
    )
    early: dict[int, ResultT] = {}
    with closing(results_of(orders, workers=workers, preloaded=preloaded)) as results:
        following = 0
        for place, answer in results:
            early[place] = answer
            while following in early:
                yield early.pop(following)
                following += 1


def _numbered(task: tuple[int, Callable[[Any], Any], Any]) -> tuple[int, Any]:
    place, function, argument = task
    return place, function(argument)


def results_of(
    orders: Iterator[Order], *, workers: int, preloaded: Sequence[str]
) -> Generator[Any]:
    """Results of orders as they come; when this ends in whatever way, no worker is left.

    Parameters
    ----------
    orders : iterator of Order
        Taken a few ahead of the workers.
    workers : int
        Number of processes.
    preloaded : sequence of str
        Modules that are imported once for all of them.

    Raises
    ------
    WorkerError
        If processes cannot be started, or an order ends each one it is given.
    """
    check_may_start(f"{workers} workers")
    yield from _Pool(workers, orders, preloaded).results()


@dataclass(eq=False)
class Order:
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
    given: deque[Order] = field(default_factory=deque)


class _Pool:
    """Workers that share a queue of orders; the dead are replaced."""

    def __init__(self, size: int, orders: Iterator[Order], preloaded: Sequence[str]) -> None:
        self._size = size
        self._orders = orders
        self._next: deque[Order] = deque()
        self._workers: list[_Worker] = []
        self._false_starts = 0
        self._context = starting_context(preloaded)

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
                self._hire()
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

    def _hire(self) -> None:
        for_it, orders = self._context.Pipe(duplex=False)
        answers, from_it = self._context.Pipe(duplex=False)
        process = self._context.Process(target=serve, args=(for_it, from_it), name="bqcd-worker")
        with ctrl_c_kept_from_new_ones(), one_thread_each(), no_main_module():
            process.start()
            self._workers.append(_Worker(process, orders, answers))
        for_it.close()
        from_it.close()

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
