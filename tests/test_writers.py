"""Who opens files for writing: every such call in the source, against one list."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import bqcd

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("layers")

SOURCE = Path(bqcd.__file__).parent

STREAM = "into a stream that is written whole"
SCRATCH = "a scratch folder with a random name, for this user only"

# Module and call, and why it need not go through bqcd.runtime.atomic.
ALLOWED = {
    ("benchmark/running/journal.py", "open"): "a journal, which grows line by line, of a new name",
    ("benchmark/running/pack.py", "open"): "arrays for workers, into a scratch folder",
    ("benchmark/running/pack.py", "write_text"): "arrays for workers, into a scratch folder",
    ("benchmark/results.py", "write_csv"): STREAM,
    ("benchmark/results.py", "write_table"): STREAM,
    ("benchmark/running/runner.py", "TemporaryDirectory"): SCRATCH,
    ("benchmark/running/worker.py", "open"): "a log, which grows line by line",
    ("benchmark/datasets/fetching.py", "TemporaryDirectory"): SCRATCH,
    ("benchmark/datasets/fetching.py", "rename"): "whole folders, from a scratch folder",
    ("benchmark/datasets/pairmeta.py", "TemporaryDirectory"): SCRATCH,
    ("benchmark/datasets/pairmeta.py", "rename"): "a whole folder, from a scratch folder",
    ("benchmark/datasets/transfer.py", "open"): "a download, into a scratch folder",
    ("benchmark/datasets/unpacking.py", "extractall"): "a download, into a scratch folder",
    ("data/files/reading.py", "TemporaryDirectory"): SCRATCH,
    ("data/files/reading.py", "open"): "what was compressed, into a scratch folder",
    ("data/files/reading.py", "write_feather"): "a table from elsewhere, into a scratch folder",
    ("data/files/remote.py", "TemporaryDirectory"): SCRATCH,
    ("data/files/remote.py", "open"): "what was fetched, into a scratch folder",
    ("show/explorer/door.py", "mkdtemp"): "a private folder for one file",
    ("runtime/lock.py", "open"): "a lock, which is empty",
    ("show/plots/canvas.py", "savefig"): STREAM,
    ("scans/result_files.py", "CSVWriter"): STREAM,
    ("scans/result_files.py", "write_array"): STREAM,
    ("scans/result_files.py", "write_table"): STREAM,
    ("scans/scanning.py", "TemporaryDirectory"): SCRATCH,
    ("scans/tile_files.py", "write_table"): "into memory",
}

WRITES = {
    "CSVWriter",
    "FileIO",
    "NamedTemporaryFile",
    "ParquetWriter",
    "TemporaryDirectory",
    "TemporaryFile",
    "copyfile",
    "extractall",
    "mkdtemp",
    "mkstemp",
    "output_stream",
    "rename",
    "savefig",
    "savetxt",
    "savez",
    "to_csv",
    "to_parquet",
    "tofile",
    "write_array",
    "write_bytes",
    "write_csv",
    "write_feather",
    "write_table",
    "write_text",
}
OPENERS = {"OSFile", "ZipFile", "fdopen", "memmap", "open", "open_memmap"}
FLAGS = {"O_APPEND", "O_CREAT", "O_RDWR", "O_WRONLY"}


def test_files_are_written_by_one_module_or_for_a_reason():
    assert sorted(writers() - ALLOWED.keys()) == []


def test_the_list_has_nothing_that_is_gone():
    assert sorted(ALLOWED.keys() - writers()) == []


def test_a_page_is_saved_without_the_formats_of_graphs(tmp_path):
    pytest.importorskip("jinja2")
    script = (
        "import sys, numpy as np, bqcd; side = np.arange(40.0); "
        "bqcd.report({'side': side, 'area': side**2}).save(sys.argv[1]); "
        "sys.exit('bqcd.graphs.formats' in sys.modules)"
    )
    page = tmp_path / "page.html"
    assert subprocess.run([sys.executable, "-c", script, str(page)], check=False).returncode == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_calls_that_write_are_told_from_calls_that_read():
    writing = "p.open('wb'); open(p, mode='a'); os.open(p, os.O_RDWR | x); p.replace(q); np.save(p)"
    reading = "p.open(); open(p, 'rb'); os.open(p, os.O_RDONLY); text.replace('a', 'b'); replace(p)"
    calls = [node for node in ast.walk(ast.parse(writing)) if isinstance(node, ast.Call)]
    assert all(map(opens_for_writing, calls))
    calls = [node for node in ast.walk(ast.parse(reading)) if isinstance(node, ast.Call)]
    assert not any(map(opens_for_writing, calls))


@cache
def writers() -> set[tuple[str, str]]:
    return set(written())


def written() -> Iterator[tuple[str, str]]:
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                place != "runtime/atomic.py"
                and isinstance(node, ast.Call)
                and opens_for_writing(node)
            ):
                yield place, called(node)


def called(call: ast.Call) -> str:
    return getattr(call.func, "attr", "") or getattr(call.func, "id", "")


def opens_for_writing(call: ast.Call) -> bool:
    name, owner = called(call), getattr(getattr(call.func, "value", None), "id", "")
    if name in OPENERS:
        given = [*call.args, *(word.value for word in call.keywords)]
        return any(is_mode(one) for argument in given for one in ast.walk(argument))
    if name == "replace":  # that of text takes two, that of records is no method
        is_method = isinstance(call.func, ast.Attribute)
        return owner == "os" or (is_method and len(call.args) == 1 and not call.keywords)
    if name in ("save", "copy", "move"):
        return owner in ("np", "numpy", "shutil")
    return name in WRITES


def is_mode(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in FLAGS
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and len(text) <= 4 and bool(set(text) & set("wax+"))
