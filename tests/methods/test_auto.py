"""What is picked for which columns, and that coarseness alone decides nothing."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from benchmarks.auto_rule import differing, told_of
from benchmarks.discrete import NULLS, WITHOUT_ORDER, balance, null_pairs, told
from bqcd.benchmark.datasets import simulate_pairs
from bqcd.data.pair import Pair
from bqcd.data.scales import Scale
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.methods.asking import TAKE_LEVELS, judged
from bqcd.methods.coarseness import coarseness
from bqcd.methods.table import METHODS, make_method
from bqcd.methods.verdict import tells

RNG = np.random.default_rng(0)
N = 400
X = RNG.normal(size=N)
TABLE = {
    "x": X,
    "y": X**2 + 0.3 * RNG.normal(size=N),
    "grade": np.clip(np.round(X), -2, 2),
    "species": np.array(["oak", "elm", "ash"])[RNG.integers(3, size=N)],
    "soil": np.array(["clay", "sand", "loam", "peat"])[RNG.integers(4, size=N)],
    "code": RNG.integers(3, size=N),
}


def picked(x: str, y: str, **asked) -> tuple[str, str]:
    verdict = bqcd.decide(x, y, table=TABLE, method="auto", **asked)
    assert verdict.choice is not None
    assert verdict.choice.method == verdict.name
    return verdict.name, verdict.choice.reason


def test_the_method_follows_from_the_kinds_of_the_columns():
    assert picked("x", "y") == ("bqcd", "many values")
    assert picked("x", "grade") == ("panel", "few values")
    assert picked("species", "soil") == ("hcr", "no order")
    assert picked("species", "x") == ("hcr", "mixed")
    assert picked("code", "x") == ("panel", "few values")
    assert picked("code", "x", nominal="code") == ("hcr", "mixed")


@pytest.mark.parametrize(
    ("column", "coarse"),
    [
        (X, False),
        (X.round(5), False),
        (X.round(2), False),
        (X.round(1), True),
        (np.argsort(np.argsort(X)) // 2.0, True),
        (X.clip(-1.2), True),
        (np.clip(np.round(X), -2, 2), True),
    ],
)
def test_few_values_mean_the_same_to_auto_as_to_assessments(column, coarse):
    """By the same function, which a limit of assess and the notes of a scan go by."""
    assert (coarseness(column) is not None) is coarse
    choice = bqcd.decide(column, TABLE["y"], method="auto").choice
    assert choice.reason == ("few values" if coarse else "many values")
    (facts, _) = bqcd.scan({"x": column, "y": TABLE["y"]}, method="auto").columns
    assert bool(facts.coarse) is coarse


def test_twenty_rows_of_different_values_are_not_coarse():
    assert bqcd.decide(X[:20], TABLE["y"][:20], method="auto").choice.reason == "many values"


@pytest.mark.slow
def test_a_column_of_many_values_that_is_coarse_decides_nothing_by_that():
    """The 20 values that were once the bound left out most rounded columns."""
    found = [told_of(made) for made in differing(1, range(300_000, 300_700))]
    chance = [one.signs[2] != 0 for one in found if not one.directed]
    right = [one.signs[2] > 0 for one in found if one.directed and one.signs[2]]
    assert len(chance) >= 30
    assert np.mean(chance) <= 0.2
    assert np.mean(right) >= 0.75


def test_a_verdict_says_what_was_picked_and_why():
    verdict = bqcd.decide("species", "x", table=TABLE, method="auto")
    assert "hcr was picked as one column has no order." in verdict.explain()
    assert "no direction is told" in verdict.explain()
    assert verdict.answer == "cannot tell"
    assert verdict.as_dict()["choice"] == {"method": "hcr", "reason": "mixed", "withheld": True}
    assert bqcd.decide("x", "y", table=TABLE).choice is None


def test_an_assessment_asks_the_panel_where_there_is_an_order_and_tells_nothing_elsewhere():
    ordered = bqcd.assess("x", "y", table=TABLE, method="auto", replicates=10)
    assert ordered.verdict.name == "panel"
    assert ordered.probability is not None
    found = bqcd.assess("species", "soil", table=TABLE, method="auto", replicates=10)
    assert found.answer == "cannot tell"
    assert found.probability is None
    assert [limit.code for limit in found.limits][-1] == "no order"
    assert "has not been measured for columns without an order" in found.explain()


@pytest.mark.parametrize("method", ["bqcd", "panel", "danm", "acid", "lingam"])
def test_a_method_that_needs_an_order_says_which_do_not(method):
    with pytest.raises(InvalidPairError) as caught:
        bqcd.decide("species", "x", table=TABLE, method=method)
    message = str(caught.value)
    assert message.startswith(
        f"Column 'species' is categorical without an order, and {method} needs one."
    )
    assert "auto, cisc, entropic, hcr, origo" in message


def test_the_methods_named_for_levels_are_those_that_take_them():
    taking = {name for name, card in METHODS.items() if card.takes in ("levels", "any")}
    assert set(TAKE_LEVELS) == taking
    for name, card in METHODS.items():
        assert bool(getattr(card.build(), "takes_nominal", False)) == (name in taking), name


@pytest.mark.parametrize("name", TAKE_LEVELS)
def test_levels_may_be_called_anything(name):
    rng = np.random.default_rng(4)
    x = rng.choice(5, p=[0.4, 0.3, 0.15, 0.1, 0.05], size=N)
    y = (x * 2 + rng.choice(3, p=[0.6, 0.3, 0.1], size=N)) % 6
    words, others = (np.array([f"{letter}{at}" for at in range(6)]) for letter in "uv")
    first = bqcd.decide(words[x], others[y], method=name).confidence
    for _ in range(5):
        one, other = rng.permutation(words)[x], rng.permutation(others)[y]
        assert bqcd.decide(one, other, method=name).confidence == first
        assert bqcd.decide(other, one, method=name).confidence == -first


def test_third_columns_are_refused_beside_levels():
    with pytest.raises(InvalidSettingError, match="by and given of assess need columns with"):
        bqcd.assess("species", "soil", table=TABLE, method="auto", by="code")


def test_weighted_levels_are_judged_by_what_was_picked_for_all_rows():
    weights = RNG.uniform(0.5, 2.0, size=N)
    verdict = bqcd.decide("species", "soil", table=TABLE, method="auto", weights=weights)
    assert verdict.name == "hcr"
    assert verdict.choice is not None


# The panel judges the others twice.
KINDS = [
    *(pytest.param(kind, False, marks=pytest.mark.slow) for kind in NULLS),
    *((kind, True) for kind in WITHOUT_ORDER),
]


@pytest.mark.parametrize(("kind", "orderless"), KINDS)
def test_coarseness_alone_does_not_decide(kind, orderless):
    """Few directions are told where there is none, or either column is as often the cause."""
    signs = told("auto", null_pairs(kind, 300, 30, orderless=orderless))
    share, errors, asked = balance(signs)
    assert asked <= 0.15 or errors <= 3.0, (share, asked)


@pytest.mark.parametrize("kind", WITHOUT_ORDER)
def test_equal_levels_balance_hidden_compact_representation(kind):
    pairs = null_pairs(kind, 300, 80, orderless=True)
    share, errors, asked = balance(told("hcr:equal_levels=true", pairs))
    assert asked <= 0.15 or errors <= 3.0, (share, asked)


@pytest.mark.parametrize(("name", "cause"), [("cisc", 1), ("entropic", 1), ("hcr", -1)])
def test_what_the_cards_say_of_coarser_columns_is_so(name, cause):
    """As published they go by coarseness: the notes on their cards say which way."""
    pairs = null_pairs("symmetric table, merged", 300, 30, orderless=True)
    signs = told(name, pairs)
    assert (signs * cause > 0).mean() >= 0.85
    note = METHODS[name].note
    assert ("coarser" if cause > 0 else "finer") in note


FOR_LEVELS = [name for name, card in METHODS.items() if card.takes in ("levels", "whole numbers")]


@pytest.mark.parametrize("name", FOR_LEVELS)
def test_who_says_a_direction_of_most_pairs_without_any_tells_none_by_itself(name):
    method = make_method(name)
    for kind in ("linear Gaussian, graded", "symmetric table, merged"):
        verdicts = [judged(method, name, pair, 0) for pair in null_pairs(kind, 300, 12)]
        said = np.mean([verdict.confidence != 0.0 for verdict in verdicts])
        assert tells(method) == (said <= 0.15), (kind, said)
        if not tells(method):
            assert {verdict.answer for verdict in verdicts} == {"cannot tell"}
            assert {verdict.cause for verdict in verdicts} == {None}
            assert "No direction is told by this method" in verdicts[0].explain()


def test_what_auto_picks_is_told_where_the_same_method_by_name_is_not():
    items = simulate_pairs("hidden-levels", n_pairs=20, n_rows=600, seed=8)
    picked = {item.pair: bqcd.decide_pair(item.pair, method="auto") for item in items}
    told = [pair for pair, verdict in picked.items() if verdict.answer == "leaning"]
    assert told
    for pair in told:
        by_name = bqcd.decide_pair(pair, method="hcr", equal_levels=True)
        assert by_name.confidence == picked[pair].confidence != 0.0
        assert by_name.answer == "cannot tell"


def test_hidden_levels_are_told():
    items = list(simulate_pairs("hidden-levels", n_pairs=40, n_rows=600, seed=8))
    signs = told("auto", [item.pair for item in items])
    signs = signs * np.array([item.truth.sign for item in items])
    assert (signs > 0).sum() >= 0.8 * np.count_nonzero(signs)
    assert np.count_nonzero(signs) >= 15


def test_very_many_levels_are_refused():
    levels = tuple(f"{at:04d}" for at in range(250))
    codes = np.repeat(np.arange(250.0), 2)
    pair = Pair(codes, np.arange(500.0) % 7, "zip", "y", "", 0, Scale("nominal", levels=levels))
    with pytest.raises(InvalidPairError, match="'zip' must have at most 200 levels"):
        METHODS["cisc"].build().decide(pair, RNG)
