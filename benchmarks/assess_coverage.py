"""How often the interval of the score contains the score that is expected, by simulation.

    python benchmarks/assess_coverage.py [--samples 400] [--sizes 200,1000,5000] [--out FILE]

For every mechanism and size, fresh samples are drawn: three in four for the expected score, which
is their mean, one in four for intervals. Nominal are 95 %. ``--max-rows`` caps the rows of a half,
to see what becomes of the interval where it is scaled up from fewer rows than half.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd import Pair
from bqcd.assessments.resampling import half_samples
from bqcd.discovery import BQCD

Columns = tuple[NDArray[np.float64], NDArray[np.float64]]
HEAD = (
    f"{'mechanism':<28} {'rows':>6} {'expected':>9} {'sd':>8} {'width':>6} "
    f"{'covered':>8} {'+-':>4} {'left of it':>11} {'right':>6} {'seconds':>8}"
)


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


MECHANISMS: dict[str, Callable[[Generator, int], Columns]] = {
    "linear Gaussian": linear,
    "linear uniform": uniform,
    "additive noise": additive,
    "location-scale": location_scale,
    "independent": independent,
    "additive, rounded to tenths": rounded,
    "linear, cause in 5 grades": graded_cause,
    "location-scale, 5 x 9 grades": graded,
    "additive, half zeros": zero_inflated,
}


def score(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Score of all rows."""
    return BQCD().decide(Pair(x, y), default_rng(0)).confidence


def line(name: str, n: int, samples: int, max_rows: int) -> str:
    """One row of the table."""
    start, draw = process_time(), MECHANISMS[name]
    fresh = [score(*draw(default_rng([1, number]), n)) for number in range(3 * samples)]
    expected, sd = float(np.mean(fresh)), float(np.std(fresh))
    ends = np.empty((samples, 2))
    for number in range(samples):
        x, y = draw(default_rng([2, number]), n)
        halves = half_samples(Pair(x, y), BQCD(), seed=number, max_rows=max_rows)
        interval = halves.interval(score(x, y))
        ends[number] = interval.low, interval.high
    low, high = ends.T
    left, right = np.mean(high < expected), np.mean(low > expected)
    covered = 1.0 - left - right
    # Of an interval whose half is as wide as it should be: 1.96 standard deviations.
    width = float(np.mean(high - low)) / (2 * 1.96 * sd)
    error = 100.0 * np.sqrt(covered * (1.0 - covered) / samples)
    return (
        f"{name:<28} {n:>6,} {expected:>9.5f} {sd:>8.5f} {width:>6.2f} {covered:>8.1%} "
        f"{error:>4.1f} {left:>11.1%} {right:>6.1%} {process_time() - start:>8.0f}"
    )


def main() -> None:
    """Print the share of intervals that contain the expected score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--sizes", default="200,1000,5000")
    parser.add_argument("--max-rows", type=int, default=20_000)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    lines = [HEAD]
    print(HEAD)
    for n in map(int, asked.sizes.split(",")):
        for name in MECHANISMS:
            lines.append(line(name, n, asked.samples, asked.max_rows))
            print(lines[-1], flush=True)
    if asked.out:
        asked.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
