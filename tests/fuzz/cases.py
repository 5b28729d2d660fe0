"""Seeded cases: each follows from its target and number, and ends in time and in known ways.

``BQCD_FUZZ_CASES`` is the number of cases for each target, ``BQCD_FUZZ_FIRST`` the number of the
first one, and ``BQCD_FUZZ_CASE=TARGET:NUMBER`` runs a single one.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np
import pytest

from bqcd.errors import BqcdError
from bqcd.runtime.seeds import seed_from

CASES = int(os.environ.get("BQCD_FUZZ_CASES", "25"))
FIRST = int(os.environ.get("BQCD_FUZZ_FIRST", "0"))
ONLY = os.environ.get("BQCD_FUZZ_CASE", "")
SECONDS = 60.0
_BLOCK = 500
_SHOWN = 10


class TooSlowError(BaseException):
    """A case did not end; nothing that is fuzzed catches this."""


@dataclass(frozen=True)
class Case:
    """One case: its random numbers, and a folder to itself."""

    target: str
    number: int
    folder: Path

    @cached_property
    def rng(self) -> np.random.Generator:
        """Random numbers that follow from target and number."""
        return np.random.default_rng(seed_from("fuzz", self.target, self.number))

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of the choices."""
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        """Whether something happens that happens so often."""
        return bool(self.rng.random() < share)

    def file(self, suffix: str, content: bytes) -> Path:
        """File with the content; after a crash of the process, its name tells the case."""
        path = self.folder / f"{self.target}-{self.number}{suffix}"
        path.write_bytes(content)
        return path


def every_case(*targets: str, share: float = 1.0) -> Any:
    """Parametrize a test by target and numbers, in blocks that workers can share.

    ``share`` is for costly targets: so much of ``BQCD_FUZZ_CASES``.
    """
    end = FIRST + max(1, round(CASES * share))
    starts = range(FIRST, end, _BLOCK)
    blocks = [(t, range(at, min(end, at + _BLOCK))) for t in targets for at in starts]
    if ONLY:
        target, _, number = ONLY.rpartition(":")
        blocks = [(target, range(int(number), int(number) + 1))] if target in targets else []
    names = [f"{target} {numbers[0]}-{numbers[-1]}" for target, numbers in blocks]
    return pytest.mark.parametrize(("target", "numbers"), blocks, ids=names)


def check_cases(
    target: str, numbers: range, folder: Path, attempt: Callable[[Case], object]
) -> None:
    """Fail with the cases that end in anything but an answer or an error on purpose."""
    wrong = []
    for number in numbers:
        own = folder / str(number)
        own.mkdir()
        try:
            with in_time():
                attempt(Case(target, number, own))
        except BqcdError as error:
            if not str(error).strip() or "\n" in str(error).strip():
                wrong.append((number, error))
        except (Exception, TooSlowError) as error:
            wrong.append((number, error))
        shutil.rmtree(own, ignore_errors=True)
        if len(wrong) == _SHOWN:
            break
    if wrong:
        pytest.fail("\n".join(_told(target, number, error) for number, error in wrong), False)


def _told(target: str, number: int, error: BaseException) -> str:
    frame = extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return (
        f"{type(error).__name__} at {where}: {str(error)[:300]}\n"
        f"    again: BQCD_FUZZ_CASE={target}:{number} pytest tests/fuzz"
    )


@contextmanager
def in_time(seconds: float = SECONDS) -> Iterator[None]:
    """Raise ``TooSlowError`` in what takes longer."""

    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
