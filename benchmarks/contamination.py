"""Accuracy with gross errors in some rows: bQCD against ANM, LiNGAM and IGCI.

    OPENBLAS_NUM_THREADS=1 python benchmarks/contamination.py [--pairs 50] [--rows 500] [--seed 0]

A share of the rows gets normal errors, by default of ten standard deviations of the clean
column, in both columns or in one. Which pairs are drawn, and which rows are hit first, is the
same for every share and every method, so that a line of the table differs from the one above
it in nothing but the errors. Every setting is that of ``bqcd methods``.
"""

from __future__ import annotations

import argparse
from time import process_time

import bqcd
from bqcd.datasets import PairSet, simulate_pairs

METHODS = ("bqcd", "anm", "lingam", "igci-g", "igci-u")
BASES = ("AN", "LS", "MN-U")
SHARES = (0.0, 0.01, 0.05, 0.10)


def accuracy(pairs: PairSet, method: str) -> float:
    """Share of the pairs decided rightly; an undecided one counts one half."""
    verdicts = [bqcd.decide_pair(item.pair, method=method).direction for item in pairs]
    signs = (v.sign * item.truth.sign for v, item in zip(verdicts, pairs, strict=True))
    return sum((1 + sign) / 2 for sign in signs) / len(verdicts)


def line(first: str, share: float, figures: list[float]) -> str:
    """One line of the table."""
    return f"| {first} | {share:.0%} | " + " | ".join(f"{f:.2f}" for f in figures) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=float, default=10.0, help="in standard deviations")
    parser.add_argument("--columns", choices=("cause", "effect", "both"), default="both")
    asked = parser.parse_args()
    start = process_time()
    print(
        f"{asked.pairs} pairs of {asked.rows} rows, seed {asked.seed}, errors of {asked.size:g} "
        f"standard deviations in: {asked.columns}\n"
    )
    print("| pairs | contaminated | " + " | ".join(METHODS) + " |")
    print("|:--|--:|" + "--:|" * len(METHODS))
    found: dict[float, list[list[float]]] = {share: [] for share in SHARES}
    for base in BASES:
        for share in SHARES:
            pairs = simulate_pairs(
                "outliers",
                n_pairs=asked.pairs,
                n_rows=asked.rows,
                seed=asked.seed,
                base=base,
                share=share,
                size=asked.size,
                columns=asked.columns,
            )
            found[share].append([accuracy(pairs, method) for method in METHODS])
            print(line(base, share, found[share][-1]), flush=True)
    for share, rows in found.items():
        print(line("mean", share, [sum(cells) / len(BASES) for cells in zip(*rows, strict=True)]))
    print(f"\n{process_time() - start:.0f} s of one core.")


if __name__ == "__main__":
    main()
