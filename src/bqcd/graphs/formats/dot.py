"""DOT, the language of Graphviz, as pydot, networkx, causal-learn and DoWhy write it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import Ends, Mark
from bqcd.graphs.formats.assembly import (
    GivenEdge,
    ReadGraph,
    arrow_words,
    assembled,
    marked_edge,
    named_by,
)
from bqcd.graphs.formats.attributes import EdgeAttributes, Value
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.statements import StatedEdge, StatedGraph, quoted, stated_graph
from bqcd.graphs.partial import PartialGraph

_CIRCLES = ("dot", "odot")
_SHAPES: Mapping[Mark, str] = {"tail": "none", "arrow": "normal", "circle": "odot"}


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a DOT file.

    ``a -> b`` is directed and ``a -- b`` is not, whichever word is before the braces, unless
    the attributes ``dir``, ``arrowhead`` and ``arrowtail`` say otherwise: ``dir=none`` is an
    edge without direction, ``dir=back`` a reversed one, ``dir=both`` one with two heads, and the
    shapes ``dot`` and ``odot`` are circles. Names are the ids of nodes; if these are
    mere numbers, as causal-learn writes them, their labels.

    Raises
    ------
    InvalidGraphError
        If the file is not DOT, or an edge comes twice or in both directions.
    """
    stated = stated_graph(
        text_of(data, source), source, language="dot", keywords=("digraph", "graph")
    )
    titles = {name: told["label"] for name, told in stated.nodes.items() if "label" in told}
    called = named_by(stated.nodes, titles)
    edges = _edges(stated, called, source)
    return assembled(called.values(), edges, source=source, both_ways="refused")


def _edges(stated: StatedGraph, called: Mapping[str, str], source: str) -> Iterator[GivenEdge]:
    for edge in stated.edges:
        left, right = called[edge.left], called[edge.right]
        yield marked_edge(left, right, _ends(edge, arrow_words(left, right), source))


def _ends(edge: StatedEdge, words: str, source: str) -> Ends:
    """Marks at the left and at the right end of an edge."""
    if edge.arrow not in ("->", "--"):
        raise InvalidGraphError(
            f"Edges of {source} must be '->' or '--', as DOT has no {edge.arrow!r}, "
            f"got {edge.left!r} {edge.arrow} {edge.right!r}."
        )
    shown = edge.attributes.get("dir", "forward" if edge.arrow == "->" else "none").lower()
    if shown not in ("forward", "back", "both", "none"):
        raise InvalidGraphError(
            f"dir of the edge {words} in {source} must be forward, back, both or none, "
            f"got {shown!r}."
        )
    marks: list[Mark] = []
    for name, where in (("arrowtail", "back"), ("arrowhead", "forward")):
        shape = edge.attributes.get(name, "normal").lower() if shown in (where, "both") else "none"
        marks.append("tail" if shape == "none" else "circle" if shape in _CIRCLES else "arrow")
    return marks[0], marks[1]


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as DOT: edges without direction have ``dir=none`` if others have one.

    Edges with two heads or circles have ``dir=both`` and the shapes of both ends.

    Raises
    ------
    InvalidGraphError
        If a name has a backslash at its end or before a quote.

    Examples
    --------
    >>> print(write(PartialGraph(directed=["ab"], undirected=["bc"]), {}), end="")
    digraph {
      "a";
      "b";
      "c";
      "a" -> "b";
      "b" -> "c" [dir=none];
    }
    """
    has_heads = bool(graph.directed or graph.mixed)
    arrow = "->" if has_heads else "--"
    lines = [f"{'digraph' if has_heads else 'graph'} {{"]
    lines += [f"  {quoted(name, 'DOT')};" for name in graph.nodes]
    looks = {edge: ["dir=none"] if has_heads else [] for edge in graph.undirected}
    looks |= {edge: [] for edge in graph.directed}
    looks |= {edge: _look(ends) for edge, ends in graph.mixed.items()}
    for tail, head in (*graph.directed, *graph.undirected, *graph.mixed):
        told = [*looks[tail, head], *attribute_texts(attributes.get((tail, head), {}), "DOT")]
        shown = f" [{', '.join(told)}]" if told else ""
        lines.append(f"  {quoted(tail, 'DOT')} {arrow} {quoted(head, 'DOT')}{shown};")
    return "\n".join([*lines, "}", ""])


def _look(ends: Ends) -> list[str]:
    tail, head = (_SHAPES[mark] for mark in ends)
    return ["dir=both", f"arrowtail={tail}", f"arrowhead={head}"]


def attribute_texts(told: Mapping[str, Value], format_name: str) -> list[str]:
    """Attributes as ``name="value"``, also for DAGitty.

    Raises
    ------
    InvalidGraphError
        If a value has a backslash at its end or before a quote.
    """
    return [f"{name}={quoted(str(value), format_name)}" for name, value in told.items()]
