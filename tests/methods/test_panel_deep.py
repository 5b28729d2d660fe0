"""The deep panel: odd to the bit, the quick one but for its head, and a head that is plain sums."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.benchmark import contender
from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError
from bqcd.methods import panel_deep
from bqcd.methods.gpi import GPI
from bqcd.methods.models.panel_model import shipped_version
from bqcd.methods.panel import Panel, PanelEvidence, probability
from bqcd.methods.panel_deep import SLOW, DeepHead, deep_sounds, shipped_deep_head

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"


def hill(n: int, seed: int = 0) -> Pair:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2.0, 2.0, n)
    return Pair(x, np.exp(-(x**2)) + 0.1 * rng.normal(size=n), "dose", "response")


def tied(n: int) -> Pair:
    pair = hill(n)
    return Pair(np.round(3.0 * pair.x), np.round(8.0 * pair.y), "dose", "response")


def evidence(pair: Pair, **settings: object) -> PanelEvidence:
    return Panel(**{"depth": "deep", **settings}).evidence(pair, np.random.default_rng(0))


@pytest.fixture(scope="module")
def deep() -> PanelEvidence:
    return evidence(hill(120))


@pytest.mark.parametrize("pair", [hill(60), tied(90), hill(510)], ids=repr)
def test_slow_voices_flip_with_the_columns_whatever_the_order_of_rows(pair):
    rows = np.random.default_rng(1).permutation(len(pair))
    sounds = deep_sounds(pair)
    turned = deep_sounds(Pair(pair.y[rows], pair.x[rows]))
    assert {name: (-voice, level) for name, (voice, level) in turned.items()} == sounds
    assert all(voice != 0.0 for voice, _ in sounds.values())


def test_probabilities_of_both_orders_add_up_to_one(deep):
    other = evidence(hill(120).swapped())
    assert other.confidence == -deep.confidence
    for name, chance in deep.probabilities.items():
        assert chance + other.probabilities[name] == 1.0
    assert other.slow == tuple(replace(voice, sign=-voice.sign) for voice in deep.slow)


def test_the_same_pair_gets_the_same_answer(deep):
    again = Panel(depth="deep").evidence(hill(120), np.random.default_rng(99))
    assert again == deep


def test_deep_is_quick_but_for_its_head(deep):
    quick = evidence(hill(120), depth="quick")
    assert "quick" not in quick.log_odds
    assert quick.slow == ()
    assert deep.log_odds["quick"] == quick.log_odds["panel"]
    for name in ("relation", "scales", "margins"):
        assert deep.log_odds[name] == quick.log_odds[name]
    assert (deep.kinds, deep.voices) == (quick.kinds, quick.voices)
    head, sounds = shipped_deep_head(), deep_sounds(hill(120))
    assert deep.log_odds["panel"] == head.log_odds(quick.log_odds["panel"], sounds)
    assert deep.log_odds["panel"] != quick.log_odds["panel"]


def test_a_head_is_the_decision_function_of_a_logistic_regression():
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(3)
    quick, voices = rng.normal(size=400) + 0.5, rng.standard_cauchy((400, 2)) + 0.3
    units = {"gpi": 2.0, "roche": 0.5}
    scale = np.array(list(units.values()))
    loud = np.sign(voices) * np.minimum(np.log1p(np.abs(voices) / scale), 4.0)
    inputs = np.column_stack((quick, loud))
    both, target = np.vstack((inputs, -inputs)), np.repeat([1, 0], 400)
    model = linear_model.LogisticRegression(fit_intercept=False).fit(both, target)
    factor, *weights = model.coef_[0].tolist()
    head = DeepHead(factor, units, dict(zip(units, weights, strict=True)), "")
    found = [
        head.log_odds(one, {"gpi": (a, 0.0), "roche": (b, 0.0)})
        for one, (a, b) in zip(quick.tolist(), voices.tolist(), strict=True)
    ]
    assert found == pytest.approx(model.decision_function(inputs), abs=1e-12)
    chances = model.predict_proba(inputs)[:, 1]
    assert [probability(odds) for odds in found] == pytest.approx(chances, abs=1e-12)


def test_weights_are_those_of_a_logistic_regression(monkeypatch):
    linear_model = pytest.importorskip("sklearn.linear_model")
    deep = benchmark_module(monkeypatch)
    monkeypatch.setattr(deep, "PENALTY", 1e-9)
    rng = np.random.default_rng(4)
    quick, slow = rng.normal(size=600) + 0.5, rng.normal(size=(600, 4)) + 0.2
    pairs = deep.Pairs(quick, slow, np.repeat(["a", "b", "c"], 200))
    units = pairs.units()
    head = deep.learned(pairs, deep.SLOW, units)
    inputs = pairs.inputs(deep.SLOW, units)
    model = linear_model.LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10)
    model.fit(np.vstack((inputs, -inputs)), np.repeat([1, 0], 600))
    found = [head.factor, *head.weights.values()]
    assert found == pytest.approx(model.coef_[0], abs=1e-3)


def test_a_voice_that_is_mostly_wrong_is_not_heard_the_other_way_round(monkeypatch):
    pytest.importorskip("sklearn")
    deep = benchmark_module(monkeypatch)
    rng = np.random.default_rng(4)
    slow = rng.normal(size=(600, 4)) - 0.5
    pairs = deep.Pairs(rng.normal(size=600) + 0.5, slow, np.repeat(["a", "b"], 300))
    head = deep.learned(pairs, deep.SLOW, pairs.units())
    assert set(head.weights.values()) == {0.0}


def benchmark_module(monkeypatch):
    monkeypatch.syspath_prepend(str(RESULTS.parent / "panel"))
    for name in ("deep", "train", "learning", "make", "shipping", "answers", "sheets"):
        sys.modules.pop(name, None)
    return importlib.import_module("deep")


def test_a_head_without_slow_voices_is_the_quick_panel():
    sounds = dict.fromkeys(SLOW, (3.0, 1.0))
    silent = DeepHead(1.0, dict.fromkeys(SLOW, 1.0), dict.fromkeys(SLOW, 0.0), "")
    assert silent.log_odds(0.7, sounds) == 0.7
    mute = dict.fromkeys(shipped_deep_head().weights, (0.0, 0.0))
    assert shipped_deep_head().log_odds(0.0, mute) == 0.0


def test_gpi_speaks_as_the_method_does():
    pair = hill(120)
    verdict = GPI(max_rows=panel_deep.GPI_ROWS, draws=1).decide(pair, np.random.default_rng(0))
    assert deep_sounds(pair)["gpi"][0] == verdict.confidence


def test_slow_voices_are_given_few_rows(monkeypatch):
    given = []

    def spy(given_rows, target, **settings):
        given.append(len(target))
        raise ZeroDivisionError

    monkeypatch.setattr(panel_deep, "network_model", spy)
    monkeypatch.setattr(panel_deep, "GPI_ROWS", 30)
    sounds = deep_sounds(hill(700))
    assert given == [panel_deep.ROCHE_ROWS]
    assert sounds["roche"] == sounds["roche likelihood"] == (0.0, 0.0)
    assert sounds["gpi"][0] != 0.0


def test_draws_are_averaged_and_rows_are_those_of_the_panel():
    found = evidence(hill(200), max_rows=60, draws=2)
    assert (found.n_rows, found.draws) == (60, 2)


def test_draws_in_which_nothing_varies_leave_the_pair_undecided():
    column = np.zeros(5000)
    column[17] = 1.0
    found = evidence(Pair(column, np.arange(5000.0)), max_rows=10)
    assert (found.confidence, found.slow) == (0.0, ())


@pytest.mark.parametrize("cause", ["uniform", "lognormal"])
def test_products_with_noise_about_zero_are_right_or_unsure(cause):
    fine = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=250) if cause == "uniform" else rng.lognormal(size=250)
        fine += evidence(Pair(x, x * rng.normal(size=250))).probability > 0.35
    assert fine == 3


# -- the way in and out ----------------------------------------------------------------


def test_a_specification_names_the_depth():
    assert contender("panel:depth=deep").method == Panel(depth="deep")
    assert contender("panel").method == Panel() == Panel(depth="quick")


@pytest.mark.parametrize("depth", ["deeper", "", None, 2])
def test_another_depth_is_refused(depth):
    with pytest.raises(InvalidSettingError, match="depth of Panel must be"):
        Panel(depth=depth)


def test_decide_and_assess_take_the_depth(deep):
    pair = hill(120)
    verdict = bqcd.decide(pair.x, pair.y, method="panel", depth="deep")
    assert verdict.confidence == deep.confidence
    assert verdict.settings["depth"] == "deep"
    found = bqcd.assess(pair.x, pair.y, method="panel", depth="deep", replicates=10)
    assert found.probability == 0.5 * (1.0 + abs(deep.confidence))


def test_slow_voices_are_shown_apart(deep):
    assert [voice.name for voice in deep.slow] == list(SLOW)
    assert not {voice.name for voice in deep.voices} & set(SLOW)
    told = json.loads(json.dumps(deep.as_dict(hill(120))))
    named = [voice["name"] for side in told["slow_voices"].values() for voice in side]
    assert sorted(named) == sorted(SLOW)
    assert told["x_to_y"]["quick"] == deep.probabilities["quick"]
    assert "slow_voices" not in evidence(hill(60), depth="quick").as_dict(hill(60))


def test_explanation_names_the_slow_voices(deep):
    verdict = bqcd.Verdict(deep.confidence, hill(120), deep, name="panel")
    text = verdict.explain()
    side = {1: "for it", -1: "against it"}
    for voice in deep.slow:
        assert f"{voice.name} is {side[voice.sign]} (strength {voice.strength:.2f})" in text
    assert f"without them the probability is {deep.probabilities['quick']:.2f}" in text
    turned = bqcd.Verdict(-deep.confidence, hill(120), deep, name="panel").explain()
    assert f"gpi is {side[-deep.slow[0].sign]}" in turned


# -- weights ---------------------------------------------------------------------------


def test_weights_were_learned_with_the_shipped_quick_panel():
    head = shipped_deep_head()
    assert head.quick == shipped_version()
    assert set(SLOW) <= set(head.units)
    assert set(head.weights) <= set(head.units)
    assert head.factor > 0.5


def test_what_is_shipped_is_what_was_recorded():
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    head = shipped_deep_head()
    assert record["head"]["weights"] == dict(head.weights)
    assert record["head"]["factor"] == head.factor
    page = RESULTS.joinpath("panel_deep.md").read_text(encoding="utf-8")
    for name, found in record["lines"].items():
        assert f"| {name} | {found['right']:.3f} |" in page


def test_the_page_says_what_was_recorded(monkeypatch):
    pytest.importorskip("sklearn")
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    deep = benchmark_module(monkeypatch)
    page = deep.PAGE.read_text(encoding="utf-8")
    assert deep.with_words(page, deep.deep_words(record)) == page
    assert RESULTS.joinpath("panel_deep.md").read_text(encoding="utf-8") == deep.deep_page(record)
