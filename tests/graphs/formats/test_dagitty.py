"""DAGitty's text: examples of its web site and its manual, and what it cannot hold."""

from __future__ import annotations

import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import dagitty
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.partial import PartialGraph


def read(text: str) -> ReadGraph:
    return dagitty.read(text.encode(), "'graph.txt'")


# The form the web site gives out: a box, roles and places of variables, edges with places.
WEB = """dag {
bb="-2.41,-2.13,2.39,1.97"
A [selected,pos="-2.200,-1.520"]
"Blood pressure" [exposure,pos="1.400,-1.460"]
D [outcome,pos="1.400,1.621"]
E [adjusted,pos="-2.200,1.597"]
Z [latent,pos="-0.300,-0.082"]
A -> E
A -> Z [pos="-0.791,-1.045"]
"Blood pressure" -> D [beta=".5"]
"Blood pressure" -> Z
Z -> D
Z -> E
}
"""
BLOOD = "Blood pressure"


@pytest.mark.parametrize(
    ("text", "directed", "undirected"),
    [
        (WEB, ["AE", "AZ", (BLOOD, "D"), (BLOOD, "Z"), "ZD", "ZE"], []),
        ("pdag { x -> y -- z }", ["xy"], ["yz"]),
        ("pdag{ z -- x -> y }", ["xy"], ["xz"]),
        (
            "pdag { x[e] y[o] a -- {i z b}; {a z i} -> x -> y <- {z b} }",
            ["ax", "by", "ix", "xy", "zx", "zy"],
            ["ab", "ai", "az"],
        ),
        ("dag { S1 <- U <- {X V}; {Y V} -> W -> S2}", None, []),
        ("dag{ {x m} -> y }", ["my", "xy"], []),
        ("dag { graph -> node ; edge <- node }", [("graph", "node"), ("node", "edge")], []),
        ("dag name {a -> b}", ["ab"], []),
        ('dag { "a\\"b" -> "c\\d" }', [('a"b', "c\\d")], []),
        ("dag { a.b -> -1 }", [("a.b", "-1")], []),
    ],
)
def test_known_graphs(text, directed, undirected):
    if directed is None:
        directed = [("U", "S1"), ("X", "U"), ("V", "U"), ("Y", "W"), ("V", "W"), ("W", "S2")]
    graph = read(text).graph
    assert graph.directed == sorted(map(tuple, directed))
    assert graph.undirected == sorted(map(tuple, undirected))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dag { a -> b; b -> a }", "got 'a' -> 'b' and 'b' -> 'a'"),
        ("pdag { a -> b; b -- a }", "got 'a' -> 'b' and 'b' -- 'a'"),
        ("dag { a -> {b b2} ; a -> b }", "got 'a' -> 'b' twice"),
        ("dag { a -> a }", "got one of 'a' with itself"),
        ("A 1 @0.1,0.2\nB 1 @0.3,0.4\n\nA B\n", "expected one of dag, pdag, mag, pag, got 'A'"),
    ],
)
def test_what_is_no_graph_is_refused(text, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(text)


def test_only_graphs_with_open_edges_are_pdags():
    assert dagitty.write(PartialGraph(directed=["ab"]), {}).startswith("dag {")
    told = {("a", "b"): {"confidence": 0.5, "reason": 'so "it" is'}}
    text = dagitty.write(PartialGraph(undirected=["ab"]), told)
    assert text.splitlines() == [
        "pdag {",
        "a",
        "b",
        'a -- b [confidence="0.5",reason="so \\"it\\" is"]',
        "}",
    ]


@pytest.mark.parametrize("name", ["ends in \\", 'a\\"b'])
def test_names_that_dagitty_cannot_hold_are_refused(name):
    with pytest.raises(InvalidGraphError, match="Text in DAGitty must have no backslash"):
        dagitty.write(PartialGraph([name]), {})
