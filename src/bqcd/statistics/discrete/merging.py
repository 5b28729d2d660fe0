"""Levels merged that lead to about the same distribution."""

from __future__ import annotations

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.discrete.tables import Counts

_MOST_PASSES = 20


def merged_rows(table: Counts, price: float) -> Counts:
    """Table in which rows with about the same shares are added up.

    The two rows whose sum loses the least likelihood are merged, as long as the loss is below a
    price; then single rows go to the group under whose shares they are most likely, until none
    does.

    Parameters
    ----------
    table : ndarray of shape (k, m)
        Counts; every row has some.
    price : float
        Bits that a row of its own must save.

    Examples
    --------
    >>> merged_rows(np.array([[30, 10], [60, 20], [5, 45]]), 3.0)
    array([[90, 30],
           [ 5, 45]])
    """
    groups = _agglomerated(table.astype(np.float64), price)
    for _ in range(_MOST_PASSES):
        moved = _reassigned(table, groups)
        if np.array_equal(moved, groups):
            break
        groups = moved
    found = np.zeros((int(groups.max()) + 1, table.shape[1]), dtype=np.int64)
    np.add.at(found, groups, table)
    return found


def _bits(rows: Matrix) -> Vector:
    """Entropy of each row times its sum, in bits."""
    from scipy.special import xlogy

    totals = rows.sum(axis=-1)
    bits: Vector = (xlogy(totals, totals) - xlogy(rows, rows).sum(axis=-1)) / np.log(2.0)
    return bits


def _agglomerated(rows: Matrix, price: float) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    groups = np.arange(len(rows))
    alone = _bits(rows)
    losses = np.array([_losses(rows, alone, at) for at in range(len(rows))])
    while True:
        one, other = np.unravel_index(int(losses.argmin()), losses.shape)
        if not losses[one, other] < price:
            return np.unique(groups, return_inverse=True)[1]
        one, other = min(one, other), max(one, other)
        rows[one] += rows[other]
        groups[groups == other] = one
        alone = _bits(rows)
        losses[other], losses[:, other] = np.inf, np.inf
        gone = np.isinf(losses[one])
        losses[one] = np.where(gone, np.inf, _losses(rows, alone, int(one)))
        losses[:, one] = losses[one]


def _losses(rows: Matrix, alone: Vector, at: int) -> Vector:
    """Bits lost by adding one row to each other one; infinite for itself."""
    losses: Vector = _bits(rows + rows[at]) - alone - alone[at]
    losses[at] = np.inf
    return losses


def _reassigned(
    table: Counts, groups: np.ndarray[tuple[int], np.dtype[np.intp]]
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Groups after each row has gone where it is most likely; it stays where nothing is gained."""
    from scipy.special import xlogy

    sums = np.zeros((int(groups.max()) + 1, table.shape[1]))
    np.add.at(sums, groups, table)
    shares = sums / sums.sum(axis=1, keepdims=True)
    likelihood = xlogy(table[:, None, :], shares[None]).sum(axis=2)
    best = likelihood.argmax(axis=1)
    own = likelihood[np.arange(len(table)), groups]
    better = likelihood[np.arange(len(table)), best] > own + 1e-9 * np.abs(own)
    return np.unique(np.where(better, best, groups), return_inverse=True)[1]
