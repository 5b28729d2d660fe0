"""Workers that share a queue of orders: who is at work on what, who is overdue, who has died."""

from __future__ import annotations

import atexit
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import wait
from threading import Lock, RLock
from time import monotonic
from typing import Any

from bqcd.errors import WorkerError
from bqcd.runtime.pool.serving import NOWHERE, PLACE, SINCE, STAGE, UNTIL, Begin, sendable, serve
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
_POLL_SECONDS = 0.05
# An answer that is on its way when the time is over is still heard.
_GRACE_SECONDS = 0.1
# A worker that has closed its line may be about to end with an exit code of its own.
_FAREWELL_SECONDS = 5.0

# What a new process finds in the environment is changed for all threads while it starts.
_starting = Lock()


@dataclass(eq=False)
class Order:
    """What a worker is sent, what it is called, and how many have died of it."""

    name: str
    task: Any
    deaths: int = 0


@dataclass(frozen=True)
class Loss:
    """How a worker was lost while it was at work on an order.

    Parameters
    ----------
    order : Order
        What it had in hand.
    ending : str
        Exit code or signal.
    place : int or None
        What it had marked as begun; None if nothing, or if it was found late with something
        else than what it had begun when it was killed.
    stage : int
        Which part of it.
    seconds : float
        Time spent on it.
    late : bool
        Whether it was killed for taking too long.
    news : object
        The last that it had told.
    """

    order: Order
    ending: str
    place: int | None
    stage: int
    seconds: float
    late: bool
    news: Any


@dataclass(eq=False)
class _Worker:
    """One process, its lines, and the orders it has not answered, oldest first."""

    process: Any
    orders: Any
    answers: Any
    marker: Any
    ready: bool = False
    news: Any = None
    given: deque[Order] = field(default_factory=deque)

    def late(self) -> float | None:
        """When it began what has taken too long; None if nothing has."""
        since, until, place = self.marker[SINCE], self.marker[UNTIL], self.marker[PLACE]
        return since if place >= 0.0 and monotonic() > until + _GRACE_SECONDS else None

    def loss(self, late: float | None) -> Loss:
        """How it was lost; ``late`` is what it was killed for."""
        since = self.marker[SINCE]
        marked = self.marker[PLACE] >= 0.0 and late in (None, since)
        return Loss(
            order=self.given[0],
            ending=ending(self.process),
            place=int(self.marker[PLACE]) if marked else None,
            stage=int(self.marker[STAGE]),
            seconds=monotonic() - since,
            late=late is not None,
            news=self.news,
        )


def tried_again(loss: Loss) -> list[Order]:
    """The same order, unless too many workers have died of it.

    Raises
    ------
    WorkerError
        At the third death.
    """
    order = loss.order
    order.deaths += 1
    if order.deaths >= _MOST_ATTEMPTS:
        raise WorkerError(
            f"{order.deaths} worker processes ended while at work on {order.name}, "
            f"the last with {loss.ending}."
        )
    return [order]


def no_news(news: Any) -> None:
    """Take no notice of what workers tell."""


class Pool:
    """Workers that share a queue of orders; the dead and the overdue are replaced.

    Parameters
    ----------
    begin : callable
        Called once in each worker, with an :class:`AtWork`; gives the function that answers
        orders. Either may mark what it has begun, with a time limit, and tell news.
    orders : iterable of Order
        Taken a few ahead of the workers.
    workers : int
        Number of processes.
    preloaded : sequence of str, default=()
        Modules that are imported once for all of them.
    lost : callable, optional
        What is to be done, first of all, in place of an order whose worker was lost. Default:
        :func:`tried_again`.
    heard : callable, optional
        Called with the news that workers tell. Default: nothing.

    Raises
    ------
    WorkerError
        If this process may not start others.
    """

    def __init__(
        self,
        begin: Begin,
        orders: Iterable[Order],
        *,
        workers: int,
        preloaded: Sequence[str] = (),
        lost: Callable[[Loss], Iterable[Order]] = tried_again,
        heard: Callable[[Any], None] = no_news,
    ) -> None:
        check_may_start(f"{workers} workers")
        self._begin, self._size, self._lost, self._heard = begin, workers, lost, heard
        self._orders: Iterator[Order] = iter(orders)
        self._next: deque[Order] = deque()
        self._workers: list[_Worker] = []
        self._false_starts = 0
        self._stopped = False
        self._ends = RLock()
        self._context = starting_context(preloaded)

    def results(self) -> Generator[tuple[Order, Any]]:
        """Orders with their results as they come; when this ends, no worker is left.

        Raises
        ------
        WorkerError
            If processes cannot be started, or an order ends each one it is given.
        """
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

    def stop(self) -> None:
        """End the workers now, and the results without an error; from any thread."""
        with self._ends:
            self._stopped = True
            for worker in self._workers:
                worker.process.kill()

    def _hand_out(self) -> None:
        """Give orders to the idle first, and a second one while there are enough for all."""
        for load in range(_ORDERS_AHEAD):
            self._look_ahead()
            for worker in [one for one in self._workers if len(one.given) == load]:
                if len(self._next) > (self._size if load else 0):
                    self._give(worker)
                    self._look_ahead()
            while not load and self._next and len(self._workers) < self._size:
                if not self._hire():
                    return
                self._give(self._workers[-1])
                self._look_ahead()

    def _look_ahead(self) -> None:
        missing = self._size + 1 - len(self._next)
        self._next.extend(islice(self._orders, max(0, missing)))

    def _give(self, worker: _Worker) -> None:
        order = self._next.popleft()
        worker.given.append(order)
        data = sendable(order.task)
        # If it has just died, listening finds out.
        with suppress(OSError):
            worker.orders.send_bytes(data)

    def _hire(self) -> bool:
        """Whether there is one worker more; there is none after a stop."""
        begin = sendable(self._begin)
        for_it, orders = self._context.Pipe(duplex=False)
        answers, from_it = self._context.Pipe(duplex=False)
        marker = self._context.RawArray("d", NOWHERE)
        process = self._context.Process(
            target=serve, args=(for_it, from_it, marker, begin), name="bqcd-worker"
        )
        with self._ends, _starting:
            if not self._stopped:
                with ctrl_c_kept_from_new_ones(), one_thread_each(), no_main_module():
                    process.start()
                    self._workers.append(_Worker(process, orders, answers, marker))
        for_it.close()
        from_it.close()
        return not self._stopped

    def _listen(self) -> list[tuple[Order, Any]]:
        """Results that have come; waits for a sign of life, or of death, or a moment."""
        lines = {worker.answers: worker for worker in self._workers}
        ends = {worker.process.sentinel: worker for worker in self._workers}
        signs = wait([*lines, *ends], timeout=_POLL_SECONDS)
        results: list[tuple[Order, Any]] = []
        for worker in dict.fromkeys((lines | ends)[sign] for sign in signs):
            if not self._hear(worker, results):
                self._bury(worker)
        for worker in list(self._workers):
            late = worker.late()
            if late is not None:
                worker.process.kill()
                self._hear(worker, results)
                self._bury(worker, late=late)
        return results

    def _hear(self, worker: _Worker, results: list[tuple[Order, Any]]) -> bool:
        """Whether a worker is alive, after all that it has said."""
        while True:
            try:
                if not worker.answers.poll():
                    return bool(worker.process.is_alive())
                word, said = pickle.loads(worker.answers.recv_bytes())
            except (EOFError, OSError):
                return False
            if word == "refusal":
                raise said
            if word == "no start":
                raise WorkerError(f"A worker process cannot begin: {said}")
            if word == "ready":
                worker.ready, self._false_starts = True, 0
            elif word == "news":
                worker.news = said
                self._heard(said)
            else:
                results.append((worker.given.popleft(), said))

    def _bury(self, worker: _Worker, *, late: float | None = None) -> None:
        """Put the orders of a dead worker back, or what is to be done in place of the first."""
        worker.process.join(_FAREWELL_SECONDS)
        self._close(worker)
        self._workers.remove(worker)
        if self._stopped:
            return
        if not worker.ready:
            self._false_starts += 1
            if self._false_starts >= _MOST_FALSE_STARTS:
                raise WorkerError(
                    f"{self._false_starts} worker processes in a row ended before their first "
                    f"task, the last with {ending(worker.process)}."
                )
        elif worker.given:
            instead = list(self._lost(worker.loss(late)))
            worker.given.popleft()
            worker.given.extendleft(reversed(instead))
        self._next.extendleft(reversed(worker.given))

    def _dismiss(self) -> None:
        """End every worker, whatever it is doing."""
        with self._ends:
            for worker in self._workers:
                worker.process.kill()
            while self._workers:
                self._close(self._workers.pop())

    def _close(self, worker: _Worker) -> None:
        with self._ends:
            worker.process.kill()
            worker.process.join()
            worker.orders.close()
            worker.answers.close()
