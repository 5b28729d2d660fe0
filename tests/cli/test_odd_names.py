"""Names that a terminal, a spreadsheet or markup would obey: shown as text by every command."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow.csv as arrow_csv
import pytest
from typer.testing import CliRunner

import bqcd
from bqcd.benchmark import Results, read_results
from bqcd.benchmark.results import table_of
from bqcd.benchmark.running.journal import Outcome
from bqcd.benchmark.running.tasks import TaskKey
from bqcd.cli.commands import app
from bqcd.data.files.cells import unguarded

ODD = [
    "\x1b[31mred\x1b[0m\x07",
    "a\rb\nc",
    "\u202egnp.exe\u200b",
    "[red]x[/red]",
    "[/]",
    "=cmd|' /C calc'!A0",
    "-1+1",
    "n" * 3000,
    "\x9b31m\x7f",
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("\x1b[31m\u202e[red]")
    values = np.random.default_rng(0).normal(size=(40, len(ODD))).cumsum(axis=1)
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([ODD, *values.tolist()])
    with (folder / "edges.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["from", "to", "type"], ["[red]x[/red]", "[/]", "--"]])
    return folder / "t.csv"


def run(*words: object) -> str:
    done = CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "80", "TERM": "dumb"})
    assert done.exit_code in (0, 2), done.output
    assert isinstance(done.exception, SystemExit | None), done.exception
    text = done.stdout + done.stderr
    assert [one for one in text if not one.isprintable() and one != "\n"] == []
    return text


@pytest.mark.parametrize("x", range(len(ODD)))
def test_decide_shows_names_as_text_in_80_columns(table, x):
    shown = run("decide", table, x, (x + 1) % len(ODD))
    assert max(map(len, shown.splitlines())) <= 80
    visible = ODD[x].encode("unicode_escape").decode()
    if len(ODD[x]) < 20:
        assert visible.replace("\\\\", "\\") in shown
    told = json.loads(run("decide", table, x, (x + 1) % len(ODD), "--json"))
    assert told["x"] == ODD[x]


def test_every_other_command_shows_names_as_text(table):
    edges = table.with_name("edges.csv")
    assert "[red]x[/red]" in run("assess", table, 3, 0, "--replicates", 10)
    shown = run("scan", table, "--against", "0")
    assert "\\x1b[31mred" in shown
    assert len(shown.splitlines()) < 80
    assert "[/]" in run("orient", table, "--graph", edges)
    assert "[red]x[/red] -> [/]" in run("orient", table, "--graph", edges, "--explain", "--force")
    assert ODD[0] in json.loads(run("scan", table, "--against", "0", "--json"))["top"][0].values()


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "TABLE", 0, ODD[0] + "x"),
        ("decide", "TABLE", 0, 1, "--method", ODD[2]),
        ("decide", "TABLE", 0, 1, "--set", ODD[0]),
        ("decide", "FOLDER", 0, 1),
        ("scan", "TABLE", "--columns", ODD[4] + "*"),
        ("scan", "TABLE", "--save", ODD[0]),
        ("orient", "TABLE", "--graph", "FOLDER"),
        ("methods", ODD[0]),
        ("datasets", "info", ODD[0]),
        ("bench", "--methods", ODD[2], "--datasets", "AN", "--out", "x"),
        ("bench", "report", "FOLDER"),
        ("reproduce", ODD[3]),
    ],
)
def test_an_error_shows_them_too_in_one_line(table, words):
    given = {"TABLE": table, "FOLDER": table.parent}
    shown = run(*(given.get(word, word) for word in words))
    assert shown.startswith("bqcd: ")
    assert len(shown.splitlines()) == 1
    assert len(shown) < 3000


def test_tables_of_a_scan_are_safe_in_spreadsheets_and_exact(table, tmp_path):
    scan = bqcd.scan(table)
    for suffix in (".csv", ".tsv"):
        path = tmp_path / f"pairs{suffix}"
        scan.save(path)
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file, delimiter="," if suffix == ".csv" else "\t")
        x, confidence = head.index("x"), head.index("confidence")
        assert {row[x][0] for row in rows}.isdisjoint("=+-@\t\r")
        assert [unguarded(row[x]) for row in rows] == scan.pairs["x"].to_pylist()
        assert [float(row[confidence]) for row in rows] == scan.pairs["confidence"].to_pylist()
        assert any(row[confidence].startswith("-") for row in rows)
    scan.save_matrix(tmp_path / "matrix.csv")
    with (tmp_path / "matrix.csv").open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert [unguarded(name) for name in head[1:]] == ODD
    assert "'-1+1" in head
    (tmp_path / "chosen.csv").write_text(f"'{ODD[5]},'{ODD[6]}\n")
    assert len(bqcd.scan(table, pairs=tmp_path / "chosen.csv").pairs) == 1


def test_results_of_a_benchmark_are_safe_in_spreadsheets_and_exact(tmp_path):
    keys = [TaskKey("=set", name, "@method", "{}", 0) for name in ODD]
    outcomes = [(Outcome(key, -0.5, 0.1, "done", "-x"), -1, 1.0) for key in keys]
    results = Results(table_of(outcomes))
    results.save(tmp_path / "results.csv")
    assert read_results(tmp_path / "results.csv").table.equals(results.table)
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    written = arrow_csv.read_csv(tmp_path / "results.csv", parse_options=parse).to_pydict()
    assert set(written["pairset"]) == {"'=set"}
    assert written["confidence"] == [-0.5] * len(ODD)
