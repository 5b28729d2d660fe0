"""Answers of a few processes in the order of the tasks, as one process gives them."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from multiprocessing import active_children

import pytest

from bqcd.errors import WorkerError
from bqcd.runtime.pool import answers_in_order

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.skipif(sys.platform != "linux", reason="fork servers"),
]


def late_if_even(number: int) -> tuple[int, int]:
    time.sleep(0.0 if number % 2 else 0.02)
    return number, os.getpid()


def leaves_at(number: int) -> int:
    if number == 3:
        os._exit(5)
    return number


def test_answers_keep_the_order_of_the_tasks():
    answers = list(answers_in_order(late_if_even, iter(range(12)), workers=2))
    assert [number for number, _ in answers] == list(range(12))
    assert len({process for _, process in answers} - {os.getpid()}) == 2
    assert active_children() == []


def test_one_worker_is_this_process():
    assert list(answers_in_order(late_if_even, [1], workers=1)) == [(1, os.getpid())]


def test_tasks_are_taken_as_they_are_needed():
    taken = []
    tasks = (taken.append(at) or at for at in range(1000))
    with closing(answers_in_order(late_if_even, tasks, workers=2)) as answers:
        next(answers)
        assert len(taken) < 40
    assert active_children() == []


def test_what_a_script_defines_goes_along():
    answers = answers_in_order(lambda number: number + 1, range(4), workers=2)
    assert list(answers) == [1, 2, 3, 4]


def test_a_task_that_ends_its_workers_is_named():
    with pytest.raises(WorkerError, match=r"3 worker processes .* task 3, .* exit code 5"):
        list(answers_in_order(leaves_at, range(6), workers=2))
    assert active_children() == []
