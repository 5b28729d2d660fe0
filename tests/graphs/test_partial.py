"""Graphs with directed and undirected edges: what they refuse, paths, cycles, colliders."""

from __future__ import annotations

import pytest
from hypothesis import given

from bqcd.errors import InvalidGraphError
from bqcd.graphs.partial import (
    PartialGraph,
    directed_cycle,
    directed_path,
    topological_order,
    v_structures,
)
from tests.graphs.random_graphs import dags


@pytest.mark.parametrize(
    ("edges", "word"),
    [
        ({"directed": [("a", "a")]}, "'a' with itself"),
        ({"undirected": [("a", "a")]}, "'a' with itself"),
        ({"directed": [("a", "b"), ("a", "b")]}, "two between 'a' and 'b'"),
        ({"directed": [("a", "b"), ("b", "a")]}, "two between 'b' and 'a'"),
        ({"directed": [("a", "b")], "undirected": [("b", "a")]}, "two between 'b' and 'a'"),
    ],
)
def test_self_edges_and_double_edges_are_named(edges, word):
    with pytest.raises(InvalidGraphError, match=word):
        PartialGraph(**edges)


def test_everything_is_listed_in_alphabetical_order_whatever_was_given():
    first = PartialGraph("cab", directed=[("c", "a"), ("b", "a")], undirected=[("c", "b")])
    second = PartialGraph(directed=[("b", "a"), ("c", "a")], undirected=[("b", "c")])
    assert first == second
    assert first.nodes == ["a", "b", "c"]
    assert first.parents("a") == ["b", "c"]
    assert first.undirected == [("b", "c")]


def test_a_copy_is_free_to_change():
    graph = PartialGraph(undirected=["ab"])
    twin = graph.copy()
    twin.orient("b", "a")
    assert graph.undirected == [("a", "b")]
    assert twin.directed == [("b", "a")]


def test_a_path_is_a_shortest_one_and_follows_arrows():
    graph = PartialGraph(directed=["ab", "bc", "cd", "ad"], undirected=["de"])
    assert directed_path(graph, "a", "d") == ["a", "d"]
    assert directed_path(graph, "d", "a") is None
    assert directed_path(graph, "a", "e") is None


def test_a_cycle_is_found_wherever_it_is():
    graph = PartialGraph(directed=["ab", "bc", "cd", "db", "de"])
    cycle = directed_cycle(graph)
    assert cycle == ["b", "c", "d", "b"]
    with pytest.raises(InvalidGraphError, match="b -> c -> d -> b"):
        topological_order(graph)


def test_a_cycle_before_thousands_of_other_nodes_is_found():
    effects = [("x", f"a{at:04}") for at in range(1500)]
    graph = PartialGraph(directed=["xy", "yz", "zx", *effects])
    assert directed_cycle(graph) == ["x", "y", "z", "x"]


@given(dags())
def test_causes_come_before_effects(dag):
    assert directed_cycle(dag) is None
    place = {node: at for at, node in enumerate(topological_order(dag))}
    assert all(place[tail] < place[head] for tail, head in dag.directed)


@given(dags())
def test_colliders_are_those_of_the_definition(dag):
    expected = {
        (a, c, b)
        for a in dag.nodes
        for b in dag.nodes
        for c in dag.nodes
        if a < b and dag.is_directed(a, c) and dag.is_directed(b, c) and not dag.adjacent(a, b)
    }
    assert v_structures(dag) == expected
