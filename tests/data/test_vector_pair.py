"""Groups of columns: how they are given, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bqcd
from bqcd.data.pair import Direction, Pair
from bqcd.data.vector_pair import VectorPair, vector_pair
from bqcd.errors import InvalidPairError, InvalidSettingError, InvalidTableError

RNG = np.random.default_rng(5)
A, B, C = RNG.normal(size=(3, 60))
COLUMNS = {"a": A, "b": B, "c": C, "spare": np.arange(60.0)}
SIDE = np.stack([A, B], axis=1)


@pytest.mark.parametrize(
    "table",
    [
        COLUMNS,
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
    ],
    ids=["mapping", "pandas", "polars", "polars, lazy", "arrow"],
)
@pytest.mark.parametrize("x", [["a", "b"], ("a", 1), [0, 1]], ids=str)
def test_groups_of_a_table_are_lists_of_names_or_positions(table, x) -> None:
    pair = vector_pair(x, "c", table=table)
    assert isinstance(pair, VectorPair)
    assert (pair.x_name, pair.x_names, pair.y_name) == ("a, b", ("a", "b"), "c")
    np.testing.assert_array_equal(pair.x, SIDE)
    np.testing.assert_array_equal(pair.y[:, 0], C)


def test_groups_are_arrays_frames_and_mappings_without_a_table() -> None:
    frame = {"a": A, "b": B}
    sides = (
        SIDE,
        frame,
        pd.DataFrame(frame),
        pl.DataFrame(frame),
        pl.LazyFrame(frame),
        pa.table(frame),
    )
    said = {bqcd.decide(side, C).confidence for side in sides}
    assert len(said) == 1
    assert bqcd.decide(C, SIDE).confidence == -said.pop()


@pytest.mark.parametrize("method", ["bqcd", "igci-u", "lingam"])
def test_one_column_on_either_side_is_a_pair_like_any_other(method) -> None:
    alone = bqcd.decide(A, A**2 + C, method=method)
    grouped = bqcd.decide(A[:, None], {"y": A**2 + C}, method=method)
    assert isinstance(grouped.pair, Pair)
    assert grouped.confidence == alone.confidence
    table = {"a": A, "y": A**2 + C}
    assert bqcd.decide(["a"], ["y"], table=table, method=method).confidence == alone.confidence


def test_rows_with_a_missing_value_in_any_column_are_refused_or_dropped() -> None:
    b, c = B.copy(), C.copy()
    b[3], c[[3, 7]] = np.nan, np.nan
    table = {"a": A, "b": b, "c": c}
    with pytest.raises(InvalidPairError, match=r"Column 'b' has 1 missing value, .* row 4"):
        vector_pair(["a", "b"], "c", table=table)
    pair = vector_pair(["a", "b"], "c", table=table, missing="drop")
    assert (len(pair), pair.dropped_rows) == (58, 2)
    np.testing.assert_array_equal(pair.x[:, 1], np.delete(B, [3, 7]))


@pytest.mark.parametrize(
    ("x", "y", "piece"),
    [
        (["a", "b"], ["c", "a"], "Column 'a' is on both sides"),
        (["a", "b"], "b", "Column 'b' is on both sides"),
        (["a", 0], "c", "Column 'a' is asked for twice on one side"),
        (["a", "flat"], "c", "Column 'flat' must vary, but it is constant"),
        (["a", "high"], "c", "Column 'high' must be finite"),
        (["a", "words"], "c", "Column 'words' must hold numbers"),
        ([], "c", "one column or more, got none"),
    ],
)
def test_a_side_is_refused_by_column_and_rule(x, y, piece) -> None:
    table = {
        **COLUMNS,
        "flat": np.ones(60),
        "high": np.where(np.arange(60) == 4, np.inf, A),
        "words": ["left", "right", "up"] * 20,
    }
    with pytest.raises(InvalidPairError, match=piece):
        vector_pair(x, y, table=table)


def test_an_unknown_column_of_a_group_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(InvalidTableError, match=r"no column 'd'"):
        vector_pair(["a", "d"], "c", table=COLUMNS)


def test_a_side_has_no_more_columns_than_a_quarter_of_the_rows() -> None:
    wide = RNG.normal(size=(23, 6))
    with pytest.raises(InvalidPairError, match=r"Side 'x1, .*' has 6 columns in 23 rows"):
        vector_pair(wide, RNG.normal(size=23))
    assert vector_pair(wide[:, :5], RNG.normal(size=23)).x.shape == (23, 5)


def test_columns_of_different_length_and_too_few_rows_are_refused() -> None:
    with pytest.raises(InvalidPairError, match=r"same length, got 60 and 59 rows"):
        vector_pair(SIDE, C[:-1])
    with pytest.raises(InvalidPairError, match=r"9 rows, but at least 10"):
        vector_pair(SIDE[:9], C[:9])


def test_weights_do_not_go_with_groups() -> None:
    with pytest.raises(InvalidSettingError, match="weights must be None"):
        bqcd.decide(SIDE, C, weights=np.arange(1.0, 61.0))


def test_a_group_is_read_only_and_leaves_what_was_given_as_it_was() -> None:
    side = SIDE.copy()
    pair = VectorPair(side, C[:, None], ("a", "b"), ("c",))
    with pytest.raises(ValueError, match="read-only"):
        pair.x[0, 0] = 1.0
    side[0, 0] = 5.0


def test_swapping_pickling_and_reordering_keep_the_key() -> None:
    pair = vector_pair(["a", "b"], "c", table=COLUMNS)
    again = pickle.loads(pickle.dumps(pair))
    assert again.key == pair.key == pair.swapped().key == "a+b|c"
    assert vector_pair("c", ["b", "a"], table=COLUMNS).key == pair.key
    np.testing.assert_array_equal(again.x, pair.x)
    assert pair.swapped().cause_by(Direction.X_TO_Y) == "c"
    assert pair.effect_by(Direction.Y_TO_X) == "a, b"


def test_dates_and_levels_keep_their_labels_in_a_group() -> None:
    day = np.arange(60).astype("datetime64[D]")
    pair = vector_pair({"day": day, "a": A}, C)
    assert pair.x_scales[0].label(0.0) == "1970-01-01"
    assert pair.column_pair(0, 0).x_scale is pair.x_scales[0]


def test_the_columns_to_look_at_are_those_most_correlated_by_rank() -> None:
    pair = VectorPair(SIDE, (B**3 + 0.01 * C)[:, None], ("a", "b"), ("y",))
    assert (pair.foremost.x_name, pair.foremost.y_name) == ("b", "y")
    turned = pair.swapped().foremost
    assert (turned.x_name, turned.y_name) == ("y", "b")
