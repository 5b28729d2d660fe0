"""A script that starts two workers, and what they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmark.running.odd_methods import HOURS, holds_the_interpreter
from tests.waiting import commands_of, processes_of, soon

ROOT = Path(__file__).parents[3]

SCRIPT = """
import sys
from threading import Thread
from bqcd.runtime.pool import answers_in_order
from tests.runtime.pool import starters

does, *paths = sys.argv[1:]
if does == "while_there_is_a_copy":
    Thread(target=starters.copies_its_process, args=(paths,), daemon=True).start()
list(answers_in_order(getattr(starters, does), paths, workers=2))
"""


class Starter:
    """The script in a session of its own, whose workers write their numbers into a folder."""

    def __init__(self, folder: Path, does: str, **environment: str) -> None:
        self.folder = folder
        self.mark = f"starter-{os.getpid()}-{time.monotonic_ns()}-"
        more = {"PYTHONPATH": str(ROOT), "BQCD_TEST": self.mark, **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, does, folder / "one", folder / "two"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | more,
            start_new_session=True,
        )

    def both_at_work(self) -> bool:
        return all((self.folder / name).exists() for name in ("one", "two"))

    def __enter__(self) -> Starter:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        for process in self.processes():
            os.kill(process, signal.SIGKILL)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def processes(self) -> set[int]:
        return processes_of(self.mark)

    def server(self) -> int:
        """The process that workers are copied from."""
        (found,) = (
            process
            for process, command in commands_of(self.mark).items()
            if "multiprocessing.forkserver" in command
            and Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[1]
            == str(self.process.pid)
        )
        return found


def sleeps(path: str) -> None:
    Path(path).touch()
    time.sleep(HOURS)


def holds(path: str) -> None:
    Path(path).touch()
    holds_the_interpreter(None)  # type: ignore[arg-type]


def starts_a_program(path: str) -> None:
    program = f"import pathlib, time; pathlib.Path({path!r}).touch(); time.sleep({HOURS})"
    subprocess.run([sys.executable, "-c", program], check=True)


def makes_a_copy(path: str) -> None:
    os.fork()
    sleeps(path)


def copies_its_process(paths: list[str]) -> None:
    assert soon(lambda: all(Path(path).exists() for path in paths))
    if os.fork() == 0:
        time.sleep(HOURS)


while_there_is_a_copy = sleeps
