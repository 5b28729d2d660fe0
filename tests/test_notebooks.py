"""Notebooks: figures, tables and bars show themselves, and those of the documentation run.

The notebooks are run whenever the documentation is built, which CI does; here that is a slow test.
"""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import bqcd
from bqcd.runtime.notebook import NotebookBar, bar_in_notebook
from bqcd.scans.rows import PairRows

DOCS = Path(__file__).parent.parent / "docs"
_SPEC = importlib.util.spec_from_file_location(
    "notebook_pages", DOCS / "_ext" / "notebook_pages.py"
)
pages = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(pages)

NOTEBOOKS = pages.notebooks_in(DOCS / "notebooks")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    noise = rng.normal(size=(3, 200))
    return {"<x>": x, "y": x**2 + 0.3 * noise[0], "z": noise[1], "w": np.exp(x) + noise[2]}


@pytest.fixture(scope="module")
def scan(table) -> bqcd.Scan:
    return bqcd.scan(table)


def named(paths):
    return pytest.mark.parametrize("path", paths, ids=[path.stem for path in paths])


def test_there_are_four_notebooks_and_each_has_a_page(tmp_path):
    assert [path.stem.partition("_")[2] for path in NOTEBOOKS] == [
        "pair", "table", "graph", "benchmark",
    ]  # fmt: skip
    index = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        assert f"made/{path.stem}" in index
        page = pages.page_of(path, tmp_path)
        assert page.startswith("# ")
        assert "```{image}" in page


@named(NOTEBOOKS)
def test_a_notebook_is_stored_as_it_was_run_with_pictures(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [one for one in outputs if one["output_type"] == "error"]
    assert pages.pictures_in(path) >= 1
    assert any("<svg" in "".join(one.get("data", {}).get("text/html", "")) for one in outputs) or (
        path.stem in ("3_graph", "4_benchmark")
    )
    assert "%matplotlib" not in "".join("".join(cell["source"]) for cell in code)


@pytest.mark.slow
def test_the_notebooks_run_and_print_what_is_stored(tmp_path):
    pytest.importorskip("nbclient")
    command = [sys.executable, pages.__file__, str(DOCS / "notebooks"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for path in NOTEBOOKS:
        assert pages.printed_in(tmp_path / path.name) == pages.printed_in(path)


def test_a_figure_shows_itself_without_magic(table, scan):
    verdict = bqcd.decide("<x>", "y", table=table)
    for figure in (verdict.plot(), scan.plot(), pickle.loads(pickle.dumps(verdict.plot()))):
        picture, size = figure._repr_png_()
        assert picture.startswith(PNG)
        assert size["width"] > size["height"] / 2 > 50


def test_the_formatter_of_a_notebook_takes_the_picture(scan):
    formatters = pytest.importorskip("IPython.core.formatters")
    # A shell that has called no magic.
    data, _ = formatters.DisplayFormatter().format(scan.plot())
    assert data["image/png"].startswith(PNG)


def test_what_stands_for_a_verdict_a_scan_or_a_report_has_pictures(table, scan):
    found = bqcd.decide("<x>", "y", table=table)
    report = bqcd.report(table, method="bqcd", replicates=10)
    for record, pictures in ((found, 2), (report, 2), (scan, 1)):
        html = record._repr_html_()
        assert html.count("<svg") >= pictures
        assert "<x>" not in html
        assert "&lt;x&gt;" in html


def test_the_foremost_pairs_read_as_a_table_and_are_one(scan):
    top = scan.top(2)
    first = top.to_pylist()[0]
    text = repr(top)
    assert text.splitlines()[0] == "2 pairs of 6 by confidence"
    assert "cause" in text
    assert first["answer"] in text
    assert (len(top), top.num_rows, top["x"].to_pylist()[0]) == (2, 2, first["x"])
    assert pa.table(top).equals(top.table)
    assert top == scan.top(2)
    assert top != scan.top(1)
    assert pickle.loads(pickle.dumps(top)) == top
    assert isinstance(top, PairRows)
    with pytest.raises(AttributeError):
        _ = top.no_such_thing


class Board:
    """What IPython's display would show."""

    def __init__(self):
        self.shown: list[str] = []

    def HTML(self, text):
        return text

    def display(self, content, *, display_id):
        assert display_id
        self.shown.append(content)
        return self

    def update(self, content):
        self.shown.append(content)


def test_a_bar_appears_only_if_one_waits_and_goes_in_the_end():
    now, board = [0.0], Board()
    bar = NotebookBar(board, clock=lambda: now[0])
    for second, done in ((0.1, 1), (0.5, 2), (0.8, 3), (0.85, 4), (1.2, 5), (1.21, 6)):
        now[0] = second
        bar("details", done, 6)
    assert [text.partition("of")[0].rsplit(None, 1)[-1] for text in board.shown] == ["3", "5", "6"]
    assert 'value="3"' in board.shown[0]
    bar.close()
    assert board.shown[-1] == ""


def test_who_is_not_in_a_notebook_gets_no_bar_and_who_hands_one_in_gets_that():
    told = []
    with bar_in_notebook(None) as nobody:
        nobody("pairs", 1, 2)
    with bar_in_notebook(lambda *now: told.append(now)) as handed:
        handed("pairs", 1, 2)
    assert told == [("pairs", 1, 2)]
