"""Picture of a verdict: the data seen both ways, with conditional quantile curves.

What is shown is computed in :mod:`bqcd.show.views`; this module only places it on a figure.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bqcd.data.pair import Direction, Pair
from bqcd.data.scales import Tick
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.methods.bqcd import BQCD
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Matrix
from bqcd.show.plots.canvas import (
    CURVE_COLOURS,
    DASHES,
    GREY,
    INK,
    LONGEST_NAME,
    PALE,
    finished_figure,
    matplotlib_module,
    new_figure,
    short_name,
)
from bqcd.show.views import (
    DRAWN_LEVELS,
    FEW_VALUES,
    Curves,
    CurvesBothWays,
    Scores,
    View,
    quantile_curves,
    score_shares,
    view_of,
)
from bqcd.show.words.views import view_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_MOST_LABELS = 14
# Height of a line below the panels, as a share of the figure's.
_FOOT_LINE = 0.065


def plot_verdict(verdict: Verdict, path: str | Path | None = None) -> Figure:
    """Picture of a verdict: the data both ways, and what was compared.

    On the left y against x with its conditional quantiles, in the middle the same rows
    seen the other way; the chosen direction has the heavy frame. On the right, for each
    level, the mean score the conditional quantiles leave, as a share of what the
    marginal ones leave. A method without quantiles gets the two scatters alone. Above
    5,000 rows dots give way to a density; far outliers are left out of view, and counted.

    Parameters
    ----------
    verdict : Verdict
        What to draw.
    path : str or Path, optional
        File to write: ``.png``, ``.svg`` or ``.pdf``. The same verdict gives the same bytes.

    Raises
    ------
    InvalidSettingError
        If the suffix is another one, or the folder does not exist.
    InvalidPairError
        If the values of a column are too far apart for an axis.
    MissingPackageError
        If matplotlib is not installed.
    """
    return finished_figure(lambda: _drawn(verdict), path)


def _drawn(verdict: Verdict) -> Figure:
    curves = quantile_curves(verdict) if isinstance(verdict.method, BQCD) else None
    return _placed(verdict, view_of(verdict.seen_pair), curves)


def _placed(verdict: Verdict, view: View, curves: CurvesBothWays | None) -> Figure:
    evidence = verdict.evidence
    scores = score_shares(evidence.code_lengths) if isinstance(evidence, QuantileEvidence) else None
    ratios = [4.0, 4.0] if scores is None else [4.0, 4.0, 2.2]
    notes = view_words(view)
    notes_height = _FOOT_LINE if notes else 0.0
    foot = notes_height + (_FOOT_LINE if curves is not None or scores is not None else 0.0)
    inner = (0.005, foot, 0.99, 0.995 - foot)
    figure = new_figure(
        figsize=(1.2 * sum(ratios), 5.0),
        layout=matplotlib_module("layout_engine").ConstrainedLayoutEngine(rect=inner),
    )
    axes = figure.subplots(1, len(ratios), width_ratios=ratios)
    # Of groups of columns two are drawn, and named.
    pair = verdict.pair if isinstance(verdict.pair, Pair) else verdict.seen_pair
    names = short_name(pair.x_name), short_name(pair.y_name)
    for panel, seen, given_target, way in (
        (axes[0], view, names, Direction.X_TO_Y),
        (axes[1], view.turned(), names[::-1], Direction.Y_TO_X),
    ):
        _draw_rows(panel, seen, given_target)
        _label_axes(panel, pair, way)
        _mark(panel, given_target, verdict, way)
    if curves is not None:
        _draw_curves(axes[0], curves.y_given_x)
        _draw_curves(axes[1], curves.x_given_y)
        _add_legend(figure, _curve_handles(), notes_height, "left")
    if scores is not None:
        _draw_scores(axes[2], scores, Direction.of(verdict.confidence))
        _add_legend(figure, _score_handles(verdict), notes_height, "right")
    style: dict[str, Any] = {"ha": "left", "parse_math": False}
    figure.suptitle(_headline(verdict), x=0.01, fontsize=13, fontweight="bold", **style)
    figure.text(0.01, 0.015, notes, color=GREY, fontsize=9, **style)
    return figure


def _draw_rows(panel: Axes, view: View, names: tuple[str, str]) -> None:
    """One scatter or density: the given column along, the other up."""
    if view.counts is None:
        n = len(view.x)
        size = float(np.clip(210.0 / sqrt(n), 4.0, 30.0))
        opacity = float(np.clip(14.0 / sqrt(n), 0.35, 0.7))
        dots: dict[str, Any] = {"s": size, "alpha": opacity, "linewidths": 0, "color": GREY}
        panel.scatter(view.x, view.y, rasterized=n > 1_000, **dots)
    else:
        _draw_density(panel, view, view.counts)
    panel.set(xlim=view.x_limits, ylim=view.y_limits)
    panel.set_xlabel(names[0], parse_math=False)
    panel.set_ylabel(names[1], parse_math=False)
    panel.locator_params(nbins=6)


def _label_axes(panel: Axes, pair: Pair, way: Direction) -> None:
    """Write dates, levels and the like along the axes that stand for them."""
    given, target = pair.x_scale, pair.y_scale
    if way is Direction.Y_TO_X:
        given, target = target, given
    if given is not None:
        ticks = given.ticks(*panel.get_xlim(), most=5)
        panel.set_xticks(*_places_and_words(ticks))
    if target is not None:
        panel.set_yticks(*_places_and_words(target.ticks(*panel.get_ylim())))


def _places_and_words(ticks: list[Tick]) -> tuple[list[float], list[str]]:
    words = [short_name(word, 16).replace("$", r"\$") for _, word in ticks]
    return [place for place, _ in ticks], words


def _draw_density(panel: Axes, view: View, counts: Matrix) -> None:
    # A single row is seen and the fullest cell is not black, so that curves stand out.
    most = float(counts.max())
    panel.imshow(
        counts.T,
        cmap="Greys",
        norm=matplotlib_module("colors").LogNorm(vmin=most ** (-0.2) / 2.0, vmax=3.0 * most),
        origin="lower",
        extent=(*view.x_limits, *view.y_limits),
        aspect="auto",
        interpolation="nearest",
    )


def _draw_curves(panel: Axes, curves: Curves) -> None:
    halo = matplotlib_module("patheffects").withStroke(linewidth=3.4, foreground="white")
    few = len(curves.given) <= FEW_VALUES
    for line, colour, dashes in zip(curves.quantiles.T, CURVE_COLOURS, DASHES, strict=True):
        panel.plot(
            curves.given,
            line,
            color=colour,
            linestyle=dashes,
            linewidth=1.8,
            marker="o" if few else "",
            markersize=4.0,
            path_effects=[halo],
        )


def _mark(panel: Axes, names: tuple[str, str], verdict: Verdict, way: Direction) -> None:
    """Title of a scatter, and the heavy frame if it is that of the chosen direction."""
    chosen = verdict.direction is way
    arrow = " →\n" if len("".join(names)) > LONGEST_NAME else " → "
    standing = _standing(verdict, way)
    panel.set_title(
        arrow.join(names) + (f": {standing}" if standing else ""),
        color=INK if chosen else GREY,
        fontweight="bold" if chosen else "normal",
        parse_math=False,
    )
    for spine in panel.spines.values():
        spine.set(color=INK if chosen else PALE, linewidth=2.0 if chosen else 0.8)


def _standing(verdict: Verdict, way: Direction) -> str:
    """What the verdict says of one direction."""
    if isinstance(verdict.evidence, QuantileEvidence):
        shorter = Direction.of(verdict.confidence)
        if shorter is Direction.UNDECIDED:
            return "code of equal length"
        return "shorter code" if shorter is way else "longer code"
    return "chosen" if verdict.direction is way else ""


def _draw_scores(panel: Axes, scores: Scores, direction: Direction) -> None:
    rows = np.arange(1.0, len(scores.labels) + 1.0)
    room = max(0.6, len(rows) / 20.0)
    if len(rows) > 1:
        # The row of all levels stands apart, at the foot.
        rows[-1] = 1.0 - 2.0 * room
        panel.axhline(1.0 - room, color=PALE, linewidth=0.8)
    panel.hlines(rows, scores.y_given_x, scores.x_given_y, color=PALE, linewidth=2.0, zorder=1)
    x_to_y, y_to_x = _markers(direction)
    panel.plot(scores.x_given_y, rows, **y_to_x)
    panel.plot(scores.y_given_x, rows, **x_to_y)
    step = -(-len(rows) // _MOST_LABELS)
    labelled = [*range(0, len(rows) - 1, step), len(rows) - 1]
    panel.set_yticks(rows[labelled], [scores.labels[row] for row in labelled])
    for row in labelled:
        panel.text(
            1.04,
            rows[row],
            f"{scores.gaps[row]:+.2g}",
            transform=panel.get_yaxis_transform(),
            va="center",
            color=INK if row == len(rows) - 1 else GREY,
        )
    panel.text(1.04, 1.0, "confidence", transform=panel.transAxes, va="bottom", color=GREY)
    panel.set(ylim=(rows.min() - room, rows.max() + room), ylabel="quantile level")
    panel.set_xlabel("conditional / marginal score")
    panel.set_title("scores: less is better", color=GREY)
    panel.margins(x=0.12)
    panel.locator_params(axis="x", nbins=3)
    panel.spines[["top", "right"]].set_visible(False)


def _markers(direction: Direction) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the scores of x -> y and of y -> x are drawn: the chosen one is filled."""
    filled: dict[str, Any] = {"ls": "", "marker": "o", "color": INK, "ms": 6.0, "zorder": 3}
    hollow = filled | {"color": GREY, "mfc": "white", "mew": 1.5, "ms": 8.5, "zorder": 2}
    return (hollow, filled) if direction is Direction.Y_TO_X else (filled, hollow)


def _curve_handles() -> list[Line2D]:
    line = matplotlib_module("lines").Line2D
    looks = zip(CURVE_COLOURS, DASHES, DRAWN_LEVELS, strict=True)
    return [
        line([], [], color=colour, ls=dashes, lw=1.8, label=f"{level:g} quantile")
        for colour, dashes, level in looks
    ]


def _score_handles(verdict: Verdict) -> list[Line2D]:
    line = matplotlib_module("lines").Line2D
    x, y = short_name(verdict.pair.x_name, 14), short_name(verdict.pair.y_name, 14)
    x_to_y, y_to_x = _markers(Direction.of(verdict.confidence))
    return [
        line([], [], **x_to_y, label=f"score of {y} given {x}"),
        line([], [], **y_to_x, label=f"score of {x} given {y}"),
    ]


def _add_legend(
    figure: Figure, handles: list[Line2D], height: float, side: Literal["left", "right"]
) -> None:
    """Legend in one row below the panels."""
    corner: Any = f"lower {side}"
    place = (0.0 if side == "left" else 1.0, 0.8 * height)
    legend = figure.legend(
        handles=handles, loc=corner, bbox_to_anchor=place, frameon=False, ncols=len(handles)
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _headline(verdict: Verdict) -> str:
    """The verdict's own headline with short names, and the rows."""
    arrows = {Direction.X_TO_Y: "→", Direction.Y_TO_X: "←", Direction.UNDECIDED: "—"}
    x, y = short_name(verdict.pair.x_name), short_name(verdict.pair.y_name)
    found = f"{verdict.answer}, confidence {verdict.confidence:+.4g}"
    gap = "\n" if len(x + y) > LONGEST_NAME else " "
    return f"{x} {arrows[verdict.direction]} {y}{gap}({found}; {verdict.n_rows:,} rows)"
