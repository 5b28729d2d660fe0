"""Accuracy with gross errors in some rows: bQCD against ANM, LiNGAM and IGCI.

    OPENBLAS_NUM_THREADS=1 python benchmarks/contamination.py [--pairs 50] [--rows 500] [--seed 0]

A share of the rows gets normal errors, by default of ten standard deviations of the clean
column, in both columns or in one. Which pairs are drawn, and which rows are hit first, is the
same for every share and every method, so that a line of the table differs from the one above
it in nothing but the errors. Every setting is that of ``bqcd methods``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from assess_records import Part

import bqcd
from bqcd.benchmark.datasets import PairSet, simulate_pairs
from bqcd.data.pair import Direction

METHODS = ("bqcd", "anm", "lingam", "igci-g", "igci-u")
BASES = ("AN", "LS", "MN-U")
SHARES = (0.0, 0.01, 0.05, 0.10)


@dataclass(frozen=True)
class ContaminationPlan:
    """Pairs of a kind, their rows, the seed, and which columns get errors of which size."""

    pairs: int = 50
    rows: int = 500
    seed: int = 0
    size: float = 10.0
    columns: tuple[str, ...] = ("both", "effect", "cause")


@dataclass(frozen=True)
class ContaminationRow:
    """Accuracy of one method on pairs of one kind; an undecided pair counts one half."""

    columns: str
    pairs: str
    share: float
    method: str
    accuracy: float


def accuracy(pairs: PairSet, method: str) -> float:
    """Share of the pairs decided rightly; an undecided one counts one half."""
    verdicts = [
        Direction.of(bqcd.decide_pair(item.pair, method=method).confidence) for item in pairs
    ]
    signs = (v.sign * item.truth.sign for v, item in zip(verdicts, pairs, strict=True))
    return sum((1 + sign) / 2 for sign in signs) / len(verdicts)


def contamination_rows(plan: ContaminationPlan) -> Iterator[ContaminationRow]:
    """A row for each choice of columns, kind of pairs, share of errors and method."""
    for columns in plan.columns:
        for base in BASES:
            for share in SHARES:
                pairs = simulate_pairs(
                    "outliers",
                    n_pairs=plan.pairs,
                    n_rows=plan.rows,
                    seed=plan.seed,
                    base=base,
                    share=share,
                    size=plan.size,
                    columns=columns,
                )
                for method in METHODS:
                    found = accuracy(pairs, method)
                    yield ContaminationRow(columns, base, share, method, found)


CONTAMINATION = Part(
    "contamination",
    ContaminationRow,
    contamination_rows,
    ContaminationPlan(),
    ContaminationPlan(pairs=2, rows=100, columns=("effect",)),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    plan = ContaminationPlan()
    parser.add_argument("--pairs", type=int, default=plan.pairs)
    parser.add_argument("--rows", type=int, default=plan.rows)
    parser.add_argument("--seed", type=int, default=plan.seed)
    parser.add_argument("--size", type=float, default=plan.size, help="in standard deviations")
    parser.add_argument("--columns", choices=("cause", "effect", "both"), nargs="+")
    asked = parser.parse_args()
    columns = tuple(asked.columns or plan.columns)
    plan = ContaminationPlan(asked.pairs, asked.rows, asked.seed, asked.size, columns)
    print("| errors in | pairs | contaminated | " + " | ".join(METHODS) + " |")
    print("|:--|:--|--:|" + "--:|" * len(METHODS))
    rows = contamination_rows(plan)
    for (where, base, share), cells in groupby(rows, lambda r: (r.columns, r.pairs, r.share)):
        told = " | ".join(f"{cell.accuracy:.2f}" for cell in cells)
        print(f"| {where} | {base} | {share:.0%} | {told} |", flush=True)


if __name__ == "__main__":
    main()
