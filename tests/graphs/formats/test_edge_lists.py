"""Lists of edges: with or without a head, safe in spreadsheets, exact when read back."""

from __future__ import annotations

import pandas as pd
import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import edge_lists
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.partial import PartialGraph


def read(text: str, convention: str | None = None) -> ReadGraph:
    return edge_lists.read(text.encode(), "'edges.csv'", convention)


@pytest.mark.parametrize(
    ("text", "directed", "undirected"),
    [
        ("from,to\na,b\nb,c\n", ["ab", "bc"], []),
        ("from,to,type\na,b,->\nb,c,--\nd,c,<-\n", ["ab", "cd"], ["bc"]),
        ("Source,Target,Type,Weight\na,b,Directed,1\nb,c,Undirected,0.5\n", ["ab"], ["bc"]),
        ("weight,type,to,from\n1,-->,b,a\n1,---,c,b\n", ["ab"], ["bc"]),
        ("cause,effect\na,b\n", ["ab"], []),
        ("a,b\nb,c\n", ["ab", "bc"], []),
        ("a,b,--\nb,c,->\n", ["bc"], ["ab"]),
        ("from;to\na;b\n", ["ab"], []),
        ("from\tto\na\tb, c\n", [("a", "b, c")], []),
        ('from,to\r\n"a ""x""","b;c"\r\n\r\n', [('a "x"', "b;c")], []),
        ("\ufefffrom,to\na,b\n", ["ab"], []),
        ("from,to,type\na,b,\n", ["ab"], []),
    ],
)
def test_known_lists(text, directed, undirected):
    graph = read(text).graph
    assert graph.directed == sorted(map(tuple, directed))
    assert graph.undirected == sorted(map(tuple, undirected))


def test_a_row_with_one_name_is_a_node():
    graph = read("from,to,type\na,b,->\nc,,\nd\n").graph
    assert graph.nodes == ["a", "b", "c", "d"]
    assert graph.directed == [("a", "b")]


def test_edges_without_a_type_are_what_the_convention_says():
    assert read("a,b\nb,c\n", "undirected").kind == "skeleton"
    assert read("a,b\nb,c\n", "directed").kind == "cpdag"
    assert read("from,to,type\na,b,->\nb,c,\n", "undirected").graph.directed == [("a", "b")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\na,b\n", "must come once, got 'a' -> 'b' twice"),
        ("a,b\nb,a\n", "contradict each other, got 'a' -> 'b' and 'b' -> 'a'"),
        ("a,b,--\nb,a,--\n", "must come once, got 'b' -- 'a' twice"),
        ("a,a\n", "got one of 'a' with itself"),
        ("a,b,~>\n", "or with two heads or circles such as <->, o-> and o-o, got '~>'"),
        ("a,b,0.7\n", "must be one of ->, -->, directed, .* got '0.7'"),
        ("from,to\n,b\n", r"must name a node, got \['', 'b'\]"),
        ("a,,->\n", "must not be empty"),
        (",a,b,c\na,0,1,0\nb,0,0,0\nc,0,0,0\n", "read with format='adjacency'"),
        (",,\n", "has no rows"),
        ('from,to\n"a,b\n', "is malformed"),
        ('from,to\n"a\nb",c\n', "on one line"),
    ],
)
def test_what_is_no_list_is_refused(text, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(text)


def test_formulas_are_guarded_but_numbers_are_not():
    told = {("=1+1", "a"): {"confidence": -0.5, "reason": "@SUM(A1:A9)", "rank": 1}}
    text = edge_lists.write(PartialGraph(directed=[("=1+1", "a")]), told)
    assert text.splitlines()[1] == "'=1+1,a,directed,-0.5,'@SUM(A1:A9),1"


def test_pandas_reads_what_is_written(tmp_path):
    graph = PartialGraph(directed=[("a, b", 'c "d"')], undirected=["xy"])
    told = {("a, b", 'c "d"'): {"confidence": 1 / 3}}
    path = tmp_path / "edges.csv"
    path.write_text(edge_lists.write(graph, told), encoding="utf-8")
    table = pd.read_csv(path)
    assert table["from"].tolist() == ["a, b", "x"]
    assert table["to"].tolist() == ['c "d"', "y"]
    assert table["type"].tolist() == ["directed", "undirected"]
    assert table["confidence"].tolist()[0] == 1 / 3
