"""Graphs of causal-learn oriented in place: ``GeneralGraph`` in, ``GeneralGraph`` out."""

from __future__ import annotations

from typing import Any

from bqcd.data.tables import open_table
from bqcd.graphs.formats.causal_learn import from_causal_learn, to_causal_learn
from bqcd.graphs.orienting.orient import orient


def orient_general_graph(graph: object, table: object, **options: Any) -> Any:
    """What causal-learn found with its open edges oriented, for causal-learn.

    Parameters
    ----------
    graph : GeneralGraph, CausalGraph, dict or tuple
        A graph, or what ``pc``, ``ges`` or ``fci`` returns. Of a PAG only circles are judged.
    table : data frame, mapping or ndarray of shape (n, k)
        What it was found in. Nodes that are called X1, X2 and so on are its columns in order.
    **options
        As for :func:`bqcd.orient`; ``kind`` is "cpdag" unless given, or "pag" for a graph with
        circles or two heads.

    Returns
    -------
    GeneralGraph
        A new graph, its nodes in the order of the one given.

    Raises
    ------
    InvalidGraphError
        If it is no graph of causal-learn, or a node has no column.
    MissingPackageError
        If causal-learn is not installed.
    """
    inner: Any = graph[0] if isinstance(graph, tuple) else graph
    names = [str(name) for name in open_table(table)[0]]
    read = from_causal_learn(inner, names)
    options.setdefault("kind", "pag" if read.kind == "pag" else "cpdag")
    found = orient(table, read, **options)
    held = inner.get("G", inner) if isinstance(inner, dict) else inner
    general: Any = getattr(held, "G", held)
    nodes = [str(node.get_name()) for node in general.get_nodes()]
    known = set(found.graph.nodes)
    # A graph that calls its nodes X1, X2 and so on has the names of the columns now.
    order = nodes if set(nodes) == known else [name for name in names if name in known]
    return to_causal_learn(found, order=order)
