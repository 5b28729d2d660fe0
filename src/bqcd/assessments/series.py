"""How many independent rows a series is worth, also where its rows are sorted by a column."""

from __future__ import annotations

from math import sqrt

import numpy as np

from bqcd.data.pair import Pair
from bqcd.statistics.conditional_scores import conditional_scores
from bqcd.statistics.dependence.autocorrelation import (
    autocorrelation,
    effective_rows,
    is_monotone,
    serial_dependence,
)

# Sorted values are told apart if this share of them is distinct, and an autocorrelation is none
# up to this many deviations.
_MOSTLY_DISTINCT, _BEYOND_CHANCE = 0.9, 3.0


def serial_rows(pair: Pair) -> float:
    """Independent rows that rows in their order are worth, as far as the link is concerned.

    Where rows are sorted by a column, what that column leaves of the other one is looked at:
    neighbours are alike in it if the rows are a series, and not if they were merely sorted.

    Parameters
    ----------
    pair : Pair
        Two columns in the order of their rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> time, noise = np.arange(500.0), rng.normal(size=500)
    >>> serial_rows(Pair(time, np.sin(time / 100.0) + noise)) > 400
    True
    >>> serial_rows(Pair(time, noise.cumsum())) < 100
    True
    """
    serial = serial_dependence(pair.x, pair.y)
    if not serial.is_sorted:
        return serial.effective_rows
    by, other = (pair.x, pair.y) if is_monotone(pair.x) else (pair.y, pair.x)
    n = len(pair)
    if len(np.unique(by)) < _MOSTLY_DISTINCT * n:
        # The order within equal values may be that of the other column.
        return float(n)
    [left] = conditional_scores([other], [by])
    if autocorrelation(left) < _BEYOND_CHANCE / sqrt(n):
        return float(n)
    return effective_rows(left)
