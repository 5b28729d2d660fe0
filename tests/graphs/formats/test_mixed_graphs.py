"""Graphs with circles and two heads come back from every format that has them."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bqcd
from bqcd.errors import InvalidGraphError
from bqcd.graphs import PartialGraph, read_graph, write_graph
from bqcd.graphs.ends import ends_of, word_of
from bqcd.graphs.formats import FORMATS, as_networkx, as_one_networkx
from bqcd.graphs.formats.causal_learn import from_causal_learn, to_causal_learn
from bqcd.graphs.formats.dowhy import to_dowhy
from bqcd.graphs.formats.pgmpy import to_pgmpy
from tests.graphs.random_graphs import mixed_graphs

ENDS = ["o-o", "o->", "<-o", "<->", "o-", "-o"]


@pytest.mark.parametrize("word", ENDS)
def test_words_and_marks_are_each_others_inverse(word):
    assert word_of(ends_of(word)) == word


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=30, deadline=None)
@given(graph=mixed_graphs())
def test_what_is_written_is_read_again(tmp_path_factory, name, graph):
    path = tmp_path_factory.mktemp("mixed") / "graph.any"
    told = {edge: {"confidence": 0.5} for edge in graph.mixed} if name != "adjacency" else {}
    write_graph(graph, path, format=name, attributes=told)
    read = read_graph(path, format=name)
    assert read.graph == graph
    assert read.kind == ("pag" if graph.mixed else read.kind)


@settings(max_examples=50, deadline=None)
@given(graph=mixed_graphs(), turned=st.booleans())
def test_networkx_and_matrices_hold_them(graph, turned):
    assert read_graph(as_one_networkx(graph)).graph == graph
    for convention in ("causal-learn", "pcalg-pag"):
        matrix = bqcd.graphs.as_adjacency(graph, convention=convention)
        assert read_graph(matrix, convention=convention, names=graph.nodes).graph == graph


@settings(max_examples=30, deadline=None)
@given(graph=mixed_graphs())
def test_causal_learn_holds_them(graph):
    pytest.importorskip("causallearn")
    assert from_causal_learn(to_causal_learn(graph)).graph == graph


PAG = PartialGraph(directed=["ab"], mixed={("b", "c"): ("circle", "arrow")})


@pytest.mark.parametrize(
    ("convert", "taker"),
    [
        (to_dowhy, "dowhy"),
        (to_pgmpy, "A DAG of pgmpy"),
        (lambda graph: to_pgmpy(graph, partial=True), "A PDAG of pgmpy"),
        (as_networkx, "A DiGraph and a Graph"),
        (bqcd.graphs.as_adjacency, "A matrix of the convention 'row-causes-column'"),
        (bqcd.graphs.cpdag_of, "A DAG"),
    ],
)
def test_others_refuse_with_the_reason(convert, taker):
    with pytest.raises(InvalidGraphError) as caught:
        convert(PAG)
    assert str(caught.value).startswith(taker)
    assert "got b o-> c: edges with two heads or with circles" in str(caught.value)


def test_a_networkx_type_is_read_and_an_unknown_word_is_something_else():
    graph = nx.DiGraph([("a", "b", {"type": "<->"}), ("b", "c", {"type": "friendship"})])
    assert read_graph(graph).graph == PartialGraph(
        directed=["bc"], mixed={("a", "b"): ("arrow", "arrow")}
    )


def test_a_pag_as_causal_learn_draws_it_is_read_from_dot(tmp_path):
    path = tmp_path / "pag.dot"
    path.write_text(
        "digraph {0 [label=x]; 1 [label=y]; 2 [label=z]; 0 -> 1 [dir=both, arrowtail=odot, "
        "arrowhead=normal]; 1 -> 2 [dir=both, arrowtail=normal, arrowhead=normal]; }"
    )
    graph = read_graph(path).graph
    assert [graph.arrow("x", "y"), graph.arrow("y", "z")] == ["x o-> y", "y <-> z"]


def test_distances_of_pags_count_other_ends():
    other = PartialGraph(directed=["ab"], mixed={("b", "c"): ("circle", "circle")})
    result = bqcd.compare_graphs(PAG, other)
    assert (result.shd, result.sid_lower) == (1, None)
    assert [edge.difference for edge in result.edges] == ["same", "other ends"]
