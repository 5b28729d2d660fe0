"""Kernels: cached where a folder can be written, compiled in memory where none can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numba.core import event

from bqcd.discovery.ranking_kernels import fill_normal_scores
from bqcd.discovery.ranks import normal_scores, stable_order
from bqcd.runtime.kernel import kernel, on_slow_compilation

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("kernels")

# Runs one kernel of the package and tells what compiling it took.
ONE_KERNEL = """
import json, sys
from numba.core import event
from bqcd.runtime.kernel import on_slow_compilation

told = []
with event.install_recorder("numba:compile") as record:
    with on_slow_compilation(lambda: told.append("slow"), seconds=0.0):
        import numpy as np
        from bqcd.discovery.ranking_kernels import fill_normal_scores
        grid = np.empty(20)
        fill_normal_scores(grid)
        import threading
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join(60)
from bqcd.runtime.kernel_cache import kept_in
print(json.dumps({
    "grid": grid.tolist(), "compiled": len(record.buffer), "told": len(told),
    "has_folder": kept_in() is not None,
}))
"""


def run(script: str, **environment: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def files_in(folder: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def defined_without_a_file(source: str, name: str):
    """Function that no file holds."""
    module = ModuleType("typed_in")
    exec(compile(source, "<typed in>", "exec"), module.__dict__)
    return vars(module)[name]


TWICE = "def twice(values):\n    return 2.0 * values\n"


def wait_for_timers() -> None:
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(60)


def test_a_kernel_that_no_file_holds_is_compiled_all_the_same():
    values = np.array([1.0, -2.5])
    for _ in range(2):
        assert kernel(defined_without_a_file(TWICE, "twice"))(values).tolist() == [2.0, -5.0]


def test_without_a_cache_folder_the_kernels_of_the_package_give_the_same_numbers(tmp_path):
    file = tmp_path / "no folder"
    file.touch()
    alone = run(ONE_KERNEL, BQCD_KERNELS=str(file / "kernels"))
    assert not alone["has_folder"]
    assert alone["compiled"] > 0
    assert alone["grid"] == normal_scores(20).tolist()


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory) -> tuple[dict, dict, dict, dict]:
    folder = tmp_path_factory.mktemp("kernels")
    first = run(ONE_KERNEL, BQCD_KERNELS=str(folder))
    after_first = files_in(folder)
    second = run(ONE_KERNEL, BQCD_KERNELS=str(folder))
    return first, after_first, second, files_in(folder)


def test_a_second_process_compiles_nothing_and_writes_nothing(two_runs):
    first, after_first, second, after_second = two_runs
    assert first["compiled"] > 0
    assert any(name.endswith(".nbc") for name in after_first)
    assert second["compiled"] == 0
    assert after_second == after_first
    assert second["grid"] == first["grid"] == normal_scores(20).tolist()


def test_a_first_compilation_is_told_once_and_a_cached_kernel_never(two_runs):
    first, _, second, _ = two_runs
    assert first["told"] == 1
    assert second["told"] == 0


def test_kernels_let_other_threads_run():
    assert fill_normal_scores.targetoptions["nogil"] is True


def test_arithmetic_is_as_written():
    assert not fill_normal_scores.targetoptions.get("fastmath")
    # In the vector part of the loop and in what is left over, equal values get equal keys.
    values = np.tile(np.random.default_rng(0).normal(size=7), 43)
    order, repeats = stable_order(values)
    assert repeats == len(values) - 7
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))


def test_compiling_beyond_the_limit_is_told_exactly_once():
    told, heard = [], threading.Event()

    def tell() -> None:
        told.append("slow")
        heard.set()

    with on_slow_compilation(tell, seconds=0.0):
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            assert heard.wait(60)
        with event.trigger_event("numba:compile"):
            wait_for_timers()
    assert told == ["slow"]


def test_a_real_compilation_counts(tmp_path, monkeypatch):
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path))
    told = []
    compiled = kernel(defined_without_a_file(TWICE, "twice"))
    with on_slow_compilation(lambda: told.append("slow"), seconds=0.0):
        compiled(np.ones(3))
        wait_for_timers()
        compiled(np.ones(4))
    assert told == ["slow"]


def test_compiling_within_the_limit_is_not_told():
    told = []
    with (
        on_slow_compilation(lambda: told.append("slow"), seconds=3600.0),
        event.trigger_event("numba:compile"),
    ):
        pass
    wait_for_timers()
    assert told == []


def test_nothing_is_told_when_nothing_is_compiled():
    told = []
    fill_normal_scores(np.empty(5))
    with on_slow_compilation(lambda: told.append("slow"), seconds=0.0):
        fill_normal_scores(np.empty(6))
    wait_for_timers()
    assert told == []


def test_the_watch_ends_with_the_block_even_after_an_error():
    told = []
    with (
        pytest.raises(ZeroDivisionError),
        on_slow_compilation(lambda: told.append("slow"), seconds=0.0),
    ):
        raise ZeroDivisionError
    with event.trigger_event("numba:compile"):
        wait_for_timers()
    assert told == []
