"""The benchmark of a report: the numbers of the tables, and sentences that claim no more."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import bqcd
from bqcd.benchmark import Results, contender, metrics, read_results, run_benchmark, split_specs
from bqcd.benchmark.results import Origin, table_of
from bqcd.benchmark.summary import answers
from bqcd.cli.commands import app
from bqcd.show.reports.benchmarks import MOST_FAILURES, benchmark_part, report_results
from bqcd.show.reports.curves import MOST_POINTS
from bqcd.show.sheets.benchmarks import scores_sheet
from tests.benchmark.running.small_sets import small_set
from tests.benchmark.test_summary import TRUTH, confidences, results_of

ONES = np.ones(40)


def joined(*results: Results) -> Results:
    return Results(pa.concat_tables([one.table for one in results]))


@pytest.fixture(scope="module")
def two_sets() -> Results:
    drawn = confidences(1, skill=2.0)
    drawn[0, :3] = [0.0, np.nan, np.inf]
    first = results_of({"bqcd": drawn, "coin": confidences(2, repeats=2)})
    return joined(first, results_of({"coin": confidences(3)}, pairset="other", weight=ONES))


def test_cells_are_those_of_the_table_of_scores(two_sets):
    part = benchmark_part(two_sets).as_dict()
    sheet = scores_sheet(list(answers(two_sets)))
    assert part["methods"] == ["bqcd", "coin"]
    assert part["datasets"] == [{"name": "set", "pairs": 40}, {"name": "other", "pairs": 40}]
    for line in sheet.rows:
        row = dict(zip(sheet.columns, line, strict=True))
        at = part["methods"].index(row["method"]), ["set", "other"].index(row["benchmark"])
        assert part["cells"][at[0]][at[1]] == {
            "accuracy": row["accuracy"],
            "weighted": row["weighted"],
            "auc": row["ROC"],
            "failed": row["failed"] + row["timeout"],
            "seconds": row["seconds"],
        }
    assert part["cells"][0][1]["accuracy"] is None


def test_equal_weights_leave_the_weighted_accuracy_out():
    part = benchmark_part(results_of({"coin": confidences(3)}, weight=ONES)).as_dict()
    assert part["cells"][0][0]["weighted"] is None


def test_curves_go_from_end_to_end_with_the_points_of_the_metrics():
    rng = np.random.default_rng(7)
    truth, weight = np.where(rng.random(400) < 0.5, 1, -1), rng.uniform(0.5, 2.0, 400)
    drawn = (0.4 * truth + rng.normal(size=400))[None, :]
    part = benchmark_part(results_of({"coin": drawn}, truth=truth, weight=weight)).as_dict()
    (told,) = part["curves"]
    rates = metrics.decision_rate_curve(truth, drawn[0], weight=weight)
    roc = metrics.roc_curve(truth, drawn[0], weight=weight)
    for points, curve in (
        (told["decision_rate"], (rates.rate, rates.accuracy)),
        (told["roc"], (roc.false_positive_rate, roc.true_positive_rate)),
        (part["coin_band"]["set"], (rates.rate, rates.coin_low, rates.coin_high)),
    ):
        whole = np.column_stack(curve)
        assert len(points) == MOST_POINTS < len(whole)
        np.testing.assert_allclose([points[0], points[-1]], whole[[0, -1]], rtol=1e-5)
        nearest = np.abs(np.array(points)[:, None] - whole[None]).max(axis=2).min(axis=1)
        assert nearest.max() < 1e-5
    # What is left out is hardly to be seen.
    left = np.interp(rates.rate, *np.array(told["decision_rate"]).T)
    assert np.abs(left - rates.accuracy)[40:].max() < 0.02


def test_on_labels_of_one_side_there_is_no_roc_curve_and_the_notes_say_why():
    report = report_results(results_of({"bqcd": confidences(1)}, truth=ONES))
    assert report.benchmark["cells"][0][0]["auc"] is None
    assert report.benchmark["curves"][0]["roc"] == []
    assert any("truths are +1" in note for note in report.notes)


def test_failures_are_counted_and_the_first_are_listed():
    drawn = np.full((6, 40), np.nan)
    drawn[:, 0] = np.inf
    part = benchmark_part(results_of({"coin": drawn}))
    assert (part.failures_total, len(part.failures)) == (240, MOST_FAILURES)
    assert part.failures[0] == {
        "dataset": "set",
        "pair": "set/0",
        "method": "coin",
        "status": "timeout",
        "message": "for a reason",
    }


def answer(*drawn: np.ndarray, weight=ONES) -> str:
    names = ("bqcd", "coin", "igci-g")
    given = {name: one[None, :] for name, one in zip(names, drawn, strict=False)}
    return report_results(results_of(given, weight=weight)).answer


def right_on(count: int) -> np.ndarray:
    return np.where(np.arange(40) < count, TRUTH, -TRUTH).astype(float)


def test_the_best_is_named_with_its_interval_and_the_number_of_pairs():
    words = answer(right_on(36), right_on(12))
    assert words == (
        "2 methods judged 40 pairs of 1 benchmark. On set (40 pairs), bqcd has the highest "
        "accuracy, 0.900 (95 % interval 0.763 to 0.972); the others are right on fewer pairs, "
        "beyond chance."
    )


def test_what_the_test_does_not_tell_apart_is_not_called_better():
    # Four pairs that only the first gets right: p = 0.125.
    words = answer(right_on(36), right_on(32), right_on(12))
    assert "on so many pairs it cannot be told apart from coin." in words
    equal = answer(right_on(36), right_on(36))
    assert "bqcd and coin have the highest accuracy, 0.900" in equal
    assert "told apart" not in equal


def test_where_a_coin_does_as_well_it_is_said():
    words = answer(right_on(22))
    assert "bqcd has an accuracy of 0.550" in words
    assert "a fair coin does as well, with 0.350 to 0.650 in 95 % of cases." in words
    assert "coin" not in answer(right_on(30))


def test_more_right_pairs_of_less_weight_are_not_kept_quiet():
    weight = np.where(np.arange(40) < 8, 10.0, 1.0)
    others = np.where(np.arange(40) < 8, -TRUTH, TRUTH).astype(float)
    words = answer(right_on(8), others, weight=weight)
    assert "bqcd has the highest weighted accuracy, 0.714" in words
    assert "without weights, though, more pairs are right with coin;" in words


def test_unfinished_and_empty_benchmarks_say_so():
    results = results_of({"bqcd": confidences(1)})
    begun = Results(results.table, Origin("0.1.0", 3, {"set": "ab" * 32}, missing=5))
    report = report_results(begun)
    assert report.notes[0].startswith("Unfinished: 5 tasks still to be run")
    assert (report.colophon.seed, report.colophon.version) == (3, "0.1.0")
    assert report.colophon.fingerprint == "sha256:abababababababab"
    assert report_results(Results(table_of([]))).answer == "There are no answers yet."
    assert report_results(results).colophon.seed is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "results"
    sets = [small_set("one"), small_set("two")]
    run_benchmark(["coin", "bqcd:n_levels=5"], sets, repeats=2, seed=9, out=path)
    return path


def test_a_report_says_how_the_benchmark_was_run_and_is_run_again(folder):
    results = read_results(folder)
    report = report_results(results, folder="my results", page="page.html")
    assert report.colophon.version == bqcd.__version__
    assert report.colophon.seed == 9
    run, again = report.colophon.command.split(" && ")
    assert again == "bqcd bench report 'my results' --html page.html"
    words = shlex.split(run)
    told = dict(zip(words[2::2], words[3::2], strict=True))
    specs = split_specs(told.pop("--methods"))
    asked = {(one.name, one.settings) for one in map(contender, specs)}
    columns = (results.table[name].to_pylist() for name in ("method", "settings"))
    assert asked == set(zip(*columns, strict=True))
    others = {"--datasets": "one,two", "--repeats": "2", "--seed": "9", "--out": "my results"}
    assert told == others
    assert dict(report.facts)["one"].startswith("6 pairs (data ")


def test_the_command_writes_the_page_and_prints_what_it_did_before(folder, tmp_path):
    pytest.importorskip("jinja2")
    page = tmp_path / "page.html"
    plain = CliRunner().invoke(app, ["bench", "report", str(folder)])
    done = CliRunner().invoke(app, ["bench", "report", str(folder), "--html", str(page)])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{plain.stdout}Written: {page}\n"
    text = page.read_text(encoding="utf-8")
    assert "2 methods judged 12 pairs of 2 benchmarks." in text
    refused = CliRunner().invoke(app, ["bench", "report", str(folder), "--html", "page.txt"])
    assert refused.exit_code == 2
    assert ".html" in refused.stderr


def test_results_are_a_page_and_a_table_in_a_notebook(two_sets):
    pytest.importorskip("jinja2")
    assert two_sets.to_html() == two_sets.to_html()
    json.dumps(report_results(two_sets).as_dict(), allow_nan=False)
    short = two_sets._repr_html_()
    assert "<td>bqcd</td>" in short
    assert "<script" not in short


def test_a_report_of_equal_margins_says_so_and_how_it_is_run_again(tmp_path):
    run_benchmark(["coin", "bqcd"], [small_set("one")], margins="normal", out=tmp_path)
    report = report_results(read_results(tmp_path))
    assert report.title.endswith(", equal margins (normal scores)")
    assert any("margins=normal" in note for note in report.notes)
    assert dict(report.facts)["margins"] == "normal"
    assert "--margins normal" in report.colophon.command
    run_benchmark(["coin"], [small_set("one")], out=tmp_path / "as-is")
    usual = report_results(read_results(tmp_path / "as-is"))
    assert "margins" not in json.dumps(usual.as_dict())


def test_calibration_is_in_the_report_of_methods_that_claim_a_probability(two_sets):
    pytest.importorskip("jinja2")
    drawn = np.tanh(confidences(1, skill=1.0))
    results = results_of({"bqcd": drawn, "coin": drawn}, claiming=("bqcd",))
    part = benchmark_part(results).as_dict()
    (one,) = answers(results_of({"bqcd": drawn}, claiming=("bqcd",)))
    told = one.reliability()
    assert part["calibration"] == [
        {
            "dataset": "set",
            "method": "bqcd",
            "pairs": told.pairs,
            "claimed": told.claimed,
            "right": told.right,
            "error": told.error,
            "error_by_chance": told.error_by_chance,
            "surer_half": told.surer_half,
        }
    ]
    points = {curve["method"]: curve["reliability"] for curve in part["curves"]}
    expected = [[bar.claimed, bar.right] for bar in told.bars]
    np.testing.assert_allclose(points["bqcd"], expected, rtol=1e-5)
    assert points["coin"] == []
    page = report_results(results).to_html()
    assert 'id="calibration"' in page
    assert any("claim a probability" in note for note in report_results(results).notes)
    assert benchmark_part(two_sets).as_dict()["calibration"] == []
    assert 'id="calibration"' not in report_results(two_sets).to_html()
