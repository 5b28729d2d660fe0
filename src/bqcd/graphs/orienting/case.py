"""A graph with the verdicts on its edges: all that settling them takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.orienting.pag_settling import settle_pag
from bqcd.graphs.orienting.policy import Policy
from bqcd.graphs.orienting.records import EdgeRecord, Judgement, Outcome
from bqcd.graphs.orienting.settling import Kind, Rejudge, settle
from bqcd.graphs.partial import Edge, PartialGraph


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What was asked of a graph, its pairs judged: edges can be settled at any bar.

    Parameters
    ----------
    graph : PartialGraph
        Edges to orient, and edges given with a direction.
    judgements : mapping of (str, str) to Judgement
        Verdict on each undirected edge, by its nodes in alphabetical order.
    kind : {"skeleton", "cpdag", "pag"}
        Whether colliders are free, or those of the graph are all there are; or ends of edges
        that are circles are what is open.
    knowledge : Knowledge
        Directions that are known.
    policy : Policy
        What is done with edges that could go either way.
    overrule : bool, default=False
        Whether knowledge turns directions of the graph that are against it.
    learner : str, default=""
        What learnt the graph; empty if it was given.
    """

    graph: PartialGraph
    judgements: Mapping[Edge, Judgement]
    kind: Kind
    knowledge: Knowledge
    policy: Policy
    overrule: bool = False
    learner: str = ""

    def settled(self, rejudge: Rejudge | None = None) -> tuple[PartialGraph, list[EdgeRecord]]:
        """Graph with as many edges oriented as may be, and what became of each."""
        graph, records = self._settled(rejudge)
        return graph, [self._with_learner(record) for record in records]

    def _with_learner(self, record: EdgeRecord) -> EdgeRecord:
        """An edge that came with its direction, with what that was learnt by."""
        if not self.learner or record.outcome not in (Outcome.GIVEN, Outcome.V_STRUCTURE):
            return record
        outcome = Outcome.LEARNT if record.outcome is Outcome.GIVEN else record.outcome
        return replace(record, outcome=outcome, learner=self.learner)

    def _settled(self, rejudge: Rejudge | None) -> tuple[PartialGraph, list[EdgeRecord]]:
        if self.kind == "pag":
            return settle_pag(
                self.graph,
                self.judgements,
                knowledge=self.knowledge,
                policy=self.policy,
                overrule=self.overrule,
            )
        return settle(
            self.graph,
            self.judgements,
            kind=self.kind,
            knowledge=self.knowledge,
            policy=self.policy,
            rejudge=rejudge,
            overrule=self.overrule,
        )

    def at(self, min_confidence: float) -> Case:
        """The same verdicts with another bar of confidence."""
        return replace(self, policy=replace(self.policy, min_confidence=min_confidence))
