"""Workers of a Dask cluster: an existing one by its address, or one made on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any

from bqcd.errors import WorkerError
from bqcd.runtime.optional import require
from bqcd.runtime.pool import (
    check_may_start,
    ctrl_c_kept_from_new_ones,
    no_main_module,
    one_thread_each,
)
from bqcd.runtime.settings import check_integer
from bqcd.scans.engines.engine import ResultT, TaskT, glimpse, task_name

_TASKS_AHEAD = 4
# So that a cluster that grows with its work is given some when it has no workers yet.
_FEWEST_TASKS = 8
_MOST_AT_ONCE = 64
_COUNTING_SECONDS = 5.0

UNWATCHED: Mapping[str, object] = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}
"""Settings of a cluster that nobody looks at: it does not measure what its pages would show.

As Dask has them, each worker wakes 150 times a second to look at its own stack and clock."""


@dataclass(frozen=True, kw_only=True)
class DaskEngine:
    """Workers of a Dask cluster.

    Parameters
    ----------
    workers : int, default=1
        Number of processes of a cluster on this machine; an existing one has its own.
    address : str or None, default=None
        Scheduler of an existing cluster, e.g. ``"tcp://10.0.0.1:8786"``. If None, a cluster
        is made on this machine for as long as it is needed.
    """

    workers: int = 1
    address: str | None = None

    def __post_init__(self) -> None:
        """Refuse fewer than one worker."""
        check_integer("the Dask engine", "workers", self.workers, minimum=1, maximum=100_000)

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results as they come; see :class:`~bqcd.scans.engines.Engine`."""
        with self._client() as client:
            yield from _Flow(client, function, iter(tasks)).results()

    def sees(self, path: Path) -> bool:
        """Whether every worker finds at ``path`` what is there for this process."""
        if self.address is None:
            return True
        with self._client() as client:
            seen = client.run(glimpse, path.absolute())
        return bool(seen) and set(seen.values()) == {glimpse(path)} - {""}

    @contextmanager
    def _client(self) -> Iterator[Any]:
        distributed = _distributed()
        with ExitStack() as opened:
            if self.address is None:
                target = opened.enter_context(self._cluster(distributed))
            else:
                target = self.address
            try:
                client = distributed.Client(target, set_as_default=False)
            except (OSError, ValueError) as error:
                raise WorkerError(f"No Dask scheduler answers at {target}: {error}.") from error
            yield opened.enter_context(client)

    def _cluster(self, distributed: ModuleType) -> Any:
        check_may_start("A Dask cluster", instead="Use an address, or engine='local', workers=1.")
        unwatched = _dask().config.set(UNWATCHED)
        with unwatched, one_thread_each(), no_main_module(), ctrl_c_kept_from_new_ones():
            return distributed.LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                # Any free port for the scheduler's answers about itself, and no dashboard.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                # Mapped columns look like memory in use; and nothing is to be moved to disk.
                memory_limit=0,
                # Again, for workers that replace others later.
                config=dict(UNWATCHED),
                silence_logs=logging.CRITICAL,
            )


class _Flow:
    """Tasks on their way through a cluster, a few ahead of its workers."""

    def __init__(self, client: Any, function: Callable[[Any], Any], tasks: Iterator[Any]) -> None:
        self._client = client
        self._function = function
        self._tasks = tasks
        self._names: dict[Any, str] = {}
        self._counted_at = float("-inf")
        self._most = 0
        self._finished = _distributed().as_completed(loop=client.loop)

    def results(self) -> Generator[Any]:
        """Results as they come."""
        self._submit()
        for ended in self._finished.batches():
            while ended:
                some, ended = ended[:_MOST_AT_ONCE], ended[_MOST_AT_ONCE:]
                results = self._gathered(some)
                self._submit()
                yield from results

    def _submit(self) -> None:
        """Fill up what is under way when half of it has ended: together costs less."""
        most = self._room()
        if len(self._names) > most // 2:
            return
        tasks = list(islice(self._tasks, most - len(self._names)))
        # Columns that are sent along are large, and that is known.
        large = {"distributed.admin.large-graph-warning-threshold": "1TB"}
        with _dask().config.set(large), _scheduler_at_hand():
            futures = self._client.map(self._function, tasks, pure=False) if tasks else []
        self._names.update(zip(futures, map(task_name, tasks), strict=True))
        self._finished.update(futures)

    def _room(self) -> int:
        """Most tasks under way; follows the size of the cluster."""
        if monotonic() - self._counted_at > _COUNTING_SECONDS:
            with _scheduler_at_hand():
                threads = sum(self._client.nthreads().values())
            self._most = max(_FEWEST_TASKS, _TASKS_AHEAD * threads)
            self._counted_at = monotonic()
        return self._most

    def _gathered(self, ended: list[Any]) -> list[Any]:
        """Results of tasks that have ended; those lost since then are waited for again."""
        try:
            results: list[Any] = self._client.gather(ended)
        except _distributed().KilledWorker as error:
            names = ", ".join(self._names[one] for one in ended if one.status == "error")
            raise WorkerError(
                f"Too many Dask workers were lost while at work on {names}: {error}"
            ) from error
        except _distributed().CancelledError as error:
            raise WorkerError(f"The Dask scheduler was lost, or its tasks were: {error}") from error
        for future in ended:
            del self._names[future]
            future.release()
        return results


@contextmanager
def _scheduler_at_hand() -> Iterator[None]:
    try:
        yield
    except (OSError, _distributed().CancelledError) as error:
        raise WorkerError(f"The Dask scheduler was lost: {error}") from error


def _dask() -> ModuleType:
    return require("dask", extra="dask", needed_by="The Dask engine")


def _distributed() -> ModuleType:
    return require("distributed", extra="dask", needed_by="The Dask engine")
