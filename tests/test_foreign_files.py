"""Files of other people: none of them may run code, wherever they lie."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.benchmark import ResultsFolder
from bqcd.errors import InvalidTableError
from tests.cli.commanding import COMMAND

SOURCE = Path(bqcd.__file__).parent

# What a process wrote for a worker of its own, or for itself, a moment ago.
BETWEEN_OUR_PROCESSES = {
    "benchmark/running/worker.py",
    "methods/check.py",
    "runtime/pool/serving.py",
    "runtime/pool/workers.py",
}
# Machine code, which runs as it is anyway: from the user's own cache folder, sealed.
KERNELS_OF_THE_USER = "runtime/kernel_cache.py"
RUNS_CODE = {"load", "loads", "Unpickler", "read_pickle", "eval", "exec", "compile", "unsafe_load"}
HARMLESS = {"json.loads", "json.load", "tomllib.loads", "tomllib.load", "re.compile"}


def calls(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text if any(f"{word}(" in text for word in RUNS_CODE) else "")
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def test_only_workers_unpickle_and_nothing_evaluates_text():
    found = {
        path.relative_to(SOURCE).as_posix(): risky
        for path in SOURCE.rglob("*.py")
        if (risky := {c for c in calls(path) - HARMLESS if c.split(".")[-1] in RUNS_CODE})
    }
    # Methods of ours and of Numba that are called so take no files; NumPy takes no objects.
    ours = {"cls.load", "np.load", "self.compile", "super().compile", "self._compiler.compile"}
    found = {name: risky - ours for name, risky in found.items() if risky - ours}
    allowed = BETWEEN_OUR_PROCESSES | {KERNELS_OF_THE_USER}
    assert found == {name: {"pickle.loads"} for name in allowed}


def test_no_array_file_may_hold_objects():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("np.load(") == text.count("allow_pickle=False"), path


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_an_array_of_objects_is_refused_unread(tmp_path):
    ran = tmp_path / "ran"
    np.save(tmp_path / "a.npy", np.array([Evil(ran)], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidTableError):
        bqcd.scan(tmp_path / "a.npy")
    assert not ran.exists()


def test_what_lies_in_a_folder_of_results_does_not_reach_workers(tmp_path):
    folder = ResultsFolder(tmp_path)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "pairs.index").write_bytes(pickle.dumps(Evil(tmp_path / "ran")))
    with folder.scratch() as scratch:
        assert list(scratch.iterdir()) == []
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "scratch").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError), folder.scratch():
        pass


def test_modules_in_the_current_folder_are_not_run(tmp_path):
    rows = np.column_stack([np.linspace(0.0, 1.0, 30), np.linspace(0.0, 1.0, 30) ** 3])
    np.savetxt(tmp_path / "t.csv", rows, delimiter=",", header="a,b", comments="")
    for name in ("bqcd", "multiprocessing", "numpy", "random", "socket"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\n")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    subprocess.run(
        [COMMAND, "scan", "t.csv", "--workers", "2", "--quiet"],
        cwd=tmp_path,
        env=kept,
        check=True,
        timeout=120,
    )
    assert not (tmp_path / "ran").exists()
