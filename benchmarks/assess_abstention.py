"""What abstention gains: accuracy among the pairs that each number would decide first.

    BQCD_DATA=FOLDER OPENBLAS_NUM_THREADS=1 python benchmarks/assess_abstention.py

Every pair of the benchmarks is assessed once, with 200 halves and seed 0. Pairs are ranked by
the size of the confidence, by the share of halves that agree, by the bound and by the probability;
ties in a ranking are broken by the size of the confidence. Accuracy, weighted where the
benchmark has weights, at 50 %, 80 % and all of the decisions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from assess_records import Part
from numpy.typing import NDArray

import bqcd
from bqcd.assessments import assess_pair
from bqcd.benchmark.datasets import PAPER_PAIRSETS

Vector = NDArray[np.float64]

# From the most to the least by which a pair would be decided.
RANKINGS: Mapping[str, str] = {
    "|confidence|": "confidence",
    "stability": "stability",
    "p_bound": "p_bound",
    "probability": "probability",
}
RATES = (0.5, 0.8, 1.0)


@dataclass(frozen=True)
class BenchmarkPlan:
    """Benchmarks, most pairs of each (0: all), halves of a pair, and the seed."""

    benchmarks: tuple[str, ...] = ("tuebingen", *PAPER_PAIRSETS[:-1])
    pairs: int = 0
    halves: int = 200
    seed: int = 0


@dataclass(frozen=True)
class BenchmarkRow:
    """A pair of a benchmark: what is true of it, and what its assessment says."""

    benchmark: str
    pair: str
    weight: float
    n_rows: int
    truth: int
    confidence: float
    stability: float
    p_bound: float
    probability: float

    @property
    def right(self) -> bool:
        """Whether the direction is the true one."""
        return self.confidence * self.truth > 0.0


def benchmark_rows(plan: BenchmarkPlan) -> Iterator[BenchmarkRow]:
    """A row for each pair of each benchmark."""
    for name in plan.benchmarks:
        items = bqcd.load_pairs(name).items
        for item in items[: plan.pairs or len(items)]:
            found = assess_pair(item.pair, method="bqcd", replicates=plan.halves, seed=plan.seed)
            assert found.p_bound is not None
            assert found.probability is not None
            yield BenchmarkRow(
                name,
                item.pair.key,
                float(item.weight),
                len(item.pair),
                item.truth.sign,
                found.confidence,
                found.stability.agreeing,
                found.p_bound,
                found.probability,
            )


def decisions(rows: Sequence[BenchmarkRow], by: str) -> tuple[Vector, Vector]:
    """Share of the weight decided, and accuracy so far, from the first pair of a ranking on.

    Examples
    --------
    >>> pair = BenchmarkRow("", "", 1.0, 100, 1, 0.2, 1.0, 0.01, 0.9)
    >>> wrong = BenchmarkRow("", "", 1.0, 100, 1, -0.1, 1.0, 0.01, 0.8)
    >>> decisions([wrong, pair], "|confidence|")
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    size = np.array([abs(row.confidence) for row in rows])
    number = np.array([abs(getattr(row, RANKINGS[by])) for row in rows])
    order = np.lexsort((-size, number if by == "p_bound" else -number))
    weight = np.array([row.weight for row in rows])[order]
    right = np.array([row.right for row in rows], dtype=np.float64)[order]
    decided = np.cumsum(weight)
    return decided / decided[-1], np.cumsum(weight * right) / decided


def accuracy_at(rows: Sequence[BenchmarkRow], by: str, rate: float) -> float:
    """Weighted accuracy among the first pairs of a ranking, up to a share of the weight."""
    rates, accuracies = decisions(rows, by)
    return float(accuracies[np.flatnonzero(rates <= rate + 1e-9)[-1]])


BENCHMARKS = Part(
    "benchmarks",
    BenchmarkRow,
    benchmark_rows,
    BenchmarkPlan(),
    BenchmarkPlan(("tuebingen", "SIM"), pairs=6, halves=20),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=BenchmarkPlan().benchmarks)
    asked = parser.parse_args()
    print(f"{'benchmark':>10} {'decided':>8} " + "".join(f"{name:>14}" for name in RANKINGS))
    for name in asked.sets:
        rows = list(benchmark_rows(BenchmarkPlan((name,))))
        for rate in RATES:
            told = "".join(f"{accuracy_at(rows, by, rate):>14.2f}" for by in RANKINGS)
            print(f"{name:>10} {rate:>8.0%} {told}", flush=True)


if __name__ == "__main__":
    main()
