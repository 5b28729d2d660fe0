"""Graphs read from and written to files, and converted from and to other packages' graphs."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.formats import (
    adjacency_tables,
    dagitty,
    dot,
    edge_lists,
    gml,
    graphml,
    json_graphs,
    matrices,
)
from bqcd.graphs.formats.assembly import ReadGraph, check_name
from bqcd.graphs.formats.attributes import EdgeAttributes, checked_attributes
from bqcd.graphs.formats.files import content
from bqcd.graphs.formats.general_graphs import from_general_graph, is_general_graph
from bqcd.graphs.formats.matrices import CONVENTIONS, as_adjacency, from_frame, from_matrix
from bqcd.graphs.formats.networkx_graphs import (
    as_networkx,
    as_one_networkx,
    from_networkx,
    from_networkx_parts,
    is_networkx,
)
from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.runtime.atomic import write_whole
from bqcd.runtime.settings import check_choice

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "CONVENTIONS",
    "FORMATS",
    "GraphFormat",
    "ReadGraph",
    "as_adjacency",
    "as_networkx",
    "as_one_networkx",
    "format_name",
    "has_convention",
    "read_graph",
    "write_graph",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFormat:
    """A file format.

    Parameters
    ----------
    title : str
        What it is, for people.
    suffixes : tuple of str
        Suffixes of files that are taken to be of this format.
    read : callable
        Graph of the bytes of a file, its name and the convention.
    write : callable
        Text of a graph, attributes of its edges and labels of its nodes.
    conventions : tuple of str
        Conventions that may be given when reading.
    """

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes, str, str | None], ReadGraph]
    write: Callable[[PartialGraph, EdgeAttributes, Mapping[str, Hashable] | None], str]
    conventions: tuple[str, ...] = ()


FORMATS: Mapping[str, GraphFormat] = MappingProxyType(
    {
        "gml": GraphFormat(title="GML", suffixes=(".gml",), read=gml.read, write=gml.write),
        "graphml": GraphFormat(
            title="GraphML", suffixes=(".graphml",), read=graphml.read, write=graphml.write
        ),
        "dot": GraphFormat(title="DOT", suffixes=(".dot", ".gv"), read=dot.read, write=dot.write),
        "dagitty": GraphFormat(
            title="DAGitty", suffixes=(".dagitty", ".txt"), read=dagitty.read, write=dagitty.write
        ),
        "csv": GraphFormat(
            title="list of edges, comma-separated",
            suffixes=(".csv",),
            read=edge_lists.read,
            write=edge_lists.write,
            conventions=edge_lists.CONVENTIONS,
        ),
        "tsv": GraphFormat(
            title="list of edges, tab-separated",
            suffixes=(".tsv",),
            read=edge_lists.read,
            write=edge_lists.write_tabbed,
            conventions=edge_lists.CONVENTIONS,
        ),
        "json": GraphFormat(
            title="JSON", suffixes=(".json",), read=json_graphs.read, write=json_graphs.write
        ),
        "node-link": GraphFormat(
            title="JSON as networkx's node-link data",
            suffixes=(),
            read=json_graphs.read,
            write=json_graphs.write_node_link,
        ),
        "adjacency": GraphFormat(
            title="adjacency matrix, comma-separated",
            suffixes=(".adj",),
            read=adjacency_tables.read,
            write=adjacency_tables.write,
            conventions=matrices.CONVENTIONS,
        ),
    }
)
"""Every file format by name. The only place that knows all of them."""

_SUFFIXES = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}


def read_graph(
    source: Any,
    *,
    format: str | None = None,
    convention: str | None = None,
    names: Sequence[str] | None = None,
) -> ReadGraph:
    r"""Graph of a file, a matrix or another package's graph.

    Parameters
    ----------
    source : path, networkx graph, matrix, table, causal-learn graph, PartialGraph or ReadGraph
        What to read. A networkx ``Graph`` has no directions; in a ``DiGraph``, an edge that is
        there both ways, or has the attribute ``directed=False`` or ``type="undirected"``, has
        none. A ``DiGraph`` and a ``Graph`` in a tuple are one mixed graph. In a pandas, polars or
        pyarrow table, columns name the nodes of an adjacency matrix.
    format : str, optional
        Name in ``FORMATS``; told by the suffix of a file if not given.
    convention : str, optional
        Which way entries of a matrix point, one of ``CONVENTIONS``; needed unless the matrix is
        symmetric. For lists of edges, ``"directed"`` or ``"undirected"``: what an edge without a
        type is, directed if not given.
    names : sequence of str, optional
        Names, in order, of nodes that have none: those of a matrix without row and column names,
        and of a causal-learn graph that calls them X1, X2 and so on. Where nodes have names,
        these are kept.

    Returns
    -------
    ReadGraph
        The graph, the original labels of its nodes, and its kind: ``"skeleton"`` if no edge has
        a direction, ``"cpdag"`` if at least one has.

    Raises
    ------
    InvalidGraphError
        If the source cannot be read as a graph with directed and undirected edges. The message
        names the edge, the entry or the line.
    InvalidSettingError
        If the format or the convention is unknown or does not belong to the source.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "cells.dagitty")
    ...     _ = path.write_text('pdag {\n PKC -> {PKA Raf}\n PKA -- Raf }')
    ...     read = read_graph(path)
    >>> read.graph.directed, read.graph.undirected, read.kind
    ([('PKC', 'PKA'), ('PKC', 'Raf')], [('PKA', 'Raf')], 'cpdag')
    >>> matrix = [[0, 1], [0, 0]]
    >>> read_graph(matrix, convention="row-causes-column", names=["a", "b"]).graph.directed
    [('a', 'b')]
    """
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(source), format, convention)
    _refuse("format", format, "anything but a file")
    if isinstance(source, ReadGraph):
        _refuse("convention", convention, "a graph that was read")
        return source
    if isinstance(source, PartialGraph):
        _refuse("convention", convention, "a PartialGraph")
        return ReadGraph(source.copy(), {name: name for name in source.nodes})
    if is_networkx(source):
        _refuse("convention", convention, "a networkx graph")
        return from_networkx(source)
    if isinstance(source, tuple | list) and source and all(map(is_networkx, source)):
        _refuse("convention", convention, "networkx graphs")
        return from_networkx_parts(source)
    if is_general_graph(source):
        _refuse("convention", convention, "a causal-learn graph")
        return from_general_graph(source, names)
    return _read_matrix(source, convention, names)


def has_convention(source: object) -> bool:
    """Whether it can be said of a source which way its entries point.

    Examples
    --------
    >>> has_convention([[0, 1], [0, 0]]), has_convention("graph.adj"), has_convention("graph.dot")
    (True, True, False)
    """
    if isinstance(source, str | os.PathLike):
        name = _SUFFIXES.get(Path(source).suffix.lower())
        return name is not None and bool(FORMATS[name].conventions)
    if isinstance(source, tuple | list) and source and all(map(is_networkx, source)):
        return False
    own = (ReadGraph, PartialGraph)
    return not (isinstance(source, own) or is_networkx(source) or is_general_graph(source))


def _refuse(setting: str, value: object, owner: str) -> None:
    if value is not None:
        raise InvalidSettingError(
            f"{setting} of read_graph must not be given for {owner}, got {value!r:.80}."
        )


def _read_file(path: Path, given: str | None, convention: str | None) -> ReadGraph:
    name = format_name(path, given)
    allowed = FORMATS[name].conventions
    if convention is not None:
        if not allowed:
            _refuse("convention", convention, f"the format {name!r}")
        check_choice(f"the format {name!r}", "convention", convention, allowed)
    return FORMATS[name].read(content(path), repr(path.name), convention)


def format_name(path: Path, name: str | None = None) -> str:
    """Name in ``FORMATS`` of a file's format: the one given, or that of the suffix.

    Raises
    ------
    InvalidGraphError
        If the suffix says no format.
    InvalidSettingError
        If the format is unknown.
    """
    if name is not None:
        check_choice("a graph", "format", name, FORMATS)
        return name
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InvalidGraphError(
            f"The format of {path.name!r} must be given, as its suffix {suffix!r} is none of "
            f"{', '.join(_SUFFIXES)}: format= one of {', '.join(FORMATS)}."
        )
    return _SUFFIXES[suffix]


def _read_matrix(source: Any, convention: str | None, names: Sequence[str] | None) -> ReadGraph:
    from narwhals.dependencies import is_into_dataframe

    if is_into_dataframe(source):
        return from_frame(source, convention=convention, names=names)
    if isinstance(source, np.ndarray | list | tuple) or hasattr(source, "toarray"):
        return from_matrix(source, convention=convention, names=names)
    raise InvalidGraphError(
        "A graph must be a path, a networkx graph, an adjacency matrix, a table, a causal-learn "
        f"graph or a PartialGraph, got {type(source).__name__}."
    )


def write_graph(
    graph: PartialGraph,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    attributes: Mapping[Edge, Mapping[str, object]] | None = None,
    labels: Mapping[str, Hashable] | None = None,
) -> None:
    """Write a graph to a file, in one step or not at all.

    Parameters
    ----------
    graph : PartialGraph
        Graph to write.
    path : path
        Where to.
    format : str, optional
        Name in ``FORMATS``; told by the suffix if not given.
    attributes : mapping of (str, str) to mapping of str to object, optional
        Text and numbers about edges, such as confidence and reason; None and NaN are left out.
        An adjacency matrix has no place for them.
    labels : mapping of str to hashable, optional
        Original labels, such as integers, by name; only node-link data has a place for them.

    Raises
    ------
    InvalidGraphError
        If the suffix says no format, or a name or an attribute cannot be written.
    InvalidSettingError
        If the format is unknown.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> graph = PartialGraph(directed=["ab"], undirected=["bc"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "graph.gml")
    ...     write_graph(graph, path, attributes={("a", "b"): {"confidence": 0.25}})
    ...     read_graph(path).graph == graph
    True
    """
    path = Path(path)
    chosen = FORMATS[format_name(path, format)]
    for name in graph.nodes:
        check_name(name, "the graph")
    write_whole(path, chosen.write(graph, checked_attributes(graph, attributes), labels))
