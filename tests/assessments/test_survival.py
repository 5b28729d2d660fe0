"""A third column of each kind, with what is known to come out."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial

import numpy as np
import pytest

import bqcd
from benchmarks.third_columns import CASES, case_outcomes, simpson
from bqcd.assessments.survival import left_of, survival_of
from bqcd.assessments.third_columns import third_column
from bqcd.data.pair import Pair
from bqcd.errors import InvalidPairError, InvalidSettingError

# Quick, and its answers are known.
assess = partial(bqcd.assess, method="bqcd")

EXPECTED = {
    "groups of Simpson's kind": {"reverses"},
    "a common cause, numbers": {"vanishes"},
    "a common cause, groups": {"vanishes", "weaker"},
    "a mediator": {"vanishes"},
    "an effect of both (collider), which are unrelated": {"appears"},
    "an effect of both (a total), which are related": {"reverses"},
    "a cause of the cause": {"survives"},
    "a copy of the cause": {"hidden"},
}


def table_of(name: str, seed: int = 0) -> dict[str, np.ndarray]:
    return CASES[name](np.random.default_rng(seed), 600)


@pytest.mark.parametrize("name", CASES)
def test_each_kind_of_third_column_comes_out_as_it_should(name):
    outcomes = Counter(case_outcomes(name, 6)["outcomes"])
    usual = sum(outcomes[outcome] for outcome in EXPECTED[name])
    assert usual == 6, outcomes
    assert outcomes.most_common(1)[0][0] != "weaker"


def test_simpsons_case_is_told_group_by_group_and_pooled():
    found = assess("x", "y", table=table_of("groups of Simpson's kind"), by="z")
    survival = found.survival
    assert survival.before.spearman < -0.5 < 0.5 < survival.after.spearman
    assert [group.label for group in survival.groups] == sorted(
        ("red", "green", "blue"),
        key=lambda label: -next(g.n_rows for g in survival.groups if g.label == label),
    )
    assert all(group.dependence.spearman > 0.5 for group in survival.groups)
    assert sum(group.n_rows for group in survival.groups) == survival.n_rows == 600
    assert found.answer == "cannot tell"
    assert "Within groups of 'z' the link has the opposite sign" in found.aside


def test_a_common_cause_takes_link_and_direction_away():
    found = assess("x", "y", table=table_of("a common cause, numbers"), given="z")
    assert found.survival.after.strength < 0.25 * found.survival.before.strength
    assert (found.answer, found.probability) == ("cannot tell", 0.5)
    assert "Given 'z' the link all but vanishes" in found.aside
    assert "may cause both, or lie between them" in found.aside


def test_an_effect_of_both_makes_a_link_and_the_words_warn_of_it():
    name = "an effect of both (collider), which are unrelated"
    found = assess("x", "y", table=table_of(name), given=["z"])
    assert "a link appears" in found.aside
    assert "effect of both" in found.aside
    assert found.answer == "cannot tell"


def test_a_direction_survives_a_cause_of_the_cause_and_is_told_so():
    rng = np.random.default_rng(3)
    z = rng.integers(3, size=900)
    x = 0.5 * z + rng.normal(size=900)
    y = (x - 0.5 * z) ** 2 + 0.3 * z + 0.3 * rng.normal(size=900)
    # To bQCD a valley looks like a fan, which it gets wrong.
    found = assess(x, y, by=np.array(["a", "b", "c"])[z], method="panel")
    assert found.survival.outcome == "survives"
    assert found.survival.answer in ("clear", "leaning")
    assert found.survival.confidence > 0.0
    assert "the link survives" in found.aside
    assert "'x' still looks like the cause" in found.aside
    assert [group.confidence > 0.0 for group in found.survival.groups] == [True] * 3


def test_columns_without_a_link_have_none_given_something_else_either():
    x, y, z = np.random.default_rng(9).normal(size=(3, 300))
    found = assess(x, y, given=z, replicates=20)
    assert found.survival.outcome == "absent"
    assert "Given 'given' there is no evidence of a link either" in found.aside


def test_several_columns_are_given_together():
    rng = np.random.default_rng(4)
    one, other, *noise = rng.normal(size=(4, 1000))
    kind = rng.integers(2, size=1000)
    x = one + other + kind + 0.5 * noise[0]
    y = one + other - kind + 0.5 * noise[1]
    table = {"x": x, "y": y, "one": one, "other": other, "kind": np.array(["a", "b"])[kind]}
    # Each alone leaves part of the link: all of them together do not.
    assert assess("x", "y", table=table, given=["one"]).survival.outcome != "vanishes"
    found = assess("x", "y", table=table, given=["one", "other", "kind"])
    assert found.survival.outcome == "vanishes"
    assert "'one', 'other' and 'kind' may together cause both" in found.aside


def test_exchanging_the_columns_changes_signs_only():
    table = table_of("a cause of the cause")
    one, other = (
        assess(*names, table=table, given="z", replicates=20).survival
        for names in (("x", "y"), ("y", "x"))
    )
    assert one.confidence == -other.confidence
    assert (one.outcome, one.answer, one.after) == (other.outcome, other.answer, other.after)


def test_rows_in_which_what_is_given_is_missing_are_left_out():
    table = table_of("a common cause, groups")
    kinds = [None if at % 10 == 0 else kind for at, kind in enumerate(table["z"])]
    found = assess("x", "y", table=table | {"z": kinds}, by="z", replicates=20)
    assert found.survival.n_rows == 540
    assert found.verdict.n_rows == 600


def test_small_groups_are_left_out_and_nothing_left_is_an_error():
    rng = np.random.default_rng(5)
    pair = Pair(*rng.normal(size=(2, 100)))
    sizes = ["a"] * 60 + ["b"] * 36 + ["c"] * 4
    left = left_of(pair, [third_column(sizes, "kind")])
    assert len(left.pair) == 96
    with pytest.raises(InvalidPairError, match="is left given 'by'"):
        assess(pair.x, pair.y, by=[f"{at // 3}" for at in range(100)])


def test_given_columns_go_without_weights():
    x, y = np.random.default_rng(6).normal(size=(2, 100))
    with pytest.raises(InvalidSettingError, match="by of assess must be None with weights"):
        assess(x, y, weights=np.arange(1.0, 101.0), by=["a", "b"] * 50)


def test_all_of_it_is_ready_for_json():
    found = assess("x", "y", table=simpson(np.random.default_rng(7), 300), by="z")
    told = json.loads(json.dumps(found.as_dict()))
    assert told["survival"]["outcome"] == "reverses"
    assert len(told["survival"]["groups"]) == 3
    assert told["aside"] == found.aside
    assert told["claimed"] == found.claimed


def test_a_link_that_could_not_be_seen_is_not_said_to_vanish():
    # Nearly all of x follows from z: what is left is too little to show a link.
    rng = np.random.default_rng(8)
    x, *noise = rng.normal(size=(3, 300))
    pair = Pair(x, x + noise[0])
    column = third_column(x + 0.03 * noise[1], "z")
    assert survival_of("given", left_of(pair, [column]), [column]).outcome == "hidden"
