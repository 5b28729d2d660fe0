"""Every output is whole or not there, whatever links were planted and however full the disk is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bqcd.benchmark.datasets.benchmarks import RECORD, record_fingerprint
from bqcd.cli.commands import app
from bqcd.graphs.cdt_style import PairwiseModel
from bqcd.scans.result_files import write_matrix
from bqcd.show.sheets import Sheet, write_sheet

resource = pytest.importorskip("resource", reason="limits of POSIX systems")

COLUMNS = [f"c{number:02d}" for number in range(20)]
SHEET = Sheet("Numbers", ("name", "number"), tuple((f"row {at}", at) for at in range(50)))

Writer = Callable[[Path], object]
"""Writes an output to a path."""


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("table")
    # Few rows, so that what a scan keeps in between is smaller than any output of it.
    # All of them go together, so that the graph of a scan has many edges.
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(12, len(COLUMNS))).cumsum(axis=1)
    values = rng.normal(size=(12, 1)) + 0.05 * steps
    path = folder / "t.csv"
    np.savetxt(path, values, delimiter=",", header=",".join(COLUMNS), comments="")
    edges = [f"{a},{b},--" for a, b in pairwise(COLUMNS)]
    (folder / "edges.csv").write_text("from,to,type\n" + "\n".join(edges) + "\n")
    return path


def run(*words: object) -> str:
    """The one line of a command that fails; nothing if it does not."""
    done = CliRunner().invoke(app, list(map(str, words)))
    assert isinstance(done.exception, SystemExit | None), done.exception
    assert done.exit_code in (0, 2)
    told = done.stderr.splitlines()
    assert done.exit_code == 0 or len(told) == 1, told
    return told[0] if done.exit_code else ""


COMMANDS = {
    "decide, png": ("decide TABLE c00 c01 --plot", "p.png"),
    "decide, svg": ("decide TABLE c00 c01 --plot", "p.svg"),
    "decide, pdf": ("decide TABLE c00 c01 --plot", "p.pdf"),
    "assess, png": ("assess TABLE c00 c01 --replicates 10 --plot", "p.png"),
    "orient, png": ("orient TABLE --graph EDGES -o", "p.png"),
    "orient, html": ("orient TABLE --graph EDGES -o", "p.html"),
    "orient, graph": ("orient TABLE --graph EDGES -o", "p.gml"),
    "report": ("report TABLE --columns c0* --details 1 --replicates 0 -q -o", "p.html"),
    "scan, csv": ("scan TABLE -q --save", "p.csv"),
    "scan, tsv": ("scan TABLE -q --save", "p.tsv"),
    "scan, json": ("scan TABLE -q --save", "p.json"),
    "scan, parquet": ("scan TABLE -q --save", "p.parquet"),
    "scan, graph": ("scan TABLE -q --method anm --graph", "p.graphml"),
}


def command(words: str, table: Path, path: Path) -> list[object]:
    places = {"TABLE": table, "EDGES": table.with_name("edges.csv")}
    return [*(places.get(word, word) for word in words.split()), path]


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_full_disk_leaves_the_old_file_and_one_line(kind, table, tmp_path):
    words, name = COMMANDS[kind]
    path = tmp_path / name
    asked = command(words, table, path)
    assert run(*asked) == ""
    size = path.stat().st_size
    path.write_bytes(b"before")
    with room_for(size - 1):
        told = run(*asked)
    assert str(path) in told
    assert "File too large" in told
    assert "None" not in told
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def outputs(table: Path) -> dict[str, tuple[str, Writer]]:
    """Name and writer of an output of each kind."""
    found: dict[str, tuple[str, Writer]] = {
        kind: (name, lambda path, words=words: run(*command(words, table, path)))
        for kind, (words, name) in COMMANDS.items()
    }
    for suffix in (".md", ".tex", ".csv"):
        found[f"sheet, {suffix}"] = (
            f"s{suffix}",
            lambda path: write_sheet(SHEET, path.with_suffix("")),
        )
    for suffix in (".csv", ".npy"):
        matrix = partial(write_matrix, COLUMNS, np.ones((len(COLUMNS), len(COLUMNS))))
        found[f"matrix, {suffix}"] = (f"m{suffix}", lambda path, matrix=matrix: matrix(path))
    x, y = np.random.default_rng(0).normal(size=(2, 60))
    predict = partial(PairwiseModel().predict_dataset, {"A": [x] * 30, "B": [y] * 30})
    found["predictions"] = ("p.csv", lambda path: predict(printout=path))
    record = partial(record_fingerprint, name="LS", fingerprint="f" * 64, address="https://a")
    found["record"] = (RECORD, lambda path: record(path.parent))
    return found


SHEETS = ["sheet, .md", "sheet, .tex", "sheet, .csv"]
KINDS = [*COMMANDS, *SHEETS, "matrix, .csv", "matrix, .npy", "predictions", "record"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_link_is_followed(kind, table, tmp_path):
    name, write = outputs(table)[kind]
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    path = tmp_path / name
    planted = tmp_path / f".{name}.{os.getpid()}"
    planted.symlink_to(precious)
    if kind != "record":  # which is read before it is written
        path.symlink_to(precious)
    write(path)
    assert precious.read_bytes() == b"precious"
    assert path.is_file()
    assert not path.is_symlink()
    assert planted.is_symlink()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in COMMANDS])
def test_a_full_disk_leaves_what_functions_had_written_before(kind, table, tmp_path):
    name, write = outputs(table)[kind]
    path = tmp_path / name
    write(path)
    before = {one: one.read_bytes() for one in tmp_path.iterdir()}
    with room_for(path.stat().st_size - 1), pytest.raises(OSError, match="File too large") as told:
        write(path)
    assert Path(told.value.filename).parent == tmp_path
    assert Path(told.value.filename).name in (name, "s.md", "s.tex")
    assert {one: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_a_full_disk_leaves_no_folder_of_pairs(tmp_path):
    with room_for(1000):
        told = run("datasets", "generate", "LS", "--pairs", 2, "-o", tmp_path / "made")
    assert told == f"bqcd: File too large: '{tmp_path / 'made'}'"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize(
    "words", ["decide TABLE c00 c01", "decide TABLE c00 c01 --json", "methods"]
)
def test_standard_output_that_is_full_ends_in_one_line(words, table):
    asked = [table if word == "TABLE" else word for word in words.split()]
    command = [sys.executable, "-c", "from bqcd.cli import main; main()", *asked]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "bqcd: No space left on device where standard output or a temporary file goes"
    ]
