"""Dependence of a ranked pair: whether there is a link at all."""

from __future__ import annotations

from dataclasses import dataclass

from bqcd.data.pair import Pair
from bqcd.discovery.ranks import RankedPair, ranks_of
from bqcd.statistics.dependence.ranks import RankDependence, tied_dependence, untied_dependence


@dataclass(frozen=True, slots=True)
class Dependence:
    """Whether there is a link at all.

    Parameters
    ----------
    spearman : float
        Rank correlation.
    strength : float
        Largest correlation between cubic polynomials of the ranks, from 0 to 1.
    p_value : float
        Of independence, by the correlations of polynomials of the ranks.
    """

    spearman: float
    strength: float
    p_value: float


def dependence_of(pair: Pair) -> Dependence:
    """Whether the columns of a pair depend on each other.

    Examples
    --------
    >>> import numpy as np
    >>> found = dependence_of(Pair(np.arange(40.0), -np.arange(40.0)))
    >>> round(found.spearman, 2), found.p_value < 1e-6
    (-1.0, True)
    """
    found = pair_dependence(ranks_of(pair))
    return Dependence(float(found.spearman[0]), float(found.strength[0]), float(found.p_value[0]))


def pair_dependence(ranked: RankedPair) -> RankDependence:
    """Rank correlation, strength and p-value of a pair, whatever the order of rows and columns.

    Examples
    --------
    >>> import numpy as np
    >>> from bqcd.discovery.ranks import rank_pair
    >>> x = np.arange(40.0)
    >>> found = pair_dependence(rank_pair(x, -x))
    >>> found.spearman.round(2), bool(found.p_value[0] < 1e-6)
    (array([-1.]), True)
    """
    if ranked.inverse is not None:
        return untied_dependence(ranked.inverse[None])
    assert ranked.ties is not None
    return tied_dependence(*ranked.ties.codes())
