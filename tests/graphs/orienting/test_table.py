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
    table.loc[7, "b"] = np.inf
    kept = complete_columns(table, missing="drop")
    assert {len(column) for column in kept.values()} == {12}
    assert kept["c"].tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13]


@pytest.mark.parametrize(
    ("table", "error", "word"),
    [
        ({"a": [1.0, None] * 6, "b": range(12)}, InvalidTableError, "'a' .* row 2; pass missing"),
        ({"a": [1.0] * 12, "b": range(12)}, InvalidTableError, "'a' must vary"),
        ({"a": range(5), "b": range(5)}, InvalidTableError, "At least 10 rows"),
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
