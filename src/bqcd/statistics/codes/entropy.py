"""Entropies of one column, from a few of its moments or from the gaps between its values."""

from __future__ import annotations

from math import e, log, pi

import numpy as np

from bqcd.runtime.arrays import Vector

GAUSSIAN_ENTROPY = 0.5 * log(2.0 * pi * e)
"""Entropy of the standard normal distribution, in nats: the largest with variance 1."""

LOG_COSH_OF_GAUSSIAN = 0.37457
"""Mean of log cosh of a standard normal variable."""

# Of the means of log cosh and of v exp(-v² / 2).
EVEN_WEIGHT = 79.047
ODD_WEIGHT = 7.4129


def moment_entropy(column: Vector) -> float:
    """Entropy in nats of a column of mean 0 and variance 1, from two moments [1]_.

    What a column lacks against the Gaussian of its variance is taken from the means of
    log cosh v, large or small with heavy or light tails, and of v exp(-v² / 2), for the
    skewness: H = H_Gaussian - 79.047 (E log cosh v - 0.37457)² - 7.4129 (E v exp(-v²/2))².

    References
    ----------
    .. [1] Hyvärinen. New approximations of differential entropy for independent component
       analysis and projection pursuit. NIPS 1998.

    Examples
    --------
    >>> coin = np.array([-1.0, 1.0])
    >>> moment_entropy(coin) < GAUSSIAN_ENTROPY
    True
    """
    skew = float((column * np.exp(-0.5 * np.square(column))).mean())
    even = mean_log_cosh(column) - LOG_COSH_OF_GAUSSIAN
    return GAUSSIAN_ENTROPY - EVEN_WEIGHT * even * even - ODD_WEIGHT * skew * skew


def mean_log_cosh(column: Vector) -> float:
    """Mean of log cosh v over the column, also where cosh v is beyond the largest number.

    Examples
    --------
    >>> round(mean_log_cosh(np.array([0.0, 2000.0])), 3)
    999.653
    """
    size = np.abs(column)
    return float((size + np.log1p(np.exp(-2.0 * size))).mean()) - log(2.0)


def spacing_entropy(column: Vector) -> float:
    """Entropy in nats from the gaps between sorted values; gaps of zero add nothing.

    Σ log gap / (n - 1) + ψ(n) - ψ(1), whose last two terms are 1 + 1/2 + ... + 1/(n - 1).

    Examples
    --------
    >>> round(spacing_entropy(np.linspace(0.0, 2.0, 1000)) - log(2.0), 2)
    0.58
    """
    gaps = np.diff(np.sort(column))
    gaps = gaps[gaps != 0.0]
    n = len(column)
    return float(np.log(gaps).sum()) / (n - 1) + float((1.0 / np.arange(1, n)).sum())


def quantile_entropy(column: Vector) -> float:
    """Entropy in nats from quantiles: the integral of the logarithm of their slope [1]_.

    The slope of the quantiles at a row is taken over √n rows to either side, as far as there are
    any; gaps below a millionth of the standard deviation count as that.

    References
    ----------
    .. [1] Vasicek. A test for normality based on sample entropy. JRSS B 1976.

    Examples
    --------
    >>> round(quantile_entropy(np.linspace(0.0, 2.0, 1000)) - log(2.0), 2)
    0.0
    """
    in_order = np.sort(column)
    n = len(in_order)
    places, width = np.arange(n), max(round(n**0.5), 1)
    above, below = np.minimum(places + width, n - 1), np.maximum(places - width, 0)
    least = max(1e-6 * float(np.std(column)), 1e-12)
    gaps = np.maximum(in_order[above] - in_order[below], least)
    return float(np.log(gaps * n / (above - below)).mean())
