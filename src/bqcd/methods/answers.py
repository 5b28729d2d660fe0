"""What may be said of a direction: clear, leaning, or that it cannot be told.

Every output follows this one rule: headlines, sentences, tables, pages and graphs. What a
method would say if it had to is the sign of the confidence, and no more than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bqcd.errors import InvalidSettingError
from bqcd.runtime.settings import check_number

Answer = Literal["clear", "leaning", "cannot tell"]

ANSWERS: tuple[Answer, ...] = ("clear", "leaning", "cannot tell")
"""All answers, the surest first."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Least probabilities of the answers.

    Parameters
    ----------
    clear, leaning : float
        Least probability of the direction; below ``leaning`` it cannot be told.
    """

    clear: float = 0.8
    leaning: float = 0.65

    def __post_init__(self) -> None:
        """Refuse bars that are no probabilities, or out of order."""
        check_number("Bars", "leaning", self.leaning, above=0.5, at_most=1.0)
        check_number("Bars", "clear", self.clear, above=0.5, at_most=1.0)
        if self.leaning > self.clear:
            raise InvalidSettingError(
                f"leaning of Bars must be at most clear, {self.clear!r}, got {self.leaning!r}."
            )

    def raised(self, least: float | None) -> Bars:
        """Bars below which nothing is told that is less likely than what is asked for.

        They are never lowered: the words keep their meaning.

        Parameters
        ----------
        least : float or None
            Least probability that is asked for; None if nothing is.

        Examples
        --------
        >>> BARS.raised(0.9), BARS.raised(0.6) == BARS
        (Bars(clear=0.9, leaning=0.9), True)
        """
        least = 0.0 if least is None else least
        return Bars(clear=max(self.clear, least), leaning=max(self.leaning, least))


BARS = Bars()
"""The bars in force."""


def answer_by_probability(probability: float, bars: Bars = BARS) -> Answer:
    """Answer for a direction of some probability.

    Parameters
    ----------
    probability : float
        That the direction is right.
    bars : Bars
        What it must reach.

    Examples
    --------
    >>> [answer_by_probability(p) for p in (0.5, 0.7, 0.9)]
    ['cannot tell', 'leaning', 'clear']
    """
    if probability >= bars.clear:
        return "clear"
    return "leaning" if probability >= bars.leaning else "cannot tell"


def answer_by_size(confidence: float, limit: float | None) -> Answer:
    """Answer for a confidence without a probability: never more than leaning.

    Parameters
    ----------
    confidence : float
        Of the verdict.
    limit : float or None
        Size that is common where no direction exists; None if that was never measured.

    Examples
    --------
    >>> answer_by_size(0.02, 0.004), answer_by_size(-0.002, 0.004)
    ('leaning', 'cannot tell')
    """
    return "leaning" if abs(confidence) > (limit or 0.0) else "cannot tell"


def weaker_answer(one: Answer, other: Answer) -> Answer:
    """The one of two answers that says less.

    Examples
    --------
    >>> weaker_answer("clear", "leaning")
    'leaning'
    """
    return max(one, other, key=ANSWERS.index)
