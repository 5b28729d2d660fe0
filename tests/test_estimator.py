from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import bqcd
from bqcd.errors import InvalidPairError, UnknownNameError
from bqcd.estimator import DirectionEstimator

RNG = np.random.default_rng(0)
X = RNG.normal(size=300)
Y = X**2 + 0.2 * RNG.normal(size=300)


def test_fit_finds_what_decide_finds() -> None:
    fitted = DirectionEstimator(settings={"n_levels": 7}).fit(X, Y)
    assert fitted.confidence_ == bqcd.decide(X, Y, n_levels=7).confidence
    assert fitted.direction_ is bqcd.Direction.X_TO_Y
    assert fitted.verdict_.name == "bqcd"


def test_a_table_of_two_columns_will_do() -> None:
    expected = bqcd.decide(X, Y).confidence
    for table in (np.column_stack([X, Y]), pl.DataFrame({"x": X, "y": Y}), {"x": X, "y": Y}):
        assert DirectionEstimator().fit(table).confidence_ == expected


def test_scikit_learn_can_clone_it() -> None:
    estimator = DirectionEstimator(seed=4, missing="drop", settings={"jitters": 2})
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "verdict_")


def test_parameters_are_set_by_name_and_unknown_ones_refused() -> None:
    estimator = DirectionEstimator().set_params(missing="drop", seed=2)
    assert (estimator.missing, estimator.seed) == ("drop", 2)
    with pytest.raises(UnknownNameError, match=r"no parameter 'sed'.*'seed'"):
        estimator.set_params(sed=1)


def test_missing_values_follow_the_parameter() -> None:
    gappy = X.copy()
    gappy[3] = np.nan
    with pytest.raises(InvalidPairError, match="missing"):
        DirectionEstimator().fit(gappy, Y)
    assert DirectionEstimator(missing="drop").fit(gappy, Y).verdict_.dropped_rows == 1
