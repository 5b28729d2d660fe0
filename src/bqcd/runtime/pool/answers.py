"""Answers of a function to many tasks, from this process or from a few others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TypeVar

from bqcd.runtime.pool.serving import unwatched
from bqcd.runtime.pool.workers import Order, Pool

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
    awaited: deque[Order] = deque()
    early: dict[Order, ResultT] = {}

    def orders() -> Iterator[Order]:
        for place, task in enumerate(tasks):
            awaited.append(Order(f"task {place}", task))
            yield awaited[-1]

    pool = Pool(unwatched(function), orders(), workers=workers, preloaded=preloaded)
    with closing(pool.results()) as results:
        for order, answer in results:
            early[order] = answer
            while awaited and awaited[0] in early:
                yield early.pop(awaited.popleft())
