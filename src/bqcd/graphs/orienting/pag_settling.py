"""Circles of a PAG settled by verdicts: only ends that the graph leaves open are touched.

A verdict assumes that no hidden cause makes the link; a PAG allows for one. So arrows and tails
that the graph has stay, ``<->`` is never judged, and a verdict against an arrow leaves the circle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bqcd.errors import InvalidGraphError, InvalidKnowledgeError
from bqcd.graphs.ends import Ends
from bqcd.graphs.knowledge import Knowledge, KnownDirection
from bqcd.graphs.orienting.meek import Obstacle
from bqcd.graphs.orienting.pag_rules import (
    EndRule,
    ancestral_conflict,
    arrow_colliders,
    follow_rules,
    open_edges,
    pag_obstacle,
)
from bqcd.graphs.orienting.policy import Policy
from bqcd.graphs.orienting.records import Bar, Blocked, EdgeRecord, Judgement, Outcome
from bqcd.graphs.partial import Edge, PartialGraph


def settle_pag(
    graph: PartialGraph,
    judgements: Mapping[Edge, Judgement],
    *,
    knowledge: Knowledge,
    policy: Policy,
    overrule: bool = False,
) -> tuple[PartialGraph, list[EdgeRecord]]:
    """PAG with as many circles settled as may be, and what became of each edge.

    Parameters
    ----------
    graph : PartialGraph
        Edges with any ends.
    judgements : mapping of (str, str) to Judgement
        Verdict on each edge with a circle, by its nodes in alphabetical order.
    knowledge : Knowledge
        Directions that are known. Tiers and forbidden edges put an arrow and leave open whether
        there is a hidden cause; a required edge has a tail as well.
    policy : Policy
        What is done with edges that could go either way.
    overrule : bool, default=False
        Whether knowledge changes ends that are against it. They are refused otherwise.

    Raises
    ------
    InvalidGraphError
        If a node causes what it has an arrow from.
    InvalidKnowledgeError
        If knowledge contradicts the graph.
    """
    work = _Circles(graph, judgements)
    work.check("Ends of a graph must fit each other")
    work.keep_given()
    work.follow_knowledge(knowledge, overrule)
    work.follow_verdicts(policy)
    work.close()
    work.check("Ends must fit each other")
    return work.graph, work.told()


class _Circles:
    """A PAG on its way, with the records of the edges settled so far."""

    def __init__(self, graph: PartialGraph, judgements: Mapping[Edge, Judgement]) -> None:
        self.graph = graph.copy()
        self.records: dict[Edge, EdgeRecord] = {}
        self._judgements = judgements
        self._colliders = arrow_colliders(graph)
        self._doubts: dict[Edge, Bar] = {}
        self._rules: dict[Edge, EndRule] = {}
        self._ranked = sorted(open_edges(graph), key=lambda edge: (judgements[edge].place, edge))
        self._rank = {edge: at for at, edge in enumerate(self._ranked, start=1)}

    def check(self, what: str) -> None:
        """Make sure that no node causes what it has an arrow from."""
        path = ancestral_conflict(self.graph)
        if path is not None:
            raise InvalidGraphError(
                f"{what}, but {' -> '.join(path)} and {self.graph.arrow(path[0], path[-1])}."
            )

    def keep_given(self) -> None:
        """Record the edges that have no circle."""
        for edge in self.graph.skeleton().undirected:
            if edge not in self._rank:
                self._record(edge, Outcome.GIVEN)

    def follow_knowledge(self, knowledge: Knowledge, overrule: bool) -> None:
        """Put the marks that are known."""
        required = set(knowledge.required)
        for edge in self.graph.skeleton().undirected:
            known = knowledge.direction(*edge)
            if known is not None:
                self._obey(known, (known.tail, known.head) in required, overrule)

    def _obey(self, known: KnownDirection, required: bool, overrule: bool) -> None:
        tail, head = known.tail, known.head
        before = self.graph.ends(tail, head)
        assert before is not None
        against = before[1] == "tail" or (required and before[0] == "arrow")
        wanted: Ends = ("tail" if required or against else before[0], "arrow")
        if against:
            self._turn(known, wanted, overrule)
        elif before != wanted:
            blocked = self._attempt(tail, head, wanted)
            if blocked is not None:
                raise InvalidKnowledgeError(
                    f"Knowledge must fit the graph: {known.why}, but "
                    f"{_blocked((tail, head), blocked).told}."
                )
        given = self.records.get((min(tail, head), max(tail, head)))
        if given is not None and not against:
            self.records[given.edge] = replace(given, knowledge=known.why)
        else:
            told = {"knowledge": known.why, "overruled": against}
            self._record((tail, head), Outcome.KNOWLEDGE, **told)

    def _turn(self, known: KnownDirection, wanted: Ends, overrule: bool) -> None:
        """Change ends of the graph that are against knowledge, if that may overrule them."""
        tail, head = known.tail, known.head
        if not overrule:
            raise InvalidKnowledgeError(
                f"Knowledge must fit the graph, which has {self.graph.arrow(tail, head)}, but "
                f"{known.why}. With overrule=True (--overrule) it turns the edge."
            )
        self.graph.set_ends(tail, head, wanted)
        self._colliders = arrow_colliders(self.graph)
        path = ancestral_conflict(self.graph)
        if path is not None:
            raise InvalidKnowledgeError(
                f"Knowledge must fit the graph: {known.why}, but {tail} -> {head} would close a "
                f"cycle with the path {' -> '.join(path)}, which is given."
            )

    def follow_verdicts(self, policy: Policy) -> None:
        """Settle circles by verdicts, the most confident first."""
        for edge in self._ranked:
            if "circle" not in (self.graph.ends(*edge) or ()):
                continue
            judgement = self._judgements[edge]
            doubt = policy.doubt(judgement) if judgement.confidence else None
            if doubt is not None:
                self._doubts[edge] = doubt
            elif judgement.decided:
                self._follow(edge if judgement.confidence > 0.0 else edge[::-1])

    def _follow(self, edge: Edge) -> None:
        tail, head = edge
        ends = self.graph.ends(tail, head)
        assert ends is not None
        if ends[0] == "arrow" or ends[1] == "tail":
            obstacles = (Blocked(edge, "ends", nodes=edge),)
            self._record(edge, Outcome.EXCLUDED, obstacles=obstacles)
            return
        blocked = self._attempt(tail, head, ("tail", "arrow"))
        if blocked is None:
            self._record(edge, Outcome.JUDGED)
            return
        told = {"because": blocked.nodes, "obstacles": (_blocked(edge, blocked),)}
        # Neither a new collider nor a cycle is left only if the other node is the cause.
        free = ends[0] != "tail" and ends[1] != "arrow"
        other = self._attempt(head, tail, ("tail", "arrow")) if free else blocked
        self._record(edge, Outcome.BLOCKED if other is not None else Outcome.TURNED, **told)

    def _attempt(self, tail: str, head: str, ends: Ends) -> Obstacle | None:
        """Give an edge ends, with all that follows, unless something is in the way."""
        trial = self.graph.copy()
        trial.set_ends(tail, head, ends)
        found = pag_obstacle(trial, tail, head, self._colliders)
        if found is not None:
            return found
        rules = follow_rules(trial)
        found = pag_obstacle(trial, tail, head, self._colliders)
        if found is not None:
            return found
        self.graph = trial
        for rule in rules:
            self._rules[min(rule.node, rule.other), max(rule.node, rule.other)] = rule
        return None

    def close(self) -> None:
        """Record what followed, and what is still open."""
        for edge in self._ranked:
            before, rule = self.records.get(edge), self._rules.get(edge)
            settled = "circle" not in (self.graph.ends(*edge) or ())
            if before is not None and not (settled and before.outcome.is_open):
                continue
            if settled and rule is not None:
                told = {"rule": rule.rule, "because": rule.because}
                self._record(edge, self._compelled(edge), **told)
            else:
                judgement = self._judgements[edge]
                outcome = Outcome.BORDERLINE if judgement.confidence else Outcome.ABSTAINED
                self._record(edge, outcome, below=self._doubts.get(edge))

    def _compelled(self, edge: Edge) -> Outcome:
        """Turned if the verdict says otherwise, compelled if not."""
        judgement, cause = self._judgements[edge], self._cause(edge)
        says = None if not judgement.decided else edge[0] if judgement.confidence > 0.0 else edge[1]
        return Outcome.COMPELLED if says in (None, cause) else Outcome.TURNED

    def _cause(self, edge: Edge) -> str | None:
        first, second = min(edge), max(edge)
        if self.graph.is_directed(first, second):
            return first
        return second if self.graph.is_directed(second, first) else None

    def _record(self, edge: Edge, outcome: Outcome, **told: object) -> None:
        first, second = min(edge), max(edge)
        record = EdgeRecord(
            first,
            second,
            outcome,
            judgement=self._judgements.get((first, second)),
            rank=self._rank.get((first, second)),
        )
        self.records[first, second] = replace(record, **told)  # type: ignore[arg-type]

    def told(self) -> list[EdgeRecord]:
        """Records with the ends that came out in the end."""
        return [
            replace(record, tail=self._cause(edge), ends=self.graph.ends(*edge))
            for edge, record in self.records.items()
        ]


def _blocked(edge: Edge, found: Obstacle) -> Blocked:
    own = (found.tail, found.head) == edge
    return Blocked(edge, found.kind, found.nodes, None if own else (found.tail, found.head))
