from __future__ import annotations

import shlex

import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.cli.report import _size
from tests.show.reports.tables import SCRIPT, columns


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv.write_csv(pa.table(columns()), "cells.csv")
    return tmp_path


def run(*arguments: object, stdin: bytes | None = None):
    return CliRunner().invoke(app, ["report", *map(str, arguments)], input=stdin)


def test_a_page_is_written_with_one_line_of_answer_and_its_size(folder):
    result = run("cells.csv", "dose", 1, "-o", "page.html", "--replicates", 20)
    assert result.exit_code == 0, result.output
    answer, written = result.stdout.splitlines()
    assert answer.startswith(f"'dose' looks like the cause of '{SCRIPT}' (panel, confidence +0.")
    size = (folder / "page.html").stat().st_size
    assert written == f"Written: page.html ({size / 1e3:.0f} kB)"
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert SCRIPT not in page


def test_the_command_in_the_foot_makes_the_same_page(folder):
    (folder / "some pairs.csv").write_text(f'x,y\ndose,other\n"{SCRIPT}",dose\n')
    asked = ["--pairs", "some pairs.csv", "--replicates", 10, "--seed", 2, "--set", "n_levels=5"]
    asked += ["--method", "bqcd"]
    assert run("cells.csv", *asked, "-o", "page.html", "-q").stdout == ""
    report = bqcd.report(
        "cells.csv", "some pairs.csv", replicates=10, seed=2, n_levels=5, method="bqcd"
    )
    program, command, *words = shlex.split(report.colophon.command)
    assert (program, command) == ("bqcd", "report")
    assert run(*words).exit_code == 0
    pages = [(folder / name).read_bytes() for name in ("page.html", "report.html")]
    assert pages[0] == pages[1] == report.to_html().encode()


def test_a_table_from_standard_input_and_a_graph_are_reported(folder):
    (folder / "graph.dot").write_text('graph { dose -- "=cmd()"; dose -- other }')
    text = (folder / "cells.csv").read_bytes()
    asked = ("--graph", "graph.dot", "--method", "bqcd", "--replicates", 0)
    result = run("-", *asked, "-o", "page.html", stdin=text)
    assert result.exit_code == 0, result.output
    # Nothing but chance links these columns.
    assert "0 of 2 edges have a direction. 2 are left open, not sure enough." in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dose",), "A pair is two columns, got 'dose' alone."),
        (("dose", "nothing"), "has no column 'nothing'"),
        (("dose", "other", "--pairs", "p.csv"), "--pairs goes without columns"),
        (("dose", "other", "-o", "page.txt"), "suffix of a report must be one of '.html'"),
        (("dose", "other", "--set", "details=3"), "which 'details' is not"),
        (
            (
                "--columns",
                "nothing*",
            ),
            "No column matches 'nothing*'",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two_and_writes_nothing(folder, arguments, message):
    result = run("cells.csv", "-o", "page.html", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert [path.name for path in folder.iterdir()] == ["cells.csv"]


def test_a_report_that_is_stopped_says_so_and_writes_nothing(folder, monkeypatch):
    def stopped(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("bqcd.show.reports.job.assess_pair", stopped)
    result = run("cells.csv", "-o", "page.html")
    assert result.exit_code == 130
    assert result.stderr.startswith("bqcd: stopped; nothing is written")
    assert not (folder / "page.html").exists()


@pytest.mark.parametrize(
    ("n_bytes", "words"), [(740, "1 kB"), (999_999, "1000 kB"), (1_000_000, "1.0 MB")]
)
def test_sizes_are_told_in_megabytes_from_the_first_on(n_bytes, words) -> None:
    assert _size(n_bytes) == words
