"""Adjacency matrices in delimited text."""

from __future__ import annotations

import pandas as pd
import pytest

from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.formats import adjacency_tables, read_graph, write_graph
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.partial import PartialGraph

MIXED = PartialGraph("abcd", directed=["ab"], undirected=["bc"])


def read(text: str, convention: str | None = None) -> ReadGraph:
    return adjacency_tables.read(text.encode(), "'matrix.csv'", convention)


@pytest.mark.parametrize(
    "text",
    [
        ",a,b,c\na,0,1,0\nb,0,0,1\nc,0,1,0\n",
        "a,b,c\n0,1,0\n0,0,1\n0,1,0\n",
        '"","a","b","c"\n"c",0,1,0\n"a",0,1,0\n"b",0,0,1\n',
        ";a;b;c\na;0.0;1.0;0\nb;0;0;1\nc;0;1;0\n",
    ],
)
def test_names_are_in_the_first_row_and_perhaps_the_first_column(text):
    graph = PartialGraph("abc", directed=["ab"], undirected=["bc"])
    assert read(text, "row-causes-column").graph == graph
    assert read(text, "column-causes-row").graph.directed == [("b", "a")]


def test_the_corner_may_hold_the_convention():
    assert read("column-causes-row,a,b\na,0,1\nb,0,0\n").graph.directed == [("b", "a")]
    assert read("pcalg,a,b\na,0,1\nb,0,0\n", "row-causes-column").graph.directed == [("a", "b")]


def test_without_a_convention_only_a_symmetric_matrix_is_read():
    assert read(",a,b\na,0,1\nb,1,0\n").graph.undirected == [("a", "b")]
    with pytest.raises(InvalidGraphError, match=r"'matrix\.csv' is not symmetric"):
        read(",a,b\na,0,1\nb,0,0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b\na,0,1\n", "must be square"),
        (",a,b\na,0,1\nb,0\n", "and 2 cells in one"),
        (",a,b\na,0,1\nc,1,0\n", "must have the same names, but only one has 'b'"),
        (",a,b\na,0,1\na,1,0\n", "must have the same names, but only one has 'b'"),
        (",a,a\na,0,1\na,1,0\n", "different names, got 'a' twice"),
        (",a,b\na,0,x\nb,1,0\n", "must be 0 or 1, got 'x'"),
        (",a,b\na,0,0.7\nb,0,0\n", "got 0.7 in the row of 'a' and the column of 'b'; these are we"),
        (",a,b\na,0,nan\nb,0,0\n", "must be 0 or 1, got nan in the row of 'a'"),
        (",a,b\na,1,0\nb,0,0\n", "got one of 'a' with itself"),
    ],
)
def test_what_is_no_matrix_is_refused(text, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(text)


def test_pandas_and_we_read_the_same(tmp_path):
    path = tmp_path / "matrix.csv"
    write_graph(MIXED, path, format="adjacency")
    frame = pd.read_csv(path, index_col=0)
    assert frame.index.name == "row-causes-column"
    assert read_graph(frame, convention="row-causes-column").graph == MIXED
    assert read_graph(path, format="adjacency").graph == MIXED
    with pytest.raises(InvalidSettingError, match="convention of the format 'adjacency'"):
        read_graph(path, format="adjacency", convention="upwards")
