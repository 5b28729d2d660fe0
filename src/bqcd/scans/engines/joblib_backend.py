"""Whatever joblib can run on: its own backends, and those that others register with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from multiprocessing import parent_process
from pathlib import Path
from types import ModuleType
from typing import Any

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.runtime.optional import require
from bqcd.runtime.pool import check_may_start, ctrl_c_kept_from_new_ones, end_with_parent
from bqcd.runtime.settings import MOST_WORKERS, check_integer
from bqcd.scans.engines.engine import ResultT, TaskT, task_name

_TASKS_AHEAD = 3
_MOST_ATTEMPTS = 3
_OWN_PROCESSES = {"loky", "multiprocessing"}
_HERE = {*_OWN_PROCESSES, "sequential", "threading"}


@dataclass(frozen=True, kw_only=True)
class JoblibEngine:
    """Workers of a joblib backend.

    Parameters
    ----------
    workers : int
        Number of tasks at a time, joblib's ``n_jobs``.
    backend : str, default="loky"
        Name of the backend: one of joblib's own, ``"dask"``, ``"ray"``, ``"spark"``, or
        one registered with ``joblib.register_parallel_backend``.

    Notes
    -----
    Some backends take the next tasks in a thread of their own, so the iterable of tasks may
    be advanced in another thread than the one that reads the results.

    Processes of loky and multiprocessing are joblib's. From its first task on, each watches the
    one that started it, and ends within a second when that is killed; one of loky that has not
    had a task yet ends after five idle minutes. Those of other backends are their cluster's.
    """

    workers: int
    backend: str = "loky"

    def __post_init__(self) -> None:
        """Refuse fewer than one worker, and more where there can be none."""
        check_integer("the joblib engine", "workers", self.workers, minimum=1, maximum=MOST_WORKERS)
        if self.workers > 1 and self.backend in _OWN_PROCESSES:
            check_may_start(f"{self.workers} workers")

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results as they come; see :class:`~bqcd.scans.engines.Engine`."""
        joblib, under_way, setbacks = self._joblib(), dict[int, TaskT](), 0
        numbered = enumerate(tasks)
        call = _watched if self.backend in _OWN_PROCESSES else _numbered
        with ExitStack() as stack:
            if self.backend == "loky":
                stack.callback(_end_loky)
            while True:
                again = list(under_way.items())
                calls = (
                    joblib.delayed(call)(function, place, task)
                    for place, task in _noted(chain(again, numbered), under_way)
                )
                try:
                    with _closed_quietly(self._streamed(joblib, calls)) as stream:
                        for place, result in stream:
                            setbacks = 0
                            del under_way[place]
                            yield result
                    return
                except BrokenExecutor as error:
                    setbacks += 1
                    if setbacks >= _MOST_ATTEMPTS:
                        raise _lost(setbacks, under_way.values(), error) from error

    def sees(self, path: Path) -> bool:
        """Whether the workers are on this machine: joblib cannot ask those elsewhere."""
        return self.backend in _HERE

    def _joblib(self) -> ModuleType:
        joblib = require("joblib", extra="joblib", needed_by=f"The engine {self.backend!r}")
        if self.backend == "spark":
            require("joblibspark", extra="spark", needed_by="The engine 'spark'").register_spark()
        if self.backend == "ray":
            require("ray.util.joblib", extra="ray", needed_by="The engine 'ray'").register_ray()
        return joblib

    def _streamed(self, joblib: ModuleType, calls: Iterator[Any]) -> Generator[Any]:
        """Results as they come where the backend can, or else those of a few tasks at a time."""
        try:
            parallel = self._parallel(joblib)
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidSettingError(
                f"The joblib backend {self.backend!r} cannot be used: {error}"
            ) from error
        try:
            parallel = self._parallel(joblib, return_as="generator_unordered")
        except ValueError:
            size = _TASKS_AHEAD * self.workers
            with _entered(parallel):
                while some := list(islice(calls, size)):
                    yield from parallel(some)
        else:
            yield from parallel(calls)

    def _parallel(self, joblib: ModuleType, **how: str) -> Any:
        settings = {"inner_max_num_threads": 1} if self.backend == "loky" else {}
        with joblib.parallel_config(backend=self.backend, n_jobs=self.workers, **settings):
            # Nothing is written to disk, and no task waits for another.
            return joblib.Parallel(
                pre_dispatch=f"{_TASKS_AHEAD}*n_jobs", batch_size=1, max_nbytes=None, **how
            )


@contextmanager
def _closed_quietly(stream: Generator[Any]) -> Iterator[Generator[Any]]:
    """Stream that is closed at the end; that tasks are given up then is meant."""
    try:
        yield stream
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stream.close()


def _numbered(function: Callable[[Any], Any], place: int, task: Any) -> tuple[int, Any]:
    return place, function(task)


def _watched(function: Callable[[Any], Any], place: int, task: Any) -> tuple[int, Any]:
    """The same, in a process that is to end with the one that started it."""
    _watch_once()
    return _numbered(function, place, task)


@cache
def _watch_once() -> None:
    if parent_process() is not None:
        end_with_parent()


@contextmanager
def _entered(parallel: Any) -> Iterator[None]:
    """Workers that are started now are not reached by Ctrl-C, which joblib would wait after."""
    with ExitStack() as opened:
        with ctrl_c_kept_from_new_ones():
            opened.enter_context(parallel)
        yield


def _noted(
    numbered: Iterable[tuple[int, TaskT]], under_way: dict[int, TaskT]
) -> Iterator[tuple[int, TaskT]]:
    """The same tasks, each written down when it is taken."""
    for place, task in numbered:
        under_way[place] = task
        yield place, task


def _lost(times: int, tasks: Iterable[object], error: BrokenExecutor) -> WorkerError:
    names = ", ".join(task_name(task) for task in islice(tasks, 8))
    return WorkerError(
        f"Workers were lost {times} times in a row while at work on some of {names}: {error}"
    )


def _end_loky() -> None:
    """End the processes that loky would keep for later calls."""
    loky = require("joblib.externals.loky", extra="joblib", needed_by="The engine 'loky'")
    loky.get_reusable_executor().shutdown(wait=True, kill_workers=True)
