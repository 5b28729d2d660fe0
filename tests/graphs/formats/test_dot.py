"""DOT as other tools write it, and what Graphviz's language allows."""

from __future__ import annotations

import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import dot
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.partial import PartialGraph


def read(text: str) -> ReadGraph:
    return dot.read(text.encode(), "'graph.dot'")


# What pydot 4.0.1 writes for causal-learn 0.1.4.8's GraphUtils.to_pydot.
CAUSAL_LEARN = """digraph {
fontsize=18;
dpi=200;
0 [label=a];
1 [label="b c"];
2 [label=d, style=filled, fillcolor="#AADDFF"];
0 -> 1 [dir=both, arrowtail=none, arrowhead=normal];
1 -> 2 [dir=both, arrowtail=none, arrowhead=none];
}
"""

# The form of graph that DoWhy's CausalModel takes and shows.
DOWHY = """digraph { Ice_cream[label="Ice cream"];U[label="Unobserved Confounders",observed="no"];
  "v0"-> "y";"W0"-> "v0"; W0->"y"; U->v0;U->y; }"""

# What networkx's to_pydot writes.
NETWORKX = """strict digraph {
"a b";
c [weight="0.5"];
"a b" -> c [weight=2];
c -> d [key=0];
}
"""

# What the package graphviz writes, as pgmpy's to_graphviz hands it on.
GRAPHVIZ = """// A comment
digraph "my graph" {
\tnode [shape=box]
\tgraph [rankdir=LR, label=<<b>Title</b> a -&gt; b>]
\tA [label="The \\"cause\\""]
\tA:e -> B:w:n [headlabel=<x<br/>y>]
\tB -> C
}
"""


@pytest.mark.parametrize(
    ("text", "directed", "undirected", "alone"),
    [
        (CAUSAL_LEARN, [("a", "b c")], [("b c", "d")], []),
        (
            DOWHY,
            [("U", "v0"), ("U", "y"), ("W0", "v0"), ("W0", "y"), ("v0", "y")],
            [],
            ["Ice_cream"],
        ),
        (NETWORKX, [("a b", "c"), ("c", "d")], [], []),
        (GRAPHVIZ, [("A", "B"), ("B", "C")], [], []),
        ("graph { a -- b -- c; d }", [], [("a", "b"), ("b", "c")], ["d"]),
        ("digraph { a -> b -> c }", [("a", "b"), ("b", "c")], [], []),
        ("digraph { {a b} -> c -> {d; e} }", ["ac", "bc", "cd", "ce"], [], []),
        ("digraph { subgraph cluster_1 { color=blue; a; b } -> c }", ["ac", "bc"], [], []),
        ("digraph { c -> subgraph { a -> b } }", ["ab", "ca", "cb"], [], []),
        ("digraph { a -> b [dir=none] b -> c [dir=back]; }", ["cb"], ["ab"], []),
        ("digraph { edge [dir=none]; a -> b; b -> c [dir=forward] }", ["bc"], ["ab"], []),
        ("digraph { {edge [dir=none]; a -> b} b -> c }", ["bc"], ["ab"], []),
        ("graph { a -- b [dir=forward]; b -- c [dir=back] }", ["ab", "cb"], [], []),
        ("digraph { a -> b; b -- c }", ["ab"], ["bc"], []),
        ("digraph { a -> b [arrowhead=vee] b -> c [arrowhead=none] }", ["ab"], ["bc"], []),
        ("DiGraph{a->b;/* c->a */ # c -> b\n}", ["ab"], [], []),
        ('digraph { "a" + "b" -> "c\\\nd" }', [("ab", "cd")], [], []),
        ("digraph { -1.5 -> .5; größe -> 温度 }", [("-1.5", ".5"), ("größe", "温度")], [], []),
        (
            'digraph { "node" -> "edge"; "->" -> "a -> b" }',
            [("->", "a -> b"), ("node", "edge")],
            [],
            [],
        ),
        ("digraph { a {b c} -> d }", ["bd", "cd"], [], ["a"]),
    ],
)
def test_known_graphs(text, directed, undirected, alone):
    graph = read(text).graph
    assert graph.directed == sorted(map(tuple, directed))
    assert graph.undirected == sorted(map(tuple, undirected))
    assert [n for n in graph.nodes if not any(graph.adjacent(n, m) for m in graph.nodes)] == alone


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digraph { a -> b; a -> b }", "must come once, got 'a' -> 'b' twice"),
        ("graph { a -- b; b -- a }", "must come once, got 'b' -- 'a' twice"),
        ("digraph { a -> b -> a }", "contradict each other, got 'a' -> 'b' and 'b' -> 'a'"),
        ("digraph { a -> b; a -> b [dir=none] }", "got 'a' -> 'b' and 'a' -- 'b'"),
        ("digraph { a -> a }", "must join two nodes, got one of 'a' with itself"),
        ("digraph { a -> b [dir=up] }", "dir of the edge 'a' -> 'b' .* got 'up'"),
        ("digraph { a <- b }", "DOT has no '<-'"),
        ("digraph {\n a ->\n}", "at line 3: expected a name, got '}'"),
        ("digraph { a -> b", "at line 1: expected a name, got 'end of the file'"),
        ("digraph {}\ndigraph {}", "at line 2: expected one graph, got 'digraph' after it"),
        ("dag { a -> b }", "expected one of digraph, graph, got 'dag'"),
        ('digraph { "a -> b }', "at line 1: unexpected '\"a -> b }'; names with other signs"),
        ("digraph { my-name -> b }", "unexpected '-name -> b }'"),
        ("digraph { a [label=<b }", "'<' is never closed"),
        ('digraph { "" -> b }', "Names of nodes in 'graph.dot' must not be empty"),
        ('digraph { "a\nb" -> c }', "printable and on one line, got 'a\\\\nb'"),
    ],
)
def test_what_is_no_graph_is_refused(text, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(text)


def test_groups_joined_to_more_edges_than_allowed_are_refused():
    group = "{" + " ".join(f"{side}{at}" for side in "ab" for at in range(1000)) + "}"
    with pytest.raises(InvalidGraphError, match="there must be at most 1,000,000 edges"):
        read(f"digraph {{ {group} -> {group.replace('a', 'c')} }}")


def test_labels_are_names_only_where_ids_are_numbers():
    assert read("graph { 0 [label=x] 1 [label=y] }").graph.nodes == ["x", "y"]
    assert read("graph { 0 [label=x] 1 [label=x] }").graph.nodes == ["0", "1"]
    assert read("graph { 0 [label=x] 1 }").graph.nodes == ["0", "1"]
    assert read("graph { a [label=x] 1 [label=y] }").graph.nodes == ["1", "a"]


def test_attributes_are_quoted():
    graph = PartialGraph(directed=["ab"], undirected=["bc"])
    told = {("a", "b"): {"confidence": 0.5, "reason": 'as "x" \\ y says'}}
    lines = dot.write(graph, told).splitlines()
    assert '  "a" -> "b" [confidence="0.5", reason="as \\"x\\" \\ y says"];' in lines
    assert '  "b" -> "c" [dir=none];' in lines


@pytest.mark.parametrize("name", ["ends in \\", 'a\\"b'])
def test_names_that_dot_cannot_hold_are_refused(name):
    with pytest.raises(InvalidGraphError, match="no backslash at its end or before a quote"):
        dot.write(PartialGraph([name]), {})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pydot_reads_what_is_written():
    pydot = pytest.importorskip("pydot")
    graph = PartialGraph(["two words"], directed=[("a", 'b "c"')], undirected=[("a", "d")])
    (parsed,) = pydot.graph_from_dot_data(dot.write(graph, {("a", "d"): {"confidence": 0.5}}))
    edges = {(e.get_source(), e.get_destination(), e.get("dir")) for e in parsed.get_edges()}
    assert edges == {('"a"', '"b \\"c\\""', None), ('"a"', '"d"', "none")}
    assert '"two words"' in {node.get_name() for node in parsed.get_nodes()}
