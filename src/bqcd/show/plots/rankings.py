"""How well confidence ranks: accuracy against decision rate, and ROC curves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bqcd.runtime.settings import MOST_STEPS, check_integer
from bqcd.show.plots.canvas import (
    GREY,
    INK,
    PALE,
    check_drawable,
    clean_frame,
    empty_figure,
    finished_figure,
    label_ends,
    line_looks,
    matplotlib_module,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curve = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]
Band = tuple[ArrayLike, ArrayLike, ArrayLike]


def plot_decision_rates(
    curves: Mapping[str, Curve],
    band: Band | None = None,
    *,
    emphasised: str | None = "bqcd",
    few: int = 10,
    title: str = "",
    path: str | Path | None = None,
) -> Figure:
    """Accuracy among the most confident decisions, for every share of them.

    Parameters
    ----------
    curves : mapping of str to (rate, accuracy) or (rate, accuracy, pairs)
        For each method its decision rates, increasing in (0, 1], accuracies there, and how
        many pairs are decided; by default one more at each rate. More than 16 curves are
        spread over several panels.
    band : (rate, low, high), optional
        Where the accuracy of a fair coin lies in 95 of 100 cases.
    emphasised : str or None, default="bqcd"
        Method drawn heavily, if it is there.
    few : int, default=10
        Where a curve rests on fewer pairs, it is drawn faintly; 0 for nowhere.
    title : str, default=""
        Line above the panel.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no curve, or ``few`` or the path is not one to use.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_decision_rates", "curves", curves)
    check_integer("plot_decision_rates", "few", few, minimum=0, maximum=MOST_STEPS)
    panels = _panels(curves, emphasised)
    looks = {name: look for names in panels for name, look in line_looks(names, emphasised).items()}

    def drawn() -> Figure:
        columns = min(len(panels), 2)
        rows = -(-len(panels) // columns)
        figure = empty_figure(
            7.6 if columns == 1 else 6.4 * columns, (5.0 if rows == 1 else 3.9) * rows
        )
        grid = figure.subplots(rows, columns, squeeze=False)
        for panel in grid.flat[len(panels) :]:
            panel.remove()
        for panel, names in zip(grid.flat, panels, strict=False):
            if band is not None:
                _draw_band(panel, band)
            _draw_rates(panel, {name: curves[name] for name in names}, looks, rows, few)
            _write_key(panel, shaded=band is not None, few=few)
        grid.flat[0].set_title(title, loc="left", parse_math=False)
        return figure

    return finished_figure(drawn, path)


_MOST_TOGETHER, _MOST_IN_PANEL = 16, 6


def _panels(curves: Mapping[str, Curve], emphasised: str | None) -> list[list[str]]:
    """Names of the curves in each panel: one for all, or some each with the emphasised one.

    Where there are several panels, those that end highest come first.
    """
    if len(curves) <= _MOST_TOGETHER:
        return [list(curves)]
    others = [name for name in curves if name != emphasised]
    others.sort(key=lambda name: -_last(curves[name][1]))
    heavy = [name for name in curves if name == emphasised]
    count = -(-len(others) // _MOST_IN_PANEL)
    size = -(-len(others) // count)
    return [heavy + others[at : at + size] for at in range(0, len(others), size)]


def _draw_rates(
    panel: Axes, curves: Mapping[str, Curve], looks: dict[str, dict[str, Any]], rows: int, few: int
) -> None:
    panel.axhline(0.5, color=PALE, linewidth=0.8)
    for name, curve in curves.items():
        _draw_curve(panel, curve, looks[name], few)
    panel.set(xlim=(0.0, 1.0), ylim=(0.0, 1.02), xlabel="decision rate", ylabel="accuracy")
    percent = matplotlib_module("ticker").PercentFormatter(1.0)
    panel.xaxis.set_major_formatter(percent)
    panel.yaxis.set_major_formatter(percent)
    ends = {name: _last(curve[1]) for name, curve in curves.items()}
    label_ends(panel, ends, looks, rows=rows)
    clean_frame(panel)


def _draw_curve(panel: Axes, curve: Curve, look: dict[str, Any], few: int) -> None:
    """A curve in two parts: faint where it rests on few pairs, then as it looks."""
    rate, accuracy = (np.asarray(values, dtype=np.float64) for values in curve[:2])
    pairs = np.asarray(curve[2]) if len(curve) == 3 else np.arange(1, len(rate) + 1)
    first = int(np.searchsorted(pairs, few))
    faint = look | {"alpha": 0.3, "linewidth": 0.6 * look["linewidth"]}
    if first > 0:
        panel.plot(rate[: first + 1], accuracy[: first + 1], solid_joinstyle="round", **faint)
    panel.plot(rate[first:], accuracy[first:], solid_joinstyle="round", **look)


def _draw_band(panel: Axes, band: Band) -> None:
    rate, low, high = band
    panel.fill_between(rate, low, high, color="#ececec", linewidth=0, zorder=0)


def _write_key(panel: Axes, *, shaded: bool, few: int) -> None:
    """What shading and faint lines are, in the corner."""
    words = ["shaded: 95 % of fair coins"] if shaded else []
    if few > 1:
        words.append(f"faint: fewer than {few} pairs")
    panel.text(
        0.985,
        0.02,
        "\n".join(words),
        transform=panel.transAxes,
        ha="right",
        color=GREY,
        fontsize=8.5,
    )


def _last(values: ArrayLike) -> float:
    return float(np.asarray(values, dtype=np.float64)[-1])


def plot_roc(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike, float]],
    *,
    emphasised: str | None = "bqcd",
    title: str = "",
    path: str | Path | None = None,
) -> Figure:
    """ROC curves, listed beside the panel from the largest area to the smallest.

    Parameters
    ----------
    curves : mapping of str to (false positive rate, true positive rate, area)
        For each method or benchmark its curve, from (0, 0) to (1, 1), and the area below.
    emphasised : str or None, default="bqcd"
        Curve drawn heavily, if it is there.
    title : str, default=""
        Line above the panel.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no curve, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_roc", "curves", curves)

    def drawn() -> Figure:
        longest = max(len(short_name(name)) for name in curves)
        # As high as the list of areas, so that a long one does not press the panel together.
        height = max(4.8, 0.22 * len(curves) + 0.7)
        figure = empty_figure(1.1 + height + 0.09 * longest, height)
        panel = figure.subplots()
        panel.plot([0.0, 1.0], [0.0, 1.0], color=PALE, linewidth=1.0, label="_coin")
        looks = line_looks(curves, emphasised)
        for name in sorted(curves, key=lambda name: -curves[name][2]):
            false, true, area = curves[name]
            label = f"{area:.2f}  {short_name(name)}"
            panel.plot(false, true, label=label, clip_on=False, **looks[name])
        panel.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), aspect="equal", anchor="W")
        panel.set(xlabel="false positive rate", ylabel="true positive rate")
        panel.set_title(title, loc="left", parse_math=False)
        clean_frame(panel)
        _list_areas(panel, None if emphasised not in curves else emphasised)
        return figure

    return finished_figure(drawn, path)


def _list_areas(panel: Axes, emphasised: str | None) -> None:
    legend = panel.legend(
        loc="upper left", bbox_to_anchor=(1.03, 1.02), frameon=False, title="area"
    )
    legend.set_alignment("left")
    legend.get_title().set_color(GREY)
    for text in legend.get_texts():
        text.set_parse_math(False)
        text.set_color(INK)
        if emphasised is not None and text.get_text().endswith(f"  {short_name(emphasised)}"):
            text.set_fontweight("bold")
