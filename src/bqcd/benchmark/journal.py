"""Outcomes of tasks on disk, one JSON line each, written the moment a task ends.

Every process appends to a file of its own with one system call a line, so nothing that a
process has finished is lost when it is killed, and no two processes write into one line.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from time import monotonic, time_ns
from typing import Literal, NamedTuple

from bqcd.benchmark.tasks import TaskKey
from bqcd.errors import InvalidResultsError

Status = Literal["done", "failed", "timeout"]

# A killed process loses nothing; a machine that loses power at most this many seconds.
_SYNC_SECONDS = 1.0


# Three times as fast as writing the line from scratch: names come again and again.
_quoted = lru_cache(maxsize=1024)(json.dumps)


class Outcome(NamedTuple):
    """How one task ended.

    Parameters
    ----------
    key : TaskKey
        The task.
    confidence : float or None
        What the method said; None if it failed or ran out of time.
    seconds : float
        Time spent in the method, by the clock on the wall.
    status : {"done", "failed", "timeout"}
        How it ended.
    message : str
        Why it failed, in one line; empty if it did not.
    """

    key: TaskKey
    confidence: float | None
    seconds: float
    status: Status
    message: str = ""

    def line(self) -> bytes:
        """The outcome as one JSON object and a line break."""
        key, confidence = self.key, self.confidence
        return (
            f'{{"pairset": {_quoted(key.pairset)}, "pair": {_quoted(key.pair)}, '
            f'"method": {_quoted(key.method)}, "settings": {_quoted(key.settings)}, '
            f'"repeat": {key.repeat}, '
            f'"confidence": {"null" if confidence is None else confidence}, '
            f'"seconds": {self.seconds}, "status": "{self.status}", '
            f'"message": {_quoted(self.message)}}}\n'
        ).encode()


class Segment:
    """The file one process appends its outcomes to."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{time_ns():020d}-{os.getpid()}.jsonl"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
        self._synced = monotonic()

    def append(self, outcome: Outcome) -> None:
        """Write one outcome; when this returns, killing the process cannot undo it."""
        line = outcome.line()
        # A full disk takes a part of the line first, and says so the next time.
        while line:
            line = line[os.write(self._file, line) :]
        now = monotonic()
        if now - self._synced > _SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = now

    def close(self) -> None:
        """Force everything to disk."""
        os.fsync(self._file)
        os.close(self._file)


def read_outcomes(folder: Path) -> dict[TaskKey, Outcome]:
    """Outcomes of all segments; of two for one task the later one counts.

    Raises
    ------
    InvalidResultsError
        If a line other than the last of a segment is no outcome.
    """
    found: dict[TaskKey, Outcome] = {}
    for path in sorted(folder.glob("*.jsonl")):
        found |= read_segment(path)
    return found


def read_segment(path: Path) -> dict[TaskKey, Outcome]:
    """Outcomes of one segment by task; a last line that was cut short is left out."""
    lines = path.read_bytes().split(b"\n")[:-1]
    try:
        # All lines at once take a third of the time.
        rows = json.loads(b"[" + b",".join(lines) + b"]")
        found = [Outcome(TaskKey(*_key(row)), *_ending(row)) for row in rows]
        if len(found) != len(lines):
            raise ValueError("lines hang together")
    except (ValueError, KeyError, TypeError):
        found = [_outcome(line, f"Line {at} of {path}") for at, line in enumerate(lines, start=1)]
    return {outcome.key: outcome for outcome in found}


def _outcome(line: bytes, where: str) -> Outcome:
    try:
        row = json.loads(line)
        return Outcome(TaskKey(*_key(row)), *_ending(row))
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidResultsError(
            f"{where} is not an outcome of a benchmark: {line[:80]!r}."
        ) from error


_key = itemgetter(*TaskKey._fields)
_ending = itemgetter(*Outcome._fields[1:])
