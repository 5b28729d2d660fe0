"""Graphs for dowhy: by its documented input, and in itself where it is installed."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidGraphError
from bqcd.graphs import PartialGraph
from bqcd.graphs.formats.dowhy import to_dowhy
from tests.graphs.formats.taken_graphs import orientation, skeleton, table


def test_it_is_a_networkx_digraph_without_cycles_named_as_the_columns() -> None:
    graph = to_dowhy(orientation())
    assert type(graph) is nx.DiGraph
    assert nx.is_directed_acyclic_graph(graph)
    assert list(graph.nodes) == list("abcd")
    assert list(graph.edges) == [("a", "b"), ("b", "c")]


def test_edges_have_their_confidence_and_nothing_else() -> None:
    found = orientation()
    for tail, head, told in to_dowhy(found).edges(data=True):
        assert told == {"confidence": found.record(tail, head).support}
    assert list(to_dowhy(PartialGraph(directed=["ab"])).edges(data=True)) == [("a", "b", {})]


def test_edges_left_open_are_refused_by_name() -> None:
    with pytest.raises(InvalidGraphError, match=r"dowhy needs .*a - b, b - c\..*complete=True"):
        to_dowhy(orientation().at(10.0))


def test_the_gml_that_is_saved_reads_as_the_text_dowhy_hands_to_networkx(tmp_path: Path) -> None:
    found = orientation()
    found.save(tmp_path / "graph.gml")
    # dowhy puts the text into one line before it is parsed.
    text = (tmp_path / "graph.gml").read_text(encoding="utf-8").replace("\n", " ")
    assert nx.utils.graphs_equal(nx.parse_gml(text), found.directed)


def test_dowhy_identifies_an_effect_by_it(tmp_path: Path) -> None:
    dowhy = pytest.importorskip("dowhy")
    rng = np.random.default_rng(1)
    frame = table().assign(d=lambda t: t.a + t.b + rng.normal(size=len(t)))
    graph = PartialGraph(directed=["ab", "ad", "bd", "bc"])
    model = dowhy.CausalModel(frame, treatment="b", outcome="d", graph=to_dowhy(graph))
    assert model.identify_effect().get_backdoor_variables() == ["a"]


@pytest.mark.parametrize("given", ["object", "file", "text"])
def test_dowhy_loads_the_object_the_file_and_its_text(given: str, tmp_path: Path) -> None:
    graphs = pytest.importorskip("dowhy.causal_graph")
    found = bqcd.orient(table(), skeleton())
    path = tmp_path / "graph.gml"
    found.save(path)
    ways = {"object": to_dowhy(found), "file": str(path), "text": path.read_text(encoding="utf-8")}
    names = list("abcd")
    loaded = graphs.CausalGraph("a", "c", graph=ways[given], observed_node_names=names)
    assert set(loaded._graph.edges) == {("a", "b"), ("b", "c")}
    assert set(loaded._graph.nodes) == set(names)
