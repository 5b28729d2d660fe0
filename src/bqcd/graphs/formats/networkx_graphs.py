"""Graphs of networkx: one direction, two directions for none, or an attribute that says so."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import word_of
from bqcd.graphs.formats.assembly import (
    GivenEdge,
    ReadGraph,
    arrow_words,
    assembled,
    marked_edge,
)
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.edge_types import flagged, typed_ends
from bqcd.graphs.partial import PartialGraph, refuse_mixed

if TYPE_CHECKING:
    import networkx as nx

_SOURCE = "the networkx graph"


def is_networkx(source: object) -> bool:
    """Whether an object has the methods of a networkx graph."""
    wanted = ("is_directed", "is_multigraph", "nodes", "edges", "adj")
    return all(hasattr(source, name) for name in wanted)


def from_networkx(source: Any) -> ReadGraph:
    """Graph of a networkx graph.

    Edges of a ``Graph`` have no direction. Edges of a ``DiGraph`` have one, unless the
    reverse edge is there too, or the edge has the attribute ``directed=False`` or
    ``type="undirected"``, or a type such as ``"o->"`` or ``"<->"``. Other attributes, such as
    weights, are not looked at. A ``MultiGraph`` or ``MultiDiGraph`` must have no parallel edges.

    Raises
    ------
    InvalidGraphError
        If an edge comes twice, joins a node with itself, or is of no kind a CPDAG has; if two
        labels have the same name; or if an edge of a ``Graph`` claims a direction.
    """
    return assembled(
        source.nodes, _edges(source), source=_SOURCE, both_ways=_both_ways(source.is_directed())
    )


def from_networkx_parts(sources: Iterable[Any]) -> ReadGraph:
    """Graph of the edges of several networkx graphs, such as a ``DiGraph`` and a ``Graph``.

    Raises
    ------
    InvalidGraphError
        As for one graph, or if two of them join the same nodes.

    Examples
    --------
    >>> parts = as_networkx(PartialGraph(directed=["ab"], undirected=["bc"]))
    >>> from_networkx_parts(parts).graph
    <PartialGraph of 3 nodes, 1 directed and 1 undirected edges>
    """
    parts = [from_networkx(source) for source in sources]
    ends = [
        GivenEdge(part.labels[first], part.labels[second], False, ends)
        for part in parts
        for (first, second), ends in part.graph.mixed.items()
    ]
    edges = [
        GivenEdge(part.labels[tail], part.labels[head], directed)
        for part in parts
        for listed, directed in ((part.graph.directed, True), (part.graph.undirected, False))
        for tail, head in listed
    ]
    nodes = [label for part in parts for label in part.labels.values()]
    return assembled(nodes, [*edges, *ends], source="the networkx graphs", both_ways="refused")


def _both_ways(directed: bool) -> Any:
    return "undirected" if directed else "refused"


def _edges(source: Any) -> Iterator[GivenEdge]:
    directed = bool(source.is_directed())
    for tail, head, attributes in source.edges(data=True):
        yield given_edge(tail, head, attributes, directed=directed, source=_SOURCE)


def given_edge(
    tail: Hashable,
    head: Hashable,
    attributes: Mapping[str, object],
    *,
    directed: bool,
    source: str,
) -> GivenEdge:
    """Edge of a graph that is directed or not, as the edge's own attributes have it.

    Raises
    ------
    InvalidGraphError
        If an edge of an undirected graph claims a direction, for which it has no order.
    """
    words = arrow_words(str(tail), str(head), directed)
    ends = typed_ends(attributes)
    if ends is not None:
        if not directed and ends[0] != ends[1]:
            raise InvalidGraphError(
                f"Edges of an undirected graph have no order, but {words} in {source} has the type "
                f"{attributes['type']!r}; make the graph directed."
            )
        return marked_edge(tail, head, ends)
    told = flagged(attributes, words, source)
    if told == "backward":
        return GivenEdge(head, tail)
    if told == "forward" and not directed:
        raise InvalidGraphError(
            f"Edges of an undirected graph have no order, but {words} in {source} claims a "
            "direction; make the graph directed."
        )
    return GivenEdge(tail, head, directed if told is None else told == "forward")


def as_networkx(
    graph: PartialGraph, labels: Mapping[str, Hashable] | None = None
) -> tuple[nx.DiGraph, nx.Graph]:
    """Directed and undirected edges as two networkx graphs, each with all nodes.

    Parameters
    ----------
    graph : PartialGraph
        Graph to convert.
    labels : mapping of str to hashable, optional
        Label of each node by its name; names without one are labels themselves.

    Examples
    --------
    >>> directed, undirected = as_networkx(PartialGraph(directed=["ab"], undirected=["bc"]))
    >>> list(directed.edges), list(undirected.edges), list(undirected.nodes)
    ([('a', 'b')], [('b', 'c')], ['a', 'b', 'c'])
    """
    import networkx as nx

    refuse_mixed(graph, "A DiGraph and a Graph")
    label = {name: (labels or {}).get(name, name) for name in graph.nodes}
    parts = nx.DiGraph(), nx.Graph()
    for part, edges in zip(parts, (graph.directed, graph.undirected), strict=True):
        part.add_nodes_from(label.values())
        part.add_edges_from((label[tail], label[head]) for tail, head in edges)
    return parts


def as_one_networkx(
    graph: PartialGraph,
    *,
    attributes: EdgeAttributes | None = None,
    labels: Mapping[str, Hashable] | None = None,
) -> nx.Graph:
    """One networkx graph of all edges, with their attributes.

    A ``Graph`` if no edge has a direction, otherwise a ``DiGraph``; if only some have one,
    each edge has the attribute ``directed``, which :func:`from_networkx` reads. Edges with two
    heads or circles have the attribute ``type``, e.g. ``"o->"``.

    Parameters
    ----------
    graph : PartialGraph
        Graph to convert.
    attributes : mapping of (str, str) to mapping of str to object, optional
        Attributes of edges, by the edge as the graph lists it.
    labels : mapping of str to hashable, optional
        Label of each node by its name; names without one are labels themselves.

    Examples
    --------
    >>> graph = PartialGraph(directed=["ab"], undirected=["bc"])
    >>> list(as_one_networkx(graph).edges(data=True))
    [('a', 'b', {'directed': True}), ('b', 'c', {'directed': False})]
    """
    import networkx as nx

    label = {name: (labels or {}).get(name, name) for name in graph.nodes}
    whole = nx.DiGraph() if graph.directed or graph.mixed else nx.Graph()
    mixed = bool(graph.undirected and (graph.directed or graph.mixed))
    whole.add_nodes_from(label.values())
    for edges, directed in ((graph.directed, True), (graph.undirected, False)):
        for tail, head in edges:
            flag = {"directed": directed} if mixed else {}
            told = (attributes or {}).get((tail, head), {})
            whole.add_edge(label[tail], label[head], **flag, **told)
    for (first, second), ends in graph.mixed.items():
        told = (attributes or {}).get((first, second), {})
        whole.add_edge(label[first], label[second], type=word_of(ends), **told)
    return whole
