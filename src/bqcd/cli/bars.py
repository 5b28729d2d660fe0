"""Progress of long work in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bqcd.benchmark import Progress


@contextmanager
def progress_bars() -> Iterator[Callable[[Sequence[Progress]], None]]:
    """One progress bar per method with the time it still needs, on a terminal only."""
    from rich import progress
    from rich.console import Console

    from bqcd.benchmark import label

    console = Console(stderr=True)
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[failed]}", style="red"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        shown: dict[str, progress.TaskID] = {}

        def show(counts: Sequence[Progress]) -> None:
            names = [label(one.name, one.settings) for one in counts]
            if names != list(shown):
                # Another benchmark has begun: its methods take the place of the last one's.
                for bar in shown.values():
                    bars.remove_task(bar)
                shown.clear()
                for name, one in zip(names, counts, strict=True):
                    shown[name] = bars.add_task(name, total=one.total, failed="", start=False)
            for name, one in zip(names, counts, strict=True):
                if one.ended:
                    bars.start_task(shown[name])
                failed = f"{one.failed} failed" if one.failed else ""
                bars.update(shown[name], total=one.total, completed=one.ended, failed=failed)

        yield show
