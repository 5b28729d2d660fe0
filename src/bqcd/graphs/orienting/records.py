"""What became of each edge, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bqcd.graphs.partial import Edge


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
        return f"{self.arrow}: {_REASONS[self.outcome](self)}."


def _verdict_words(record: EdgeRecord) -> str:
    judgement = record.judgement
    if judgement is None:
        return ""
    if record.verdict is None:
        return judgement.message or "the method abstained"
    return f"{record.verdict[0]} -> {record.verdict[1]} {_strength_words(record)}"


def _strength_words(record: EdgeRecord) -> str:
    judgement = record.judgement
    if judgement is None:
        return ""
    words = f"with confidence {abs(judgement.confidence):.3g}"
    if record.rank is not None:
        words += f", rank {record.rank}"
    if judgement.share is not None:
        words += f", {judgement.share:.0%} of replicates"
    return words


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


def _rule_words(record: EdgeRecord) -> str:
    because = " and ".join(record.because)
    if record.rule is None:
        made = obstacle_words(record.blocked, record.because)
        return f"compelled, as the other direction would {made}"
    return f"compelled by Meek's rule {record.rule} through {because}"


def _with_verdict(words: str, record: EdgeRecord) -> str:
    return f"{words}; the pair alone says {_verdict_words(record)}" if record.verdict else words


def _turned(record: EdgeRecord) -> str:
    if record.rule is not None:
        reason = f"it is {_rule_words(record)}"
    else:
        reason = f"that would {record.why}{obstacle_words(record.blocked, record.because)}"
    return f"turned against its verdict {_verdict_words(record)}, because {reason}"


def _completed(record: EdgeRecord) -> str:
    words = f"completed to a full DAG, {record.why}"
    if record.verdict == (record.tail, record.head):
        return f"{words} {_strength_words(record)}"
    return _with_verdict(words, record)


def _borderline(record: EdgeRecord) -> str:
    return f"left open as borderline: {_verdict_words(record)}; {record.why}"


_REASONS: Mapping[Outcome, Callable[[EdgeRecord], str]] = {
    Outcome.GIVEN: lambda record: "given in the graph",
    Outcome.V_STRUCTURE: lambda record: (
        f"given in the graph, part of the v-structure {record.because[0]} -> "
        f"{record.because[1]} <- {record.because[2]}"
    ),
    Outcome.KNOWLEDGE: lambda record: _with_verdict(f"known, as {record.why}", record),
    Outcome.JUDGED: lambda record: f"judged {_strength_words(record)}",
    Outcome.COMPELLED: lambda record: _with_verdict(_rule_words(record), record),
    Outcome.TURNED: _turned,
    Outcome.COMPLETED: _completed,
    Outcome.BORDERLINE: _borderline,
    Outcome.ABSTAINED: lambda record: f"left open: {_verdict_words(record)}",
    Outcome.BLOCKED: lambda record: f"left open, as either direction is blocked: {record.why}",
}
