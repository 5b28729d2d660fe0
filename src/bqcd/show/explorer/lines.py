"""Connections: how many there may be at once, for how long, and which one has to go."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from socket import SHUT_RDWR, socket
from threading import Condition
from time import monotonic

MOST = 64
PATIENCE = 5.0
"""Seconds for all of a question, from the first letter to the last."""


@dataclass(slots=True)
class _Line:
    end: float
    trusted: bool = False
    ended: bool = False


class Lines:
    """Connections that are open; a stranger's is closed for whoever comes when all are taken.

    Parameters
    ----------
    most : int, default=64
        How many there may be.
    patience : float, default=5.0
        Seconds after which a connection is closed that has not become trusted.
    clock : callable, optional
        Seconds since some moment; those of the machine by default.
    """

    def __init__(
        self,
        *,
        most: int = MOST,
        patience: float = PATIENCE,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most, self._patience, self._clock = most, patience, clock
        self._changed = Condition()
        self._open: dict[socket, _Line] = {}

    def __len__(self) -> int:
        return len(self._open)

    def take(self, line: socket) -> bool:
        """Whether there is room for one more, once the oldest stranger has left."""
        with self._changed:
            if len(self._open) >= self._most:
                self._end_oldest_stranger()
                self._changed.wait_for(lambda: len(self._open) < self._most, timeout=1.0)
            if len(self._open) >= self._most:
                return False
            self._open[line] = _Line(self._clock() + self._patience)
            return True

    def trust(self, line: socket) -> None:
        """Let a connection take its time: the owner is at its other end."""
        with self._changed:
            if line in self._open:
                self._open[line].trusted = True

    def leave(self, line: socket) -> None:
        """Forget a connection that is closed."""
        with self._changed:
            self._open.pop(line, None)
            self._changed.notify_all()

    def end_overdue(self) -> None:
        """Close the connections of strangers that took too long, however busy they are."""
        now = self._clock()
        with self._changed:
            for line, known in self._open.items():
                if not known.trusted and not known.ended and now >= known.end:
                    _end(line, known)

    def _end_oldest_stranger(self) -> None:
        for line, known in self._open.items():
            if not known.trusted and not known.ended:
                _end(line, known)
                return


def _end(line: socket, known: _Line) -> None:
    """Wake up whoever waits at a connection; they find it closed and leave."""
    known.ended = True
    with suppress(OSError):
        line.shutdown(SHUT_RDWR)
