from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import bqcd
from bqcd.assessments import assess_pair
from bqcd.errors import InvalidSettingError
from bqcd.show.reports.pairs import (
    PairRow,
    assessment_detail,
    assessment_row,
    scan_row,
    verdict_detail,
    verdict_row,
)
from bqcd.show.words import ASSUMPTIONS
from tests.show.reports.tables import bent


@pytest.fixture(scope="module")
def found():
    return assess_pair(bent(300), replicates=20, method="bqcd")


def test_a_row_has_the_numbers_of_the_assessment(found):
    row = assessment_row(found, number=4).as_dict()
    assert (row["id"], row["x"], row["y"], row["n_rows"]) == (4, "dose", "response", 300)
    assert (row["cause"], row["effect"]) == ("dose", "response")
    assert row["confidence"] == found.confidence
    assert row["probability"] == found.probability
    assert row["p_bound"] == found.p_bound
    assert row["stability"] == found.stability.agreeing
    assert row["dependence"] == found.dependence.strength
    assert row["dependence_p"] == found.dependence.p_value


def test_a_verdict_has_the_same_row_but_for_what_was_not_assessed(found):
    unknown = {"answer": "leaning", "probability": None, "p_bound": None, "stability": None}
    assert found.answer == "clear"
    assert verdict_row(found.verdict).as_dict() == assessment_row(found).as_dict() | unknown


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [(0.02, None, 0.02), (0.02, 0.9, 0.02), (0.02, -0.9, -0.02), (0.0, -0.9, -0.9)],
)
def test_a_row_of_a_scan_has_one_scale_of_confidences_and_the_direction_that_is_told(
    first, second, shown
):
    told = {
        "x": "a", "y": "b", "answer": "leaning", "probability": 0.7, "n_rows": 90, "p_value": 0.0,
        "confidence": first, "then_confidence": second, "dependence": 0.5, "status": "done",
        "message": None,
    }  # fmt: skip
    assert scan_row(told, number=0).confidence == shown


def test_details_have_the_numbers_of_evidence_and_assessment(found):
    told = assessment_detail(found).as_dict()
    lengths = found.verdict.evidence.code_lengths
    assert told["scores"]["total"] == {"x_to_y": lengths.x_to_y, "y_to_x": lengths.y_to_x}
    for way, marginal, conditional in (
        ("x_to_y", lengths.x, lengths.y_given_x),
        ("y_to_x", lengths.y, lengths.x_given_y),
    ):
        assert told["scores"][way]["marginal"] == pytest.approx(marginal.tolist(), rel=1e-5)
        assert told["scores"][way]["conditional"] == pytest.approx(conditional.tolist(), rel=1e-5)
    assert told["assessment"]["interval"] == [found.interval.low, found.interval.high]
    assert told["assessment"]["halves"] == 20
    assert told["assumptions"][0] == ASSUMPTIONS
    assert told["sentence"] in found.explain()
    assert ASSUMPTIONS not in told["sentence"]


def test_exchanged_columns_flip_signs_and_nothing_else(found):
    turned = assess_pair(found.verdict.pair.swapped(), replicates=20, method="bqcd")
    before, after = (
        json.loads(json.dumps(assessment_detail(one).as_dict())) for one in (found, turned)
    )
    low, high = after["assessment"].pop("interval")
    assert [-high, -low] == before["assessment"].pop("interval")
    for part in ("curves", "scores"):
        one, other = after[part]["x_to_y"], after[part]["y_to_x"]
        after[part] |= {"x_to_y": other, "y_to_x": one}
    total = after["scores"]["total"]
    after["scores"]["total"] = {"x_to_y": total["y_to_x"], "y_to_x": total["x_to_y"]}
    points = after["points"]
    after["points"] |= {"x": points["y"], "y": points["x"]}
    after["points"] |= {"x_range": points["y_range"], "y_range": points["x_range"]}
    assert {**after, "sentence": before["sentence"]} == before
    row, turned_row = assessment_row(found), assessment_row(turned)
    assert turned_row == replace(row, x=row.y, y=row.x, confidence=-row.confidence)
    assert (turned_row.cause, turned_row.effect) == (row.cause, row.effect)


def test_independent_columns_few_rows_and_gaps_are_told_as_caveats():
    x, y = np.random.default_rng(1).normal(size=(2, 60))
    x[3] = np.nan
    pair = bqcd.Pair.from_arrays(x, y, missing="drop")
    caveats = assessment_detail(assess_pair(pair, replicates=50, method="bqcd")).caveats
    told = " ".join(caveats)
    for said in (
        "There is no evidence that the columns depend on each other",
        "random halves of the rows agree",
        "59 rows are too few for a reliable verdict",
        "Left out for missing values: 1 of 60 rows",
    ):
        assert said in told
    plain = verdict_detail(bqcd.decide_pair(pair))
    assert set(plain.caveats) < set(caveats)
    assert plain.assessment is None


def test_a_clear_pair_has_no_caveat(found):
    assert assessment_detail(found).caveats == ()


def test_a_method_without_quantiles_is_drawn_with_those_of_bqcd_and_says_what_it_assumes():
    detail = verdict_detail(bqcd.decide_pair(bent(100), method="anm"))
    assert detail.curves == verdict_detail(bqcd.decide_pair(bent(100))).curves
    assert detail.scores is None
    assert detail.assumptions[-1] == f"anm assumes: {bqcd.METHODS['anm'].assumes}."
    assert len(detail.points.x) == 100


def test_categories_without_an_order_have_no_curves():
    values = np.random.default_rng(0).normal(size=90)
    table = {"kind": ["a", "b", "c"] * 30, "size": values}
    detail = verdict_detail(bqcd.decide("kind", "size", table=table, method="auto"))
    assert detail.curves is None
    assert len(detail.points.x) == 90


def test_a_verdict_that_misses_its_mark_has_no_direction():
    found = assess_pair(
        bent(300), replicates=20, abstain=1e-300, abstain_by="significance", method="bqcd"
    )
    row = assessment_row(found)
    assert row.confidence > 0.0
    assert (row.cause, row.effect) == (None, None)


@pytest.mark.parametrize("wrong", [{"confidence": float("nan")}, {"status": "lost"}])
def test_a_row_refuses_what_a_page_cannot_show(wrong):
    with pytest.raises(InvalidSettingError, match=next(iter(wrong))):
        PairRow(number=0, x="a", y="b", **wrong)
