"""GraphML as networkx, igraph and yEd write it, without what XML could smuggle in."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import graphml
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.formats.networkx_graphs import as_one_networkx
from bqcd.graphs.partial import PartialGraph
from tests.graphs.formats.examples import graphs


def read(text: str, encoding: str = "utf-8") -> ReadGraph:
    return graphml.read(text.encode(encoding), "'graph.graphml'")


IGRAPH = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <node id="n0"><data key="v_name">smoking</data></node>
    <node id="n1"><data key="v_name">tar &amp; co</data></node>
    <edge source="n1" target="n0"></edge>
  </graph>
</graphml>
"""

YED = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key for="edge" id="d10" yfiles.type="edgegraphics"/>
  <graph edgedefault="directed" id="G">
    <node id="n0"><data key="d6"><y:ShapeNode><y:Geometry x="1.0"/>
      <y:NodeLabel alignment="center">a</y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1"><data key="d6"><y:ShapeNode><y:NodeLabel>b</y:NodeLabel></y:ShapeNode></data>
    </node><node id="n2"><data key="d6"><y:ShapeNode><y:NodeLabel>c</y:NodeLabel></y:ShapeNode>
    </data></node>
    <edge source="n0" target="n1"><data key="d10"><y:PolyLineEdge>
      <y:Arrows source="none" target="standard"/></y:PolyLineEdge></data></edge>
    <edge source="n1" target="n2"><data key="d10"><y:PolyLineEdge>
      <y:Arrows source="none" target="none"/></y:PolyLineEdge></data></edge>
    <edge source="n0" target="n2"><data key="d10"><y:PolyLineEdge>
      <y:Arrows source="standard" target="none"/></y:PolyLineEdge></data></edge>
  </graph>
</graphml>
"""

PLAIN = """<graphml><graph edgedefault="{default}">
<node id="a"/><node id="b"/>{edges}</graph></graphml>"""


def plain(*edges: str, default: str = "directed") -> str:
    return PLAIN.format(default=default, edges="".join(edges))


def test_a_file_of_igraph():
    assert read(IGRAPH).graph.directed == [("tar & co", "smoking")]


def test_a_file_of_yed_with_and_without_arrows():
    graph = read(YED).graph
    assert graph == PartialGraph(directed=["ab", "ca"], undirected=["bc"])


def test_two_heads_in_yed_are_those_of_a_pag():
    text = YED.replace('"none" target="standard"', '"standard" target="standard"')
    assert read(text).graph.mixed == {("a", "b"): ("arrow", "arrow")}


@pytest.mark.parametrize(
    ("default", "flag", "directed"),
    [
        ("directed", "", True),
        ("undirected", "", False),
        ("directed", 'directed="false"', False),
        ("undirected", 'directed="true"', True),
    ],
)
def test_an_edge_says_more_than_the_default(default, flag, directed):
    graph = read(plain(f'<edge source="b" target="a" {flag}/>', default=default)).graph
    assert graph.directed == ([("b", "a")] if directed else [])
    assert graph.undirected == ([] if directed else [("a", "b")])


@given(graph=graphs())
@settings(deadline=None, max_examples=50)
def test_networkx_writes_what_is_read(graph):
    assert read("\n".join(nx.generate_graphml(as_one_networkx(graph)))).graph == graph


@given(graph=graphs())
@settings(deadline=None, max_examples=50)
def test_networkx_reads_what_is_written(graph):
    told = {edge: {"confidence": -0.5, "reason": "<&>"} for edge in graph.directed}
    back = nx.parse_graphml(graphml.write(graph, told).partition("\n")[2])
    wanted = as_one_networkx(graph, attributes=told)
    assert list(back) == list(wanted)
    assert nx.DiGraph(back).adj == nx.DiGraph(wanted).adj


def test_an_edge_both_ways_in_a_directed_graph_is_undirected():
    both = nx.DiGraph([("a", "b"), ("b", "a")])
    assert read("\n".join(nx.generate_graphml(both))).graph.undirected == [("a", "b")]


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>
<graphml><graph><node id="&lol2;"/></graph></graphml>"""
OUTSIDE = """<!DOCTYPE r [<!ENTITY file SYSTEM "file:///etc/hostname">]>
<graphml><graph><node id="a"><data key="k">&file;</data></node></graph></graphml>"""


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_before_they_are_read(text, encoding):
    with pytest.raises(InvalidGraphError, match="must have no DOCTYPE"):
        read(text.replace('version="1.0"', f'version="1.0" encoding="{encoding}"'), encoding)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html/>", "its root is 'html'"),
        ("<graphml/>", "must have a graph in GraphML, got none"),
        ("<graphml><graph>", "is not GraphML: no element found"),
        ('<?xml version="1.0" encoding="klingon"?><graphml/>', "is not GraphML"),
        ("<graphml><graph/><graph/></graphml>", "must have one graph, got several"),
        (plain('<node id="a"/>'), "an id of their own, got 'a'"),
        (plain("<node/>"), "an id of their own, got ''"),
        (plain('<hyperedge id="h"/>'), "got a hyperedge"),
        (plain('<edge source="a" target="x"/>'), "The target of an edge .* got 'x'"),
        (plain('<edge source="a" target="b"/>' * 2), "must come once, got 'a' -> 'b' twice"),
        (
            plain(
                '<edge source="a" target="b"/><edge source="b" target="a"/>', default="undirected"
            ),
            "must come once, got 'b' -- 'a' twice",
        ),
        (plain('<edge source="a" target="b" directed="maybe"/>'), "true or false, got 'maybe'"),
    ],
)
def test_what_is_no_graph_is_refused(text, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(text)
