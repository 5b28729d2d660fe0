"""What can be told of a picture in a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def ink(path: Path) -> float:
    """Share of the pixels of a PNG that differ from its corner; 0 if nothing was drawn."""
    from matplotlib.image import imread

    pixels = imread(path)
    return float(np.mean(np.any(pixels != pixels[0, 0], axis=-1)))


def touching(figure: Figure) -> list[tuple[str, str]]:
    """Tick labels in view that overlap or all but touch."""
    figure.draw_without_rendering()
    labels = [
        tick.label1
        for panel in figure.axes
        for axis in (panel.xaxis, panel.yaxis)
        for tick in axis.get_major_ticks()
        if tick.label1.get_text() and tick.label1.get_visible()
        if _in_view(tick.get_loc(), axis.get_view_interval())
    ]
    return [
        (one.get_text(), other.get_text())
        for one, other in combinations(labels, 2)
        if one.get_window_extent().padded(3.0, 0.0).overlaps(other.get_window_extent())
    ]


def _in_view(at: float, interval: Sequence[float]) -> bool:
    return min(interval) <= at <= max(interval)
