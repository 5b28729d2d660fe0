"""GML as networkx and igraph write it, and written so that networkx reads it."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import gml
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.formats.networkx_graphs import as_one_networkx
from bqcd.graphs.partial import PartialGraph
from tests.graphs.formats.examples import graphs


def read(text: str) -> ReadGraph:
    return gml.read(text.encode(), "'graph.gml'")


# igraph writes names as such, and reals with an exponent.
IGRAPH = """Creator "igraph version 0.10.4 Tue Jan 10 2023"
Version 1
graph
[
  directed 1
  node
  [
    id 0
    name "Größe"
  ]
  node
  [
    id 1
    name "b &amp; c"
  ]
  edge
  [
    source 1
    target 0
    weight 1e-05
  ]
]
"""


def test_a_number_with_an_exponent_is_one_number():
    """The parser of networkx takes it for two attributes."""
    assert ("weight", 1e-05) in gml._pairs(IGRAPH, "")[2][1][3][1]


def test_a_file_of_igraph():
    assert read(IGRAPH).graph.directed == [("b & c", "Größe")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("&#65;&#x42;&#X43;", "ABC"),
        ("&lt;&szlig;&hearts;", "<ß♥"),
        ("&#128;", None),
        ("&#1;", None),
        ("&#xD800;", None),
        ("&#99999999;&none;&lt&", "&#99999999;&none;&lt&"),
        ("&#" + "9" * 800 + ";", "&#" + "9" * 800 + ";"),
    ],
)
def test_entities_are_characters(text, name):
    told = f'graph [ node [ id 0 label "{text}" ] ]'
    if name is None:
        with pytest.raises(InvalidGraphError, match="must be printable"):
            read(told)
    else:
        assert read(told).graph.nodes == [name]


def test_nodes_without_label_and_name_are_called_by_id():
    read_back = read("graph [ node [ id 7 ] node [ id 8 label 3 ] edge [ source 7 target 8 ] ]")
    assert read_back.graph.undirected == [("7", "8")]
    assert read_back.labels == {"7": 7, "8": 8}


def test_an_edge_both_ways_in_a_directed_graph_is_undirected():
    both = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    graph = read("\n".join(nx.generate_gml(both))).graph
    assert graph == PartialGraph(directed=["bc"], undirected=["ab"])


@given(graph=graphs())
@settings(deadline=None, max_examples=50)
def test_networkx_writes_what_is_read(graph):
    whole = as_one_networkx(graph)
    assert read("\n".join(nx.generate_gml(whole))).graph == graph


@given(graph=graphs())
@settings(deadline=None, max_examples=50)
def test_networkx_reads_what_is_written(graph):
    # networkx takes the text "[]" for an empty list, which cannot be a label.
    if not {"[]", "()"} & set(graph.nodes):
        told = {edge: {"confidence": -0.5} for edge in graph.directed}
        back = nx.parse_gml(gml.write(graph, told))
        assert set(back.nodes) == set(graph.nodes)
        wanted = as_one_networkx(graph, attributes=told)
        assert nx.DiGraph(back).adj == nx.DiGraph(wanted).adj


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph [ node [ id 0 ] node [ id 0 ] ]", "must come once, got id 0 twice"),
        (
            'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]',
            "must have different names, got 'a' twice",
        ),
        ("graph [ node [ label 0 ] ]", "must have an id, got one without"),
        ("graph [ node [ id 0 ] edge [ source 0 target 1 ] ]", "The target .* id of a node, got 1"),
        ("graph [ node [ id 0 ] edge [ source [ ] target 0 ] ]", "The source .* got a list"),
        ("graph [ ] graph [ ]", "must have one graph in GML, got 2"),
        ("Version 1", "must have one graph in GML, got 0"),
        ("graph 5", "must have one graph"),
        ("graph " + "[ a " * 5000, "ends too early"),
        ("graph [\n node [ id 0 ]", "ends too early"),
        ("graph [\n node ] ]", "not GML at line 2: unexpected ']'"),
        ("graph [ \n\n{ ]", "not GML at line 3: unexpected '{ ]'"),
    ],
)
def test_what_is_no_graph_is_refused(text, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(text)


NODES = 'graph [ directed {} node [ id 0 label "a" ] node [ id 1 label "b" ] '
EDGE = "edge [ source 0 target 1 {} ] "


@pytest.mark.parametrize(
    ("directed", "edges", "message"),
    [
        (1, ["", ""], "must come once, got 'a' -> 'b' twice"),
        (0, ["", ""], "must come once, got 'a' -- 'b' twice"),
        (1, ["", "directed 0"], "got 'a' -> 'b' and 'a' -- 'b'"),
        (0, ["directed 1"], "'a' -- 'b' in 'graph.gml' claims a direction"),
        (1, ["directed 2"], "must be true or false, got 2"),
        (1, ['directed 1 type "undirected"'], "must agree, got directed=1 and type='undirected'"),
    ],
)
def test_edges_that_do_not_fit_are_refused(directed, edges, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(NODES.format(directed) + "".join(map(EDGE.format, edges)) + "]")


@pytest.mark.parametrize("flag", ["directed 0", 'type "undirected"', 'type "--"'])
def test_an_attribute_makes_an_edge_undirected(flag):
    assert read(NODES.format(1) + EDGE.format(flag) + "]").graph.undirected == [("a", "b")]


def test_a_type_that_is_no_direction_is_something_else():
    text = NODES.format(1) + EDGE.format('type "activates"') + "]"
    assert read(text).graph.directed == [("a", "b")]
