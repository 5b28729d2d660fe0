"""What became of each edge, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from bqcd.graphs.ends import Ends, edge_words
from bqcd.graphs.orienting.frequencies import EdgeFrequency
from bqcd.graphs.partial import Edge
from bqcd.methods.answers import BARS, Answer
from bqcd.methods.verdict import Choice
from bqcd.runtime.shown import shown


class Outcome(StrEnum):
    """How an edge was settled."""

    GIVEN = "given"
    LEARNT = "learnt"
    V_STRUCTURE = "v-structure"
    KNOWLEDGE = "knowledge"
    JUDGED = "judged"
    COMPELLED = "compelled"
    TURNED = "turned"
    COMPLETED = "completed"
    BORDERLINE = "borderline"
    ABSTAINED = "abstained"
    BLOCKED = "blocked"
    EXCLUDED = "excluded"

    @property
    def is_open(self) -> bool:
        """Whether the edge was left without a direction."""
        return self in (Outcome.BORDERLINE, Outcome.ABSTAINED, Outcome.BLOCKED, Outcome.EXCLUDED)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on one edge.

    Parameters
    ----------
    confidence : float
        Positive if the alphabetically first node is the cause of the second, zero where the
        method abstains.
    share : float or None
        Share of random halves of the rows with the same sign, as in
        :class:`bqcd.assessments.stability.Stability`; None where none were drawn.
    message : str
        Why there is no verdict, where there is none.
    n_rows : int
        Rows that were judged; zero where that is not known.
    seed : int or None, default=None
        What the method and the halves were seeded with, see
        :func:`~bqcd.graphs.orienting.edges.edge_seed`; None where that is not known.
    answer : {"clear", "leaning", "cannot tell"}, default="leaning"
        What the verdict allows to say of the direction.
    forced : bool, default=False
        Whether the sign of the confidence counts though the direction cannot be told.
    probability : float or None, default=None
        Of the direction, as the method claims it or :func:`bqcd.assess` gives it.
    limit : float or None, default=None
        Size of the confidence that is common where no direction exists, which it must exceed
        where there is no probability; None if that is not known.
    choice : Choice or None, default=None
        What method was picked for the columns, and why; None if one was asked for.
    """

    confidence: float
    share: float | None = None
    message: str = ""
    n_rows: int = 0
    seed: int | None = None
    answer: Answer = "leaning"
    forced: bool = False
    probability: float | None = None
    limit: float | None = None
    choice: Choice | None = None

    @property
    def place(self) -> tuple[int, float]:
        """What edges are ranked by, smallest first: the size of the confidence, largest first.

        Where a method was picked for each edge, confidences have scales of their own, and count in
        units of what they must exceed. Edges of which that is not known come after the others.
        """
        size = abs(self.confidence)
        if not size:
            return 2, 0.0
        if self.choice is None:
            return 0, -size
        bar = self.limit if self.probability is None else 2.0 * BARS.leaning - 1.0
        return (1, -size) if bar is None else (0, -size / bar)

    @property
    def told(self) -> Answer:
        """What may be said of the direction; nothing where the method abstains."""
        return self.answer if self.confidence else "cannot tell"

    @property
    def decided(self) -> bool:
        """Whether there is a direction to follow."""
        return self.confidence != 0.0 and (self.forced or self.told != "cannot tell")


@dataclass(frozen=True, slots=True)
class Blocked:
    """A direction that cannot be, and what is in its way.

    Parameters
    ----------
    tried : tuple of str
        Cause and effect.
    kind : {"cycle", "collider", "rules", "ends"}
        What it would make, or that it contradicts Meek's rules, or ends that the edge has.
    nodes : tuple of str
        Path of the cycle, or the collider.
    compels : tuple of str or None
        The edge that it would compel, if that one is blocked and not the edge itself.
    """

    tried: Edge
    kind: Literal["cycle", "collider", "rules", "ends"]
    nodes: tuple[str, ...] = ()
    compels: Edge | None = None

    @property
    def made(self) -> str:
        """What the direction would make, after "would".

        Examples
        --------
        >>> Blocked(("a", "b"), "collider", ("a", "b", "c")).made
        'make a new collider a -> b <- c'
        """
        detour = "" if self.compels is None else f"compel {' -> '.join(self.compels)}, which would "
        if self.kind == "cycle":
            return f"{detour}close a cycle with the path {' -> '.join(self.nodes)}"
        first, middle, second = self.nodes
        return f"{detour}make a new collider {first} -> {middle} <- {second}"

    @property
    def told(self) -> str:
        """Why the direction cannot be, for a sentence or an error."""
        arrow = " -> ".join(self.tried)
        if self.kind == "rules":
            return f"{arrow} contradicts Meek's rules"
        if self.kind == "ends":
            return f"{arrow} contradicts the ends that the graph has"
        return f"{arrow} would {self.made}"


@dataclass(frozen=True, slots=True)
class Bar:
    """What a verdict did not reach.

    Parameters
    ----------
    of : {"confidence", "share", "answer"}
        What was too small; the answer if the direction cannot be told.
    limit : float or None
        What it had to be; None for a bar that can be moved, and for the answer.
    """

    of: Literal["confidence", "share", "answer"]
    limit: float | None


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """One edge of the input: what became of it and why.

    Parameters
    ----------
    first, second : str
        Its nodes, in alphabetical order.
    outcome : Outcome
        How it was settled.
    tail : str or None
        The cause; None if the edge was left open.
    judgement : Judgement or None
        The verdict on the pair; None where none was asked for.
    rank : int or None
        Place among the judged edges by size of the confidence, from 1.
    rule : int or None
        Meek's rule that compelled it.
    because : tuple of str
        Nodes of the path or collider that blocked a direction, or that the rule refers to.
    obstacles : tuple of Blocked
        What the other direction, or both, would have made.
    knowledge : str
        The statement that it follows from.
    below : Bar or None
        What its verdict did not reach.
    completed_by : {"", "verdict", "sign", "alphabet", "obstacle"}
        What a direction was completed by.
    overruled : bool, default=False
        Whether the graph had it the other way round, and knowledge has turned it.
    frequency : EdgeFrequency or None, default=None
        What became of it on sub-samples; None where none were drawn.
    ends : (str, str) or None, default=None
        Marks at both nodes, of an edge of a PAG; None of other graphs.
    learner : str, default=""
        What learnt the direction that the graph came with; empty where it was given.
    """

    first: str
    second: str
    outcome: Outcome
    tail: str | None = None
    judgement: Judgement | None = None
    rank: int | None = None
    rule: int | None = None
    because: tuple[str, ...] = ()
    obstacles: tuple[Blocked, ...] = ()
    knowledge: str = ""
    below: Bar | None = None
    completed_by: Literal["", "verdict", "alphabet", "obstacle"] = ""
    overruled: bool = False
    frequency: EdgeFrequency | None = None
    ends: Ends | None = None
    learner: str = ""

    @property
    def head(self) -> str | None:
        """The effect; None if the edge was left open."""
        if self.tail is None:
            return None
        return self.second if self.tail == self.first else self.first

    @property
    def blocked(self) -> str:
        """What the other direction would have made; empty if nothing was in its way."""
        kind = self.obstacles[0].kind if self.obstacles else "rules"
        return kind if kind in ("cycle", "collider") else ""

    @property
    def edge(self) -> Edge:
        """Both nodes in alphabetical order."""
        return self.first, self.second

    @property
    def confidence(self) -> float | None:
        """Confidence of the verdict, positive for first -> second."""
        return None if self.judgement is None else self.judgement.confidence

    @property
    def support(self) -> float | None:
        """Confidence in the direction that came out: negative if the verdict was overruled.

        Of an edge left open, in that from the first to the second node.
        """
        if self.confidence is None or self.tail in (None, self.first):
            return self.confidence
        return 0.0 - self.confidence

    @property
    def verdict(self) -> Edge | None:
        """Cause and effect as the pair alone was judged; None where that cannot be told."""
        if self.judgement is None or not self.judgement.decided:
            return None
        return self.edge if self.judgement.confidence > 0.0 else (self.second, self.first)

    @property
    def strength(self) -> Literal["clear", "leaning", "borderline"] | None:
        """How sure a learnt direction is: as sure as the pair alone, if that says the same.

        A learner has no probability of its own, so what the pair does not confirm is borderline.
        None where nothing was judged, or the direction was not learnt or is known.
        """
        judgement = self.judgement
        if judgement is None or not self.learner or self.knowledge:
            return None
        if judgement.told == "cannot tell" or self.verdict != (self.tail, self.head):
            return "borderline"
        return judgement.told

    @property
    def arrow(self) -> str:
        """The edge as it came out, e.g. ``PKC -> PKA``, ``PKA - PKC`` or ``PKA o-> PKC``."""
        if self.ends is not None:
            return edge_words(self.first, self.second, self.ends)
        if self.tail is None:
            return f"{self.first} - {self.second}"
        return f"{self.tail} -> {self.head}"

    @property
    def sentence(self) -> str:
        """What became of the edge and why, in one sentence."""
        return str(shown(self, "sentence"))
