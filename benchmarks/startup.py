"""What one waits for before the first answer: compiling once, and starting every time.

    python benchmarks/startup.py [--also FOLDER] [--out benchmarks/results/startup.txt]

Cold is a process with an empty folder of compiled code; its figures are processor time, which other
work on the machine does not lengthen. Warm are commands with everything compiled: processor time,
and the time on the clock, which is longer where others are at work. Each is also told as a ratio
to ``python -c "import numpy, pyarrow"`` of the same run. Commands are run in turn, round by round,
and the best round of each counts. ``--also`` names another source folder, such as that of an
earlier version, to be measured in the same rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

import bqcd

REFERENCE = 'python -c "import numpy, pyarrow"'
FIRST = """
import json, time
import numpy as np, bqcd
rng = np.random.default_rng(1)
x = rng.normal(size=1000)
y = x**3 + rng.normal(size=1000)
told = {}
for name, ask in (
    ("first decide", lambda: bqcd.decide(x, y)),
    ("first assess by bqcd, more", lambda: bqcd.assess(x, y, method="bqcd")),
    ("first assess by the panel, more", lambda: bqcd.assess(x, y)),
    ("first decide with fine ties, more", lambda: bqcd.decide(x.round(2), y)),
    ("first decide with few values, more", lambda: bqcd.decide(x.round(0), y.round(0))),
    ("first loci, more", lambda: bqcd.decide(x, y, method="loci")),
):
    # The first one pays for starting Python and for all that is loaded.
    start = time.process_time() if told else 0.0
    ask()
    told[name] = time.process_time() - start
print(json.dumps(told))
"""
COMMAND = "import sys; sys.argv[0] = 'bqcd'; from bqcd.cli import main; main()"
TAB = {
    "_BQCD_COMPLETE": "complete_bash",
    "COMP_WORDS": "bqcd decide t.csv x y --method lo",
    "COMP_CWORD": "6",
}


class Job(NamedTuple):
    """A command line, what it is called, and what its environment has."""

    name: str
    arguments: Sequence[str]
    environment: dict[str, str]


class Spent(NamedTuple):
    """Seconds of the processor and of the clock."""

    cpu: float
    wall: float


def spent(job: Job) -> Spent:
    """What one run takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(
        [sys.executable, *job.arguments],
        env=os.environ | job.environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    wall, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(cpu, wall)


def environment(source: Path, kernels: str) -> dict[str, str]:
    """Environment in which a source folder is used, with compiled code in a folder."""
    folders = {"BQCD_KERNELS": kernels, "NUMBA_CACHE_DIR": kernels}
    return folders | {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}


def cold(source: Path, rounds: int) -> dict[str, float]:
    """Processor seconds of first answers, the best of some rounds."""
    best: dict[str, float] = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as kernels:
            done = subprocess.run(
                [sys.executable, "-c", FIRST],
                env=os.environ | environment(source, kernels),
                capture_output=True,
                check=True,
            )
        for name, seconds in json.loads(done.stdout).items():
            best[name] = min(best.get(name, seconds), seconds)
    return best


def commands(table: str, settings: dict[str, str]) -> list[Job]:
    """Commands whose start is measured."""
    pair = (table, "x", "y")
    return [
        Job("bqcd --help", ("-c", COMMAND, "--help"), settings),
        Job("Tab", ("-c", COMMAND), settings | TAB),
        Job("bqcd decide", ("-c", COMMAND, "decide", *pair), settings),
        Job("bqcd assess", ("-c", COMMAND, "assess", *pair), settings),
    ]


def warm(sources: Sequence[Path], rounds: int) -> list[dict[str, Spent]]:
    """Best rounds of all commands, for each source folder; the reference is among them."""
    with tempfile.TemporaryDirectory() as folder:
        table = str(Path(folder, "t.csv"))
        x, noise = np.random.default_rng(1).normal(size=(2, 1000))
        values = np.column_stack([x, x**3 + noise])
        np.savetxt(table, values, delimiter=",", header="x,y", comments="")
        reference = Job(REFERENCE, ("-c", "import numpy, pyarrow"), {})
        jobs = [
            [reference, *commands(table, environment(source, f"{folder}/{number}"))]
            for number, source in enumerate(sources)
        ]
        found: list[dict[str, Spent]] = [{} for _ in sources]
        for number in range(rounds + 1):
            for best, listed in zip(found, jobs, strict=True):
                for job in listed:
                    now = spent(job)
                    # The first round compiles and loads files from the disk.
                    last = best.get(job.name, now) if number > 1 else now
                    best[job.name] = Spent(min(last.cpu, now.cpu), min(last.wall, now.wall))
    return found


def lines(source: Path, firsts: dict[str, float], starts: dict[str, Spent]) -> list[str]:
    """Table of one source folder."""
    reference = starts[REFERENCE]
    told = [f"{'cold, ' + version(source):36s}{'cpu s':>8s}{'ratio':>8s}"]
    for name, seconds in firsts.items():
        told.append(f"{name:36s}{seconds:8.2f}{seconds / reference.cpu:8.1f}")
    told.append(f"{'warm':36s}{'cpu s':>8s}{'ratio':>8s}{'wall s':>8s}{'ratio':>8s}")
    for name, now in starts.items():
        cpu = f"{now.cpu:8.3f}{now.cpu / reference.cpu:8.2f}"
        told.append(f"{name:36s}{cpu}{now.wall:8.3f}{now.wall / reference.wall:8.2f}")
    return told


def version(source: Path) -> str:
    """What a source folder is called: this one, or by its last commit."""
    if source == Path(bqcd.__file__).parents[1]:
        return "this version"
    asked = ["git", "-C", str(source), "describe", "--always"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    """Print the table, and write it where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--also", type=Path, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cold-rounds", type=int, default=2)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    sources = [Path(bqcd.__file__).parents[1], *(also.resolve() for also in chosen.also)]
    told = [f"Python {platform.python_version()}, 1,000 rows without ties; ratios to {REFERENCE}"]
    starts = warm(sources, chosen.rounds)
    for source, best in zip(sources, starts, strict=True):
        told += ["", *lines(source, cold(source, chosen.cold_rounds), best)]
    print("\n".join(told))
    if chosen.out is not None:
        chosen.out.write_text("\n".join(told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
