"""Picture of a verdict: the data seen both ways, with conditional quantile curves.

What is drawn is computed first, into records (:func:`quantile_curves`, ``_View``); the rest
of the module places them on a figure and does no arithmetic on data.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from bqcd.contract import Verdict
from bqcd.discovery import BQCD
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.evidence import CodeLengths, QuantileEvidence
from bqcd.normal_scores import normal_scores, rank_pair
from bqcd.optional import require
from bqcd.pair import Direction, Pair
from bqcd.quantiles import ConditionalQuantiles, QuantileRegressor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Limits = tuple[float, float]

DRAWN_LEVELS = (0.1, 0.5, 0.9)
# What each file format is told so that the same picture is the same bytes: no dates.
FILE_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}

_PROBES = 200
_MOST_DOTS = 5_000
_CELLS = 120
# A column with at most this many values is drawn with its dots spread a little.
_FEW_VALUES = 50
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


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Conditional quantiles of one column given the other, in the units of the data.

    Parameters
    ----------
    given : ndarray of shape (p,)
        Increasing values of the given column.
    quantiles : ndarray of shape (p, m)
        Quantiles of the other column there; rows do not decrease.
    """

    given: Vector
    quantiles: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class CurvesBothWays:
    """Conditional quantile curves in both directions of a pair.

    Parameters
    ----------
    levels : ndarray of shape (m,)
        Quantile levels, increasing.
    y_given_x, x_given_y : Curves
        The curves of either direction.
    """

    levels: Vector
    y_given_x: Curves
    x_given_y: Curves


def quantile_curves(verdict: Verdict, levels: Sequence[float] = DRAWN_LEVELS) -> CurvesBothWays:
    """Conditional quantiles both ways, from the regressor the verdict was reached with.

    The regressor is fitted on the normal scale, as for the verdict; its curves are read off
    the empirical quantiles of the columns. Ties are broken in one fixed order.

    Parameters
    ----------
    verdict : Verdict
        Verdict of :class:`bqcd.BQCD`.
    levels : sequence of float, default=(0.1, 0.5, 0.9)
        Quantile levels, increasing.

    Raises
    ------
    InvalidSettingError
        If the verdict is of another method, or the levels do not increase within (0, 1).
    """
    if not isinstance(verdict.method, BQCD):
        raise InvalidSettingError(
            f"quantile_curves needs a verdict of BQCD, got one of {verdict.method!r}."
        )
    wanted = _checked_levels(levels)
    return _curves(verdict, verdict.method.quantile_regressor(), wanted)


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
    view = _view(verdict.pair)
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


def _checked_levels(levels: Sequence[float]) -> Vector:
    wanted = np.asarray(levels, dtype=np.float64)
    inside = wanted.ndim == 1 and wanted.size > 0 and bool(((wanted > 0) & (wanted < 1)).all())
    if not inside or bool((np.diff(wanted) <= 0).any()):
        raise InvalidSettingError(
            f"levels of quantile_curves must increase within (0, 1), got {levels!r}."
        )
    return wanted


# ── Computing ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """The values of a column in order, and the places ties share.

    Parameters
    ----------
    ordered : ndarray of shape (n,)
        Values, increasing.
    values, places : ndarray of shape (k,)
        Different values, and the mean rank of each, divided by n + 1.
    limits : (float, float)
        What is drawn of the column.
    """

    ordered: Vector
    values: Vector
    places: Vector
    limits: Limits

    @classmethod
    def of(cls, column: Vector) -> _Column:
        ordered = np.sort(column)
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        ends = np.append(starts[1:], len(ordered))
        places = (starts + 1 + ends) / (2.0 * (len(ordered) + 1))
        return cls(ordered, ordered[starts], places, _limits(ordered))

    @property
    def is_discrete(self) -> bool:
        return len(self.values) <= _FEW_VALUES and len(self.values) < len(self.ordered)

    def probes(self) -> Vector:
        """Values at which curves are drawn: all of few, or evenly spaced ones in view."""
        low, high = self.limits
        if self.is_discrete:
            return self.values[(self.values >= low) & (self.values <= high)]
        # The outermost values are too few to carry a curve.
        last = max(1, len(self.ordered) // 1_000)
        low, high = max(low, self.ordered[last]), min(high, self.ordered[-1 - last])
        return np.linspace(low, high, _PROBES)

    def on_normal_scale(self, values: Vector) -> Vector:
        from scipy.special import ndtri

        return np.asarray(ndtri(np.interp(values, self.values, self.places)))

    def in_units(self, scores: Matrix) -> Matrix:
        from scipy.special import ndtr

        ranks = ndtr(scores) * (len(self.ordered) + 1)
        if self.is_discrete:
            # No quantile of few values lies between two of them.
            ranks = np.rint(ranks)
        return np.interp(ranks, np.arange(1.0, len(self.ordered) + 1), self.ordered)


def _limits(ordered: Vector) -> Limits:
    """Range of a column, cut where outliers would squeeze the rest."""
    lowest, highest = float(ordered[0]), float(ordered[-1])
    if not isfinite(2.0 * (highest - lowest)):
        raise InvalidPairError(
            f"A column to be drawn must span less than 1e308, got {lowest:g} to {highest:g}."
        )
    low, high = (float(value) for value in np.quantile(ordered, (0.05, 0.95)))
    reach = 2.5 * (high - low)
    # Nine in ten values are the same: no width to judge outliers by.
    if reach == 0.0:
        return lowest, highest
    return max(lowest, low - reach), min(highest, high + reach)


def _curves(verdict: Verdict, regressor: QuantileRegressor, levels: Vector) -> CurvesBothWays:
    x, y = _Column.of(verdict.pair.x), _Column.of(verdict.pair.y)
    seed = verdict.seed or 0
    ranked = rank_pair(verdict.pair.x, verdict.pair.y)
    inverse = next(ranked.orders(jitters=None, fixed=2, rng=default_rng(seed)))
    permutation = np.empty_like(inverse)
    permutation[inverse] = np.arange(len(inverse), dtype=inverse.dtype)
    scores = normal_scores(len(inverse))
    second, first = (
        regressor.fit(scores, scores[order], levels, default_rng(seed))
        for order in (permutation, inverse)
    )
    # Which model is that of y; both, where the ranks look the same from either side.
    of_y = {1: (second,), -1: (first,), 0: (second, first)}[ranked.sign]
    of_x = {1: (first,), -1: (second,), 0: (second, first)}[ranked.sign]
    return CurvesBothWays(levels, _in_units(of_y, x, y), _in_units(of_x, y, x))


def _in_units(models: Sequence[ConditionalQuantiles], given: _Column, target: _Column) -> Curves:
    """Mean of the curves of some models, in the units of the data."""
    probes = given.probes()
    scores = given.on_normal_scale(probes)
    curves = np.mean([model(scores) for model in models], axis=0)
    return Curves(probes, target.in_units(curves))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The rows of a pair as they are drawn.

    Parameters
    ----------
    x, y : ndarray
        Where the dots are: in view, spread a little where a column has few values.
    x_limits, y_limits : (float, float)
        Ends of the axes.
    counts : ndarray of shape (cells, cells) or None
        Rows in each cell, x down; None where there are few enough for dots.
    notes : tuple of str
        What a reader must know about what is not seen.
    """

    x: Vector
    y: Vector
    x_limits: Limits
    y_limits: Limits
    counts: Matrix | None
    notes: tuple[str, ...]

    def turned(self) -> _View:
        """The same rows with the axes exchanged."""
        counts = None if self.counts is None else self.counts.T
        return _View(self.y, self.x, self.y_limits, self.x_limits, counts, self.notes)


def _view(pair: Pair) -> _View:
    """What is drawn of a pair."""
    columns = _Column.of(pair.x), _Column.of(pair.y)
    x, x_limits = _spread(pair.x, columns[0], pair.x_name)
    y, y_limits = _spread(pair.y, columns[1], pair.y_name)
    seen = np.isfinite(x) & np.isfinite(y)
    x, y, outside = x[seen], y[seen], int(np.count_nonzero(~seen))
    notes, counts = [], None
    if outside:
        notes.append(f"{outside:,} {'point' if outside == 1 else 'points'} outside the view")
    if len(pair) > _MOST_DOTS:
        counts = np.histogram2d(x, y, bins=_CELLS, range=(x_limits, y_limits))[0]
        notes.append("darker cells hold more rows (logarithmic)")
    if any(column.is_discrete for column in columns):
        notes.append("tied values are spread a little to be seen")
    return _View(x, y, x_limits, y_limits, counts, tuple(notes))


def _spread(column: Vector, summary: _Column, name: str) -> tuple[Vector, Limits]:
    """Positions of a column's dots, NaN for those out of view, and the ends of its axis."""
    low, high = summary.limits
    margin = 0.03 * (high - low)
    seen = np.where((column >= low) & (column <= high), column, np.nan)
    if summary.is_discrete:
        width = 0.3 * float(np.diff(summary.values).min())
        # Seeded by name: a column is spread the same way on either side of a pair.
        rng = default_rng(crc32(name.encode(errors="replace")))
        seen += rng.uniform(-width, width, len(column))
        margin += width
    return seen, (low - margin, high + margin)


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """Conditional scores as shares of marginal ones, level by level and for all levels.

    Parameters
    ----------
    labels : tuple of str
        Name of each row.
    y_given_x, x_given_y : ndarray of shape (rows,)
        The shares; 1 where the other column does not help.
    gaps : ndarray of shape (rows,)
        Confidence each level alone would give; last, that of the verdict.
    """

    labels: tuple[str, ...]
    y_given_x: Vector
    x_given_y: Vector
    gaps: Vector


def _scores(lengths: CodeLengths) -> _Scores:
    """What the score panel shows."""
    weights = lengths.quadrature.weights
    m = len(lengths.quadrature)
    # One row for each level and, unless there is only one level, one for all of them.
    rows = np.vstack([np.eye(m), weights]) if m > 1 else np.eye(1)
    x, y = rows @ lengths.x, rows @ lengths.y
    x_given_y, y_given_x = rows @ lengths.x_given_y, rows @ lengths.y_given_x
    labels = [f"{level:.3g}" for level in lengths.quadrature.levels]
    return _Scores(
        (*labels, "all") if m > 1 else tuple(labels),
        y_given_x / y,
        x_given_y / x,
        ((y + x_given_y) - (x + y_given_x)) / (x + y),
    )


# ── Rendering ────────────────────────────────────────────────────────────────


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


def _drawn(verdict: Verdict, view: _View, curves: CurvesBothWays | None) -> Figure:
    evidence = verdict.evidence
    scores = _scores(evidence.code_lengths) if isinstance(evidence, QuantileEvidence) else None
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


def _draw_rows(panel: Axes, view: _View, names: tuple[str, str]) -> None:
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


def _draw_density(panel: Axes, view: _View, counts: Matrix) -> None:
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
    few = len(curves.given) <= _FEW_VALUES
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


def _draw_scores(panel: Axes, scores: _Scores, direction: Direction) -> None:
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
