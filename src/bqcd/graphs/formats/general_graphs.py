"""Graphs of causal-learn, known by their methods, so that the package is not needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import Mark
from bqcd.graphs.formats.assembly import GivenEdge, ReadGraph, assembled, marked_edge

_SOURCE = "the causal-learn graph"
_MARKS: Mapping[str, Mark] = {"TAIL": "tail", "ARROW": "arrow", "CIRCLE": "circle"}


def is_general_graph(source: object) -> bool:
    """Whether an object is a ``GeneralGraph``, or holds one as ``G``, as what ``pc`` returns."""
    inner = getattr(source, "G", source)
    return hasattr(inner, "get_nodes") and hasattr(inner, "get_graph_edges")


def from_general_graph(source: Any, names: Sequence[str] | None = None) -> ReadGraph:
    """Graph of a causal-learn ``GeneralGraph`` or ``CausalGraph``.

    Parameters
    ----------
    source : GeneralGraph or CausalGraph
        Graph whose edges have tails, arrows and circles at their ends.
    names : sequence of str, optional
        Names in the order of the nodes, for a graph that calls them ``X1``, ``X2`` and so on, as
        causal-learn does where it is not given names. They are not used if they include these,
        or if the graph has names of its own.

    Raises
    ------
    InvalidGraphError
        If an edge has another end, or if nodes have the same name.
    """
    inner = getattr(source, "G", source)
    own = [str(node.get_name()) for node in inner.get_nodes()]
    called = dict(zip(own, _names(own, names), strict=True))
    if len(set(called.values())) < len(own):
        raise InvalidGraphError(
            f"Nodes of {_SOURCE} must have different names, got {', '.join(called.values())}."
        )
    return assembled(called.values(), _edges(inner, called), source=_SOURCE, both_ways="refused")


def _names(own: list[str], names: Sequence[str] | None) -> list[str]:
    if names is None or own != [f"X{at + 1}" for at in range(len(own))]:
        return own
    given = [str(name) for name in names]
    return own if set(own) <= set(given) or len(given) != len(own) else given


def _edges(inner: Any, called: dict[str, str]) -> Iterator[GivenEdge]:
    for edge in inner.get_graph_edges():
        first, second = (
            called[str(node.get_name())] for node in (edge.get_node1(), edge.get_node2())
        )
        marks = [_mark(end, first, second) for end in (edge.get_endpoint1(), edge.get_endpoint2())]
        yield marked_edge(first, second, (marks[0], marks[1]))


def _mark(end: Any, first: str, second: str) -> Mark:
    name = str(end.name)
    if name not in _MARKS:
        raise InvalidGraphError(
            f"Ends of edges of {_SOURCE} must be {', '.join(_MARKS)}, got {name} between "
            f"{first!r} and {second!r}."
        )
    return _MARKS[name]
