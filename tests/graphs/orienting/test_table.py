"""Columns side by side: complete rows, or a clear error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bqcd.errors import InvalidPairError, InvalidTableError
from bqcd.graphs.orienting.table import complete_columns


def test_rows_with_any_missing_value_are_dropped_from_all_columns():
    table = pd.DataFrame({"a": np.arange(14.0), "b": np.arange(14.0) ** 2, "c": np.arange(14)})
    table.loc[3, "a"] = np.nan
    table.loc[7, "b"] = np.nan
    kept = complete_columns(table, missing="drop")
    assert {len(column) for column in kept.values()} == {12}
    assert kept["c"].tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13]


@pytest.mark.parametrize(
    ("table", "error", "word"),
    [
        ({"a": [1.0, None] * 6, "b": range(12)}, InvalidTableError, "'a' has 6 .* row 2; pass"),
        ({"a": [1.0] * 12, "b": range(12)}, InvalidTableError, "'a' must vary"),
        ({"a": range(5), "b": range(5)}, InvalidTableError, "have 5 rows, but at least 10"),
        ({"a": range(12), "b": range(11)}, InvalidTableError, "same length, got 12 and 11 rows"),
        ({}, InvalidTableError, "at least one column"),
        ({"a": ["x"] * 12, "b": range(12)}, InvalidPairError, "'a'"),
        (
            pd.DataFrame(np.eye(12)[:, :2], columns=["a", "a"]),
            InvalidTableError,
            "'a' twice",
        ),
    ],
)
def test_what_cannot_be_used_is_named(table, error, word):
    with pytest.raises(error, match=word):
        complete_columns(table)


def test_an_infinite_value_is_not_missing_and_told_by_its_row_in_the_table():
    table = {"a": [None, *range(13)], "b": [1.0, 2.0, np.inf, *range(11)]}
    with pytest.raises(InvalidTableError, match=r"'b' must be finite, .* row 3 \(inf\)"):
        complete_columns(table, missing="drop")


def test_too_few_complete_rows_are_told_with_those_that_were_dropped():
    table = {"a": [*range(9), None, None], "b": range(11), "c": range(11), "d": range(11)}
    message = "'a', 'b' and 2 more have 9 rows after dropping 2 rows with missing values, but at"
    with pytest.raises(InvalidTableError, match=message):
        complete_columns(table, missing="drop")
