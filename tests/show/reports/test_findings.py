from __future__ import annotations

import json

import numpy as np
import pytest

import bqcd
from bqcd.show.reports import report_assessment, report_scan, report_verdict
from bqcd.show.reports.colophon import PAPER
from bqcd.show.words.assessments import finding
from bqcd.show.words.verdicts import weighted_rows
from tests.show.reports.tables import FORMULA, SCRIPT, bent, columns


def table(n_columns: int) -> dict[str, np.ndarray]:
    values = np.random.default_rng(2).normal(size=(n_columns, 40))
    return {f"c{at:02}": column for at, column in enumerate(values)}


@pytest.fixture(scope="module")
def found():
    return bqcd.scan(columns())


def test_a_verdict_and_its_assessment_answer_in_their_own_words():
    verdict = bqcd.decide_pair(bent(100), seed=4)
    report = report_verdict(verdict)
    assert report.title == "dose and response"
    assert report.question == "Which of 'dose' and 'response' causes the other?"
    assert verdict.explain().startswith(report.answer)
    assert report.colophon.seed == 4
    assert report.colophon.python == "bqcd.decide(x, y, seed=4).to_html()"
    assert report.colophon.bibtex == PAPER
    found = bqcd.assess(bent(100).x, bent(100).y, replicates=20, n_levels=5, method="bqcd")
    report = report_assessment(found)
    assert report.answer == finding(found)
    assert found.explain().startswith(report.details[0].sentence)
    python = report_assessment(found).colophon.python
    assert python == "bqcd.assess(x, y, method='bqcd', n_levels=5).to_html()"


def test_an_answer_on_independent_columns_says_that_it_means_nothing():
    x, y = np.random.default_rng(1).normal(size=(2, 60))
    found = bqcd.assess(x, y, replicates=20, method="bqcd")
    for report in (report_assessment(found), report_verdict(found.verdict)):
        assert "no evidence that the columns depend on each other (" in report.answer
        assert "probability" not in report.answer


def test_weighted_rows_are_shown_as_they_were_drawn():
    pair, weights = bent(200), np.repeat([1.0, 3.0], 100)
    found = bqcd.assess(pair.x, pair.y, weights=weights, replicates=10, method="bqcd")
    report = report_assessment(found)
    assert report.details[0].points.total == found.verdict.weighting.draw_rows
    assert weighted_rows(found.verdict.weighting) in report.details[0].sentence
    assert report.colophon.python == "bqcd.assess(x, y, weights=weights, method='bqcd').to_html()"


def test_a_scan_lists_every_pair_with_its_numbers_dependent_ones_first(found):
    told = report_scan(found).as_dict()
    rows = {(row["x"], row["y"]): row for row in told["pairs"]}
    assert len(rows) == told["pairs_total"] == 6
    for row in found.table.to_pylist():
        listed = rows[row["x"], row["y"]]
        for name, word in (("confidence", "confidence"), ("p_value", "dependence_p")):
            assert listed[word] == row[name]
        assert listed["status"] == "done"
        assert listed["detail"] is False
    doubtful = {row["x"] + row["y"] for row in found.table.to_pylist() if row["q_value"] > 0.05}
    order = [row["x"] + row["y"] in doubtful for row in told["pairs"]]
    assert order == sorted(order)
    sizes = [
        abs(row["confidence"]) for row, last in zip(told["pairs"], order, strict=True) if not last
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert told["details"] is None
    counts = "2 of 6 pairs lean towards a direction, none is clear, 4 cannot be told."
    assert found.summary().startswith(counts)
    assert told["answer"].startswith(
        f"No direction in {found.label} is clear. 2 of 6 pairs lean to one side, most of all "
        "'dose' as the cause of "
    )
    assert told["answer"].endswith("for 4 the data cannot tell.")


def test_a_pair_that_cannot_be_judged_is_listed_with_the_reason():
    flat = columns() | {"flat": np.ones(150), "words": ["word"] * 150}
    report = report_scan(bqcd.scan(flat, pairs=[("dose", "other"), ("dose", "flat")]))
    row = report.as_dict()["pairs"][1]
    assert (row["status"], row["confidence"], row["cause"]) == ("failed", 0.0, None)
    assert "flat" in row["message"]
    notes = " ".join(report_scan(bqcd.scan(flat)).notes)
    assert "Not judged: 2 columns. Column 'flat' must vary" in notes


def test_of_many_pairs_the_table_is_cut_and_says_so():
    found = bqcd.scan(table(12))
    report = report_scan(found, rows=20)
    assert len(report.pairs) == 20
    assert report.pairs_total == 66
    assert "The table holds the first 20 of 66 pairs." in report.notes
    assert report.pairs == report_scan(found).pairs[:20]


def test_exchanged_columns_give_the_same_rows_in_the_same_order():
    forward, backward = (bqcd.scan(dict(order(columns().items()))) for order in (list, reversed))
    rows, turned = (
        [(row.cause, row.effect, abs(row.confidence)) for row in report_scan(one).pairs]
        for one in (forward, backward)
    )
    assert rows == turned


def test_a_scan_that_is_kept_tells_how_it_was_made(tmp_path):
    out = tmp_path / "kept.scan"
    bqcd.scan(columns(), out=out, seed=3, n_levels=5)
    colophon = report_scan(bqcd.read_scan(out)).colophon
    assert colophon.method == "bqcd(n_levels=5)"
    assert colophon.seed == 3
    assert ("n_levels", "5") in colophon.settings
    assert colophon.fingerprint.startswith("blake2b:")
    assert "read_scan" in colophon.python


@pytest.mark.parametrize("name", ["verdict", "assessment", "scan"])
def test_pages_and_fragments_show_names_as_text(name, found):
    pair = bqcd.Pair(*(columns()[name] for name in ("dose", SCRIPT)), SCRIPT, FORMULA)
    shown = {
        "verdict": lambda: bqcd.decide_pair(pair),
        "assessment": lambda: bqcd.assess(
            SCRIPT, FORMULA, table=columns(), replicates=20, method="bqcd"
        ),
        "scan": lambda: found,
    }[name]()
    for html in (shown.to_html(), shown._repr_html_()):
        assert SCRIPT not in html
        assert "alert(1)" in html
        assert FORMULA in html
    assert json.dumps(SCRIPT) in json.dumps(report_scan(found).as_dict())
