"""How often the interval of the score contains the score that is expected, by simulation.

    python benchmarks/assess_coverage.py [--samples 40] [--sizes 200,1000]

For every mechanism and size, fresh samples are drawn: three in four for the expected score, which
is their mean, one in four for intervals. Nominal are 95 %. ``--max-rows`` caps the rows of a half,
to see what becomes of the interval where it is scaled up from fewer rows than half.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from assess_records import Part
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd import Pair
from bqcd.assessments.stability import half_samples
from bqcd.methods.bqcd import BQCD

Columns = tuple[NDArray[np.float64], NDArray[np.float64]]
HEAD = (
    f"{'mechanism':<30} {'rows':>6} {'expected':>9} {'sd':>8} {'width':>6} "
    f"{'covered':>8} {'left of it':>11} {'right':>6}"
)


@dataclass(frozen=True)
class CoveragePlan:
    """Rows of a pair, intervals of a kind, halves of a pair, most rows of a half."""

    rows: tuple[int, ...] = (200, 1000, 5000)
    samples: int = 100
    halves: int = 100
    max_rows: int = 20_000


@dataclass(frozen=True)
class CoverageRow:
    """How often intervals contain the expected score, and how often they lie beside it.

    ``width`` is their mean width in units of one that is as wide as it should be: 2 x 1.96
    standard deviations of the score.
    """

    mechanism: str
    ties: bool
    n_rows: int
    samples: int
    expected: float
    sd: float
    width: float
    covered: float
    below: float
    above: float


def linear(rng: Generator, n: int) -> Columns:
    """Gaussian, the same from both sides."""
    x = rng.normal(size=n)
    return x, x + rng.normal(size=n)


def uniform(rng: Generator, n: int) -> Columns:
    """Linear, with uniform cause and noise."""
    x = rng.uniform(-1.0, 1.0, size=n)
    return x, x + rng.uniform(-0.7, 0.7, size=n)


def additive(rng: Generator, n: int) -> Columns:
    """A curve plus Gaussian noise."""
    x = rng.normal(size=n)
    return x, np.tanh(2.0 * x) + 0.5 * x**2 + 0.4 * rng.normal(size=n)


def location_scale(rng: Generator, n: int) -> Columns:
    """A curve plus noise whose size depends on the cause."""
    x = rng.normal(size=n)
    return x, np.sin(x) + 0.5 * np.exp(0.4 * x) * rng.normal(size=n)


def independent(rng: Generator, n: int) -> Columns:
    """Nothing to find."""
    return rng.normal(size=n), rng.normal(size=n)


def rounded(rng: Generator, n: int) -> Columns:
    """Additive noise, both columns rounded to tenths."""
    x, y = additive(rng, n)
    return x.round(1), y.round(1)


def graded_cause(rng: Generator, n: int) -> Columns:
    """Linear Gaussian, the cause in five grades."""
    x, y = linear(rng, n)
    return np.clip(x.round(), -2.0, 2.0), y


def graded(rng: Generator, n: int) -> Columns:
    """Location-scale, in five and nine grades."""
    x, y = location_scale(rng, n)
    return np.clip(x.round(), -2.0, 2.0), np.clip((2.0 * y).round(), -4.0, 4.0)


def zero_inflated(rng: Generator, n: int) -> Columns:
    """Additive noise, half of the causes zero."""
    x, y = additive(rng, n)
    return np.maximum(x, 0.0), y


def zero_inflated_effect(rng: Generator, n: int) -> Columns:
    """Location-scale, 60 % or so of the effects zero."""
    x, y = location_scale(rng, n)
    return x, np.maximum(y - 0.25, 0.0)


def graded_effect(rng: Generator, n: int) -> Columns:
    """Additive noise, the effect in five grades."""
    x, y = additive(rng, n)
    return x, np.digitize(y, (-0.6, 0.2, 1.0, 2.0)).astype(np.float64)


def counts(rng: Generator, n: int) -> Columns:
    """Poisson numbers whose mean depends on the cause."""
    x = rng.normal(size=n)
    return x, rng.poisson(np.exp(0.5 + 0.6 * x)).astype(np.float64)


MECHANISMS: dict[str, tuple[bool, Callable[[Generator, int], Columns]]] = {
    "linear Gaussian": (False, linear),
    "linear uniform": (False, uniform),
    "additive noise": (False, additive),
    "location-scale": (False, location_scale),
    "independent": (False, independent),
    "additive, rounded to tenths": (True, rounded),
    "linear, cause in 5 grades": (True, graded_cause),
    "additive, effect in 5 grades": (True, graded_effect),
    "location-scale, 5 x 9 grades": (True, graded),
    "additive, half of causes 0": (True, zero_inflated),
    "location-scale, 60 % effects 0": (True, zero_inflated_effect),
    "counts": (True, counts),
}


def score(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Score of all rows."""
    return BQCD().decide(Pair(x, y), default_rng(0)).confidence


def coverage_row(name: str, n: int, plan: CoveragePlan) -> CoverageRow:
    """Coverage for one mechanism and size."""
    ties, draw = MECHANISMS[name]
    fresh = [score(*draw(default_rng([1, at]), n)) for at in range(3 * plan.samples)]
    expected, sd = float(np.mean(fresh)), float(np.std(fresh))
    ends = np.empty((plan.samples, 2))
    for number in range(plan.samples):
        x, y = draw(default_rng([2, number]), n)
        halves = half_samples(
            Pair(x, y), BQCD(), replicates=plan.halves, seed=number, max_rows=plan.max_rows
        )
        interval = halves.interval(score(x, y))
        ends[number] = interval.low, interval.high
    low, high = ends.T
    below, above = float(np.mean(high < expected)), float(np.mean(low > expected))
    width = float(np.mean(high - low)) / (2 * 1.96 * sd)
    covered = 1.0 - below - above
    return CoverageRow(
        name, ties, n, plan.samples, expected, sd, width, covered, below, above
    )  # fmt: skip


def coverage_rows(plan: CoveragePlan) -> Iterator[CoverageRow]:
    """A row for each size and mechanism."""
    for n in plan.rows:
        for name in MECHANISMS:
            yield coverage_row(name, n, plan)


COVERAGE = Part(
    "coverage",
    CoverageRow,
    coverage_rows,
    CoveragePlan(),
    CoveragePlan(rows=(200,), samples=4, halves=20),
)


def main() -> None:
    """Print the share of intervals that contain the expected score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    plan = CoveragePlan()
    parser.add_argument("--samples", type=int, default=plan.samples)
    parser.add_argument("--sizes", default="200,1000")
    parser.add_argument("--max-rows", type=int, default=plan.max_rows)
    asked = parser.parse_args()
    sizes = tuple(map(int, asked.sizes.split(",")))
    print(HEAD)
    for row in coverage_rows(CoveragePlan(sizes, asked.samples, max_rows=asked.max_rows)):
        print(
            f"{row.mechanism:<30} {row.n_rows:>6,} {row.expected:>9.5f} {row.sd:>8.5f} "
            f"{row.width:>6.2f} {row.covered:>8.1%} {row.below:>11.1%} {row.above:>6.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
