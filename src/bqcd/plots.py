"""Picture of a verdict: the data seen both ways, with conditional quantile curves.

What is shown is computed in :mod:`bqcd.views`; this module only places it on a figure.
"""

from __future__ import annotations

import warnings
from math import sqrt
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bqcd.contract import Verdict
from bqcd.discovery import BQCD
from bqcd.errors import InvalidSettingError
from bqcd.evidence import QuantileEvidence
from bqcd.optional import require
from bqcd.pair import Direction
from bqcd.views import (
    DRAWN_LEVELS,
    FEW_VALUES,
    Curves,
    CurvesBothWays,
    Matrix,
    Scores,
    View,
    quantile_curves,
    score_shares,
    view_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# What each file format is told so that the same picture is the same bytes: no dates.
FILE_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

_LONGEST_NAME = 30

_INK, _GREY, _PALE = "#222222", "#767676", "#c4c4c4"
# Okabe and Ito's palette, assigned as in the paper: red is low, green the median, blue high.
_CURVE_COLOURS = ("#d55e00", "#009e73", "#0072b2")
_DASHES = ((0, (4, 1.2)), "-", (0, (4, 1.2)))
_MOST_LABELS = 14
# Height of a line below the panels, as a share of the figure's.
_FOOT_LINE = 0.065
_FALLBACK_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Hiragino Sans",
    "Yu Gothic",
    "Microsoft YaHei",
    "Arial Unicode MS",
)


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
    suffix = None if path is None else _checked_suffix(Path(path))
    matplotlib = _matplotlib("")
    curves = quantile_curves(verdict) if isinstance(verdict.method, BQCD) else None
    view = view_of(verdict.pair)
    with matplotlib.rc_context(_style()), warnings.catch_warnings():
        # A name in a script that no installed font knows is drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = _drawn(verdict, view, curves)
        if path is not None and suffix is not None:
            _settle(figure)
            figure.savefig(path, format=suffix, dpi=150, metadata=FILE_METADATA[suffix])
    return figure


def _settle(figure: Figure) -> None:
    """Fix the layout, whose solver leaves the last bits to chance, in rounded numbers."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for panel in figure.axes:
        left, bottom, width, height = panel.get_position().bounds
        panel.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
    for text in figure.texts:
        x, y = text.get_position()
        text.set_position((round(x, 6), round(y, 6)))


def _matplotlib(submodule: str) -> ModuleType:
    name = f"matplotlib.{submodule}" if submodule else "matplotlib"
    return require(name, extra="plots", needed_by="A plot of a verdict")


def _checked_suffix(path: Path) -> str:
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FILE_METADATA:
        allowed = ", ".join(f".{known}" for known in FILE_METADATA)
        raise InvalidSettingError(
            f"path of a plot must end in one of {allowed}, got {str(path)!r}."
        )
    if not path.parent.is_dir():
        raise InvalidSettingError(
            f"path of a plot must be in a folder that exists, got {str(path)!r}."
        )
    return suffix


def _style() -> dict[str, Any]:
    """Settings that hold while a figure is made, whatever the user's own are."""
    installed = {font.name for font in _matplotlib("font_manager").fontManager.ttflist}
    return {
        "text.usetex": False,
        "font.family": ["DejaVu Sans", *(name for name in _FALLBACK_FONTS if name in installed)],
        "font.size": 9.5,
        "axes.titlesize": 10.5,
        "axes.labelsize": 10,
        "axes.edgecolor": _PALE,
        "axes.facecolor": "white",
        "axes.labelcolor": _INK,
        "axes.grid": False,
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
        "text.color": _INK,
        "xtick.color": _GREY,
        "ytick.color": _GREY,
        "pdf.fonttype": 42,
        "svg.fonttype": "path",
        "svg.hashsalt": "bqcd",
    }


def _drawn(verdict: Verdict, view: View, curves: CurvesBothWays | None) -> Figure:
    evidence = verdict.evidence
    scores = score_shares(evidence.code_lengths) if isinstance(evidence, QuantileEvidence) else None
    ratios = [4.0, 4.0] if scores is None else [4.0, 4.0, 2.2]
    notes_height = _FOOT_LINE if view.notes else 0.0
    foot = notes_height + (_FOOT_LINE if curves is not None or scores is not None else 0.0)
    inner = (0.005, foot, 0.99, 0.995 - foot)
    figure: Figure = _matplotlib("figure").Figure(
        figsize=(1.2 * sum(ratios), 5.0),
        layout=_matplotlib("layout_engine").ConstrainedLayoutEngine(rect=inner),
    )
    axes = figure.subplots(1, len(ratios), width_ratios=ratios)
    names = _short(verdict.pair.x_name), _short(verdict.pair.y_name)
    for panel, seen, given_target, way in (
        (axes[0], view, names, Direction.X_TO_Y),
        (axes[1], view.turned(), names[::-1], Direction.Y_TO_X),
    ):
        _draw_rows(panel, seen, given_target)
        _mark(panel, given_target, verdict, way)
    if curves is not None:
        _draw_curves(axes[0], curves.y_given_x)
        _draw_curves(axes[1], curves.x_given_y)
        _add_legend(figure, _curve_handles(), notes_height, "left")
    if scores is not None:
        _draw_scores(axes[2], scores, verdict.direction)
        _add_legend(figure, _score_handles(verdict), notes_height, "right")
    style: dict[str, Any] = {"ha": "left", "parse_math": False}
    figure.suptitle(_headline(verdict), x=0.01, fontsize=13, fontweight="bold", **style)
    figure.text(0.01, 0.015, "; ".join(view.notes), color=_GREY, fontsize=9, **style)
    return figure


def _draw_rows(panel: Axes, view: View, names: tuple[str, str]) -> None:
    """One scatter or density: the given column along, the other up."""
    if view.counts is None:
        n = len(view.x)
        size = float(np.clip(210.0 / sqrt(n), 4.0, 30.0))
        opacity = float(np.clip(14.0 / sqrt(n), 0.35, 0.7))
        dots: dict[str, Any] = {"s": size, "alpha": opacity, "linewidths": 0, "color": _GREY}
        panel.scatter(view.x, view.y, rasterized=n > 1_000, **dots)
    else:
        _draw_density(panel, view, view.counts)
    panel.set(xlim=view.x_limits, ylim=view.y_limits)
    panel.set_xlabel(names[0], parse_math=False)
    panel.set_ylabel(names[1], parse_math=False)
    panel.locator_params(nbins=6)


def _draw_density(panel: Axes, view: View, counts: Matrix) -> None:
    # A single row is seen and the fullest cell is not black, so that curves stand out.
    most = float(counts.max())
    panel.imshow(
        counts.T,
        cmap="Greys",
        norm=_matplotlib("colors").LogNorm(vmin=most ** (-0.2) / 2.0, vmax=3.0 * most),
        origin="lower",
        extent=(*view.x_limits, *view.y_limits),
        aspect="auto",
        interpolation="nearest",
    )


def _draw_curves(panel: Axes, curves: Curves) -> None:
    halo = _matplotlib("patheffects").withStroke(linewidth=3.4, foreground="white")
    few = len(curves.given) <= FEW_VALUES
    for line, colour, dashes in zip(curves.quantiles.T, _CURVE_COLOURS, _DASHES, strict=True):
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
    arrow = " →\n" if len("".join(names)) > _LONGEST_NAME else " → "
    standing = _standing(verdict, way)
    panel.set_title(
        arrow.join(names) + (f": {standing}" if standing else ""),
        color=_INK if chosen else _GREY,
        fontweight="bold" if chosen else "normal",
        parse_math=False,
    )
    for spine in panel.spines.values():
        spine.set(color=_INK if chosen else _PALE, linewidth=2.0 if chosen else 0.8)


def _standing(verdict: Verdict, way: Direction) -> str:
    """What the verdict says of one direction."""
    measured = isinstance(verdict.evidence, QuantileEvidence)
    if verdict.direction is Direction.UNDECIDED:
        return "code of equal length" if measured else "undecided"
    if verdict.direction is way:
        return "shorter code" if measured else "chosen"
    return "longer code" if measured else ""


def _draw_scores(panel: Axes, scores: Scores, direction: Direction) -> None:
    rows = np.arange(1.0, len(scores.labels) + 1.0)
    room = max(0.6, len(rows) / 20.0)
    if len(rows) > 1:
        # The row of all levels stands apart, at the foot.
        rows[-1] = 1.0 - 2.0 * room
        panel.axhline(1.0 - room, color=_PALE, linewidth=0.8)
    panel.hlines(rows, scores.y_given_x, scores.x_given_y, color=_PALE, linewidth=2.0, zorder=1)
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
            color=_INK if row == len(rows) - 1 else _GREY,
        )
    panel.text(1.04, 1.0, "confidence", transform=panel.transAxes, va="bottom", color=_GREY)
    panel.set(ylim=(rows.min() - room, rows.max() + room), ylabel="quantile level")
    panel.set_xlabel("conditional / marginal score")
    panel.set_title("scores: less is better", color=_GREY)
    panel.margins(x=0.12)
    panel.locator_params(axis="x", nbins=3)
    panel.spines[["top", "right"]].set_visible(False)


def _markers(direction: Direction) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the scores of x -> y and of y -> x are drawn: the chosen one is filled."""
    filled: dict[str, Any] = {"ls": "", "marker": "o", "color": _INK, "ms": 6.0, "zorder": 3}
    hollow = filled | {"color": _GREY, "mfc": "white", "mew": 1.5, "ms": 8.5, "zorder": 2}
    return (hollow, filled) if direction is Direction.Y_TO_X else (filled, hollow)


def _curve_handles() -> list[Line2D]:
    line = _matplotlib("lines").Line2D
    looks = zip(_CURVE_COLOURS, _DASHES, DRAWN_LEVELS, strict=True)
    return [
        line([], [], color=colour, ls=dashes, lw=1.8, label=f"{level:g} quantile")
        for colour, dashes, level in looks
    ]


def _score_handles(verdict: Verdict) -> list[Line2D]:
    line = _matplotlib("lines").Line2D
    x, y = _short(verdict.pair.x_name, 14), _short(verdict.pair.y_name, 14)
    x_to_y, y_to_x = _markers(verdict.direction)
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
    """The verdict's own headline with short names, the rows, and a warning if it is weak."""
    arrows = {Direction.X_TO_Y: "→", Direction.Y_TO_X: "←", Direction.UNDECIDED: "—"}
    x, y = _short(verdict.pair.x_name), _short(verdict.pair.y_name)
    evidence = verdict.evidence
    bound = evidence.chance_bound if isinstance(evidence, QuantileEvidence) else None
    found = f"confidence {verdict.confidence:+.4g}"
    if verdict.direction is Direction.UNDECIDED:
        found = "undecided"
    elif bound is not None and abs(verdict.confidence) <= bound:
        found += ", weak: within chance"
    gap = "\n" if len(x + y) > _LONGEST_NAME else " "
    return f"{x} {arrows[verdict.direction]} {y}{gap}({found}; {verdict.n_rows:,} rows)"


def _short(name: str, longest: int = _LONGEST_NAME) -> str:
    """Name on one line, without its middle if it is long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if len(line) <= longest:
        return line
    tail = longest // 3
    return f"{line[: longest - tail - 1]}…{line[-tail:]}"
