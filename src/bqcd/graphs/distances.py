"""How far a graph is from the true one: in its edges, and in the effects it predicts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidGraphError, MissingPackageError
from bqcd.graphs.adjustment import Adjustments, reached
from bqcd.graphs.equivalence import consistent_extension, cpdag_of
from bqcd.graphs.orienting.meek import draw_consequences
from bqcd.graphs.partial import (
    PartialGraph,
    VStructure,
    refuse_mixed,
    topological_order,
    v_structures,
)
from bqcd.runtime.optional import require
from bqcd.runtime.settings import MOST_STEPS, check_integer

_MOST_NAMES = 5


def structural_hamming_distance(found: PartialGraph, truth: PartialGraph) -> int:
    """Number of pairs of nodes whose edges differ.

    An edge that is missing, superfluous, reversed, directed in one graph alone, or with another
    mark at an end counts one.

    Raises
    ------
    InvalidGraphError
        If the nodes differ.

    Examples
    --------
    >>> truth = PartialGraph("abc", directed=["ab"])
    >>> structural_hamming_distance(PartialGraph("abc", directed=["ba"]), truth)
    1
    >>> structural_hamming_distance(PartialGraph(undirected=["ab", "bc"]), truth)
    2
    """
    check_same_nodes(found, truth)
    arrows = set(found.directed) ^ set(truth.directed)
    lines = set(found.undirected) ^ set(truth.undirected)
    ends = {edge for edge, _ in found.mixed.items() ^ truth.mixed.items()}
    return len({frozenset(edge) for edge in arrows | lines | ends})


def structural_intervention_distance(found: PartialGraph, truth: PartialGraph) -> int:
    """Number of ordered pairs of nodes whose effect the found graph gets wrong.

    The distance of Peters and Bühlmann (2015): the effect of setting one node on another is
    wrong if adjusting for the found parents of the first does not give it in the true graph,
    whatever the distribution. It is not symmetric. Where the package gadjid is installed it
    does the counting, with the same result.

    Parameters
    ----------
    found, truth : PartialGraph
        DAGs with the same nodes.

    Raises
    ------
    InvalidGraphError
        If the nodes differ, or one of the graphs is not a DAG.

    References
    ----------
    Peters, J. and Bühlmann, P. (2015): Structural intervention distance for evaluating causal
    graphs. Neural Computation 27(3), 771-799.

    Examples
    --------
    >>> truth = PartialGraph(directed=["ab", "ac", "bc"])
    >>> structural_intervention_distance(PartialGraph(directed=["ba", "ac", "bc"]), truth)
    4
    """
    check_same_nodes(found, truth)
    check_dag("truth", truth)
    check_dag("found", found)
    counted = _counted_by_gadjid("sid", found, truth)
    if counted is not None:
        return counted
    errors = Adjustments(truth)
    return sum(errors.count(node, found.parents(node)) for node in found.nodes)


def sid_bounds(
    found: PartialGraph, truth: PartialGraph, *, max_extensions: int = 10_000
) -> tuple[int, int] | None:
    """Least and greatest structural intervention distance of the DAGs a graph stands for.

    These have its edges and its colliders of nodes that are not adjacent, and no others. As
    the parents of a node depend on the part it is connected with by undirected edges alone,
    the DAGs of each such part are gone through, not all their combinations.

    Parameters
    ----------
    found : PartialGraph
        CPDAG, or one with more directions.
    truth : PartialGraph
        DAG with the same nodes.
    max_extensions : int, default=10_000
        Give up if a part has more DAGs.

    Returns
    -------
    (int, int) or None
        None if a part has too many DAGs, or none.

    Raises
    ------
    InvalidGraphError
        If the nodes differ, the truth is not a DAG, or what was found has a directed cycle.

    Examples
    --------
    >>> sid_bounds(PartialGraph(undirected=["ab", "bc"]), PartialGraph(directed=["ab", "bc"]))
    (0, 6)
    """
    check_integer("sid_bounds", "max_extensions", max_extensions, minimum=1, maximum=MOST_STEPS)
    check_same_nodes(found, truth)
    check_dag("truth", truth)
    refuse_mixed(found, "found of sid_bounds")
    topological_order(found)
    closed, colliders = found.copy(), v_structures(found)
    if draw_consequences(closed, colliders).obstacles:
        return None
    errors = Adjustments(truth)
    lower = upper = 0
    for part in _undirected_parts(closed):
        outside = {node: set(closed.parents(node)) - part for node in part}
        wholes = _extensions(_induced(closed, part), colliders)
        totals = [
            sum(errors.count(node, outside[node].union(dag.parents(node))) for node in part)
            for dag in islice(wholes, max_extensions + 1)
        ]
        if not 1 <= len(totals) <= max_extensions:
            return None
        lower, upper = lower + min(totals), upper + max(totals)
    return lower, upper


def parent_adjustment_distance(found: PartialGraph, truth: PartialGraph) -> int:
    """Number of ordered pairs of nodes whose effect is not found, or found wrong.

    The parent adjustment identification distance of Henckel, Würtzen and Weichwald (2024). Of
    a DAG it is the structural intervention distance; of a CPDAG, effects on which its DAGs
    disagree count as not found. Where gadjid is installed it does the counting, with the same
    result.

    Parameters
    ----------
    found : PartialGraph
        DAG or CPDAG.
    truth : PartialGraph
        DAG with the same nodes.

    Raises
    ------
    InvalidGraphError
        If the nodes differ, the truth is not a DAG, or what was found neither DAG nor CPDAG.

    References
    ----------
    Henckel, L., Würtzen, T. and Weichwald, S. (2024): Adjustment identification distance: a
    gadjid for causal structure learning. UAI 2024, arXiv:2402.08616.

    Examples
    --------
    >>> truth = PartialGraph(directed=["ab", "bc"])
    >>> parent_adjustment_distance(cpdag_of(truth), truth)
    6
    """
    check_same_nodes(found, truth)
    check_dag("truth", truth)
    topological_order(found)
    if not is_class(found):
        raise InvalidGraphError(
            "found of parent_adjustment_distance must be a DAG or a CPDAG, got a graph with "
            f"{len(found.undirected)} undirected edges that is neither."
        )
    counted = _counted_by_gadjid("parent_aid", found, truth)
    return _wrong_or_not_found(found, truth) if counted is None else counted


def _wrong_or_not_found(found: PartialGraph, truth: PartialGraph) -> int:
    """Count as gadjid does: an effect is not found if a way to it begins without direction."""
    errors = Adjustments(truth)
    onward = {node: [*found.children(node), *found.neighbours(node)] for node in found.nodes}
    total = 0
    for cause in found.nodes:
        ahead = onward | {cause: []}
        open_ends = reached(found.neighbours(cause), ahead) - {cause, *found.parents(cause)}
        total += len(open_ends | errors.wrong_effects(cause, found.parents(cause)))
    return total


def check_same_nodes(found: PartialGraph, truth: PartialGraph) -> None:
    """Refuse graphs with different nodes, and name those."""
    extra = sorted(set(found.nodes) - set(truth.nodes))
    missing = sorted(set(truth.nodes) - set(found.nodes))
    if not extra and not missing:
        return
    told = []
    for names, where in ((extra, "found"), (missing, "true")):
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            shown = ", ".join(repr(name) for name in names[:_MOST_NAMES])
            told.append(f"{shown}{more} only in the {where} graph")
    raise InvalidGraphError(
        f"Graphs to compare must have the same nodes, got {'; '.join(told)}.{_hint(extra, missing)}"
    )


def _hint(extra: list[str], missing: list[str]) -> str:
    """What nodes of the one graph may be in the other: matrices count theirs, others misspell."""
    for names in (extra, missing):
        if names and set(names) == {str(place) for place in range(len(names))}:
            return " Nodes of a matrix are named by names=."
    for name in missing:
        if close := get_close_matches(name, extra, n=1, cutoff=0.5):
            return f" Nearest to {name!r}: {close[0]!r}."
    return ""


def check_dag(role: str, graph: PartialGraph) -> None:
    """Refuse a graph with an edge that has no direction, or a cycle."""
    refuse_mixed(graph, role)
    if graph.undirected:
        first, second = graph.undirected[0]
        hint = " sid_bounds takes such graphs." if role == "found" else ""
        raise InvalidGraphError(
            f"{role} must be a DAG for distances between effects, got {first} - {second} "
            f"without a direction.{hint}"
        )
    topological_order(graph)


def is_class(graph: PartialGraph) -> bool:
    """Whether a graph without cycles is a DAG or a CPDAG."""
    if graph.mixed:
        return False
    if not graph.undirected:
        return True
    dag = consistent_extension(graph)
    return dag is not None and cpdag_of(dag) == graph


def _undirected_parts(graph: PartialGraph) -> Iterator[set[str]]:
    """Nodes that undirected edges connect, single ones too."""
    neighbours = {node: graph.neighbours(node) for node in graph.nodes}
    left = set(graph.nodes)
    while left:
        part = reached([min(left)], neighbours)
        left -= part
        yield part


def _induced(graph: PartialGraph, nodes: set[str]) -> PartialGraph:
    return PartialGraph(
        nodes,
        directed=[edge for edge in graph.directed if nodes.issuperset(edge)],
        undirected=[edge for edge in graph.undirected if nodes.issuperset(edge)],
    )


def _extensions(graph: PartialGraph, colliders: set[VStructure]) -> Iterator[PartialGraph]:
    """Every DAG with these edges and no other colliders, from a graph closed under Meek's rules."""
    if not graph.undirected:
        yield graph
        return
    first, second = graph.undirected[0]
    for tail, head in ((first, second), (second, first)):
        trial = graph.copy()
        trial.orient(tail, head)
        if not draw_consequences(trial, colliders, after=(tail, head)).obstacles:
            yield from _extensions(trial, colliders)


def _counted_by_gadjid(name: str, found: PartialGraph, truth: PartialGraph) -> int | None:
    """A distance of gadjid; None where it is not there, or has no answer.

    It has none for less than two nodes. In a process forked off one that has used it, it would
    wait forever for threads that only the other process has.
    """
    if len(truth.nodes) < 2 or _first_user() != os.getpid():
        return None
    try:
        gadjid = require("gadjid", extra="graphs", needed_by="A distance")
    except MissingPackageError:
        return None
    distance = getattr(gadjid, name)
    _, count = distance(_matrix(truth), _matrix(found), edge_direction="from row to column")
    return int(count)


@cache
def _first_user() -> int:
    """Process that asked gadjid first; a forked one remembers its parent's."""
    return os.getpid()


def _matrix(graph: PartialGraph) -> NDArray[np.int8]:
    """1 from tail in row to head in column, 2 for an undirected edge, nodes in their order."""
    place = {node: at for at, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(place), len(place)), dtype=np.int8)
    for value, edges in ((1, graph.directed), (2, graph.undirected)):
        for first, second in edges:
            matrix[place[first], place[second]] = value
    return matrix
