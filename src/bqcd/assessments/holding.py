"""What is left of a claimed probability by what columns show, without halves of the rows.

A scan asks this of every pair whose method claims a probability, and an assessment limits its
probability by the same rules. One thing it cannot know: whether halves drawn by unit vary more than
the link tells, where rows belong together. That can only leave less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from bqcd.assessments.claims import claimed_by_method
from bqcd.assessments.limits import Limit, limits_beside, limits_of
from bqcd.assessments.links import link_of
from bqcd.assessments.separation import PairNeighbours
from bqcd.assessments.units import found_units
from bqcd.data.pair import Direction
from bqcd.methods.answers import BARS
from bqcd.methods.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Held:
    """Why a pair has no larger probability.

    Parameters
    ----------
    code : str
        What leaves the least: that of a :class:`~bqcd.assessments.limits.Limit`, or the kind of
        units if rows belong together and are worth fewer; empty if nothing does.
    most : float
        The largest probability that is left.
    """

    code: str
    most: float


STAYS = Held("", 1.0)
"""Nothing holds back the claim of a pair, but that there is one is told."""


def held_back(verdict: Verdict, beside: PairNeighbours | None = None) -> Held | None:
    """What holds back the claim of a verdict; None if nothing does.

    Parameters
    ----------
    verdict : Verdict
        Of a method that claims probabilities, on the rows in their order.
    beside : PairNeighbours, optional
        Other columns of the table. They are looked at where a direction would be told.

    Examples
    --------
    >>> import numpy as np
    >>> from bqcd.methods.decide import decide
    >>> x = np.random.default_rng(0).gamma(2.0, size=300)
    >>> held_back(decide(x, np.log(x).round(2), method="panel"))
    Held(code='derived', most=0.5)
    """
    pair = verdict.seen_pair
    units = found_units(pair)
    link = link_of(pair, units)
    chance = partial(claimed_by_method, worth=link.rows)
    claimed, whole = chance(verdict), claimed_by_method(verdict, None)
    limits = limits_of(verdict, claimed, chance, link=link, units=units)
    least = _least(limits)
    left = claimed if least is None else min(claimed, least.most)
    if beside is not None and left >= BARS.leaning:
        looked = beside.look(verdict, sign=Direction.of(verdict.confidence).sign)
        least = _least((*limits, *limits_beside(looked.separator, looked.alike)))
    if least is not None and least.most < claimed:
        return Held(least.code, least.most)
    return Held(units.kind, claimed) if units is not None and claimed < whole else None


def _least(limits: tuple[Limit, ...]) -> Limit | None:
    return min(limits, key=lambda limit: limit.most, default=None)
