"""The radix sort behind the ranks against numpy's argsort, as ratios within one run.

    python benchmarks/sorting.py [--largest 1e6]

Both give the rows in increasing order of value, equal values in order of row, and the number of
values that repeat an earlier one. "unstable" is numpy's default argsort: without ties it gives
the same order. Processor time, the best of a few rounds in turn; numpy over own, so that above
1 the own sort wins.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np

from bqcd.discovery.sorting import LONG_COLUMN, stable_order

ROUNDS = 7
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def columns(n: int) -> dict[str, np.ndarray]:
    """Columns with and without ties, and one with tails that defeat equal steps in value."""
    rng = np.random.default_rng(n)
    normal = rng.normal(size=n)
    return {
        "untied": normal,
        "heavy tails": rng.standard_cauchy(n),
        "tied, 1,000 values": np.round(normal * 150.0),
        "tied, 20 values": np.round(normal * 3.0),
    }


def by_numpy(values: np.ndarray, kind: str) -> tuple[np.ndarray, int]:
    """The same from numpy."""
    order = np.argsort(values, kind=kind)  # type: ignore[call-overload]
    in_order = values[order]
    return order.astype(np.int32), int(np.count_nonzero(in_order[1:] == in_order[:-1]))


def best_times(jobs: dict[str, Callable[[], object]], calls: int, rounds: int) -> dict[str, float]:
    """Shortest seconds per call of each job."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = process_time()
            for _ in range(calls):
                job()
            best[name] = min(best[name], (process_time() - start) / calls)
    return best


def main() -> None:
    """Print one line per column and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=float, default=1e7)
    largest = parser.parse_args().largest
    # Short columns are sorted by numpy unless the code is there.
    stable_order(np.arange(float(LONG_COLUMN)))
    print(f"{'rows':>12}  {'column':<20}{'own':>12}{'stable/own':>12}{'unstable/own':>14}")
    for n in SIZES:
        if n > largest:
            break
        for name, values in columns(n).items():
            own, stable = stable_order(values), by_numpy(values, "stable")
            assert np.array_equal(own[0], stable[0])
            assert own[1] == stable[1]
            times = best_times(
                {
                    "own": lambda values=values: stable_order(values),
                    "stable": lambda values=values: by_numpy(values, "stable"),
                    "unstable": lambda values=values: by_numpy(values, "quicksort"),
                },
                calls=max(1, 100_000 // n),
                rounds=ROUNDS if n < 1_000_000 else 2,
            )
            print(
                f"{n:12,}  {name:<20}{times['own'] * 1e3:9.3f} ms"
                f"{times['stable'] / times['own']:12.2f}{times['unstable'] / times['own']:14.2f}"
            )


if __name__ == "__main__":
    main()
