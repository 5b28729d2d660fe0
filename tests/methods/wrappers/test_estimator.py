from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.validation import check_is_fitted

import bqcd
from bqcd.errors import InvalidPairError, InvalidTableError, UnknownNameError
from bqcd.methods.wrappers.estimator import DirectionEstimator

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


@pytest.mark.parametrize(
    "check",
    [
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_scikit_learns_own_checks_of_parameters_pass(check: str) -> None:
    # The other checks fit tables of any width, or ask for predictions.
    estimator = DirectionEstimator()
    getattr(estimator_checks, check)("DirectionEstimator", estimator)
    assert vars(estimator) == vars(DirectionEstimator())


def test_it_can_end_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), DirectionEstimator())
    with pytest.raises(NotFittedError):
        check_is_fitted(pipeline)
    pipeline.fit(np.column_stack([X, Y]))
    check_is_fitted(pipeline)
    assert pipeline[-1].confidence_ == bqcd.decide(X, Y).confidence
    assert get_tags(pipeline).target_tags.required is False


def test_missing_values_are_allowed_by_the_tags_as_they_are_in_fact() -> None:
    assert not get_tags(DirectionEstimator()).input_tags.allow_nan
    assert get_tags(DirectionEstimator(missing="drop")).input_tags.allow_nan


def test_names_of_the_columns_are_kept_where_there_are_some() -> None:
    estimator = DirectionEstimator().fit(pl.DataFrame({"x": X, "y": Y}))
    assert (estimator.n_features_in_, list(estimator.feature_names_in_)) == (2, ["x", "y"])
    estimator.fit(np.column_stack([X, Y]))
    assert estimator.n_features_in_ == 2
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.fit(X[:, None], Y).n_features_in_ == 1


def test_rows_in_a_list_are_a_table() -> None:
    rows = [[float(x), float(y)] for x, y in zip(X, Y, strict=True)]
    assert DirectionEstimator().fit(rows).confidence_ == bqcd.decide(X, Y).confidence


def test_a_table_of_three_columns_is_no_pair() -> None:
    with pytest.raises(InvalidTableError, match=r"two columns .* got 3"):
        DirectionEstimator().fit(np.column_stack([X, Y, X]))


def test_only_parameters_that_differ_from_the_defaults_are_shown() -> None:
    assert repr(DirectionEstimator()) == "DirectionEstimator()"
    assert repr(DirectionEstimator("anm", seed=3)) == "DirectionEstimator(method='anm', seed=3)"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2], [3]] * 20, "row 1 has 2 and row 2 has 1"),
        ([[1, 2], [3, 4], [5, 6, 7]], "row 1 has 2 and row 3 has 3"),
        ([1, 2, 3], "sequences of values, but row 1 is 1 (int)"),
        (["ab"] * 20, "sequences of values, but row 1 is 'ab' (str)"),
        ([{"x": 1, "y": 2}] * 20, "sequences of values, but row 1 is {'x': 1, 'y': 2} (dict)"),
        ([], "two columns to be judged as one pair, got 0"),
        ([[[[1, 2]]]] * 20, "two columns to be judged as one pair, got 1"),
    ],
)
def test_rows_that_are_no_table_are_refused(rows, message) -> None:
    with pytest.raises(InvalidTableError, match=re.escape(message)):
        DirectionEstimator().fit(rows)


def test_a_word_in_a_row_is_refused_by_its_own_column() -> None:
    with pytest.raises(InvalidPairError, match=r"'column 1' must hold numbers, but row 2 is 'b'"):
        DirectionEstimator().fit([[1.0, 2.0], [3.0, "b"]] * 10)


def test_masked_values_in_rows_are_missing() -> None:
    rows = [[float(x), float(y)] for x, y in zip(X, Y, strict=True)]
    rows[7] = [np.ma.masked, 1e9]
    fitted = DirectionEstimator(missing="drop").fit(rows)
    assert fitted.verdict_.dropped_rows == 1
    kept = np.arange(300) != 7
    assert fitted.confidence_ == bqcd.decide(X[kept], Y[kept]).confidence


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_is_a_table_like_an_array() -> None:
    expected = bqcd.decide(X, Y).confidence
    assert DirectionEstimator().fit(np.matrix(np.column_stack([X, Y]))).confidence_ == expected
    assert DirectionEstimator().fit(np.matrix(X).T, Y).confidence_ == expected
