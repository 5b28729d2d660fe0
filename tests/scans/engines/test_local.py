"""Processes of this machine: what they give back, and what it takes to stop them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing
from multiprocessing import active_children
from threading import Lock

import pytest

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.runtime.pool import workers as pool
from bqcd.scans.engines import LocalEngine
from tests.scans.engines.scripts import ROOT, interrupted, killed, none_left, script
from tests.scans.stand_ins import (
    Pause,
    contents,
    expected,
    judged,
    leaves_at_once,
    make_tasks,
)
from tests.waiting import soon

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc"),
]

TWO = LocalEngine(workers=2)


def test_two_workers_give_what_one_gives_each_tile_once(tmp_path):
    diary = tmp_path / "diary"
    results = list(TWO.run(judged, make_tasks(40, Pause(0.005, diary=str(diary)))))
    assert contents(results) == expected(40)
    assert contents(LocalEngine(workers=1).run(judged, make_tasks(40))) == expected(40)
    pids = {line.split()[1] for line in diary.read_text().splitlines()}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids
    assert active_children() == []


def test_one_worker_is_this_process(tmp_path):
    diary = tmp_path / "diary"
    with closing(LocalEngine(workers=1).run(judged, make_tasks(3, Pause(diary=str(diary))))) as run:
        next(run)
        assert active_children() == []
    assert diary.read_text() == f"0 {os.getpid()}\n"


def test_no_more_processes_than_tasks():
    with closing(LocalEngine(workers=50).run(judged, make_tasks(2, Pause(0.05)))) as run:
        next(run)
        assert len(active_children()) <= 2
        assert len(list(run)) == 1


def test_no_tasks_start_nothing():
    assert list(TWO.run(judged, [])) == []


def test_tasks_are_taken_as_they_are_needed():
    taken = []
    tasks = (taken.append(task.tile.number) or task for task in make_tasks(1000))
    with closing(TWO.run(judged, tasks)) as run:
        for count in range(1, 31):
            next(run)
            # In hand and on the desk of two workers, a look ahead, and what has just come.
            assert len(taken) <= count + 4 + 3 + 4
    assert active_children() == []


def test_the_last_tasks_go_to_whoever_is_free(tmp_path):
    """Two tasks and a slow one before them: the slow worker must not have one on its desk."""
    diary = tmp_path / "diary"
    slow = list(make_tasks(1, Pause(1.0, diary=str(diary))))
    quick = list(make_tasks(2, Pause(diary=str(diary)), start=1))
    list(TWO.run(judged, slow + quick))
    order = [line.split()[0] for line in diary.read_text().splitlines()]
    assert order == ["1", "2", "0"]


def test_tasks_larger_than_a_pipe_do_not_block():
    results = TWO.run(judged, make_tasks(12, values=100_000))
    assert contents(results) == expected(12)


def test_workers_that_are_killed_cost_nothing_but_time(tmp_path):
    """Killed are those that have done a tile, so that none is hit that was put back before."""
    diary, results = tmp_path / "diary", []
    with closing(TWO.run(judged, make_tasks(60, Pause(0.02, diary=str(diary))))) as run:
        for rows in run:
            results.append(rows)
            if len(results) in (5, 20, 35):
                os.kill(int(diary.read_text().splitlines()[-1].split()[1]), signal.SIGKILL)
    assert contents(results) == expected(60)


def test_all_workers_killed_at_once_cost_nothing_but_time():
    results = []
    with closing(TWO.run(judged, make_tasks(20, Pause(0.02)))) as run:
        for rows in run:
            results.append(rows)
            if len(results) == 5:
                for child in active_children():
                    os.kill(child.pid, signal.SIGKILL)
    assert contents(results) == expected(20)


def test_a_task_that_ends_its_worker_twice_is_done_by_the_third(tmp_path):
    method = Pause(0.005, "dies twice", on=7, diary=str(tmp_path / "diary"))
    assert contents(TWO.run(judged, make_tasks(20, method))) == expected(20)


def test_a_task_that_ends_every_worker_is_named_and_nobody_else():
    results = []
    with pytest.raises(WorkerError, match=r"3 worker .* at work on tile 7, .*signal 9 \(SIGKILL"):
        results.extend(TWO.run(judged, make_tasks(20, Pause(0.005, "dies", on=7))))
    assert active_children() == []


@pytest.mark.parametrize(
    ("does", "error", "words"),
    [
        ("raises", ConnectionResetError, "not the line of the worker"),
        ("raises untransportable", WorkerError, "Untransportable in a worker"),
        ("exits", SystemExit, "4"),
    ],
)
def test_what_a_task_raises_is_raised_here_with_its_way(does, error, words):
    with pytest.raises(error, match=words) as caught:
        list(TWO.run(judged, make_tasks(20, Pause(0.005, does, on=7))))
    told = "".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "In a worker process" in told or "in a worker process" in told
    assert "stand_ins.py" in told
    assert active_children() == []


def test_an_error_in_the_tasks_ends_the_workers():
    def tasks():
        yield from make_tasks(10)
        raise LookupError("no more columns")

    with pytest.raises(LookupError, match="no more columns"):
        list(TWO.run(judged, tasks()))
    assert active_children() == []


def test_workers_that_cannot_start_are_no_endless_story(monkeypatch):
    monkeypatch.setattr(pool, "serve", leaves_at_once)
    with pytest.raises(WorkerError, match=r"5 worker processes in a row .* exit code 3"):
        list(TWO.run(judged, make_tasks(4)))
    assert active_children() == []


def test_what_cannot_be_sent_is_refused():
    with pytest.raises(InvalidSettingError, match="must be an object that can be pickled"):
        list(TWO.run(judged, [Lock()]))
    assert active_children() == []


def test_closing_the_run_ends_the_workers_at_once():
    run = TWO.run(judged, make_tasks(10, Pause(20.0, "nothing")))
    quick = TWO.run(judged, make_tasks(10))
    next(quick)
    quick.close()
    run.close()
    assert active_children() == []


def test_a_script_without_a_guard_and_with_its_own_class_runs_once(tmp_path):
    process = script(tmp_path, 6, 0.0, "local")
    said, complained = process.communicate()
    assert sorted(said.split()) == list("012345"), complained
    assert none_left(tmp_path)


def test_ctrl_c_ends_the_run_and_leaves_no_process(tmp_path):
    said, complained = interrupted(tmp_path, "local")
    assert said == "interrupted"
    assert complained == ""


def test_a_run_that_is_left_open_does_not_keep_the_interpreter_from_ending():
    left_open = """
from bqcd.scans.engines import LocalEngine
from tests.scans.stand_ins import Pause, judged, make_tasks
run = LocalEngine(workers=2).run(judged, make_tasks(100, Pause(0.05)))
print(next(run).number in range(4))
"""
    done = subprocess.run(
        [sys.executable, "-c", left_open], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_workers_leave_with_the_process_that_is_killed(tmp_path):
    assert killed(tmp_path, "local")


def test_workers_stay_on_one_thread(monkeypatch):
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]
    for name in names:
        monkeypatch.setenv(name, "2")
    assert list(TWO.run(os.getenv, names)) == ["1"] * 4
    assert [os.environ[name] for name in names] == ["2"] * 4


def test_everything_here_is_seen_by_workers_here(tmp_path):
    assert TWO.sees(tmp_path / "nowhere")


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_a_number_of_workers_is_a_positive_integer(workers):
    with pytest.raises(InvalidSettingError, match="workers of the local engine must be an integer"):
        LocalEngine(workers=workers)


def test_a_busy_consumer_does_not_hold_up_the_workers(tmp_path):
    """While the first result is looked at, both workers go on with what is on their desks."""
    diary = tmp_path / "diary"
    with closing(TWO.run(judged, make_tasks(50, Pause(0.01, diary=str(diary))))) as run:
        next(run)
        assert soon(lambda: len(diary.read_text().splitlines()) >= 4)
