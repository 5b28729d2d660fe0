"""Progress of long work where there is no terminal: a line in the log, now and then."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic

from bqcd.cli.console import tell

_FIRST_GAP, _LONGEST_GAP = 30.0, 600.0
VARIABLE = "BQCD_LOG_SECONDS"
"""Environment variable: seconds between two lines, instead of gaps that grow."""


class LogLines:
    """Lines on standard error that tell how far work is: the first after half a minute.

    Gaps double until they are ten minutes long, so that a night fills no log.

    Parameters
    ----------
    clock : callable, optional
        Seconds that have passed.
    say : callable, optional
        What is handed a line.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = monotonic,
        say: Callable[[str], None] = lambda line: tell(line, err=True),
    ) -> None:
        self._clock, self._say = clock, say
        self._gap, self._growth = _gaps()
        self._last = clock()
        self._stage = ""
        self._start = (0.0, 0)

    def show(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is, if it is time for a line."""
        now = self._clock()
        if stage != self._stage:
            # What was done before this run tells nothing of its pace.
            self._stage, self._start = stage, (now, done)
        if now - self._last < self._gap:
            return
        self._last, self._gap = now, min(self._gap * self._growth, max(self._gap, _LONGEST_GAP))
        whole = f" of {total:,} ({done / total:.0%})" if total else ""
        self._say(f"bqcd: {stage}, {done:,}{whole}{self._left(now, done, total)}")

    def _left(self, now: float, done: int, total: int) -> str:
        from bqcd.show.sheets import duration

        since, before = self._start
        if not before < done < total or now <= since:
            return ""
        return f", about {duration((total - done) * (now - since) / (done - before))} to go"


def _gaps() -> tuple[float, float]:
    """First gap in seconds, and the factor by which gaps grow."""
    try:
        return max(float(os.environ[VARIABLE]), 0.0), 1.0
    except (KeyError, ValueError):
        return _FIRST_GAP, 2.0
