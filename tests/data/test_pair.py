"""What a Pair accepts, what it refuses and in which words."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bqcd
from bqcd.data.pair import MIN_ROWS, Direction, Pair
from bqcd.data.places import column_position
from bqcd.errors import InvalidPairError, InvalidSettingError, InvalidTableError

X = np.arange(12.0)
Y = X[::-1] ** 2
NUMBERS = list(range(12))


def refusal(x, y=Y, **settings) -> str:
    with pytest.raises(InvalidPairError) as caught:
        Pair.from_arrays(x, y, **settings)
    message = str(caught.value)
    assert "\n" not in message
    return message


def table_refusal(table, x, y, error=InvalidTableError) -> str:
    with pytest.raises(error) as caught:
        Pair.from_table(table, x, y)
    return str(caught.value)


# -- directions --


def test_signs_and_flips_of_directions_agree():
    assert [d.sign for d in Direction] == [1, -1, 0]
    assert all(d.flipped().sign == -d.sign for d in Direction)
    assert [d.value for d in Direction] == ["->", "<-", "--"]


# -- columns --


@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324])
def test_huge_tiny_and_subnormal_values_vary(scale):
    column = np.where(X > 5, scale, -scale)
    assert Pair.from_arrays(column, Y).x.tolist() == column.tolist()


def test_names_come_from_series_unless_given():
    x, y = pd.Series(X, name="age"), pl.Series("height", Y)
    assert repr(Pair.from_arrays(x, y)) == "Pair('age', 'height', 12 rows)"
    pair = Pair.from_arrays(x, y, x_name="a")
    assert (pair.x_name, pair.y_name) == ("a", "height")
    unnamed = Pair.from_arrays(pd.Series(X, name=0), pl.Series("", Y))
    assert (unnamed.x_name, unnamed.y_name) == ("x", "y")


# -- the record --


def test_float64_columns_are_views_and_not_copies():
    strided = np.column_stack([X, Y])
    pair = Pair.from_table(strided, 0, 1)
    assert np.shares_memory(pair.x, strided)
    assert np.shares_memory(Pair(X, Y).x, X)
    assert np.shares_memory(Pair.from_arrays(X, Y, missing="drop").x, X)


def test_columns_are_read_only_and_the_arrays_given_stay_writable():
    x = X.copy()
    pair = Pair(x, Y)
    with pytest.raises(ValueError, match="read-only"):
        pair.x[0] = 1.0
    x[0] = 0.0
    assert x.flags.writeable


def test_a_pickled_or_copied_pair_is_read_only_too():
    pair = Pair(X, Y, "a", "b", "key", 3)
    for other in (pickle.loads(pickle.dumps(pair)), copy.deepcopy(pair)):
        assert not other.x.flags.writeable
        assert not other.y.flags.writeable
        np.testing.assert_array_equal(other.y, pair.y)
        assert (other.x_name, other.y_name, other.key, other.dropped_rows) == ("a", "b", "key", 3)


def test_a_pickled_pair_keeps_names_key_and_dropped_rows():
    pair = Pair(X, Y, "dose", "größe", "key/1", 4)
    again = pickle.loads(pickle.dumps(pair))
    assert (again.x_name, again.y_name) == ("dose", "größe")
    assert (again.key, again.dropped_rows) == ("key/1", 4)
    np.testing.assert_array_equal(again.x, X)
    np.testing.assert_array_equal(again.y, Y)


def test_columns_travel_beside_the_pickle_and_are_not_copied_on_arrival():
    pair = Pair(np.arange(1000.0), np.arange(1000.0) ** 2)
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(pair, protocol=5, buffer_callback=buffers.append)
    assert len(head) < 500
    again = pickle.loads(head, buffers=buffers)
    assert np.shares_memory(again.x, pair.x)
    assert np.shares_memory(again.y, pair.y)


def test_swapping_exchanges_columns_and_keeps_the_key():
    pair = Pair(X, Y, "b", "a", dropped_rows=2)
    swapped = pair.swapped()
    np.testing.assert_array_equal(swapped.x, pair.y)
    np.testing.assert_array_equal(swapped.y, pair.x)
    assert (swapped.x_name, swapped.y_name) == ("a", "b")
    assert swapped.key == pair.key == Pair(Y, X, "a", "b").key == "a|b"
    assert swapped.dropped_rows == 2
    assert len(swapped) == 12


def test_a_key_that_is_given_is_kept():
    assert Pair.from_arrays(X, Y, key="pair0001").key == "pair0001"
    assert Pair.from_table({"a": X, "b": Y}, "a", "b", key="k").key == "k"


def test_the_constructor_checks_as_well():
    with pytest.raises(InvalidPairError, match="'y' has 1 missing value, the first in row 2"):
        Pair(X, np.where(X == 1, np.nan, X))
    with pytest.raises(InvalidPairError, match="must vary"):
        Pair(X, np.zeros(12))


def test_importing_the_module_costs_numpy_only():
    code = (
        "import sys, bqcd.data.pair; "
        "print({'narwhals', 'pandas', 'polars', 'pyarrow', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# -- missing values --

GAPS = {
    "NaN": np.where(X == 1, np.nan, X),
    "None": [0, None, *NUMBERS[2:]],
    "masked": np.ma.array(X, mask=X == 1),
    "pandas": pd.Series([0, None, *NUMBERS[2:]], dtype="Int64"),
    "polars": pl.Series([0, None, *NUMBERS[2:]]),
    "pyarrow": pa.array([0, None, *NUMBERS[2:]]),
}


@pytest.mark.parametrize("column", GAPS.values(), ids=GAPS.keys())
def test_a_missing_value_is_refused_by_column_count_and_row(column):
    message = refusal(column, x_name="age")
    assert "'age' has 1 missing value, the first in row 2" in message
    assert 'pass missing="drop" (--missing drop on the command line)' in message


@pytest.mark.parametrize("column", GAPS.values(), ids=GAPS.keys())
def test_rows_with_a_missing_value_are_dropped_on_request(column):
    pair = Pair.from_arrays(column, Y, missing="drop")
    assert pair.x.tolist() == [0.0, *NUMBERS[2:]]
    assert pair.y.tolist() == np.delete(Y, 1).tolist()
    assert pair.dropped_rows == 1


def test_rows_missing_in_either_column_are_dropped_once():
    x = np.where(X < 1, np.nan, X)
    y = np.where((X < 1) | (X > 10), np.nan, X)
    pair = Pair.from_arrays(x, y, missing="drop")
    assert pair.x.tolist() == pair.y.tolist() == NUMBERS[1:11]
    assert pair.dropped_rows == 2


def test_a_column_of_nothing_but_missing_values_is_refused():
    assert "12 missing values, the first in row 1" in refusal([None] * 12)


def test_an_unknown_rule_for_missing_values_is_refused():
    with pytest.raises(InvalidSettingError, match=r"'raise', 'drop', got 'ignore'"):
        Pair.from_arrays(X, Y, missing="ignore")  # type: ignore[arg-type]


# -- pairs that are refused --

REFUSED = {
    "words": (["a"] * 12, "must hold numbers, but row 1 is 'a' (str)"),
    "two dimensions": (np.ones((12, 2)), "must be one-dimensional, got shape (12, 2)"),
    "infinite": (np.where(X > 8, -np.inf, X), "has 3 infinite values, the first in row 10 (-inf)"),
    "infinite and missing": ([np.nan, np.inf, *NUMBERS[2:]], "1 infinite value, the first in row"),
    "integers beyond float64": ([0, 10**400, *NUMBERS[2:]], "the first in row 2 (inf)"),
    "constant": ([0.1] * 12, "must vary, but it is constant: all 12 rows are 0.1"),
    "signed zeros": ([0.0, -0.0] * 6, "constant"),
    "large equal integers": ([2**60, 2**60 + 1] * 6, "all 12 rows are 1.152921504606847e+18"),
}  # fmt: skip


@pytest.mark.parametrize(("column", "piece"), REFUSED.values(), ids=REFUSED.keys())
def test_a_column_is_refused_by_name_rule_and_value(column, piece):
    assert piece in refusal(column, x_name="age")
    message = refusal(Y, column, y_name="age")
    assert piece in message
    assert message.startswith("Column 'age' ")
    assert message.endswith(".")


def test_unequal_lengths_are_refused_with_both_lengths():
    message = refusal(X, Y[:11], x_name="a", y_name="b")
    assert message == "Columns 'a' and 'b' must have the same length, got 12 and 11 rows."
    assert "12 and 11" in refusal(X, Y[:11], missing="drop")


def test_empty_columns_are_refused():
    assert "'x' and 'y' are empty, but at least 10 are needed" in refusal([], [])


def test_too_few_rows_are_refused():
    assert "have 9 rows, but at least 10 are needed" in refusal(X[:9], Y[:9])
    assert len(Pair.from_arrays(X[:MIN_ROWS], Y[:MIN_ROWS])) == MIN_ROWS


def test_too_few_rows_after_dropping_tell_how_many_were_dropped():
    x = np.where(X < 3, np.nan, X)
    message = refusal(x, missing="drop")
    assert "have 9 rows after dropping 3 rows with missing values" in message
    assert "0 rows after dropping 12 rows" in refusal([None] * 12, missing="drop")
    assert "after dropping 1 row with" in refusal([None, *NUMBERS[1:10]], Y[:10], missing="drop")


def test_infinite_values_are_refused_before_rows_are_dropped():
    x = [None, None, np.inf, *NUMBERS[3:]]
    assert "the first in row 3 (inf)" in refusal(x, missing="drop")
    assert "'y' must be finite" in refusal(Y, x, missing="drop")


def test_two_columns_of_one_name_are_refused():
    assert "two different columns, but both are called 'a'" in refusal(X, x_name="a", y_name="a")


def test_series_of_one_name_are_told_apart_by_their_place():
    pair = Pair.from_arrays(pd.Series(X, name="a"), pd.Series(Y, name="a"))
    assert (pair.x_name, pair.y_name) == ("a (first)", "a (second)")
    assert Pair.from_arrays(pd.Series(Y, name="a"), pd.Series(X, name="a")).key == pair.key
    beside_no_name = Pair.from_arrays(X, pd.Series(Y, name="x"))
    assert (beside_no_name.x_name, beside_no_name.y_name) == ("x (first)", "x (second)")


# -- tables --

COLUMNS = {"id": NUMBERS, "age": X, "height": Y}
TABLES = {
    "mapping": COLUMNS,
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "lazy polars": pl.LazyFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
@pytest.mark.parametrize(("x", "y"), [("age", "height"), (1, 2), (np.int64(1), "height")])
def test_every_kind_of_table_gives_the_same_pair(table, x, y):
    pair = Pair.from_table(table, x, y)
    np.testing.assert_array_equal(pair.x, X)
    np.testing.assert_array_equal(pair.y, Y)
    assert (pair.x_name, pair.y_name, pair.key) == ("age", "height", "age|height")


def test_frames_with_gaps_give_the_same_pair():
    columns = {"a": [None, *NUMBERS[1:]], "b": [*NUMBERS[:11], None]}
    frames = (pd.DataFrame(columns, dtype="Int64"), pl.DataFrame(columns), pa.table(columns))
    for frame in frames:
        pair = Pair.from_table(frame, "a", "b", missing="drop")
        assert pair.x.tolist() == pair.y.tolist() == NUMBERS[1:11]
        assert pair.dropped_rows == 2


@pytest.mark.parametrize("kind", [pl.DataFrame, pl.LazyFrame])
def test_names_that_polars_takes_for_patterns_are_names(kind):
    frame = kind({"*": range(12), "^b.*$": range(12, 24), "bb": range(24, 36)})
    for x, y, first in (("*", "^b.*$", 12), ("^b.*$", "bb", 24), ("bb", "*", 0), (1, "*", 0)):
        pair = Pair.from_table(frame, x, y)
        assert (pair.y_name, pair.y.tolist()) == (y, list(range(first, first + 12)))


@pytest.mark.parametrize("name", ["*", "^a$"])
def test_a_verdict_on_columns_of_a_lazy_frame_named_like_patterns_is_that_of_the_columns(name):
    rng = np.random.default_rng(0)
    columns = dict(zip(("a", name, "b"), rng.normal(size=(3, 60)), strict=True))
    expected = bqcd.decide(columns[name], columns["b"]).confidence
    assert bqcd.decide(name, "b", table=pl.LazyFrame(columns)).confidence == expected


def test_of_a_lazy_frame_only_two_columns_are_collected():
    def fail(_: pl.Series) -> pl.Series:
        raise AssertionError("collected")

    lazy = pl.LazyFrame(COLUMNS).with_columns(
        bad=pl.col("id").map_batches(fail, return_dtype=pl.Int64)
    )
    assert len(Pair.from_table(lazy, "age", "height")) == 12


def test_columns_of_an_array_are_given_by_position():
    pair = Pair.from_table(np.column_stack([X, X, Y]), 1, 2)
    np.testing.assert_array_equal(pair.y, Y)
    assert (pair.x_name, pair.y_name) == ("column 1", "column 2")
    message = table_refusal(np.ones((12, 2)), "age", 1)
    assert "no column 'age'" in message
    assert "positions run from 0 to 1" in message
    assert "must be two-dimensional" in table_refusal(X, 0, 1)


def test_masked_entries_of_a_table_are_missing():
    table = np.ma.array(np.column_stack([X, Y]), mask=np.column_stack([X == 1, X < 0]))
    with pytest.raises(InvalidPairError, match="'column 0' has 1 missing value"):
        Pair.from_table(table, 0, 1)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_an_unknown_column_is_refused_with_the_nearest_names(table):
    message = table_refusal(table, "hieght", "age")
    assert "no column 'hieght'" in message
    assert "Nearest: 'height'" in message
    assert "positions run from 0 to 2" in message


@pytest.mark.parametrize("position", [-1, 3])
def test_a_position_out_of_range_is_refused(position):
    message = table_refusal(TABLES["pandas"], "age", position)
    assert f"position {position} is out of range: positions run from 0 to 2" in message


@pytest.mark.parametrize("column", [1.0, True, None])
def test_a_column_is_a_name_or_a_position(column):
    assert f"name or its position, got {column}" in table_refusal(COLUMNS, column, "age")


@pytest.mark.parametrize(("x", "y"), [("age", "age"), (1, "age"), (1, 1)])
def test_the_same_column_twice_is_refused(x, y):
    message = table_refusal(COLUMNS, x, y, error=InvalidPairError)
    assert message == "A pair needs two different columns, but both are 'age'."


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(np.column_stack([X, Y, X]), columns=["a", "a", "b"]),
        pa.table([X, Y, X], names=["a", "a", "b"]),
    ],
)
def test_a_repeated_name_is_refused_only_when_asked_for(table):
    message = table_refusal(table, "a", "b")
    assert message.startswith("Column 'a' is ambiguous: the columns at positions 0, 1")
    np.testing.assert_array_equal(Pair.from_table(table, 1, "b").x, Y)
    both = Pair.from_table(table, 0, 1)
    assert (both.x_name, both.y_name) == ("a (column 0)", "a (column 1)")


def test_integer_labels_that_are_not_positions_are_refused():
    plain = pd.DataFrame(np.column_stack([X, Y]))
    np.testing.assert_array_equal(Pair.from_table(plain, 0, 1).y, Y)
    shifted = plain.set_axis([1, 2], axis=1)
    assert "Column 1 is ambiguous" in table_refusal(shifted, 1, 0)


@pytest.mark.parametrize("table", [None, [1, 2], pd.Series(X)])
def test_what_is_no_table_is_refused_by_its_type(table):
    message = table_refusal(table, 0, 1)
    assert "A table must be a file, a data frame" in message
    assert type(table).__name__ in message


def test_a_table_without_columns_is_refused():
    assert "there are no columns" in table_refusal({}, "a", "b")


def test_columns_of_a_mapping_must_have_one_length():
    with pytest.raises(InvalidPairError, match="12 and 3 rows"):
        Pair.from_table({"a": X, "b": [1, 2, 3]}, "a", "b")


def test_positions_of_columns_count_from_zero():
    assert column_position(["a", "b"], "a") == 0
    assert column_position(["a", "b"], 1) == 1
