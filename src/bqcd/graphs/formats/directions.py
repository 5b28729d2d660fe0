"""Graphs on their way out: nodes as their owner labels them, and a direction for every edge."""

from __future__ import annotations

from collections.abc import Sequence

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import ReadGraph, has_convention, read_graph
from bqcd.graphs.partial import PartialGraph, refuse_mixed, topological_order

_SHOWN = 5


def graph_of(
    source: object, *, convention: str | None = None, names: Sequence[str] | None = None
) -> ReadGraph:
    """Graph and labels of an orientation, or of anything that ``read_graph`` takes.

    Parameters
    ----------
    source : Orientation, learnt graph, or graph that ``read_graph`` takes
        Where the graph comes from.
    convention : str, optional
        Which way entries of a matrix point; not looked at for what has none.
    names : sequence of str, optional
        Names of nodes that have none.

    Examples
    --------
    >>> from bqcd.graphs import PartialGraph
    >>> graph_of(PartialGraph(directed=["ab"])).labels["a"]
    'a'
    """
    graph = getattr(source, "graph", None)
    if isinstance(graph, PartialGraph):
        given = getattr(source, "labels", {})
        labels = {name: given.get(name, name) for name in graph.nodes}
        return ReadGraph(graph, labels, getattr(source, "learner", ""))
    if not has_convention(source):
        convention = None
    return read_graph(source, convention=convention, names=names)


def dag_of(source: object, *, taker: str, other: str = "") -> ReadGraph:
    """Graph and labels, if every edge has a direction and none closes a cycle.

    Parameters
    ----------
    source : Orientation, or graph that ``read_graph`` takes
        Where the graph comes from.
    taker : str
        What needs a DAG, for messages.
    other : str, default=""
        What else can be done about edges without direction, for messages.

    Raises
    ------
    InvalidGraphError
        If an edge has no direction, or there is a cycle. The message names them.
    """
    read = graph_of(source)
    refuse_mixed(read.graph, taker)
    left = [f"{first} - {second}" for first, second in read.graph.undirected]
    if left:
        listed = ", ".join(left[:_SHOWN])
        more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        raise InvalidGraphError(
            f"{taker} needs a direction for every edge, got {len(left)} without: {listed}{more}. "
            f"Settle them with bqcd.orient(..., complete=True){other}."
        )
    topological_order(read.graph)
    return read
