"""Graphs put together from nodes and edges as listed."""

from __future__ import annotations

from itertools import combinations

import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import assembly
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled, named_by
from bqcd.graphs.partial import PartialGraph


def test_labels_must_be_those_of_the_nodes():
    with pytest.raises(InvalidGraphError, match=r"belong to the nodes \['a'\], got \['b'\]"):
        ReadGraph(PartialGraph("a"), {"b": "b"})


def test_labels_cannot_be_changed():
    read = assembled([1], [], source="it", both_ways="refused")
    with pytest.raises(TypeError):
        read.labels["1"] = 2


@pytest.mark.parametrize(("nodes", "what"), [(3, "edges"), (5, "nodes")])
def test_graphs_larger_than_allowed_are_refused(nodes, what, monkeypatch):
    monkeypatch.setattr(assembly, "MAX_ELEMENTS", 4)
    edges = [GivenEdge(*ends) for ends in combinations(range(nodes + 1), 2)]
    with pytest.raises(InvalidGraphError, match=f"it must have at most 4 {what}"):
        assembled(range(nodes + 1), edges, source="it", both_ways="refused")


def test_graphs_as_large_as_allowed_are_read(monkeypatch):
    monkeypatch.setattr(assembly, "MAX_ELEMENTS", 4)
    edges = [GivenEdge(*ends) for ends in combinations(range(4), 2)][:4]
    assert len(assembled(range(4), edges, source="it", both_ways="refused").graph.directed) == 4


def test_a_third_edge_between_two_nodes_is_refused():
    edges = [GivenEdge("a", "b"), GivenEdge("b", "a")]
    assert assembled([], edges, source="it", both_ways="undirected").graph.undirected
    with pytest.raises(InvalidGraphError, match="Edges of it must"):
        assembled([], [*edges, edges[0]], source="it", both_ways="undirected")


def test_titles_are_names_if_ids_are_numbers_and_all_have_one():
    assert named_by(["0", "n1"], {"0": "a", "n1": "b"}) == {"0": "a", "n1": "b"}
    assert named_by(["0", "x"], {"0": "a", "x": "b"}) == {"0": "0", "x": "x"}
    assert named_by(["0", "1"], {"0": "a"}) == {"0": "0", "1": "1"}
