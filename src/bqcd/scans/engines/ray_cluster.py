"""Workers of a Ray cluster: an existing one by its address, or one made on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from bqcd.errors import WorkerError
from bqcd.runtime.optional import require
from bqcd.runtime.pool import one_thread_each
from bqcd.runtime.settings import check_integer
from bqcd.scans.engines.engine import ResultT, TaskT, glimpse, task_name

_TASKS_AHEAD = 3
_MOST_ATTEMPTS = 3


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """Workers of a Ray cluster.

    Parameters
    ----------
    workers : int, default=1
        Number of processes of a cluster on this machine; an existing one has its own.
    address : str or None, default=None
        Of an existing cluster, e.g. ``"ray://10.0.0.1:10001"`` or ``"auto"``. If None, a
        cluster is made on this machine for as long as it is needed. If this process is
        already in a Ray session, that is used instead, and left open.
    """

    workers: int = 1
    address: str | None = None

    def __post_init__(self) -> None:
        """Refuse fewer than one worker."""
        check_integer("the Ray engine", "workers", self.workers, minimum=1, maximum=100_000)

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results as they come; see :class:`~bqcd.scans.engines.Engine`."""
        with self._session() as ray:
            yield from _results(ray, function, iter(tasks))

    def sees(self, path: Path) -> bool:
        """Whether every node finds at ``path`` what is there for this process."""
        with self._session(only_existing=True) as ray:
            if ray is None:
                return True
            probe = ray.remote(num_cpus=0)(glimpse)
            nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
            seen = ray.get([_on(node, probe).remote(path.absolute()) for node in nodes])
        return set(seen) == {glimpse(path)} - {""}

    @contextmanager
    def _session(self, *, only_existing: bool = False) -> Iterator[Any]:
        ray = require("ray", extra="ray", needed_by="The Ray engine")
        if ray.is_initialized():
            yield ray
        elif self.address is None and only_existing:
            yield None
        else:
            try:
                with one_thread_each():
                    self._open(ray)
            except (OSError, RuntimeError, ValueError) as error:
                raise WorkerError(
                    f"No Ray cluster answers at {self.address or 'this machine'}: {error}"
                ) from error
            try:
                yield ray
            finally:
                ray.shutdown()

    def _open(self, ray: ModuleType) -> None:
        local = {} if self.address else {"num_cpus": self.workers, "include_dashboard": False}
        ray.init(
            address=self.address or "local",
            log_to_driver=False,
            logging_level=logging.ERROR,
            **local,
        )


def _on(node: str, probe: Any) -> Any:
    """The same remote function, bound to one node."""
    strategies = require("ray.util.scheduling_strategies", extra="ray", needed_by="The Ray engine")
    return probe.options(
        scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node, soft=False)
    )


def _results(ray: Any, function: Callable[[Any], Any], tasks: Iterator[Any]) -> Generator[Any]:
    """Results as they come, a few tasks ahead of the workers."""
    # Ray does again what was lost with a worker; what raises is not tried again.
    remote = ray.remote(num_cpus=1, max_retries=_MOST_ATTEMPTS - 1)(_called)
    names: dict[Any, str] = {}
    most = _TASKS_AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    while True:
        for task in islice(tasks, most - len(names)):
            names[remote.remote(function, task)] = task_name(task)
        if not names:
            return
        (ended, *_), _ = ray.wait(list(names), num_returns=1)
        name = names.pop(ended)
        try:
            result = ray.get(ended)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            raise WorkerError(f"Ray workers were lost while at work on {name}: {error}") from error
        del ended
        yield result


def _called(function: Callable[[Any], Any], task: Any) -> Any:
    return function(task)
