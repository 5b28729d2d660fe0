"""A bar that shows in a notebook how far a long piece of work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from time import monotonic
from typing import Any

Told = Callable[[str, int, int], None]
"""Told what the work is at, and how much of how much of it is done."""

# What takes less time than this needs no bar; and nobody reads faster than the second.
_PATIENCE, _PAUSE = 0.7, 0.15
STAGES = {
    "columns": "Reading columns",
    "pairs": "Judging pairs",
    "second": "Asking the second method",
    "details": "Looking at pairs in detail",
}
"""Words for what the work is at."""


def display_of_notebook() -> Any:
    """IPython's ``display`` if this process is the kernel of a notebook, else None."""
    # Who has not imported it is in no notebook.
    ipython = sys.modules.get("IPython")
    if ipython is None or "ipykernel" not in sys.modules:
        return None
    shell = ipython.get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from importlib import import_module

    return import_module("IPython.display")


class NotebookBar:
    """A line of HTML that is drawn again as the work goes on.

    Parameters
    ----------
    shown : object
        What has IPython's ``display`` and ``HTML``.
    clock : callable, optional
        Seconds since some moment; those of the machine by default.
    """

    def __init__(self, shown: Any, *, clock: Callable[[], float] = monotonic) -> None:
        self._shown, self._clock = shown, clock
        self._begun = clock()
        self._last = self._begun + _PATIENCE - _PAUSE
        self._handle: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far it is, if enough time has passed to be worth a look."""
        now = self._clock()
        if now - self._last < _PAUSE and not (self._handle is not None and done == total):
            return
        self._last = now
        content = self._shown.HTML(bar_html(STAGES.get(stage, stage), done, total))
        if self._handle is None:
            self._handle = self._shown.display(content, display_id=True)
        else:
            self._handle.update(content)

    def close(self) -> None:
        """Take the bar away."""
        if self._handle is not None:
            self._handle.update(self._shown.HTML(""))


def bar_html(label: str, done: int, total: int) -> str:
    """HTML of a bar.

    Examples
    --------
    >>> bar_html("Judging pairs", 3, 15)
    '<label>Judging pairs: 3 of 15 <progress max="15" value="3"></progress></label>'
    """
    said = f"{escape(label)}: {done:,} of {total:,}"
    return f'<label>{said} <progress max="{total}" value="{done}"></progress></label>'


def bar_of_notebook() -> NotebookBar | None:
    """A new bar if this is a notebook, else None."""
    shown = display_of_notebook()
    return None if shown is None else NotebookBar(shown)


@contextmanager
def bar_in_notebook(told: Told | None) -> Iterator[Told]:
    """What is told how far the work is: what was handed in, a bar in a notebook, or nobody.

    Parameters
    ----------
    told : callable or None
        What was handed in.
    """
    bar = bar_of_notebook() if told is None else None
    if bar is None:
        yield told or (lambda stage, done, total: None)
        return
    try:
        yield bar
    finally:
        bar.close()
