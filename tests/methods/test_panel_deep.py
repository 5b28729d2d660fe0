"""The deep panel: odd to the bit, one method more than the quick one, and what it is worth."""

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
from bqcd.methods import panel_voices
from bqcd.methods.gplvm import GPLVM
from bqcd.methods.models import panel_model
from bqcd.methods.models.panel_model import shipped_heads, shipped_version
from bqcd.methods.panel import Panel, PanelEvidence
from bqcd.methods.panel_voices import NAMES, SLOW_ROWS, SLOW_STEPS, heard, slow_sounds

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
RESULTS = BENCHMARKS / "results"
SLOW = ("gplvm", "gplvm effect", "ranks gplvm", "ranks gplvm effect")


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


@pytest.mark.parametrize("pair", [hill(60), tied(90), hill(510), tied(900)], ids=repr)
def test_slow_voices_flip_with_the_columns_whatever_the_order_of_rows(pair):
    rows = np.random.default_rng(1).permutation(len(pair))
    sounds = slow_sounds(pair)
    turned = slow_sounds(Pair(pair.y[rows], pair.x[rows]))
    assert {name: (-voice, level) for name, (voice, level) in turned.items()} == sounds
    assert set(sounds) == set(SLOW)
    assert all(voice != 0.0 for voice, _ in sounds.values())


def test_probabilities_of_both_orders_add_up_to_one(deep):
    other = evidence(hill(120).swapped())
    assert other.confidence == -deep.confidence
    for name, chance in deep.probabilities.items():
        assert chance + other.probabilities[name] == 1.0
    assert other.voices == tuple(replace(voice, sign=-voice.sign) for voice in deep.voices)


def test_the_same_pair_gets_the_same_answer(deep):
    again = Panel(depth="deep").evidence(hill(120), np.random.default_rng(99))
    assert again == deep


def test_deep_hears_one_method_more_and_tells_what_quick_would_say(deep):
    quick = evidence(hill(120), depth="quick")
    assert "quick" not in quick.log_odds
    assert deep.log_odds["quick"] == quick.log_odds["panel"]
    assert deep.log_odds["margins"] == quick.log_odds["margins"]
    assert deep.kinds == quick.kinds
    assert deep.log_odds["panel"] != quick.log_odds["panel"]
    more = [(voice.name, voice.sees) for voice in deep.voices if voice.name == "gplvm"]
    assert more == [("gplvm", "relation"), ("gplvm", "scales")]
    others = [voice.name for voice in deep.voices if voice.name != "gplvm"]
    assert others == [voice.name for voice in quick.voices]
    assert (quick.depth, deep.depth) == ("quick", "deep")


def test_gplvm_speaks_as_the_method_does():
    pair, sounds = hill(120), slow_sounds(hill(120))
    method = GPLVM(max_rows=SLOW_ROWS, draws=1, steps=SLOW_STEPS)
    for prefix, margins in (("", "as-is"), ("ranks ", "normal")):
        verdict = method.decide(with_margins(pair, margins), np.random.default_rng(0))
        facts = verdict.evidence.facts
        assert sounds[f"{prefix}gplvm"][0] == verdict.confidence
        effects = facts["y_to_x_effect"] - facts["x_to_y_effect"]
        assert sounds[f"{prefix}gplvm effect"][0] == effects


def test_ranks_know_the_relation_only():
    pair = hill(150)
    bent = Pair(np.exp(pair.x), pair.y**3)
    one, other = slow_sounds(pair), slow_sounds(bent)
    for name in ("ranks gplvm", "ranks gplvm effect"):
        assert one[name] == other[name]
    assert one["gplvm"] != other["gplvm"]


def test_a_voice_that_fails_says_nothing(monkeypatch):
    def failing(self, pair, rng):
        raise ZeroDivisionError

    monkeypatch.setattr(panel_voices.GPLVM, "evidence", failing)
    assert slow_sounds(hill(60)) == dict.fromkeys(SLOW, (0.0, 0.0))


def test_slow_voices_are_given_few_rows(monkeypatch):
    given = []

    def spy(self, x, y):
        given.append(len(x))
        return 1.0, 2.0, 3.0, 4.0

    monkeypatch.setattr(GPLVM, "_lengths", spy)
    sounds = slow_sounds(hill(700))
    assert given == [SLOW_ROWS, SLOW_ROWS]
    assert sounds["gplvm"] == (4.0, 10.0)
    assert sounds["gplvm effect"] == (2.0, 6.0)


def test_draws_are_averaged_and_rows_are_those_of_the_panel():
    found = evidence(hill(200), max_rows=60, draws=2)
    assert (found.n_rows, found.draws) == (60, 2)


def test_draws_in_which_nothing_varies_leave_the_pair_undecided():
    column = np.zeros(5000)
    column[17] = 1.0
    found = evidence(Pair(column, np.arange(5000.0)), max_rows=10)
    assert (found.confidence, found.voices) == (0.0, ())


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


def test_what_is_told_names_the_weights_and_the_quick_panel(deep):
    told = json.loads(json.dumps(deep.as_dict(hill(120))))
    assert told["weights"] == shipped_version("deep") != shipped_version()
    assert told["x_to_y"]["quick"] == deep.probabilities["quick"]
    named = [voice["name"] for side in told["voices"].values() for voice in side]
    assert named.count("gplvm") == 2


def test_explanation_tells_what_the_quick_panel_would_say(deep):
    verdict = bqcd.Verdict(deep.confidence, hill(120), deep, name="panel")
    chance = max(deep.probabilities["quick"], 1.0 - deep.probabilities["quick"])
    assert f"which only the deep panel hears, it would be {chance:.2f}" in verdict.explain()
    quick = evidence(hill(120), depth="quick")
    plain = bqcd.Verdict(quick.confidence, hill(120), quick, name="panel")
    assert "deep panel" not in plain.explain()


# -- weights ---------------------------------------------------------------------------


def test_weights_are_small_and_complete():
    path = Path(panel_model.__file__).with_name(panel_model.WEIGHTS["deep"])
    assert path.stat().st_size <= 300_000
    heads, names = shipped_heads("deep"), NAMES["deep"]
    assert set(heads) == {"panel", "relation", "scales"}
    assert {*names.relation, *names.scales} <= set(heads["panel"].names)
    assert set(names.relation) <= set(heads["relation"].names)
    assert not set(names.scales) & set(heads["relation"].names)
    voters = {heads["panel"].names[at] for at in heads["panel"].voters}
    assert voters == set(names.methods)


def test_the_evidence_has_a_reading_of_its_own():
    sounds = heard(hill(100), "deep")
    silent = {name: (0.0, level) for name, (_, level) in sounds.items()}
    for name, voice in (("panel", "gplvm"), ("relation", "ranks gplvm"), ("scales", "gplvm")):
        head = shipped_heads("deep")[name]
        at = head.names.index(voice)
        assert np.flatnonzero(head.readings).tolist() == [at]
        loud = silent | {voice: (head.units[at], 0.0)}
        without = replace(head, readings=np.zeros(0))
        gained = head.direction(loud) - without.direction(loud)
        assert gained == pytest.approx(head.shrinkage * head.readings[at] * np.log(2.0))
    assert len(shipped_heads()["panel"].readings) == 0


def test_log_odds_are_odd_for_any_voices():
    rng = np.random.default_rng(5)
    sounds = heard(hill(100), "deep")
    loud = {name: (rng.standard_cauchy(), level) for name, (_, level) in sounds.items()}
    turned = {name: (-voice, level) for name, (voice, level) in loud.items()}
    for name in ("panel", "relation", "scales"):
        head = shipped_heads("deep")[name]
        assert head.direction(loud) == -head.direction(turned) != 0.0


def test_gplvm_that_speaks_louder_speaks_for_its_direction():
    head = shipped_heads("deep")["panel"]
    units = dict(zip(head.names, head.units, strict=True))
    for seed in range(6):
        sounds = heard(hill(90, seed) if seed % 2 else tied(120), "deep")
        for name in ("gplvm", "ranks gplvm"):
            voice, level = sounds[name]
            louder = sounds | {name: (voice + (seed + 1) * units[name], level)}
            assert head.direction(louder) >= head.direction(sounds)


def test_what_is_shipped_is_what_was_recorded():
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    heads = shipped_heads("deep")
    for name, factor in record["shrinkages"].items():
        assert heads[name].shrinkage == factor
    page = RESULTS.joinpath("panel_deep.md").read_text(encoding="utf-8")
    for name, found in record["lines"].items():
        assert f"| {name} | {found['as drawn']['right']:.3f} |" in page


def test_the_page_says_what_was_recorded(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS / "panel"))
    sys.modules.pop("sheets", None)
    sheets = importlib.import_module("sheets")
    record = json.loads(RESULTS.joinpath("panel_deep.json").read_text(encoding="utf-8"))
    page = (BENCHMARKS.parent / "docs" / "panel.md").read_text(encoding="utf-8")
    assert sheets.with_words(page, sheets.deep_words(record)) == page


def test_readings_are_written_and_read(tmp_path, monkeypatch):
    """A model with a reading answers as it did before it was a file."""
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS / "panel"))
    for name in ("make", "learning", "shipping"):
        sys.modules.pop(name, None)
    learning, shipping = (importlib.import_module(name) for name in ("learning", "shipping"))
    rng = np.random.default_rng(0)
    names = tuple(sorted(heard(hill(60), "deep")))
    levels = np.abs(rng.normal(size=(300, len(names)))) + 1.0
    voices = rng.normal(size=(300, len(names))) + 0.3
    families, kinds = np.repeat(["a", "b", "c"], 100), np.zeros(300, dtype=np.int64)
    examples = learning.Examples(names, voices, levels, families, kinds)
    recipe = learning.Recipe(trees=5, leaves=6, least=10, reading=0.7)
    model = learning.odd_model(examples, NAMES["deep"].scales, recipe)
    path = tmp_path / "weights.npz"
    shipping.write_heads({"panel": shipping.head_arrays(model, 0.8)}, path)
    head = panel_model._head(np.load(path), "panel")
    assert head.readings[head.names.index("gplvm")] == 0.7
    unseen = replace(examples, voices=rng.normal(size=voices.shape) + 0.3)
    found = [
        head.direction(dict(zip(names, zip(voice, level, strict=True), strict=True)))
        for voice, level in zip(unseen.voices[:40].tolist(), levels[:40].tolist(), strict=True)
    ]
    # Leaves and thresholds are stored in single precision.
    assert found == pytest.approx((0.8 * model.direction(unseen))[:40], abs=2e-6)
