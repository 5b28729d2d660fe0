"""How far a verdict on groups of columns may be trusted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bqcd
from bqcd.assessments.dependence import dependence_of
from bqcd.assessments.drawing import halves_asked
from bqcd.assessments.stability import half_samples
from bqcd.data.vector_pair import vector_pair
from bqcd.errors import InvalidPairError, InvalidSettingError

RNG = np.random.default_rng(8)
X = RNG.normal(size=(240, 2))
Y = X[:, 0] ** 2 + 0.4 * X[:, 1] + 0.3 * RNG.normal(size=240)
TABLE = {"a": X[:, 0], "b": X[:, 1], "c": Y, "other": RNG.normal(size=240)}


def assessed(x=("a", "b"), y="c", **asked):
    return bqcd.assess(list(x), y, table=TABLE, **({"replicates": 20} | asked))


def test_an_assessment_of_groups_has_stability_an_interval_and_no_probability():
    found = assessed()
    assert found.verdict.name == "bqcd"
    assert found.stability.agreeing == 1.0
    assert found.interval.low > 0.0
    assert found.probability is None
    assert found.p_bound is None
    json.dumps(found.as_dict(), allow_nan=False)


def test_no_direction_is_told_and_the_reason_is():
    found = assessed()
    assert (found.answer, found.cause) == ("cannot tell", None)
    assert [limit.code for limit in found.limits] == ["groups"]
    assert "2 and 1 columns" in found.explain()
    assert "has not been measured" in found.explain()


def test_exchanged_sides_and_permuted_rows_change_the_sign_and_nothing_else():
    found, turned = assessed(), bqcd.assess("c", ["b", "a"], table=TABLE, replicates=20)
    assert turned.confidence == -found.confidence
    assert turned.stability == found.stability
    rows = RNG.permutation(240)
    shuffled = {name: column[rows] for name, column in TABLE.items()}
    again = bqcd.assess(["a", "b"], "c", table=shuffled, replicates=20)
    assert again.stability == found.stability
    assert (again.interval.low, again.interval.high) == (found.interval.low, found.interval.high)


def test_groups_depend_if_any_columns_do_and_looking_at_many_is_paid_for():
    pair = vector_pair(["a", "b"], "c", table=TABLE)
    each = [dependence_of(columns) for columns in pair.column_pairs()]
    found = dependence_of(pair)
    assert found.p_value == 2 * min(one.p_value for one in each)
    rng = np.random.default_rng(9)
    below = sum(
        dependence_of(vector_pair(rng.normal(size=(60, 4)), rng.normal(size=60))).p_value <= 0.05
        for _ in range(100)
    )
    # 5 of 100 are expected; 12 or more would come about less than once in a hundred times.
    assert below < 12


def test_independent_groups_are_told_to_be_so():
    rng = np.random.default_rng(10)
    found = bqcd.assess(rng.normal(size=(100, 3)), rng.normal(size=100), replicates=20)
    assert "independent" in found.doubts
    assert [limit.code for limit in found.limits] == ["no link", "groups"]


def test_rows_that_depend_on_the_row_before_are_drawn_in_blocks():
    walks = np.random.default_rng(11).normal(size=(400, 3)).cumsum(axis=0)
    found = bqcd.assess(walks[:, :2], walks[:, 2], replicates=20)
    assert found.together.kind == "blocks"
    alone = bqcd.assess(walks[:, :2], walks[:, 2], replicates=20, find_units=False)
    assert alone.together is None


def test_workers_and_more_replicates_do_not_change_the_first_halves():
    pair, method = vector_pair(X, Y), bqcd.BQCD()
    few = half_samples(pair, method, replicates=4).confidences
    np.testing.assert_array_equal(half_samples(pair, method, replicates=8).confidences[:4], few)
    np.testing.assert_array_equal(
        half_samples(pair, method, replicates=4, workers=2).confidences, few
    )


def test_many_pairs_of_columns_are_asked_about_fewer_halves():
    wide = RNG.normal(size=(60, 10))
    assert bqcd.assess(wide, Y[:60]).stability.replicates == 200
    pairs = vector_pair(wide, RNG.normal(size=(60, 12)))
    assert halves_asked(bqcd.decide_pair(pairs)) == 33


@pytest.mark.parametrize("asked", [{"by": "other"}, {"given": "other"}, {"units": "other"}])
def test_what_needs_two_columns_is_refused(asked):
    with pytest.raises(InvalidSettingError, match=f"{next(iter(asked))} of assess must be None"):
        assessed(**asked)


def test_methods_of_two_columns_refuse_groups_and_name_those_that_do_not():
    with pytest.raises(InvalidPairError, match=r"panel judges two.*: bqcd, auto, trace, vecci"):
        assessed(method="panel")
    with pytest.raises(InvalidSettingError, match="table of settings needs two columns"):
        _ = assessed().table


def test_vector_methods_are_assessed_as_well():
    found = assessed(x=("a", "c"), y=["b", "other"], method="vecci")
    assert found.answer == "cannot tell"
    assert found.stability.replicates == 20
