"""What is known to mislead and can be seen of a whole table: series, sorted rows, few values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.scans.records import ColumnFacts

# Columns follow from each other from this rank correlation on.
SAME_ORDER = 0.999
_STRONG, _BEYOND_CHANCE = 0.5, 3.0


@dataclass(frozen=True, slots=True)
class TableProblems:
    """How many columns and pairs of a table are known to mislead.

    Parameters
    ----------
    serial : int
        Columns that depend strongly on the row before, as in a time series.
    sorted : int
        Columns that never fall or never rise.
    few_values : int
        Columns that are coarse: rounded, in grades, or with many rows at one value.
    derived : int
        Pairs whose columns have the same order, or the opposite one, all but exactly.
    """

    serial: int
    sorted: int
    few_values: int
    derived: int

    @classmethod
    def of(cls, columns: Sequence[ColumnFacts], spearman: Vector) -> TableProblems:
        """Problems of the columns that could be judged, and of their pairs.

        Parameters
        ----------
        columns : sequence of ColumnFacts
            What is known of each column.
        spearman : ndarray of shape (k,)
            Rank correlations of the pairs, NaN where there is none.
        """
        usable = [one for one in columns if not one.problem and one.n_present]
        return cls(
            serial=sum(
                not one.is_sorted and is_serial(one.autocorrelation, one.n_present)
                for one in usable
            ),
            sorted=sum(one.is_sorted for one in usable),
            few_values=sum(bool(one.coarse) for one in usable),
            derived=int(np.count_nonzero(np.abs(spearman) >= SAME_ORDER)),
        )


def is_serial(autocorrelation: float, n_rows: int) -> bool:
    """Whether a column depends strongly on the row before, as in a time series.

    Parameters
    ----------
    autocorrelation : float
        Of its ranks with those of the row before.
    n_rows : int
        Values that are not missing.

    Examples
    --------
    >>> is_serial(0.9, 200), is_serial(0.2, 200)
    (True, False)
    """
    return abs(autocorrelation) > max(_STRONG, _BEYOND_CHANCE / sqrt(n_rows))


def order_of_rows(ranks: Vector) -> tuple[float, bool]:
    """Correlation of ranks with those of the row before, and whether they are sorted.

    Parameters
    ----------
    ranks : ndarray of shape (n,)
        Of a column without its missing values.

    Examples
    --------
    >>> order_of_rows(np.arange(100.0))[1], order_of_rows(np.array([1.0, 0.0, 1.0, 0.0]))
    (True, (-0.75, False))
    """
    steps = np.diff(ranks)
    is_sorted = bool((steps >= 0).all() or (steps <= 0).all())
    centred = ranks - ranks.mean()
    squares = float(centred @ centred)
    return (float(centred[1:] @ centred[:-1]) / squares if squares else 0.0), is_sorted
