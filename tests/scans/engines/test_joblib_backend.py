"""Clusters registered with joblib: those that stream, those that do not, and those unknown."""

from __future__ import annotations

import sys
from concurrent.futures import BrokenExecutor
from contextlib import closing
from types import ModuleType

import pytest

from bqcd.errors import InvalidSettingError, WorkerError
from bqcd.scans.engines import JoblibEngine
from tests.scans.stand_ins import (
    THREADS,
    Pause,
    contents,
    expected,
    judged,
    make_tasks,
    register_threads,
)

joblib = pytest.importorskip("joblib", reason="joblib is not installed")

pytestmark = pytest.mark.xdist_group("engines")


@pytest.fixture(params=[True, False], ids=["streams", "does not stream"])
def engine(request) -> JoblibEngine:
    """Threads, registered like a cluster."""
    register_threads(streams=request.param)
    return JoblibEngine(workers=2, backend=THREADS)


def test_a_registered_backend_gives_the_same(engine, tmp_path):
    assert contents(engine.run(judged, make_tasks(30))) == expected(30)
    assert not engine.sees(tmp_path)


def test_tasks_are_taken_as_they_are_needed(engine):
    taken = []
    tasks = (taken.append(task.tile.number) or task for task in make_tasks(500, Pause(0.01)))
    with closing(engine.run(judged, tasks)) as run:
        for count in range(1, 11):
            next(run)
            assert len(taken) <= count + 2 * 3 * 2


def test_what_a_task_raises_is_raised_here(engine):
    with pytest.raises(ConnectionResetError, match="not the line of the worker"):
        list(engine.run(judged, make_tasks(20, Pause(0.0, "raises", on=7))))


def loses_its_worker(task: object) -> None:
    raise BrokenExecutor("a machine is gone")


def test_workers_that_are_lost_are_told_of_in_one_line(engine):
    with pytest.raises(WorkerError, match=f"^Workers of '{THREADS}' were lost: a machine is gone$"):
        list(engine.run(loses_its_worker, make_tasks(3)))


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
