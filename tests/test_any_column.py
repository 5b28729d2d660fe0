"""What users bring: cases that were refused or misread once, from the file to the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.errors import InvalidTableError
from tests.data.files.awkward import FILES, A, B

BY_NAME = {one.name: one for one in FILES}
EXPECTED = bqcd.decide(A, B).confidence


def told(*words: object) -> Any:
    answer = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.output)


@pytest.mark.parametrize(
    "name",
    ["t.xlsx", "records.json", "lines.jsonl", "t.dta", "t.zip", "t.csv.xz", "t.csv.zst"],
)
def test_a_format_that_was_unknown_is_judged_by_its_path(tmp_path, name):
    path = tmp_path / name
    BY_NAME[name].write(path)
    assert bqcd.decide("a", "b", table=str(path)).confidence == EXPECTED
    assert told("decide", path, "a", "b")["confidence"] == EXPECTED


@pytest.mark.parametrize("suffix", ["sqlite", "duckdb"])
def test_a_table_of_a_database_is_judged_by_its_path(tmp_path, suffix):
    path, rows = tmp_path / f"t.{suffix}", list(zip(A, B, strict=True))
    if suffix == "sqlite":
        import sqlite3 as database
    else:
        database = pytest.importorskip("duckdb", reason="duckdb is not installed")
    connection = database.connect(str(path))
    connection.execute("CREATE TABLE t (a DOUBLE, b DOUBLE)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    assert bqcd.decide("a", "b", table=path).confidence == EXPECTED
    assert told("decide", path, "a", "b", "--query", "SELECT b, a FROM t")["confidence"] == EXPECTED


def test_every_function_takes_a_path_that_a_scan_takes(tmp_path):
    path = tmp_path / "t.csv"
    BY_NAME["comma.csv"].write(path)
    for place in (path, str(path)):
        assert bqcd.decide("a", "b", table=place).confidence == EXPECTED
        graph = bqcd.orient(place, nx.Graph([("a", "b")]), force=True, method="bqcd")
        assert graph.record("a", "b").judgement.confidence == EXPECTED
        assert bqcd.scan(place, pairs=[("a", "b")]).table["confidence"][0].as_py() == EXPECTED


def test_dates_yes_and_no_and_grades_are_judged_by_their_order(tmp_path):
    rng = np.random.default_rng(2)
    steps = rng.permutation(60)
    days = np.datetime64("2021-01-01") + steps
    yes = np.where(steps > 30, "yes", "no")
    grades = np.array(["I", "II", "III"])[steps // 20]
    effect = (steps / 20.0 - 1.0) ** 2 + 0.1 * rng.normal(size=60)
    path = tmp_path / "ward.csv"
    rows = zip(days, yes, grades, effect, strict=True)
    lines = ["day,well,grade,effect", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines))
    for name, numbers in (("day", steps), ("well", steps > 30), ("grade", steps // 20)):
        order = ["--order", "grade=I,II,III"] if name == "grade" else []
        found = told("decide", path, name, "effect", *order)
        assert found["confidence"] == bqcd.decide(numbers, effect).confidence, name


def test_a_number_of_two_readings_is_an_error_and_never_a_number(tmp_path):
    path = tmp_path / "german.csv"
    path.write_text("x;y\n" + "".join(f"1.{983 + at % 17};-0,{68 - at}\n" for at in range(20)))
    with pytest.raises(InvalidTableError, match=r"1\.983 with a decimal point and 1983"):
        bqcd.decide("x", "y", table=path)
    refused = CliRunner().invoke(app, ["decide", str(path), "x", "y"])
    assert refused.exit_code == 2
    read = bqcd.read_table(path, decimal=",", thousands=".")
    assert read["x"][0].as_py() == 1983.0
    assert read["y"][0].as_py() == -0.68


def test_carbon_dioxide_is_judged_by_date(tmp_path):
    datasets = pytest.importorskip("statsmodels.datasets", reason="statsmodels is not installed")
    frame = datasets.co2.load_pandas().data.rename_axis("date")
    path = Path(tmp_path, "co2.csv")
    frame.to_csv(path)
    done = CliRunner().invoke(app, ["decide", str(path), "date", "co2"])
    assert done.exit_code == 2
    assert "Column 'co2' has 59 missing values" in done.output
    done = CliRunner().invoke(app, ["decide", str(path), "date", "co2", "--missing", "drop"])
    assert done.exit_code == 0, done.output
    assert "dates from 1958-03-29 to 2001-12-29" in done.output
    assert "2,225 (59 dropped)" in done.output
    found = bqcd.decide("date", "co2", table=path, missing="drop")
    known = frame["co2"].notna().to_numpy()
    plain = bqcd.decide(np.flatnonzero(known), frame["co2"].to_numpy()[known])
    assert found.confidence == plain.confidence
