"""Methods that draw their answer, and misbehave on chosen pairs, each in its own way."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

from numpy.random import Generator

from bqcd import Pair, Verdict

HOURS = 10_000.0


@dataclass(frozen=True)
class Odd:
    """A confidence from the generator; on the pairs whose key ends in ``on``, something else.

    Keys of the pairs it was asked about go to the file in the variable ``ODD_DIARY``,
    a line for each warm-up to the file ``warm_ups``.
    """

    does: str = "answer"
    on: str = ""
    milliseconds: float = 0.0
    warm_ups: str = ""

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        if "ODD_DIARY" in os.environ and pair.key != "warm-up":
            write_line(os.environ["ODD_DIARY"], pair.key)
        if self.warm_ups and pair.key == "warm-up":
            write_line(self.warm_ups, pair.key)
        time.sleep(self.milliseconds / 1000.0)
        if self.on and pair.key.endswith(self.on):
            return BEHAVIOURS[self.does](pair)
        return Verdict(float(rng.normal()), pair)


@dataclass(frozen=True)
class Claim:
    """Evidence with a probability."""

    probability: float

    def as_dict(self, pair: Pair) -> dict[str, object]:
        return {"probability": self.probability}


@dataclass(frozen=True)
class Claims:
    """Method that claims the same probability of every pair."""

    probability: float = 0.8

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        return Verdict(2.0 * self.probability - 1.0, pair, Claim(self.probability))


@dataclass(frozen=True)
class Kept:
    """Method that writes down what it was asked, and fails as long as a file is there."""

    diary: str = ""
    obstacle: str = ""
    on: str = ""

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        if self.diary and pair.key != "warm-up":
            write_line(self.diary, pair.key)
        if pair.key.endswith(self.on) and Path(self.obstacle).is_file():
            raise RuntimeError("there is an obstacle")
        return Verdict(float(rng.normal()), pair)


class Untold:
    """Not a dataclass: it does not tell its settings."""

    def __init__(self, shift: float = 0.0) -> None:
        if shift < 0.0:
            raise ValueError("shift must not be negative")
        self.shift = shift

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        return Verdict(self.shift + rng.random(), pair)


def write_line(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"{text}\n".encode())
    os.close(file)


def raises(pair: Pair) -> Verdict:
    raise ValueError('the data, "quoted"\n\tare  not to my taste; 100 % \N{SNOWMAN}')


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even that")


def raises_speechless(pair: Pair) -> Verdict:
    raise Speechless


def raises_at_length(pair: Pair) -> Verdict:
    raise ValueError("x" * 10_000_000)


def raises_gibberish(pair: Pair) -> Verdict:
    raise OSError("\x1b[31mred\x1b[0m \udc80 \x00")


def exits(pair: Pair) -> Verdict:
    sys.exit(3)


def interrupts(pair: Pair) -> Verdict:
    raise KeyboardInterrupt


def exits_at_once(pair: Pair) -> Verdict:
    os._exit(7)


def crashes(pair: Pair) -> Verdict:
    ctypes.string_at(0)
    raise AssertionError("survived")


def hangs(pair: Pair) -> Verdict:
    time.sleep(HOURS)
    raise AssertionError("woke up")


def holds_the_interpreter(pair: Pair) -> Verdict:
    # Backtracking of 2^60 steps in C, which never lets another thread have its turn.
    re.match(r"(a|a)*b", "a" * 60)
    raise AssertionError("came back")


def hangs_cut_off(pair: Pair) -> Verdict:
    os.closerange(3, 256)
    time.sleep(HOURS)
    raise AssertionError("woke up")


def hangs_in_a_program(pair: Pair) -> Verdict:
    runner = parent_process()
    assert runner is not None
    program = f"import time; time.sleep({HOURS})"
    subprocess.run([sys.executable, "-c", program, f"runner-{runner.pid}"], check=True)
    raise AssertionError("woke up")


def copies_itself(pair: Pair) -> Verdict:
    if os.fork() == 0:
        raise RuntimeError("the copy")
    os.wait()
    return Verdict(0.5, pair)


def returns_nan(pair: Pair) -> Verdict:
    return Verdict(float("nan"), pair)


def returns_a_number(pair: Pair) -> Any:
    return 1.0


def prints(pair: Pair) -> Verdict:
    print("a line on standard output")  # noqa: T201
    os.write(2, b"a line on standard error\n")
    return Verdict(0.25, pair)


def cube(number: int) -> int:
    return number**3


def uses_processes(pair: Pair) -> Verdict:
    with get_context("fork").Pool(1) as pool:
        return Verdict(float(pool.map(cube, [2])[0]), pair)


def moves_away(pair: Pair) -> Verdict:
    os.chdir("/")
    return Verdict(0.75, pair)


def fills_the_disk(pair: Pair) -> Verdict:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    return Verdict(1.0, pair)


BEHAVIOURS: Mapping[str, Callable[[Pair], Any]] = {
    behaviour.__name__: behaviour
    for behaviour in (
        raises,
        raises_speechless,
        raises_at_length,
        raises_gibberish,
        exits,
        interrupts,
        exits_at_once,
        crashes,
        hangs,
        holds_the_interpreter,
        hangs_cut_off,
        hangs_in_a_program,
        copies_itself,
        returns_nan,
        returns_a_number,
        prints,
        uses_processes,
        moves_away,
        fills_the_disk,
    )
}
