"""Graphs of networkx: Graph, DiGraph as cdt gives them, mixed by attribute, and multigraphs."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import as_networkx, as_one_networkx, read_graph
from bqcd.graphs.partial import PartialGraph
from tests.graphs.formats.examples import graphs

MIXED = PartialGraph("abcd", directed=["ab"], undirected=["bc"])


def test_a_plain_graph_is_a_skeleton():
    read = read_graph(nx.Graph(["ab", "bc"]))
    assert read.graph == PartialGraph(undirected=["ab", "bc"])
    assert read.kind == "skeleton"


def test_an_edge_both_ways_is_undirected_as_in_cdt():
    read = read_graph(nx.DiGraph(["ab", "bc", "cb"]))
    assert read.graph == PartialGraph("abc", directed=["ab"], undirected=["bc"])
    assert read.kind == "cpdag"


@pytest.mark.parametrize("flag", [{"directed": False}, {"type": "undirected"}, {"type": "---"}])
def test_an_attribute_makes_an_edge_of_a_digraph_undirected(flag):
    whole = nx.DiGraph(["ab"])
    whole.add_edge("b", "c", weight=0.5, **flag)
    whole.add_node("d")
    assert read_graph(whole).graph == MIXED


def test_an_undirected_edge_may_be_flagged_both_ways():
    whole = nx.DiGraph()
    whole.add_edge("b", "c", directed=False)
    whole.add_edge("c", "b", directed=False)
    assert read_graph(whole).graph == PartialGraph(undirected=["bc"])


def test_integers_are_named_and_remembered():
    read = read_graph(nx.DiGraph([(1, 2), ((3, "x"), 2)]))
    assert read.graph.directed == [("(3, 'x')", "2"), ("1", "2")]
    assert read.labels == {"1": 1, "2": 2, "(3, 'x')": (3, "x")}
    directed, undirected = as_networkx(read.graph, read.labels)
    assert set(directed.edges) == {(1, 2), ((3, "x"), 2)}
    assert set(undirected.nodes) == {1, 2, (3, "x")}


def test_multigraphs_without_parallel_edges_are_read():
    assert read_graph(nx.MultiGraph(["ab"])).graph == PartialGraph(undirected=["ab"])
    assert read_graph(nx.MultiDiGraph(["ab", "bc", "cb"])).graph.undirected == [("b", "c")]


@pytest.mark.parametrize(
    ("whole", "message"),
    [
        (nx.MultiGraph(["ab", "ab"]), "must come once, got 'a' -- 'b' twice"),
        (nx.MultiDiGraph(["ab", "ab"]), "must come once, got 'a' -> 'b' twice"),
        (nx.MultiDiGraph(["ab", "ba", "ab"]), "Edges of the networkx graph must"),
        (nx.Graph([("a", "a")]), "must join two nodes, got one of 'a' with itself"),
        (nx.Graph([(1, "1")]), "got 1 and '1', both called '1'"),
        (nx.Graph([("a", "b", {"directed": True})]), "'a' -- 'b' .* claims a direction"),
        (nx.Graph([("a", "b", {"type": "o->"})]), "has the type 'o->'; make the graph directed"),
        (nx.DiGraph([("a", "b", {"directed": 0.3})]), "must be true or false, got 0.3"),
        (
            nx.DiGraph([("a", "b", {"directed": True, "type": "--"})]),
            "must agree, got directed=True and type='--'",
        ),
        (
            nx.DiGraph([("a", "b"), ("b", "a", {"directed": False})]),
            "got 'a' -> 'b' and 'b' -- 'a'",
        ),
        (nx.Graph([("a\n", "b")]), "on one line"),
    ],
)
def test_what_is_no_partial_graph_is_refused(whole, message):
    with pytest.raises(InvalidGraphError, match=message):
        read_graph(whole)


@given(graph=graphs())
@settings(deadline=None, max_examples=30)
def test_a_graph_survives_as_one_networkx_graph(graph):
    assert read_graph(as_one_networkx(graph)).graph == graph


@given(graph=graphs())
@settings(deadline=None, max_examples=30)
def test_a_graph_is_split_into_directed_and_undirected_edges(graph):
    directed, undirected = as_networkx(graph)
    assert set(directed) == set(undirected) == set(graph.nodes)
    assert sorted(directed.edges) == graph.directed
    assert {frozenset(edge) for edge in undirected.edges} == set(map(frozenset, graph.undirected))


def test_a_directed_and_an_undirected_graph_are_one_mixed_graph():
    read = read_graph((nx.DiGraph([(1, 2)]), nx.Graph([(2, 3)])))
    assert (read.graph.directed, read.graph.undirected) == ([("1", "2")], [("2", "3")])
    assert read.labels["3"] == 3
    with pytest.raises(InvalidGraphError, match="'1' -> '2' and '1' -- '2'"):
        read_graph((nx.DiGraph([(1, 2)]), nx.Graph([(1, 2)])))
