"""`bqcd bench` killed at any moment, stopped by the keyboard, watched on a terminal."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bqcd.benchmark import read_results, run_benchmark
from bqcd.benchmark.datasets import load_pairs
from bqcd.benchmark.running.journal import latest, read_journal
from tests.cli.commanding import COMMAND
from tests.cli.test_bench import ODD, ROOT, environment, written_pairs
from tests.waiting import processes_of, soon

pytestmark = [
    pytest.mark.xdist_group("bench"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals, terminals and /proc"),
]


class Bench:
    """Runs of one command in a folder, in a session of their own, with a diary."""

    def __init__(self, folder: Path, method: str, pairs: Path, *, jobs: int = 2) -> None:
        self.out, self.diary = folder / "out", folder / "diary"
        self.diary.touch()
        self.mark = f"bqcd-test-{os.getpid()}-{time.monotonic_ns()}"
        self.command = [COMMAND, "bench", "--methods", method, "--datasets", pairs]
        self.command += ["--out", self.out, "--workers", str(jobs), "--format", "csv"]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=environment(ODD_DIARY=str(self.diary), ODD_MARK=self.mark),
        )

    def asked(self) -> list[str]:
        return self.diary.read_text().split()

    def finished(self) -> set[str]:
        return {key.pair for key in latest(read_journal(self.out / "journal"))}

    def processes(self) -> set[int]:
        return processes_of(self.mark)


def kill(runner: subprocess.Popen[str], bench: Bench, *, how: str) -> None:
    """Kill -9 the runner, its process group, or one after the other all that belongs to it."""
    if how == "group":
        os.killpg(runner.pid, signal.SIGKILL)
    else:
        others = bench.processes() if how == "all" else set()
        runner.kill()
        for process in others - {runner.pid}:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
    runner.communicate()


@pytest.mark.xdist_group("kill")
def test_killed_six_times_at_random_the_table_is_that_of_one_clean_run(tmp_path):
    method, pairs = f"{ODD}:milliseconds=15", written_pairs(tmp_path / "pairs", 200)
    bench = Bench(tmp_path, method, pairs)
    rng = np.random.default_rng(2020)
    finished: set[str] = set()
    for number in range(6):
        before = len(bench.asked())
        runner = bench.start()
        if number % 4 == 0:
            # Any moment, often before the first task has begun.
            time.sleep(rng.uniform(0.0, 1.2))
        else:
            assert soon(lambda before=before: len(bench.asked()) > before)
            time.sleep(rng.uniform(0.0, 0.12))
        assert runner.poll() is None
        kill(runner, bench, how=("runner", "group", "all")[number % 3])
        assert soon(lambda: not bench.processes()), "a process outlived its runner"
        assert not finished & set(bench.asked()[before:]), "a finished task was run again"
        finished = bench.finished()
    assert 0 < len(finished) < 200
    before = len(bench.asked())
    last = bench.start()
    printed, errors = last.communicate(timeout=60)
    assert (last.returncode, errors) == (0, "")
    assert "200 rows in" in printed
    asked = bench.asked()
    assert sorted(asked[before:]) == sorted(
        {item.pair.key for item in load_pairs(pairs)} - finished
    )
    # Begun twice is only what each of two workers had in hand at a kill.
    assert set(asked) == {item.pair.key for item in load_pairs(pairs)}
    assert len(asked) - 200 <= 2 * 6
    clean = run_benchmark([method], [load_pairs(pairs)], workers=2).table
    for table in (read_results(bench.out).table, read_results(bench.out / "results.csv").table):
        assert table.drop_columns(["seconds"]).equals(clean.drop_columns(["seconds"]))
    assert set(clean["status"].to_pylist()) == {"done"}


def test_nothing_outlives_a_killed_runner_even_if_it_holds_the_interpreter(tmp_path):
    hanging = ("holds_the_interpreter", "hangs_in_a_program")
    methods = ",".join(f"{ODD}:does={does}:on=/0001" for does in hanging)
    bench = Bench(tmp_path, methods, written_pairs(tmp_path / "pairs", 1))
    runner = bench.start()
    assert soon(lambda: len(bench.asked()) == 2)
    # Runner, fork server, tracker of resources, two workers, and the program one has started.
    assert soon(lambda: len(bench.processes()) >= 6)
    kill(runner, bench, how="runner")
    assert soon(lambda: not bench.processes())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_or_ended_it_says_so_and_goes_on_later(tmp_path, number):
    pairs = written_pairs(tmp_path / "pairs", 60)
    bench = Bench(tmp_path, f"{ODD}:milliseconds=20", pairs)
    runner = bench.start()
    assert soon(lambda: len(bench.asked()) > 5)
    os.killpg(runner.pid, number)
    printed, errors = runner.communicate(timeout=120)
    assert runner.returncode == 128 + number
    assert printed == ""
    (line,) = errors.splitlines()
    told = re.fullmatch(r"bqcd: stopped with (\d+) tasks to go; the same command goes on\.", line)
    assert told, line
    assert not bench.processes()
    stopped = read_results(bench.out / "results.csv")
    assert len(stopped) == 60 - int(told[1]) > 0
    assert set(stopped.table["status"].to_pylist()) == {"done"}
    again = bench.start()
    assert again.communicate(timeout=120)[1] == ""
    assert again.returncode == 0
    assert len(read_results(bench.out / "results.csv")) == 60
    assert len(bench.asked()) <= 60 + 2


STOPPED_AT = """
import signal, sys

class Keyboard:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            # To this thread: sent to the process, another one may take it, and later.
            signal.raise_signal(signal.SIGINT)

from bqcd.cli import main
sys.meta_path.insert(0, Keyboard())
main()
"""


@pytest.mark.parametrize("module", ["bqcd.cli.commands", "bqcd.benchmark.running.runner"])
def test_stopped_before_it_began_it_says_nothing(tmp_path, module):
    bench = Bench(tmp_path, "coin", written_pairs(tmp_path / "pairs", 6))
    bench.command[:1] = [sys.executable, "-c", STOPPED_AT.format(module=module)]
    runner = bench.start()
    _, errors = runner.communicate(timeout=120)
    assert (runner.returncode, errors) == (130, "")
    assert not bench.out.exists()


def on_terminal(command: list[object], *, width: int, env: dict[str, str]) -> str:
    """What a command shows on a terminal, without its colours and movements."""
    ours, theirs = pty.openpty()
    names = env | {"COLUMNS": str(width), "TERM": "xterm-256color"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=names)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait(30) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


def test_on_a_terminal_every_method_has_a_bar_with_the_time_it_still_needs(tmp_path):
    pairs = written_pairs(tmp_path / "pairs", 40)
    odd = 'odd_methods:Odd:milliseconds=30:does=raises:on="5"'
    bench = Bench(tmp_path, f"coin,{odd}", pairs, jobs=1)
    names = environment(PYTHONPATH=f"{ROOT}:{ROOT / 'tests' / 'benchmark' / 'running'}")
    shown = on_terminal(bench.command, width=80, env=names)
    frames = shown.replace("\r", "\n").splitlines()
    clock = r"\d:\d\d:\d\d"
    for label in ("coin", "odd_methods:Odd"):
        last = [line for line in frames if re.match(rf"{label} ", line)][-1]
        assert re.search(rf"40/40 .* {clock} 0:00:00", last), last
    under_way = [
        line for line in frames if re.search(rf" ([1-9]|[123]\d)/40 .*{clock} {clock}", line)
    ]
    assert under_way
    assert any("4 failed" in line for line in frames)
    assert "Accuracy of forced decisions" in shown
    assert max(len(line.rstrip()) for line in frames if "/40" in line) <= 80
