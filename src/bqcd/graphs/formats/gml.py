"""GML, as networkx, igraph and Gephi write it.

The parser of networkx (3.6) would not do: it takes ``weight 1e-05``, as igraph writes it, for
``weight 1`` and ``e -5``, ends with an AttributeError on ``graph 5`` and a RecursionError on
brackets 5,000 deep.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Hashable, Iterator, Mapping
from html.entities import html5
from typing import Any

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.networkx_graphs import as_one_networkx, given_edge
from bqcd.graphs.partial import PartialGraph

Pairs = list[tuple[str, Any]]

_TOKEN = re.compile(
    r"""(?P<string>"[^"]*")
    |(?P<open>\[)
    |(?P<close>\])
    |(?P<real>[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?|[+-]INF)
    |(?P<integer>[+-]?\d{1,20})
    |(?P<key>[A-Za-z]\w*)
    |(?P<space>\s+|\#[^\n]*)""",
    re.VERBOSE,
)

_ENTITY = re.compile("&(#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{0,30});")


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a GML file.

    Nodes are called by ``label``, or ``name``, or ``id``, the first that all of them have. If the
    graph is ``directed``, an edge has no direction if it has the attribute ``directed 0`` or
    ``type "undirected"``, or if the reverse edge is there too.

    Raises
    ------
    InvalidGraphError
        If the file is not GML, a node or an edge comes twice, or an edge has an unknown end.
    """
    graphs = [value for key, value in _pairs(text_of(data, source), source) if key == "graph"]
    if len(graphs) != 1 or not isinstance(graphs[0], list):
        raise InvalidGraphError(f"{source} must have one graph in GML, got {len(graphs)}.")
    body: Pairs = graphs[0]
    directed = bool(dict(body).get("directed", 0))
    nodes = [dict(value) for key, value in body if key == "node" and isinstance(value, list)]
    edges = [dict(value) for key, value in body if key == "edge" and isinstance(value, list)]
    called = _names(nodes, source)
    return assembled(
        called.values(),
        _edges(edges, called, directed, source),
        source=source,
        both_ways="undirected" if directed else "refused",
    )


def _pairs(text: str, source: str) -> Pairs:
    """Keys and values; a value is text, a number, or again a list of keys and values."""
    found: Pairs = []
    levels = [found]
    key: str | None = None
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        kind = match.lastgroup if match else None
        value = match.group() if match else text[at : at + 20]
        is_key = kind == "key" and key is None
        is_value = kind in ("string", "open", "real", "integer", "key") and key is not None
        if not (match and (kind == "space" or is_key or is_value or _closes(kind, key, levels))):
            line = text.count("\n", 0, at) + 1
            raise InvalidGraphError(f"{source} is not GML at line {line}: unexpected {value!r}.")
        if is_key:
            key = value
        elif kind == "close":
            levels.pop()
        elif kind != "space":
            levels[-1].append((str(key), _value(str(kind), value)))
            if kind == "open":
                levels.append(levels[-1][-1][1])
            key = None
        at = match.end()
    if len(levels) > 1 or key is not None:
        raise InvalidGraphError(f"{source} is not GML: it ends too early.")
    return found


def _closes(kind: str | None, key: str | None, levels: list[Pairs]) -> bool:
    return kind == "close" and key is None and len(levels) > 1


def _value(kind: str, text: str) -> object:
    if kind == "open":
        return []
    if kind == "string":
        return _ENTITY.sub(_character, text[1:-1])
    if kind == "integer":
        return int(text)
    return float(text) if kind == "real" else text


def _character(entity: re.Match[str]) -> str:
    word = entity.group(1)
    if not word.startswith("#"):
        return html5.get(f"{word};", entity.group())
    code = int(word[2:], 16) if word[1] in "xX" else int(word[1:])
    return chr(code) if code <= sys.maxunicode else entity.group()


def _names(nodes: list[dict[str, Any]], source: str) -> dict[object, Hashable]:
    """Name of every node by its id."""
    for node in nodes:
        if not isinstance(node.get("id"), str | int | float):
            raise InvalidGraphError(f"Nodes of {source} must have an id, got one without.")
    options = ("label", "name", "id")
    key = next(
        one
        for one in options
        if all(isinstance(node.get(one), str | int | float) for node in nodes)
    )
    called: dict[object, Hashable] = {}
    for node in nodes:
        if node["id"] in called:
            raise InvalidGraphError(f"Nodes of {source} must come once, got id {node['id']} twice.")
        called[node["id"]] = node[key]
    repeated = _repeated(list(called.values()))
    if repeated is not None:
        raise InvalidGraphError(
            f"Nodes of {source} must have different names, got {repeated!r} twice."
        )
    return called


def _repeated(names: list[Hashable]) -> Hashable | None:
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _edges(
    edges: list[dict[str, Any]], called: dict[object, Hashable], directed: bool, source: str
) -> Iterator[GivenEdge]:
    for edge in edges:
        ends = []
        for name in ("source", "target"):
            end = edge.get(name)
            if isinstance(end, list) or end not in called:
                raise InvalidGraphError(
                    f"The {name} of an edge in {source} must be the id of a node, got "
                    f"{'a list' if isinstance(end, list) else repr(end)}."
                )
            ends.append(called[end])
        yield given_edge(ends[0], ends[1], edge, directed=directed, source=source)


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as GML that networkx, igraph and Gephi read.

    GML holds directed or undirected graphs. Where edges of both kinds occur, the graph is
    directed, and each edge says ``directed 1`` or ``directed 0``.
    """
    import networkx as nx

    return "\n".join([*nx.generate_gml(as_one_networkx(graph, attributes=attributes)), ""])
