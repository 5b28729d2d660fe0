"""Sorted columns whose values repeat: years along which the other is a series, and doses.

Which of them are taken for time is what the two signs of :mod:`bqcd.assessments.series` decide, so
that no method is asked. Years should be, doses and rounded columns should not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng

from benchmarks.problem_pairs import Columns, Vector, curve, series, walk
from benchmarks.problem_pairs_left_out import spreading
from bqcd.assessments.units import found_units
from bqcd.data.pair import Pair

SHAPES = ((20, 25), (30, 10), (50, 10), (60, 200))
"""Values, and rows of each."""

Draw = Callable[[Generator, int, int], Columns]


def years(level: Callable[[Generator, int], Vector], noise: float) -> Draw:
    """Levels that go with a year, and noise in each row."""

    def draw(rng: Generator, values: int, rows: int) -> Columns:
        year = np.repeat(np.arange(values), rows)
        return year.astype(np.float64), level(rng, values)[year] + noise * rng.normal(
            size=len(year)
        )

    return draw


def doses(
    effect: Callable[[Vector, Generator], Vector],
    scale: Callable[[Vector], Vector] = np.asarray,
) -> Draw:
    """Effects of doses from -2 to 2, which are told on a scale of their own."""

    def draw(rng: Generator, values: int, rows: int) -> Columns:
        dose = np.repeat(np.linspace(-2.0, 2.0, values), rows)
        return scale(dose), effect(dose, rng)

    return draw


def _bell(dose: Vector, rng: Generator) -> Vector:
    return curve(dose, rng.normal(size=len(dose)))


def in_groups(dose: Vector, rng: Generator) -> Vector:
    """A curve, and a chance that all rows of a dose share."""
    number = np.unique(dose, return_inverse=True)[1]
    return _bell(dose, rng) + 0.5 * rng.normal(size=number.max() + 1)[number]


def _rounded_cause(rng: Generator, values: int, rows: int) -> Columns:
    x = np.sort((values / 6.0 * rng.normal(size=values * rows)).round())
    return x, _bell(6.0 * x / values, rng)


def _rounded_effect(rng: Generator, values: int, rows: int) -> Columns:
    x = rng.normal(size=values * rows)
    y = (values / 6.0 * _bell(x, rng)).round()
    order = np.lexsort((x, y))
    return x[order], y[order]


CLOCKS: dict[str, Draw] = {
    "walk along years, equal rows in a year": years(walk, 0.0),
    "the same, noise of one step in each row": years(walk, 1.0),
    "the same, noise of three steps": years(walk, 3.0),
    "series with r = 0.7 along years, equal rows": years(lambda g, n: series(g, n, 0.7), 0.0),
}
"""What should be taken for time."""

DOSES: dict[str, Draw] = {
    "doses, a curve with noise": doses(_bell),
    "doses, location and scale": doses(spreading),
    "doses, saturating, little noise": doses(
        lambda d, g: 1.0 / (1.0 + np.exp(-d)) + 0.02 * g.normal(size=len(d))
    ),
    "doses, parabola, little noise": doses(lambda d, g: d**2 + 0.05 * g.normal(size=len(d))),
    "doses, waves": doses(lambda d, g: np.sin(4.0 * d) + 0.4 * g.normal(size=len(d))),
    "doses, a step": doses(lambda d, g: (d > 0.3) + 0.2 * g.normal(size=len(d))),
    "doses, each with a chance of its own": doses(in_groups),
    "rounded cause, rows sorted by it": _rounded_cause,
    "rounded effect, rows sorted by it": _rounded_effect,
}
"""What should not."""


def measured(name: str, pairs: int) -> dict[str, Any]:
    """Shares of pairs whose rows are taken for a series, by values and rows of each."""
    found: dict[str, Any] = {"pairs": name, "is_time": name in CLOCKS, "drawn": pairs}
    for values, rows in SHAPES:
        rng = default_rng([crc32(name.encode()), values, rows])
        draw = (CLOCKS | DOSES)[name]
        units = [found_units(Pair(*draw(rng, values, rows))) for _ in range(pairs)]
        taken = [one is not None and one.kind == "blocks" for one in units]
        found[f"{values} x {rows}"] = round(float(np.mean(taken)), 3)
    return found
