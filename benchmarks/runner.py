"""What a benchmark costs beyond the methods it runs, against a plain loop in the same run.

    python benchmarks/runner.py [--rounds 9]

A loop of ``decide_pair``, with a seed of its own for each call, and ``run_benchmark`` with one
process take turns. Of the loop, the quickest pass over the pairs counts; of the benchmark, the
quickest batch handed to the worker, and on top of it, shared out over the tasks, the quickest
planning before the first batch and gathering after the last. On a noisy machine that is steadier
than whole runs, which are given as well: they include the start of the worker, half a second in
which it loads compiled code, whatever the number of tasks.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from time import perf_counter

import numpy as np

from bqcd import Direction, Pair, decide_pair, run_benchmark
from bqcd.benchmark import Progress, contender
from bqcd.benchmark.datasets import LabelledPair, PairSet, Source

ROWS = 1_000
# As long as the seeds of tasks are.
FIRST_SEED = 2**62
# Method, pairs, and how often each is judged.
CASES = (("bqcd", 250, 12), ("bqcd:regressor=forest", 25, 6))


def heteroscedastic_pairs(n_pairs: int) -> PairSet:
    """Pairs without ties whose first column is the cause."""
    items = []
    for number in range(n_pairs):
        rng = np.random.default_rng(number)
        x = rng.normal(size=ROWS)
        y = np.sin(x) + 0.5 * np.exp(0.3 * x) * rng.normal(size=ROWS)
        items.append(LabelledPair(Pair(x, y, key=f"pair/{number}"), Direction.X_TO_Y))
    return PairSet("heteroscedastic", tuple(items), Source("simulated", "free"))


@dataclass
class Clock:
    """Times at which a benchmark told how far it was."""

    start: float = field(default_factory=perf_counter)
    told: list[tuple[float, int]] = field(default_factory=list)

    def tell(self, progress: Sequence[Progress]) -> None:
        """Write down how many tasks have ended."""
        self.told.append((perf_counter(), progress[0].ended))

    def quickest_batch(self) -> float:
        """Seconds per task of the quickest among the larger batches."""
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(self.told)]
        enough = max(tasks for _, tasks in steps) / 2
        return min(seconds / tasks for seconds, tasks in steps if tasks >= enough)


def loop_seconds(method: str, pairs: PairSet, repeats: int) -> list[float]:
    """Seconds of each pass of a loop over the pairs."""
    judge, seeds, passes = contender(method).method, count(FIRST_SEED), []
    for _ in range(repeats):
        start = perf_counter()
        for item in pairs:
            decide_pair(item.pair, method=judge, seed=next(seeds))
        passes.append(perf_counter() - start)
    return passes


def line(method: str, n_pairs: int, repeats: int, rounds: int) -> str:
    """One row of the table."""
    pairs, tasks = heteroscedastic_pairs(n_pairs), n_pairs * repeats
    loop_seconds(method, pairs.head(2), 1)
    loop = batch = around = whole = float("inf")
    for _ in range(rounds):
        passes = loop_seconds(method, pairs, repeats)
        loop = min(loop, *(seconds / n_pairs for seconds in passes))
        clock = Clock()
        results = run_benchmark([method], [pairs], repeats=repeats, progress=clock.tell)
        end = perf_counter()
        assert results.table["status"].to_pylist() == ["done"] * tasks
        batch = min(batch, clock.quickest_batch())
        around = min(around, clock.told[0][0] - clock.start + end - clock.told[-1][0])
        whole = min(whole, end - clock.start)
    task = batch + around / tasks
    return (
        f"| {method} | {tasks:,} | {loop * 1e3:.3f} | {batch * 1e3:.3f} | {task * 1e3:.3f} | "
        f"{(task / loop - 1.0) * 100.0:+.1f} % | {whole:.2f} | {loop * tasks:.2f} |"
    )


def main() -> None:
    """Print one line per method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    start = perf_counter()
    run_benchmark(["coin"], [heteroscedastic_pairs(1)])
    print(f"The first benchmark of a process, one task: {perf_counter() - start:.2f} s\n")
    print(
        f"| method, {ROWS:,} rows | tasks | ms in a loop | in a batch | with planning and table "
        "| overhead | whole run, s | loop, s |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for method, n_pairs, repeats in CASES:
        print(line(method, n_pairs, repeats, rounds), flush=True)


if __name__ == "__main__":
    main()
