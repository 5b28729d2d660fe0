"""Dependence of a ranked pair: whether there is a link at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.ranks import RankedPair
from bqcd.statistics.dependence.ranks import RankDependence, tied_dependence, untied_dependence

Order = NDArray[np.int32]


def pair_dependence(ranked: RankedPair) -> RankDependence:
    """Rank correlation, strength and p-value of a pair, whatever the order of rows and columns.

    Examples
    --------
    >>> from bqcd.discovery.ranks import rank_pair
    >>> x = np.arange(40.0)
    >>> found = pair_dependence(rank_pair(x, -x))
    >>> found.spearman.round(2), bool(found.p_value[0] < 1e-6)
    (array([-1.]), True)
    """
    if ranked.inverse is not None:
        return untied_dependence(ranked.inverse[None])
    ties = ranked.ties
    assert ties is not None
    first, second = np.empty((2, len(ties.first)), dtype=np.int32)
    first[ties.first] = _codes(ties.first_starts)
    second[ties.second] = _codes(ties.second_starts)
    return tied_dependence(first, second)


def _codes(starts: Order) -> Order:
    """Number of the value at each place in order."""
    return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
