"""Lists of edges as delimited text: from, to, and whether the edge has a direction."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from bqcd.data.files.cells import guarded, unguarded
from bqcd.data.files.layout import sniffed_delimiter
from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled
from bqcd.graphs.formats.attributes import EdgeAttributes, attribute_names
from bqcd.graphs.formats.edge_types import listed_edges, typed_edge
from bqcd.graphs.formats.files import text_of
from bqcd.graphs.partial import PartialGraph

CONVENTIONS = ("directed", "undirected")
"""What edges without a type are."""

_DELIMITERS = ("\t", ";", ",")
_HEADS = (("from", "to"), ("source", "target"), ("tail", "head"), ("cause", "effect"))


def read(data: bytes, source: str, convention: str | None = None) -> ReadGraph:
    """Graph of a list of edges, separated by comma, semicolon or tab.

    The first row may name the columns: ``from`` and ``to`` (or ``source`` and ``target``,
    ``tail`` and ``head``, ``cause`` and ``effect``), and ``type``, with ``->`` or ``directed``,
    ``--`` or ``undirected``, or a word such as ``o->``; other columns are not looked at. Without
    such a row, the first two columns are the nodes, and a third one is the type. Edges without a
    type are directed, unless ``convention="undirected"``. A row with only a first name is a node
    without edges.

    Raises
    ------
    InvalidGraphError
        If a row is no edge, or an edge comes twice or in both directions.
    """
    rows = list(table_rows(text_of(data, source), source))
    columns = _columns(rows[0])
    body = rows if columns is None else rows[1:]
    if columns is None and len(rows[0]) > 3:
        raise InvalidGraphError(
            f"The first row of {source} must name the columns from, to and type, or have two or "
            f"three cells, got {len(rows[0])}; an adjacency matrix is read with "
            "format='adjacency'."
        )
    places = columns or {"from": 0, "to": 1, "type": 2}
    nodes: list[str] = []
    edges = list(_edges(body, places, nodes, source, convention or "directed"))
    return assembled(nodes, edges, source=source, both_ways="refused")


def _columns(head: Sequence[str]) -> dict[str, int] | None:
    """Places of the columns if a row names them."""
    words = [word.strip().lower() for word in head]
    for first, second in _HEADS:
        if first in words and second in words:
            found = {"from": words.index(first), "to": words.index(second)}
            return found | ({"type": words.index("type")} if "type" in words else {})
    return None


def _edges(
    rows: Iterable[Sequence[str]],
    places: Mapping[str, int],
    nodes: list[str],
    source: str,
    untyped: str,
) -> Iterator[GivenEdge]:
    """Edges of the rows; all nodes are added to the list."""
    for row in rows:
        tail, head, word = (
            row[places[name]] if name in places and places[name] < len(row) else ""
            for name in ("from", "to", "type")
        )
        if not tail:
            raise InvalidGraphError(f"Rows of {source} must name a node, got {list(row)!r}.")
        nodes.append(tail)
        if not head and not word:
            continue
        yield typed_edge(word or untyped, tail, head, source)


def table_rows(text: str, source: str, first: Collection[str] = ()) -> Iterator[list[str]]:
    """Rows of delimited text that are not empty, without what guards cells from spreadsheets.

    Parameters
    ----------
    text : str
        The table.
    source : str
        What it is called in messages.
    first : collection of str, optional
        Words of which the first cell may be one; what follows it is then the delimiter.

    Raises
    ------
    InvalidGraphError
        If the text is no table.
    """
    known = (text[len(word) : len(word) + 1] for word in first if text.startswith(word))
    delimiter = next((mark for mark in known if mark and mark in _DELIMITERS), None)
    delimiter = delimiter or sniffed_delimiter(text, _DELIMITERS) or ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    found = False
    try:
        for row in rows:
            if any(row):
                found = True
                yield [unguarded(cell) for cell in row]
    except csv.Error as error:
        raise InvalidGraphError(f"{source}: line {rows.line_num} is malformed: {error}.") from error
    if not found:
        raise InvalidGraphError(f"{source} must hold a graph, but has no rows.")


def table_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Delimited text of rows whose cells are guarded."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return text.getvalue()


def write(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
    *,
    delimiter: str = ",",
) -> str:
    """A graph as a list of edges with their attributes; nodes without edges come last.

    Cells that a spreadsheet would take for formulas start with an apostrophe, which reading
    takes away.

    Examples
    --------
    >>> graph = PartialGraph("abcd", directed=["ab"], undirected=["bc"])
    >>> print(write(graph, {("a", "b"): {"confidence": 0.5}}), end="")
    from,to,type,confidence
    a,b,directed,0.5
    b,c,undirected,
    d,,,
    """
    names = attribute_names(attributes)
    rows: list[list[object]] = [["from", "to", "type", *names]]
    for edge, word in listed_edges(graph):
        told = attributes.get(edge, {})
        rows.append([*edge, word, *(told.get(name, "") for name in names)])
    joined = {node for edge, _ in listed_edges(graph) for node in edge}
    alone = [node for node in graph.nodes if node not in joined]
    rows += [[node, *[""] * (2 + len(names))] for node in alone]
    return table_text(rows, delimiter)


def write_tabbed(
    graph: PartialGraph,
    attributes: EdgeAttributes,
    labels: Mapping[str, Hashable] | None = None,
) -> str:
    """A graph as a list of edges whose cells are separated by tabs."""
    return write(graph, attributes, labels, delimiter="\t")
