"""GraphML, as networkx, igraph, Gephi and yEd write it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import ParseError, XMLParser

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import (
    MAX_ELEMENTS,
    GivenEdge,
    ReadGraph,
    arrow_words,
    assembled,
    marked_edge,
    named_by,
)
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.edge_types import flagged, typed_ends
from bqcd.graphs.formats.networkx_graphs import as_one_networkx
from bqcd.graphs.partial import PartialGraph


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a GraphML file.

    An edge is directed if its XML attribute ``directed`` says so, or else ``edgedefault`` of the
    graph; it has no direction if it has the data ``directed`` = false or ``type`` =
    ``undirected``, arrows at neither end (yEd), or if the reverse edge is there too; arrows at
    both ends, or a ``type`` such as ``o->``, are those of a PAG. Nodes are
    called by their ids; if these are mere numbers, such as ``n0``, by the data ``label`` or
    ``name``. A file with a DOCTYPE is refused, as it may define entities.

    Raises
    ------
    InvalidGraphError
        If the file is not GraphML, an edge comes twice or has an unknown end.
    """
    target = _Target(source)
    parser = XMLParser(target=target)
    try:
        parser.feed(data)
        parser.close()
    except (ParseError, ValueError, LookupError) as error:
        if isinstance(error, InvalidGraphError):
            raise
        raise InvalidGraphError(f"{source} is not GraphML: {error}.") from error
    if not target.graphs:
        raise InvalidGraphError(f"{source} must have a graph in GraphML, got none.")
    called = _names(target.nodes)
    return assembled(
        called.values(),
        _edges(target.edges, called, source),
        source=source,
        both_ways="undirected" if target.directed else "refused",
    )


class _Target:
    """What the XML parser reports, kept as nodes and edges with their data."""

    def __init__(self, source: str) -> None:
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[dict[str, str]] = []
        self.graphs = 0
        self._source = source
        self._root = True
        self._keys: dict[str, str] = {}
        self.directed = True
        self._open: list[dict[str, str]] = []
        self._data: str | None = None
        self._text: list[str] = []

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise InvalidGraphError(f"{self._source} must have no DOCTYPE, which can define entities.")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition("}")[2]
        if self._root and kind != "graphml":
            raise InvalidGraphError(f"{self._source} is not GraphML: its root is {kind[:40]!r}.")
        self._root = False
        handle = getattr(self, f"_start_{kind.lower()}", None)
        if handle is not None:
            handle(attributes)

    def end(self, tag: str) -> None:
        kind = tag.rpartition("}")[2]
        if kind in ("node", "edge") and self._open:
            self._open.pop()
        elif kind == "data" and self._data is not None:
            if self._open:
                self._open[-1].setdefault(self._data, "".join(self._text).strip())
            self._data = None

    def data(self, text: str) -> None:
        if self._data is not None:
            self._text.append(text)

    def close(self) -> None:
        return None

    def _start_key(self, attributes: dict[str, str]) -> None:
        name = attributes.get("attr.name", attributes.get("id", ""))
        if attributes.get("yfiles.type") == "nodegraphics":
            name = "label"
        self._keys[attributes.get("id", "")] = f"data {name}"

    def _start_graph(self, attributes: dict[str, str]) -> None:
        if not self._open:
            self.graphs += 1
            self.directed = attributes.get("edgedefault", "directed") != "undirected"
        if self.graphs > 1:
            raise InvalidGraphError(f"{self._source} must have one graph, got several.")

    def _start_node(self, attributes: dict[str, str]) -> None:
        name = attributes.get("id", "")
        if name in self.nodes or not name:
            raise InvalidGraphError(
                f"Nodes of {self._source} must each have an id of their own, got {name!r}."
            )
        self.nodes[name] = {}
        self._check_number(len(self.nodes))
        self._open.append(self.nodes[name])

    def _start_edge(self, attributes: dict[str, str]) -> None:
        edge = {name: attributes.get(name, "") for name in ("source", "target")}
        edge["directed"] = attributes.get("directed", "true" if self.directed else "false")
        self.edges.append(edge)
        self._check_number(len(self.edges))
        self._open.append(edge)

    def _start_data(self, attributes: dict[str, str]) -> None:
        key = attributes.get("key", "")
        self._data, self._text = self._keys.get(key, f"data {key}"), []

    def _start_arrows(self, attributes: dict[str, str]) -> None:
        if self._open:
            ends = [attributes.get(end, "none") != "none" for end in ("source", "target")]
            self._open[-1]["arrows"] = "".join("x" if head else "-" for head in ends)

    def _start_hyperedge(self, attributes: dict[str, str]) -> None:
        raise InvalidGraphError(f"Edges of {self._source} must join two nodes, got a hyperedge.")

    def _check_number(self, number: int) -> None:
        if number > MAX_ELEMENTS:
            raise InvalidGraphError(
                f"{self._source} must have at most {MAX_ELEMENTS:,} nodes and edges."
            )


def _names(nodes: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    for key in ("data label", "data name"):
        called = named_by(nodes, {name: told[key] for name, told in nodes.items() if key in told})
        if any(name != one for name, one in called.items()):
            return called
    return {name: name for name in nodes}


def _edges(
    edges: list[dict[str, str]], called: Mapping[str, str], source: str
) -> Iterator[GivenEdge]:
    for edge in edges:
        for name in ("source", "target"):
            if edge[name] not in called:
                raise InvalidGraphError(
                    f"The {name} of an edge in {source} must be the id of a node, "
                    f"got {edge[name]!r}."
                )
        tail, head = called[edge["source"]], called[edge["target"]]
        yield _given(tail, head, edge, source)


def _given(tail: str, head: str, edge: Mapping[str, Any], source: str) -> GivenEdge:
    words = arrow_words(tail, head)
    said = {name: edge.get(f"data {name}") for name in ("directed", "type")}
    ends = typed_ends(said)
    if ends is None and edge.get("arrows") == "xx":
        ends = "arrow", "arrow"
    if ends is not None:
        return marked_edge(tail, head, ends)
    told = flagged(said, words, source)
    if told is None and edge.get("arrows") is not None:
        told = {"--": "none", "-x": "forward", "x-": "backward"}[edge["arrows"]]  # type: ignore[assignment]
    if told is None:
        told = flagged({"directed": edge["directed"]}, words, source)
    return GivenEdge(head, tail) if told == "backward" else GivenEdge(tail, head, told == "forward")


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as GraphML that networkx, igraph and Gephi read.

    Where edges with and without direction occur, the graph is directed, and each edge has the
    data ``directed``: networkx does not read files whose edges differ in the XML attribute.
    """
    import networkx as nx

    whole = as_one_networkx(graph, attributes=attributes)
    lines = ["<?xml version='1.0' encoding='utf-8'?>", *nx.generate_graphml(whole), ""]
    return "\n".join(lines)
