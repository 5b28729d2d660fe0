"""Graphs for pgmpy."""

from __future__ import annotations

from typing import Any

from bqcd.graphs.formats.directions import dag_of, graph_of
from bqcd.graphs.partial import refuse_mixed
from bqcd.runtime.optional import require
from bqcd.runtime.settings import check_flag


def to_pgmpy(source: object, *, partial: bool = False) -> Any:
    """A pgmpy ``DAG``, or a ``PDAG``, which may have edges without direction.

    Parameters
    ----------
    source : Orientation, or graph that ``read_graph`` takes
        What to convert. Nodes keep the labels of the graph it comes from.
    partial : bool, default=False
        Whether a ``PDAG`` is wanted.

    Raises
    ------
    InvalidGraphError
        If a ``DAG`` is wanted and an edge has no direction, or there is a cycle.
    MissingPackageError
        If pgmpy is not installed.

    Notes
    -----
    Models of pgmpy that start from a graph take the ``DAG``: for the numeric columns that are
    judged here, ``LinearGaussianBayesianNetwork(to_pgmpy(found))``.
    """
    check_flag("to_pgmpy", "partial", partial)
    if partial:
        read = graph_of(source)
        refuse_mixed(read.graph, "A PDAG of pgmpy")
    else:
        read = dag_of(source, taker="A DAG of pgmpy", other=", or take a PDAG by partial=True")
    pgmpy = require("pgmpy.base", extra="pgmpy", needed_by="to_pgmpy")
    labels = read.labels
    directed = [(labels[tail], labels[head]) for tail, head in read.graph.directed]
    undirected = [(labels[first], labels[second]) for first, second in read.graph.undirected]
    result = pgmpy.PDAG(directed, undirected) if partial else pgmpy.DAG(directed)
    result.add_nodes_from(labels[name] for name in read.graph.nodes)
    return result
