"""Tables in memory and on standard input are read as files are."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import bqcd
from bqcd.data.files.reading import UnreadTable
from bqcd.data.files.switches import Reading
from bqcd.data.tables import held_table
from bqcd.errors import InvalidTableError
from bqcd.show.explorer import Explorer
from bqcd.show.explorer.questions import choices
from tests.data.files.awkward import DAYS, A, B, arrow_table, comma, german, lines

PLAIN = {"a": A, "b": B}


class Streamed:
    """A foreign table that gives its rows as Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def dataset(folder: Path) -> Any:
    pq.write_table(arrow_table(), folder / "t.parquet")
    return pa.dataset.dataset(folder / "t.parquet")


def relation() -> Any:
    table = arrow_table()
    connection = duckdb.connect()
    connection.register("t", table)
    return connection.sql("SELECT * FROM t")


OBJECTS: dict[str, Any] = {
    "pandas": lambda _: arrow_table().to_pandas(),
    "polars": lambda _: pl.DataFrame(arrow_table()),
    "lazy polars": lambda _: pl.DataFrame(arrow_table()).lazy(),
    "Arrow": lambda _: arrow_table(),
    "batch": lambda _: arrow_table().combine_chunks().to_batches()[0],
    "reader": lambda _: arrow_table().to_reader(5),
    "dataset": dataset,
    "DuckDB": lambda _: relation(),
    "stream": lambda _: Streamed(arrow_table()),
    "mapping": lambda _: PLAIN,
    "mapping of arrays": lambda _: {"a": np.array(A), "b": np.array(B)},
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_are_read_as_tables(tmp_path, kind):
    table = bqcd.read_table(OBJECTS[kind](tmp_path), ["b", "a"])
    assert table.to_pydict() == {"b": B, "a": A}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_go_wherever_a_table_goes(tmp_path, kind):
    expected = bqcd.decide(A, B).confidence
    make = OBJECTS[kind]
    assert bqcd.decide("a", "b", table=make(tmp_path)).confidence == expected
    assert bqcd.assess("a", "b", table=make(tmp_path), method="bqcd", replicates=10).confidence == (
        expected
    )
    found = bqcd.scan(make(tmp_path), pairs=[("a", "b")])
    assert found.table["confidence"].to_pylist() == [expected]
    graph = nx.Graph([("a", "b")])
    record = bqcd.orient(make(tmp_path), graph, force=True, method="bqcd").record("a", "b")
    assert record.judgement.confidence == expected


def test_arrays_are_read_by_position():
    array = np.column_stack([A, B])
    assert bqcd.read_table(array, [1]).to_pydict() == {"column 1": B}
    assert bqcd.read_table(array, na="3")["column 0"].to_pylist()[0] is None


def test_orders_and_nominal_columns_of_objects_are_declared_as_those_of_files():
    table = {"grade": ["low", "high", "low"], "region": [1, 2, 1]}
    read = bqcd.read_table(table, order={"grade": ["low", "high"]}, nominal="region")
    assert read["grade"].type.ordered
    assert not read["region"].type.ordered
    assert read["region"].to_pylist() == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("table", "piece"),
    [
        ({"a": [1, "x", object()]}, "Column 'a' holds values of several kinds"),
        ({"a": [1, 2], "b": [1]}, "must have the same length"),
        ({"a": []}, "has no rows"),
        ({}, "has no columns"),
        (5, "A table must be a file, a data frame"),
    ],
)
def test_what_is_no_table_is_refused(table, piece):
    with pytest.raises(InvalidTableError, match=piece):
        bqcd.read_table(table)


def test_what_can_be_read_once_is_held():
    reader = arrow_table().to_reader()
    held = held_table(reader)
    assert held.num_rows == 14
    assert held_table(held) is held
    frame = pd.DataFrame(PLAIN)
    assert held_table(frame) is frame


def test_a_table_at_hand_can_be_read_again(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text(lines(";", number=comma))
    unread, folder = UnreadTable(path, Reading(decimal=",")).at_hand()
    assert folder is None
    assert unread.source == path
    monkeypatch.setattr(sys, "stdin", Stdin(lines().encode()))
    unread, folder = UnreadTable("-", Reading(nominal="ok")).at_hand()
    try:
        for _ in range(2):
            table = unread.read()
            assert table["day"].to_pylist() == DAYS
            assert not table["ok"].type.ordered
    finally:
        folder.cleanup()
    assert not Path(unread.source).exists()


def test_the_explorer_takes_what_is_said_of_a_table(tmp_path):
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    path = tmp_path / "t.csv"
    path.write_text(lines(";", number=german))
    with Explorer(UnreadTable(path, Reading(thousands=".", nominal="a"))) as explorer:
        usable = {
            column["name"]: column["usable"] for column in choices(explorer.source)["columns"]
        }
        assert explorer.source.column(1).tolist() == B
    assert usable == {"a": False, "b": True, "day": True, "ok": True, "name": False}


class Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("kind", ["text", "JSON", "Parquet"])
def test_standard_input_may_be_of_any_format(monkeypatch, kind):
    sink = io.BytesIO()
    if kind == "text":
        sink.write(lines(";").encode())
    elif kind == "JSON":
        sink.write(pd.DataFrame(PLAIN).to_json(orient="records").encode())
    else:
        pq.write_table(arrow_table(), sink)
    monkeypatch.setattr(sys, "stdin", Stdin(sink.getvalue()))
    assert bqcd.read_table("-", ["a", "b"]).to_pydict() == PLAIN


def test_patterns_stand_for_parquet_files_in_the_order_of_their_names(tmp_path):
    for number, part in enumerate((arrow_table().slice(0, 6), arrow_table().slice(6))):
        pq.write_table(part, tmp_path / f"part-{number}.parquet")
    (tmp_path / "notes.txt").write_text("no table")
    pattern = str(tmp_path / "part-*.parquet")
    assert bqcd.read_table(pattern).equals(arrow_table())
    assert bqcd.scan(pattern, columns=["a", "b"]).n_rows == 14
    with pytest.raises(InvalidTableError, match="no pattern of Parquet files"):
        bqcd.read_table(str(tmp_path / "*.txt"))
    with pytest.raises(InvalidTableError, match="no pattern of Parquet files"):
        bqcd.read_table(str(tmp_path / "none-*.parquet"))


def test_partitions_are_columns_and_must_fit_together(tmp_path):
    for year in (2020, 2021):
        folder = tmp_path / "t" / f"year={year}" / "month=1"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"a": [1.0, 2.0]}), folder / "x.parquet")
    read = bqcd.read_table(tmp_path / "t")
    assert read.to_pydict() == {"a": [1.0, 2.0, 1.0, 2.0], "year": [2020, 2020, 2021, 2021],
                                "month": [1, 1, 1, 1]}  # fmt: skip
    assert bqcd.read_table(tmp_path / "t", ["year"]).num_rows == 4
    odd = tmp_path / "t" / "kind=x"
    odd.mkdir()
    pq.write_table(pa.table({"a": [1.0]}), odd / "x.parquet")
    with pytest.raises(InvalidTableError, match="must all name the same columns"):
        bqcd.read_table(tmp_path / "t")


def test_types_of_parts_are_reconciled_or_refused(tmp_path):
    folder = tmp_path / "t"
    folder.mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), folder / "0.parquet")
    pq.write_table(pa.table({"a": [0.5]}), folder / "1.parquet")
    assert bqcd.read_table(folder).to_pydict() == {"a": [1.0, 2.0, 0.5]}
    pq.write_table(pa.table({"a": ["word"]}), folder / "2.parquet")
    with pytest.raises(InvalidTableError, match="cannot be read as Parquet"):
        bqcd.read_table(folder)
