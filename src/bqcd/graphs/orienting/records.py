"""What became of each edge, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bqcd.graphs.partial import Edge
from bqcd.runtime.shown import shown


class Outcome(StrEnum):
    """How an edge was settled."""

    GIVEN = "given"
    V_STRUCTURE = "v-structure"
    KNOWLEDGE = "knowledge"
    JUDGED = "judged"
    COMPELLED = "compelled"
    TURNED = "turned"
    COMPLETED = "completed"
    BORDERLINE = "borderline"
    ABSTAINED = "abstained"
    BLOCKED = "blocked"

    @property
    def is_open(self) -> bool:
        """Whether the edge was left without a direction."""
        return self in (Outcome.BORDERLINE, Outcome.ABSTAINED, Outcome.BLOCKED)


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
    """

    confidence: float
    share: float | None = None
    message: str = ""
    n_rows: int = 0
    seed: int | None = None


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
    blocked : {"", "cycle", "collider"}
        What the other direction, or both, would have made.
    why : str
        What else there is to say, such as the statement of knowledge.
    """

    first: str
    second: str
    outcome: Outcome
    tail: str | None = None
    judgement: Judgement | None = None
    rank: int | None = None
    rule: int | None = None
    because: tuple[str, ...] = ()
    blocked: str = ""
    why: str = ""

    @property
    def head(self) -> str | None:
        """The effect; None if the edge was left open."""
        if self.tail is None:
            return None
        return self.second if self.tail == self.first else self.first

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
        """Cause and effect as the pair alone was judged; None where it was not decided."""
        if not self.confidence:
            return None
        return self.edge if self.confidence > 0.0 else (self.second, self.first)

    @property
    def arrow(self) -> str:
        """The edge as it came out, e.g. ``PKC -> PKA`` or ``PKA - PKC``."""
        if self.tail is None:
            return f"{self.first} - {self.second}"
        return f"{self.tail} -> {self.head}"

    @property
    def sentence(self) -> str:
        """What became of the edge and why, in one sentence."""
        return str(shown(self, "sentence"))


def obstacle_words(kind: str, nodes: tuple[str, ...]) -> str:
    """What a direction would make, after "would".

    Examples
    --------
    >>> obstacle_words("collider", ("a", "b", "c"))
    'make a new collider a -> b <- c'
    """
    if kind == "cycle":
        return f"close a cycle with the path {' -> '.join(nodes)}"
    first, middle, second = nodes
    return f"make a new collider {first} -> {middle} <- {second}"
