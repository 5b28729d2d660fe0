"""The text of DAGitty, on the web and in R."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.dot import attribute_texts
from bqcd.graphs.formats.edge_types import direction
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.statements import StatedGraph, quoted, stated_graph
from bqcd.graphs.partial import PartialGraph

_KEYWORDS = ("dag", "pdag", "mag", "pag")


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a DAGitty file, of the type ``dag`` or ``pdag``.

    Roles and positions of nodes are not looked at.

    Raises
    ------
    InvalidGraphError
        If the file is not in DAGitty's language, is a MAG or a PAG, or an edge comes twice, in
        both directions, or with two heads.
    """
    text = text_of(data, source)
    stated = stated_graph(text, source, language="dagitty", keywords=_KEYWORDS)
    if stated.keyword in ("mag", "pag"):
        raise InvalidGraphError(
            f"{source} must be a dag or a pdag, as a {stated.keyword} is no CPDAG."
        )
    return assembled(stated.nodes, _edges(stated, source), source=source, both_ways="refused")


def _edges(stated: StatedGraph, source: str) -> Iterator[GivenEdge]:
    for left, right, arrow, _ in stated.edges:
        way = direction(arrow, f"{left!r} {arrow} {right!r}", source)
        if way == "backward":
            yield GivenEdge(right, left)
        else:
            yield GivenEdge(left, right, way == "forward")


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as DAGitty's text: a ``pdag`` if an edge has no direction, else a ``dag``.

    Raises
    ------
    InvalidGraphError
        If a name has a backslash at its end or before a quote.

    Examples
    --------
    >>> print(write(PartialGraph(["d e"], directed=["ab"], undirected=["bc"]), {}), end="")
    pdag {
    a
    b
    c
    "d e"
    a -> b
    b -- c
    }
    """
    lines = [f"{'pdag' if graph.undirected else 'dag'} {{", *map(_name, graph.nodes)]
    for edges, arrow in ((graph.directed, "->"), (graph.undirected, "--")):
        for tail, head in edges:
            told = attribute_texts(attributes.get((tail, head), {}), "DAGitty")
            shown = f" [{','.join(told)}]" if told else ""
            lines.append(f"{_name(tail)} {arrow} {_name(head)}{shown}")
    return "\n".join([*lines, "}", ""])


def _name(name: str) -> str:
    return name if re.fullmatch("[0-9A-Za-z_.]+", name) else quoted(name, "DAGitty")
