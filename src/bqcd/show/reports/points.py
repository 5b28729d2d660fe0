"""What a page draws of a pair: some of its rows, and quantile curves both ways.

Numbers that are only drawn are whole ones from 0 to 1,000 along their axis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.data.scales import Scale, Tick
from bqcd.errors import InvalidPairError
from bqcd.methods.bqcd import BQCD
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.seeds import seed_from
from bqcd.show.views import Curves, View, quantile_curves, view_of
from bqcd.show.words.views import view_words

Limits = tuple[float, float]

STEPS = 1_000
"""Steps along an axis."""

FEWEST_POINTS, MOST_POINTS = 400, 2_000
_POINTS_OF_A_PAGE = 120_000
_MOST_PROBES = 50


def points_each(n_pairs: int) -> int:
    """Points that each of so many pairs may have, so that a page stays small.

    Examples
    --------
    >>> points_each(1), points_each(200), points_each(10_000)
    (2000, 600, 400)
    """
    return max(FEWEST_POINTS, min(MOST_POINTS, _POINTS_OF_A_PAGE // max(n_pairs, 1)))


@dataclass(frozen=True, slots=True)
class Points:
    """Rows of a pair as a page draws them.

    Parameters
    ----------
    x, y : tuple of int
        Places along the axes, from 0 to 1,000.
    x_range, y_range : (float, float)
        Ends of the axes, in the units of the data.
    total : int
        Rows of the pair.
    rule : str
        Which of them are drawn.
    x_ticks, y_ticks : tuple of (float, str), default=()
        What is written along axes that are not of numbers, and where, in the units of the data.
    """

    x: tuple[int, ...]
    y: tuple[int, ...]
    x_range: Limits
    y_range: Limits
    total: int
    rule: str
    x_ticks: tuple[Tick, ...] = ()
    y_ticks: tuple[Tick, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON."""
        return {
            "x": list(self.x),
            "y": list(self.y),
            "weight": None,
            "x_range": list(self.x_range),
            "y_range": list(self.y_range),
            "shown": len(self.x),
            "total": self.total,
            "rule": self.rule,
            "x_ticks": [list(tick) for tick in self.x_ticks],
            "y_ticks": [list(tick) for tick in self.y_ticks],
        }


def points_of(pair: Pair, *, most: int) -> Points:
    """Rows of a pair to draw: all of few, else some by lot; without far outliers.

    The lot depends on the names of the columns only, not on their order, so that the same
    rows come out for the pair with its columns exchanged.

    Parameters
    ----------
    pair : Pair
        The rows.
    most : int
        How many points, at most.

    Examples
    --------
    >>> points_of(Pair(np.arange(12.0), np.arange(12.0) ** 2), most=400).rule
    'All 12 rows.'
    """
    try:
        view = view_of(pair)
    except InvalidPairError:
        return _nothing(pair)
    if not np.isfinite((view.x_limits, view.y_limits)).all():
        return _nothing(pair)
    chosen = _lot(len(view.x), most, pair.key)
    return Points(
        x=places_on(view.x[chosen], view.x_limits),
        y=places_on(view.y[chosen], view.y_limits),
        x_range=view.x_limits,
        y_range=view.y_limits,
        total=len(pair),
        rule=_rule(view, len(chosen), len(pair)),
        x_ticks=_ticks(pair.x_scale, view.x_limits),
        y_ticks=_ticks(pair.y_scale, view.y_limits),
    )


def _ticks(scale: Scale | None, limits: Limits) -> tuple[Tick, ...]:
    return () if scale is None else tuple(scale.ticks(*limits, most=5))


def _nothing(pair: Pair) -> Points:
    ends = (0.0, 1.0)
    return Points((), (), ends, ends, len(pair), "The values are too far apart to be drawn.")


def _lot(n_points: int, most: int, key: str) -> NDArray[np.intp]:
    if n_points <= most:
        return np.arange(n_points)
    rng = np.random.default_rng(seed_from("points of a page", key))
    return np.sort(rng.choice(n_points, most, replace=False, shuffle=False))


def _rule(view: View, shown: int, total: int) -> str:
    drawn = f"{shown:,} of {total:,} rows, drawn at random" if shown < len(view.x) else ""
    whole = f"All {total:,} rows" if shown == total else f"{shown:,} of {total:,} rows"
    notes = view_words(view, dots=True)
    return f"{drawn or whole}{'; ' if notes else ''}{notes}."


def places_on(values: Vector, limits: Limits) -> tuple[int, ...]:
    """Places along an axis, from 0 to 1,000; what is outside is put at its end.

    Parameters
    ----------
    values : ndarray of shape (n,)
        In the units of the data.
    limits : (float, float)
        Ends of the axis.

    Examples
    --------
    >>> places_on(np.array([1.0, 1.5, 7.0]), (1.0, 3.0))
    (0, 250, 1000)
    """
    low, high = limits
    shares = np.clip((values - low) / (high - low), 0.0, 1.0)
    return tuple(np.rint(STEPS * shares).astype(int).tolist())


def curves_of(verdict: Verdict, points: Points) -> dict[str, object] | None:
    """Quantile curves both ways along the axes of the points; None if there are none.

    Whatever method judged, they are those of bQCD: a picture of the rows, not of the method.

    Parameters
    ----------
    verdict : Verdict
        Of any method; of bQCD with its own regressor.
    points : Points
        What they are drawn upon.
    """
    # Categories without an order have no quantiles.
    if not points.x or (isinstance(verdict.pair, Pair) and verdict.pair.nominal):
        return None
    drawn = verdict if isinstance(verdict.method, BQCD) else replace(verdict, method=BQCD())
    found = quantile_curves(drawn)
    levels = [float(level) for level in found.levels]
    x_range, y_range = points.x_range, points.y_range
    return {
        "x_to_y": _drawn(found.y_given_x, levels, x_range, y_range),
        "y_to_x": _drawn(found.x_given_y, levels, y_range, x_range),
    }


def _drawn(curves: Curves, levels: list[float], given: Limits, target: Limits) -> dict[str, object]:
    n_probes = len(curves.given)
    kept = np.unique(np.linspace(0, n_probes - 1, min(n_probes, _MOST_PROBES)).round().astype(int))
    return {
        "at": places_on(curves.given[kept], given),
        "levels": [
            {"level": level, "values": places_on(curves.quantiles[kept, place], target)}
            for place, level in enumerate(levels)
        ],
    }
