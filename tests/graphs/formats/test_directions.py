from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidGraphError
from bqcd.graphs import PartialGraph
from bqcd.graphs.formats.directions import dag_of, graph_of


def test_edges_without_direction_are_named_with_what_to_do() -> None:
    graph = PartialGraph("abc", directed=["ab"], undirected=["bc"])
    with pytest.raises(InvalidGraphError, match=r"1 without: b - c\..*complete=True") as caught:
        dag_of(graph, taker="This test")
    assert str(caught.value).startswith("This test needs a direction for every edge")


def test_of_many_open_edges_the_first_are_named() -> None:
    with pytest.raises(InvalidGraphError, match=r"7 without: .*d - e, e - f and 2 more"):
        dag_of(nx.path_graph("abcdefgh"), taker="This test")


def test_a_cycle_is_refused() -> None:
    cycle = PartialGraph(directed=["ab", "bc", "ca"])
    with pytest.raises(InvalidGraphError, match="a -> b -> c -> a"):
        dag_of(cycle, taker="This test")


def test_an_orientation_keeps_the_labels_of_the_graph_it_had() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    table = np.column_stack([x, x**2 + 0.1 * rng.normal(size=100)])
    read = graph_of(bqcd.orient(table, nx.path_graph(2)))
    assert dict(read.labels) == {"0": 0, "1": 1}
    assert read.graph.directed == [("0", "1")]
