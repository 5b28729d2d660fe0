"""Graphs that the same independences allow: CPDAG of a DAG, and a DAG of a CPDAG."""

from __future__ import annotations

from itertools import combinations

from bqcd.errors import InvalidGraphError
from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.orienting.meek import draw_consequences
from bqcd.graphs.partial import PartialGraph, refuse_mixed, topological_order, v_structures


def cpdag_of(dag: PartialGraph) -> PartialGraph:
    """Completed partially directed graph of a DAG.

    An edge keeps its direction if all DAGs with the same adjacencies and the same colliders
    agree on it; it has none otherwise.

    Raises
    ------
    InvalidGraphError
        If an edge has no direction, or the edges have a cycle.

    Examples
    --------
    >>> cpdag_of(PartialGraph(directed=["ac", "bc", "cd", "ae"])).undirected
    [('a', 'e')]
    """
    refuse_mixed(dag, "A DAG")
    if dag.undirected:
        first, second = dag.undirected[0]
        raise InvalidGraphError(
            f"Every edge of a DAG must have a direction, got {first} - {second}."
        )
    topological_order(dag)
    colliders = v_structures(dag)
    fixed = {(cause, middle) for a, middle, b in colliders for cause in (a, b)}
    rest = [edge for edge in dag.directed if edge not in fixed]
    graph = PartialGraph(dag.nodes, directed=sorted(fixed), undirected=rest)
    draw_consequences(graph, colliders)
    return graph


def with_known_directions(graph: PartialGraph, knowledge: Knowledge) -> PartialGraph:
    """CPDAG with the directions that are known, and what follows from them.

    Parameters
    ----------
    graph : PartialGraph
        CPDAG with a DAG that obeys the knowledge.
    knowledge : Knowledge
        Directions that are known.

    Examples
    --------
    >>> known = Knowledge(required=(("b", "c"),))
    >>> with_known_directions(PartialGraph(undirected=["ab", "bc", "cd"]), known).directed
    [('b', 'c'), ('c', 'd')]
    """
    done, colliders = graph.copy(), v_structures(graph)
    for first, second in graph.undirected:
        known = knowledge.direction(first, second)
        if known is not None and done.is_undirected(first, second):
            done.orient(known.tail, known.head)
            draw_consequences(done, colliders, after=(known.tail, known.head))
    return done


def consistent_extension(graph: PartialGraph) -> PartialGraph | None:
    """DAG with the same edges and colliders, directions kept; None if there is none.

    The algorithm of Dor and Tarsi (1992): a node without children, whose neighbours are
    adjacent to all others next to it, can be the last one; it is taken away, and so on.

    Examples
    --------
    >>> consistent_extension(PartialGraph(directed=["ab"], undirected=["bc"])).directed
    [('a', 'b'), ('b', 'c')]
    >>> consistent_extension(PartialGraph(undirected=["ab", "bc", "cd", "da"])) is None
    True
    """
    refuse_mixed(graph, "A graph with a DAG")
    done, rest = graph.copy(), graph.copy()
    while rest.nodes:
        last = next((node for node in rest.nodes if _can_be_last(rest, node)), None)
        if last is None:
            return None
        for other in rest.neighbours(last):
            done.orient(other, last)
        rest = _without(rest, last)
    return done


def _can_be_last(graph: PartialGraph, node: str) -> bool:
    if graph.children(node):
        return False
    neighbours = graph.neighbours(node)
    near = {*neighbours, *graph.parents(node)}
    return all(
        graph.adjacent(neighbour, other)
        for neighbour in neighbours
        for other in near
        if other != neighbour
    )


def _without(graph: PartialGraph, node: str) -> PartialGraph:
    return PartialGraph(
        [other for other in graph.nodes if other != node],
        directed=[edge for edge in graph.directed if node not in edge],
        undirected=[edge for edge in graph.undirected if node not in edge],
    )


def unshielded_triples(graph: PartialGraph) -> list[tuple[str, str, str]]:
    """Nodes next to a middle one that are not adjacent, around it."""
    triples = []
    for middle in graph.nodes:
        near = sorted({*graph.parents(middle), *graph.children(middle), *graph.neighbours(middle)})
        triples += [
            (first, middle, second)
            for first, second in combinations(near, 2)
            if not graph.adjacent(first, second)
        ]
    return triples
