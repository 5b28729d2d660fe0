"""What a benchmark costs beyond the methods it runs, against a plain loop in the same run.

    python benchmarks/runner.py [--rounds 9]

A loop of ``decide_pair`` and two runs of ``run_benchmark`` with one process, one short and one
long, take turns. The difference between the two runs is what the tasks cost, each with its
outcome on disk; the rest is what it takes to begin and to end. The best round of each counts:
on a noisy machine the ratios are steadier than the times.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

from bqcd import Direction, Pair, decide_pair, run_benchmark
from bqcd.benchmark import contender
from bqcd.datasets import LabelledPair, PairSet, Source

ROWS = 1_000
# Method, pairs, and how often each is judged in the short and in the long run.
CASES = (("bqcd", 250, 1, 9), ("bqcd:regressor=forest", 25, 1, 5))


def heteroscedastic_pairs(count: int) -> PairSet:
    """Pairs without ties whose first column is the cause."""
    items = []
    for number in range(count):
        rng = np.random.default_rng(number)
        x = rng.normal(size=ROWS)
        y = np.sin(x) + 0.5 * np.exp(0.3 * x) * rng.normal(size=ROWS)
        items.append(LabelledPair(Pair(x, y, key=f"pair/{number}"), Direction.X_TO_Y))
    return PairSet("heteroscedastic", tuple(items), Source("simulated", "free"))


def loop_seconds(method: str, pairs: PairSet, repeats: int) -> float:
    """Seconds that judging all pairs in a loop takes."""
    judge = contender(method).method
    start = perf_counter()
    for _ in range(repeats):
        for item in pairs:
            decide_pair(item.pair, method=judge)
    return perf_counter() - start


def run_seconds(method: str, pairs: PairSet, repeats: int) -> float:
    """Seconds that a benchmark with one process takes."""
    start = perf_counter()
    results = run_benchmark([method], [pairs], repeats=repeats)
    seconds = perf_counter() - start
    assert results.table["status"].to_pylist() == ["done"] * (len(pairs) * repeats)
    return seconds


def line(method: str, count: int, short: int, long: int, rounds: int) -> str:
    """One row of the table."""
    pairs = heteroscedastic_pairs(count)
    loop_seconds(method, pairs.head(2), 1)
    loops, shorts, longs = [], [], []
    for _ in range(rounds):
        loops.append(loop_seconds(method, pairs, long - short))
        shorts.append(run_seconds(method, pairs, short))
        longs.append(run_seconds(method, pairs, long))
    tasks = count * (long - short)
    loop, task = min(loops) / tasks, (min(longs) - min(shorts)) / tasks
    begin = min(shorts) - task * count * short
    whole = min(longs) / (loop * count * long)
    return (
        f"| {method} | {count * long:,} | {loop * 1e3:.3f} | {task * 1e3:.3f} | "
        f"{(task / loop - 1.0) * 100.0:+.1f} % | {begin:.2f} | {(whole - 1.0) * 100.0:+.0f} % |"
    )


def main() -> None:
    """Print one line per method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    start = perf_counter()
    run_benchmark(["coin"], [heteroscedastic_pairs(1)])
    print(f"First run in a process, one task: {perf_counter() - start:.2f} s\n")
    print(
        f"| method, {ROWS:,} rows | tasks | ms in a loop | ms in a benchmark | overhead per task "
        "| seconds to begin and end | overhead of all |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for method, count, short, long in CASES:
        print(line(method, count, short, long, rounds), flush=True)


if __name__ == "__main__":
    main()
