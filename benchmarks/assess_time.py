"""CPU time of an assessment, next to that of the verdict alone, by rows and ties.

    OPENBLAS_NUM_THREADS=1 python benchmarks/assess_time.py [--rounds 3]

200 halves, one core. The shortest of some rounds: what else the machine does only adds to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from time import process_time

import numpy as np
from assess_records import Part
from numpy.random import default_rng
from numpy.typing import NDArray

from bqcd import decide_pair
from bqcd.assessments import assess_pair
from bqcd.data.pair import Pair

Vector = NDArray[np.float64]

TIES: Mapping[str, Callable[[Vector, Vector], Pair]] = {
    "none": Pair,
    "both rounded to tenths": lambda x, y: Pair(x.round(1), y.round(1)),
    "one column in 5 grades": lambda x, y: Pair(np.clip(x.round(), -2.0, 2.0), y),
    "both in 5 to 9 grades": lambda x, y: Pair(np.clip(x.round(), -2.0, 2.0), (2 * y).round()),
}


@dataclass(frozen=True)
class TimePlan:
    """Rows of a pair, halves of a pair, rounds (two from 100,000 rows on), and the seed."""

    rows: tuple[int, ...] = (200, 1000, 10_000, 100_000)
    halves: int = 200
    rounds: int = 3
    seed: int = 0


@dataclass(frozen=True)
class TimeRow:
    """CPU seconds of one verdict, and of one assessment with all its halves."""

    n_rows: int
    ties: str
    decide: float
    assess: float


def time_rows(plan: TimePlan) -> Iterator[TimeRow]:
    """A row for each number of rows and kind of ties."""
    assess_pair(_pair(100, plan.seed, "both in 5 to 9 grades"), method="bqcd", replicates=10)
    for n_rows in plan.rows:
        for ties in TIES:
            pair = _pair(n_rows, plan.seed, ties)
            rounds = min(2, plan.rounds) if n_rows >= 100_000 else plan.rounds
            yield TimeRow(
                n_rows,
                ties,
                _seconds(partial(decide_pair, pair), 3 * rounds),
                _seconds(partial(assess_pair, pair, method="bqcd", replicates=plan.halves), rounds),
            )


def _pair(n_rows: int, seed: int, ties: str) -> Pair:
    x, noise = default_rng(seed).normal(size=(2, n_rows))
    return TIES[ties](x, np.tanh(x) + 0.5 * noise)


def _seconds(function: Callable[[], object], rounds: int) -> float:
    spent = []
    for _ in range(rounds):
        start = process_time()
        function()
        spent.append(process_time() - start)
    return min(spent)


TIME = Part("time", TimeRow, time_rows, TimePlan(), TimePlan(rows=(200,), halves=20, rounds=1))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=TimePlan().rounds)
    asked = parser.parse_args()
    print(f"{'rows':>9} {'ties':<24} {'decide':>10} {'assess':>10} {'ratio':>6}")
    for row in time_rows(TimePlan(rounds=asked.rounds)):
        print(
            f"{row.n_rows:>9,} {row.ties:<24} {1e3 * row.decide:>7.1f} ms "
            f"{1e3 * row.assess:>7.0f} ms {row.assess / row.decide:>6.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
