"""Seconds that each method takes for one pair of 1,000 to 1,000,000 rows, on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/growth.py [--methods anm,loci] [--limit 300]

Each size is judged in a process of its own, after a short pair that loads compiled code; what
takes longer than the limit is ended, and so are the larger sizes. One pair without ties, noise
growing with the cause. Processor time, which other work on the machine does not lengthen. The
fields ``seconds`` and ``seconds_beyond`` of the cards are these numbers.
"""

from __future__ import annotations

import argparse
from multiprocessing import get_context
from multiprocessing.queues import Queue
from time import process_time

import numpy as np

import bqcd

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def columns(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A heteroscedastic pair without ties."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    return x, np.sin(x) + 0.5 * np.exp(0.3 * x) * rng.normal(size=n)


def measure(name: str, n: int, answer: Queue[float]) -> None:
    """Seconds of one decision, the best of several where they are short."""
    x, y = columns(n)
    bqcd.decide(x[:200], y[:200], method=name)
    best, start = float("inf"), process_time()
    while best == float("inf") or process_time() - start < 1.0:
        before = process_time()
        bqcd.decide(x, y, method=name)
        best = min(best, process_time() - before)
    answer.put(best)


def seconds(name: str, n: int, limit: float) -> float | None:
    """Seconds, or None beyond the limit."""
    context = get_context("spawn")
    answer: Queue[float] = context.Queue()
    process = context.Process(target=measure, args=(name, n, answer))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    return answer.get() if process.exitcode == 0 else None


def main() -> None:
    """Print one line per method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", default=",".join(bqcd.METHODS))
    parser.add_argument("--limit", type=float, default=300.0)
    asked = parser.parse_args()
    print(f"{'method':<16}" + "".join(f"{n:>12,}" for n in SIZES), flush=True)
    for name in asked.methods.split(","):
        print(f"{name:<16}", end="", flush=True)
        for n in SIZES:
            took = seconds(name, n, asked.limit)
            if took is None:
                print(f"{f'> {asked.limit:g}':>12}", end="")
                break
            print(f"{took:>12.2g}", end="", flush=True)
        print(flush=True)


if __name__ == "__main__":
    main()
