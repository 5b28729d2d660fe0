"""Killed before any step on the disk: the next scan has its own numbers, or is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bqcd.scans.scanning import scan
from tests.scans.test_scanning import Guessing, Interrupting, small_table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and forks")

ROOT = Path(__file__).parents[2]

# A process of its own, without threads, that forks at little cost. Python announces whatever
# changes files before it happens; only fsync has to be watched by hand.
SCRIPT = """
import json, os, shutil, signal, sys
from pathlib import Path
import numpy as np
import bqcd.scans.folder
from bqcd.errors import InvalidResultsError
from bqcd.scans.scanning import scan
from tests.scans.test_scanning import Guessing

HOME, STORY = Path(sys.argv[1]), sys.argv[2]
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
left, passed = None, []

def step(event, arguments):
    global left
    changes = event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "fsync")
    if left is not None and (changes or (event == "open" and arguments[2] & WRITING)):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        passed.append(Path(arguments[1]).name if event == "os.rename" else event)

sys.addaudithook(step)
fsync = os.fsync
os.fsync = lambda file: (step("fsync", ()), fsync(file))

def table(seed):
    return dict(zip("abcd", np.random.default_rng(seed).normal(size=(4, 40)), strict=True))

A, B = table(1), table(2)

def run(table, out, **how):
    return scan(table, method=Guessing(), out=out, **how)

def killed(steps, act):
    global left
    child = os.fork()
    if not child:
        left = steps
        act()
        left = None
        (HOME / "passed").write_text(json.dumps(passed))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

def after_one_tile(progress):
    if progress.stage == "pairs" and progress.done > progress.before:
        os.kill(os.getpid(), signal.SIGKILL)

def told(table, out):
    try:
        found = run(table, out).table
    except InvalidResultsError:
        return "refused"
    same = [name for name, one in WHOLE.items() if one.equals(found)]
    return same[0] if same else "neither"

WHOLE = {"A": run(A, None).table, "B": run(B, None).table}
assert not WHOLE["A"].equals(WHOLE["B"])
begun = HOME / "begun"
if STORY != "first":
    assert killed(None, lambda: run(A, begun, progress=after_one_tile))
    assert (begun / "work" / "columns.data").exists()
    assert len(list(begun.glob("tiles/*.parquet"))) == 1
answers = []
for steps in range(1000):
    out = HOME / f"{STORY}-{steps}"
    if STORY != "first":
        shutil.copytree(begun, out)
    alive = not killed(steps, lambda: run(B, out, fresh=STORY == "fresh"))
    out.mkdir(exist_ok=True)
    shutil.copytree(out, f"{out}-A")
    answers.append({"A": told(A, f"{out}-A"), "B": told(B, out)})
    if alive:
        break
print(json.dumps([answers, json.loads((HOME / "passed").read_text())]))
"""

# What a scan of one block against another and itself writes, whole or not at all.
WRITTEN = ["manifest.json", "columns.data", "columns.json"]
WRITTEN += [f"00000{number}.parquet" for number in range(3)]


def answers(tmp_path, story: str) -> list[dict[str, str]]:
    """What scans of either table say, after one of B was killed before each of its steps.

    The last one was not killed: it had taken all steps.
    """
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), story],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told, steps = json.loads(done.stdout)
    assert len(told) == len(steps) + 1
    assert [step for step in steps if "." in step and not step.startswith("os.")] == WRITTEN
    return told


def test_a_fresh_start_killed_before_any_step_leaves_no_number_of_the_other_table(tmp_path):
    told = answers(tmp_path, "fresh")
    assert {after["B"] for after in told} == {"refused", "B"}
    assert {after["A"] for after in told} == {"refused", "A"}
    # Once the new scan has a manifest, and not before, it is the one that goes on.
    first = [after["B"] for after in told].index("B")
    assert {after["B"] for after in told[first:]} == {"B"}
    assert told[-1] == {"A": "refused", "B": "B"}


def test_a_scan_killed_before_any_step_of_storing_and_judging_goes_on_as_if_it_had_not(tmp_path):
    told = answers(tmp_path, "first")
    assert {after["B"] for after in told} == {"B"}
    assert {after["A"] for after in told} == {"refused", "A"}


def test_a_scan_whose_manifest_was_removed_by_hand_is_no_part_of_the_next(tmp_path):
    table = small_table()
    other = {name: column[::-1].copy() for name, column in table.items()}
    other["v0"] = table["v0"]
    with pytest.raises(KeyboardInterrupt):
        scan(table, method=Guessing(), out=tmp_path / "scan", progress=Interrupting(1))
    (tmp_path / "scan" / "manifest.json").unlink()
    found = scan(other, method=Guessing(), out=tmp_path / "scan")
    assert found.table.equals(scan(other, method=Guessing()).table)
