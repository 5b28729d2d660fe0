"""What is left of a claimed probability by what the two columns show, without halves of the rows.

A scan asks this of every pair whose method claims a probability, and an assessment limits its
probability by the same rules. Two things it cannot know: what other columns make of the link, for
which it would need the table, and whether halves drawn by unit vary more than the link tells,
where rows belong together. Both can only leave less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from bqcd.assessments.claims import claimed_by_method
from bqcd.assessments.limits import limits_of
from bqcd.assessments.links import link_of
from bqcd.assessments.units import found_units
from bqcd.methods.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Held:
    """Why a pair has no larger probability.

    Parameters
    ----------
    code : str
        What leaves the least: that of a :class:`~bqcd.assessments.limits.Limit`, or the kind of
        units if rows belong together and are worth fewer.
    most : float
        The largest probability that is left.
    """

    code: str
    most: float


def held_back(verdict: Verdict) -> Held | None:
    """What holds back the claim of a verdict; None if nothing does.

    Parameters
    ----------
    verdict : Verdict
        Of a method that claims probabilities, on the rows in their order.

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
    least = min(limits, key=lambda limit: limit.most, default=None)
    if least is not None and least.most < claimed:
        return Held(least.code, least.most)
    return Held(units.kind, claimed) if units is not None and claimed < whole else None
