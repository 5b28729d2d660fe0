from __future__ import annotations

import json

import pytest

import bqcd
from bqcd.errors import BqcdError, InvalidSettingError
from bqcd.show.reports import Colophon, PairRow, Report, report_verdict
from tests.show.reports.tables import bent

WORDS = {"kind": "pairs", "title": "t", "question": "q", "answer": "a", "colophon": Colophon("m")}
ROW = PairRow(number=1, x="a", y="b")

KEYS = {
    "schema", "kind", "title", "question", "answer", "notes", "facts", "pairs", "pairs_total",
    "details", "graph", "benchmark", "columns", "matrix", "changes", "colophon",
}  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kind": "table"}, "kind of Report"),
        ({"pairs": (ROW, ROW), "pairs_total": 2}, "different numbers"),
        ({"pairs": (ROW,), "pairs_total": 0}, "pairs_total"),
        ({"details": {3: None}}, "number 3"),
    ],
)
def test_a_report_refuses_parts_that_do_not_fit(wrong, told):
    with pytest.raises(InvalidSettingError, match=told):
        Report(**WORDS | wrong)


def test_the_content_is_json_with_finite_numbers_only():
    told = report_verdict(bqcd.decide_pair(bent(50))).as_dict()
    assert set(told) == KEYS
    assert json.loads(json.dumps(told, allow_nan=False))["pairs"][0]["detail"] is True


def test_a_page_is_written_whole_and_has_the_same_bytes_again(tmp_path):
    report = report_verdict(bqcd.decide_pair(bent(50)))
    paths = tmp_path / "one.html", tmp_path / "two.HTML"
    for path in paths:
        report.save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes() == report.to_html().encode()
    assert sorted(tmp_path.iterdir()) == sorted(paths)


@pytest.mark.parametrize("name", ["report.pdf", "nowhere/report.html", "a\0.html"])
def test_a_page_goes_only_where_one_can_be(tmp_path, name):
    with pytest.raises(BqcdError):
        Report(**WORDS).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_told_in_one_line():
    found = bqcd.report({"a": [1.0, 2, 4] * 9, "b": [3.0, 1, 2] * 9}, method="coin", replicates=0)
    assert repr(found) == f"<Report 'a and b': {found.answer}>"
