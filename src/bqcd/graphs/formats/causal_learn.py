"""Graphs from and for causal-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import ReadGraph, read_graph
from bqcd.graphs.formats.directions import graph_of
from bqcd.graphs.formats.general_graphs import is_general_graph
from bqcd.runtime.optional import require


def from_causal_learn(graph: object, names: Sequence[str] | None = None) -> ReadGraph:
    """Graph that causal-learn found, ready for ``bqcd.orient``, which also takes it as it is.

    Parameters
    ----------
    graph : GeneralGraph, CausalGraph or dict
        A graph, what ``pc`` returns, what ``ges`` returns, or the first of what ``fci`` returns.
    names : sequence of str, optional
        Names in the order of the columns, for a graph that calls them X1, X2 and so on.

    Raises
    ------
    InvalidGraphError
        If it is none of these.
    """
    inner = graph.get("G", graph) if isinstance(graph, dict) else graph
    if not is_general_graph(inner):
        raise InvalidGraphError(
            "from_causal_learn takes a GeneralGraph, or what pc or ges returns, got "
            f"{type(graph).__name__}; read_graph takes other graphs."
        )
    return read_graph(inner, names=names)


def to_causal_learn(source: object, order: Sequence[str] | None = None) -> Any:
    """A causal-learn ``GeneralGraph``: edges left open are ``---``, the others ``-->``.

    Edges with two heads or circles are as they are.

    Parameters
    ----------
    source : Orientation, or graph that ``read_graph`` takes
        What to convert.
    order : sequence of str, optional
        Names of all nodes in the order wanted, such as that of the table's columns, which
        matters where causal-learn compares graphs by position; alphabetical if not given.

    Raises
    ------
    InvalidGraphError
        If the order does not have every node once.
    MissingPackageError
        If causal-learn is not installed.

    Examples
    --------
    >>> from bqcd.graphs import PartialGraph
    >>> graph = PartialGraph(directed=["ab"], undirected=["bc"])
    >>> [str(edge) for edge in to_causal_learn(graph).get_graph_edges()]
    ['a --> b', 'b --- c']
    """
    graph = graph_of(source).graph
    names = graph.nodes if order is None else [str(name) for name in order]
    if sorted(names) != graph.nodes:
        raise InvalidGraphError(
            f"The order must have each of {', '.join(graph.nodes)} once, got {', '.join(names)}."
        )
    edge_type, node_type = _part("Edge"), _part("GraphNode")
    ends = _part("Endpoint")
    nodes = {name: node_type(name) for name in names}
    result = _part("GeneralGraph")(list(nodes.values()))
    for listed, end in ((graph.directed, ends.ARROW), (graph.undirected, ends.TAIL)):
        for tail, head in listed:
            result.add_edge(edge_type(nodes[tail], nodes[head], ends.TAIL, end))
    marks = {"tail": ends.TAIL, "arrow": ends.ARROW, "circle": ends.CIRCLE}
    for (first, second), (left, right) in graph.mixed.items():
        if right == "tail":
            # causal-learn takes no notice of an edge with its tail behind its circle.
            (first, second), (left, right) = (second, first), (right, left)
        result.add_edge(edge_type(nodes[first], nodes[second], marks[left], marks[right]))
    return result


def _part(name: str) -> Any:
    """Class of causal-learn, which has one to a module, both called the same."""
    module = f"causallearn.graph.{name}"
    return getattr(require(module, extra="graphs", needed_by="to_causal_learn"), name)
