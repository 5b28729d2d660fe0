"""Runs of a small benchmark that are killed at one step on the disk after the other.

Every run is a copy of this process, and so is its worker: a step of either is counted, and at
the one that was chosen both are killed, with half of what was to be written on the disk.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from multiprocessing import active_children, get_context
from pathlib import Path
from shutil import copytree
from typing import Any

# Here, so that no copy has to.
import pandas as pd  # noqa: F401
import pyarrow.compute  # noqa: F401

import bqcd.benchmark.running.journal
import bqcd.runtime.pool.workers
from bqcd.benchmark import Results, read_results, run_benchmark
from tests.benchmark.running.odd_methods import Kept
from tests.benchmark.running.small_sets import small_set

STEPS = ("fsync", "mkdir", "open", "rename", "replace", "rmdir", "unlink", "write")
PAIRS = [small_set(count=2)]
HOUR = 3_600_000_000_000

reached = mmap.mmap(-1, 8)
clock = count(1_000_000 * HOUR, -HOUR)


class Killer:
    """Counts steps on the disk, of this process and of those it starts, and kills at one."""

    def __init__(self, fatal: int) -> None:
        self.runner, self.fatal = os.getpid(), fatal
        reached[:] = bytes(8)
        for name in STEPS:
            setattr(os, name, self.watched(name, getattr(os, name)))

    def watched(self, name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*given: Any, **named: Any) -> Any:
            if name == "open" and not given[1] & os.O_CREAT:
                return step(*given, **named)
            number = int.from_bytes(reached, "big") + 1
            reached[:] = number.to_bytes(8, "big")
            if number == self.fatal:
                if name == "write":
                    step(given[0], given[1][: len(given[1]) // 2])
                self.kill()
            return step(*given, **named)

        return stepped

    def kill(self) -> None:
        others = [one.pid for one in active_children()] if os.getpid() == self.runner else []
        for process in (*others, self.runner, os.getpid()):
            os.kill(process, signal.SIGKILL)


def in_a_copy(work: Callable[[], object]) -> bool:
    """Whether a copy of this process did the work; it may be killed over it."""
    process = os.fork()
    if process == 0:
        work()
        os._exit(0)
    return os.waitpid(process, 0)[1] == 0


def run(folder: Path, obstacle: Path, fatal: int = 0) -> Results:
    """One run, an hour before the last one by the clock on the wall."""
    now = next(clock)
    vars(bqcd.benchmark.running.journal)["time_ns"] = lambda: now
    methods = ["coin", ("kept", Kept("", str(obstacle), "/2"))]
    Killer(fatal)
    return run_benchmark(methods, PAIRS, out=folder, file_format="jsonl", retry=True)


def told(folder: Path, obstacle: Path) -> None:
    """Run to the end, and write down the table and what is in the folder."""
    table = run(folder, obstacle).table.drop_columns(["seconds"]).to_pylist()
    kept = read_results(folder / "results.jsonl").table.drop_columns(["seconds"]).to_pylist()
    names = sorted(path.name for path in folder.iterdir())
    strangers = [path.name for path in (folder / "journal").iterdir() if path.suffix != ".jsonl"]
    report = [table, table == kept, names, strangers]
    folder.with_suffix(".json").write_text(json.dumps(report))


def main(path: Path, *, second: bool) -> None:
    """Kill the first or the second run on a folder at every step, and run it once more.

    Prints the number of steps, what a run that is not killed makes of the folder, and the steps
    after which it is another.
    """
    vars(bqcd.runtime.pool.workers)["starting_context"] = lambda preloaded: get_context("fork")
    obstacle, base = path / "obstacle", path / "base"
    base.mkdir()
    if second:
        obstacle.touch()
        in_a_copy(partial(run, base, obstacle))
        obstacle.unlink()
    next(clock)
    copytree(base, path / "whole")
    assert in_a_copy(partial(told, path / "whole", obstacle))
    steps, whole = int.from_bytes(reached, "big"), (path / "whole.json").read_text()
    others = []
    for fatal in range(1, steps + 1):
        folder = path / f"killed-{fatal}"
        copytree(base, folder)
        assert not in_a_copy(partial(run, folder, obstacle, fatal))
        next(clock)
        ended = in_a_copy(partial(told, folder, obstacle))
        if not ended or folder.with_suffix(".json").read_text() != whole:
            others.append(fatal)
    print(json.dumps([steps, *json.loads(whole), others]))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), second=sys.argv[2] == "second")
