"""Graphs as JSON: a schema of our own, and networkx's node-link data."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from math import isfinite
from typing import Any

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.edge_types import listed_edges, typed_edge
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.networkx_graphs import as_one_networkx, given_edge
from bqcd.graphs.partial import PartialGraph


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a JSON file.

    Two schemas are told apart by their nodes. Ours has names and edges::

        {"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "type": "directed"}]}

    where other keys of edges are attributes; networkx's node-link data has nodes with an
    ``id``, and edges, or ``links``, with ``source`` and ``target``.

    Raises
    ------
    InvalidGraphError
        If the file is neither, or an edge comes twice.
    """
    try:
        told = json.loads(text_of(data, source))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidGraphError):
            raise
        raise InvalidGraphError(f"{source} is not JSON: {error}.") from error
    if not isinstance(told, dict):
        raise InvalidGraphError(f"{source} must be an object with nodes and edges.")
    nodes, edges = _list(told, ("nodes",), source), _list(told, ("edges", "links"), source)
    linked = isinstance(told.get("directed"), bool) or any(isinstance(n, dict) for n in nodes)
    return (_linked if linked else _own)(told, nodes, edges, source)


def _list(told: Mapping[str, Any], keys: tuple[str, ...], source: str) -> list[Any]:
    found = next((told[key] for key in keys if key in told), None)
    if not isinstance(found, list):
        raise InvalidGraphError(f"{source} must have a list of {' or '.join(keys)}.")
    return found


def _own(told: Mapping[str, Any], nodes: list[Any], edges: list[Any], source: str) -> ReadGraph:
    names = [_end(node, "name of a node", source, (str,)) for node in nodes]
    return assembled(names, _own_edges(edges, source), source=source, both_ways="refused")


def _own_edges(edges: list[Any], source: str) -> Iterator[GivenEdge]:
    for edge in edges:
        tail, head = (
            str(_end(_record(edge, source).get(key), f"{key!r} of an edge", source, (str,)))
            for key in ("from", "to")
        )
        word = _end(edge.get("type", "directed"), "type of an edge", source, (str,))
        yield typed_edge(str(word), tail, head, source)


def _linked(told: Mapping[str, Any], nodes: list[Any], edges: list[Any], source: str) -> ReadGraph:
    directed = told.get("directed") is True
    labels = [_label(_record(node, source).get("id"), source) for node in nodes]
    return assembled(
        labels,
        _linked_edges(edges, directed, source),
        source=source,
        both_ways="undirected" if directed else "refused",
    )


def _linked_edges(edges: list[Any], directed: bool, source: str) -> Iterator[GivenEdge]:
    for edge in edges:
        tail, head = (
            _label(_record(edge, source).get(key), source) for key in ("source", "target")
        )
        yield given_edge(tail, head, edge, directed=directed, source=source)


def _record(value: Any, source: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidGraphError(f"Nodes and edges of {source} must be objects, got {value!r:.60}.")
    return value


def _label(value: Any, source: str) -> Hashable:
    # networkx writes tuples as lists.
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return tuple(value)
    return _end(value, "id of a node", source, (str, int, float))


def _end(value: Any, what: str, source: str, kinds: tuple[type, ...]) -> Hashable:
    if not isinstance(value, kinds):
        words = " or ".join({str: "text", int: "an integer", float: "a number"}[k] for k in kinds)
        raise InvalidGraphError(f"The {what} in {source} must be {words}, got {value!r:.60}.")
    checked: Hashable = value
    return checked


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as JSON in our own schema, with attributes of edges.

    Examples
    --------
    >>> print(write(PartialGraph(directed=["ab"]), {}), end="")
    {
     "nodes": [
      "a",
      "b"
     ],
     "edges": [
      {
       "from": "a",
       "to": "b",
       "type": "directed"
      }
     ]
    }
    """
    edges = [
        {"from": edge[0], "to": edge[1], "type": word, **attributes.get(edge, {})}
        for edge, word in listed_edges(graph)
    ]
    told = {"nodes": graph.nodes, "edges": edges}
    return json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_node_link(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as node-link data that networkx reads, with original labels where JSON has them.

    Where edges with and without direction occur, the graph is directed, and each edge has the
    attribute ``directed``.
    """
    kept = {
        name: label
        for name, label in (labels or {}).items()
        if isinstance(label, str | int | float)
        and not isinstance(label, bool)
        # JSON has no infinite numbers, though Python reads 1e400 as one.
        and not (isinstance(label, float) and not isfinite(label))
    }
    whole = as_one_networkx(graph, attributes=attributes, labels=kept)
    told = {
        "directed": whole.is_directed(),
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": node} for node in whole],
        "edges": [{"source": a, "target": b, **more} for a, b, more in whole.edges(data=True)],
    }
    return json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
