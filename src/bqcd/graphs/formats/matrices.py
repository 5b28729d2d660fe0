"""Adjacency matrices, whose entries mean nothing until it is said which way they point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import OPEN, Mark
from bqcd.graphs.formats.assembly import (
    GivenEdge,
    ReadGraph,
    arrow_words,
    assembled,
    marked_edge,
)
from bqcd.graphs.partial import PartialGraph, refuse_mixed
from bqcd.runtime.settings import check_choice

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

CONVENTIONS = ("row-causes-column", "column-causes-row", "causal-learn", "pcalg", "pcalg-pag")
"""How entries are read. With 1 at row i and column j, and 0 at row j and column i,
``row-causes-column`` says i -> j; ``column-causes-row`` and ``pcalg`` (its type ``amat.cpdag``)
say j -> i; 1 at both is an edge without direction. ``causal-learn`` codes the ends of an edge: 1
at row j and column i with -1 at row i and column j is i -> j, -1 at both is an edge without
direction, and 2 is a circle. ``pcalg-pag`` (its type ``amat.pag``) codes them as well: the entry at
row i and column j is the mark at j, 1 a circle, 2 an arrow and 3 a tail."""

MAX_SIDE = 20_000
"""Most rows of a matrix that is read."""

_SOURCE = "the adjacency matrix"
_COLUMN_FIRST = ("column-causes-row", "pcalg")
_END_CODES: Mapping[str, Mapping[float, Mark]] = {
    "causal-learn": {-1.0: "tail", 1.0: "arrow", 2.0: "circle"},
    "pcalg-pag": {1.0: "circle", 2.0: "arrow", 3.0: "tail"},
}


def from_matrix(
    matrix: ArrayLike,
    *,
    convention: str | None,
    names: Sequence[object] | None = None,
    source: str = _SOURCE,
) -> ReadGraph:
    """Graph of an adjacency matrix.

    Parameters
    ----------
    matrix : array-like of shape (p, p)
        Entries 0 and 1, or -1, 0 and 1 where the convention is that of causal-learn.
    convention : str or None
        One of ``CONVENTIONS``. None is enough for a symmetric matrix of 0 and 1.
    names : sequence, optional
        Labels of the nodes, 0 to p - 1 if not given.
    source : str, default="the adjacency matrix"
        What is read, for messages.

    Raises
    ------
    InvalidGraphError
        If the matrix is not square, has other entries, a one on its diagonal, or is not
        symmetric while the convention is not given.

    Examples
    --------
    >>> read = from_matrix([[0, 1], [0, 0]], convention="row-causes-column", names=["a", "b"])
    >>> read.graph.directed
    [('a', 'b')]
    """
    if convention is not None:
        check_choice("an adjacency matrix", "convention", convention, CONVENTIONS)
    entries = _square(matrix, source)
    labels = _labels(names, len(entries), source)
    _check_entries(entries, labels, convention, source)
    if convention is None:
        _check_symmetric(entries, labels, source)
    if convention is not None and convention in _END_CODES:
        # With pcalg's codes, a column has the marks at its node.
        marks = entries.T if convention == "pcalg-pag" else entries
        edges = _endpoint_edges(marks, labels, source, _END_CODES[convention])
    else:
        edges = _zero_one_edges(entries.T if convention in _COLUMN_FIRST else entries, labels)
    return assembled(labels, edges, source=source, both_ways="undirected")


def _square(matrix: Any, source: str) -> NDArray[np.float64]:
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    try:
        entries = np.asarray(dense)
        if entries.dtype.kind not in "biufOUS":
            raise TypeError(f"got entries of type {entries.dtype}")
        entries = entries.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidGraphError(
            f"Entries of {source} must be numbers: {error}. A list of edges is given as a "
            "networkx graph."
        ) from error
    if entries.shape == (0,):
        entries = entries.reshape(0, 0)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        shape = " x ".join(map(str, entries.shape)) or "none"
        raise InvalidGraphError(f"{source} must be square, got the shape {shape}.")
    if len(entries) > MAX_SIDE:
        raise InvalidGraphError(f"{source} must have at most {MAX_SIDE:,} rows.")
    return entries


def _labels(names: Sequence[object] | None, number: int, source: str) -> list[Any]:
    if names is None:
        return list(range(number))
    labels = list(names)
    if len(labels) != number:
        raise InvalidGraphError(
            f"Names of {source} must be {number}, one for each row, got {len(labels)}."
        )
    seen: set[str] = set()
    for label in map(str, labels):
        if label in seen:
            raise InvalidGraphError(
                f"Names of {source} must differ from each other, got {label!r} twice."
            )
        seen.add(label)
    return labels


def _check_entries(
    entries: NDArray[np.float64], labels: Sequence[object], convention: str | None, source: str
) -> None:
    allowed = (0.0, *_END_CODES.get(convention or "", {1.0: "arrow"}))
    wrong = np.argwhere(~np.isin(entries, allowed))
    if len(wrong):
        row, column = wrong[0]
        value = entries[row, column]
        *most, last = (f"{code:g}" for code in sorted(allowed))
        words = f"{', '.join(most)} or {last}"
        advice = "" if np.isnan(value) else "; these are weights where edges are meant"
        if value == -1.0 and convention is None:
            advice = "; if causal-learn made it, take convention='causal-learn'"
        raise InvalidGraphError(
            f"Entries of {source} must be {words}, got {value:g} in the row of "
            f"{str(labels[row])!r} and the column of {str(labels[column])!r}{advice}."
        )
    own = np.flatnonzero(np.diag(entries))
    if len(own):
        raise InvalidGraphError(
            f"Edges of {source} must join two nodes, got one of {str(labels[own[0]])!r} with "
            "itself, on the diagonal."
        )


def _check_symmetric(entries: NDArray[np.float64], labels: Sequence[object], source: str) -> None:
    uneven = np.argwhere(entries > entries.T)
    if len(uneven):
        row, column = (str(labels[at]) for at in uneven[0])
        raise InvalidGraphError(
            f"{source} is not symmetric, so that it must be said which way its entries point: "
            f"convention='row-causes-column' if the 1 in the row of {row!r} and the column of "
            f"{column!r} means {arrow_words(row, column)}, 'column-causes-row' if "
            f"{arrow_words(column, row)}."
        )


def _zero_one_edges(entries: NDArray[np.float64], labels: Sequence[Any]) -> Iterator[GivenEdge]:
    for row, column in np.argwhere(entries):
        yield GivenEdge(labels[row], labels[column])


def _endpoint_edges(
    entries: NDArray[np.float64], labels: Sequence[Any], source: str, codes: Mapping[float, Mark]
) -> Iterator[GivenEdge]:
    """Edges from marks at their ends: ``entries[i, j]`` is the mark at i of the edge with j."""
    for i, j in np.argwhere(np.triu((entries != 0.0) | (entries.T != 0.0))):
        at_i, at_j = entries[i, j], entries[j, i]
        if at_i not in codes or at_j not in codes:
            raise InvalidGraphError(
                f"Edges of {source} must have a mark at both ends, got {at_i:g} at "
                f"{str(labels[i])!r} and {at_j:g} at {str(labels[j])!r}."
            )
        yield marked_edge(labels[i], labels[j], (codes[at_i], codes[at_j]))


def from_frame(
    frame: Any, *, convention: str | None, names: Sequence[object] | None = None
) -> ReadGraph:
    """Graph of an adjacency matrix in a pandas, polars or pyarrow table.

    Columns name the nodes, unless they are only numbered and names are given. Rows are in the
    same order, or named by the index of a pandas table or by a first column of text, in any
    order.

    Raises
    ------
    InvalidGraphError
        As :func:`from_matrix`, or if rows and columns have different names.
    """
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        table = nw.from_native(frame, eager_only=True)
    except NarwhalsError as error:
        raise InvalidGraphError(f"{_SOURCE} cannot be read: {error}.") from error
    columns: list[Any] = list(table.columns)
    index = nw.maybe_get_index(table)
    rows = None if index is None else list(index)
    if rows == list(range(len(table))):
        rows = None
    if rows is None and len(columns) == len(table) + 1 and table[:, 0].dtype == nw.String:
        rows = table[:, 0].to_list()
        table, columns = table[:, 1:], columns[1:]
    matrix = table.to_numpy()
    if rows is not None:
        matrix = matrix[row_positions(rows, columns, _SOURCE)]
    unnamed = columns == list(range(len(columns)))
    labels = names if unnamed and names is not None else columns
    return from_matrix(matrix, convention=convention, names=labels)


def row_positions(rows: Sequence[object], columns: Sequence[object], source: str) -> list[int]:
    """Position of the row of each column, by name.

    Raises
    ------
    InvalidGraphError
        If a name is only in one of the two, or twice in one.
    """
    place = {str(row): at for at, row in enumerate(rows)}
    wanted = [str(column) for column in columns]
    odd = next(iter(sorted(set(place) ^ set(wanted))), None)
    if odd is not None:
        raise InvalidGraphError(
            f"Rows and columns of {source} must have the same names, but only one has {odd!r}."
        )
    if len(place) != len(rows):
        twice = next(name for name, count in Counter(map(str, rows)).items() if count > 1)
        raise InvalidGraphError(f"Rows of {source} must have different names, got {twice!r} twice.")
    return [place[name] for name in wanted]


def as_adjacency(
    graph: PartialGraph,
    order: Sequence[str] | None = None,
    *,
    convention: str = "row-causes-column",
) -> NDArray[np.int64]:
    """Adjacency matrix of a graph.

    Parameters
    ----------
    graph : PartialGraph
        Graph to convert.
    order : sequence of str, optional
        All nodes in the order of rows and columns; alphabetical if not given.
    convention : str, default="row-causes-column"
        One of ``CONVENTIONS``.

    Raises
    ------
    InvalidGraphError
        If the order has not each node once.

    Examples
    --------
    >>> graph = PartialGraph("abc", directed=["ab"], undirected=["bc"])
    >>> as_adjacency(graph)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 1, 0]])
    >>> as_adjacency(graph, convention="causal-learn")
    array([[ 0, -1,  0],
           [ 1,  0, -1],
           [ 0, -1,  0]])
    """
    check_choice("as_adjacency", "convention", convention, CONVENTIONS)
    nodes = graph.nodes if order is None else list(order)
    if sorted(nodes) != graph.nodes:
        raise InvalidGraphError(
            f"The order must have each of the nodes {graph.nodes} once, got {nodes}."
        )
    place = {name: at for at, name in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)), dtype=np.int64)
    if convention in _END_CODES:
        code = {mark: int(value) for value, mark in _END_CODES[convention].items()}
        for first, second in graph.skeleton().undirected:
            left, right = graph.ends(first, second) or OPEN
            matrix[place[first], place[second]] = code[left]
            matrix[place[second], place[first]] = code[right]
        return matrix.T.copy() if convention == "pcalg-pag" else matrix
    refuse_mixed(graph, f"A matrix of the convention {convention!r}")
    for tail, head in graph.directed:
        matrix[place[tail], place[head]] = 1
    for first, second in graph.undirected:
        matrix[place[first], place[second]] = matrix[place[second], place[first]] = 1
    return matrix.T.copy() if convention in _COLUMN_FIRST else matrix
