"""What an engine must do: run one function on many tasks, wherever its workers are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from bqcd.scans.records import TileTask

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

_GLIMPSE_BYTES = 1 << 16
_GLIMPSED_FILES = 8


class Engine(Protocol):
    """Workers, in this process or in others, on this machine or elsewhere.

    Results do not depend on the engine: a worker is told all that it needs. One that is
    lost costs time and nothing else.
    """

    @property
    def workers(self) -> int:
        """Number of workers that was asked for; an existing cluster has its own."""
        ...

    def run(
        self, function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT]
    ) -> Generator[ResultT]:
        """Results of a function on every task, as they come, in no particular order.

        Tasks are taken from the iterable a few ahead of the workers. Closing the generator,
        or an error in it, ends what is under way: no process is left. Close it with
        ``contextlib.closing``, so that an interruption elsewhere ends it too.

        Parameters
        ----------
        function : callable
            Of one task; importable where the workers are.
        tasks : iterable
            Its arguments.

        Raises
        ------
        WorkerError
            If workers cannot be started or reached, or a task ends each worker it is given.
        """
        ...

    def sees(self, path: Path) -> bool:
        """Whether every worker finds at ``path`` what is there for this process."""
        ...


def task_name(task: object) -> str:
    """What a task is called in messages.

    Examples
    --------
    >>> task_name(7)
    'the task 7'
    """
    return f"tile {task.tile.number}" if isinstance(task, TileTask) else f"the task {task!r:.60}"


def glimpse(path: Path) -> str:
    """Digest of the size and the ends of a file, or of a folder; empty if there is none.

    Enough to tell whether two machines mean the same by a path. Of a folder, all names and
    the first files are looked at.
    """
    digest = blake2b(digest_size=16)
    try:
        if path.is_dir():
            held = sorted(path.iterdir())
            digest.update("\n".join(one.name for one in held).encode())
            for file in islice(filter(Path.is_file, held), _GLIMPSED_FILES):
                digest.update(glimpse(file).encode())
        else:
            with path.open("rb") as stream:
                digest.update(stream.read(_GLIMPSE_BYTES))
                size = stream.seek(0, 2)
                stream.seek(max(0, size - _GLIMPSE_BYTES))
                digest.update(stream.read(_GLIMPSE_BYTES) + str(size).encode())
    except OSError:
        return ""
    return digest.hexdigest()
