"""DOT, the language of Graphviz, as pydot, networkx, causal-learn and DoWhy write it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, arrow_words, assembled, named_by
from bqcd.graphs.formats.attributes import EdgeAttributes, Value
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.statements import StatedEdge, StatedGraph, quoted, stated_graph
from bqcd.graphs.partial import PartialGraph

_CIRCLES = ("dot", "odot")


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a DOT file.

    ``a -> b`` is directed and ``a -- b`` is not, whichever word is before the braces, unless
    the attributes ``dir``, ``arrowhead`` and ``arrowtail`` say otherwise: ``dir=none`` is an
    edge without direction, ``dir=back`` a reversed one. Names are the ids of nodes; if these are
    mere numbers, as causal-learn writes them, their labels.

    Raises
    ------
    InvalidGraphError
        If the file is not DOT, or an edge comes twice, in both directions, or with two heads.
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
        at_left, at_right = _ends(edge, arrow_words(left, right), source)
        if at_left and at_right:
            raise InvalidGraphError(
                f"Edges of {source} must have one head or none, got {left!r} <-> {right!r}; an "
                "edge without direction has dir=none."
            )
        if at_left:
            yield GivenEdge(right, left)
        else:
            yield GivenEdge(left, right, at_right)


def _ends(edge: StatedEdge, words: str, source: str) -> tuple[bool, bool]:
    """Whether there is a head at the left and at the right end of an edge."""
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
    heads = []
    for name, where in (("arrowtail", "back"), ("arrowhead", "forward")):
        mark = edge.attributes.get(name, "normal").lower() if shown in (where, "both") else "none"
        if mark in _CIRCLES:
            raise InvalidGraphError(
                f"Edges of {source} must be directed or undirected, got {words} with "
                f"{name}={mark}: circles belong to PAGs, not to CPDAGs."
            )
        heads.append(mark != "none")
    return heads[0], heads[1]


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as DOT: edges without direction have ``dir=none`` if others have one.

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
    arrow = "->" if graph.directed else "--"
    lines = [f"{'digraph' if graph.directed else 'graph'} {{"]
    lines += [f"  {quoted(name, 'DOT')};" for name in graph.nodes]
    for edges, directed in ((graph.directed, True), (graph.undirected, False)):
        for tail, head in edges:
            told = ["dir=none"] if graph.directed and not directed else []
            told += attribute_texts(attributes.get((tail, head), {}), "DOT")
            shown = f" [{', '.join(told)}]" if told else ""
            lines.append(f"  {quoted(tail, 'DOT')} {arrow} {quoted(head, 'DOT')}{shown};")
    return "\n".join([*lines, "}", ""])


def attribute_texts(told: Mapping[str, Value], format_name: str) -> list[str]:
    """Attributes as ``name="value"``, also for DAGitty.

    Raises
    ------
    InvalidGraphError
        If a value has a backslash at its end or before a quote.
    """
    return [f"{name}={quoted(str(value), format_name)}" for name, value in told.items()]
