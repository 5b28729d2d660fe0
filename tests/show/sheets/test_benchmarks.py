"""Sheets of a report: which numbers stand where, and what is said below them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from bqcd.benchmark import Results, metrics
from bqcd.benchmark.results import table_of
from bqcd.benchmark.summary import answers
from bqcd.errors import UndefinedMetricError
from bqcd.show.sheets.benchmarks import (
    accuracy_sheet,
    differences_sheet,
    failures_sheet,
    scores_sheet,
    sheets,
)
from tests.benchmark.test_summary import TRUTH, WEIGHT, confidences, results_of


def cells(sheet) -> list[dict]:
    return [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]


def joined(*results: Results) -> Results:
    return Results(pa.concat_tables([one.table for one in results]))


@pytest.fixture(scope="module")
def two_sets() -> Results:
    first = results_of({"bqcd": confidences(1, skill=1.0), "coin": confidences(2, repeats=2)})
    second = results_of({"coin": confidences(3)}, pairset="other", weight=np.ones(40))
    return joined(first, second)


def test_the_accuracy_matrix_has_a_row_per_method_and_a_column_per_benchmark(two_sets):
    sheet = accuracy_sheet(list(answers(two_sets)))
    assert sheet.columns == ("method", "set", "other")
    assert [row[0] for row in sheet.rows] == ["bqcd", "coin"]
    bqcd = metrics.accuracy(TRUTH, confidences(1, skill=1.0)[0], weight=WEIGHT)
    coin = np.mean(
        [metrics.accuracy(TRUTH, row, weight=WEIGHT) for row in confidences(2, repeats=2)]
    )
    other = metrics.accuracy(TRUTH, confidences(3)[0])
    assert sheet.rows[0] == ("bqcd", pytest.approx(bqcd), None)
    assert sheet.rows[1] == ("coin", pytest.approx(coin), pytest.approx(other))
    assert "count as wrong" in sheet.notes[0]


def test_scores_are_those_of_the_metrics():
    drawn = confidences(4)
    drawn[0, :4] = [0.0, np.nan, np.nan, np.inf]
    results = results_of({"bqcd": drawn})
    (row,) = cells(scores_sheet(list(answers(results))))
    unanswered = np.where(np.isinf(drawn[0]), np.nan, drawn[0])
    interval = next(answers(results)).accuracy_interval()
    expected = {
        "accuracy": metrics.accuracy(TRUTH, unanswered),
        "weighted": metrics.accuracy(TRUTH, unanswered, weight=WEIGHT),
        "low": interval.low,
        "high": interval.high,
        "ROC": metrics.roc_auc(TRUTH, unanswered, weight=WEIGHT),
        "PR": metrics.average_precision(TRUTH, unanswered, weight=WEIGHT),
        "area": metrics.decision_rate_area(TRUTH, unanswered, weight=WEIGHT),
        "ms/pair": 20.5,
        "seconds": 0.001 * sum(range(1, 41)),
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert (row["benchmark"], row["method"], row["pairs"]) == ("set", "bqcd", 40)
    assert (row["undecided"], row["failed"], row["timeout"]) == (1, 2, 1)
    assert row["low"] < row["weighted"] < row["high"]


def test_on_labels_of_one_side_the_ranked_scores_are_blank_and_the_notes_say_why():
    sheet = scores_sheet(list(answers(results_of({"bqcd": confidences(1)}, truth=np.ones(40)))))
    (row,) = cells(sheet)
    assert row["ROC"] is None
    assert row["accuracy"] is not None
    assert row["area"] is not None
    reasons = [note for note in sheet.notes if note.startswith("set: ")]
    assert len(reasons) >= 1
    with pytest.raises(UndefinedMetricError) as caught:
        metrics.roc_auc(np.ones(40), confidences(1)[0])
    assert f"set: {caught.value}" in reasons


def test_a_reason_is_given_once_for_all_methods_of_a_benchmark():
    answered = {"bqcd": confidences(1), "coin": confidences(2)}
    notes = scores_sheet(list(answers(results_of(answered, truth=np.ones(40))))).notes
    assert len(set(notes)) == len(notes)


def test_differences_are_against_the_first_method_on_the_same_pairs():
    answered = {"bqcd": confidences(1, skill=1.5), "coin": confidences(2, skill=0.0)}
    (row,) = cells(differences_sheet(list(answers(results_of(answered)))))
    test = metrics.mcnemar(TRUTH, answered["coin"][0], answered["bqcd"][0])
    assert (row["method"], row["against"]) == ("coin", "bqcd")
    assert (row["only it"], row["only other"]) == (test.only_first, test.only_second)
    assert row["p"] == test.p_value
    difference = metrics.accuracy(TRUTH, answered["coin"][0]) - metrics.accuracy(
        TRUTH, answered["bqcd"][0]
    )
    assert row["difference"] == pytest.approx(difference)
    assert row["difference"] == pytest.approx((test.only_first - test.only_second) / 40)


def test_methods_that_have_answered_other_pairs_are_not_compared():
    # Labels of one side: pairs cannot be told apart by their truths.
    results = results_of({"bqcd": confidences(1), "coin": confidences(2)}, truth=np.ones(40))
    table = results.table
    shifted = joined(Results(table.slice(0, 30)), Results(table.slice(45, 30)))
    found = list(answers(shifted))
    assert [len(one.pairs) for one in found] == [30, 30]
    assert differences_sheet(found).rows == ()


def test_failures_are_counted_by_what_was_said():
    drawn = confidences(1)
    drawn[0, [3, 7, 9]] = [np.nan, np.nan, np.inf]
    rows = failures_sheet(results_of({"bqcd:n_levels=7": drawn})).rows
    assert rows == (
        ("set", "bqcd:n_levels=7", "failed", 2, "set/3", "for a reason"),
        ("set", "bqcd:n_levels=7", "timeout", 1, "set/9", "for a reason"),
    )


def test_a_report_has_only_the_sheets_there_is_something_for(two_sets):
    alone = results_of({"bqcd": confidences(1)})
    assert [sheet.title.split()[0] for sheet in sheets(alone)] == ["Accuracy", "Scores"]
    both = [sheet.title for sheet in sheets(two_sets)]
    assert both[2:] == ["Differences"]
    failing = confidences(1)
    failing[0, 0] = np.nan
    assert [sheet.title for sheet in sheets(results_of({"bqcd": failing}))][2:] == ["Failures"]


def test_a_method_without_a_single_answer_has_a_row_and_no_score_is_made_up():
    results = results_of({"bqcd": np.full((1, 40), np.nan), "coin": confidences(1)})
    rows = {row["method"]: row for row in cells(list(sheets(results))[1])}
    assert rows["bqcd"]["accuracy"] == 0.0
    assert rows["bqcd"]["failed"] == 40


def test_a_table_without_rows_makes_empty_sheets():
    made = sheets(Results(table_of([])))
    assert all(sheet.rows == () for sheet in made)


def test_pairs_without_weight_alone_make_no_score():
    results = results_of({"bqcd": confidences(1)}, weight=np.zeros(40))
    assert all(sheet.rows == () for sheet in sheets(results))


def test_an_unfinished_benchmark_shows_what_there_is():
    table = results_of({"bqcd": confidences(1), "coin": confidences(2)}).table
    made = list(sheets(Results(table.slice(0, 55))))
    assert [row["pairs"] for row in cells(made[1])] == [40, 15]
    assert made[2].rows == ()


def test_calibration_is_told_of_methods_that_claim_a_probability():
    drawn = np.tanh(confidences(1, skill=1.0))
    results = results_of({"bqcd": drawn, "coin": drawn}, claiming=("bqcd",))
    made = {sheet.title: sheet for sheet in sheets(results)}
    assert list(made)[2:4] == ["Calibration", "Reliability by bars"]
    expected = metrics.reliability(TRUTH, 0.5 + 0.5 * drawn[0], weight=WEIGHT)
    (row,) = cells(made["Calibration"])
    assert row == {
        "benchmark": "set",
        "method": "bqcd",
        "pairs": expected.pairs,
        "claimed": expected.claimed,
        "right": expected.right,
        "ECE": expected.error,
        "by chance": expected.error_by_chance,
        "surer half": expected.surer_half,
    }
    bars = cells(made["Reliability by bars"])
    assert [row["right"] for row in bars] == [bar.right for bar in expected.bars]
    assert sum(row["pairs"] for row in bars) == 40


def test_claims_of_one_half_are_none():
    results = results_of({"bqcd": np.zeros((1, 40))}, claiming=("bqcd",))
    assert [sheet.title.split()[0] for sheet in sheets(results)] == ["Accuracy", "Scores"]


@pytest.mark.parametrize(("margins", "word"), [("normal", "normal scores"), ("uniform", "ranks")])
def test_every_sheet_of_equal_margins_says_so(margins, word):
    drawn = np.tanh(confidences(1))
    given = {"bqcd": drawn, "coin": confidences(2)}
    results = results_of(given, margins=margins, claiming=("bqcd",))
    made = list(sheets(results))
    assert len(made) == 5
    for sheet in made:
        assert sheet.title.endswith(f", equal margins ({word})")
        assert any(f"margins={margins}" in note for note in sheet.notes), sheet.title
    for sheet in sheets(results_of(given, claiming=("bqcd",))):
        assert "margins" not in " ".join((sheet.title, *sheet.notes))


def test_every_sheet_with_bqcd_tells_its_order_of_ties():
    given = {"bqcd:jitters=2": np.tanh(confidences(1)), "coin": confidences(2)}
    for sheet in sheets(results_of(given, claiming=("bqcd:jitters=2",))):
        assert any("random orders of the ties (jitters=2)" in note for note in sheet.notes)
