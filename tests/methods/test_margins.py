"""The floor of the margins: blind to the relation, odd in the columns, and what was learned."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

import bqcd
from bqcd.data.margins import with_margins
from bqcd.data.pair import Direction, Pair
from bqcd.methods.margins import Margins, MarginsModel, margins_inputs, shipped_model
from bqcd.methods.models.trees import trees_of
from bqcd.statistics.margins import MARGIN_FEATURES, margin_features
from tests.methods.trials import AWKWARD


def some_pair(seed: int, n: int = 200) -> Pair:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair(x, (x**2 + rng.gamma(1.0, size=n)).round(seed % 3))


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_the_rows_of_one_column_gives_the_same_bits(seed):
    pair, rng = some_pair(seed), np.random.default_rng(seed)
    told = bqcd.decide_pair(pair, method="margins")
    for _ in range(3):
        torn = Pair(pair.x, rng.permutation(pair.y))
        again = bqcd.decide_pair(torn, method="margins")
        assert again.confidence == told.confidence
        assert again.as_dict() == told.as_dict()


@pytest.mark.parametrize("name", AWKWARD)
def test_exchanged_columns_flip_the_sign_to_the_bit(name):
    x, y = (np.asarray(column, float) for column in AWKWARD[name])
    one, other = (bqcd.decide(*columns, method="margins") for columns in ((x, y), (y, x)))
    assert one.confidence == -other.confidence
    assert one.probability == other.evidence.y_to_x


@pytest.mark.parametrize("seed", range(6))
def test_the_confidence_is_twice_the_probability_less_one(seed):
    verdict = bqcd.decide_pair(some_pair(seed), method="margins")
    assert verdict.confidence == pytest.approx(2.0 * verdict.probability - 1.0, abs=1e-15)
    assert verdict.evidence.x_to_y + verdict.evidence.y_to_x == pytest.approx(1.0, abs=1e-15)
    assert 0.0 < verdict.probability < 1.0


@pytest.mark.parametrize("margins", ["normal", "uniform"])
def test_equal_margins_leave_nothing_to_go_by(margins):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    pair = with_margins(Pair(x, np.exp(x) + 0.1 * rng.normal(size=300)), margins)
    verdict = bqcd.decide_pair(pair, method="margins")
    assert verdict.direction is Direction.UNDECIDED
    assert verdict.probability == 0.5


def test_trees_give_what_scikit_learn_gives():
    ensemble = pytest.importorskip("sklearn.ensemble")
    train = pytest.importorskip("benchmarks.panel.train_margins")
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 400, 5))
    y[:, 0] = np.abs(y[:, 0])
    rows = range(100, 500)
    first, second = (
        np.array([margins_inputs(a, b, n) for a, b, n in zip(*both, rows, strict=True)])
        for both in ((x, y), (y, x))
    )
    model = ensemble.HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=6, random_state=0)
    model.fit(np.vstack((first, second)), np.repeat([1, 0], 400))
    ours = MarginsModel(trees_of(train.exported(model, digits=17)), 1.0)
    found = [ours.log_odds(a, b, n) for a, b, n in zip(x, y, rows, strict=True)]
    expected = train.odd_scores(model, first, second)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.mean(np.array(found) > 0.0) > 0.8


def test_what_is_shipped_is_small_and_names_its_features():
    text = files("bqcd.methods").joinpath("margins.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    assert len(text) < 150_000
    assert tuple(stored["features"]) == MARGIN_FEATURES
    assert stored["training_pairs"] >= 20_000
    assert 0.0 < stored["shrinkage"] <= 1.0
    trees = shipped_model().trees
    assert trees.feature.max() <= 2 * len(MARGIN_FEATURES)
    assert np.isfinite(trees.value).all()


def test_a_cause_that_somebody_set_is_told_from_a_skewed_effect():
    right = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dose = np.arange(300) % 10.0
        response = np.exp(0.2 * dose + rng.normal(size=300))
        right += bqcd.decide(dose, response, method="margins").probability > 0.5
    assert right >= 18


def test_a_torn_pair_has_features_of_its_columns_only():
    pair = some_pair(3)
    evidence = Margins().decide(pair, np.random.default_rng(0)).evidence
    np.testing.assert_array_equal(evidence.x, margin_features(pair.x))
    np.testing.assert_array_equal(evidence.y, margin_features(pair.y))
    told = evidence.as_dict(pair)
    assert list(told["x_margin"]) == list(MARGIN_FEATURES)


def test_the_verdict_says_that_the_relation_had_no_say():
    said = bqcd.decide_pair(some_pair(1), method="margins").explain()
    assert "which values come together had no say" in said
