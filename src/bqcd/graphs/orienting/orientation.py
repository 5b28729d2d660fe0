"""An oriented graph, with what became of every edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bqcd.assessments.compatibility import (
    Compatibility,
    circle_demands,
    collider_demands,
    compatibility_of,
)
from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.notes import GraphNote
from bqcd.graphs.orienting.case import Case
from bqcd.graphs.orienting.records import EdgeRecord
from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.runtime.settings import check_number
from bqcd.runtime.shown import Pictured, Tabled, shown

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Orientation(Pictured, Tabled):
    """A graph whose open edges were oriented.

    Parameters
    ----------
    graph : PartialGraph
        What came out: directed edges without a cycle, and edges left open.
    edges : tuple of EdgeRecord
        One for each edge of the input, in the order in which they were settled.
    labels : mapping of str to object
        Nodes as the given graph had them, by name.
    facts : mapping of str to object
        Kind of graph, method, settings and seed, ready for JSON.
    notes : tuple of GraphNote
        What the user should know, such as columns that are no node.
    case : Case or None
        The graph that was given and the verdicts on its edges, to settle them at another bar;
        None where verdicts depend on edges settled before.
    bootstrap : mapping of str to object or None, default=None
        What became of the graph on sub-samples, ready for JSON: see
        :func:`bqcd.graphs.bootstrap_graph`.
    """

    graph: PartialGraph
    edges: tuple[EdgeRecord, ...]
    labels: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[GraphNote, ...] = ()
    case: Case | None = None
    bootstrap: Mapping[str, object] | None = None

    def at(self, min_confidence: float) -> Orientation:
        """The same verdicts settled again, edges of smaller confidence left open.

        No pair is judged again: what comes out is what ``orient`` gives with this
        ``min_confidence``.

        Parameters
        ----------
        min_confidence : float
            Bar of confidence; with 0 every verdict counts that can be told.

        Raises
        ------
        InvalidSettingError
            If it is negative or not finite, or if edges were judged given the parents known by
            then, so that verdicts depend on the bar.
        InvalidGraphError
            If a DAG is demanded and none fits.
        """
        if min_confidence != 0.0:
            check_number("Orientation.at", "min_confidence", min_confidence, above=0.0)
        if self.case is None:
            raise InvalidSettingError(
                "Orientation.at needs verdicts that do not depend on edges settled before, but "
                f"this orientation has given_known={self.facts.get('given_known')} and case=None."
            )
        case = self.case.at(min_confidence)
        graph, settled = case.settled()
        counted = {record.edge: record.frequency for record in self.edges}
        records = [replace(record, frequency=counted[record.edge]) for record in settled]
        facts = {**self.facts, "min_confidence": min_confidence}
        return replace(self, graph=graph, edges=tuple(records), facts=facts, case=case)

    @property
    def directed(self) -> nx.DiGraph[Any]:
        """All nodes and the edges with a direction; outcome and confidence are attributes."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self._label(node) for node in self.graph.nodes)
        for record in self.edges:
            if record.tail is not None and record.head is not None:
                tail, head = self._label(record.tail), self._label(record.head)
                graph.add_edge(tail, head, **_attributes(record))
        return graph

    @property
    def undirected(self) -> nx.Graph[Any]:
        """All nodes and the edges left open, with the same attributes.

        Edges of a PAG with circles or two heads are not among them: see ``graph.mixed``.
        """
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(self._label(node) for node in self.graph.nodes)
        for record in self.edges:
            if record.tail is None and record.ends in (None, ("tail", "tail")):
                first, second = self._label(record.first), self._label(record.second)
                graph.add_edge(first, second, **_attributes(record))
        return graph

    def adjacency(
        self, order: Sequence[str] | None = None, *, convention: str = "row-causes-column"
    ) -> NDArray[np.int64]:
        """Adjacency matrix; nodes are in alphabetical order if none is given.

        Parameters
        ----------
        order : sequence of str, optional
            Names of all nodes in the order of rows and columns.
        convention : str, default="row-causes-column"
            As for :func:`~bqcd.graphs.as_adjacency`.
        """
        from bqcd.graphs.formats import as_adjacency

        return as_adjacency(self.graph, order, convention=convention)

    def _label(self, node: str) -> object:
        return self.labels.get(node, node)

    def record(self, a: object, b: object) -> EdgeRecord:
        """Record of the edge between two nodes, in either order.

        Raises
        ------
        InvalidGraphError
            If there is no such edge.
        """
        first, second = sorted((str(a), str(b)))
        for record in self.edges:
            if record.edge == (first, second):
                return record
        known = set(self.graph.nodes)
        strange = [name for name in (str(a), str(b)) if name not in known]
        if strange:
            raise InvalidGraphError(f"The graph has no node {strange[0]!r}.")
        raise InvalidGraphError(f"The graph has no edge between {first!r} and {second!r}.")

    def explain(self, a: object, b: object) -> str:
        """What became of the edge between two nodes, and why, in one sentence."""
        return self.record(a, b).sentence

    @property
    def summary(self) -> str:
        """How many edges there are, and how they were settled."""
        return str(shown(self, "summary"))

    @property
    def compatibility(self) -> Compatibility:
        """How far the verdicts on the edges fit together, and with the graph they were asked for.

        Verdicts on three edges must not run in a circle; where the graph is a CPDAG or a PAG, two
        verdicts must not make a collider it does not have. What was settled against a verdict
        does not count: see :attr:`EdgeRecord.verdict`. Nor do edges whose direction was learnt,
        as the graph has its colliders by them.
        """
        verdicts = {
            record.edge: 1 if record.verdict == record.edge else -1
            for record in self.edges
            if record.verdict is not None and not record.learner
        }
        others: list[tuple[str, str, str]] = []
        if self.case is not None and self.case.kind != "skeleton":
            others = _chains(self.graph, verdicts)
        demands = [
            *circle_demands(verdicts),
            *collider_demands(verdicts, colliders=[], others=others),
        ]
        return compatibility_of(verdicts, demands)

    def as_dict(self) -> dict[str, object]:
        """Everything, ready for JSON."""
        return {
            **self.facts,
            "nodes": self.graph.nodes,
            "edges": [_told(record) for record in self.edges],
            "notes": [note.as_dict() for note in self.notes],
            "bootstrap": self.bootstrap,
            "compatibility": self.compatibility.as_dict(),
        }

    def save(self, path: str | Path, *, format: str | None = None) -> None:
        """Write the graph with its edges' outcomes; the format follows from the suffix."""
        from bqcd.graphs.formats import write_graph

        attributes = {record.edge: _attributes(record) for record in self.edges}
        write_graph(self.graph, path, format=format, attributes=attributes, labels=self.labels)

    def __repr__(self) -> str:
        return f"<Orientation of {len(self.graph.nodes)} nodes: {self.summary}>"


def _chains(graph: PartialGraph, verdicts: Mapping[Edge, int]) -> list[tuple[str, str, str]]:
    """Nodes around a middle one, judged both, that are not adjacent.

    They are no collider, as the edges of one have their directions from the graph.
    """
    near: dict[str, list[str]] = {}
    for first, second in verdicts:
        near.setdefault(first, []).append(second)
        near.setdefault(second, []).append(first)
    return [
        (first, middle, second)
        for middle in sorted(near)
        for first, second in combinations(sorted(near[middle]), 2)
        if not graph.adjacent(first, second)
    ]


def _attributes(record: EdgeRecord) -> dict[str, str | float]:
    told: dict[str, str | float] = {"outcome": record.outcome.value, "reason": record.sentence}
    if record.support is not None:
        told["confidence"] = record.support
    if record.rank is not None:
        told["rank"] = record.rank
    if record.judgement is not None:
        told["answer"] = record.strength or record.judgement.told
    if record.learner:
        told["learner"] = record.learner
    if record.judgement is not None and record.judgement.share is not None:
        told["share"] = record.judgement.share
    if record.judgement is not None and record.judgement.probability is not None:
        told["probability"] = record.judgement.probability
    if record.frequency is not None:
        told["joined"] = record.frequency.joined
        told["this_way"] = record.frequency.share(record.arrow)
    return told


def _choice(record: EdgeRecord) -> dict[str, object] | None:
    """What was picked to judge an edge; None if a method was asked for."""
    judgement = record.judgement
    return None if judgement is None or judgement.choice is None else asdict(judgement.choice)


def _told(record: EdgeRecord) -> dict[str, object]:
    return {
        "x": record.first,
        "y": record.second,
        "tail": record.tail,
        "head": record.head,
        "arrow": record.arrow,
        "outcome": record.outcome.value,
        "learner": record.learner or None,
        "strength": record.strength,
        "answer": None if record.judgement is None else record.judgement.told,
        "verdict": None if record.verdict is None else list(record.verdict),
        "confidence": record.confidence,
        "rank": record.rank,
        "share": None if record.judgement is None else record.judgement.share,
        "probability": None if record.judgement is None else record.judgement.probability,
        "limit": None if record.judgement is None else record.judgement.limit,
        "seed": None if record.judgement is None else record.judgement.seed,
        "choice": _choice(record),
        "rule": record.rule,
        "because": list(record.because),
        "blocked_by": record.blocked or None,
        "knowledge": record.knowledge or None,
        "overruled": record.overruled,
        "frequency": None if record.frequency is None else record.frequency.as_dict(),
        "sentence": record.sentence,
    }
