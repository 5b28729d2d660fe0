"""Processes that end with the one that started them, however that one ended."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any
from weakref import WeakSet

if sys.platform == "win32":
    from multiprocessing.context import SpawnContext as _Context
    from multiprocessing.context import SpawnProcess as _Process
else:
    from multiprocessing.context import ForkServerContext as _Context
    from multiprocessing.context import ForkServerProcess as _Process

# Our ends of the lines by which processes are tied to this one.
_held: WeakSet[Connection[Any, Any]] = WeakSet()


class TiedProcess(_Process):
    """Process that is gone when the one that started it is, and with it what it has started.

    It is tied by a line that nothing is ever written to and of which only this process has
    the other end: the system closes that when this process ends, also by ``kill -9``. Where it
    can (Linux), the system itself then kills the session that the new process leads; elsewhere
    a thread does, as soon as the interpreter gives it a turn. Programs that leave the session
    are on their own. Ctrl-C is not for the new process: who started it decides.
    """

    def start(self) -> None:
        """Start it."""
        self._line, held = Pipe(duplex=False)
        super().start()
        # Only now: what the process has when it starts, the new one is given a copy of.
        self._held = held
        _held.add(held)
        self._line.close()

    def run(self) -> None:
        """Work of the new process, once it is tied."""
        if sys.platform != "win32":
            os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        _tie(self._line)
        super().run()

    def kill(self) -> None:
        """End it at once, and whatever it has started."""
        self._held.close()
        if sys.platform != "win32" and self.pid is not None:
            # Before it has a session of its own, or when all of it has gone, there is none.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        super().kill()


class TyingContext(_Context):
    """Way to start processes, each of them tied to this one."""

    Process = TiedProcess


def _tie(line: Connection[Any, Any]) -> None:
    Thread(target=_leave_at_its_end, args=(line,), daemon=True).start()
    if sys.platform == "linux":
        import fcntl

        # The thread gets no turn while a method holds the interpreter.
        with suppress(OSError):
            fcntl.fcntl(line, fcntl.F_SETOWN, -os.getpgrp())
            fcntl.fcntl(line, fcntl.F_SETSIG, signal.SIGKILL)
            flags = fcntl.fcntl(line, fcntl.F_GETFL)
            fcntl.fcntl(line, fcntl.F_SETFL, flags | os.O_ASYNC)
        if line.poll():
            _leave()


def _leave_at_its_end(line: Connection[Any, Any]) -> None:
    with suppress(OSError):
        line.poll(None)
    _leave()


def _leave() -> None:
    if sys.platform != "win32":
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


def _let_go() -> None:
    """Close our ends of the lines: a copy of this process has no part in them."""
    for end in list(_held):
        end.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
