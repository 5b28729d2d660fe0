"""A pool: time limits, deaths, news and an end from another thread."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from bqcd.errors import WorkerError
from bqcd.runtime.pool import AtWork, Loss, Order, Pool, unwatched
from tests.benchmark.running.odd_methods import HOURS, holds_the_interpreter
from tests.waiting import soon

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.skipif(sys.platform != "linux", reason="fork servers"),
]

LIMIT = 0.5
HANGING: dict[str, Callable[[], object]] = {
    "sleeps": lambda: time.sleep(HOURS),
    "holds the interpreter": lambda: holds_the_interpreter(None),  # type: ignore[arg-type]
}


def limited(does: str, at_work: AtWork) -> Callable[[int], int]:
    """A worker that hangs on task 3, in its second stage, and has told its number."""
    at_work.tell(os.getpid())

    def answered(number: int) -> int:
        for stage in range(2):
            at_work.on(number, stage=stage, seconds=LIMIT)
            if number == 3 and stage == 1:
                HANGING[does]()
        at_work.off()
        return number

    return answered


@pytest.mark.parametrize("does", HANGING)
def test_a_task_that_takes_too_long_is_killed_and_its_worker_replaced(does):
    losses: list[Loss] = []
    told: list[int] = []
    pool = Pool(
        partial(limited, does),
        [Order(f"task {number}", number) for number in range(8)],
        workers=1,
        lost=lambda loss: losses.append(loss) or [],
        heard=told.append,
    )
    assert [answer for _, answer in pool.results()] == [0, 1, 2, 4, 5, 6, 7]
    (loss,) = losses
    assert (loss.order.name, loss.place, loss.stage, loss.late) == ("task 3", 3, 1, True)
    assert loss.ending == "signal 9 (SIGKILL)"
    assert LIMIT < loss.seconds < LIMIT + 5.0
    assert loss.news == told[0]
    assert len(set(told)) == 2
    assert active_children() == []


def test_what_comes_in_place_of_a_lost_order_is_done_first():
    pool = Pool(
        partial(limited, "sleeps"),
        [Order("", number) for number in (3, 4, 5)],
        workers=1,
        lost=lambda loss: [Order("", 30), Order("", 31)],
    )
    answers = [answer for _, answer in pool.results()]
    assert answers == [30, 31, 4, 5]


class Line:
    def close(self) -> None:
        pass


class Gone:
    """A process that is gone."""

    exitcode = -9

    def join(self, timeout: float | None = None) -> None:
        pass

    kill = join


def test_a_task_begun_after_another_was_found_late_is_not_late():
    from bqcd.runtime.pool.workers import _Worker

    orders, losses = [Order("both", None), Order("next", None)], []
    pool = Pool(unwatched(abs), [], workers=1, lost=lambda loss: losses.append(loss) or [])
    found, begun = time.monotonic() - 5.0, time.monotonic()
    for since, place in ((found, 4), (begun, None)):
        worker = _Worker(Gone(), Line(), Line(), [4.0, 1.0, since, since + 1.0], ready=True)
        worker.given.extend(orders)
        pool._workers.append(worker)
        pool._bury(worker, late=found)
        assert losses[-1].place == place
    assert [loss.order.name for loss in losses] == ["both", "both"]
    assert list(pool._next) == [orders[1], orders[1]]


def leaves_without_a_word(number: int) -> None:
    os._exit(number)


def test_a_death_is_told_with_its_exit_code():
    def told(loss: Loss) -> list[Order]:
        raise LookupError(f"{loss.order.name}: {loss.ending}, {loss.place}, {loss.late}")

    pool = Pool(unwatched(leaves_without_a_word), [Order("six", 6)], workers=1, lost=told)
    with pytest.raises(LookupError, match=r"^six: exit code 6, None, False$"):
        list(pool.results())
    assert active_children() == []


def cannot_begin(at_work: AtWork) -> Any:
    raise FileNotFoundError("no desk")


def test_a_worker_that_cannot_begin_says_why():
    pool = Pool(cannot_begin, [Order("", 1)], workers=2)
    with pytest.raises(WorkerError, match="cannot begin: FileNotFoundError: no desk"):
        list(pool.results())
    assert active_children() == []


def touches_and_sleeps(path: Path) -> None:
    path.touch()
    time.sleep(HOURS)


def test_a_pool_can_be_stopped_from_another_thread(tmp_path):
    paths = [tmp_path / "one", tmp_path / "two"]
    orders = [Order("", path) for path in paths]
    pool = Pool(unwatched(touches_and_sleeps), orders, workers=2)
    answers: list[object] = []
    reader = Thread(target=lambda: answers.extend(pool.results()))
    reader.start()
    assert soon(lambda: all(path.exists() for path in paths))
    pool.stop()
    reader.join(30.0)
    assert not reader.is_alive()
    assert answers == []
    assert active_children() == []


def test_a_pool_that_was_stopped_before_it_began_starts_nothing():
    pool = Pool(unwatched(abs), [Order("", 1)], workers=1)
    pool.stop()
    assert list(pool.results()) == []


def forks(number: int) -> tuple[int, int]:
    if os.fork() == 0:
        return -number, os.getpid()
    os.wait()
    return number, os.getpid()


def test_a_copy_that_a_task_has_made_gives_no_answer():
    pool = Pool(unwatched(forks), [Order("", number) for number in (1, 2, 3)], workers=2)
    with closing(pool.results()) as results:
        assert sorted(number for _, (number, _) in results) == [1, 2, 3]
