"""Graphs of causal-learn, from its own classes where installed, else from their likeness."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import as_adjacency, read_graph
from bqcd.graphs.partial import PartialGraph

MIXED = PartialGraph("abcd", directed=["ab"], undirected=["bc"])
Endpoint = Enum("Endpoint", {"TAIL": -1, "ARROW": 1, "CIRCLE": 2})


@dataclass(frozen=True)
class Node:
    name: str

    def get_name(self) -> str:
        return self.name


@dataclass(frozen=True)
class Edge:
    node1: Node
    node2: Node
    endpoint1: Enum
    endpoint2: Enum

    def get_node1(self) -> Node:
        return self.node1

    def get_node2(self) -> Node:
        return self.node2

    def get_endpoint1(self) -> Enum:
        return self.endpoint1

    def get_endpoint2(self) -> Enum:
        return self.endpoint2


@dataclass
class General:
    nodes: list[Node]
    edges: list[Edge]

    def get_nodes(self) -> list[Node]:
        return self.nodes

    def get_graph_edges(self) -> list[Edge]:
        return self.edges


def general(names: str, *edges: str) -> General:
    """Graph of edges such as ``a-->b`` or ``ao->b``, two signs and a line between letters."""
    marks = {"-": Endpoint.TAIL, ">": Endpoint.ARROW, "<": Endpoint.ARROW, "o": Endpoint.CIRCLE}
    nodes = {name: Node(name) for name in names}
    return General(
        list(nodes.values()),
        [Edge(nodes[e[0]], nodes[e[-1]], marks[e[1]], marks[e[3]]) for e in edges],
    )


def test_tails_and_arrows_are_read():
    assert read_graph(general("abcd", "a-->b", "c---b")).graph == MIXED
    assert read_graph(general("abcd", "b<--a", "b---c")).graph == MIXED


def test_the_result_of_pc_holds_its_graph():
    assert read_graph(SimpleNamespace(G=general("abcd", "a-->b", "c---b"))).graph == MIXED


def test_names_replace_the_numbers_of_causal_learn():
    nodes = [Node("X1"), Node("X2")]
    unnamed = General(nodes, [Edge(*nodes, Endpoint.TAIL, Endpoint.ARROW)])
    assert read_graph(unnamed, names=["income", "food"]).graph.directed == [("income", "food")]
    # Names that include X1 and X2 say what these are; so many more names say nothing.
    assert read_graph(unnamed, names=["X2", "X1"]).graph.directed == [("X1", "X2")]
    assert read_graph(unnamed, names=["a", "b", "c"]).graph.directed == [("X1", "X2")]
    with pytest.raises(InvalidGraphError, match="must have different names, got a, a"):
        read_graph(unnamed, names=["a", "a"])


def test_names_of_a_graph_that_has_its_own_are_kept():
    assert read_graph(general("abcd", "a-->b", "c---b"), names=["p", "q", "r", "s"]).graph == MIXED


@pytest.mark.parametrize(
    ("edge", "words"),
    [("a<->b", "a <-> b"), ("ao->b", "a o-> b"), ("a<-ob", "b o-> a"), ("ao-ob", "a o-o b")],
)
def test_edges_of_mags_and_pags_are_read(edge, words):
    read = read_graph(general("ab", edge))
    assert read.graph.arrow("a", "b") == words
    assert read.kind == "pag"


@pytest.fixture
def causal_learn() -> SimpleNamespace:
    graph = pytest.importorskip("causallearn.graph.GeneralGraph", exc_type=ImportError)
    from causallearn.graph.Edge import Edge as TheirEdge
    from causallearn.graph.Endpoint import Endpoint as TheirEndpoint
    from causallearn.graph.GraphNode import GraphNode

    nodes = [GraphNode(name) for name in "abcd"]
    whole = graph.GeneralGraph(nodes)
    whole.add_directed_edge(nodes[0], nodes[1])
    whole.add_edge(TheirEdge(nodes[2], nodes[1], TheirEndpoint.TAIL, TheirEndpoint.TAIL))
    return SimpleNamespace(whole=whole, nodes=nodes, edge=TheirEdge, end=TheirEndpoint)


def test_a_graph_of_the_package_itself(causal_learn):
    assert read_graph(causal_learn.whole).graph == MIXED
    matrix = causal_learn.whole.graph
    assert read_graph(matrix, convention="causal-learn", names="abcd").graph == MIXED
    assert (as_adjacency(MIXED, "abcd", convention="causal-learn") == matrix).all()


def test_a_circle_of_the_package_itself_is_read(causal_learn):
    third, fourth = causal_learn.nodes[2:]
    edge = causal_learn.edge(third, fourth, causal_learn.end.CIRCLE, causal_learn.end.ARROW)
    causal_learn.whole.add_edge(edge)
    read = read_graph(causal_learn.whole).graph
    assert read.mixed == {("c", "d"): ("circle", "arrow")}
    matrix = causal_learn.whole.graph
    assert read_graph(matrix, convention="causal-learn", names="abcd").graph == read
    assert (as_adjacency(read, "abcd", convention="causal-learn") == matrix).all()
