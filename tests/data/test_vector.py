"""Which columns become vectors, which are refused and in which words."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bqcd.data.vector import as_column, as_vector, series_name
from bqcd.errors import InvalidPairError

X = np.arange(12.0)
NUMBERS = list(range(12))

# -- columns that are accepted --

ACCEPTED = {
    "list": NUMBERS,
    "tuple": tuple(NUMBERS),
    "range": range(12),
    "list of booleans and numbers": [False, True, *NUMBERS[2:]],
    "list of Decimal": [Decimal(i) for i in NUMBERS],
    "list of Fraction": [Fraction(i) for i in NUMBERS],
    "list of mixed number types": [0, 1.0, Decimal(2), Fraction(3), np.float32(4), *NUMBERS[5:]],
    "int8": X.astype(np.int8),
    "int64": X.astype(np.int64),
    "uint8": X.astype(np.uint8),
    "uint64": X.astype(np.uint64),
    "float16": X.astype(np.float16),
    "float32": X.astype(np.float32),
    "long double": X.astype(np.longdouble),
    "big-endian": X.astype(">f8"),
    "object array": np.array(NUMBERS, dtype=object),
    "masked array with nothing masked": np.ma.array(X, mask=False),
    "strided array": np.repeat(X, 2)[::2],
    "pandas float64": pd.Series(X),
    "pandas int32": pd.Series(X).astype("int32"),
    "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
    "pandas Float64": pd.Series(X, dtype="Float64"),
    "pandas arrow": pd.Series(NUMBERS, dtype="int64[pyarrow]"),
    "pandas object": pd.Series(NUMBERS, dtype=object),
    "pandas sparse": pd.Series(X, dtype="Sparse[float]"),
    "pandas Index": pd.Index(NUMBERS),
    "pandas array": pd.array(NUMBERS, dtype="Int64"),
    "polars float64": pl.Series(X),
    "polars int": pl.Series(NUMBERS),
    "polars uint8": pl.Series(NUMBERS, dtype=pl.UInt8),
    "polars Decimal": pl.Series([Decimal(i) for i in NUMBERS]),
    "polars Int128": pl.Series(NUMBERS, dtype=pl.Int128),
    "pyarrow array": pa.array(X),
    "pyarrow int": pa.array(NUMBERS),
    "pyarrow slice": pa.array([-1, *NUMBERS])[1:],
    "pyarrow float16": pa.array(X.astype(np.float16)),
    "pyarrow decimal": pa.array([Decimal(i) for i in NUMBERS]),
    "pyarrow chunks": pa.chunked_array([X[:5], X[5:]]),
}


@pytest.mark.parametrize("column", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_columns_of_numbers_are_accepted(column):
    vector = as_vector(column, "age")
    np.testing.assert_array_equal(vector, X)
    assert type(vector) is np.ndarray
    assert vector.dtype == np.float64


BOOLEANS = [True, False] * 6


@pytest.mark.parametrize(
    "column",
    [
        BOOLEANS,
        np.array(BOOLEANS),
        pd.Series(BOOLEANS),
        pd.Series(BOOLEANS, dtype="boolean"),
        pl.Series(BOOLEANS),
        pa.array(BOOLEANS),
    ],
)
def test_booleans_become_zero_and_one(column):
    assert as_vector(column, "age").tolist() == [1.0, 0.0] * 6


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_integers_beyond_two_to_the_53_are_rounded(make):
    integers = [2**53 + 3 * i for i in range(12)]
    assert as_vector(make(integers), "age").tolist() == [float(i) for i in integers]


@given(
    arrays(
        np.float64, st.integers(0, 40), elements=st.floats(allow_nan=False, allow_infinity=False)
    )
)
def test_every_finite_column_keeps_its_values_exactly(column):
    for given_as in (column, column.tolist(), pl.Series(column), pa.array(column)):
        assert as_vector(given_as, "age").tobytes() == column.tobytes()


@pytest.mark.parametrize("make", [np.array, pd.Series, pl.Series, pa.array])
def test_float64_columns_are_not_copied(make):
    column = make(X)
    assert np.shares_memory(as_vector(column, "age"), np.asarray(column))


def test_strided_and_chunked_float64_columns_are_not_copied():
    strided, chunks = np.column_stack([X, X])[:, 0], pa.chunked_array([X])
    assert np.shares_memory(as_vector(strided, "age"), strided)
    assert np.shares_memory(as_vector(chunks, "age"), chunks.to_numpy())


def test_only_a_series_with_text_for_a_name_has_a_name():
    assert series_name(pd.Series(X, name="age")) == series_name(pl.Series("age", X)) == "age"
    assert series_name(pd.Series(X, name=0)) == series_name(pl.Series(X)) == series_name(X) == ""


# -- missing values --

GAPS = {
    "NaN": [0.0, np.nan, *NUMBERS[2:]],
    "None": [0, None, *NUMBERS[2:]],
    "pandas.NA": [0, pd.NA, *NUMBERS[2:]],
    "NaT": [0, pd.NaT, *NUMBERS[2:]],
    "numpy NaT": np.array([0, np.datetime64("NaT"), *NUMBERS[2:]], dtype=object),
    "Decimal NaN": [Decimal(0), Decimal("NaN"), *NUMBERS[2:]],
    "signalling NaN": [Decimal(0), Decimal("sNaN"), *NUMBERS[2:]],
    "masked": np.ma.array(X, mask=X == 1),
    "masked integers": np.ma.array(NUMBERS, mask=X == 1),
    "masked objects": np.ma.array([Decimal(i) for i in NUMBERS], mask=X == 1),
    "pandas Int64": pd.Series([0, None, *NUMBERS[2:]], dtype="Int64"),
    "pandas Float64": pd.Series([0, None, *NUMBERS[2:]], dtype="Float64"),
    "pandas arrow": pd.Series([0, None, *NUMBERS[2:]], dtype="double[pyarrow]"),
    "polars null": pl.Series([0, None, *NUMBERS[2:]]),
    "polars NaN": pl.Series([0.0, float("nan"), *NUMBERS[2:]]),
    "pyarrow null": pa.array([0, None, *NUMBERS[2:]]),
    "pyarrow null in doubles": pa.chunked_array([[0.0, None], X[2:]]),
}


@pytest.mark.parametrize("column", GAPS.values(), ids=GAPS.keys())
def test_missing_values_become_nan(column):
    np.testing.assert_array_equal(as_vector(column, "age"), np.where(X == 1, np.nan, X))


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]"])
def test_missing_booleans_become_nan(dtype):
    column = pd.Series([True, None, False] * 6, dtype=dtype)
    np.testing.assert_array_equal(as_vector(column, "age"), [1.0, np.nan, 0.0] * 6)


@pytest.mark.parametrize("column", [[None] * 12, pl.Series([None] * 12), pa.nulls(12)])
def test_a_column_of_nothing_but_missing_values_becomes_nan(column):
    assert np.isnan(as_vector(column, "age")).tolist() == [True] * 12


def test_masked_entries_in_a_list_become_nan():
    assert np.isnan(as_vector([1.0, np.ma.masked, 2.0], "age")[1])
    assert np.isnan(as_vector(tuple(np.ma.masked_array([1, 2], [True, False])), "age")[0])


def test_the_masked_array_given_keeps_its_values():
    column = np.ma.array(X.copy(), mask=X == 1)
    assert np.isnan(as_vector(column, "age")[1])
    np.testing.assert_array_equal(column.data, X)


# -- numbers beyond float64 --

BEYOND = {
    "integers": ([0, 10**400, *NUMBERS[2:]], np.inf),
    "negative integers": ([0, -(10**400), *NUMBERS[2:]], -np.inf),
    "integers beside floats": ([0.0, 10**400, *NUMBERS[2:]], np.inf),
    "fractions": ([0, Fraction(10**400), *NUMBERS[2:]], np.inf),
    "decimals": ([0, Decimal("1e400"), *NUMBERS[2:]], np.inf),
}


@pytest.mark.parametrize(("column", "limit"), BEYOND.values(), ids=BEYOND.keys())
def test_numbers_beyond_float64_become_infinite(column, limit):
    assert as_vector(column, "age").tolist() == [0.0, limit, *NUMBERS[2:]]


def test_long_doubles_beyond_float64_become_infinite():
    column = X.astype(np.longdouble) * np.longdouble("1e4000")
    if not np.isfinite(column).all():
        pytest.skip("long double is double here")
    assert as_vector(column, "age").tolist() == [0.0] + [np.inf] * 11


# -- columns that are refused --

TIMES = [datetime(2020, 1, 1) + timedelta(days=i) for i in range(12)]
REFUSED = {
    "words": (["a"] * 12, "must hold numbers, but row 1 is 'a' (str)"),
    "a word among numbers": ([1, 2, "three", *NUMBERS[3:]], "row 3 is 'three' (str)"),
    "a word among numbers as text": (["1", "2", "three"] * 4, "row 3 is 'three' (str)"),
    "a word after a gap": (["1", None, "three"] * 4, "row 3 is 'three' (str)"),
    "numbers as text": (["1", "2"] * 6, "row 1 is the text '1'; convert"),
    "numpy text": (np.array(["1", "b"] * 6), "row 2 is 'b' (str)"),
    "bytes": (np.array([b"1", b"2"] * 6), "row 1 is b'1' (bytes)"),
    "pandas text": (pd.Series(["u", "v"] * 6), "row 1 is 'u' (str)"),
    "polars text": (pl.Series(["u", "v"] * 6), "row 1 is 'u' (str)"),
    "pyarrow text": (pa.array(["1", "v"] * 6), "row 2 is 'v' (str)"),
    "pandas categories": (pd.Series(NUMBERS, dtype="category"), "is categorical"),
    "polars categories": (pl.Series(["a", "b"] * 6, dtype=pl.Categorical), "is categorical"),
    "pyarrow dictionary": (pa.array(["a", "b"] * 6).dictionary_encode(), "is categorical"),
    "complex": (X + 1j, "must hold real numbers, but its values are complex (row 1 is 1j)"),
    "complex list": ([1j] * 12, "complex"),
    "two dimensions": (np.ones((12, 2)), "must be one-dimensional, got shape (12, 2)"),
    "a column vector": (np.ones((12, 1)), "must be one-dimensional, got shape (12, 1)"),
    "nested lists": ([[1, 2]] * 12, "must be one-dimensional, got shape (12, 2)"),
    "ragged lists": ([[1], [2, 3]], "row 1 is [1] (list)"),
    "a frame": (pd.DataFrame({"a": X}), "must be one-dimensional, got shape (12, 1)"),
    "a number": (5, "must be a one-dimensional sequence of numbers, got 5 (int)"),
    "a zero-dimensional array": (np.array(5.0), "got array(5.) (ndarray)"),
    "nothing": (None, "got None (NoneType)"),
    "a word": ("abc", "got 'abc' (str)"),
    "a mapping": ({"a": 1}, "got {'a': 1} (dict)"),
    "a set": ({1}, "got {1} (set)"),
    "records": (np.zeros(12, dtype=[("a", "f8")]), "must hold numbers, but row 1 is (0.0,)"),
    "lists in polars": (pl.Series([[1], [2]] * 6), "must hold numbers, but row 1 is"),
}  # fmt: skip


@pytest.mark.parametrize(("column", "piece"), REFUSED.values(), ids=REFUSED.keys())
def test_a_column_is_refused_by_name_rule_and_value(column, piece):
    with pytest.raises(InvalidPairError) as caught:
        as_vector(column, "age")
    message = str(caught.value)
    assert piece in message
    assert message.startswith("Column 'age' ")
    assert message.endswith(".")
    assert "\n" not in message


DAYS = [f"2020-{month:02d}-01" for month in range(1, 13)]
YES = ["no", "yes"] * 6
GRADES = ["low", "high", "low"] * 4
ORDERED = {
    "datetimes": (TIMES, "2020-01-01"),
    "dates": ([date(2020, month, 1) for month in range(1, 13)], "2020-01-01"),
    "times": ([time(hour, 30) for hour in range(12)], "00:30:00"),
    "dates and datetimes": ([date(2020, 1, 1), *TIMES[1:]], "2020-01-01"),
    "time spans": ([timedelta(days=2 + day) for day in range(12)], "2 d"),
    "numpy times": (np.array(TIMES, dtype="M8[ns]"), "2020-01-01"),
    "numpy months": (np.array([day[:7] for day in DAYS], "M8[M]"), "2020-01-01"),
    "numpy time spans": (np.arange(12).astype("m8[s]"), "0 s"),
    "pandas times": (pd.Series(TIMES), "2020-01-01"),
    "pandas times with zone": (pd.Series(TIMES).dt.tz_localize("UTC"), "2020-01-01"),
    "pandas periods": (pd.Series(pd.period_range("2020", periods=12, freq="M")), "2020-01"),
    "period objects": (list(pd.period_range("2020", periods=12, freq="Q")), "2020Q1"),
    "pandas time spans": (pd.Series(pd.to_timedelta(range(3, 15), "D")), "3 d"),
    "polars dates": (pl.Series(TIMES).cast(pl.Date), "2020-01-01"),
    "polars times": (pl.Series([time(hour) for hour in range(12)]), "00:00:00"),
    "pyarrow times": (pa.array(TIMES), "2020-01-01"),
    "pyarrow dates": (pa.array(DAYS).cast(pa.timestamp("s")).cast(pa.date32()), "2020-01-01"),
    "pyarrow time spans": (pa.array([timedelta(days=2 + day) for day in range(12)]), "2 d"),
}


@pytest.mark.parametrize(("column", "label"), ORDERED.values(), ids=ORDERED.keys())
def test_what_grows_has_growing_numbers_and_keeps_its_labels(column, label):
    found = as_column(column, "age")
    assert (np.diff(found.values) > 0.0).all()
    assert found.scale.label(found.values[0]) == label


LEVELS = {
    "words": (YES, ("no", "yes")),
    "words in any case": (["No", " YES"] * 6, ("no", "yes")),
    "truth": (["FALSE", "true"] * 6, ("false", "true")),
    "booleans": (np.array([False, True] * 6), ("false", "true")),
    "pandas booleans": (pd.Series([False, True] * 6, dtype="boolean"), ("false", "true")),
    "pandas words": (pd.Series(YES), ("no", "yes")),
    "pandas categories of words": (pd.Series(YES, dtype="category"), ("no", "yes")),
    "pyarrow words": (pa.array(YES), ("no", "yes")),
    "pyarrow booleans": (pa.array([False, True] * 6), ("false", "true")),
    "pyarrow dictionary of words": (pa.array(["yes", *YES[1:]]).dictionary_encode(), None),
    "ordered": (
        pd.Series(pd.Categorical(GRADES, ["low", "mid", "high"], ordered=True)),
        ("low", "mid", "high"),
    ),
    "polars enum": (pl.Series(GRADES, dtype=pl.Enum(["low", "high"])), ("low", "high")),
    "chunks of other dictionaries": (
        pa.chunked_array([pa.array(["no"] * 6).dictionary_encode(),
                          pa.array(["yes", "no"] * 3).dictionary_encode()]),
        ("no", "yes"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("column", "levels"), LEVELS.values(), ids=LEVELS.keys())
def test_levels_are_numbered_in_their_order(column, levels):
    found = as_column(column, "age")
    plain = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    words = [str(value).strip().lower() for value in plain]
    assert [found.scale.label(value) for value in found.values] == words
    assert levels is None or found.scale.levels == levels


def test_gaps_of_ordered_columns_are_missing():
    for column in (["yes", None, "no"], [date(2020, 1, 1), None, pd.NaT],
                   np.ma.masked_array(np.array(DAYS[:3], "M8[D]"), [False, True, False]),
                   pa.array([None, "true", "false"]), pd.Series([True, None, False])):  # fmt: skip
        found = as_column(column, "age")
        assert 1 <= np.isnan(found.values).sum() <= 2
        assert found.scale is not None
        assert found.scale.label(float("nan")) == "missing"


def test_words_of_two_kinds_or_a_word_beside_yes_and_no_have_no_order():
    for column in (["yes", "no", "maybe"] * 4, [date(2020, 1, 1), "yes"] * 6, [1, "yes"] * 6):
        with pytest.raises(InvalidPairError, match="must hold numbers, but row"):
            as_column(column, "age")


def test_numbers_have_no_scale():
    for column in ([1, 2], [Decimal("1.5"), None], np.arange(3), pa.array([1.5]), range(3)):
        assert as_column(column, "age").scale is None


@pytest.mark.parametrize(
    "empty",
    [
        [],
        np.array([], complex),
        np.array([], "M8[s]"),
        pa.array([], pa.string()),
        pa.array([], pa.timestamp("s")),
    ],
)
def test_an_empty_column_of_any_type_becomes_an_empty_vector(empty):
    vector = as_vector(empty, "age")
    assert (vector.shape, vector.dtype) == ((0,), np.float64)
