"""Progress of long work in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bqcd.cli.log_lines import LogLines

if TYPE_CHECKING:
    from bqcd.benchmark import Progress


@contextmanager
def progress_bars() -> Iterator[Callable[[Sequence[Progress]], None]]:
    """One progress bar per method with the time it still needs; without a terminal, lines."""
    from rich import progress
    from rich.console import Console
    from rich.table import Column

    from bqcd.benchmark import labels

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _in_lines(LogLines())
        return
    columns = (
        progress.TextColumn(
            "{task.description}", markup=False, table_column=Column(max_width=32, overflow="fold")
        ),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[failed]}", style="red"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console) as bars:
        shown: list[str] = []

        def show(counts: Sequence[Progress]) -> None:
            names = labels([(one.name, one.settings) for one in counts])
            if names != shown:
                # Another benchmark has begun: its methods take the place of the last one's.
                for number in bars.task_ids:
                    bars.remove_task(number)
                for name, one in zip(names, counts, strict=True):
                    bars.add_task(name, start=False, completed=one.ended, failed="")
                shown[:] = names
            for bar, one in zip(bars.tasks, counts, strict=True):
                # The clock starts at the first task of this run: earlier ones tell no pace.
                if one.ended > bar.completed:
                    bars.start_task(bar.id)
                failed = f"{one.failed} failed" if one.failed else ""
                bars.update(bar.id, total=one.total, completed=one.ended, failed=failed)

        yield show


def _in_lines(lines: LogLines) -> Callable[[Sequence[Progress]], None]:
    """What is told how far the methods of a benchmark are, and tells all of them in one."""

    def show(counts: Sequence[Progress]) -> None:
        ended, total = (sum(getattr(one, name) for one in counts) for name in ("ended", "total"))
        lines.show("judging pairs", ended, total)

    return show
