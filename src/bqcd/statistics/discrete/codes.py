"""Stochastic complexity: the shortest code of counts that knows no probabilities beforehand.

The normalised maximum likelihood code of n draws from K levels takes n H + log₂ C(n, K) bits,
where H is the entropy of the shares and C the sum of the largest likelihoods over all sequences.
C(n, 1) = 1, C(n, 2) is a sum of n + 1 terms, and C(n, K + 2) = C(n, K + 1) + (n / K) C(n, K) [1]_.

References
----------
.. [1] Kontkanen, Myllymäki. A linear-time algorithm for computing the multinomial stochastic
   complexity. Information Processing Letters 103, 2007.
.. [2] Szpankowski. Average case analysis of algorithms on sequences. Wiley, 2001.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import exp, fsum, log, log2, pi, sqrt

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.statistics.discrete.tables import Counts

_LN_2 = log(2.0)
# Beyond so many draws C(n, 2) is known by its expansion [2]_ to 9 digits.
_SUMMED = 5000


def entropy_bits(counts: Iterable[float]) -> float:
    """Entropy of shares in bits, to the bit the same in any order of the counts.

    Examples
    --------
    >>> entropy_bits([2, 2, 0, 4])
    1.5
    """
    present = [count for count in counts if count > 0]
    total = fsum(present)
    return -fsum(count / total * log2(count / total) for count in present) + 0.0


@lru_cache(maxsize=4096)
def log_regret(n: int, levels: int) -> float:
    """log₂ C(n, K): what not knowing the probabilities costs, in bits.

    Parameters
    ----------
    n : int
        Draws; none cost nothing.
    levels : int
        K, 1 or more.

    Examples
    --------
    >>> round(2.0 ** log_regret(2, 2), 6), log_regret(7, 1)
    (2.5, 0.0)
    """
    if n == 0 or levels == 1:
        return 0.0
    before, now = 0.0, _log_binomial_sum(n)
    for level in range(1, levels - 1):
        # In logarithms: C itself exceeds any float for many levels.
        large, small = max(now, log(n / level) + before), min(now, log(n / level) + before)
        before, now = now, large + log(1.0 + exp(small - large))
    return now / _LN_2


@lru_cache(maxsize=4096)
def _log_binomial_sum(n: int) -> float:
    """Logarithm of C(n, 2): likelihoods of all numbers of successes, each at its best."""
    if n > _SUMMED:
        root = sqrt(n)
        series = root * sqrt(0.5 * pi) + 2.0 / 3.0 + sqrt(2.0 * pi) / (24.0 * root)
        return log(series - 4.0 / (135.0 * n))
    from scipy.special import gammaln, xlogy

    k = np.arange(n + 1.0)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    terms: Vector = ways + xlogy(k, k / n) + xlogy(n - k, (n - k) / n)
    return log(float(np.exp(terms).sum()))


def code_bits(counts: Iterable[int], levels: int) -> float:
    """Stochastic complexity of counts, in bits.

    Parameters
    ----------
    counts : iterable of int
        Draws of each level.
    levels : int
        Number of levels that were possible.

    Examples
    --------
    >>> round(code_bits([1, 1], 2), 6)
    3.321928
    """
    present = [int(count) for count in counts if count > 0]
    total = sum(present)
    return total * entropy_bits(present) + log_regret(total, levels) if present else 0.0


def conditional_code_bits(table: Counts) -> float:
    """Stochastic complexity of the columns of a table given its rows, in bits."""
    return fsum(code_bits(row, table.shape[1]) for row in table.tolist())


def binary_code_bits(ones: Counts, totals: Counts) -> Vector:
    """Stochastic complexity of many binary variables at once, in bits.

    Parameters
    ----------
    ones, totals : ndarray of int
        Of one shape: rows that have an attribute, and all rows.

    Examples
    --------
    >>> binary_code_bits(np.array([1, 0]), np.array([2, 0])).round(6).tolist()
    [3.321928, 0.0]
    """
    from scipy.special import xlogy

    zeros = totals - ones
    shared = xlogy(totals, totals) - xlogy(ones, ones) - xlogy(zeros, zeros)
    sizes, places = np.unique(totals, return_inverse=True)
    regrets = np.array([log_regret(int(size), 2) for size in sizes])
    bits: Vector = shared / _LN_2 + regrets[places].reshape(totals.shape)
    return bits
