"""What may be said of the ends of a PAG's edges: what follows, and what would contradict.

Rules R1, R2, R3 and R8 of Zhang (2008). Those that look along whole paths (R4, R9 and R10, and R5
to R7 for selection) are left to the search that made the graph: what they would add stays open.

Zhang, J. (2008): On the completeness of orientation rules for causal discovery in the presence of
latent confounders and selection bias. Artificial Intelligence 172, 1873-1896.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

from bqcd.graphs.ends import Mark
from bqcd.graphs.orienting.meek import Obstacle
from bqcd.graphs.partial import Edge, PartialGraph, VStructure, directed_path


@dataclass(frozen=True, slots=True)
class EndRule:
    """A mark that follows.

    Parameters
    ----------
    node : str
        End of the edge that gets the mark.
    other : str
        The other node of the edge.
    mark : {"tail", "arrow"}
        What it is.
    rule : int
        Number of the rule.
    because : tuple of str
        Nodes the rule refers to besides.
    """

    node: str
    other: str
    mark: Mark
    rule: int
    because: tuple[str, ...]


def mark_at(graph: PartialGraph, node: str, other: str) -> Mark | None:
    """Mark at a node of its edge with another; None if there is no edge."""
    ends = graph.ends(node, other)
    return None if ends is None else ends[0]


def with_mark(graph: PartialGraph, node: str, other: str, mark: Mark) -> None:
    """Put a mark at a node of its edge with another."""
    ends = graph.ends(node, other)
    assert ends is not None
    graph.set_ends(node, other, (mark, ends[1]))


def into(graph: PartialGraph, node: str) -> list[str]:
    """Nodes with an edge whose end at a node is an arrow."""
    return [other for other in graph.joined(node) if mark_at(graph, node, other) == "arrow"]


def open_edges(graph: PartialGraph) -> list[Edge]:
    """Edges with a circle, in alphabetical order."""
    return [edge for edge, ends in graph.mixed.items() if "circle" in ends]


def arrow_colliders(graph: PartialGraph) -> set[VStructure]:
    """Nodes with arrows from two others that are not adjacent."""
    return {
        (first, node, second)
        for node in graph.nodes
        for first, second in combinations(into(graph, node), 2)
        if not graph.adjacent(first, second)
    }


def ancestral_conflict(graph: PartialGraph) -> list[str] | None:
    """Path from a node to one it has an arrow from, which makes that arrow wrong; None if none.

    It covers directed cycles, and a <-> b where a causes b.

    Examples
    --------
    >>> graph = PartialGraph(directed=["ab", "bc"], mixed={("a", "c"): ("arrow", "arrow")})
    >>> ancestral_conflict(graph)
    ['a', 'b', 'c']
    """
    for node in graph.nodes:
        if not graph.children(node):
            continue
        for other in into(graph, node):
            path = directed_path(graph, node, other)
            if path is not None:
                return path
    return None


def pag_obstacle(
    graph: PartialGraph, tail: str, head: str, allowed: Collection[VStructure]
) -> Obstacle | None:
    """What keeps an edge of a PAG, just given a direction, from it; None if nothing does.

    Parameters
    ----------
    graph : PartialGraph
        The graph with the edge directed, and what follows.
    tail, head : str
        The edge.
    allowed : collection of (str, str, str)
        Colliders of nodes that are not adjacent which may be there.
    """
    path = ancestral_conflict(graph)
    if path is not None:
        return Obstacle(tail, head, "cycle", tuple(path))
    for collider in sorted(arrow_colliders(graph) - set(allowed)):
        return Obstacle(tail, head, "collider", collider)
    return None


def follow_rules(graph: PartialGraph) -> list[EndRule]:
    """Put every mark that follows, in place; what was put, in order."""
    done: list[EndRule] = []
    while True:
        found = next(_implied(graph), None)
        if found is None:
            return done
        with_mark(graph, found.node, found.other, found.mark)
        done.append(found)


def _implied(graph: PartialGraph) -> Iterator[EndRule]:
    for first, second in open_edges(graph):
        for node, other in ((first, second), (second, first)):
            if mark_at(graph, node, other) == "circle":
                for rule in _RULES:
                    yield from rule(graph, node, other)


def _away(graph: PartialGraph, node: str, other: str) -> Iterator[EndRule]:
    """R1, c *-> node o-* other, c and other not adjacent: a tail, else there is a new collider."""
    for c in into(graph, node):
        if c != other and not graph.adjacent(c, other):
            yield EndRule(node, other, "tail", 1, (c,))


def _away_too(graph: PartialGraph, node: str, other: str) -> Iterator[EndRule]:
    """R1, its other half: with a tail at the far end of c *-> other - node, node gets an arrow."""
    if mark_at(graph, other, node) == "tail":
        for c in into(graph, other):
            if c != node and not graph.adjacent(c, node):
                yield EndRule(node, other, "arrow", 1, (c,))


def _along(graph: PartialGraph, node: str, other: str) -> Iterator[EndRule]:
    """R2, other -> c *-> node or other *-> c -> node: an arrow at node."""
    for c in into(graph, node):
        if c == other or not graph.adjacent(c, other) or mark_at(graph, c, other) != "arrow":
            continue
        if graph.is_directed(other, c) or graph.is_directed(c, node):
            yield EndRule(node, other, "arrow", 2, (c,))


def _two_ways(graph: PartialGraph, node: str, other: str) -> Iterator[EndRule]:
    """R3, a *-> node <-* b not adjacent, a *-o other o-* b: an arrow at node."""
    near = [c for c in into(graph, node) if c != other and mark_at(graph, other, c) == "circle"]
    for a, b in combinations(near, 2):
        if not graph.adjacent(a, b):
            yield EndRule(node, other, "arrow", 3, (a, b))


def _cause(graph: PartialGraph, node: str, other: str) -> Iterator[EndRule]:
    """R8, node -> c -> other or node -o c -> other, and node o-> other: a tail at node."""
    if mark_at(graph, other, node) != "arrow":
        return
    for c in graph.parents(other):
        if c != node and graph.ends(node, c) in (("tail", "arrow"), ("tail", "circle")):
            yield EndRule(node, other, "tail", 8, (c,))


_RULES: tuple[Callable[[PartialGraph, str, str], Iterator[EndRule]], ...] = (
    _away,
    _away_too,
    _along,
    _two_ways,
    _cause,
)
