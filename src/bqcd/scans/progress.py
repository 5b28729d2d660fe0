"""How far a scan has come, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bqcd.runtime.notebook import bar_of_notebook
from bqcd.runtime.settings import check_choice, check_integer

Stage = Literal["columns", "pairs"]
"""What a scan is at: reading columns, or judging pairs."""

_STAGES = ("columns", "pairs")


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """How many columns are read, or pairs judged, and of how many.

    Parameters
    ----------
    done : int
        Columns or pairs that are done, those of earlier runs among them.
    total : int
        All of them.
    before : int, default=0
        Those that were done before this run; they tell nothing of its pace.
    stage : {"columns", "pairs"}, default="pairs"
        What is counted.

    Examples
    --------
    >>> ScanProgress(done=300, total=400, before=200).share
    0.75
    """

    done: int
    total: int
    before: int = 0
    stage: Stage = "pairs"

    def __post_init__(self) -> None:
        """Refuse counts that contradict each other."""
        check_integer("ScanProgress", "total", self.total, minimum=0)
        check_integer("ScanProgress", "done", self.done, minimum=0, maximum=self.total)
        check_integer("ScanProgress", "before", self.before, minimum=0, maximum=self.done)
        check_choice("ScanProgress", "stage", self.stage, _STAGES)

    @property
    def share(self) -> float:
        """Part of the whole that is done, 1 if there is nothing to do."""
        return self.done / self.total if self.total else 1.0


def shown_in_notebook() -> Callable[[ScanProgress], None] | None:
    """What shows the progress of a scan if this is a notebook, else None."""
    bar = bar_of_notebook()
    if bar is None:
        return None

    def show(now: ScanProgress) -> None:
        bar(now.stage, now.done, now.total)
        if now.stage == "pairs" and now.done == now.total:
            bar.close()

    return show
