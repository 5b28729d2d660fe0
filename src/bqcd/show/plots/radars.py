"""Accuracies of many methods on many benchmarks, as spider plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bqcd.errors import InvalidSettingError
from bqcd.show.plots.canvas import (
    COLOURS,
    GREY,
    PALE,
    STRONG,
    add_foot_legend,
    check_drawable,
    empty_figure,
    finished_figure,
    legend_line,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_TOGETHER = 2
_DASHES: tuple[Any, ...] = ("-", (0, (3, 1.2)))


def plot_spider(
    accuracy: Mapping[str, Sequence[float]],
    axes: Sequence[str],
    *,
    emphasised: str = "bqcd",
    panels: Sequence[Sequence[str]] | None = None,
    path: str | Path | None = None,
) -> Figure:
    """Radar charts of accuracies: each competitor with the emphasised method behind it.

    Parameters
    ----------
    accuracy : mapping of str to sequence of float
        For each method its accuracy on each benchmark; NaN where it was not run.
    axes : sequence of str
        Benchmarks, at least three.
    emphasised : str, default="bqcd"
        Method drawn as an area in every panel, if it is there.
    panels : sequence of sequences of str, optional
        Competitors that share a panel, one or two in each. By default each has its own,
        unless one large panel holds them all.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If a method has another number of accuracies than there are benchmarks, a panel names
        a method that is not there, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_spider", "accuracy", accuracy)
    for method, values in accuracy.items():
        if len(values) != len(axes) or len(axes) < 3:
            raise InvalidSettingError(
                f"accuracy of plot_spider must have one value for each of at least three axes, "
                f"got {len(values)} values of {method!r} for {len(axes)} axes."
            )
    shared = _checked_panels(accuracy, emphasised, panels)
    return finished_figure(lambda: _drawn(accuracy, axes, emphasised, shared), path)


def _checked_panels(
    accuracy: Mapping[str, Sequence[float]],
    emphasised: str,
    panels: Sequence[Sequence[str]] | None,
) -> Sequence[Sequence[str]]:
    if panels is None:
        others = [method for method in accuracy if method != emphasised]
        return [others] if len(others) <= _MOST_TOGETHER else [[method] for method in others]
    for names in panels:
        if not 1 <= len(names) <= _MOST_TOGETHER or not set(names) <= set(accuracy):
            raise InvalidSettingError(
                f"panels of plot_spider must each name one or two methods of accuracy, "
                f"got {names!r}."
            )
    return panels


def _drawn(
    accuracy: Mapping[str, Sequence[float]],
    axes: Sequence[str],
    emphasised: str,
    panels: Sequence[Sequence[str]],
) -> Figure:
    single = len(panels) == 1
    columns = min(len(panels), 5 if len(panels) > 8 else 4)
    rows = ceil(len(panels) / columns)
    side = 5.2 if single else 2.55
    figure = empty_figure(side * columns, side * rows + 0.3, foot=0.3)
    grid = figure.subplots(rows, columns, subplot_kw={"projection": "polar"}, squeeze=False)
    for panel in grid.flat[len(panels) :]:
        panel.remove()
    for panel, names in zip(grid.flat, panels, strict=False):
        _draw_web(panel, axes, 9.5 if single else 6.8)
        if emphasised in accuracy:
            _draw_area(panel, accuracy[emphasised])
        for number, name in enumerate(names):
            _draw_ring(panel, accuracy[name], color=COLOURS[number], linestyle=_DASHES[number])
        if not single:
            _write_title(panel, names)
    add_foot_legend(figure, _handles(accuracy, emphasised, panels))
    return figure


def _angles(count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.linspace(0.0, 2.0 * pi, count, endpoint=False)


def _draw_web(panel: Any, axes: Sequence[str], size: float) -> None:
    panel.set_theta_offset(pi / 2.0)
    panel.set_theta_direction(-1)
    panel.set_ylim(0.0, 1.0)
    panel.set_yticks([0.5, 1.0], ["½", "1"], fontsize=size, color=GREY)
    panel.set_rlabel_position(180.0 / len(axes))
    angles = _angles(len(axes))
    names = [short_name(axis, 14) for axis in axes]
    panel.set_xticks(angles, names, fontsize=size, parse_math=False)
    panel.tick_params(axis="x", pad=-2.5 if size < 8.0 else 0.0)
    for label, angle in zip(panel.get_xticklabels(), angles, strict=True):
        side = float(np.sin(angle))
        label.set_horizontalalignment("center" if abs(side) < 0.1 else ("left", "right")[side < 0])
    panel.grid(color=PALE, linewidth=0.5)
    panel.spines["polar"].set(color=PALE, linewidth=0.8)


def _draw_area(panel: Any, values: Sequence[float]) -> None:
    _draw_ring(panel, values, color=STRONG, linestyle="-", linewidth=1.8)
    shown = np.nan_to_num(np.asarray(values, dtype=np.float64))
    panel.fill(_angles(len(shown)), shown, color=STRONG, alpha=0.18, linewidth=0)


def _draw_ring(panel: Any, values: Sequence[float], **look: Any) -> None:
    closed = np.asarray([*values, values[0]], dtype=np.float64)
    angles = _angles(len(values))
    look = {"linewidth": 1.5, "marker": "o", "markersize": 2.2, "clip_on": False} | look
    panel.plot(np.append(angles, angles[0]), closed, **look)


def _write_title(panel: Any, names: Sequence[str]) -> None:
    """Names above the panel, each in the colour of its line."""
    places = (("center", 0.5),) if len(names) == 1 else (("right", 0.47), ("left", 0.53))
    for name, colour, (side, x) in zip(names, COLOURS, places, strict=False):
        panel.text(
            x,
            1.17,
            short_name(name, 16),
            transform=panel.transAxes,
            ha=side,
            color=colour,
            fontsize=10.5,
            parse_math=False,
        )


def _handles(
    accuracy: Mapping[str, Sequence[float]], emphasised: str, panels: Sequence[Sequence[str]]
) -> list[Any]:
    handles = []
    if emphasised in accuracy:
        handles.append(legend_line(emphasised, color=STRONG, linewidth=2.6))
    if len(panels) == 1:
        for name, colour, dashes in zip(panels[0], COLOURS, _DASHES, strict=False):
            look = {"color": colour, "linestyle": dashes, "linewidth": 1.5}
            handles.append(legend_line(short_name(name), **look))
    return handles
