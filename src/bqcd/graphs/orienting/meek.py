"""Meek's rules: directions that follow from those already there, each with its reason.

Orienting an edge the other way would close a cycle or make a collider of nodes that are not
adjacent. With the four rules nothing that follows is missed, also when edges were oriented by
knowledge (Meek: Causal inference and causal explanation with background knowledge, UAI 1995).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from bqcd.graphs.partial import Edge, PartialGraph, VStructure, directed_path


@dataclass(frozen=True, slots=True)
class Implication:
    """A direction that follows.

    Parameters
    ----------
    tail, head : str
        The edge.
    rule : int
        Which of Meek's rules, 1 to 4.
    because : tuple of str
        The nodes the rule refers to besides.
    """

    tail: str
    head: str
    rule: int
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an edge cannot have a direction.

    Parameters
    ----------
    tail, head : str
        The edge in the direction that is blocked.
    kind : {"cycle", "collider"}
        What it would make.
    nodes : tuple of str
        The path from head to tail that it would close, or the collider: two causes around
        their effect.
    """

    tail: str
    head: str
    kind: Literal["cycle", "collider"]
    nodes: tuple[str, ...]


def implied_direction(graph: PartialGraph, first: str, second: str) -> Implication | None:
    """Direction of an undirected edge that follows by one of the rules, the first that applies.

    Examples
    --------
    >>> implied_direction(PartialGraph(directed=["ca"], undirected=["ab"]), "a", "b")
    Implication(tail='a', head='b', rule=1, because=('c',))
    """
    for number, rule in enumerate(_RULES, start=1):
        for tail, head in ((first, second), (second, first)):
            because = next(rule(graph, tail, head), None)
            if because is not None:
                return Implication(tail, head, number, because)
    return None


def _chain(graph: PartialGraph, tail: str, head: str) -> Iterator[tuple[str, ...]]:
    """Rule 1, c -> tail - head without c and head adjacent: the other way would make a collider."""
    return ((c,) for c in graph.parents(tail) if not graph.adjacent(c, head))


def _shortcut(graph: PartialGraph, tail: str, head: str) -> Iterator[tuple[str, ...]]:
    """Rule 2, tail -> c -> head: the other way would close a cycle."""
    return ((c,) for c in graph.children(tail) if graph.is_directed(c, head))


def _two_roads(graph: PartialGraph, tail: str, head: str) -> Iterator[tuple[str, ...]]:
    """Rule 3, tail - c -> head and tail - d -> head, c and d not adjacent."""
    roads = [c for c in graph.neighbours(tail) if graph.is_directed(c, head)]
    return ((c, d) for c, d in combinations(roads, 2) if not graph.adjacent(c, d))


def _long_road(graph: PartialGraph, tail: str, head: str) -> Iterator[tuple[str, ...]]:
    """Rule 4, tail - c -> d -> head, tail and d adjacent, c and head not."""
    return (
        (c, d)
        for c in graph.neighbours(tail)
        if not graph.adjacent(c, head)
        for d in graph.children(c)
        if graph.is_directed(d, head) and graph.adjacent(tail, d)
    )


_Rule = Callable[[PartialGraph, str, str], Iterator[tuple[str, ...]]]
_RULES: tuple[_Rule, ...] = (_chain, _shortcut, _two_roads, _long_road)


def obstacle(
    graph: PartialGraph, tail: str, head: str, allowed: Collection[VStructure] | None
) -> Obstacle | None:
    """What keeps an undirected edge from one direction, None if nothing does.

    Parameters
    ----------
    graph : PartialGraph
        The graph so far.
    tail, head : str
        An undirected edge of it, in the direction asked about.
    allowed : collection of (str, str, str) or None
        Colliders of nodes that are not adjacent which may be there; None for any.

    Examples
    --------
    >>> graph = PartialGraph(directed=["ab", "bc"], undirected=["ac"])
    >>> obstacle(graph, "c", "a", None).nodes
    ('a', 'b', 'c')
    """
    path = directed_path(graph, head, tail)
    if path is not None:
        return Obstacle(tail, head, "cycle", tuple(path))
    if allowed is None:
        return None
    for other in graph.parents(head):
        first, second = sorted((tail, other))
        if not graph.adjacent(tail, other) and (first, head, second) not in allowed:
            return Obstacle(tail, head, "collider", (first, head, second))
    return None


@dataclass(frozen=True, slots=True)
class Consequences:
    """What follows from the directions of a graph.

    Parameters
    ----------
    implied : tuple of Implication
        Edges that were oriented, in the order in which they followed.
    obstacles : tuple of Obstacle
        Edges whose implied direction is blocked, which contradicts the graph.
    """

    implied: tuple[Implication, ...]
    obstacles: tuple[Obstacle, ...]


def draw_consequences(
    graph: PartialGraph,
    allowed: Collection[VStructure] | None,
    *,
    after: Edge | None = None,
    stuck: Collection[Edge] = (),
) -> Consequences:
    """Orient every edge of a graph whose direction follows.

    Parameters
    ----------
    graph : PartialGraph
        Changed in place.
    allowed : collection of (str, str, str) or None
        Colliders that may be there; None for any.
    after : (str, str), optional
        The one edge that was oriented since consequences were drawn last.
    stuck : collection of (str, str)
        Undirected edges known to contradict the rest, left alone.
    """
    waiting = set(graph.undirected) if after is None else _touched(graph, after)
    waiting -= set(stuck)
    implied: list[Implication] = []
    obstacles: list[Obstacle] = []
    while waiting:
        edge = min(waiting)
        waiting.remove(edge)
        found = implied_direction(graph, *edge)
        if found is None:
            continue
        blocked = obstacle(graph, found.tail, found.head, allowed)
        if blocked is not None:
            obstacles.append(blocked)
            continue
        graph.orient(found.tail, found.head)
        implied.append(found)
        waiting |= _touched(graph, (found.tail, found.head)) - set(stuck)
    return Consequences(tuple(implied), tuple(obstacles))


def _touched(graph: PartialGraph, edge: Edge) -> set[Edge]:
    """Undirected edges to which a rule may apply that did not before an edge was oriented."""
    tail, head = edge
    near = {tail, head, *graph.children(head)}
    return {
        (min(node, other), max(node, other)) for node in near for other in graph.neighbours(node)
    }
