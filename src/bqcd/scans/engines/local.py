"""Processes of this machine, started when they are needed and gone when they are not."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bqcd.runtime.pool import Order, Pool, check_may_start, unwatched
from bqcd.runtime.settings import MOST_WORKERS, check_integer
from bqcd.scans.engines.engine import ResultT, TaskT, task_name

_PRELOADED = [__name__, "numba", "scipy.special"]


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
        """Refuse fewer than one worker, and more where there can be none."""
        check_integer("the local engine", "workers", self.workers, minimum=1, maximum=MOST_WORKERS)
        if self.workers > 1:
            check_may_start(f"{self.workers} workers")

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results as they come; see :class:`~bqcd.scans.engines.Engine`."""
        if self.workers == 1:
            for task in tasks:
                yield function(task)
        else:
            orders = (Order(task_name(task), task) for task in tasks)
            begin = unwatched(function)
            pool = Pool(begin, orders, workers=self.workers, preloaded=_PRELOADED)
            with closing(pool.results()) as results:
                for _, result in results:
                    yield result

    def sees(self, path: Path) -> bool:
        """Always: the workers are on this machine."""
        return True
