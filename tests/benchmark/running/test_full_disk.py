"""A disk that is full: the message names the file there was no room for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")

# The lock, the journal and small files fit; what is written last does not.
FULL = """
import resource, signal, sys
from pathlib import Path
from bqcd.benchmark import Results, ResultsFolder
from bqcd.benchmark.running.contenders import contenders
from bqcd.benchmark.running.folder import RunSettings
from bqcd.benchmark.running.journal import Outcome, Segment
from bqcd.benchmark.running.pack import write_pack
from bqcd.benchmark.results import table_of
from bqcd.benchmark.running.tasks import TaskKey
from tests.benchmark.running.small_sets import small_set

folder, pairs = Path(sys.argv[1]), small_set(count=50)
outcomes = [Outcome(TaskKey("a", str(n), "b", "{}", 0), n / 7, n / 3, "done") for n in range(99)]
results = Results(table_of((one, 1, 1.0) for one in outcomes))

def journal():
    segment = Segment(folder)
    for one in outcomes:
        segment.append(one)

def plan():
    settings = RunSettings("1", 0)
    ResultsFolder(folder).agree(contenders(["coin"]), [pairs], repeats=1, settings=settings)

tasks = {
    "000001.jsonl": journal,
    "plan.json": plan,
    "pairs.bin": lambda: write_pack(folder / "pairs.bin", (item.pair for item in pairs)),
    "results.csv": lambda: results.save(folder / "results.csv"),
    "results.jsonl": lambda: results.save(folder / "results.jsonl"),
    "results.parquet": lambda: results.save(folder / "results.parquet"),
}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for name, task in tasks.items():
    try:
        task()
    except OSError as error:
        print(name, error.filename, error.strerror, sep="|")
"""


def test_the_file_there_is_no_room_for_is_named_and_no_table_is_cut(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    told = [line.split("|") for line in done.stdout.splitlines()]
    names = ["000001.jsonl", "plan.json", "pairs.bin"]
    names += [f"results.{suffix}" for suffix in ("csv", "jsonl", "parquet")]
    assert told == [[name, str(tmp_path / name), "File too large"] for name in names]
    # The journal keeps what went in, the scratch folder is removed as a whole.
    assert {path.name for path in tmp_path.iterdir()} == {"000001.jsonl", "pairs.bin"}
