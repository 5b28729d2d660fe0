"""Speed of bqcd.decide, as ratios within one run: against pyvinecopulib and two argsorts.

    python benchmarks/speed.py [--largest 1e6]

The three are timed in turn, round by round, and the best round of each counts: on a noisy
machine the ratios are steadier than the times.
"""

from __future__ import annotations

import argparse
import resource
import tracemalloc
from collections.abc import Callable
from time import perf_counter

import numpy as np

import bqcd

ROUNDS = 7
VINECOPULIB_UP_TO = 1_000_000


def columns(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A heteroscedastic pair without ties."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    return x, np.sin(x) + 0.5 * np.exp(0.3 * x) * rng.normal(size=n)


def rounded(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same pair with two decimals in one column and a dozen values in the other."""
    return x.round(2), y.round(0)


def best_times(jobs: dict[str, tuple[Callable[[], object], int, int]]) -> dict[str, float]:
    """Shortest seconds per call of each job: (function, calls per round, rounds)."""
    best = dict.fromkeys(jobs, float("inf"))
    for number in range(ROUNDS):
        for name, (job, calls, rounds) in jobs.items():
            if number >= rounds:
                continue
            start = perf_counter()
            for _ in range(calls):
                job()
            best[name] = min(best[name], (perf_counter() - start) / calls)
    return best


def extra_memory(x: np.ndarray, y: np.ndarray) -> float:
    """Peak memory of one decision beyond its input, in float64 columns of the same length."""
    tracemalloc.start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bqcd.decide(x, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return max(peak, grown) / x.nbytes


def main() -> None:
    """Print one line per number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=float, default=1e7)
    largest = int(parser.parse_args().largest)
    for rows in (50, 20_000, 100_000):
        bqcd.decide(*columns(rows))
        bqcd.decide(*rounded(*columns(rows)))
    print(
        f"{'rows':>10} {'argsort x2':>11} {'decide':>11} {'/ argsorts':>10} "
        f"{'vinecopulib':>12} {'ratio':>7} {'ns/(n log2 n)':>14} {'columns':>8} "
        f"{'with ties':>12} {'columns':>8}"
    )
    for n in (200, 1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        if n > largest:
            break
        x, y = columns(n)
        calls = max(1, 200_000 // n)
        few = max(1, min(10, 20_000 // n))
        slow_rounds = ROUNDS if n <= 10_000 else 1
        tied = rounded(x, y)
        memory, tied_memory = extra_memory(x, y), extra_memory(*tied)
        jobs: dict[str, tuple[Callable[[], object], int, int]] = {
            "argsorts": (lambda x=x, y=y: (np.argsort(x), np.argsort(y)), calls, ROUNDS),
            "decide": (lambda x=x, y=y: bqcd.decide(x, y), calls, ROUNDS),
            "tied": (lambda tied=tied: bqcd.decide(*tied), max(1, calls // 4), slow_rounds),
        }
        if n <= VINECOPULIB_UP_TO:
            jobs["vinecopulib"] = (
                lambda x=x, y=y: bqcd.decide(x, y, regressor="vinecopulib"),
                few,
                slow_rounds,
            )
        best = best_times(jobs)
        vine = best.get("vinecopulib", float("nan"))
        growth = best["decide"] / (n * np.log2(n)) * 1e9
        print(
            f"{n:>10,} {best['argsorts'] * 1e3:>8.3f} ms {best['decide'] * 1e3:>8.3f} ms "
            f"{best['decide'] / best['argsorts']:>10.2f} {vine * 1e3:>9.2f} ms "
            f"{vine / best['decide']:>6.1f}x {growth:>14.2f} {memory:>8.1f} "
            f"{best['tied'] * 1e3:>9.2f} ms {tied_memory:>8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
