"""Kernels that call each other: the same numbers and errors as Numba's, from less compiling."""

from __future__ import annotations

import signal
import sys
from types import FrameType, ModuleType

import numba
import numpy as np
import pytest
from numba.core import event

from bqcd.runtime.kernel import kernel

SOURCE = """
from math import exp, sqrt
import numpy as np

@made
def power(x, n):
    result = 1.0
    for _ in range(n):
        result *= x
    return result

@made
def root(x):
    if x < 0.0:
        raise ValueError("negative")
    return sqrt(x)

@made
def filled(values):
    found = np.empty_like(values)
    for i in range(len(values)):
        found[i] = exp(-power(values[i], 2)) + power(values[i], 3) + root(values[i])
    return found

@made
def summed(values, divisor):
    total = 0.0
    for value in filled(values):
        total += value
    return total / divisor

@made
def several(values):
    return values[0], 2.0 * values, values > 0.0

@made
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path))


def made_by(decorator) -> ModuleType:
    module = ModuleType(f"made_by_{decorator.__name__}")
    sys.modules[module.__name__] = module
    vars(module)["made"] = decorator
    exec(SOURCE, vars(module))
    return module


def test_numbers_are_those_of_numba_to_the_bit():
    values = np.random.default_rng(0).uniform(0.0, 3.0, 1001)
    ours, theirs = made_by(kernel), made_by(numba.njit)
    assert np.array_equal(ours.filled(values), theirs.filled(values))
    assert ours.summed(values, 7) == theirs.summed(values, 7)
    # A kernel that was a part can be called, and one that was called can be a part.
    assert ours.power(1.1, 5) == theirs.power(1.1, 5)


def test_errors_come_through_from_parts():
    ours = made_by(kernel)
    with pytest.raises(ValueError, match=r"^negative$"):
        ours.filled(np.array([-1.0]))
    with pytest.raises(ZeroDivisionError):
        ours.summed(np.array([1.0]), 0)


def test_a_kernel_may_call_itself():
    assert made_by(kernel).factorial(10) == 3628800


def test_a_part_is_translated_once_whatever_constants_it_is_called_with():
    ours = made_by(kernel)
    with event.install_recorder("numba:compile") as record:
        ours.summed(np.ones(3), 2)
    started = [one for _, one in record.buffer if one.is_start]
    names = [one.data["dispatcher"].py_func.__name__ for one in started]
    assert [names.count(name) for name in ("summed", "filled", "power", "root")] == [1, 1, 1, 1]
    assert not ours.power.overloads
    assert list(ours.summed.overloads)


class Alarm(KeyboardInterrupt):
    """An interruption of this test's own."""


def sound(number: int, frame: FrameType | None) -> None:
    raise Alarm


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_an_interruption_is_raised_as_it_is_also_while_arrays_are_handed_over():
    several, values = made_by(kernel).several, np.arange(3.0)
    several(values)

    def until_the_alarm(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        for _ in range(10**7):
            several(values)

    before = signal.signal(signal.SIGALRM, sound)
    try:
        # Two of three alarms find Numba asking for the kind of an array.
        for seconds in np.random.default_rng(0).uniform(1e-4, 1e-3, 200):
            with pytest.raises(Alarm) as caught:
                until_the_alarm(float(seconds))
            assert caught.value.__cause__ is caught.value.__context__ is None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_complaint_of_python_without_another_cause_stays_one(monkeypatch):
    summed = made_by(kernel).summed

    def complain(*kinds: object) -> None:
        raise SystemError("nothing behind it")

    monkeypatch.setattr(summed, "_compile_for_args", complain)
    with pytest.raises(SystemError, match=r"^nothing behind it$"):
        summed(np.ones(3), 2)
