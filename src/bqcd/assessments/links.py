"""Whether two columns depend on each other, counting the rows that dependent ones are worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bqcd.assessments.dependence import Dependence, dependence_of, strongest
from bqcd.assessments.series import serial_rows
from bqcd.assessments.units import Units
from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Numbers, Vector
from bqcd.statistics.dependence.autocorrelation import serial_dependence


def link_rows(pair: Pair, units: Units | None) -> float | None:
    """Independent rows by which the link of two columns is tested; None if all rows are.

    Rows of units whose means differ by shares r and s of the variance of the two columns are
    worth n / (1 + (m - 1) r s), where m is the size of the unit of a row in the mean.

    Parameters
    ----------
    pair : Pair
        Two columns.
    units : Units or None
        Which rows belong together.
    """
    # Rows along a sharp curve look like clumps, and their link is plain.
    if units is None or units.kind == "clumps":
        return None
    if units.kind == "blocks":
        return serial_rows(pair)
    size = len(pair) / units.equal_count
    shares = [max(0.0, _share_between(units.numbers, column)) for column in (pair.x, pair.y)]
    return len(pair) / (1.0 + (size - 1.0) * min(1.0, shares[0] * shares[1]))


def link_of(pair: Pair | VectorPair, units: Units | None) -> Dependence:
    """Whether two columns depend on each other, by the rows that these are worth.

    Series are also asked whether their steps from row to row go together: those of unrelated
    walks do not. The smaller of both p-values counts twice.

    Parameters
    ----------
    pair : Pair or VectorPair
        Two columns, or groups of them, in the order of their rows.
    units : Units or None
        Which rows belong together.

    Examples
    --------
    >>> from bqcd.assessments.units import found_units
    >>> walks = np.random.default_rng(0).normal(size=(2, 500)).cumsum(axis=1)
    >>> pair = Pair(*walks)
    >>> dependence_of(pair).p_value < 1e-6, link_of(pair, found_units(pair)).p_value > 0.05
    (True, True)
    """
    if isinstance(pair, VectorPair):
        return strongest(link_of(columns, units) for columns in pair.column_pairs())
    found = dependence_of(pair, rows=link_rows(pair, units))
    if units is None or units.kind != "blocks" or pair.nominal:
        return found
    try:
        steps = Pair(np.diff(pair.x), np.diff(pair.y))
    except InvalidPairError:
        return found
    of_steps = dependence_of(steps, rows=serial_dependence(steps.x, steps.y).effective_rows)
    return replace(found, p_value=min(1.0, 2.0 * min(found.p_value, of_steps.p_value)))


def _share_between(numbers: Numbers, column: Vector) -> float:
    """Intraclass correlation of the ranks of a column."""
    from scipy.stats import rankdata

    sizes, ranks = np.bincount(numbers), rankdata(column)
    count, n = len(sizes), len(ranks)
    if count >= n:
        return 0.0
    means = np.bincount(numbers, weights=ranks) / sizes
    between = float(sizes @ (means - ranks.mean()) ** 2) / (count - 1)
    within = float(((ranks - means[numbers]) ** 2).sum()) / (n - count)
    rows_each = (n - float((sizes.astype(np.float64) ** 2).sum()) / n) / (count - 1)
    return (between - within) / max(between + (rows_each - 1.0) * within, 1e-300)
