"""Graphs put together from nodes and edges as a source lists them, with names for errors."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from bqcd.errors import InvalidGraphError
from bqcd.graphs.ends import DIRECTED, OPEN, Ends, turned
from bqcd.graphs.partial import Edge, PartialGraph

MAX_ELEMENTS = 1_000_000
"""Most nodes, and most edges, of a graph that is read."""

MAX_NAME = 1_000
"""Most characters of a name."""

# Control characters, line separators, halves of surrogate pairs and what XML cannot hold.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """A graph, and what its nodes are called where it comes from.

    Parameters
    ----------
    graph : PartialGraph
        Nodes by name, with directed and undirected edges.
    labels : mapping of str to hashable
        Original label of every node by its name, e.g. ``{"1": 1}`` for a networkx graph of
        integers.
    learner : str, default=""
        Name of what learnt it from columns; empty for other graphs.

    Examples
    --------
    >>> read = ReadGraph(PartialGraph("ab", undirected=["ab"]), {"a": "a", "b": "b"})
    >>> read.kind
    'skeleton'
    """

    graph: PartialGraph
    labels: Mapping[str, Hashable]
    learner: str = ""

    def __post_init__(self) -> None:
        """Refuse labels of other nodes than those of the graph."""
        if sorted(self.labels) != self.graph.nodes:
            raise InvalidGraphError(
                f"Labels must belong to the nodes {self.graph.nodes}, got {sorted(self.labels)}."
            )
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))

    @property
    def kind(self) -> Literal["skeleton", "cpdag", "pag"]:
        """``"skeleton"`` if no edge has a direction, ``"cpdag"`` if at least one has.

        ``"pag"`` if an edge has two heads or a circle.
        """
        if self.graph.mixed:
            return "pag"
        return "cpdag" if self.graph.directed else "skeleton"


class GivenEdge(NamedTuple):
    """An edge as a source lists it; without direction, the order of its nodes is chance.

    With ends, these are the marks at both nodes, and ``directed`` does not count.
    """

    tail: Hashable
    head: Hashable
    directed: bool = True
    ends: Ends | None = None


def check_name(name: str, source: str) -> str:
    """The name, if it can be written on one line in every format.

    Raises
    ------
    InvalidGraphError
        If the name is empty, too long, or has a character that cannot be printed.
    """
    if not name:
        raise InvalidGraphError(f"Names of nodes in {source} must not be empty.")
    if len(name) > MAX_NAME:
        raise InvalidGraphError(
            f"Names of nodes in {source} must have at most {MAX_NAME:,} characters, got "
            f"{len(name):,} that begin with {name[:40]!r}."
        )
    if UNPRINTABLE.search(name):
        raise InvalidGraphError(
            f"Names of nodes in {source} must be printable and on one line, got {name!r}."
        )
    return name


def marked_edge(tail: Hashable, head: Hashable, ends: Ends) -> GivenEdge:
    """Edge with marks at both ends, directed or open if these say so.

    Examples
    --------
    >>> marked_edge("a", "b", ("arrow", "tail"))
    GivenEdge(tail='b', head='a', directed=True, ends=None)
    """
    if ends == OPEN:
        return GivenEdge(tail, head, False)
    if ends == DIRECTED:
        return GivenEdge(tail, head)
    if turned(ends) == DIRECTED:
        return GivenEdge(head, tail)
    return GivenEdge(tail, head, False, ends)


def arrow_words(tail: str, head: str, directed: bool = True) -> str:
    """An edge for a message, with its nodes in quotes."""
    return f"{tail!r} {'->' if directed else '--'} {head!r}"


def assembled(
    nodes: Iterable[Hashable],
    edges: Iterable[GivenEdge],
    *,
    source: str,
    both_ways: Literal["undirected", "refused"],
) -> ReadGraph:
    """Graph of the nodes and edges a source lists.

    Parameters
    ----------
    nodes : iterable of hashable
        Labels of nodes; those of edges are added. Their names are ``str(label)``.
    edges : iterable of GivenEdge
        Edges, each once.
    source : str
        What is read, for messages.
    both_ways : {"undirected", "refused"}
        What an edge and its reverse are: one edge without direction, or an error.

    Raises
    ------
    InvalidGraphError
        If two labels have the same name, an edge joins a node with itself or comes twice.
    """
    labels: dict[str, Hashable] = {}
    names: dict[Hashable, str] = {}
    kept: dict[Edge, _NamedEdge] = {}
    merged: set[Edge] = set()
    for label in nodes:
        _add_name(label, names, labels, source)
    ends: dict[Edge, Ends] = {}
    for edge in edges:
        first, second = (_add_name(end, names, labels, source) for end in edge[:2])
        _check_ends(first, second, source)
        given = (first, second, edge.directed)
        pair = (min(first, second), max(first, second))
        before = kept.get(pair)
        if before is None:
            _check_number(len(kept) + 1, "edges", source)
            kept[pair] = given
            if edge.ends is not None:
                ends[pair] = edge.ends if pair == (first, second) else turned(edge.ends)
        elif (
            both_ways == "undirected"
            and pair not in merged | set(ends)
            and edge.ends is None
            and _mirrored(before, given)
        ):
            merged.add(pair)
            kept[pair] = (first, second, False)
        else:
            raise InvalidGraphError(_twice(before, given, source))
    graph = PartialGraph(
        labels,
        directed=[(tail, head) for tail, head, directed in kept.values() if directed],
        undirected=[
            pair for pair, (_, _, directed) in kept.items() if not directed and pair not in ends
        ],
        mixed=ends,
    )
    return ReadGraph(graph, labels)


_NamedEdge = tuple[str, str, bool]


def _add_name(
    label: Hashable, names: dict[Hashable, str], labels: dict[str, Hashable], source: str
) -> str:
    if label in names:
        return names[label]
    name = check_name(str(label), source)
    if name in labels:
        raise InvalidGraphError(
            f"Nodes of {source} must have different names, got {labels[name]!r} and {label!r}, "
            f"both called {name!r}."
        )
    _check_number(len(labels) + 1, "nodes", source)
    labels[name] = label
    names[label] = name
    return name


def _check_ends(first: str, second: str, source: str) -> None:
    if first == second:
        raise InvalidGraphError(
            f"Edges of {source} must join two nodes, got one of {first!r} with itself."
        )


def _check_number(number: int, what: str, source: str) -> None:
    if number > MAX_ELEMENTS:
        raise InvalidGraphError(f"{source} must have at most {MAX_ELEMENTS:,} {what}.")


def _mirrored(before: _NamedEdge, given: _NamedEdge) -> bool:
    return before == (given[1], given[0], given[2])


def _twice(before: _NamedEdge, given: _NamedEdge, source: str) -> str:
    old, new = arrow_words(*before), arrow_words(*given)
    if before == given or not (before[2] or given[2]):
        return f"Edges of {source} must come once, got {new} twice."
    return (
        f"Edges of {source} must not contradict each other, got {old} and {new}; an edge without "
        "direction is written once, as undirected."
    )


def numbered(ids: Iterable[str]) -> bool:
    """Whether ids are numbers such as ``0`` or ``n0``, so that names are elsewhere."""
    return all(re.fullmatch(r"n?\d+", one) for one in ids)


def named_by(ids: Iterable[str], titles: Mapping[str, str]) -> dict[str, str]:
    """Name of every node: its title if ids are mere numbers and all have one, else its id."""
    ids = list(ids)
    told = [titles.get(one) for one in ids]
    if numbered(ids) and all(told) and len(set(told)) == len(ids):
        return {one: titles[one] for one in ids}
    return {one: one for one in ids}
