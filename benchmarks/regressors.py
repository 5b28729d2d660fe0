"""Accuracy and time of bQCD with each regressor on the paper's benchmark files.

    BQCD_DATA=... python benchmarks/regressors.py [--pairs 100] [--network-pairs 30] [--out FILE]

The paper claims that results are consistent across implementations; this is the table for it.
Ties are broken in the order of the published results, once, for every regressor alike.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time

import numpy as np

import bqcd
from bqcd.benchmark.datasets import PAPER_PAIRSETS, load_pairs

REGRESSORS = ("copula", "forest", "network")


def row(regressor: str, most: int) -> tuple[list[str], float]:
    """Accuracy of each set as text, and mean CPU seconds per pair."""
    cells, spent, judged = [], 0.0, 0
    for name in PAPER_PAIRSETS:
        items = list(load_pairs(name))
        items = items if name == "tuebingen" else items[:most]
        right, weights = [], []
        start = process_time()
        for item in items:
            verdict = bqcd.decide_pair(item.pair, regressor=regressor, published_ties=True)
            right.append(verdict.direction is item.truth)
            weights.append(item.weight)
        spent += process_time() - start
        judged += len(items)
        cells.append(f"{np.mean(right):.2f}")
        if name == "tuebingen":
            cells.append(f"{np.average(right, weights=weights):.2f}")
        print(f"  {regressor:>8} {name:>10} {cells[-1]}", flush=True)
    return cells, spent / judged


def main() -> None:
    """Print the table, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--network-pairs", type=int, default=30)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    lines = [
        f"| regressor | pairs a set | {' | '.join(PAPER_PAIRSETS)} | weighted | CPU s/pair |",
        "|" + "---|" * (len(PAPER_PAIRSETS) + 4),
    ]
    for regressor in REGRESSORS:
        most = asked.network_pairs if regressor == "network" else asked.pairs
        cells, seconds = row(regressor, most)
        lines.append(f"| {regressor} | {most} | {' | '.join(cells)} | {seconds:.4f} |")
    table = "\n".join(lines) + "\n"
    print(table)
    if asked.out is not None:
        asked.out.write_text(table)


if __name__ == "__main__":
    main()
