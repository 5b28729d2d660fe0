"""Adjacency matrices as delimited text, with the names of nodes and the convention."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.formats.attributes import EdgeAttributes
from bqcd.graphs.formats.edge_lists import table_rows, table_text
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.formats.matrices import (
    CONVENTIONS,
    MAX_SIDE,
    as_adjacency,
    from_matrix,
    row_positions,
)
from bqcd.graphs.partial import PartialGraph


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of an adjacency matrix in delimited text.

    The first row names the nodes, and so may the first column; rows are then in any order. The
    cell in the corner may be the convention, as :func:`write` puts it there.

    Raises
    ------
    InvalidGraphError
        As for other matrices, or if the table is not square.
    """
    head, *rows = table_rows(text_of(data, source), source, CONVENTIONS)
    if len(rows) > MAX_SIDE:
        raise InvalidGraphError(f"{source} must have at most {MAX_SIDE:,} rows.")
    named = len(head) == len(rows) + 1
    names = head[1:] if named else head
    uneven = next((row for row in rows if len(row) != len(head)), None)
    if uneven is not None or len(names) != len(rows):
        raise InvalidGraphError(
            f"{source} must be square, with the names of nodes in the first row, got "
            f"{len(head)} cells there, {len(rows)} rows below"
            + (f", and {len(uneven)} cells in one." if uneven is not None else ".")
        )
    if convention is None and named and head[0] in CONVENTIONS:
        convention = head[0]
    if named:
        rows = [rows[at][1:] for at in row_positions([row[0] for row in rows], names, source)]
    entries = np.empty((len(rows), len(rows)))
    for at, row in enumerate(rows):
        entries[at] = [_number(cell, source) for cell in row]
    return from_matrix(entries, convention=convention, names=names, source=source)


def _number(cell: str, source: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise InvalidGraphError(f"Entries of {source} must be 0 or 1, got {cell!r:.60}.") from error


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as an adjacency matrix: 1 where the row causes the column, both ways if open.

    A graph with two heads or circles is written with the codes of causal-learn.

    Examples
    --------
    >>> print(write(PartialGraph(directed=["ab"], undirected=["bc"]), {}), end="")
    row-causes-column,a,b,c
    a,0,1,0
    b,0,0,1
    c,0,1,0
    """
    nodes = graph.nodes
    convention = "causal-learn" if graph.mixed else "row-causes-column"
    matrix = as_adjacency(graph, convention=convention).tolist()
    rows = [[name, *row] for name, row in zip(nodes, matrix, strict=True)]
    return table_text([[convention, *nodes], *rows])
