"""Scatter plots: galleries of pairs, and pairs with their quantile curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.show.plots.canvas import (
    CURVE_COLOURS,
    DASHES,
    GREY,
    add_foot_legend,
    check_drawable,
    empty_figure,
    finished_figure,
    legend_line,
    matplotlib_module,
    short_name,
)
from bqcd.show.views import DRAWN_LEVELS, Curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Gallery = Sequence[tuple[str, Sequence[tuple[ArrayLike, ArrayLike]]]]


def plot_gallery(rows: Gallery, *, path: str | Path | None = None) -> Figure:
    """Small scatter plots without scales, one row of them per benchmark.

    Parameters
    ----------
    rows : sequence of (title, sequence of (x, y))
        For each benchmark its name and some of its pairs.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no row, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_gallery", "rows", rows)
    return finished_figure(lambda: _gallery(rows), path)


def _gallery(rows: Gallery) -> Figure:
    columns = max(1, *(len(pairs) for _, pairs in rows))
    figure = empty_figure(1.35 * columns + 0.7, 1.35 * len(rows))
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for panels, (title, pairs) in zip(grid, rows, strict=True):
        for panel in panels[len(pairs) :]:
            panel.set_axis_off()
        for panel, (x, y) in zip(panels, pairs, strict=False):
            _draw_dots(panel, x, y, size=1.6, opacity=0.5)
            panel.set(xticks=[], yticks=[])
        panels[0].text(
            -0.12,
            0.5,
            short_name(title, 14),
            transform=panels[0].transAxes,
            ha="right",
            va="center",
            parse_math=False,
        )
    return figure


def _draw_dots(panel: Axes, x: ArrayLike, y: ArrayLike, *, size: float, opacity: float) -> None:
    dots: dict[str, Any] = {"s": size, "alpha": opacity, "linewidths": 0, "color": GREY}
    panel.scatter(x, y, rasterized=True, **dots)


@dataclass(frozen=True, slots=True, eq=False)
class QuantilePanel:
    """A pair and three curves of quantiles of y given x.

    Parameters
    ----------
    title : str
        Line above the panel.
    x, y : ndarray of shape (n,)
        The rows.
    curves : Curves
        Quantiles of y at levels 0.1, 0.5 and 0.9.
    x_name, y_name : str
        Names of the axes.
    note : str, default=""
        Line below the title, e.g. what was decided.
    """

    title: str
    x: Vector
    y: Vector
    curves: Curves
    x_name: str = "x"
    y_name: str = "y"
    note: str = ""

    def __post_init__(self) -> None:
        """Check the number of curves."""
        if self.curves.quantiles.shape[1:] != (len(DRAWN_LEVELS),):
            raise InvalidSettingError(
                f"curves of QuantilePanel must be {len(DRAWN_LEVELS)}, at levels {DRAWN_LEVELS}, "
                f"got quantiles of shape {self.curves.quantiles.shape}."
            )


def plot_motivation(panels: Sequence[QuantilePanel], *, path: str | Path | None = None) -> Figure:
    """Pairs side by side, each with the curves of its 0.1, 0.5 and 0.9 quantiles.

    Parameters
    ----------
    panels : sequence of QuantilePanel
        What to draw, from left to right.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no panel, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_motivation", "panels", panels)

    def drawn() -> Figure:
        figure = empty_figure(max(3.3 * len(panels), 4.6), 3.6 + 0.35, foot=0.35)
        grid = figure.subplots(1, len(panels), squeeze=False)[0]
        for panel, shown in zip(grid, panels, strict=True):
            _draw_panel(panel, shown)
        looks = zip(CURVE_COLOURS, DASHES, DRAWN_LEVELS, strict=True)
        handles = [
            legend_line(f"{level:g} quantile", color=colour, ls=dashes, lw=1.8)
            for colour, dashes, level in looks
        ]
        add_foot_legend(figure, handles)
        return figure

    return finished_figure(drawn, path)


def _draw_panel(panel: Axes, shown: QuantilePanel) -> None:
    opacity = float(np.clip(14.0 / np.sqrt(len(shown.x)), 0.35, 0.7))
    _draw_dots(panel, shown.x, shown.y, size=6.0, opacity=opacity)
    halo = matplotlib_module("patheffects").withStroke(linewidth=3.4, foreground="white")
    looks = zip(shown.curves.quantiles.T, CURVE_COLOURS, DASHES, strict=True)
    for line, colour, dashes in looks:
        panel.plot(
            shown.curves.given,
            line,
            color=colour,
            linestyle=dashes,
            linewidth=1.8,
            path_effects=[halo],
        )
    panel.set_xlabel(short_name(shown.x_name), parse_math=False)
    panel.set_ylabel(short_name(shown.y_name), parse_math=False)
    panel.locator_params(nbins=6)
    title = shown.title if not shown.note else f"{shown.title}\n{shown.note}"
    panel.set_title(title, parse_math=False)
