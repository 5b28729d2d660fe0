"""Where processes may be started, and what Ctrl-C does meanwhile."""

from __future__ import annotations

import signal
import sys
from multiprocessing import active_children, current_process

import numpy as np
import pytest

import bqcd
from bqcd.errors import WorkerError
from bqcd.runtime.pool import ctrl_c_kept_from_new_ones
from bqcd.show.explorer import Explorer
from tests.benchmark.running.small_sets import small_set

X, NOISE = np.random.default_rng(0).normal(size=(2, 200))
TABLE = {"x": X, "y": X**2 + NOISE, "z": NOISE}


@pytest.fixture
def daemonic(monkeypatch):
    monkeypatch.setitem(current_process()._config, "daemon", True)


WITH_WORKERS = {
    "assess": lambda path: bqcd.assess(X, NOISE, method="lingam", replicates=10, workers=2),
    "assess with weights": lambda path: bqcd.assess(
        X, NOISE, weights=1.0 + X**2, replicates=10, workers=2, method="bqcd"
    ),
    "scan": lambda path: bqcd.scan(TABLE, method="lingam", workers=2),
    "report": lambda path: bqcd.report(TABLE, method="lingam", replicates=10, workers=2),
}


@pytest.mark.parametrize("call", WITH_WORKERS.values(), ids=WITH_WORKERS)
def test_a_daemonic_process_is_told_to_work_alone(daemonic, tmp_path, call):
    with pytest.raises(WorkerError, match=r"^2 workers cannot .* daemonic .* Use workers=1 there"):
        call(tmp_path)


def test_a_daemonic_process_that_needs_others_is_told_what_would_do(daemonic, tmp_path):
    with pytest.raises(WorkerError, match=r"daemonic .* Run it in a process with daemon=False"):
        bqcd.run_benchmark(["coin"], [small_set()])
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "\n".join(f"{one},{one * one}" for one in range(30)))
    with pytest.raises(WorkerError, match=r"daemonic .* Explore in a process with daemon=False"):
        Explorer(path)


def test_a_daemonic_process_that_asks_for_no_workers_works_alone(daemonic):
    assert bqcd.assess(X, NOISE, method="lingam", replicates=10).stability.replicates == 10
    assert len(bqcd.scan(TABLE, method="lingam")) == 3
    assert bqcd.report(TABLE, method="lingam", replicates=10, details=1)
    assert active_children() == []


@pytest.fixture
def heeds_ctrl_c():
    """Ctrl-C raises, as it does not in a job that a shell has put into the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_start(done: list[str]) -> None:
    with ctrl_c_kept_from_new_ones():
        # Told to this process, of which another thread may hear it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.raise_signal(signal.SIGINT)
        done.append("the start")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_waits_for_a_start_to_end():
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_start(done)
    assert done == ["the start"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_without_ctrl_c_nothing_is_raised_or_changed():
    with ctrl_c_kept_from_new_ones():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
