"""The deep panel: odd to the bit, the quick one but for the evidence it adds, which is a sum."""

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
from bqcd.data.margins import with_margins
from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError
from bqcd.methods import panel_deep
from bqcd.methods.answers import answer_by_probability
from bqcd.methods.gplvm import GPLVM
from bqcd.methods.models.panel_model import shipped_version
from bqcd.methods.panel import REAL_PAIRS, Panel, PanelEvidence
from bqcd.methods.panel_deep import ROWS, SLOW, STEPS, DeepHead, deep_sounds, shipped_deep_head
from bqcd.show.words.assessments import _on_real_pairs

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
RESULTS = BENCHMARKS / "results"


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


def test_evidence_counts_as_far_as_it_goes_beyond_ranks():
    head = DeepHead(0.7, 2.0, "")
    loud = [np.log1p(6.0 / 2.0), np.log1p(1.0 / 2.0)]
    for one, other in ((6.0, -1.0), (-6.0, 1.0)):
        sounds = {"gplvm": (one, 9.0), "ranks gplvm": (other, 9.0)}
        expected = 0.3 + 0.7 * np.sign(one) * (loud[0] + loud[1])
        assert head.log_odds(0.3, sounds) == pytest.approx(expected)
    alike = dict.fromkeys(SLOW, (5.0, 9.0))
    assert head.log_odds(0.3, alike) == 0.3
    far = {"gplvm": (1e9, 0.0), "ranks gplvm": (0.0, 0.0)}
    assert head.log_odds(0.0, far) == pytest.approx(0.7 * 4.0)


@pytest.mark.parametrize("pair", [hill(120), tied(200), hill(700)], ids=repr)
def test_on_normal_scores_deep_is_quick_to_the_bit(pair):
    scores = with_margins(pair, "normal")
    deep, quick = evidence(scores), evidence(scores, depth="quick")
    assert deep.log_odds["panel"] == quick.log_odds["panel"]
    assert deep.confidence == quick.confidence


def test_gplvm_speaks_as_the_method_does():
    sounds = deep_sounds(hill(120))
    for name, margins in (("gplvm", "as-is"), ("ranks gplvm", "normal")):
        method = GPLVM(max_rows=ROWS, draws=1, steps=STEPS)
        verdict = method.decide(with_margins(hill(120), margins), np.random.default_rng(0))
        assert sounds[name][0] == verdict.confidence


def test_a_voice_that_fails_says_nothing(monkeypatch):
    def failing(self, pair, rng):
        raise ZeroDivisionError

    monkeypatch.setattr(GPLVM, "evidence", failing)
    assert deep_sounds(hill(60)) == dict.fromkeys(SLOW, (0.0, 0.0))
    assert evidence(hill(60)).confidence == evidence(hill(60), depth="quick").confidence


def test_slow_voices_are_given_few_rows(monkeypatch):
    given = []

    def spy(self, x, y):
        given.append(len(x))
        return 1.0, 2.0, 3.0, 4.0

    monkeypatch.setattr(GPLVM, "_lengths", spy)
    assert deep_sounds(hill(700)) == dict.fromkeys(SLOW, (4.0, 10.0))
    assert given == [ROWS, ROWS]


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
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=250) if cause == "uniform" else rng.lognormal(size=250)
        fine += evidence(Pair(x, x * rng.normal(size=250))).probability > 0.35
    assert fine == 6


# -- the way in and out ----------------------------------------------------------------


def test_a_specification_names_the_depth():
    assert contender("panel:depth=deep").method == Panel(depth="deep")
    assert contender("panel").method == Panel() == Panel(depth="deep")
    assert contender("panel:depth=quick").method == Panel(depth="quick") != Panel()


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


@pytest.mark.parametrize("depth", ["quick", "deep"])
def test_an_assessment_tells_what_such_answers_of_this_panel_were_worth(depth):
    pair = hill(120)
    found = bqcd.assess(pair.x, pair.y, method="panel", depth=depth, replicates=10)
    pairs, right = REAL_PAIRS[depth][answer_by_probability(found.probability)]
    assert f"of {pairs} real pairs" in _on_real_pairs(found)
    assert _on_real_pairs(found).endswith(f"{right} were right")


def test_slow_voices_are_shown_apart(deep):
    assert [(voice.name, voice.sees) for voice in deep.slow] == [
        ("gplvm", "scales"),
        ("gplvm", "relation"),
    ]
    assert "gplvm" not in {voice.name for voice in deep.voices}
    told = json.loads(json.dumps(deep.as_dict(hill(120))))
    named = [voice["name"] for side in told["slow_voices"].values() for voice in side]
    assert named == ["gplvm", "gplvm"]
    assert told["x_to_y"]["quick"] == deep.probabilities["quick"]
    assert "slow_voices" not in evidence(hill(60), depth="quick").as_dict(hill(60))


def test_explanation_tells_what_the_slow_voices_say(deep):
    text = bqcd.Verdict(deep.confidence, hill(120), deep, name="panel").explain()
    side = {1: "for it", -1: "against it"}
    columns, ranks = deep.slow
    said = (
        f"gplvm in the columns is {side[columns.sign]} (strength {columns.strength:.2f}); "
        f"that in their ranks, {side[ranks.sign]} (strength {ranks.strength:.2f}), is taken off"
    )
    assert said in text
    assert f"Without evidence it would be {deep.probabilities['quick']:.2f} in place of" in text
    turned = bqcd.Verdict(-deep.confidence, hill(120), deep, name="panel").explain()
    assert f"gplvm in the columns is {side[-columns.sign]}" in turned


# -- weights ---------------------------------------------------------------------------


def test_the_weight_was_learned_with_the_shipped_quick_panel():
    head = shipped_deep_head()
    assert head.quick == shipped_version()
    assert head.weight > 0.0
    assert head.unit > 0.0


def test_what_is_shipped_is_what_was_recorded():
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    head = shipped_deep_head()
    assert record["head"] == {"weight": head.weight, "unit": head.unit, "quick": head.quick}
    assert (record["rows"], record["steps"]) == (panel_deep.ROWS, panel_deep.STEPS)


def test_the_weight_loses_least(monkeypatch):
    """Where evidence is right beyond its ranks it counts, and not where it is no better."""
    deep = benchmark_module(monkeypatch)
    rng = np.random.default_rng(0)
    quick, ones = rng.normal(0.5, 1.0, 4000), np.ones(4000)
    ranks = rng.normal(0.0, 10.0, 4000)
    right = deep.Pairs(quick, np.column_stack((ranks + 15.0, ranks)), ones, ones)
    chance = deep.Pairs(quick, np.column_stack((rng.normal(0.0, 10.0, 4000), ranks)), ones, ones)
    assert deep.best_head(right).weight > 1.0
    assert deep.best_head(chance).weight < 0.2
    head = deep.best_head(right)
    one = [
        head.log_odds(q, {"gplvm": (e, 0), "ranks gplvm": (r, 0)})
        for q, (e, r) in zip(quick[:20].tolist(), right.slow[:20].tolist(), strict=True)
    ]
    assert right.odds(head)[:20] == pytest.approx(one)


def benchmark_module(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS / "panel"))
    for name in ("deep", "foreign", "train", "learning", "make", "shipping", "answers", "sheets"):
        sys.modules.pop(name, None)
    return importlib.import_module("deep")


def test_the_page_says_what_was_recorded(monkeypatch):
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    deep = benchmark_module(monkeypatch)
    page = deep.PAGE.read_text(encoding="utf-8")
    assert deep.with_words(page, deep.deep_words(record)) == page
    assert RESULTS.joinpath("panel_deep.md").read_text(encoding="utf-8") == deep.deep_page(record)
