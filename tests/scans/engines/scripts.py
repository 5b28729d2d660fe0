"""A script that runs tasks on an engine, as a user would write it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bqcd.scans.scanning import scan
from tests.waiting import processes_of, soon

ROOT = Path(__file__).parents[3]

SCRIPT = """
import sys
from contextlib import closing
from bqcd.scans.engines import make_engine
from tests.scans.stand_ins import Pause, judged, make_tasks

class Mine(Pause):
    pass

count, seconds, engine = int(sys.argv[1]), float(sys.argv[2]), make_engine(sys.argv[3], workers=2)
with closing(engine.run(judged, make_tasks(count, Mine(seconds, diary=sys.argv[4])))) as run:
    try:
        for rows in run:
            print(rows.number, flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def script(tmp_path, *arguments) -> subprocess.Popen:
    """The script above: no guard around its main part, and a class of its own in the tasks."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, path, *map(str, arguments), tmp_path / "diary"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "BQCD_TEST": mark(tmp_path)},
        start_new_session=True,
    )


def mark(tmp_path: Path) -> str:
    """What all processes of the script in this folder have in their environment."""
    return f"script-in-{tmp_path}-"


def none_left(tmp_path: Path) -> bool:
    """Whether all processes of the script end, with some patience."""
    return soon(lambda: not processes_of(mark(tmp_path)))


def killed(tmp_path: Path, engine: str) -> bool:
    """Whether nothing is left of a script that was killed when both of its workers had begun."""
    process, diary = script(tmp_path, 100_000, 0.01, engine), tmp_path / "diary"
    diary.touch()
    assert soon(lambda: len({line.split()[-1] for line in diary.read_text().splitlines()}) == 2)
    process.kill()
    process.communicate()
    return none_left(tmp_path)


def interrupted(tmp_path: Path, engine: str) -> tuple[str, str]:
    """Last line and complaints of a script that got Ctrl-C at work; nothing is left of it."""
    process = script(tmp_path, 1000, 0.05, engine)
    for _ in range(4):
        line = process.stdout.readline()
        assert line.strip().isdigit(), line + process.stderr.read()
    # What a terminal does: the whole group is told, not only the first process.
    os.killpg(process.pid, signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert process.returncode == 0, complained
    assert none_left(tmp_path)
    return said.splitlines()[-1], complained


def two_scans_of_one_name(tmp_path: Path) -> tuple[Path, Path, dict[str, np.ndarray], Path]:
    """Two folders, a table for the first, and the columns of a scan begun in the second."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    first, second = np.random.default_rng(6).normal(size=(2, 5, 60))
    tables = [dict(zip("abcde", values, strict=True)) for values in (first, second)]

    def stop(progress) -> None:
        if progress.stage == "pairs":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(tables[1], method="igci-u", out=there / "scan", progress=stop)
    return here, there, tables[0], there / "scan" / "work" / "columns.data"
