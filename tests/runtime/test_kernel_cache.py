"""Compiled code on disk: found again by what it is, whoever wrote it and wherever it was made."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bqcd.runtime.kernel import at_hand, counted_compilations
from bqcd.runtime.kernel_cache import first_time, kept_in

pytestmark = pytest.mark.xdist_group("kernels")

CALLEE = """
from bqcd.runtime.kernel import kernel

@kernel
def step(x):
    return 2.0 * x
"""
CALLER = """
from bqcd.runtime.kernel import kernel
from callee import step

@kernel
def total(values):
    found = 0.0
    for i in range(len(values)):
        found += step(values[i])
    return found
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Folder of compiled code, empty."""
    # Python takes a file of the same second and length for unchanged.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def loaded(path: Path, name: str, source: str):
    """A module as a process that has just started would load it."""
    path.mkdir(exist_ok=True)
    file = path / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_by(path: Path, callee: str = CALLEE, caller: str = CALLER) -> tuple[float, list[str]]:
    """Answer of the kernel in that place, and the kernels that had to be compiled for it."""
    loaded(path, "callee", callee)
    with counted_compilations() as names:
        answer = loaded(path, "caller", caller).total(np.arange(4.0))
    return answer, names


def test_code_is_found_again_from_another_place(tmp_path, folder):
    assert compiled_by(tmp_path / "here") == (12.0, ["caller.total"])
    assert compiled_by(tmp_path / "there") == (12.0, [])
    assert compiled_by(tmp_path / "here", "# a comment\n" + CALLEE, "\n\n" + CALLER) == (12.0, [])


def test_a_change_in_another_file_is_seen(tmp_path, folder):
    compiled_by(tmp_path)
    assert compiled_by(tmp_path, CALLEE.replace("2.0", "3.0")) == (18.0, ["caller.total"])
    assert compiled_by(tmp_path) == (12.0, [])


@pytest.mark.parametrize("damage", [lambda b: b[:50], lambda b: b[:-9] + bytes(9), lambda b: b""])
def test_a_damaged_file_is_made_anew(tmp_path, folder, damage):
    compiled_by(tmp_path)
    (file,) = folder.rglob("*.nbc")
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert compiled_by(tmp_path) == (12.0, ["caller.total"])
    assert compiled_by(tmp_path) == (12.0, [])


def test_whether_a_call_would_compile_is_known_beforehand(tmp_path, folder):
    values = np.arange(4.0)
    loaded(tmp_path, "callee", CALLEE)
    first = loaded(tmp_path, "caller", CALLER).total
    assert not at_hand(first, values)
    first(values)
    assert at_hand(first, values)
    assert at_hand(loaded(tmp_path, "caller", CALLER).total, values)


def test_without_a_folder_to_write_to_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BQCD_KERNELS", str(tmp_path / "file" / "kernels"))
    assert kept_in() is None
    assert (
        compiled_by(tmp_path / "here")[1] == compiled_by(tmp_path / "here")[1] == ["caller.total"]
    )
    assert first_time("told")
    assert first_time("told")


def test_numbas_folder_serves_where_ours_is_not_named(tmp_path, monkeypatch):
    monkeypatch.delenv("BQCD_KERNELS", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kept_in().parent == tmp_path
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if sys.platform == "linux":
        assert kept_in().is_relative_to(tmp_path / "cache" / "bqcd" / "kernels")


def test_once_is_once_per_folder(folder):
    assert first_time("told")
    assert not first_time("told")
    assert first_time("told of something else")


AT_ONCE = """
import json, numpy as np
from bqcd.runtime.kernel import counted_compilations
from bqcd.discovery.ranking_kernels import fill_normal_scores
grid = np.empty(9)
with counted_compilations() as names:
    fill_normal_scores(grid)
print(json.dumps([grid.tolist(), len(names)]))
"""


def test_processes_may_compile_the_same_at_once(folder):
    command = [sys.executable, "-W", "error", "-c", AT_ONCE]
    three = [subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) for _ in range(3)]
    answers = [json.loads(process.communicate(timeout=300)[0]) for process in three]
    assert len({tuple(grid) for grid, _ in answers}) == 1
    assert len(list(folder.rglob("*.nbc"))) == 1
    assert not list(folder.rglob("*.part"))
    later = subprocess.run(command, capture_output=True, check=True, timeout=300)
    assert json.loads(later.stdout) == [answers[0][0], 0]
