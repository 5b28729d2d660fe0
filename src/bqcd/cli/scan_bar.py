"""Progress of a scan in the terminal: pairs done, their pace, the time it still takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from bqcd.cli.log_lines import LogLines

if TYPE_CHECKING:
    from rich.progress import Progress

    from bqcd.scans.progress import ScanProgress

_WORDS = {"columns": "reading columns", "pairs": "judging pairs"}


@contextmanager
def scan_bar(*, hidden: bool = False) -> Iterator[Callable[[ScanProgress], None]]:
    """What is told how far a scan is and shows it: a bar on a terminal, lines in a log.

    Parameters
    ----------
    hidden : bool, default=False
        Whether to show nothing.
    """
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    if not (hidden or console.is_terminal):
        lines = LogLines()
        yield lambda now: lines.show(_WORDS[now.stage], now.done, now.total)
        return
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(bar_width=12),
        progress.TextColumn("{task.fields[count]}"),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, disable=hidden) as bars:
        yield _ScanBar(bars).show


class _ScanBar:
    """One bar for each stage, the finished one above."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._stage = ""
        self._start = 0.0
        self._done_at_start = 0

    def show(self, now: ScanProgress) -> None:
        if now.stage != self._stage:
            self._begin(now)
        self._bars.update(
            self._bars.task_ids[-1],
            completed=now.done,
            total=now.total,
            count=f"{now.done:,}/{now.total:,}",
            rate=self._rate(now),
        )

    def _begin(self, now: ScanProgress) -> None:
        # What was there before this run tells nothing of its pace.
        self._stage, self._start, self._done_at_start = now.stage, monotonic(), now.done
        words = _WORDS[now.stage]
        self._bars.add_task(words, total=now.total, completed=now.done, count="", rate="")

    def _rate(self, now: ScanProgress) -> str:
        seconds = monotonic() - self._start
        done = now.done - self._done_at_start
        if done == 0 or seconds <= 0.0:
            return ""
        pace = done / seconds
        return f"{pace:,.0f}/s" if pace >= 10.0 else f"{pace:.2g}/s"
