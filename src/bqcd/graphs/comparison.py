"""A graph next to the true one: distances, and what the two agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bqcd.graphs.distances import (
    check_same_nodes,
    is_class,
    parent_adjustment_distance,
    sid_bounds,
    structural_hamming_distance,
)
from bqcd.graphs.formats.directions import graph_of
from bqcd.graphs.partial import Edge, PartialGraph, VStructure, topological_order, v_structures
from bqcd.runtime.shown import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bqcd.runtime.shown import Sheet

Difference = Literal["same", "reversed", "open", "directed", "other ends", "missing", "extra"]
"""How an edge differs from the truth: open where the truth has a direction, or directed where it
has none."""


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


@dataclass(frozen=True, slots=True)
class ComparedEdge:
    """Two nodes that either graph joins.

    Parameters
    ----------
    first, second : str
        The nodes, in alphabetical order.
    found, truth : str
        The edge as each graph has it, e.g. ``a -> b`` or ``a - b``; empty where it has none.
    difference : {"same", "reversed", "open", "directed", "other ends", "missing", "extra"}
        How what was found differs from the truth.
    """

    first: str
    second: str
    found: str
    truth: str
    difference: Difference

    def as_dict(self) -> dict[str, object]:
        """The edge, ready for JSON."""
        return {
            "x": self.first,
            "y": self.second,
            "found": self.found or None,
            "truth": self.truth or None,
            "difference": self.difference,
        }


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
    edges : tuple of ComparedEdge
        Every pair of nodes that either graph joins.
    found, truth : PartialGraph
        The graphs.
    """

    n_nodes: int
    shd: int
    sid_lower: int | None
    sid_upper: int | None
    parent_aid: int | None
    skeleton: Agreement
    orientation: Agreement
    v_structures: Agreement
    edges: tuple[ComparedEdge, ...] = ()
    found: PartialGraph = field(default_factory=PartialGraph, repr=False)
    truth: PartialGraph = field(default_factory=PartialGraph, repr=False)

    @property
    def summary(self) -> str:
        """The distances in one sentence."""
        return str(shown(self, "summary"))

    def sheet(self) -> Sheet:
        """Table of the edges, as each graph has them."""
        sheet: Sheet = shown(self, "sheet")
        return sheet

    def plot(self, path: str | Path | None = None) -> Figure:
        """Both graphs in one picture, edges coloured by how they differ; saved if a path is given.

        Parameters
        ----------
        path : path, optional
            Ends in ``.png``, ``.svg`` or ``.pdf``.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        figure: Figure = shown(self, "plot", path)
        return figure

    def as_dict(self) -> dict[str, object]:
        """All numbers and edges, ready for JSON."""
        return {
            "nodes": self.n_nodes,
            "shd": self.shd,
            "sid": self.sid,
            "sid_lower": self.sid_lower,
            "sid_upper": self.sid_upper,
            "parent_aid": self.parent_aid,
            **{
                name: {"found": one.n_found, "true": one.n_true, "both": one.n_both}
                for name, one in (
                    ("skeleton", self.skeleton),
                    ("orientation", self.orientation),
                    ("v_structures", self.v_structures),
                )
            },
            "edges": [edge.as_dict() for edge in self.edges],
        }

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


def compare_graphs(
    found: object,
    truth: object,
    *,
    convention: str | None = None,
    names: Sequence[str] | None = None,
) -> Comparison:
    """Distances between a graph and the true one, and what they agree on, edge by edge.

    Parameters
    ----------
    found : Orientation, networkx graph, path, matrix, causal-learn graph or PartialGraph
        DAG, CPDAG or any graph between: whatever :func:`bqcd.graphs.read_graph` takes.
    truth : the same
        Graph with the same nodes. Effects, and so the intervention distances, are compared with
        those of a DAG; of a graph with open edges, they are None.
    convention : str, optional
        Which way matrices, and files with a matrix, point: see :func:`bqcd.graphs.read_graph`.
    names : sequence of str, optional
        Names of the nodes of matrices without any.

    Raises
    ------
    InvalidGraphError
        If the nodes differ, or a graph cannot be read or has a directed cycle.

    Examples
    --------
    >>> import networkx as nx
    >>> truth = nx.DiGraph([("a", "b"), ("b", "c")])
    >>> result = compare_graphs(PartialGraph(directed=["cb"], undirected=["ab"]), truth)
    >>> result.shd, result.skeleton.recall, result.orientation.recall
    (2, 1.0, 0.0)
    >>> [(edge.found, edge.truth, edge.difference) for edge in result.edges]
    [('a - b', 'a -> b', 'open'), ('c -> b', 'b -> c', 'reversed')]
    """
    asked = {"convention": convention, "names": names}
    return _compared(*(graph_of(one, **asked).graph for one in (found, truth)))  # type: ignore[arg-type]


def _compared(found: PartialGraph, truth: PartialGraph) -> Comparison:
    check_same_nodes(found, truth)
    topological_order(truth)
    topological_order(found)
    is_dag = not truth.undirected and not truth.mixed and not found.mixed
    bounds = (sid_bounds(found, truth) if is_dag else None) or (None, None)
    edges_found, edges_true = _adjacencies(found), _adjacencies(truth)
    both = edges_found & edges_true
    has_effects = is_dag and is_class(found)
    return Comparison(
        n_nodes=len(truth.nodes),
        shd=structural_hamming_distance(found, truth),
        sid_lower=bounds[0],
        sid_upper=bounds[1],
        parent_aid=parent_adjustment_distance(found, truth) if has_effects else None,
        skeleton=_agreement(edges_found, edges_true),
        orientation=_agreement(_directions(found, both), _directions(truth, both)),
        v_structures=_agreement(v_structures(found), v_structures(truth)),
        edges=tuple(
            _compared_edge(found, truth, edge) for edge in sorted(edges_found | edges_true)
        ),
        found=found,
        truth=truth,
    )


def _compared_edge(found: PartialGraph, truth: PartialGraph, edge: Edge) -> ComparedEdge:
    ours, theirs = found.arrow(*edge), truth.arrow(*edge)
    return ComparedEdge(*edge, ours, theirs, _difference(found, truth, edge))


def _difference(found: PartialGraph, truth: PartialGraph, edge: Edge) -> Difference:
    ours, theirs = found.arrow(*edge), truth.arrow(*edge)
    if ours == theirs:
        return "same"
    if not ours or not theirs:
        return "extra" if ours else "missing"
    kinds = tuple(
        "directed"
        if graph.is_directed(*edge) or graph.is_directed(*edge[::-1])
        else "open"
        if graph.is_undirected(*edge)
        else "mixed"
        for graph in (found, truth)
    )
    told: dict[tuple[str, ...], Difference] = {
        ("directed", "directed"): "reversed",
        ("open", "directed"): "open",
        ("directed", "open"): "directed",
    }
    return told.get(kinds, "other ends")


def _adjacencies(graph: PartialGraph) -> set[Edge]:
    edges = (*graph.directed, *graph.undirected, *graph.mixed)
    return {(min(edge), max(edge)) for edge in edges}


def _directions(graph: PartialGraph, among: set[Edge]) -> set[Edge]:
    return {edge for edge in graph.directed if (min(edge), max(edge)) in among}


def _agreement(found: set[Edge] | set[VStructure], truth: set[Edge] | set[VStructure]) -> Agreement:
    return Agreement(len(found), len(truth), len(found & truth))
