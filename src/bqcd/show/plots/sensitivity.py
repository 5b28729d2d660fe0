"""One verdict under many settings: dots on either side of zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bqcd.data.vector_pair import VectorPair
from bqcd.show.plots.canvas import (
    COLOURS,
    GREY,
    INK,
    STRONG,
    add_foot_legend,
    check_drawable,
    clean_frame,
    empty_figure,
    finished_figure,
    legend_line,
    short_name,
)
from bqcd.show.plots.verdicts import plot_verdict
from bqcd.show.words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bqcd.assessments import Assessment

Dots = Mapping[str, Sequence[tuple[float, bool]]]


def plot_sensitivity(
    settings: Dots,
    *,
    title: str,
    x_name: str,
    y_name: str,
    path: str | Path | None = None,
) -> Figure:
    """Confidences under many settings, one line each; verdicts on all rows are filled.

    Parameters
    ----------
    settings : mapping of str to sequence of (float, bool)
        For each setting the confidences, and whether they are of all rows.
    title : str
        The answer.
    x_name, y_name : str
        Names of the columns; positive confidences say that the first is the cause.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    InvalidSettingError
        If there is no setting, or the path is not one to write to.
    MissingPackageError
        If matplotlib is not installed.
    """
    check_drawable("plot_sensitivity", "settings", settings)
    return finished_figure(lambda: _drawn(settings, title, (x_name, y_name)), path)


def plot_assessment(assessment: Assessment, path: str | Path | None = None) -> Figure:
    """Picture of a verdict across settings; saved if a path is given.

    Parameters
    ----------
    assessment : Assessment
        Of the verdict.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``.

    Notes
    -----
    Of groups of columns, which have no table of settings, the verdict is drawn.
    """
    if isinstance(assessment.verdict.pair, VectorPair):
        return plot_verdict(assessment.verdict, path)
    dots: dict[str, list[tuple[float, bool]]] = {}
    for row in assessment.table:
        levels = "" if row.levels is None else f", {counted(row.levels, 'level')}"
        dots.setdefault(f"{row.regressor}{levels}", []).append(
            (row.confidence, row.sample == "all")
        )
    pair = assessment.verdict.pair
    return plot_sensitivity(
        dots, title=assessment.headline, x_name=pair.x_name, y_name=pair.y_name, path=path
    )


def _drawn(settings: Dots, title: str, names: tuple[str, str]) -> Figure:
    figure = empty_figure(6.4, 0.26 * len(settings) + 1.3, foot=0.35)
    panel = figure.subplots()
    panel.axvline(0.0, color=INK, linewidth=0.8, zorder=0)
    for line, dots in enumerate(settings.values()):
        panel.axhline(line, color="#ececec", linewidth=0.8, zorder=0)
        for confidence, is_whole in dots:
            colour = STRONG if confidence > 0.0 else COLOURS[0] if confidence < 0.0 else GREY
            face = colour if is_whole else "white"
            panel.plot(confidence, line, "o", color=colour, markerfacecolor=face, markersize=5.5)
    reach = max((abs(c) for dots in settings.values() for c, _ in dots), default=0.0) or 1.0
    panel.set(xlim=(-1.1 * reach, 1.1 * reach), ylim=(len(settings) - 0.5, -0.5))
    panel.set_yticks(
        range(len(settings)), [short_name(name, 28) for name in settings], parse_math=False
    )
    x, y = (short_name(name, 18) for name in names)
    panel.set_xlabel("confidence")
    for place, side, text in ((0.0, "left", f"◂ {y} → {x}"), (1.0, "right", f"{x} → {y} ▸")):
        panel.text(
            place, 1.01, text, transform=panel.transAxes, ha=side, va="bottom", color=GREY,
            fontsize="small", parse_math=False,
        )  # fmt: skip
    panel.set_title(title, loc="left", parse_math=False, fontsize="medium", pad=18.0)
    clean_frame(panel)
    add_foot_legend(
        figure,
        [
            legend_line("all rows", marker="o", linestyle="", color=GREY),
            legend_line(
                "half of the rows", marker="o", linestyle="", color=GREY, markerfacecolor="white"
            ),
        ],
    )
    return figure
