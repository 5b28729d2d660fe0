"""Regression of whole numbers on levels, and whether its residuals depend on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.discrete.tables import Counts

_MOST_PASSES = 10


@dataclass(frozen=True, slots=True)
class Candidates:
    """Residuals of all values that a function may have at one level.

    Parameters
    ----------
    rows : ndarray of shape (candidates, width)
        How often each residual comes at the level.
    totals : ndarray of shape (candidates, width)
        How often it comes at all levels.
    squares : ndarray of shape (width,)
        Squared counts over the size of their level, summed over the other levels.
    size : float
        Rows of the level.
    levels : int
        Number of levels.
    """

    rows: Matrix
    totals: Matrix
    squares: Vector
    size: float
    levels: int


Criterion = Callable[[Candidates], Vector]
"""From candidates to what is to be small."""


def residual_table(table: Counts, criterion: Criterion, *, cyclic: bool) -> Counts:
    """Counts of residuals at each level, under the function that makes a criterion small.

    The function starts at the most frequent value of each level. Then the levels, one after the
    other, get the value that makes the criterion smallest, until nothing changes or ten times.

    Parameters
    ----------
    table : ndarray of shape (k, m)
        How often each of the whole numbers 0 to m - 1 comes at each level.
    criterion : callable
        What is to be small.
    cyclic : bool
        Whether residuals are taken modulo m.

    Returns
    -------
    ndarray of shape (k, w)
        Only residuals that occur.

    Examples
    --------
    >>> table = np.array([[4, 2, 0, 0], [0, 0, 8, 4]])
    >>> residual_table(table, residual_entropy, cyclic=False)
    array([[4, 2],
           [8, 4]])
    """
    table = table[table.sum(axis=1) > 0]
    shifted = _shifted(table, cyclic=cyclic)
    chosen = table.argmax(axis=1)
    everyone = np.arange(len(table))
    sizes = table.sum(axis=1).astype(np.float64)
    current = shifted[everyone, chosen]
    for _ in range(_MOST_PASSES):
        before = chosen.copy()
        for level in everyone:
            others = current.sum(axis=0) - current[level]
            squares = (np.square(current) / sizes[:, None])[everyone != level].sum(axis=0)
            scores = criterion(
                Candidates(
                    shifted[level], others + shifted[level], squares, sizes[level], len(table)
                )
            )
            if scores.min() < scores[chosen[level]] - 1e-12 * abs(scores[chosen[level]]):
                chosen[level] = scores.argmin()
                current[level] = shifted[level, chosen[level]]
        if np.array_equal(before, chosen):
            break
    found: Counts = current[:, current.sum(axis=0) > 0].astype(np.int64)
    return found


def _shifted(table: Counts, *, cyclic: bool) -> Matrix:
    """Counts of residuals at each level for each value of the function there."""
    levels, m = table.shape
    width = m if cyclic else 2 * m - 1
    shifted = np.zeros((levels, m, width))
    for value in range(m):
        # A residual r = y - value stands at place r + m - 1, or r modulo m.
        places = (np.arange(m) - value) % m if cyclic else np.arange(m) - value + m - 1
        shifted[:, value, places] = table
    return shifted


def residual_entropy(candidates: Candidates) -> Vector:
    """Entropy of the residuals at all levels together, times their number."""
    from scipy.special import xlogy

    total = candidates.totals[0].sum()
    entropy: Vector = xlogy(total, total) - xlogy(candidates.totals, candidates.totals).sum(axis=1)
    return entropy


def residual_dependence(candidates: Candidates) -> Vector:
    """Pearson's chi-squared of levels and residuals, standardised by its degrees of freedom.

    Its p-value orders alike where degrees of freedom are many, and is zero for all bad functions.
    """
    totals = candidates.totals
    n = totals[0].sum()
    parts = candidates.squares + np.square(candidates.rows) / candidates.size
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(totals > 0.0, parts / totals, 0.0)
    statistic = n * (shares.sum(axis=1) - 1.0)
    freedom = np.maximum((candidates.levels - 1) * ((totals > 0.0).sum(axis=1) - 1.0), 1.0)
    standardised: Vector = (statistic - freedom) / np.sqrt(2.0 * freedom)
    return standardised


def independence_p_value(table: Counts | Matrix) -> float:
    """P-value that rows and columns of a table are independent; 1 if either is a single one.

    Pearson's chi-squared. Where more than a fifth of the cells expect fewer than 5 rows, a gamma
    distribution with the exact mean and variance over all tables with the same margins [1]_
    takes the place of the chi-squared one.

    References
    ----------
    .. [1] Dawson. A simplified expression for the variance of the χ²-function on a contingency
       table. Biometrika 41, 1954.

    Examples
    --------
    >>> round(independence_p_value(np.array([[20, 30], [30, 20]])), 4)
    0.0455
    """
    from scipy.special import chdtrc, gammaincc

    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.sum(axis=1).astype(float), table.sum(axis=0).astype(float)
    n, freedom = rows.sum(), (len(rows) - 1.0) * (len(columns) - 1.0)
    if freedom == 0.0:
        return 1.0
    expected = np.outer(rows, columns) / n
    statistic = max(0.0, float((np.square(table) / expected).sum() - n))
    if (expected < 5.0).mean() <= 0.2 or n <= 4:
        return float(chdtrc(freedom, statistic))
    mean, deviation = exact_moments(rows, columns)
    if deviation == 0.0:
        return 1.0
    shape, scale = (mean / deviation) ** 2, deviation**2 / mean
    return float(gammaincc(shape, statistic / scale))


def exact_moments(rows: Vector, columns: Vector) -> tuple[float, float]:
    """Mean and standard deviation of Pearson's chi-squared over all tables with these margins.

    Parameters
    ----------
    rows, columns : ndarray
        Sums of rows and of columns, all positive; more than 3 rows of data.

    Examples
    --------
    >>> mean, deviation = exact_moments(np.array([1.0, 9.0]), np.array([5.0, 5.0]))
    >>> round(mean, 3), round(deviation, 3)
    (1.111, 0.0)
    """
    n, r, c = rows.sum(), len(rows), len(columns)
    mean = n / (n - 1.0) * (r - 1.0) * (c - 1.0)
    first, second = ((k - 1.0) * (n - k) / (n - 1.0) for k in (r, c))
    one, other = (
        (n * (1.0 / sums).sum() - k * k) / (n - 2.0) for sums, k in ((rows, r), (columns, c))
    )
    variance = 2.0 * n / (n - 3.0) * (first - one) * (second - other)
    variance += n * n / (n - 1.0) * one * other
    return float(mean), sqrt(max(0.0, float(variance)))
