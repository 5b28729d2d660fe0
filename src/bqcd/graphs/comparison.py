"""A graph next to the true one: distances, and what the two agree on."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from bqcd.graphs.distances import (
    check_dag,
    check_same_nodes,
    is_class,
    parent_adjustment_distance,
    sid_bounds,
    structural_hamming_distance,
)
from bqcd.graphs.partial import Edge, PartialGraph, VStructure, topological_order, v_structures


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of some things were found, how many are true, and how many are both.

    Parameters
    ----------
    n_found, n_true, n_both : int
        The three counts.

    Examples
    --------
    >>> Agreement(n_found=4, n_true=2, n_both=1)
    Agreement(n_found=4, n_true=2, n_both=1)
    >>> _.precision, _.recall
    (0.25, 0.5)
    """

    n_found: int
    n_true: int
    n_both: int

    @property
    def precision(self) -> float:
        """Share of the found that is true; NaN if nothing was found."""
        return self.n_both / self.n_found if self.n_found else nan

    @property
    def recall(self) -> float:
        """Share of the true that was found; NaN if nothing is true."""
        return self.n_both / self.n_true if self.n_true else nan

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; NaN if nothing was found or is true."""
        total = self.n_found + self.n_true
        return 2.0 * self.n_both / total if total else nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A graph next to the true one.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    shd : int
        Structural Hamming distance.
    sid_lower, sid_upper : int or None
        Least and greatest structural intervention distance of a DAG with the found edges and
        colliders: both the distance itself where a DAG was found, None where there is no such
        DAG, or where there are too many.
    parent_aid : int or None
        Parent adjustment distance; None if what was found is neither a DAG nor a CPDAG.
    skeleton : Agreement
        Of pairs of nodes with an edge.
    orientation : Agreement
        Of directions, among the edges that are in both graphs.
    v_structures : Agreement
        Of colliders whose causes are not adjacent.
    """

    n_nodes: int
    shd: int
    sid_lower: int | None
    sid_upper: int | None
    parent_aid: int | None
    skeleton: Agreement
    orientation: Agreement
    v_structures: Agreement

    @property
    def sid(self) -> int | None:
        """Structural intervention distance; None if its bounds differ, or are not known."""
        return self.sid_lower if self.sid_lower == self.sid_upper else None

    @property
    def normalised_sid(self) -> float | None:
        """Share of the ordered pairs of nodes whose effect is wrong; None as for ``sid``."""
        if self.sid is None:
            return None
        return self.sid / (self.n_nodes * (self.n_nodes - 1)) if self.n_nodes > 1 else 0.0


def compare_graphs(found: PartialGraph, truth: PartialGraph) -> Comparison:
    """Distances between a graph and the true one, and what they agree on.

    Parameters
    ----------
    found : PartialGraph
        DAG, CPDAG or any graph between.
    truth : PartialGraph
        DAG with the same nodes.

    Raises
    ------
    InvalidGraphError
        If the nodes differ, the truth is not a DAG, or what was found has a directed cycle.

    Examples
    --------
    >>> truth = PartialGraph(directed=["ab", "bc"])
    >>> result = compare_graphs(PartialGraph(directed=["cb"], undirected=["ab"]), truth)
    >>> result.shd, result.skeleton.recall, result.orientation.recall
    (2, 1.0, 0.0)
    """
    check_same_nodes(found, truth)
    check_dag("truth", truth)
    topological_order(found)
    bounds = sid_bounds(found, truth) or (None, None)
    edges_found, edges_true = _adjacencies(found), _adjacencies(truth)
    both = edges_found & edges_true
    return Comparison(
        n_nodes=len(truth.nodes),
        shd=structural_hamming_distance(found, truth),
        sid_lower=bounds[0],
        sid_upper=bounds[1],
        parent_aid=parent_adjustment_distance(found, truth) if is_class(found) else None,
        skeleton=_agreement(edges_found, edges_true),
        orientation=_agreement(_directions(found, both), _directions(truth, both)),
        v_structures=_agreement(v_structures(found), v_structures(truth)),
    )


def _adjacencies(graph: PartialGraph) -> set[Edge]:
    return {(min(edge), max(edge)) for edge in (*graph.directed, *graph.undirected)}


def _directions(graph: PartialGraph, among: set[Edge]) -> set[Edge]:
    return {edge for edge in graph.directed if (min(edge), max(edge)) in among}


def _agreement(found: set[Edge] | set[VStructure], truth: set[Edge] | set[VStructure]) -> Agreement:
    return Agreement(len(found), len(truth), len(found & truth))
