"""Series along ten or twenty years with several rows each, and doses of as many.

The bounds of :func:`bqcd.assessments.series.jumps_along` were set on half of the kinds, of other
numbers than those drawn here. The others had no part in that, but had been seen when likelihoods
were taken in place of a test for lack of fit, which took steep curves for jumps in both halves.
Before it, all other limits count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import expit

from benchmarks.clocks import Draw, doses, in_groups, years
from benchmarks.problem_pairs import Vector, curve, series, walk
from bqcd.assessments import assess
from bqcd.assessments.limits import limited
from bqcd.methods.answers import answer_by_probability

SHAPES = ((10, 50), (20, 25))
"""Values, and rows of each."""

HALVES = {"bqcd": 50, "panel": 10}


def _shifts(rng: Generator, n: int) -> Vector:
    return np.asarray(2.0 * rng.normal(size=n) * (rng.random(n) < 0.3)).cumsum()


def _beside(effect: Callable[[Vector], Vector], noise: float) -> Callable[..., Vector]:
    """Effect of a dose with noise of one size."""
    return lambda dose, rng: effect(dose) + noise * rng.normal(size=len(dose))


def _spread(dose: Vector, rng: Generator) -> Vector:
    return 0.5 * dose + 0.5 * (0.3 + np.abs(dose)) * rng.normal(size=len(dose))


def _grown(dose: Vector, rng: Generator) -> Vector:
    return np.exp(dose) * (1.0 + 0.3 * rng.normal(size=len(dose)))


def _saturated(dose: Vector, rng: Generator) -> Vector:
    return (dose + 2.0) / (2.3 + dose) * np.exp(0.2 * rng.normal(size=len(dose)))


CHOSEN_ON: Mapping[str, Draw] = MappingProxyType(
    {
        "walk, noise of half a step": years(walk, 0.5),
        "walk, noise of one step": years(walk, 1.0),
        "walk, noise of three steps": years(walk, 3.0),
        "series with r = 0.7": years(lambda rng, n: series(rng, n, 0.7), 0.5),
        "dose, bell": doses(lambda dose, rng: curve(dose, rng.normal(size=len(dose)))),
        "dose, bell with little noise": doses(_beside(lambda d: curve(d, 0.0 * d), 0.05)),
        "dose, slow saturation": doses(_beside(expit, 0.02)),
        "dose, parabola": doses(_beside(np.square, 0.05)),
        "dose, line with growing noise": doses(_spread),
        "dose, two waves and a half": doses(_beside(lambda d: np.sin(4.0 * d), 0.4)),
        "dose, a step": doses(_beside(lambda d: 1.0 * (d > 0.3), 0.2)),
    }
)
LEFT_OUT: Mapping[str, Draw] = MappingProxyType(
    {
        "walk with drift": years(lambda rng, n: walk(rng, n) + 0.5 * np.arange(n), 1.0),
        "walk with heavy tails": years(lambda rng, n: rng.standard_t(3.0, size=n).cumsum(), 1.0),
        "sums of a series with r = 0.7": years(lambda rng, n: series(rng, n, 0.7).cumsum(), 1.0),
        "shifts of level": years(_shifts, 0.7),
        "series with r = 0.9": years(lambda rng, n: 2.0 * series(rng, n, 0.9), 1.0),
        "dose, Hill, by factors": doses(_beside(lambda d: expit(2.0 * d), 0.1), np.exp2),
        "dose, saturation, lognormal noise": doses(_saturated),
        "dose, decay": doses(_beside(lambda d: np.exp(-2.0 * (d + 2.0)), 0.05)),
        "dose, threshold": doses(_beside(lambda d: np.maximum(d, 0.0), 0.2)),
        "dose, growth, growing noise": doses(_grown),
        "dose, steep saturation": doses(_beside(lambda d: expit(5.0 * d), 0.1)),
        "dose, a wave and a quarter": doses(_beside(lambda d: np.sin(2.0 * d), 0.3)),
        "dose, a peak": doses(_beside(lambda d: np.exp(-3.0 * d**2), 0.1)),
        "dose, each with a chance of its own": doses(in_groups),
    }
)


def kinds() -> dict[str, Draw]:
    """All kinds: those the rule was chosen on, then the others."""
    return {**CHOSEN_ON, **LEFT_OUT}


def measured(name: str, method: str, pairs: int) -> dict[str, Any]:
    """Shares of answers with and without the rule, by values and rows of each."""
    directed = name.startswith("dose")
    told: dict[str, Any] = {"pairs": name, "method": method, "drawn": pairs, "directed": directed}
    told["left_out"] = name in LEFT_OUT
    for values, rows in SHAPES:
        rng = default_rng([crc32(f"few years, {name}".encode()), values])
        found = [_answers(kinds()[name](rng, values, rows), method) for _ in range(pairs)]
        for at, when in enumerate(("before", "after")):
            for answer in ("clear", "leaning"):
                # Of doses, right answers count.
                shares = [one[at] == answer and (one[2] or not directed) for one in found]
                told[f"{values} x {rows} {when} {answer}"] = round(float(np.mean(shares)), 3)
    return told


def _answers(columns: tuple[Vector, Vector], method: str) -> tuple[str, str, bool]:
    """Answers without and with the rule, and whether the first column is named the cause."""
    found = assess(*columns, method=method, replicates=HALVES[method])
    others = [limit for limit in found.limits if limit.code != "jumps"]
    left = limited(found.claimed, others)
    before = "cannot tell" if left is None else answer_by_probability(left)
    before = "cannot tell" if "independent" in found.doubts else before
    return before, found.answer, found.confidence > 0.0
