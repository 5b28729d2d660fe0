"""Clusters that are reached through joblib: Spark, and what others register with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.runtime.optional import require
from bqcd.runtime.settings import MOST_WORKERS, check_integer
from bqcd.scans.engines.engine import ResultT, TaskT

_TASKS_AHEAD = 3
# Two workers on 200 columns of 1,000 rows, three rounds on a busy machine: local 1.4, 1.5 and
# 2.6 thousand pairs a second, loky 0.8, 0.6 and 1.1, multiprocessing 1.2, 0.9 and 1.6, threading
# 1.2, 1.6 and 1.1.
ON_THIS_MACHINE = ("loky", "multiprocessing", "sequential", "threading")


@dataclass(frozen=True, kw_only=True)
class JoblibEngine:
    """Workers of a cluster that is registered with joblib.

    Parameters
    ----------
    workers : int
        Number of tasks at a time, joblib's ``n_jobs``.
    backend : str
        Name of the backend: ``"dask"``, ``"ray"``, ``"spark"``, or one registered with
        ``joblib.register_parallel_backend``. Those that joblib has for this machine are
        refused: the local engine is for that.

    Notes
    -----
    Some backends take the next tasks in a thread of their own, so the iterable of tasks may
    be advanced in another thread than the one that reads the results. Workers that are lost
    are the cluster's to replace.
    """

    workers: int
    backend: str

    def __post_init__(self) -> None:
        """Refuse fewer than one worker, and what runs on this machine."""
        check_integer("the joblib engine", "workers", self.workers, minimum=1, maximum=MOST_WORKERS)
        if self.backend in ON_THIS_MACHINE:
            raise InvalidSettingError(
                f"The joblib backend {self.backend!r} runs on this machine, where the engine "
                "'local' gives the same numbers: use that."
            )

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results as they come; see :class:`~bqcd.scans.engines.Engine`."""
        joblib = self._joblib()
        calls = (joblib.delayed(function)(task) for task in tasks)
        try:
            with _closed_quietly(self._streamed(joblib, calls)) as stream:
                # "yield from" would close the stream itself, and not quietly.
                for result in stream:  # noqa: UP028
                    yield result
        except BrokenExecutor as error:
            raise WorkerError(f"Workers of {self.backend!r} were lost: {error}") from error

    def sees(self, path: Path) -> bool:
        """Never: joblib cannot ask workers elsewhere."""
        return False

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
            with parallel:
                while some := list(islice(calls, size)):
                    yield from parallel(some)
        else:
            yield from parallel(calls)

    def _parallel(self, joblib: ModuleType, **how: str) -> Any:
        with joblib.parallel_config(backend=self.backend, n_jobs=self.workers):
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
