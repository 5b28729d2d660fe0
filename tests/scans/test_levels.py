"""Scans and reports of columns without an order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bqcd
from bqcd.methods.answers import answer_by_probability, weaker_answer
from bqcd.scans.sources import open_source

RNG = np.random.default_rng(2)
N = 300
HIDDEN = RNG.integers(6, size=N)
SHARES = RNG.dirichlet(np.full(6, 0.6), size=2)
EFFECT = (RNG.random((N, 1)) > SHARES.cumsum(axis=1)[HIDDEN % 2, :-1]).sum(axis=1)
X = RNG.normal(size=N)
TABLE = {
    "herd": np.array([f"herd {at}" for at in range(6)])[HIDDEN],
    "breed": np.array([f"breed {at}" for at in range(6)])[EFFECT],
    "code": HIDDEN,
    "x": X,
    "y": X**2 + 0.3 * RNG.normal(size=N),
}


@pytest.fixture(scope="module")
def found():
    return bqcd.scan(TABLE, method="auto", nominal="code")


def test_every_row_of_a_scan_is_what_decide_says(found):
    assert not found.skipped
    for row in found.table.to_pylist():
        verdict = bqcd.decide(row["x"], row["y"], table=TABLE, method="auto", nominal="code")
        if verdict.choice.withheld:
            assert row["confidence"] is None
            assert row["message"]
        else:
            assert row["confidence"] == verdict.confidence
            dependent = row["q_value"] <= 0.05
            assert row["answer"] == (verdict.answer if dependent else "cannot tell")


def half_coarse(n_fine: int, n_coarse: int, seed: int) -> dict[str, np.ndarray]:
    """Columns of which one is rounded in its last rows; of two others, gaps leave one part each."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_fine + n_coarse)
    x[n_fine:] = x[n_fine:].round()
    y = x**2 + 0.3 * rng.normal(size=len(x))
    fine, coarse = y.copy(), y.copy()
    fine[n_fine:] = np.nan
    coarse[:n_fine] = np.nan
    return {"x": x, "fine": fine, "coarse": coarse}


@pytest.mark.parametrize("sizes", [(300, 300), (900, 100)])
def test_what_is_picked_follows_from_the_rows_of_a_pair_and_not_from_whole_columns(sizes):
    """As a whole, x counts as coarse in the first table and not in the second."""
    answers = set()
    for seed in range(2, 7):
        table = half_coarse(*sizes, seed)
        pairs = [("x", "fine"), ("x", "coarse")]
        found = bqcd.scan(table, pairs=pairs, method="auto", missing="drop")
        assert [bool(one.coarse) for one in found.columns if one.name == "x"] == [sizes[0] == 300]
        picked = {}
        for row in found.table.to_pylist():
            verdict = bqcd.decide(row["x"], row["y"], table=table, method="auto", missing="drop")
            picked[row["y"]] = verdict.name
            answers.add((row["y"], row["answer"]))
            agrees_with(row, verdict)
        assert picked == {"fine": "bqcd", "coarse": "panel"}
    # What is known to mislead was looked at by the scan, so that it may be clear.
    assert {("fine", "leaning"), ("coarse", "clear")} <= answers


def agrees_with(row: dict[str, object], verdict: bqcd.Verdict) -> None:
    """A row of a scan by auto says what decide says; what it looked at besides may limit it."""
    if verdict.choice.withheld:
        assert row["confidence"] is None
        return
    assert row["confidence"] == verdict.confidence
    assert (row["probability"] is None) == (verdict.probability is None)
    if verdict.probability is not None:
        assert row["answer"] == answer_by_probability(row["probability"])
    if row["limit"] is None:
        assert verdict.answer == weaker_answer(row["answer"], "leaning")


@pytest.mark.parametrize("method", ["acid", "cisc", "entropic", "hcr", "origo"])
def test_methods_that_go_by_coarseness_tell_nothing_in_a_scan_either(method):
    table = {"code": HIDDEN.astype(float), "effect": EFFECT.astype(float)}
    (row,) = bqcd.scan(table, method=method).table.to_pylist()
    assert abs(row["confidence"]) > 0.0
    assert (row["answer"], row["direction"]) == ("cannot tell", "--")


def test_two_columns_of_the_same_levels_cannot_be_told_apart(found):
    (row,) = [r for r in found.table.to_pylist() if {r["x"], r["y"]} == {"herd", "code"}]
    assert row["confidence"] == 0.0
    assert row["dependence"] == pytest.approx(1.0)


def test_methods_that_need_an_order_leave_such_columns_out():
    told = {facts.name: facts.problem for facts in bqcd.scan(TABLE, nominal="code").skipped}
    assert set(told) == {"herd", "breed", "code"}
    assert told["code"].startswith("Column 'code' is categorical without an order")


def test_a_scan_does_not_know_the_number_of_workers(found):
    again = bqcd.scan(TABLE, method="auto", nominal="code", workers=2)
    assert again.table.equals(found.table)


def test_words_in_several_pieces_of_a_file_get_one_set_of_levels(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"herd": TABLE["herd"], "x": X}), path, row_group_size=70)
    column = open_source(path).ordered(0, nominal=True)
    assert [column.scale.label(value) for value in column.values] == TABLE["herd"].tolist()


def test_words_count_in_the_fingerprint_of_a_table():
    other = {**TABLE, "herd": TABLE["herd"][::-1].copy()}
    assert open_source(TABLE).fingerprint() != open_source(other).fingerprint()


def test_a_report_shows_levels_and_why_nothing_is_told():
    report = bqcd.report(TABLE, pairs=[("herd", "breed")], method="auto", replicates=10)
    page = report.to_html()
    assert "hcr was picked as neither column has an order" in page
    several = bqcd.report(
        TABLE, columns=["herd", "breed", "x"], method="auto", replicates=0, nominal="code"
    )
    assert {row.x for row in several.pairs} | {row.y for row in several.pairs} == {
        "herd",
        "breed",
        "x",
    }
