"""What the 30 x 30 grid costs, and whether bqcd or vinecopulib is nearer a fine-grid truth.

    BQCD_DATA=... python benchmarks/grid.py [--step 2] [--out FILE]

The truth is the same estimator on a grid of 480 x 480; every ``step``-th pair is used.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import bqcd
from bqcd.benchmark.datasets import PAPER_PAIRSETS, load_pairs
from bqcd.discovery.quantiles import Copula, Vinecopulib

MODELS = {
    "vinecopulib, 30": Vinecopulib(),
    "bqcd, 30": Copula(),
    "bqcd, 60": Copula(grid=60),
    "bqcd, 120": Copula(grid=120),
    "bqcd, 240": Copula(grid=240),
}
TRUTH = Copula(grid=480)


def main() -> None:
    """Print errors against the fine grid and the accuracy of every grid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=int, default=2)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in (*MODELS, "truth")}
    signs: list[int] = []
    for name in PAPER_PAIRSETS:
        for item in list(load_pairs(name))[:: asked.step]:
            if len(item.pair) > 5000:
                continue
            signs.append(item.truth.sign)
            for label, model in (*MODELS.items(), ("truth", TRUTH)):
                verdict = bqcd.decide_pair(item.pair, regressor=model, published_ties=True)
                found[label].append(verdict.confidence)
    truth = np.array(found["truth"])
    lines = [
        f"{len(truth)} pairs; error against 480 x 480.\n",
        "| estimator, grid | median error | largest error | signs unlike | accuracy |",
        "|---|---|---|---|---|",
    ]
    for label, values in found.items():
        error = np.abs(np.array(values) - truth)
        unlike = int((np.sign(values) != np.sign(truth)).sum())
        right = np.mean(np.sign(values) == signs)
        lines.append(
            f"| {label} | {np.median(error):.1e} | {error.max():.1e} | {unlike} | {right:.3f} |"
        )
    ours, theirs = (np.abs(np.array(found[k]) - truth) for k in ("bqcd, 30", "vinecopulib, 30"))
    gap = np.abs(np.array(found["bqcd, 30"]) - np.array(found["vinecopulib, 30"]))
    lines.append(
        f"\nOn the same grid bqcd and vinecopulib differ by {gap.max():.1e} at most; bqcd is "
        f"nearer the truth on {int((ours < theirs).sum())} pairs, vinecopulib on "
        f"{int((ours > theirs).sum())}."
    )
    report = "\n".join(lines) + "\n"
    print(report)
    if asked.out is not None:
        asked.out.write_text(report)


if __name__ == "__main__":
    main()
