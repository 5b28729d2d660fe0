"""Time of the methods that a panel asks, before and now in one run, and together on one pair.

    OPENBLAS_NUM_THREADS=1 python benchmarks/voices.py [--before REVISION]

Each time is CPU time in milliseconds of one process on one core, kernels compiled, the least of
several on each of a few pairs and the mean over these. Processes of the earlier source, which is
taken from the history of the repository, and of this one take turns. "Together" is all methods on
one pair, which share what they make of its columns; "apart" the same on a copy of the pair each.
What is printed is also written to ``benchmarks/results/voices.txt``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "benchmarks" / "results" / "voices.txt"
# The last commit before the methods were made to share and to run faster.
BEFORE = "469cf8d"
METHODS = (
    *("loci", "grci", "forest", "resit", "sloppy", "bicam", "reci", "heci", "cdci", "slope"),
    *("igci-u", "igci-g", "igci-entropy-u", "igci-entropy-g"),
)
SIZES = (300, 1_000, 5_000)
CASES = tuple((n, tied) for n in SIZES for tied in (False, True))
PAIRS, REPEATS, TURNS = 2, 3, 2

Times = dict[str, list[float]]


def columns(n: int, tied: bool, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A curve with noise that spreads, rounded to one decimal if values are to repeat."""
    rng = np.random.default_rng([n, seed])
    x = rng.normal(size=n)
    y = np.tanh(2.0 * x) + 0.4 * (1.0 + 0.5 * np.abs(x)) * rng.normal(size=n)
    return (x.round(1), y.round(1)) if tied else (x, y)


def measure() -> None:
    """Print the times of this source as JSON: those of each method, together and apart."""
    from bqcd.data.pair import Pair
    from bqcd.methods.table import make_method

    methods = {
        name: make_method("bqcd", regressor="forest") if name == "forest" else make_method(name)
        for name in METHODS
    }

    def judge(name: str, pair: Pair) -> None:
        methods[name].decide(pair, np.random.default_rng(0))

    def all_together(pair: Pair) -> None:
        for name in METHODS:
            judge(name, pair)

    def all_apart(pair: Pair) -> None:
        for name in METHODS:
            judge(name, Pair(pair.x.copy(), pair.y.copy()))

    asked: dict[str, Callable[[Pair], None]] = {
        name: lambda pair, name=name: judge(name, pair) for name in METHODS
    }
    asked |= {"together": all_together, "apart": all_apart}
    times: Times = {name: [] for name in asked}
    for n, tied in CASES:
        for name, ask in asked.items():
            found = []
            for seed in range(PAIRS):
                each = [Pair(*columns(n, tied, seed)) for _ in range(REPEATS)]
                found.append(min(_milliseconds(ask, pair) for pair in each))
            times[name].append(float(np.mean(found)))
    print(json.dumps(times))


def _milliseconds(ask: Callable[[object], None], pair: object) -> float:
    start = process_time()
    ask(pair)
    return 1e3 * (process_time() - start)


def measured(source: Path) -> Times:
    """Times of a source, from a process of its own."""
    found = subprocess.run(
        [sys.executable, __file__, "--measure"],
        env=os.environ | {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    times: Times = json.loads(found.stdout)
    return times


def least(runs: list[Times]) -> Times:
    """The least of several runs, number by number."""
    return {name: np.min([run[name] for run in runs], axis=0).tolist() for name in runs[0]}


def sheet(before: Times, now: Times) -> list[str]:
    """Lines of the record."""
    heads = "".join(f"{f'{n:,}' + (' tied' if tied else ''):>22}" for n, tied in CASES)
    lines = ["CPU milliseconds per pair, one core: before, now, ratio", f"{'rows':<16}{heads}"]
    rows = {name: (before[name], now[name]) for name in METHODS}
    rows["all, apart"] = before["apart"], now["apart"]
    rows["all, together"] = before["together"], now["together"]
    rows["three dearest"] = _dearest(before), _dearest(now)
    for name, (old, new) in rows.items():
        cells = (f"{a:>8.2f}{b:>8.2f}{b / a:>6.2f}" for a, b in zip(old, new, strict=True))
        lines.append(f"{name:<16}{''.join(cells)}")
    shares = (a / b for a, b in zip(now["together"], now["apart"], strict=True))
    lines.append(f"{'together / apart':<16}{''.join(f'{share:>22.2f}' for share in shares)}")
    return lines


def _dearest(times: Times) -> list[float]:
    """Sum of the three largest times of each case."""
    table = np.sort([times[name] for name in METHODS], axis=0)
    sums: list[float] = table[-3:].sum(axis=0).tolist()
    return sums


def _source(before: str, folder: Path) -> Path:
    """The folder itself, or what a revision had there, put into another one."""
    if Path(before).is_dir():
        return Path(before)
    archive = ["git", "-C", str(ROOT), "archive", before, "src"]
    files = subprocess.run(archive, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", str(folder)], input=files, check=True)
    return folder / "src"


def main() -> None:
    """Measure both sources in turns, print and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--before", default=BEFORE, help="revision, or folder src, to compare with")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure()
        return
    with TemporaryDirectory() as folder:
        sources = [_source(asked.before, Path(folder)), ROOT / "src"]
        # The first run of each compiles its kernels, if they are not compiled yet.
        runs = [[measured(source) for source in sources] for _ in range(1 + TURNS)][1:]
    lines = sheet(*(least([turn[side] for turn in runs]) for side in range(2)))
    print("\n".join(lines))
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
