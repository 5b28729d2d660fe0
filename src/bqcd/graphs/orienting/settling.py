"""Edges settled one by one: no cycle, no new collider, knowledge obeyed, a reason for each.

Pure bookkeeping: verdicts on the pairs are handed in, so that the procedure can be tested on
any graph with any verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from bqcd.errors import InvalidGraphError, InvalidKnowledgeError
from bqcd.graphs.knowledge import Knowledge, KnownDirection
from bqcd.graphs.orienting.meek import Implication, Obstacle, draw_consequences, obstacle
from bqcd.graphs.orienting.policy import Policy
from bqcd.graphs.orienting.records import Bar, Blocked, EdgeRecord, Judgement, Outcome
from bqcd.graphs.partial import (
    Edge,
    PartialGraph,
    VStructure,
    directed_cycle,
    directed_path,
    v_structures,
)

Kind = Literal["skeleton", "cpdag", "pag"]
Rejudge = Callable[[Edge, PartialGraph], Judgement]


def settle(
    graph: PartialGraph,
    judgements: Mapping[Edge, Judgement],
    *,
    kind: Kind,
    knowledge: Knowledge,
    policy: Policy,
    rejudge: Rejudge | None = None,
    overrule: bool = False,
) -> tuple[PartialGraph, list[EdgeRecord]]:
    """Graph with as many edges oriented as may be, and what became of each.

    Parameters
    ----------
    graph : PartialGraph
        Edges to orient, and edges given with a direction, which stay.
    judgements : mapping of (str, str) to Judgement
        Verdict on each undirected edge, by its nodes in alphabetical order.
    kind : {"skeleton", "cpdag"}
        Whether only cycles are excluded, or also colliders that the graph does not have.
    knowledge : Knowledge
        Directions that are known.
    policy : Policy
        What is done with edges that could go either way.
    rejudge : callable, optional
        Gives a new verdict when an edge's turn comes, from the graph so far.
    overrule : bool, default=False
        Whether knowledge turns directions of the graph that are against it. They are refused
        otherwise.

    Raises
    ------
    InvalidGraphError
        If the given directions have a cycle, or no DAG fits where one is demanded.
    InvalidKnowledgeError
        If knowledge contradicts the graph.
    """
    given, turned = _turned(graph, knowledge) if overrule else (graph, {})
    work = _Settling(given, judgements, kind, rejudge)
    work.keep_given(knowledge, turned)
    work.follow_knowledge(knowledge)
    work.follow_verdicts(policy)
    if policy.complete:
        work.complete()
    work.close()
    work.check()
    return work.graph, list(work.records.values())


def check_known(
    graph: PartialGraph, *, kind: Kind, knowledge: Knowledge, overrule: bool = False
) -> None:
    """Refuse directions and knowledge that do not fit each other, before any pair is judged.

    Raises
    ------
    InvalidGraphError
        If the given directions have a cycle.
    InvalidKnowledgeError
        If knowledge contradicts the graph.
    """
    given, turned = _turned(graph, knowledge) if overrule else (graph, {})
    work = _Settling(given, dict.fromkeys(graph.undirected, Judgement(0.0)), kind, None)
    work.keep_given(knowledge, turned)
    work.follow_knowledge(knowledge)


def _turned(
    graph: PartialGraph, knowledge: Knowledge
) -> tuple[PartialGraph, dict[Edge, KnownDirection]]:
    """The graph with directions turned that are against knowledge, and these as they are now.

    Raises
    ------
    InvalidKnowledgeError
        If an edge that is turned closes a cycle with others of the graph.
    """
    known = {edge: knowledge.direction(*edge) for edge in graph.directed}
    turned = {
        (one.tail, one.head): one
        for edge, one in known.items()
        if one is not None and one.tail != edge[0]
    }
    kept = [edge for edge in graph.directed if edge[::-1] not in turned]
    now = PartialGraph(graph.nodes, directed=[*kept, *turned], undirected=graph.undirected)
    for (tail, head), one in turned.items():
        path = directed_path(now, head, tail)
        if path is not None:
            raise InvalidKnowledgeError(
                f"Knowledge must fit the graph: {one.why}, but {tail} -> {head} would close a "
                f"cycle with the path {' -> '.join(path)}, which is given."
            )
    return now, turned


class _Settling:
    """A graph on its way, with the records of the edges settled so far."""

    def __init__(
        self,
        graph: PartialGraph,
        judgements: Mapping[Edge, Judgement],
        kind: Kind,
        rejudge: Rejudge | None,
    ) -> None:
        self.graph = graph.copy()
        self.records: dict[Edge, EdgeRecord] = {}
        self._judgements = dict(judgements)
        self._rejudge = rejudge
        self._colliders: set[VStructure] | None = v_structures(graph) if kind == "cpdag" else None
        self._stuck: set[Edge] = set()
        self._doubts: dict[Edge, Bar] = {}
        self._ranked = sorted(
            graph.undirected, key=lambda edge: (self._judgements[edge].place, edge)
        )
        self._rank = {edge: at for at, edge in enumerate(self._ranked, start=1)}

    def _record(
        self, edge: Edge, outcome: Outcome, tail: str | None = None, **told: object
    ) -> None:
        first, second = min(edge), max(edge)
        record = EdgeRecord(
            first,
            second,
            outcome,
            tail,
            self._judgements.get((first, second)),
            self._rank.get((first, second)),
        )
        self.records[first, second] = replace(record, **told)  # type: ignore[arg-type]

    def keep_given(
        self, knowledge: Knowledge, turned: Mapping[Edge, KnownDirection] | None = None
    ) -> None:
        """Record the edges that have a direction, and draw what follows from them.

        Parameters
        ----------
        knowledge : Knowledge
            Directions that are known.
        turned : mapping of (str, str) to KnownDirection, optional
            Edges that the graph had the other way round, which knowledge has turned.
        """
        cycle = directed_cycle(self.graph)
        if cycle is not None:
            raise InvalidGraphError(
                f"Directions of a graph must have no cycle, got {' -> '.join(cycle)}."
            )
        member = {
            (cause, middle): (first, middle, second)
            for first, middle, second in sorted(self._colliders or ())
            for cause in (first, second)
        }
        for tail, head in self.graph.directed:
            known = knowledge.direction(tail, head)
            if known is not None and known.tail != tail:
                raise InvalidKnowledgeError(
                    f"Knowledge must fit the graph, which has {tail} -> {head}, but {known.why}. "
                    "With overrule=True (--overrule) it turns the edge."
                )
            why = "" if known is None else known.why
            if (tail, head) in (turned or {}):
                self._record((tail, head), Outcome.KNOWLEDGE, tail, knowledge=why, overruled=True)
            elif (tail, head) in member:
                collider = member[tail, head]
                told = {"because": collider, "knowledge": why}
                self._record((tail, head), Outcome.V_STRUCTURE, tail, **told)
            else:
                self._record((tail, head), Outcome.GIVEN, tail, knowledge=why)
        if self._colliders is not None:
            found = draw_consequences(self.graph, self._colliders)
            self._note_implied(found.implied)
            for one in found.obstacles:
                # What was blocked at first may have followed the other way later on.
                if self.graph.is_undirected(one.tail, one.head):
                    other = self._trial(one.head, one.tail)
                    back = other if isinstance(other, Obstacle) else None
                    self._note_stuck((one.tail, one.head), one, back)

    def follow_knowledge(self, knowledge: Knowledge) -> None:
        """Orient the edges whose direction is known."""
        undirected = [*self.graph.undirected, *self.records]
        for first, second in sorted(undirected):
            known = knowledge.direction(first, second)
            if known is None:
                continue
            if self.graph.is_undirected(first, second):
                self._obey(known)
            elif not self.graph.is_directed(known.tail, known.head):
                raise InvalidKnowledgeError(
                    f"Knowledge must fit the graph: {known.why}, but "
                    f"{self.records[first, second].sentence}"
                )

    def _obey(self, known: KnownDirection) -> None:
        blocked = self._attempt(known.tail, known.head, Outcome.KNOWLEDGE, knowledge=known.why)
        if blocked is not None:
            made = _blocked((known.tail, known.head), blocked).told
            steps = {(min(step), max(step)) for step in pairwise(blocked.nodes)}
            others = [self.records[step] for step in sorted(steps) if step in self.records]
            reasons = [one.knowledge for one in others if one.outcome is Outcome.KNOWLEDGE]
            more = f", where {' and '.join(reasons)}" if reasons else ""
            raise InvalidKnowledgeError(
                f"Knowledge must fit the graph: {known.why}, but {made}{more}."
            )

    def follow_verdicts(self, policy: Policy) -> None:
        """Orient the edges by their verdicts, the most confident first."""
        for edge in self._ranked:
            if edge in self._stuck or not self.graph.is_undirected(*edge):
                continue
            if self._rejudge is not None:
                self._judgements[edge] = self._rejudge(edge, self.graph)
            judgement = self._judgements[edge]
            doubt = policy.doubt(judgement) if judgement.confidence else None
            if doubt is not None:
                self._doubts[edge] = doubt
            elif judgement.decided:
                self._follow(edge, judgement.confidence)

    def _follow(self, edge: Edge, confidence: float) -> None:
        first, second = edge
        tail, head = edge if confidence > 0.0 else (second, first)
        blocked = self._attempt(tail, head, Outcome.JUDGED)
        if blocked is None:
            return
        other = self._attempt(
            head,
            tail,
            Outcome.TURNED,
            because=blocked.nodes,
            obstacles=(_blocked((tail, head), blocked),),
        )
        if other is not None:
            self._note_stuck((tail, head), blocked, other)

    def complete(self) -> None:
        """Orient what was left open, by verdicts as far as there are any."""
        for edge in self._ranked:
            if not self.graph.is_undirected(*edge):
                continue
            judgement = self._judgements[edge]
            confidence, (first, second) = judgement.confidence, edge
            tail, head = edge if confidence >= 0.0 else (second, first)
            by = "verdict" if judgement.decided else "sign" if confidence else "alphabet"
            blocked = self._attempt(tail, head, Outcome.COMPLETED, completed_by=by)
            if blocked is None:
                continue
            told = {
                "completed_by": "obstacle",
                "because": blocked.nodes,
                "obstacles": (_blocked((tail, head), blocked),),
            }
            if self._attempt(head, tail, Outcome.COMPLETED, **told) is not None:
                raise InvalidGraphError(
                    f"No DAG has these edges and colliders: {first} - {second} is blocked either "
                    "way. Take kind='skeleton', or leave edges open."
                )

    def close(self) -> None:
        """Record what is still open, with what acyclicity alone compels."""
        for edge in self._ranked:
            if edge in self.records:
                continue
            if not self._compelled_by_path(edge):
                judgement = self._judgements[edge]
                outcome = Outcome.BORDERLINE if judgement.confidence else Outcome.ABSTAINED
                self._record(edge, outcome, below=self._doubts.get(edge))

    def check(self) -> None:
        """Make sure that nothing was broken: no cycle, no collider lost or new."""
        cycle = directed_cycle(self.graph)
        if cycle is not None:
            raise InvalidGraphError(f"Directions must have no cycle, got {' -> '.join(cycle)}.")
        if self._colliders is not None:
            for first, middle, second in sorted(v_structures(self.graph) ^ self._colliders):
                raise InvalidGraphError(
                    "Colliders must be those of the graph, but one is lost or new: "
                    f"{first} -> {middle} <- {second}."
                )

    def _compelled_by_path(self, edge: Edge) -> bool:
        for tail, head in (edge, edge[::-1]):
            blocked = obstacle(self.graph, tail, head, None)
            if blocked is None:
                continue
            other = obstacle(self.graph, head, tail, self._colliders)
            if other is not None:
                self._note_stuck((tail, head), blocked, other)
            else:
                self.graph.orient(head, tail)
                obstacles = (_blocked((tail, head), blocked),)
                self._note_forced(edge, head, because=blocked.nodes, obstacles=obstacles)
            return True
        return False

    def _attempt(self, tail: str, head: str, outcome: Outcome, **told: object) -> Obstacle | None:
        """Orient an edge with all that follows, unless something is in the way."""
        tried = self._trial(tail, head)
        if isinstance(tried, Obstacle):
            return tried
        self.graph, implied = tried
        self._record((tail, head), outcome, tail, **told)
        self._note_implied(implied)
        return None

    def _trial(
        self, tail: str, head: str
    ) -> tuple[PartialGraph, tuple[Implication, ...]] | Obstacle:
        """The graph with an edge oriented and all that follows, or what is in the way."""
        blocked = obstacle(self.graph, tail, head, self._colliders)
        if blocked is not None:
            return blocked
        trial = self.graph.copy()
        trial.orient(tail, head)
        if self._colliders is None:
            return trial, ()
        found = draw_consequences(trial, self._colliders, after=(tail, head), stuck=self._stuck)
        return found.obstacles[0] if found.obstacles else (trial, found.implied)

    def _note_implied(self, implied: tuple[Implication, ...]) -> None:
        for one in implied:
            edge = (one.tail, one.head)
            self._note_forced(edge, one.tail, rule=one.rule, because=one.because)

    def _note_forced(self, edge: Edge, tail: str, **told: object) -> None:
        """Record an edge as turned if its verdict says otherwise, as compelled if not."""
        first, second = min(edge), max(edge)
        judgement = self._judgements[first, second]
        agrees = not judgement.decided or (judgement.confidence > 0.0) == (tail == first)
        self._record(edge, Outcome.COMPELLED if agrees else Outcome.TURNED, tail, **told)

    def _note_stuck(self, edge: Edge, blocked: Obstacle, other: Obstacle | None) -> None:
        """Record an edge as blocked both ways: as it is handed in, and turned."""
        self._stuck.add((min(edge), max(edge)))
        obstacles = (_blocked(edge, blocked), _blocked(edge[::-1], other))
        self._record(edge, Outcome.BLOCKED, because=blocked.nodes, obstacles=obstacles)


def _blocked(edge: Edge, found: Obstacle | None) -> Blocked:
    """A direction of an edge with what is in its way: None for Meek's rules."""
    if found is None:
        return Blocked(edge, "rules")
    own = (found.tail, found.head) == edge
    return Blocked(edge, found.kind, found.nodes, None if own else (found.tail, found.head))
