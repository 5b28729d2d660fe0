"""Groups of columns on the command line."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import bqcd
from tests.cli.commanding import COMMAND, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("groups")
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 200)).round(4)
    c = (a**2 + 0.4 * b + 0.3 * rng.normal(size=200)).round(4)
    rows = zip(a, b, c, np.ones(200), strict=True)
    lines = ["a,b,c,flat", *(",".join(map(str, row)) for row in rows)]
    (place / "table.csv").write_text("\n".join(lines))
    (place / "commas.csv").write_text("\n".join(lines).replace("a,b,c,flat", '"a,b",b,c,flat'))
    return place


@pytest.fixture(autouse=True)
def _inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.parametrize(
    "words",
    [
        ("table.csv", "a,b", "c"),
        ("table.csv", "0, 1", "2"),
        ("--x", "a,b", "--y", "c", "table.csv"),
        ("table.csv", "--y", "c", "a,b"),
    ],
    ids=" ".join,
)
def test_groups_are_names_or_positions_with_commas_or_options(folder, words):
    done = run("decide", *words, "--json")
    told = json.loads(done.stdout)
    expected = bqcd.decide(["a", "b"], "c", table=folder / "table.csv")
    assert (told["x"], told["y"]) == ("a, b", "c")
    assert told["confidence"] == expected.confidence


def test_a_column_whose_name_has_commas_goes_first(folder):
    told = json.loads(run("decide", "commas.csv", "a,b", "c", "--json").stdout)
    assert told["confidence"] == bqcd.decide(0, 2, table=folder / "table.csv").confidence


def test_standard_input_has_groups_too(folder):
    with (folder / "table.csv").open("rb") as text:
        words = [str(COMMAND), "decide", "-", "a,b", "c", "--json"]
        done = subprocess.run(words, stdin=text, capture_output=True, check=True)
    assert json.loads(done.stdout)["x"] == "a, b"


def test_assess_prints_stability_and_the_reason_for_no_answer(folder):
    done = run("assess", "table.csv", "a,b", "c", "--replicates", "20")
    assert "halves that agree  100% of 20" in done.stdout
    assert "has not been measured" in done.stdout


@pytest.mark.parametrize(
    ("words", "piece"),
    [
        (("decide", "table.csv", "a,b", "b"), "Column 'b' is on both sides"),
        (("decide", "table.csv", "a,flat", "c"), "Column 'flat' must vary"),
        (("decide", "table.csv", "a,z", "c"), "no column 'z'"),
        (("decide", "table.csv", "a,b", "c", "--method", "loci"), "bqcd, auto, trace, vecci"),
        (("decide", "table.csv", "a"), "A pair has two sides"),
        (("assess", "table.csv", "a", "b", "--x", "c"), "A pair has two sides"),
        (("decide", "table.csv", "a,b", "c", "--weights", "flat"), "weights must be None"),
        (("report", "table.csv", "-o", "x.html", "--group", "ab"), "--group takes NAME=COLUMNS"),
        (
            ("report", "table.csv", "-o", "x.html", "--group", "g=a,b", "-c", "a"),
            "groups of report",
        ),
    ],
)
def test_what_is_wrong_with_groups_is_told_in_one_line(folder, words, piece):
    done = run(*words)
    assert done.returncode == 2
    assert piece in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_report_judges_groups_as_one(folder):
    words = ("report", "table.csv", "--group", "size=a,b", "--replicates", "20", "-o", "g.html")
    done = run(*words)
    assert "'size' and 'c'" in done.stdout
    page = (folder / "g.html").read_text()
    assert "bqcd report table.csv --group size=a,b" in page
