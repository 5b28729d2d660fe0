"""The record a method gives back: nothing in it can contradict its sign."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import bqcd
from bqcd.data.pair import Direction, Pair
from bqcd.discovery.evidence import (
    CHANCE_WITH_MORE_LEVELS,
    CHANCE_WITH_ONE_LEVEL,
    TUEBINGEN_DECILES,
)
from bqcd.errors import InvalidVerdictError
from bqcd.methods.verdict import Method, Verdict
from bqcd.show.words import ASSUMPTIONS
from bqcd.show.words.strengths import strength


def columns(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    x = rng.normal(size=n)
    return x, x**2 + 0.3 * rng.normal(size=n)


PAIR = Pair(np.arange(12.0), np.arange(12.0) ** 2, "side", "area")


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return bqcd.decide(*columns())


def sentences(text: str) -> int:
    return len(re.findall(r"[.!?](?=\s|$)", text))


@pytest.mark.parametrize(
    ("confidence", "direction", "cause", "effect"),
    [
        (0.3, Direction.X_TO_Y, "side", "area"),
        (-0.3, Direction.Y_TO_X, "area", "side"),
        (5e-324, Direction.X_TO_Y, "side", "area"),
        (0.0, Direction.UNDECIDED, None, None),
        (-0.0, Direction.UNDECIDED, None, None),
    ],
)
def test_direction_cause_and_effect_follow_the_sign(confidence, direction, cause, effect):
    verdict = Verdict(confidence, PAIR)
    assert verdict.direction is direction
    assert (verdict.cause, verdict.effect) == (cause, effect)


def test_the_direction_cannot_be_set_apart_from_the_sign():
    verdict = Verdict(0.3, PAIR)
    # Python's own frozen classes with slots refuse a property with the wrong error.
    with pytest.raises((AttributeError, TypeError)):
        verdict.direction = Direction.Y_TO_X
    with pytest.raises(FrozenInstanceError):
        verdict.confidence = -0.3
    assert verdict.direction is Direction.X_TO_Y
    with pytest.raises(TypeError):
        Verdict(0.3, PAIR, direction=Direction.Y_TO_X)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_confidence_that_is_no_finite_number_is_refused(bad):
    with pytest.raises(InvalidVerdictError, match=r"must be a finite number, got -?(nan|inf) on"):
        Verdict(bad, PAIR)


def test_a_confidence_of_numpy_becomes_a_plain_float():
    verdict = Verdict(np.float32(0.5), PAIR)
    assert type(verdict.confidence) is float
    assert json.loads(json.dumps(verdict.as_dict()))["confidence"] == 0.5


def test_rows_and_dropped_rows_are_those_of_the_pair():
    with_gap = Pair.from_arrays([None, *range(12)], [1, *range(12)], missing="drop")
    verdict = Verdict(0.3, with_gap)
    assert (verdict.n_rows, verdict.dropped_rows) == (12, 1)


def test_headline_and_repr_show_arrow_confidence_method_and_rows():
    verdict = Verdict(-0.0123456, PAIR, name="coin")
    assert verdict.headline == "side <- area (leaning, confidence -0.01235)"
    assert repr(verdict) == "<Verdict side <- area (leaning, confidence -0.01235), coin, 12 rows>"


def test_as_dict_survives_json_and_keeps_every_digit(verdict):
    through = json.loads(json.dumps(verdict.as_dict(), allow_nan=False))
    assert through == verdict.as_dict()
    assert through["confidence"] == verdict.confidence
    assert through["direction"] == "->"
    assert (through["x"], through["y"], through["cause"]) == ("x", "y", "x")
    assert through["seed"] == 0
    assert through["evidence"]["ties"] == {"x": 0, "y": 0}


def test_as_dict_of_a_verdict_without_evidence_survives_json():
    told = Verdict(0.0, PAIR).as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["evidence"] is None
    assert told["direction"] == "--"


def test_a_regressor_object_among_the_settings_survives_json():
    from bqcd.discovery.quantiles import Copula

    told = bqcd.decide(*columns(50), regressor=Copula()).as_dict()
    assert json.loads(json.dumps(told))["settings"]["regressor"] == repr(Copula())


def test_the_confidence_follows_from_the_evidence_told(verdict):
    told = verdict.as_dict()["evidence"]
    weights, scores = np.array(told["scores"]["weights"]), told["scores"]
    marginal = weights @ scores["x"] + weights @ scores["y"]
    gap = told["code_length_y_to_x"] - told["code_length_x_to_y"]
    assert gap / marginal == pytest.approx(verdict.confidence, rel=1e-12)


def test_an_explanation_has_two_to_four_sentences_and_the_assumptions(verdict):
    text = verdict.explain()
    assert 2 <= sentences(text) <= 4
    assert text.endswith(ASSUMPTIONS)
    for word in ("common cause", "selection", "feedback"):
        assert word in text
    assert text.startswith("The data lean towards 'x' as the cause of 'y' (bqcd, ")
    assert "400 rows" in text


def test_an_explanation_without_evidence_states_finding_and_assumptions():
    text = Verdict(-0.3, PAIR, name="coin").explain()
    assert text.startswith("The data lean towards 'area' as the cause of 'side' (coin, ")
    assert "confidence -0.3" in text
    assert sentences(text) == 2


def test_an_undecided_explanation_names_neither_as_cause():
    x, _ = columns(50)
    text = bqcd.decide(x, x).explain()
    assert text.startswith("Which of 'x' and 'y' is the cause cannot be told from these data")
    assert "as the cause" not in text
    assert 2 <= sentences(text) <= 4


def test_dropped_rows_are_part_of_the_explanation():
    x, y = columns(50)
    x[0] = np.nan
    text = bqcd.decide(x, y, missing="drop").explain()
    assert "49 rows, 1 more left out for missing values" in text


@pytest.mark.parametrize(
    ("n_levels", "bound"), [(1, CHANCE_WITH_ONE_LEVEL), (3, CHANCE_WITH_MORE_LEVELS)]
)
def test_a_confidence_within_chance_is_called_weak_and_one_beyond_is_not(n_levels, bound):
    evidence = bqcd.decide(*columns(), n_levels=n_levels).evidence
    chance = bound / 20.0
    assert evidence.chance_bound == pytest.approx(chance)
    for sign in (-1.0, 1.0):
        weak = strength(evidence, sign * 0.99 * evidence.chance_bound)
        strong = strength(evidence, sign * 3.0 * evidence.chance_bound)
        assert "weak, and should not be relied on" in weak
        assert f"no direction exists ({chance:.2g} with this many rows)" in weak
        assert "weak" not in strong
        assert "3.0 times the 95 % limit for linear Gaussian data" in strong


def test_a_linear_gaussian_pair_is_called_weak():
    rng = np.random.default_rng(5)
    x = rng.normal(size=2000)
    verdict = bqcd.decide(x, x + rng.normal(size=2000))
    assert "weak, and should not be relied on" in verdict.explain()


def test_the_comparison_with_real_pairs_is_the_share_below(verdict):
    evidence = verdict.evidence
    assert list(TUEBINGEN_DECILES) == sorted(TUEBINGEN_DECILES)
    assert len(TUEBINGEN_DECILES) == 9
    assert "less than 10 % have a smaller |confidence|" in strength(evidence, 1e-9)
    assert strength(evidence, 0.0) == ""
    assert "more than 90 % have a smaller |confidence|" in strength(evidence, 1.0)
    between = (TUEBINGEN_DECILES[4] + TUEBINGEN_DECILES[5]) / 2
    assert "more than 50 % have a smaller |confidence|" in strength(evidence, -between)


def test_no_size_is_called_typical_for_a_regressor_that_was_not_measured():
    verdict = bqcd.decide(*columns(60), regressor="forest")
    assert verdict.evidence.chance_bound is None
    assert "copula regressor only" in verdict.explain()
    assert verdict.as_dict()["evidence"]["chance_bound"] is None


@pytest.mark.parametrize("through", [lambda v: pickle.loads(pickle.dumps(v)), copy.deepcopy])
def test_a_verdict_survives_pickling_and_copying(verdict, through):
    again = through(verdict)
    assert again.as_dict() == verdict.as_dict()
    assert again.explain() == verdict.explain()
    assert again.method == verdict.method
    assert np.array_equal(again.pair.x, verdict.pair.x)


def test_a_replaced_confidence_is_checked_too():
    with pytest.raises(ValueError, match="nan"):
        replace(Verdict(0.3, PAIR), confidence=float("nan"))


def test_whatever_has_a_decide_is_a_method():
    class Coin:
        def decide(self, pair, rng):
            return Verdict(rng.normal(), pair)

    assert isinstance(Coin(), Method)
    assert isinstance(bqcd.BQCD(), Method)
    assert not isinstance(object(), Method)
