"""Commands with workers, killed or stopped by the keyboard: nothing is said, nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.cli.commanding import COMMAND
from tests.cli.test_bench import ODD, environment, written_pairs
from tests.waiting import processes_of, soon

pytestmark = [
    pytest.mark.xdist_group("kill"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc"),
]

COMMANDS = ("assess", "scan", "bench", "report")
LAST_WORDS = (
    "",
    "bqcd: stopped; nothing is kept without --out FOLDER.",
    "bqcd: stopped with 2 tasks to go; the same command goes on.",
    "bqcd: stopped; nothing is written (fewer --details or --replicates 0 take less time).",
)

# Presses Ctrl-C, for all processes as a terminal does, at a certain moment of the first of them.
AT_THE_MOMENT = """
import os, signal, sys

left = {count}

def keyboard(event, arguments):
    global left
    left -= event == {event!r}
    if event == {event!r} and left == 0:
        os.killpg(0, signal.SIGINT)

from bqcd.cli import main
sys.addaudithook(keyboard)
main()
"""


class Running:
    """One of the commands, with two workers and more to do than will ever be done."""

    def __init__(self, folder: Path, command: str, *, program: str = "") -> None:
        self.mark = f"command-{os.getpid()}-{time.monotonic_ns()}-"
        start = [sys.executable, "-c", program] if program else [COMMAND]
        self.process = subprocess.Popen(
            [*start, command, *arguments(folder, command)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(BQCD_TEST=self.mark),
            cwd=folder,
            start_new_session=True,
        )

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        self.process.communicate()

    def processes(self) -> set[int]:
        return processes_of(self.mark)

    def has_workers(self) -> bool:
        """Besides the command: server and tracker of multiprocessing, and two workers."""
        return len(self.processes()) >= 5


def arguments(folder: Path, command: str) -> list[str]:
    if command == "bench":
        pairs = written_pairs(folder / "pairs", 2)
        method = f"{ODD}:milliseconds=10000000"
        return ["--methods", method, "--datasets", str(pairs), "--out", "out", "--workers", "2"]
    values = np.random.default_rng(0).normal(size=(200, 40))
    names = ",".join(f"c{at}" for at in range(40))
    np.savetxt(folder / "t.csv", values, delimiter=",", header=names, comments="")
    if command == "assess":
        return ["t.csv", "c0", "c1", "--method", "lingam", "--replicates", "100000", "-j", "2"]
    more = ["-o", "page.html"] if command == "report" else []
    return ["t.csv", "--method", "gpi", "-j", "2", *more]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_process_outlives_a_command_that_is_killed(tmp_path, command):
    with Running(tmp_path, command) as running:
        assert soon(running.has_workers)
        running.process.kill()
        assert soon(lambda: not running.processes(), seconds=30.0)


def check_quiet(running: Running) -> None:
    _, complaints = running.process.communicate(timeout=120)
    assert running.process.returncode == 130, complaints
    lines = [line for line in complaints.splitlines() if "compiling its numerical" not in line]
    assert "".join(lines) in LAST_WORDS, complaints
    assert soon(lambda: not running.processes(), seconds=30.0)


@pytest.mark.parametrize("count", [1, 30, 300, 700])
def test_ctrl_c_is_quiet_while_libraries_load(tmp_path, count):
    program = AT_THE_MOMENT.format(event="import", count=count)
    with Running(tmp_path, "assess", program=program) as running:
        check_quiet(running)


# The server of processes is about to start; it loads while the first worker is asked for; and
# the second is.
STARTS = [("socket.bind", 1), ("socket.connect", 1), ("socket.sendmsg", 2)]


@pytest.mark.parametrize(("event", "count"), STARTS)
@pytest.mark.parametrize("command", COMMANDS[:3])
def test_ctrl_c_is_quiet_while_workers_start(tmp_path, command, event, count):
    program = AT_THE_MOMENT.format(event=event, count=count)
    with Running(tmp_path, command, program=program) as running:
        check_quiet(running)


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_is_quiet_when_workers_are_at_work(tmp_path, command):
    with Running(tmp_path, command) as running:
        assert soon(running.has_workers)
        os.killpg(running.process.pid, signal.SIGINT)
        check_quiet(running)
