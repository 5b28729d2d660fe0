"""What abstention gains: accuracy among the pairs that each number would decide first.

    BQCD_DATA=FOLDER OPENBLAS_NUM_THREADS=1 python benchmarks/assess_abstention.py [--jobs 2]

Every pair of some benchmarks is assessed once, with 200 halves and seed 0. Pairs are ranked by
the size of the confidence, by the share of halves that agree, by the bound and by the probability;
ties in a ranking are broken by the size of the confidence. Accuracy, weighted where the
benchmark has weights, at 50 %, 80 % and all of the decisions; then seconds for an assessment.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import process_time

import numpy as np

import bqcd
from bqcd.assessments import assess_pair

SETS = ("tuebingen", "SIM", "SIM-c", "SIM-ln", "SIM-G", "AN-s", "LS-s")
RATES = (0.5, 0.8, 1.0)


def assessed(task: tuple[str, int]) -> tuple[float, ...]:
    """Whether the direction is right, its weight, and the four numbers it may be ranked by."""
    name, at = task
    item = bqcd.load_pairs(name)[at]
    start = process_time()
    found = assess_pair(item.pair)
    seconds = process_time() - start
    right = np.sign(found.confidence) == item.truth.sign
    size = abs(found.confidence)
    return (
        right, item.weight, size, found.stability.agreeing, -found.p_bound, found.probability,
        seconds, len(item.pair),
    )  # fmt: skip


def accuracy(rows: np.ndarray, by: int, rate: float) -> float:
    """Weighted accuracy among the first pairs of a ranking, up to a share of the weight."""
    order = np.lexsort((-rows[:, 2], -rows[:, by]))
    weight = rows[order, 1]
    taken = np.cumsum(weight) <= rate * weight.sum() + 1e-9
    return float(np.average(rows[order, 0][taken], weights=weight[taken]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    rankings = {"|confidence|": 2, "halves agree": 3, "bound": 4, "probability": 5}
    print(f"{'benchmark':>10} {'decided':>8} " + "".join(f"{name:>14}" for name in rankings))
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("forkserver")) as pool:
        for name in asked.sets:
            tasks = [(name, at) for at in range(len(bqcd.load_pairs(name)))]
            rows = np.array(list(pool.map(assessed, tasks)), dtype=np.float64)
            for rate in RATES:
                told = "".join(f"{accuracy(rows, by, rate):>14.2f}" for by in rankings.values())
                print(f"{name:>10} {rate:>8.0%} {told}", flush=True)
            few = rows[rows[:, 7] <= 1000]
            print(f"{'':>10} {np.median(few[:, 6]):.2f} s an assessment of up to 1,000 rows")


if __name__ == "__main__":
    main()
