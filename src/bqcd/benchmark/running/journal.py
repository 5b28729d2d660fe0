"""Outcomes of tasks on disk, one JSON line each, written the moment a task ends.

Every process appends to a file of its own with one system call a line, so nothing that a
process has finished is lost when it is killed, and no two processes write into one line.
Files are numbered, so that the order of runs does not rest on a clock; every line ends with a
checksum of what is before it, so that a damaged one is found and counts as never written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple
from zlib import crc32

from bqcd.benchmark.running.tasks import TaskKey

Status = Literal["done", "failed", "timeout", "withdrawn"]
"""How a task ended; withdrawn is an outcome that is about to be replaced."""

# A killed process loses nothing; a machine that loses power at most this many seconds.
_SYNC_SECONDS = 1.0

_LINES_SHOWN = 5

# What a line ends with: the checksum of all that is before.
_STAMP = b', "crc": "%08x"}'
_STAMP_BYTES = len(_STAMP % 0)

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
    status : {"done", "failed", "timeout", "withdrawn"}
        How it ended; a task whose last outcome is withdrawn has none.
    message : str
        Why it failed, in one line; empty if it did not.
    probability : float or None
        Probability of X -> Y that the method claimed; None if it claims none.
    """

    key: TaskKey
    confidence: float | None
    seconds: float
    status: Status
    message: str = ""
    probability: float | None = None

    def line(self) -> bytes:
        """The outcome as one JSON object and a line break."""
        key = self.key
        body = (
            f'{{"pairset": {_quoted(key.pairset)}, "pair": {_quoted(key.pair)}, '
            f'"method": {_quoted(key.method)}, "settings": {_quoted(key.settings)}, '
            f'"repeat": {key.repeat}, '
            f'"confidence": {_number(self.confidence)}, '
            f'"seconds": {self.seconds}, "status": "{self.status}", '
            f'"message": {_quoted(self.message)}, "probability": {_number(self.probability)}'
        ).encode()
        return b"".join((body, _STAMP % crc32(body), b"\n"))


def _number(value: float | None) -> str:
    return "null" if value is None else str(value)


class Segment:
    """The file one process appends its outcomes to, numbered higher than all that are there."""

    def __init__(self, folder: Path) -> None:
        number = max((number for number, _ in _numbered(folder)), default=0)
        file = None
        while file is None:
            number += 1
            file = _opened_alone(folder / f"{number:06d}.jsonl")
        self.path = folder / f"{number:06d}.jsonl"
        self._file = file
        self._synced = monotonic()

    def append(self, outcome: Outcome) -> None:
        """Write one outcome; when this returns, killing the process cannot undo it.

        Raises
        ------
        OSError
            If the disk is full; its ``filename`` is that of the segment.
        """
        line = outcome.line()
        try:
            # A full disk takes a part of the line first, and says so the next time.
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            error.filename = str(self.path)
            raise
        if monotonic() - self._synced > _SYNC_SECONDS:
            self._sync()

    def close(self) -> None:
        """Force everything to disk."""
        try:
            self._sync()
        finally:
            os.close(self._file)

    def _sync(self) -> None:
        _force_to_disk(self._file, self.path)
        self._synced = monotonic()


def sync_segment(path: Path) -> None:
    """Force to disk what another process, which may be gone, has appended to a segment."""
    file = os.open(path, os.O_WRONLY)
    try:
        _force_to_disk(file, path)
    finally:
        os.close(file)


def _force_to_disk(file: int, path: Path) -> None:
    try:
        os.fsync(file)
    except OSError as error:
        error.filename = str(path)
        raise


def _opened_alone(path: Path) -> int | None:
    """A new file to append to; None if another process was quicker."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
    except FileExistsError:
        return None


def _numbered(folder: Path) -> Iterator[tuple[int, Path]]:
    """Segments with their numbers."""
    return ((int(path.stem), path) for path in folder.glob("*.jsonl") if path.stem.isdecimal())


class Found(NamedTuple):
    """What a segment holds.

    Parameters
    ----------
    path : Path
        The file.
    outcomes : dict of TaskKey to Outcome
        By task.
    damaged : tuple of int
        Numbers of the lines, counted from 1, that are no outcome with its checksum.
    """

    path: Path
    outcomes: dict[TaskKey, Outcome]
    damaged: tuple[int, ...] = ()

    def lines(self) -> bytes:
        """The outcomes as they are written."""
        return b"".join(one.line() for one in self.outcomes.values())

    def complaint(self) -> str:
        """Which lines are damaged, in one sentence."""
        shown = ", ".join(f"{number:,}" for number in self.damaged[:_LINES_SHOWN])
        if len(self.damaged) == 1:
            return f"Line {shown} of {self.path} is damaged: it does not match its checksum."
        more = len(self.damaged) - _LINES_SHOWN
        rest = f" and {more:,} more" if more > 0 else ""
        return f"Lines {shown}{rest} of {self.path} are damaged: they do not match their checksums."


def read_journal(folder: Path) -> list[Found]:
    """What the segments hold, in the order in which they were begun."""
    return [read_segment(path) for _, path in sorted(_numbered(folder))]


def latest(journal: Iterable[Found]) -> dict[TaskKey, Outcome]:
    """Outcomes by task: of two for one task the later one counts, unless it is withdrawn."""
    found: dict[TaskKey, Outcome] = {}
    for one in journal:
        found |= one.outcomes
    for key in [key for key, outcome in found.items() if outcome.status == "withdrawn"]:
        del found[key]
    return found


def read_segment(path: Path) -> Found:
    """Outcomes of one segment; a last line that was cut short is left out."""
    lines = path.read_bytes().split(b"\n")[:-1]
    try:
        return Found(path, {one.key: one for one in _outcomes(lines)})
    except _DAMAGE:
        return _read_one_by_one(path, lines)


def _read_one_by_one(path: Path, lines: Sequence[bytes]) -> Found:
    found, damaged = {}, []
    for number, line in enumerate(lines, start=1):
        try:
            found.update({one.key: one for one in _outcomes([line])})
        except _DAMAGE:
            damaged.append(number)
    return Found(path, found, tuple(damaged))


def _outcomes(lines: Sequence[bytes]) -> list[Outcome]:
    """Outcomes of lines; all lines at once take a third of the time."""
    sums = tuple([crc32(line[:-_STAMP_BYTES]) for line in lines])
    if b"".join([line[-_STAMP_BYTES:] for line in lines]) != _STAMP * len(lines) % sums:
        raise ValueError("a line does not match its checksum")
    rows = json.loads(b"[%b]" % b",".join(lines))
    return [Outcome(TaskKey(*_key(row)), *_ending(_BEFORE | row)) for row in rows]


_DAMAGE = (ValueError, KeyError, TypeError)
_key = itemgetter(*TaskKey._fields)
_ending = itemgetter(*Outcome._fields[1:])
# What lines of earlier versions do not have.
_BEFORE = {"probability": None}
