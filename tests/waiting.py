"""Waiting for what another process does, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def soon(condition: Callable[[], bool], *, seconds: float = 120.0) -> bool:
    """Whether the condition came true; the patience only matters where something hangs."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def processes_of(mark: str) -> set[int]:
    """Living processes that have inherited an environment with this text in it."""
    found = set()
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark.encode() in (path / "environ").read_bytes():
                found.add(int(path.name))
        except OSError:
            continue
    return found


def commands_of(mark: str) -> dict[int, str]:
    """Command lines of those processes."""
    found = {}
    for process in processes_of(mark):
        try:
            found[process] = Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found
