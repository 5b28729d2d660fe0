from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import bqcd
from bqcd.errors import InvalidPairError, InvalidSettingError, InvalidTableError, UnknownNameError
from bqcd.show.reports import report_assessment
from bqcd.show.reports.pairs import assessment_detail, assessment_row
from bqcd.show.reports.points import points_each
from bqcd.show.words.assessments import statement
from tests.show.reports.tables import FORMULA, SCRIPT, columns


@pytest.fixture(scope="module")
def found():
    return bqcd.report(columns(), replicates=20, seed=3, method="bqcd")


def test_every_number_is_that_of_decide_and_assess(found):
    told, table = found.as_dict(), columns()
    assert len(told["pairs"]) == len(told["details"]) == 6
    for row in told["pairs"]:
        x, y = row["x"], row["y"]
        assert row["confidence"] == bqcd.decide(x, y, table=table, seed=3).confidence
        one = bqcd.assess(x, y, table=table, seed=3, replicates=20, method="bqcd")
        assert row["probability"] == one.probability
        assert row["stability"] == one.stability.agreeing
        assert row["p_bound"] == one.p_bound
        detail = told["details"][str(row["id"])]
        assert detail["assessment"]["interval"] == [one.interval.low, one.interval.high]
        assert detail["sentence"] == statement(one)


def test_names_are_told_raw_whatever_they_look_like(found):
    told = found.as_dict()
    names = {row["x"] for row in told["pairs"]} | {row["y"] for row in told["pairs"]}
    assert {SCRIPT, FORMULA} < names
    json.dumps(told, allow_nan=False)


def test_only_so_many_pairs_are_shown_in_detail_the_foremost_ones(found):
    told = bqcd.report(columns(), details=2, replicates=0, seed=3, method="bqcd").as_dict()
    assert list(told["details"]) == ["0", "1"]
    assert [row["detail"] for row in told["pairs"]] == [True] * 2 + [False] * 4
    assert [row["confidence"] for row in told["pairs"]] == [row.confidence for row in found.pairs]
    assert told["details"]["0"]["assessment"] is None
    assert told["details"]["0"]["curves"] is not None
    assert "The first 2 pairs are shown in detail." in told["notes"]


def test_a_file_and_a_frame_say_the_same_but_for_how_they_are_opened(tmp_path):
    table = pa.table(columns())
    paths = tmp_path / "cells.parquet", tmp_path / "cells.csv"
    pq.write_table(table, paths[0])
    csv.write_csv(table, paths[1])
    pairs = [("dose", SCRIPT)]
    told = []
    for source in (*paths, table, pl.LazyFrame(columns())):
        one = bqcd.report(source, pairs, replicates=10, method="bqcd").as_dict()
        assert one["facts"].pop(0)[0] == "table"
        foot = one.pop("colophon")
        assert bool(foot["command"]) is isinstance(source, Path)
        told.append((one, foot["fingerprint"]))
    assert told.count(told[0]) == 4


def test_the_line_of_python_in_the_foot_makes_the_same_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv.write_csv(pa.table(columns()), "cells.csv")
    asked = {"replicates": 10, "columns": ["dose", "o*"], "details": 1, "n_levels": 5}
    whole = bqcd.report("cells.csv", seed=1, missing="drop", **asked, method="bqcd")
    exec(whole.colophon.python, {})
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == whole.to_html()


def test_rows_with_gaps_are_refused_or_left_out_and_told():
    table = columns()
    table["dose"][4] = np.nan
    with pytest.raises(InvalidPairError, match="'dose' has 1 missing value"):
        bqcd.report(table, method="bqcd")
    report = bqcd.report(table, [("dose", "other")], missing="drop", replicates=10, method="bqcd")
    assert report.pairs[0].n_rows == 149
    assert "Left out for missing values: 1 of 150 rows" in " ".join(report.details[0].caveats)


def test_a_graph_is_oriented_and_its_edges_are_shown_in_detail():
    graph = nx.Graph([("dose", SCRIPT), (SCRIPT, FORMULA)])
    report = bqcd.report(columns(), graph=graph, replicates=10, seed=2, method="bqcd")
    oriented = bqcd.orient(columns(), graph, seed=2)
    assert report.kind == "graph"
    told = report.as_dict()
    assert {row["detail"] for row in told["pairs"]} == {True}
    for edge in told["graph"]["edges"]:
        row = next(row for row in told["pairs"] if row["id"] == edge["pair"])
        record = oriented.record(row["x"], row["y"])
        assert edge["confidence"] == row["confidence"] == record.confidence
    assert told["colophon"]["command"] == ""
    assert "graph=graph" in told["colophon"]["python"]


def test_a_method_that_draws_by_lot_is_shown_as_it_judged_the_edge():
    report = bqcd.report(columns(), graph=nx.Graph([("dose", "other")]), method="coin", seed=2)
    oriented = bqcd.orient(columns(), nx.Graph([("dose", "other")]), method="coin", seed=2)
    assert report.pairs[0].confidence == oriented.record("dose", "other").confidence


def test_whoever_waits_is_told_how_far_it_is():
    heard = []
    bqcd.report(
        columns(), details=3, replicates=0, progress=lambda *told: heard.append(told), method="bqcd"
    )
    assert [told for told in heard if told[0] == "details"] == [
        ("details", done, 3) for done in range(4)
    ]
    assert heard[-1] == ("details", 3, 3)
    assert {told[0] for told in heard} == {"columns", "pairs", "details"}


def test_two_hundred_pairs_of_ten_thousand_rows_fit_a_page_of_less_than_three_megabytes():
    values = np.random.default_rng(3).normal(size=(21, 10_000))
    table = {f"column number {at}": column + values[0] for at, column in enumerate(values)}
    report = bqcd.report(table, replicates=0, method="bqcd")
    assert len(report.details) == 200
    # What an assessment adds to each, measured: 700 bytes.
    assert len(report.to_html().encode()) + 200 * 1_000 < 2_500_000


@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        ({"pairs": [("dose", "nothing")]}, InvalidTableError, "no column 'nothing'"),
        ({"pairs": [("dose", "words")]}, InvalidPairError, "'words' must hold numbers"),
        ({"columns": "dose"}, InvalidPairError, "No pair can be judged"),
        ({"pairs": [("dose", "other")], "columns": "d*"}, InvalidSettingError, "pairs and columns"),
        ({"details": -1}, InvalidSettingError, "details of report"),
        ({"replicates": 3}, InvalidSettingError, "replicates of report"),
        ({"missing": "fill"}, InvalidSettingError, "missing of report"),
        ({"method": "bqdc"}, UnknownNameError, "No method is called 'bqdc'"),
        ({"levles": 3}, UnknownNameError, "no setting 'levles'"),
    ],
)
def test_what_cannot_be_reported_is_refused_by_name(asked, error, told):
    with pytest.raises(error, match=told):
        bqcd.report(columns() | {"words": ["word"] * 150}, **{"method": "bqcd", **asked})


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e308])
def test_a_page_of_columns_at_the_ends_of_the_numbers_holds_finite_ones(scale):
    rng = np.random.default_rng(5)
    x = rng.integers(1, 1000, 60) / 1000.0
    table = {"x": x * 1.7e308 if scale > 1.0 else np.round(1000.0 * x) * scale, "y": x**2}
    told = bqcd.report(table, replicates=10, method="bqcd").as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == json.loads(json.dumps(told))
    assert "NaN" not in bqcd.report(table, replicates=10, method="bqcd").to_html()


def test_the_panel_judges_what_bqcd_finds_worth_it_if_nothing_is_said():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=200)
    table = {"x": x, "y": np.tanh(4.0 * x) + 0.1 * rng.normal(size=200), "z": rng.normal(size=200)}
    found = bqcd.report(table, details=1, replicates=10)
    first, *others = found.pairs
    assert {first.x, first.y} == {"x", "y"}
    assert first.probability == bqcd.assess("x", "y", table=table, replicates=10).probability
    # Columns without a link are not asked about.
    assert [row.answer for row in others] == ["cannot tell"] * 2
    assert ("method", "bqcd, then panel") in found.facts


def test_a_page_of_200_pairs_that_are_shown_is_smaller_than_3_megabytes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    found = bqcd.assess(x, np.tanh(x) + rng.normal(size=2_000), replicates=10)
    detail = assessment_detail(found, points=points_each(200))
    rows = [replace(assessment_row(found, number=at), x=f"x {at}") for at in range(200)]
    whole = replace(
        report_assessment(found),
        pairs=tuple(rows),
        pairs_total=200,
        details=dict.fromkeys(range(200), detail),
    )
    assert detail.voices is not None
    assert detail.curves is not None
    assert len(whole.to_html().encode()) < 3_000_000


def test_no_edge_of_a_graph_is_directed_by_a_pair_of_which_nothing_can_be_told():
    # Copies of rows, which a verdict counts as rows and an assessment does not.
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    y = np.exp(x) + 0.4 * rng.normal(size=40)
    table, graph = {"x": np.repeat(x, 8), "y": np.repeat(y, 8)}, nx.Graph([("x", "y")])
    assert bqcd.orient(table, graph).edges[0].tail is not None
    told = bqcd.report(table, graph=graph, method="bqcd", replicates=20).as_dict()
    [pair], [edge] = told["pairs"], told["graph"]["edges"]
    assert pair["answer"] == "cannot tell"
    assert edge["states"][0]["state"] == "open"
