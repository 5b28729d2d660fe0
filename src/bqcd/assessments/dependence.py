"""Dependence of a ranked pair: whether there is a link at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.ranks import RankedPair, ranks_of
from bqcd.methods.discrete import MAX_LEVELS, level_table
from bqcd.statistics.dependence.ranks import RankDependence, tied_dependence, untied_dependence
from bqcd.statistics.discrete.regression import independence_p_value

# A p-value above this is no evidence of a link.
NO_EVIDENCE = 0.05


@dataclass(frozen=True, slots=True)
class Dependence:
    """Whether there is a link at all.

    Parameters
    ----------
    spearman : float
        Rank correlation; 0 where a column has no order.
    strength : float
        Largest correlation between cubic polynomials of the ranks, from 0 to 1; Cramér's V where a
        column has no order.
    p_value : float
        Of independence, by the correlations of polynomials of the ranks, or of the table of levels.
    rows : float or None, default=None
        Independent rows that the p-value counts; None for all rows.
    """

    spearman: float
    strength: float
    p_value: float
    rows: float | None = None


def dependence_of(pair: Pair | VectorPair, *, rows: float | None = None) -> Dependence:
    """Whether the columns of a pair depend on each other.

    Groups of columns do if any column of the one depends on any of the other.

    Parameters
    ----------
    pair : Pair or VectorPair
        Two columns, or groups of them.
    rows : float, optional
        Independent rows that its rows are worth, by which the p-value goes. Default: all are.

    Examples
    --------
    >>> import numpy as np
    >>> found = dependence_of(Pair(np.arange(40.0), -np.arange(40.0)))
    >>> round(found.spearman, 2), found.p_value < 1e-6
    (-1.0, True)
    """
    if isinstance(pair, VectorPair):
        return strongest(dependence_of(columns, rows=rows) for columns in pair.column_pairs())
    if pair.nominal:
        return _level_dependence(pair, rows)
    found = pair_dependence(ranks_of(pair), rows=rows)
    return Dependence(
        float(found.spearman[0]), float(found.strength[0]), float(found.p_value[0]), rows
    )


def _level_dependence(pair: Pair, rows: float | None) -> Dependence:
    """Dependence of levels: Cramér's V and the chi-squared test; there is no rank correlation."""
    table = level_table(pair, MAX_LEVELS).astype(np.float64)
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    statistic = float((np.square(table) / expected).sum() - n)
    strength = sqrt(min(1.0, max(0.0, statistic / (n * (min(table.shape) - 1)))))
    counted = table if rows is None else table * (rows / n)
    return Dependence(0.0, strength, independence_p_value(counted), rows)


def strongest(found: Iterable[Dependence]) -> Dependence:
    """The dependence of the smallest p-value, times how many were looked at (Bonferroni).

    Parameters
    ----------
    found : iterable of Dependence
        Of pairs of columns, one or more.

    Examples
    --------
    >>> strongest([Dependence(0.1, 0.2, 0.04), Dependence(-0.4, 0.5, 0.01)])
    Dependence(spearman=-0.4, strength=0.5, p_value=0.02, rows=None)
    """
    each = list(found)
    first = min(each, key=lambda one: (one.p_value, -one.strength))
    return replace(first, p_value=min(1.0, len(each) * first.p_value))


def pair_dependence(ranked: RankedPair, *, rows: float | None = None) -> RankDependence:
    """Rank correlation, strength and p-value of a pair, whatever the order of rows and columns.

    Parameters
    ----------
    ranked : RankedPair
        Two columns.
    rows : float, optional
        As in :func:`dependence_of`.

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
        return untied_dependence(ranked.inverse[None], rows=rows)
    assert ranked.ties is not None
    return tied_dependence(*ranked.ties.codes(), rows=rows)
