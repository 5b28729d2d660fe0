"""Columns without an order, from whatever holds them."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bqcd
from bqcd.data.nominal import declared_table, nominal_column
from bqcd.data.pair import Pair
from bqcd.errors import InvalidPairError, InvalidTableError

WORDS = ["oak", "elm", "ash", "elm"] * 6
NUMBERS = np.arange(24.0) % 7

HOLDERS = {
    "list": WORDS,
    "array of text": np.array(WORDS),
    "array of objects": np.array(WORDS, dtype=object),
    "pandas text": pd.Series(WORDS),
    "pandas categories": pd.Series(WORDS, dtype="category"),
    "polars text": pl.Series(WORDS),
    "polars categories": pl.Series(WORDS, dtype=pl.Categorical),
    "Arrow text": pa.array(WORDS),
    "Arrow dictionary": pa.array(WORDS).dictionary_encode(),
    "Arrow chunks": pa.chunked_array([pa.array(WORDS[:9]), pa.array(WORDS[9:])]),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_words_become_levels_in_alphabetical_order_whatever_holds_them(name):
    pair = Pair.from_arrays(HOLDERS[name], NUMBERS, x_name="tree", y_name="y")
    assert pair.nominal == ("tree",)
    assert pair.x_scale.levels == ("ash", "elm", "oak")
    assert [pair.x_scale.label(value) for value in pair.x] == WORDS
    assert pair.swapped().nominal == ("tree",)


def test_missing_words_are_missing_values():
    words = [*WORDS[:-2], None, None]
    with pytest.raises(InvalidPairError, match="has 2 missing values, the first in row 23"):
        Pair.from_arrays(words, NUMBERS)
    assert Pair.from_arrays(words, NUMBERS, missing="drop").dropped_rows == 2


@pytest.mark.parametrize("nothing", [None, np.nan, Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT])
def test_whatever_stands_for_nothing_is_missing_among_words(nothing):
    assert nominal_column(["oak", nothing, "elm"]).values.tolist() == [
        1.0,
        pytest.approx(np.nan, nan_ok=True),
        0.0,
    ]


ORDERED = {
    "yes and no": ["yes", "no"] * 12,
    "ordered categories": pd.Categorical(WORDS, categories=["ash", "elm", "oak"], ordered=True),
    "booleans": np.arange(24) % 2 == 0,
}


@pytest.mark.parametrize("name", ORDERED)
def test_what_has_an_order_keeps_it(name):
    column = ORDERED[name]
    column = pd.Series(column) if name == "ordered categories" else column
    assert Pair.from_arrays(column, NUMBERS).nominal == ()


REFUSED = {
    "numbers as text": (["1.5", "2", "x"] * 8, "must hold numbers"),
    "words among numbers": ([1.0, 2.0, "x"] * 8, "must hold numbers"),
    "one word": (["a"] * 24, "must hold numbers"),
    "free text": ([f"note {at}" for at in range(24)], "free text or an identifier: 24 of its 24"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_column_of_levels_is_refused(name):
    column, message = REFUSED[name]
    with pytest.raises(InvalidPairError, match=message):
        Pair.from_arrays(column, NUMBERS)


def test_numbers_are_names_where_that_is_declared():
    found = nominal_column([3.0, 1.0, 3.0, None], declared=True)
    assert found.scale.levels == ("1", "3")
    codes = NUMBERS % 3
    verdict = bqcd.decide(codes, NUMBERS, nominal=["x"], method="cisc")
    assert verdict.pair.nominal == ("x",)
    with pytest.raises(InvalidPairError, match="There is no column 'z' to be nominal"):
        bqcd.decide(codes, NUMBERS, nominal="z", method="cisc")


TABLES = {
    "dict": lambda columns: columns,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": pa.table,
}


@pytest.mark.parametrize("kind", TABLES)
def test_columns_of_any_table_are_declared_by_name(kind):
    table = TABLES[kind]({"region": (NUMBERS % 3).astype(int), "y": NUMBERS})
    verdict = bqcd.decide("region", "y", table=table, nominal="region", method="cisc")
    assert verdict.pair.nominal == ("region",)
    assert verdict.pair.x_scale.levels == ("0", "1", "2")
    with pytest.raises(InvalidTableError, match="no column 'zone'"):
        declared_table(table, ["zone"])


def test_columns_of_files_are_declared_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("region,y\n" + "\n".join(f"{at % 3},{at * at % 17}" for at in range(40)))
    verdict = bqcd.decide("region", "y", table=path, nominal="region", method="auto")
    assert verdict.choice.reason == "mixed"
    assert bqcd.decide("region", "y", table=path, method="auto").choice.reason == "few values"
