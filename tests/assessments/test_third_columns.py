from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bqcd.assessments.third_columns import MOST_ROWS, Beside, asked_columns, third_column
from bqcd.errors import InvalidPairError, InvalidSettingError

EVERY = np.ones(6, dtype=bool)


def test_text_categories_and_few_values_make_groups_and_other_numbers_do_not():
    kinds = ["a", "b", "a", "b", "a", "b"]
    assert third_column(kinds, "kind").labels == ("a", "b")
    assert third_column(pd.Series(kinds, dtype="category"), "kind").labels == ("a", "b")
    assert third_column([True, False] * 3, "flag").is_grouping
    assert third_column([1.0, 2.0] * 3, "grade").labels == ("1", "2")
    assert not third_column(np.arange(40.0), "age").is_grouping


def test_missing_entries_are_in_no_group():
    column = third_column(["a", None, "b", float("nan")], "kind")
    assert column.groups.tolist() == [0, -1, 1, -1]
    assert np.isnan(third_column([1.0, np.inf, np.nan, *range(40)], "age").values[1:3]).all()


def test_columns_are_looked_up_or_handed_in_and_cut_to_the_rows_of_the_pair():
    table = {"x": np.arange(6.0), "kind": list("aabbaa"), "age": [1.0, 5.0, 2.0, 9.0, 4.0, 7.0]}
    rows = np.array([True, False, True, True, True, True])
    by = asked_columns("kind", None, table=table, complete=rows)
    assert (by.kind, by.columns[0].name, by.columns[0].groups.tolist()) == (
        "by", "kind", [0, 1, 1, 0, 0],
    )  # fmt: skip
    given = asked_columns(None, ["kind", "age"], table=table, complete=rows)
    assert [column.name for column in given.columns] == ["kind", "age"]
    one = asked_columns(None, [1.0, 5.0, 2.0, 9.0, 4.0, 7.0], complete=EVERY)
    assert len(one.columns) == 1
    several = asked_columns(None, [np.arange(6.0), list("aabbaa")], complete=EVERY)
    assert len(several.columns) == 2
    assert asked_columns(None, None, complete=EVERY) is None


@pytest.mark.parametrize(
    ("by", "given", "message"),
    [
        (list("aabbaa"), list("aabbaa"), "by or given, not both"),
        ("stability", None, "abstain_by"),
        (list("aab"), None, "must have 6 rows"),
        (list("aaaaaa"), None, "must vary"),
    ],
)
def test_what_cannot_be_given_is_refused(by, given, message):
    with pytest.raises(InvalidSettingError, match=message):
        asked_columns(by, given, complete=EVERY)


def test_numbers_of_many_values_make_no_groups():
    with pytest.raises(InvalidSettingError, match="Use given for numbers"):
        asked_columns(np.arange(200.0), None, complete=np.ones(200, dtype=bool))


def test_a_column_of_the_pair_cannot_be_given():
    table = {"x": np.arange(6.0), "y": np.arange(6.0) ** 2}
    with pytest.raises(InvalidSettingError, match="another column than x and y, got 'y'"):
        asked_columns(None, "y", table=table, complete=EVERY, without=(0, 1))


def test_text_is_refused_where_numbers_are_needed():
    with pytest.raises(InvalidPairError, match="must hold numbers"):
        third_column(["a", "b"], "kind", grouping=False)


def test_a_long_table_is_looked_at_in_some_of_its_rows_and_only_columns_that_vary():
    n = 3 * MOST_ROWS
    table = {
        "x": np.arange(float(n)),
        "constant": np.ones(n),
        "name": [f"n{at}" for at in range(n)],
        "kind": ["a", "b", "c"] * (n // 3),
    }
    for held in (table, pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        beside = Beside.of_table(held, n)
        assert len(beside.rows) == MOST_ROWS
        assert beside.others({0}) == [3]
        assert beside.column(3).values.tolist() == [at % 3 for at in beside.rows]
        assert beside.column(0).values.tolist() == beside.rows.tolist()
