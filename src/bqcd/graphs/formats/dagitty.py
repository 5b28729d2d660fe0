"""The text of DAGitty, on the web and in R."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping

from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.dot import attribute_texts
from bqcd.graphs.formats.edge_types import listed_edges, typed_edge
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.statements import StatedGraph, quoted, stated_graph
from bqcd.graphs.partial import PartialGraph

_KEYWORDS = ("dag", "pdag", "mag", "pag")


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a DAGitty file, of the type ``dag``, ``pdag``, ``mag`` or ``pag``.

    Roles and positions of nodes are not looked at.

    Raises
    ------
    InvalidGraphError
        If the file is not in DAGitty's language, or an edge comes twice or in both directions.
    """
    text = text_of(data, source)
    stated = stated_graph(text, source, language="dagitty", keywords=_KEYWORDS)
    return assembled(stated.nodes, _edges(stated, source), source=source, both_ways="refused")


def _edges(stated: StatedGraph, source: str) -> Iterator[GivenEdge]:
    for left, right, arrow, _ in stated.edges:
        yield typed_edge(arrow, left, right, source)


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as DAGitty's text: a ``pdag`` if an edge has no direction, else a ``dag``.

    With circles or two heads, a ``pag``, in which a circle is written ``@``.

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
    keyword = "pag" if graph.mixed else "pdag" if graph.undirected else "dag"
    lines = [f"{keyword} {{", *map(_name, graph.nodes)]
    for (tail, head), word in listed_edges(graph):
        told = attribute_texts(attributes.get((tail, head), {}), "DAGitty")
        shown = f" [{','.join(told)}]" if told else ""
        lines.append(f"{_name(tail)} {_arrow(word)} {_name(head)}{shown}")
    return "\n".join([*lines, "}", ""])


def _arrow(word: str) -> str:
    """The sign of DAGitty for a type of edge."""
    signs = {"directed": "->", "undirected": "--", "o-": "@--", "-o": "--@"}
    return signs.get(word) or word.replace("o", "@")


def _name(name: str) -> str:
    return name if re.fullmatch("[0-9A-Za-z_.]+", name) else quoted(name, "DAGitty")
