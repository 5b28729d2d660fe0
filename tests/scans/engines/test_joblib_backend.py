"""Backends of joblib: those that stream, those that do not, and those others register."""

from __future__ import annotations

import sys
from contextlib import closing
from types import ModuleType

import pytest

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.scans.engines import JoblibEngine
from tests.scans.engines.scripts import interrupted, killed
from tests.scans.stand_ins import Pause, contents, expected, judged, make_tasks

joblib = pytest.importorskip("joblib", reason="joblib is not installed")

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc"),
]


@pytest.mark.parametrize("backend", ["threading", "multiprocessing", "sequential"])
def test_every_backend_gives_the_same(backend, tmp_path):
    engine = JoblibEngine(workers=2, backend=backend)
    assert contents(engine.run(judged, make_tasks(30))) == expected(30)
    assert engine.sees(tmp_path)


def test_workers_of_loky_that_are_killed_cost_nothing_but_time(tmp_path):
    method = Pause(0.005, "dies twice", on=7, diary=str(tmp_path / "diary"))
    engine = JoblibEngine(workers=2)
    assert contents(engine.run(judged, make_tasks(30, method))) == expected(30)


@pytest.mark.slow
def test_a_task_that_ends_every_worker_of_loky_is_among_those_named():
    engine = JoblibEngine(workers=2)
    with pytest.raises(WorkerError, match=r"lost 3 times in a row .*\btile 7\b"):
        list(engine.run(judged, make_tasks(8, Pause(0.0, "dies", on=7))))


@pytest.mark.slow
def test_ctrl_c_ends_the_run_and_leaves_no_process_of_loky(tmp_path):
    said, _ = interrupted(tmp_path, "loky")
    assert said == "interrupted"


def test_ctrl_c_ends_the_run_and_leaves_no_process_of_multiprocessing(tmp_path):
    said, complained = interrupted(tmp_path, "multiprocessing")
    assert said == "interrupted"
    assert "ForkPoolWorker" not in complained, "a worker has answered too"


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_workers_that_have_begun_leave_with_the_process_that_is_killed(tmp_path, backend):
    assert killed(tmp_path, backend)


@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_tasks_are_taken_as_they_are_needed(backend):
    taken = []
    tasks = (taken.append(task.tile.number) or task for task in make_tasks(500, Pause(0.01)))
    with closing(JoblibEngine(workers=2, backend=backend).run(judged, tasks)) as run:
        for count in range(1, 11):
            next(run)
            assert len(taken) <= count + 2 * 3 * 2


def test_what_a_task_raises_is_raised_here():
    for backend in ("threading", "multiprocessing"):
        engine = JoblibEngine(workers=2, backend=backend)
        with pytest.raises(ConnectionResetError, match="not the line of the worker"):
            list(engine.run(judged, make_tasks(20, Pause(0.0, "raises", on=7))))


def test_an_unknown_backend_is_refused():
    with pytest.raises(InvalidSettingError, match="joblib backend 'no-such' cannot be used"):
        list(JoblibEngine(workers=2, backend="no-such").run(judged, make_tasks(1)))


def test_spark_is_registered_as_its_package_asks_for(monkeypatch, tmp_path):
    """A module that registers like joblibspark, with a backend that cannot stream either."""
    from joblib._parallel_backends import ThreadingBackend

    calls = []

    class NoStream(ThreadingBackend):
        supports_return_generator = False

        def submit(self, func, callback=None):
            calls.append(func)
            return super().submit(func, callback)

    package = ModuleType("joblibspark")
    package.register_spark = lambda: joblib.register_parallel_backend("spark", NoStream)
    monkeypatch.setitem(sys.modules, "joblibspark", package)
    engine = JoblibEngine(workers=2, backend="spark")
    assert contents(engine.run(judged, make_tasks(20))) == expected(20)
    assert len(calls) == 20
    assert not engine.sees(tmp_path)
