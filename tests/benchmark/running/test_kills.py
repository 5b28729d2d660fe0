"""A run that is killed at any step on the disk and run again ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bqcd.benchmark import run_benchmark
from tests.benchmark.running.killed_runs import PAIRS
from tests.benchmark.running.odd_methods import Kept

pytestmark = [
    pytest.mark.xdist_group("kill"),
    pytest.mark.skipif(sys.platform != "linux", reason="copies of processes"),
]


@pytest.mark.parametrize("run", ["first", "second"])
def test_killed_at_any_step_by_any_clock_it_ends_as_a_whole_run_does(tmp_path, run):
    """The second run tries a failed task again; clocks are set back by an hour before each."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmark.running.killed_runs", tmp_path, run],
        cwd=Path(__file__).parents[3],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    steps, table, is_kept, names, strangers, others = json.loads(done.stdout)
    # Plan, lock, journal, four outcomes or two, and the table, each with its fsync or replace.
    assert steps >= 15
    methods = ["coin", ("kept", Kept("", str(tmp_path / "obstacle"), "/2"))]
    assert table == run_benchmark(methods, PAIRS).table.drop_columns(["seconds"]).to_pylist()
    assert {row["status"] for row in table} == {"done"}
    assert is_kept
    assert names == ["journal", "lock", "plan.json", "results.jsonl", "workers.log"]
    assert strangers == []
    assert others == []
