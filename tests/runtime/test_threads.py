"""Linear algebra on one thread: inside and nowhere else, and the same answers for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

INSIDE = """
from concurrent.futures import ThreadPoolExecutor
from threading import Event
import scipy.linalg
from threadpoolctl import ThreadpoolController
from bqcd.runtime.threads import one_blas_thread

blas = ThreadpoolController().select(user_api="blas")

def threads():
    return sorted({library["num_threads"] for library in blas.info()})

print("before", threads())
with one_blas_thread():
    print("inside", threads())
    with one_blas_thread():
        print("further inside", threads())
    print("back inside", threads())
print("outside", threads())
try:
    with one_blas_thread():
        raise ZeroDivisionError
except ZeroDivisionError:
    print("after a failure", threads())

entered, leave = Event(), Event()

@one_blas_thread()
def first():
    entered.set()
    leave.wait(10)
    return threads()

@one_blas_thread()
def second():
    return threads()

with ThreadPoolExecutor(2) as pool:
    one = pool.submit(first)
    entered.wait(10)
    other = pool.submit(second)
    leave.set()
    print("first", one.result())
    print("second", other.result())
print("after both", threads())
"""

ANSWERS = """
import numpy as np, bqcd
rng = np.random.default_rng(0)
x = rng.uniform(-2.0, 2.0, 500)
y = np.tanh(x) + 0.3 * rng.normal(size=500)
for name, settings in {
    "panel": {}, "gplvm": {}, "kcdc": {}, "gran": {}, "gpi": {"max_rows": 100, "max_steps": 20}
}.items():
    print(name, bqcd.decide(x, y, method=name, **settings).confidence.hex())
"""


def told(script: str, threads: int) -> list[str]:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | dict.fromkeys(names, str(threads)),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_one_thread_inside_and_as_many_as_before_outside():
    lines = dict(line.rsplit(" ", 1) for line in told(INSIDE, 2))
    if lines["before"] != "[2]":
        pytest.skip("linear algebra has one thread here, whatever is asked for")
    outside = {"before", "outside", "after a failure", "after both"}
    assert lines == {name: "[2]" if name in outside else "[1]" for name in lines}
    assert len(lines) == 9


def test_answers_do_not_depend_on_the_number_of_threads():
    answers = told(ANSWERS, 1)
    assert answers == told(ANSWERS, 2)
    assert len(answers) == 5
