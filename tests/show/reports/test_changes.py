"""Two reports compared: which answers are others now, whichever column is called x."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.errors import InvalidSettingError
from bqcd.show.reports import PairRow
from bqcd.show.reports.changes import changes_part, kind_of_change

ASKED = {"method": "bqcd", "replicates": 10}


def row(
    cause: str | None = None, answer: str = "leaning", *, x: str = "a", y: str = "b"
) -> PairRow:
    confidence = 0.0 if cause is None else 0.2 if cause == x else -0.2
    told = answer if cause else "cannot tell"
    return PairRow(number=0, x=x, y=y, confidence=confidence, answer=told)


@pytest.mark.parametrize(
    ("now", "before", "kind"),
    [
        (row("a"), row("a"), ""),
        (row("a"), row("a", x="b", y="a"), ""),
        (row("a"), row("b", x="b", y="a"), "turned"),
        (row("a"), row(), "new"),
        (row(), row("b"), "gone"),
        (row("a", "clear"), row("a"), "surer"),
        (row("a"), row("a", "clear"), "less sure"),
        (row(), row(), ""),
    ],
)
def test_a_change_is_called_what_it_is(now, before, kind):
    assert kind_of_change(now, before) == kind


def test_pairs_of_one_report_alone_are_counted_and_failed_ones_are_not():
    failed = PairRow(number=9, x="p", y="q", status="failed")
    part = changes_part([row("a"), row(x="a", y="c")], [row("a"), row(x="u", y="v"), failed], "old")
    assert (part["rows"], part["same"]) == ([], 1)
    assert part["says"] == (
        "Against old, none of 1 answer changed. 1 pair is not in old. 1 pair is in old alone."
    )


def drawn(seed: int, *, turned: bool) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=200)
    y = x**2 + 0.2 * rng.normal(size=200)
    return {"x": y if turned else x, "y": x if turned else y, "z": rng.normal(size=200)}


def test_a_report_tells_what_differs_from_another_table():
    now, before = drawn(1, turned=False), drawn(2, turned=True)
    report = bqcd.report(now, **ASKED, against=before)
    [changed] = report.changes["rows"]
    assert (changed["change"], changed["now"]["cause"], changed["before"]["cause"]) == (
        "turned",
        "x",
        "y",
    )
    assert "1 of 3 answers changed: 1 the other way round" in report.answer
    # The other table is asked the same.
    alone = bqcd.report(before, **ASKED)
    [there] = [one for one in alone.pairs if {one.x, one.y} == {"x", "y"}]
    assert changed["before"]["probability"] == there.probability
    assert "What changed" in report.to_html()


def test_a_saved_scan_can_stand_for_the_table(tmp_path):
    scan = bqcd.scan(drawn(2, turned=True))
    for name in ("old.parquet", "old.csv"):
        scan.save(tmp_path / name)
        report = bqcd.report(drawn(1, turned=False), **ASKED, against=tmp_path / name)
        assert [one["change"] for one in report.changes["rows"]] == ["turned"]


def test_the_command_compares_and_says_how_it_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv.write_csv(pa.table(drawn(1, turned=False)), "now.csv")
    csv.write_csv(pa.table(drawn(2, turned=True)), "old.csv")
    words = ["report", "now.csv", "--against", "old.csv", "--method", "bqcd", "--replicates", "10"]
    done = CliRunner().invoke(app, [*words, "-o", "report.html"])
    assert done.exit_code == 0, done.output
    assert "Against old.csv, 1 of 3 answers changed" in " ".join(done.output.split())
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "--against old.csv" in page
    report = bqcd.report("now.csv", **ASKED, against="old.csv")
    exec(report.colophon.python, {})
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.to_html()


@pytest.mark.parametrize("wrong", [{"graph": [[0, 1], [1, 0]]}, {"replicates": 0}])
@pytest.mark.parametrize("name", ["against", "by", "given"])
def test_what_needs_assessed_pairs_is_refused_without(name, wrong):
    table = drawn(1, turned=False)
    value = table if name == "against" else "z"
    with pytest.raises(InvalidSettingError, match=f"{name} of report needs pairs"):
        bqcd.report(table, **{"method": "bqcd", **wrong, name: value})


def test_third_columns_are_asked_about_and_leave_out_their_own_pairs():
    table = drawn(1, turned=False)
    alone = bqcd.assess("x", "y", table=table, given="z", **ASKED)
    report = bqcd.report(table, **ASKED, given="z")
    by_names = {frozenset((one.x, one.y)): report.details[one.number] for one in report.pairs}
    assert alone.aside in by_names[frozenset("xy")].sentence
    assert "Given 'z'" not in by_names[frozenset("xz")].sentence
    groups = {**table, "half": ["a", "b"] * 100}
    one = bqcd.report(groups, [("x", "y")], **ASKED, by="half")
    assert "Within groups of 'half'" in one.answer
    assert any(label == "half a" for label, _ in one.facts)
