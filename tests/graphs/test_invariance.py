"""Invariant quantile prediction: causes named, errors kept, means beaten where spreads move."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from benchmarks.invariance import by_means, counted, named, table
from bqcd import invariant_causes
from bqcd.errors import InvalidPairError, InvalidSettingError, InvalidTableError


def test_the_cause_that_environments_act_on_is_named():
    found = invariant_causes(table(np.random.default_rng(0)), "y", "site")
    assert found.causes == ("x",)
    assert found.p_values["x"] < 1e-3
    assert found.environments == {"a": 200, "b": 200, "c": 200}
    assert len(found.sets) == 8
    assert "In all of these sets: x." in found.summary


def test_an_environment_that_changes_the_spread_of_a_cause_only_is_enough():
    found = invariant_causes(table(np.random.default_rng(1), change="spread"), "y", "site")
    assert found.causes == ("x",)


def test_an_environment_that_acts_on_the_spread_of_the_target_leaves_no_set():
    columns = table(np.random.default_rng(2))
    columns["y"] = columns["y"] * np.where(columns["site"] == "b", 2.0, 1.0)
    found = invariant_causes({**columns, "z": columns["w"] ** 3}, "y", "site")
    assert found.causes == ()
    assert found.accepted == ()
    assert set(found.p_values.values()) == {1.0}
    assert "No set passes" in found.summary


def test_without_a_change_nothing_is_named():
    columns = table(np.random.default_rng(3))
    columns["site"] = np.random.default_rng(4).permutation(columns["site"])
    found = invariant_causes(columns, "y", "site")
    assert found.causes == ()
    assert "none can be named" in found.summary


def test_screening_bounds_the_sets_and_says_so():
    rng = np.random.default_rng(5)
    columns = {**table(rng), **{f"u{i}": rng.normal(size=600) for i in range(4)}}
    found = invariant_causes(columns, "y", "site", max_predictors=3)
    assert len(found.sets) == 8
    assert set(found.predictors) == {"x", "w", "z"}
    assert len(found.left_out) == 4
    assert "4 were left out" in found.summary


def test_predictors_can_be_chosen_and_rows_dropped():
    columns = table(np.random.default_rng(0))
    columns["x"] = np.where(np.arange(600) < 3, np.nan, columns["x"])
    found = invariant_causes(columns, "y", "site", predictors=["x", "w"], missing="drop")
    assert found.predictors == ("x", "w")
    assert sum(found.environments.values()) == 597
    assert found.as_dict()["n_sets"] == 4


def test_bad_input_is_refused_by_name():
    columns = table(np.random.default_rng(0), n=120)
    with pytest.raises(InvalidTableError, match="no column 'sit'"):
        invariant_causes(columns, "y", "sit")
    with pytest.raises(InvalidPairError, match="'y' is asked for twice"):
        invariant_causes(columns, "y", "y")
    with pytest.raises(InvalidSettingError, match="the target, got 'y'"):
        invariant_causes(columns, "y", "site", predictors=["y", "x"])
    with pytest.raises(InvalidSettingError, match="alpha of invariant_causes"):
        invariant_causes(columns, "y", "site", alpha=0.0)
    with pytest.raises(InvalidTableError, match="at least 20 rows, got 1 of 'd'"):
        invariant_causes({**columns, "site": ["d", *columns["site"][1:]]}, "y", "site")
    with pytest.raises(InvalidTableError, match="2 to 50 environments apart, got 120"):
        invariant_causes({**columns, "site": [f"s{i}" for i in range(120)]}, "y", "site")


@pytest.mark.slow
def test_a_column_that_is_no_cause_is_named_no_more_often_than_alpha_and_means_name_less():
    draws = 100
    found = counted("spread", draws)
    right, wrong, lost = found["quantiles"]
    assert max(wrong, lost) / draws <= 0.05 + 2.0 * sqrt(0.05 * 0.95 / draws)
    assert right > 1.5 * found["means"][0], found


def test_means_name_the_cause_where_what_they_assume_holds():
    tables = [table(np.random.default_rng([12, seed]), change="linear") for seed in range(20)]
    assert sum("x" in named(by_means(one, ["x", "w", "z"])) for one in tables) >= 17
