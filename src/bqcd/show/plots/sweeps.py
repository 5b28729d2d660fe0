"""Results against a setting: lines over levels and rows, dots for regressors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bqcd.errors import InvalidSettingError
from bqcd.show.plots.canvas import (
    COLOURS,
    GREY,
    INK,
    PALE,
    STRONG,
    add_foot_legend,
    check_drawable,
    clean_frame,
    empty_figure,
    finished_figure,
    label_ends,
    legend_line,
    line_looks,
    matplotlib_module,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Lines = Mapping[str, tuple[ArrayLike, ArrayLike]]

# Beyond this ratio of the largest to the smallest value an axis is logarithmic.
_WIDE = 20.0
_MARKERS = ("o", "s", "D", "^", "v", "P")


def plot_lines(
    panels: Mapping[str, Lines],
    *,
    x_label: str,
    y_label: str = "accuracy",
    path: str | Path | None = None,
) -> Figure:
    """Accuracies against a setting, one panel per benchmark, one line per other setting.

    Lines are coloured from light to dark in the order in which they come.

    Parameters
    ----------
    panels : mapping of str to mapping of str to (x, y)
        For each benchmark its lines by name, e.g. ``{"AN": {"n = 100": (levels, accuracy)}}``.
        Names should be the same in all panels.
    x_label : str
        Name of the setting along the axis.
    y_label : str, default="accuracy"
        Name of the share on the other axis, which runs from 0 to 1.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no panel, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_lines", "panels", panels)
    return finished_figure(lambda: _line_panels(panels, x_label, y_label), path)


def _line_panels(panels: Mapping[str, Lines], x_label: str, y_label: str) -> Figure:
    columns = min(len(panels), 5)
    rows = ceil(len(panels) / columns)
    figure = empty_figure(max(2.3 * columns, 3.4), 2.2 * rows + 0.35, foot=0.35)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for panel in grid.flat[len(panels) :]:
        panel.remove()
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    shades = _shades(names)
    for panel, (title, lines) in zip(grid.flat, panels.items(), strict=False):
        panel.axhline(0.5, color=PALE, linewidth=0.8)
        for name, (x, y) in lines.items():
            panel.plot(x, y, color=shades[name], linewidth=1.6, marker="o", markersize=3.0)
        panel.set_title(short_name(title), parse_math=False)
        panel.set(ylim=(-0.03, 1.03))
        clean_frame(panel)
    _set_ticks(grid[0, 0], [x for lines in panels.values() for x, _ in lines.values()])
    for number, panel in enumerate(grid.flat[: len(panels)]):
        if number + columns >= len(panels):
            panel.set_xlabel(x_label, parse_math=False)
            panel.tick_params(labelbottom=True)
        if number % columns == 0:
            panel.set_ylabel(y_label, parse_math=False)
    handles = [legend_line(name, color=shades[name], linewidth=2.2) for name in names]
    add_foot_legend(figure, handles)
    _thin_labels(grid.flat[len(panels) - 1])
    return figure


def _shades(names: Sequence[str]) -> dict[str, Any]:
    """Colours of an ordered scale that darkens evenly, also to the colour-blind."""
    scale = matplotlib_module("colors").LinearSegmentedColormap.from_list(
        "sweep", ["#9ecae1", STRONG, "#08234d"]
    )
    places = np.linspace(0.0, 1.0, len(names)) if len(names) > 1 else [0.5]
    return {name: scale(place) for name, place in zip(names, places, strict=True)}


def _set_ticks(panel: Axes, along: Sequence[ArrayLike]) -> None:
    """Ticks at the values themselves, on a logarithmic axis if they range widely."""
    values = np.unique(np.concatenate([np.asarray(x, dtype=np.float64) for x in along]))
    if values[0] > 0.0 and values[-1] / values[0] >= _WIDE:
        panel.set_xscale("log")
    ticks = values if len(values) <= 6 else values[:: -(-len(values) // 5)]
    panel.set_xticks(ticks, [f"{value:g}" for value in ticks])
    panel.minorticks_off()


def _thin_labels(panel: Axes) -> None:
    """Leave out labels below the panel that would touch another; their ticks stay."""
    panel.figure.draw_without_rendering()  # type: ignore[union-attr]
    labels = panel.get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    gap = 0.25 * boxes[0].height
    shown = [label.get_text() for label in labels]
    edge = boxes[0].x1
    for at, box in enumerate(boxes[1:-1], start=1):
        if box.x0 < edge + gap or box.x1 > boxes[-1].x0 - gap:
            shown[at] = ""
        else:
            edge = box.x1
    panel.set_xticks(panel.get_xticks(), shown)


def plot_scaling(
    lines: Lines,
    *,
    x_label: str = "rows",
    y_label: str = "seconds",
    title: str = "",
    emphasised: str | None = "bqcd",
    path: str | Path | None = None,
) -> Figure:
    """Times against sizes on logarithmic axes, with a line of slope one to compare with.

    Parameters
    ----------
    lines : mapping of str to (x, y)
        For each method its sizes and times, all positive.
    x_label, y_label : str
        Names of the axes.
    title : str, default=""
        Line above the panel.
    emphasised : str or None, default="bqcd"
        Line drawn heavily, if it is there.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no line, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_scaling", "lines", lines)

    def drawn() -> Figure:
        figure = empty_figure(6.2, 4.2)
        panel = figure.subplots()
        panel.set(xscale="log", yscale="log")
        looks = line_looks(lines, emphasised)
        for name, (x, y) in lines.items():
            panel.plot(x, y, marker="o", markersize=4.0, clip_on=False, **looks[name])
        _draw_guide(panel, lines)
        panel.set_xlabel(x_label, parse_math=False)
        panel.set_ylabel(y_label, parse_math=False)
        panel.set_title(title, loc="left", parse_math=False)
        panel.set_xlim(panel.get_xlim()[0], max(float(np.max(x)) for x, _ in lines.values()))
        panel.set_ylim(panel.get_ylim())
        ends = {name: float(np.asarray(y)[-1]) for name, (_, y) in lines.items()}
        label_ends(panel, ends, looks)
        clean_frame(panel)
        return figure

    return finished_figure(drawn, path)


def _draw_guide(panel: Axes, lines: Lines) -> None:
    """Dashed line on which twice the rows take twice the time, below all others."""
    points = [np.stack([np.asarray(x, float), np.asarray(y, float)]) for x, y in lines.values()]
    x, y = np.concatenate(points, axis=1)
    ends = np.array([x.min(), x.max()])
    times = 0.6 * float((y / x).min()) * ends
    panel.plot(ends, times, color=GREY, linestyle=(0, (4, 3)), linewidth=1.0, zorder=1)
    panel.annotate(
        "in proportion",
        (float(np.sqrt(ends.prod())), float(np.sqrt(times.prod()))),
        xytext=(6, -2),
        textcoords="offset points",
        ha="left",
        va="top",
        color=GREY,
        fontsize=8.5,
    )


def plot_accuracy_dots(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    benchmarks: Sequence[str],
    *,
    reference: Mapping[str, Sequence[float]] | None = None,
    reference_label: str = "paper",
    path: str | Path | None = None,
) -> Figure:
    """Accuracies side by side: one panel per setting, one dot per regressor and benchmark.

    Parameters
    ----------
    panels : mapping of str to mapping of str to sequence of float
        For each setting, e.g. ``"m = 3"``, the accuracies of each regressor by benchmark;
        NaN where it was not run.
    benchmarks : sequence of str
        Benchmarks along the axis.
    reference : mapping of str to sequence of float, optional
        For a setting, accuracies drawn as a short bar behind the dots.
    reference_label : str, default="paper"
        What the bars are.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no panel, a row has another length than ``benchmarks``, or the path is
        not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_accuracy_dots", "panels", panels)
    bars = reference or {}
    rows = [row for panel in panels.values() for row in panel.values()] + [*bars.values()]
    for row in rows:
        if len(row) != len(benchmarks):
            raise InvalidSettingError(
                f"accuracies of plot_accuracy_dots must be {len(benchmarks)}, one for each "
                f"benchmark, got {len(row)}."
            )
    return finished_figure(lambda: _dot_panels(panels, benchmarks, bars, reference_label), path)


def _dot_panels(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    benchmarks: Sequence[str],
    bars: Mapping[str, Sequence[float]],
    bar_label: str,
) -> Figure:
    names_below = [short_name(name, 14) for name in benchmarks]
    # A letter is about a twelfth of an inch wide.
    room = max(0.85, *(0.2 + len(name) / 12.0 for name in names_below))
    figure = empty_figure(
        max(room * len(benchmarks) + 0.8, 4.0), 1.9 * len(panels) + 0.35, foot=0.35
    )
    grid = figure.subplots(len(panels), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    names = list(dict.fromkeys(name for rows in panels.values() for name in rows))
    looks = {name: _dot_look(number) for number, name in enumerate(names)}
    places = np.arange(len(benchmarks), dtype=np.float64)
    for panel, (title, rows) in zip(grid, panels.items(), strict=True):
        panel.axhline(0.5, color=PALE, linewidth=0.8, zorder=0)
        for edge in places[:-1] + 0.5:
            panel.axvline(edge, color="#ececec", linewidth=0.8, zorder=0)
        if title in bars:
            panel.hlines(bars[title], places - 0.38, places + 0.38, color=INK, linewidth=1.0)
        for number, name in enumerate(names):
            if name in rows:
                shift = 0.56 * ((number + 0.5) / len(names) - 0.5)
                panel.plot(places + shift, rows[name], **looks[name])
        panel.set_title(short_name(title), loc="left", parse_math=False)
        panel.set(xlim=(-0.5, len(places) - 0.5), ylim=(-0.04, 1.04), ylabel="accuracy")
        clean_frame(panel)
    grid[-1].set_xticks(places, names_below, parse_math=False)
    grid[-1].tick_params(axis="x", length=0)
    handles = [legend_line(short_name(name), **looks[name]) for name in names]
    if bars:
        handles.append(legend_line(bar_label, color=INK, linewidth=1.0))
    add_foot_legend(figure, handles)
    return figure


def _dot_look(number: int) -> dict[str, Any]:
    colours = (STRONG, *COLOURS)
    return {
        "linestyle": "",
        "marker": _MARKERS[number % len(_MARKERS)],
        "color": colours[number % len(colours)],
        "markersize": 5.5,
        "zorder": 3,
    }
