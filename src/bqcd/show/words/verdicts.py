"""A verdict in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.data.weights import Weighting
from bqcd.errors import shortened
from bqcd.methods.verdict import Choice, Verdict, tells
from bqcd.show.words import ASSUMPTIONS, joined, shown_name
from bqcd.show.words.strengths import strength

if TYPE_CHECKING:
    from bqcd.assessments import Assessment

UNASSESSED = (
    "What is known to mislead has not been looked at, which assess does: by itself a verdict is "
    "leaning at most."
)
"""Said of a probability that nothing has limited."""


_BY_COARSENESS = (
    "No direction is told by this method: of most simulated pairs without any it says one, often "
    "by which column has fewer values. The method auto tells one where that was measured to be "
    "right."
)


def headline(verdict: Verdict) -> str:
    """The answer in one line, e.g. ``income -> food (leaning, confidence +0.0123)``."""
    x, y = shown_name(verdict.pair.x_name), shown_name(verdict.pair.y_name)
    size = f"{verdict.answer}, confidence {verdict.confidence:+.4g}"
    return f"{x} {verdict.direction.value} {y} ({size})"


def answer_sentence(answered: Verdict | Assessment, pair: Pair | VectorPair, numbers: str) -> str:
    """The answer in a sentence that can be quoted.

    Parameters
    ----------
    answered : Verdict or Assessment
        What has an answer.
    pair : Pair or VectorPair
        The two columns, or groups of them.
    numbers : str
        What it rests on, in brackets.
    """
    if answered.cause is None or answered.effect is None:
        return _untold(pair, numbers)
    cause, effect = shortened(answered.cause), shortened(answered.effect)
    if answered.answer == "clear":
        return f"{cause!r} looks like the cause of {effect!r} {numbers}."
    return f"The data lean towards {cause!r} as the cause of {effect!r} {numbers}."


def _untold(pair: Pair | VectorPair, numbers: str) -> str:
    x, y = shortened(pair.x_name), shortened(pair.y_name)
    return f"Which of {x!r} and {y!r} is the cause cannot be told from these data {numbers}."


def explanation(verdict: Verdict) -> str:
    """What was found, how strong it is, and what it assumes."""
    claimed = verdict.probability is not None and verdict.answer == "leaning"
    return joined(statement(verdict), UNASSESSED if claimed else "", ASSUMPTIONS)


def statement(verdict: Verdict, *, told: bool = True) -> str:
    """What was found and how strong it is, without assumptions.

    Parameters
    ----------
    verdict : Verdict
        What was found.
    told : bool, default=True
        Whether the direction is told, if the verdict has one.
    """
    return joined(
        _finding(verdict, told=told),
        choice_words(verdict.choice),
        weighted_rows(verdict.weighting),
        strength_of(verdict),
    )


def choice_words(choice: Choice | None) -> str:
    """Why a method was picked, and why nothing is told if so; empty if it was asked for.

    Examples
    --------
    >>> choice_words(Choice("bqcd", "many values"))
    'bqcd was picked as both columns have an order and many values.'
    """
    if choice is None:
        return ""
    why = {
        "many values": "both columns have an order and many values",
        "few values": "both columns have an order, and one has few values",
        "no order": "neither column has an order",
        "mixed": "one column has no order",
        "groups": "a side is a group of columns",
    }[choice.reason]
    return f"{choice.method} was picked as {why}. {choice.why_withheld}".rstrip()


def strength_of(verdict: Verdict) -> str:
    """How strong the confidence is, and whether it counts at all; nothing if that is not known."""
    told = strength(verdict.evidence, verdict.confidence)
    if verdict.choice is not None or tells(verdict.method):
        return told
    return joined(told, _BY_COARSENESS)


def rows_used(verdict: Verdict) -> str:
    """Rows that were judged and left out, for a sentence."""
    rows = f"{verdict.n_rows:,} rows"
    if verdict.dropped_rows:
        rows += f", {verdict.dropped_rows:,} more left out for missing values"
    return rows


def weighted_rows(weighting: Weighting | None) -> str:
    """How rows were weighted; nothing if all count the same."""
    if weighting is None:
        return ""
    return (
        f"The rows are weighted by {weighting.name!r}, which makes them worth about "
        f"{weighting.effective_rows:,.0f} equally weighted ones: {weighting.draws} draws of "
        f"{weighting.draw_rows:,} rows, with chances in proportion to the weights, were judged "
        "and averaged."
    )


def _finding(verdict: Verdict, *, told: bool = True) -> str:
    numbers = (
        f"({verdict.name or 'method'}, confidence {verdict.confidence:+.4g}, {rows_used(verdict)})"
    )
    pair = verdict.pair
    return answer_sentence(verdict, pair, numbers) if told else _untold(pair, numbers)
