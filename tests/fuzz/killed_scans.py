"""Scans of two tables into one folder, killed at random steps on the disk, one after the other.

    python -m tests.fuzz.killed_scans FOLDER FIRST LAST

Prints a line of JSON for each case: how often it was killed, and whose numbers came out at last:
"own", "refused", or what must never be, "other".
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bqcd.errors import InvalidResultsError
from bqcd.runtime.seeds import seed_from
from bqcd.scans.scanning import scan
from tests.scans.test_scanning import Guessing

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "fsync"}

_left: list[int] = []
_fsync = os.fsync


def step(event: str, arguments: Any) -> None:
    """Count a change on the disk that is about to happen, and end before the last one allowed."""
    if _left and (event in CHANGES or (event == "open" and (arguments[2] or 0) & WRITING)):
        _left[0] -= 1
        if _left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def watched_fsync(file: int) -> None:
    """Tell of a call that Python does not announce."""
    step("fsync", ())
    _fsync(file)


def killed(steps: int, act: Callable[[], object]) -> bool:
    """Whether a copy of this process was killed before it had made so many changes."""
    child = os.fork()
    if not child:
        _left.append(steps)
        try:
            act()
        except InvalidResultsError:
            pass
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def run_case(folder: Path, number: int) -> dict[str, object]:
    """Some scans that are killed, and one that is not."""
    rng = np.random.default_rng(seed_from("fuzz", "killed scans", number))
    rows, width = int(rng.integers(10, 60)), int(rng.integers(2, 6))
    grades = int(rng.integers(0, 2))
    tables = [
        {f"c{at}": np.round(column, 0 if grades else 8) for at, column in enumerate(columns)}
        for columns in rng.normal(size=(2, width, rows))
    ]

    def ask(which: int, *, fresh: bool = False) -> Any:
        return scan(
            tables[which], method=Guessing(), out=folder, fresh=fresh, retry=bool(number % 3)
        )

    deaths = 0
    for _ in range(int(rng.integers(1, 5))):
        which, fresh = int(rng.integers(2)), bool(rng.integers(2))
        deaths += killed(int(rng.integers(0, 50)), lambda w=which, f=fresh: ask(w, fresh=f))
    try:
        found = ask(1).table
    except InvalidResultsError:
        return {"killed": deaths, "numbers": "refused"}
    own = scan(tables[1], method=Guessing()).table
    return {"killed": deaths, "numbers": "own" if found.equals(own) else "other"}


def main() -> None:
    """Run the cases asked for."""
    home, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    sys.addaudithook(step)
    os.fsync = watched_fsync
    for number in range(first, last + 1):
        folder = home / str(number)
        told = run_case(folder, number) | {"case": number}
        sys.stdout.write(json.dumps(told) + "\n")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
