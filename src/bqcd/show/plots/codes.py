"""Code lengths against rows: the picture that verifies the paper's assumption."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bqcd.discovery.code_lengths import CodeComparison, TwoPartCode
from bqcd.errors import InvalidSettingError
from bqcd.show.plots.canvas import (
    CURVE_COLOURS,
    GREY,
    PALE,
    add_foot_legend,
    check_drawable,
    clean_frame,
    empty_figure,
    finished_figure,
    legend_line,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PARTS: dict[str, Any] = {"total": "-", "residuals": (0, (4, 1.5)), "model": (0, (1.2, 1.2))}


def plot_code_lengths(
    comparisons: Sequence[CodeComparison], *, path: str | Path | None = None
) -> Figure:
    """Code lengths both ways and their ratio, one column per quantile level.

    The two upper rows show the mean lengths per row of the data of the causal and of the
    anti-causal code: the model, the residuals, and both. The lower row shows how many
    times the anti-causal code the causal one is.

    Parameters
    ----------
    comparisons : sequence of CodeComparison
        One for each mechanism and level, in any order; at most three mechanisms.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no comparison, there are more than three mechanisms, or the path is not
        one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_code_lengths", "comparisons", comparisons)
    names = list(dict.fromkeys(found.mechanism for found in comparisons))
    if len(names) > len(CURVE_COLOURS):
        raise InvalidSettingError(
            f"comparisons of plot_code_lengths must be of at most {len(CURVE_COLOURS)} "
            f"mechanisms, got {names!r}."
        )
    colours = dict(zip(names, CURVE_COLOURS, strict=False))
    return finished_figure(lambda: _drawn(comparisons, colours), path)


def _drawn(comparisons: Sequence[CodeComparison], colours: dict[str, str]) -> Figure:
    levels = sorted({found.level for found in comparisons})
    figure = empty_figure(3.9 * len(levels) + 0.6, 7.2, foot=0.55)
    grid = figure.subplots(3, len(levels), sharex=True, sharey="row", squeeze=False)
    for column, level in zip(grid.T, levels, strict=True):
        column[0].set_title(f"level {level:g}")
        column[2].axhline(1.0, color=GREY, linewidth=0.8)
        for found in comparisons:
            if found.level == level:
                _draw_code(column[0], found, found.causal, colours[found.mechanism])
                _draw_code(column[1], found, found.anticausal, colours[found.mechanism])
                look: dict[str, Any] = {"linewidth": 1.8, "marker": "o", "markersize": 3.0}
                column[2].plot(found.sizes, found.ratio, color=colours[found.mechanism], **look)
        column[2].set_xlabel("rows")
        column[2].locator_params(axis="x", nbins=5)
        for panel in column:
            clean_frame(panel)
    for panel, label in zip(
        grid[:, 0],
        ("causal code\nnats per row", "anti-causal code\nnats per row", "causal / anti-causal"),
        strict=True,
    ):
        panel.set_ylabel(label)
    for panel in grid[:2, 0]:
        panel.set_ylim(bottom=0.0)
    above = [legend_line(short_name(name), color=c, lw=2.2) for name, c in colours.items()]
    below = [legend_line(part, color=GREY, ls=style) for part, style in _PARTS.items()]
    # A legend is filled column by column: mechanisms above, parts below.
    both = [entry for pair in zip_longest(above, below) for entry in pair if entry is not None]
    add_foot_legend(figure, both, columns=3)
    return figure


def _draw_code(panel: Axes, found: CodeComparison, code: TwoPartCode, colour: str) -> None:
    parts = {
        "total": code.total.mean(axis=0),
        "residuals": code.residuals.mean(axis=0),
        "model": code.model,
    }
    for part, lengths in parts.items():
        panel.plot(
            found.sizes, lengths / found.sizes, color=colour, linestyle=_PARTS[part], linewidth=1.4
        )
    panel.grid(axis="y", color=PALE, linewidth=0.4)
