"""What a reader of a picture must know about what is not seen."""

from __future__ import annotations

from collections.abc import Iterator

from bqcd.show.views import View
from bqcd.show.words import counted


def view_words(view: View, *, dots: bool = False) -> str:
    """What is outside, what dark cells and spread values mean; nothing if there is nothing.

    Parameters
    ----------
    view : View
        What is drawn.
    dots : bool, default=False
        Whether dots are drawn even where a density would be.
    """
    return "; ".join(_notes(view, dots=dots))


def _notes(view: View, *, dots: bool) -> Iterator[str]:
    if view.outside:
        yield f"{counted(view.outside, 'point')} outside the view"
    if view.counts is not None and not dots:
        yield "darker cells hold more rows (logarithmic)"
    if view.spread:
        yield "tied values are spread a little to be seen"
