"""Rows that depend on the row before: what bounds, tests and directions do in a time series.

    python benchmarks/assess_series.py [--pairs 100] [--rows 1000] [--seed 0]

Both columns, or cause and noise, are Gaussian series x_t = r x_(t-1) + noise of variance 1.
"unrelated" pairs do not depend on each other, "linear" ones do but have no direction that could
be known, "curve" has one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from assess_records import Part
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.assessments import assess_pair
from bqcd.data.pair import Pair
from bqcd.statistics.dependence.autocorrelation import serial_dependence

Vector = NDArray[np.float64]

KINDS: Mapping[str, Callable[[Vector, Vector], Vector]] = {
    "unrelated": lambda cause, noise: noise,
    "linear": lambda cause, noise: 0.7 * cause + np.sqrt(0.51) * noise,
    "curve": lambda cause, noise: np.tanh(2.0 * cause) + 0.5 * cause**2 + 0.4 * noise,
}


@dataclass(frozen=True)
class SeriesPlan:
    """Pairs of a kind, their rows, autocorrelations, halves of a pair, and the seed."""

    pairs: int = 100
    rows: int = 1000
    autocorrelations: tuple[float, ...] = (0.0, 0.5, 0.7, 0.9, 0.98)
    halves: int = 100
    seed: int = 0


@dataclass(frozen=True)
class SeriesRow:
    """Shares of pairs of one kind, and the rows that they are worth in the middle."""

    kind: str
    autocorrelation: float
    warned: float
    effective_rows: float
    dependent: float
    significant: float
    right: float


def series(rng: Generator, n: int, r: float) -> Vector:
    """Stationary Gaussian series of variance 1."""
    from scipy.signal import lfilter

    steps = rng.normal(size=n) * np.sqrt(1.0 - r**2)
    steps[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -r], steps))


def series_rows(plan: SeriesPlan) -> Iterator[SeriesRow]:
    """A row for each kind of pair and autocorrelation."""
    for at, (kind, effect) in enumerate(KINDS.items()):
        for r in plan.autocorrelations:
            rng = default_rng([plan.seed, at, round(100 * r)])
            found = []
            for _ in range(plan.pairs):
                cause, noise = (series(rng, plan.rows, r) for _ in range(2))
                found.append(_judged(Pair(cause, effect(cause, noise)), plan))
            warned, rows, *shares = np.array(found).T
            means = (float(share.mean()) for share in shares)
            yield SeriesRow(kind, r, float(warned.mean()), float(np.median(rows)), *means)


def _judged(pair: Pair, plan: SeriesPlan) -> tuple[float, ...]:
    """Whether it is warned of, effective rows, and whether p-value, bound and sign are small."""
    serial = serial_dependence(pair.x, pair.y)
    found = assess_pair(pair, method="bqcd", replicates=plan.halves, seed=plan.seed)
    assert found.p_bound is not None
    return (
        float("blocks" in found.problems or "serial dependence" in found.problems),
        serial.effective_rows,
        float(found.dependence.p_value <= 0.05),
        float(found.p_bound <= 0.05),
        float(found.confidence > 0.0),
    )


SERIES = Part(
    "series",
    SeriesRow,
    series_rows,
    SeriesPlan(),
    SeriesPlan(pairs=3, rows=200, halves=10),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    plan = SeriesPlan()
    parser.add_argument("--pairs", type=int, default=plan.pairs)
    parser.add_argument("--rows", type=int, default=plan.rows)
    parser.add_argument("--seed", type=int, default=plan.seed)
    asked = parser.parse_args()
    print(f"{'pairs':<10} {'r':>5} {'warned':>7} {'worth':>7} {'p <= .05':>9} {'bound':>6} right")
    for row in series_rows(SeriesPlan(asked.pairs, asked.rows, seed=asked.seed)):
        print(
            f"{row.kind:<10} {row.autocorrelation:>5.2f} {row.warned:>7.2f} "
            f"{row.effective_rows:>7.0f} {row.dependent:>9.2f} {row.significant:>6.2f} "
            f"{row.right:>5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
