"""How processes are started: tied to this one, on one thread, out of the reach of Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import current_process
from multiprocessing.resource_tracker import ensure_running
from threading import current_thread, main_thread
from types import FrameType, ModuleType
from typing import Any

from bqcd.errors import WorkerError
from bqcd.runtime.pool.watching import TyingContext

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def starting_context(preloaded: Sequence[str]) -> Any:
    """Way to start processes that share nothing with this one, but end with it.

    Parameters
    ----------
    preloaded : sequence of str
        Modules that are imported once, in the process the others are copied from.
    """
    # Typed loosely: which class it is depends on the system.
    context: Any = TyingContext()
    if sys.platform != "win32":
        context.set_forkserver_preload(list(preloaded))
    return context


def check_may_start(what: str, *, instead: str = "Use workers=1 there.") -> None:
    """Refuse to start processes in one that may not have any.

    Parameters
    ----------
    what : str
        What is to be started, the beginning of the message.
    instead : str, default="Use workers=1 there."
        What works, the end of the message.

    Raises
    ------
    WorkerError
        If this is a daemonic process of multiprocessing.
    """
    if current_process().daemon:
        raise WorkerError(
            f"{what} cannot be started by a daemonic process of multiprocessing, which may not "
            f"have processes of its own. {instead}"
        )


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Environment in which numerical libraries stay on one thread.

    Workers are what runs in parallel; and sums that are split over threads would depend
    on their number.
    """
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def no_main_module() -> Iterator[None]:
    """State in which a new process does not run the calling script a second time.

    Workers need nothing of it, and a script without a guard around its main part would
    start the same work in each of them.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def ctrl_c_kept_from_new_ones() -> Iterator[None]:
    """State in which threads and processes are started that Ctrl-C does not reach.

    A terminal tells every process; only the first should answer. It does so at the end of
    this: a start that is cut short leaves half a process, of which nobody knows.
    """
    with _ctrl_c_postponed():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        # Whoever starts the tracker of multiprocessing is open to signals afterwards.
        ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _ctrl_c_postponed() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    # Other threads are not interrupted, and may not say who is.
    if current_thread() is not main_thread() or not callable(before):
        yield
        return
    heard: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            before(signal.SIGINT, None)


def ending(process: Any) -> str:
    """How a process ended: its exit code, or the signal that ended it."""
    code = process.exitcode
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"
