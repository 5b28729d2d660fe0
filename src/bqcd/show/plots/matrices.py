"""Picture of a scan: every answer in a matrix of columns by columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bqcd.scans.results import Scan
from bqcd.show.levels import (
    CANNOT_TELL,
    NOT_JUDGED,
    Levels,
    answer_levels,
    columns_with_most_directions,
)
from bqcd.show.plots.canvas import (
    check_drawable,
    empty_figure,
    finished_figure,
    matplotlib_module,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = {
    -4: "#b84d00", -3: "#e08a49", -2: "#f3c9a8",
    NOT_JUDGED: "#ffffff", CANNOT_TELL: "#dfe2e4",
    1: "#a9cfe8", 2: "#4f9fd0", 3: "#0064a0",
}  # fmt: skip
"""Colour of each grade of :func:`bqcd.show.levels.answer_levels`."""

_WORDS = {
    3: "cause, strong",
    2: "cause, clear",
    1: "cause, leaning",
    CANNOT_TELL: "cannot tell",
    -2: "effect, leaning",
    -3: "effect, clear",
    -4: "effect, strong",
}
_MOST_NAMES = 60
_LONGEST = 20


def plot_scan(found: Scan, path: str | Path | None = None) -> Figure:
    """Matrix of the answers of a scan: a row is the cause where it is blue, else the effect.

    Above 200 columns, those with the most directions are drawn.

    Parameters
    ----------
    found : Scan
        What to draw.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If no column was judged, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    names, levels = answer_levels(found)
    check_drawable("Scan.plot", "columns", names)
    kept = columns_with_most_directions(levels)
    shown = levels[np.ix_(kept, kept)]
    title = (
        found.label if len(kept) == len(names) else f"{found.label}: {len(kept)} of {len(names)}"
    )
    return finished_figure(lambda: _drawn([names[at] for at in kept], shown, title), path)


def _drawn(names: list[str], levels: Levels, title: str) -> Figure:
    side = float(np.clip(0.24 * len(names), 2.2, 9.0))
    named = len(names) <= _MOST_NAMES
    figure = empty_figure(side + 3.4, side + (1.6 if named else 0.8))
    panel = figure.subplots()
    grades = sorted(SHADES)
    colours = matplotlib_module("colors").ListedColormap([SHADES[grade] for grade in grades])
    panel.imshow(np.searchsorted(grades, levels), cmap=colours, vmin=-0.5, vmax=len(grades) - 0.5)
    _name_axes(panel, names if named else [])
    panel.set_title(short_name(title, 60), loc="left", parse_math=False)
    panel.set_ylabel("the row is the …")
    patch = matplotlib_module("patches").Patch
    present = set(np.unique(levels).tolist())
    handles = [
        patch(color=SHADES[one], label=said) for one, said in _WORDS.items() if one in present
    ]
    if handles:
        panel.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False)
    return figure


def _name_axes(panel: Axes, names: list[str]) -> None:
    shown = [short_name(name, _LONGEST) for name in names]
    places = range(len(names))
    panel.set_xticks(places, shown, rotation=90, fontsize=8, parse_math=False)
    panel.set_yticks(places, shown, fontsize=8, parse_math=False)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if names:
        edges = np.arange(len(names) + 1) - 0.5
        panel.hlines(edges, -0.5, len(names) - 0.5, color="white", linewidth=0.8)
        panel.vlines(edges, -0.5, len(names) - 0.5, color="white", linewidth=0.8)
