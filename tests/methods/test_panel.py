"""The panel: odd to the bit, honest about its parts, and the same as scikit-learn's models."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bqcd
from bqcd.data.margins import with_margins
from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError
from bqcd.methods import panel_voices
from bqcd.methods.models import panel_model
from bqcd.methods.models.panel_model import context_of, shipped_heads, squashed
from bqcd.methods.models.panel_scores import MARGINS, SCORES, directed_scores, margin_scores
from bqcd.methods.panel import Panel, PanelEvidence, Voice, probability
from bqcd.methods.panel_voices import (
    AS_THEY_COME,
    FEW_ROWS,
    ON_RANKS,
    RELATION,
    SCALES,
    heard,
    mean_sounds,
)
from bqcd.statistics.scaling import unit_variance

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "panel"


def hill(n: int, seed: int = 0) -> Pair:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2.0, 2.0, n)
    return Pair(x, np.exp(-(x**2)) + 0.1 * rng.normal(size=n), "dose", "response")


def tied(n: int, seed: int = 0) -> Pair:
    pair = hill(n, seed)
    return Pair(np.round(3.0 * pair.x), np.round(8.0 * pair.y), "dose", "response")


def evidence(pair: Pair, **settings: int) -> PanelEvidence:
    return Panel(**settings).evidence(pair, np.random.default_rng(0))


# -- promises --------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [hill(300), tied(300), hill(1300), tied(2300)], ids=repr)
def test_every_voice_flips_with_the_columns_and_no_level_moves(pair):
    rows = np.random.default_rng(1).permutation(len(pair))
    sounds = heard(pair)
    turned = heard(Pair(pair.y[rows], pair.x[rows]))
    assert {name: (-voice, level) for name, (voice, level) in turned.items()} == sounds


@pytest.mark.parametrize("pair", [hill(300), tied(300), tied(2300)], ids=repr)
def test_probabilities_of_both_orders_add_up_to_one(pair):
    one, other = evidence(pair), evidence(pair.swapped())
    assert other.confidence == -one.confidence
    for name, chance in one.probabilities.items():
        assert chance + other.probabilities[name] == 1.0
    assert one.answers["x_to_y"] == other.answers["y_to_x"]
    assert one.answers["common_cause"] == other.answers["common_cause"]


def test_confidence_is_twice_the_probability_less_one():
    found = evidence(hill(300))
    told = 2.0 * found.probabilities["panel"] - 1.0
    assert found.confidence == pytest.approx(found.grounds * told, abs=1e-15)
    assert found.probability == pytest.approx(0.5 * (1.0 + found.confidence), abs=1e-15)
    assert sum(found.answers.values()) == pytest.approx(1.0, abs=1e-12)


def test_relation_knows_ranks_only():
    pair = hill(400)
    bent = Pair(np.exp(pair.x), np.arctan(5.0 * pair.y), "dose", "response")
    one, other = (evidence(with_margins(seen, "normal")) for seen in (pair, bent))
    assert one.log_odds == other.log_odds
    as_they_come = evidence(pair).log_odds, evidence(bent).log_odds
    assert as_they_come[0]["relation"] == as_they_come[1]["relation"]
    assert as_they_come[0]["scales"] != as_they_come[1]["scales"]
    assert as_they_come[0]["margins"] != as_they_come[1]["margins"]


def test_scales_and_relation_hear_the_same_of_normal_scores():
    pair = with_margins(hill(300), "normal")
    sounds = heard(pair)
    for name in SCORES:
        assert sounds[name][0] == pytest.approx(sounds[f"ranks {name}"][0], abs=1e-9), name


def test_margins_say_nothing_of_equal_margins():
    pair = hill(400)
    x = np.sort(pair.x)
    partner = x[np.argsort(np.argsort(pair.y))]
    found = evidence(Pair(pair.x, partner))
    assert found.log_odds["margins"] == 0.0
    assert found.log_odds["panel"] != 0.0


# -- answers ---------------------------------------------------------------------------


def test_an_easy_pair_is_told_with_some_certainty():
    rights = [evidence(hill(400, seed)).probabilities["panel"] for seed in range(6)]
    assert min(rights) > 0.6


def test_linear_gaussian_pairs_are_a_coin_flip_and_known_to_be():
    claimed = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=250)
        found = evidence(Pair(x, x + rng.normal(size=250)))
        claimed.append(max(found.probabilities["panel"], 1.0 - found.probabilities["panel"]))
    assert np.mean(claimed) < 0.68


@pytest.mark.parametrize("cause", ["uniform", "lognormal"])
def test_products_with_noise_about_zero_are_right_or_unsure(cause):
    """Y = X E, which quantile codes get wrong with great certainty."""
    fine = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=500) if cause == "uniform" else rng.lognormal(size=500)
        fine += evidence(Pair(x, x * rng.normal(size=500))).probabilities["panel"] > 0.35
    assert fine >= 7


def test_where_there_is_nothing_to_tell_nothing_is_claimed():
    odds = {"panel": 3.0, "relation": 0.0, "scales": 0.0, "margins": 0.0}
    sure = PanelEvidence(odds, {"linked": 50.0, "direct": 0.8}, (), 300)
    assert sure.probability == pytest.approx(probability(3.0))
    apart = PanelEvidence(odds, {"linked": -50.0, "direct": 0.7}, (), 300)
    assert apart.probability == pytest.approx(0.5)
    # Half as likely with a direct link as with a common cause, of which there are half as many.
    third = PanelEvidence(odds, {"linked": 50.0, "direct": 0.0}, (), 300)
    assert third.confidence == pytest.approx(0.5 * sure.confidence)
    unrelated = np.random.default_rng(3).gamma(2.0, size=(8, 2, 400))
    assert max(abs(evidence(Pair(*columns)).confidence) for columns in unrelated) < 0.3


def test_unrelated_columns_are_seen_to_be():
    rng = np.random.default_rng(3)
    apart = [evidence(Pair(*rng.gamma(2.0, size=(2, 400)))).answers["no_link"] for _ in range(5)]
    linked = [evidence(hill(400, seed)).answers["no_link"] for seed in range(5)]
    assert np.median(apart) > 0.7 > 0.2 > max(linked)


def test_voices_are_told_apart_and_split():
    found = evidence(hill(300))
    assert [voice.sees for voice in found.voices].count("relation") == len(ON_RANKS)
    assert len(found.voices) == len(ON_RANKS) + len(AS_THEY_COME)
    assert all(0.0 <= voice.strength < 1.0 for voice in found.voices)
    agreeing, against = found.split()
    abstaining = [voice for voice in found.voices if voice.sign == 0]
    assert len(agreeing) + len(against) + len(abstaining) == len(found.voices)
    told = json.loads(json.dumps(found.as_dict(hill(300))))
    assert len(told["voices"]["x_to_y"]) == len(agreeing)


def test_explanation_names_those_that_disagree():
    voices = (Voice("cdci", "scales", -1, 0.9), Voice("bqcd 3", "relation", 1, 0.5))
    odds = {"panel": 1.0, "relation": 0.5, "scales": 0.2, "margins": -1.0}
    found = PanelEvidence(odds, {"linked": 3.0, "direct": 1.0}, voices, 300)
    verdict = bqcd.Verdict(found.confidence, hill(300), found, name="panel")
    text = verdict.explain()
    assert "1 of 2 voices agree" in text
    assert "Loudest against it: cdci (as they come)" in text
    assert f"would give it {probability(-1.0):.2f}" in text
    turned = bqcd.Verdict(-found.confidence, hill(300), found, name="panel").explain()
    assert f"would give it {probability(1.0):.2f}" in turned


@pytest.mark.parametrize(("linked", "granted"), [(20.0, False), (0.0, True)])
def test_the_probability_told_is_that_of_the_confidence(linked, granted):
    odds = dict.fromkeys(("panel", "relation", "scales", "margins"), 1.0)
    found = PanelEvidence(odds, {"linked": linked, "direct": 20.0}, (), 300)
    text = bqcd.Verdict(found.confidence, hill(300), found, name="panel").explain()
    assert f"The probability of that direction is {found.probability:.2f}" in text
    assert (f"; if one causes the other, {probability(1.0):.2f}:" in text) is granted


# -- rows ------------------------------------------------------------------------------


def test_long_pairs_are_judged_on_rows_drawn_at_random():
    pair = hill(500)
    few, other = (
        Panel(max_rows=100).evidence(pair, np.random.default_rng(seed)) for seed in (0, 1)
    )
    assert few.n_rows == other.n_rows == 100
    assert few.log_odds != other.log_odds
    assert evidence(pair, max_rows=0).log_odds == evidence(pair).log_odds
    assert evidence(pair).n_rows == 500


def test_draws_are_averaged():
    sounds = [{"a": (1.0, 3.0)}, {"a": (2.0, 5.0)}]
    assert mean_sounds(sounds) == {"a": (1.5, 4.0)}
    assert mean_sounds(sounds[:1]) == sounds[0]
    assert evidence(hill(200), max_rows=80, draws=3).n_rows == 80


def test_draws_in_which_nothing_varies_leave_the_pair_undecided():
    column = np.zeros(5000)
    column[17] = 1.0
    found = evidence(Pair(column, np.arange(5000.0)), max_rows=10)
    assert (found.confidence, found.voices, found.n_rows) == (0.0, (), 0)


@pytest.mark.parametrize("settings", [{"max_rows": 9}, {"max_rows": -1}, {"draws": 0}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(InvalidSettingError, match="of Panel must be"):
        Panel(**settings)


def test_costly_voices_are_given_fewer_rows(monkeypatch):
    given = []
    monkeypatch.setattr(panel_voices, "COSTLY", {"spy": lambda pair: given.append(len(pair)) or {}})
    heard(hill(FEW_ROWS + 300))
    assert given == [FEW_ROWS, FEW_ROWS]


def test_a_voice_that_fails_is_mute():
    def fails(pair: Pair) -> tuple[float, float]:
        raise ZeroDivisionError

    assert panel_voices.safely("spy", fails)(hill(50)) == {"spy": (0.0, 0.0)}
    infinite = panel_voices.safely("spy", lambda pair: (np.inf, 0.0))
    assert infinite(hill(50)) == {"spy": (0.0, 0.0)}


# -- quick numbers, worked out by hand -------------------------------------------------


def test_a_parabola_is_explained_one_way_and_turns_on_that_way():
    x = np.linspace(-1.0, 1.0, 400)
    columns = unit_variance(x), unit_variance(x**2)
    one, other = (
        dict(zip(SCORES, directed_scores(*way), strict=True)) for way in (columns, columns[::-1])
    )
    assert one["unexplained"] < 0.05
    assert other["unexplained"] > 0.95
    assert one["turns"] > 0.8
    assert one["neighbours"] < 0.1


def test_neighbours_of_unrelated_columns_are_about_one():
    x, y = np.random.default_rng(0).normal(size=(2, 2000))
    scores = dict(zip(SCORES, directed_scores(unit_variance(x), unit_variance(y)), strict=True))
    # Chatterjee's coefficient is one less it, and has a standard error of about 0.014 here.
    assert scores["neighbours"] == pytest.approx(1.0, abs=0.06)


def test_neighbours_are_those_of_chatterjee():
    from scipy.stats import chatterjeexi

    pair = hill(300)
    scores = dict(
        zip(SCORES, directed_scores(unit_variance(pair.x), unit_variance(pair.y)), strict=True)
    )
    xi = chatterjeexi(pair.x, pair.y).statistic
    assert 1.0 - scores["neighbours"] == pytest.approx(xi, abs=1e-3)


def test_margin_numbers_of_a_column_worked_out_by_hand():
    column = np.repeat([0.0, 1.0, 2.0, 10.0], [4, 3, 2, 1])
    found = dict(zip(MARGINS, margin_scores(column), strict=True))
    assert found["unique"] == 0.4
    assert found["heaped"] == 0.4
    assert found["even-gaps"] == pytest.approx(0.125)
    shares = np.array([4, 3, 2, 1]) / 10
    assert found["range-entropy"] == pytest.approx(-(shares * np.log(shares)).sum())


# -- weights ---------------------------------------------------------------------------


def test_weights_are_small_and_complete():
    path = Path(panel_model.__file__).with_name(panel_model.WEIGHTS)
    assert path.stat().st_size <= 300_000
    heads = shipped_heads()
    assert set(heads) == {"panel", "relation", "scales", "linked", "direct"}
    assert set(RELATION) | set(SCALES) <= set(heads["panel"].names)
    assert not set(SCALES) & set(heads["relation"].names)
    assert not set(RELATION) & set(heads["scales"].names)
    assert all(0.0 < head.shrinkage <= 1.2 for head in heads.values())


def test_log_odds_are_odd_for_any_voices():
    rng = np.random.default_rng(5)
    sounds = heard(hill(100))
    loud = {name: (rng.standard_cauchy(), level) for name, (_, level) in sounds.items()}
    turned = {name: (-voice, level) for name, (voice, level) in loud.items()}
    for name in ("panel", "relation", "scales"):
        head = shipped_heads()[name]
        assert head.direction(loud) == -head.direction(turned) != 0.0
    silent = {name: (0.0, level) for name, (_, level) in sounds.items()}
    assert shipped_heads()["panel"].direction(silent) == 0.0


def test_models_of_scikit_learn_are_read_exactly(tmp_path, monkeypatch):
    """A small model is learned, written, read again, and answers as scikit-learn does."""
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    learning, shipping = _module("learning"), _module("shipping")
    rng = np.random.default_rng(0)
    sounds = heard(hill(60))
    names = tuple(sorted(sounds))
    levels = np.abs(rng.normal(size=(300, len(names)))) + 1.0
    voices = rng.normal(size=(300, len(names))) + 0.3
    families = np.repeat(["a", "b", "c"], 100)
    kinds = np.zeros(300, dtype=np.int64)
    examples = learning.Examples(names, voices, levels, families, kinds)
    recipe = learning.Recipe(trees=5, leaves=6, least=10)
    model = learning.odd_model(examples, RELATION, recipe)
    path = tmp_path / "weights.npz"
    shipping.write_heads({"panel": shipping.head_arrays(model, 0.8)}, path)
    head = panel_model._head(np.load(path), "panel")
    found = [
        head.direction(dict(zip(names, zip(voice, level, strict=True), strict=True)))
        for voice, level in zip(voices[:40].tolist(), levels[:40].tolist(), strict=True)
    ]
    # Leaves are stored in single precision.
    assert found == pytest.approx((0.8 * model.direction(examples))[:40], abs=2e-6)
    assert len(head.voters) == len(ON_RANKS)
    assert path.read_bytes() == _again(shipping, model, tmp_path / "again.npz")


def _again(shipping, model, path: Path) -> bytes:
    shipping.write_heads({"panel": shipping.head_arrays(model, 0.8)}, path)
    return path.read_bytes()


def _module(name: str):
    import importlib

    sys.modules.pop(name, None)
    return importlib.import_module(name)


def test_methods_vote_and_each_counts_as_one_at_most():
    sounds = heard(hill(100))
    head = shipped_heads()["panel"]
    silent = {name: (0.0, level) for name, (_, level) in sounds.items()}
    voters = [head.names[at] for at in head.voters]
    assert set(voters) == {*ON_RANKS, *AS_THEY_COME}
    loud = silent | {voters[0]: (1e9, 0.0)}
    without = replace(head, ballot=0.0)
    gained = head.direction(loud) - without.direction(loud)
    assert gained == pytest.approx(head.shrinkage * head.ballot / len(voters))
    assert len(shipped_heads()["linked"].voters) == 0


def test_a_method_that_speaks_louder_speaks_for_its_direction():
    rng = np.random.default_rng(7)
    head = shipped_heads()["panel"]
    units = dict(zip(head.names, head.units, strict=True))
    for seed in range(6):
        sounds = heard(hill(90, seed) if seed % 2 else tied(120, seed))
        for name in rng.choice((*ON_RANKS, *AS_THEY_COME), 6, replace=False):
            voice, level = sounds[name]
            louder = sounds | {name: (voice + 3.0 * rng.random() * units[name], level)}
            assert head.direction(louder) >= head.direction(sounds)


def test_the_margins_are_heard_by_the_method_of_that_name():
    found = evidence(hill(300))
    alone = bqcd.decide(hill(300).x, hill(300).y, method="margins")
    assert found.confidence != alone.confidence
    assert probability(found.log_odds["margins"]) == pytest.approx(alone.probability, abs=1e-12)


def test_voices_are_squashed_by_their_units():
    assert squashed(np.array([[1.0, -1e9]]), np.array([1.0, 1.0])).tolist() == [[np.log(2.0), -4.0]]
    sounds = heard(hill(100))
    context = context_of({name: np.array([level]) for name, (_, level) in sounds.items()})
    assert context.shape == (1, len(panel_model.CONTEXT))
    assert context[0, 0] == pytest.approx(np.log(100.0))


# -- the prior -------------------------------------------------------------------------


def test_any_simulated_pair_can_be_made_by_itself(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    prior = _module("prior")
    one = prior.simulated("product", 5)
    prior.simulated("additive", 5)
    again = prior.simulated("product", 5)
    assert np.array_equal(one.x, again.x)
    assert np.array_equal(one.y, again.y)
    assert not np.array_equal(one.x, prior.simulated("product", 6).x[: len(one.x)])


def test_every_family_makes_pairs_and_gaussian_causes_meet_no_published_noise(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    prior, noises = _module("prior"), _module("noises")
    for family in prior.EVERY:
        pair = prior.simulated(family, 0)
        assert prior.FEWEST <= len(pair.x) == len(pair.y) <= prior.MOST
        Pair(pair.x, pair.y)
    rng = np.random.default_rng(0)
    met = {noises.drawn_noise(20, rng, cause="normal")[0] for _ in range(200)}
    assert met == set(noises.NOISES) - {"normal", "uniform"}


def test_no_family_of_the_prior_is_a_published_generator(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    source = "".join(path.read_text(encoding="utf-8") for path in BENCHMARKS.glob("*.py"))
    assert "datasets.generators" not in source
    assert "gaussian_process" not in source
