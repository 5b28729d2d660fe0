"""Ranks of many pairs in a form free of column order, compiled.

Columns come as permutations: their ranks, which have no ties, and the rows in the order of
their ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.kernel import kernel

Orders = NDArray[np.int32]


@kernel
def fill_orders(ranks: Orders, orders: Orders) -> None:
    """Fill each row of ``orders`` with the inverse of a permutation."""
    for column in range(len(ranks)):
        for row in range(ranks.shape[1]):
            orders[column, ranks[column, row]] = row


@kernel
def fill_untied_forms(
    ranks: Orders, orders: Orders, pairs: Orders, inverses: Orders, signs: NDArray[np.int8]
) -> None:
    """Fill ``inverses`` with the form in which each pair is read, ``signs`` with its first column.

    As :func:`bqcd.discovery.ranks.rank_pair`: of the two ways to read a pair, the one that
    comes first in the dictionary makes its column the first: 1 if that is x, -1 if it is y.
    """
    n = ranks.shape[1]
    for b in range(len(pairs)):
        x, y = pairs[b, 0], pairs[b, 1]
        sign = 0
        for s in range(n):
            y_by_x, x_by_y = ranks[y, orders[x, s]], ranks[x, orders[y, s]]
            if y_by_x != x_by_y:
                sign = 1 if y_by_x < x_by_y else -1
                break
        signs[b] = sign
        if sign < 0:
            x, y = y, x
        for s in range(n):
            inverses[b, s] = ranks[x, orders[y, s]]
