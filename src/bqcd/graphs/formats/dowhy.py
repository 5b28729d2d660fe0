"""Graphs for dowhy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bqcd.graphs.formats.directions import dag_of

if TYPE_CHECKING:
    import networkx as nx


def to_dowhy(source: object) -> nx.DiGraph[Any]:
    """A networkx ``DiGraph`` for ``CausalModel(graph=...)`` and for the models of ``dowhy.gcm``.

    Parameters
    ----------
    source : Orientation, or graph that ``read_graph`` takes
        What to convert. Nodes keep the labels of the graph it comes from; edges of an
        orientation have the attribute ``confidence``, negative where the verdict on the pair
        was overruled.

    Raises
    ------
    InvalidGraphError
        If an edge has no direction, or there is a cycle.

    Notes
    -----
    dowhy looks for file names in graphs given as text, so that names of columns such as
    ``file.dot`` mislead it; a graph object is safe. It is not needed to make one.

    Examples
    --------
    >>> from bqcd.graphs import PartialGraph
    >>> list(to_dowhy(PartialGraph("abc", directed=["ab"])).edges)
    [('a', 'b')]
    """
    import networkx as nx

    read = dag_of(source, taker="dowhy")
    graph = nx.DiGraph()
    graph.add_nodes_from(read.labels[name] for name in read.graph.nodes)
    graph.add_edges_from(
        (read.labels[tail], read.labels[head]) for tail, head in read.graph.directed
    )
    told_of_edges = getattr(source, "directed", None)
    if isinstance(told_of_edges, nx.DiGraph):
        for tail, head, told in told_of_edges.edges(data=True):
            if "confidence" in told:
                graph.edges[tail, head]["confidence"] = told["confidence"]
    return graph
