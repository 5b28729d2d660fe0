"""Whether a term of an additive model is zero: the test of Wood (2013)."""

from __future__ import annotations

from functools import cache
from math import floor, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector

# Nodes of the two quadratures of a ratio of sums of squares.
SHARES = 48
ANGLES = 24
# Directions whose variance is so much smaller than the greatest are not there.
SINGULAR = 1e-13


def term_p_value(
    coefficients: Vector, covariance: Matrix, *, rank: float, residual_degrees: float
) -> float:
    """Probability of coefficients so large if they are zero.

    The coefficients are weighed by a pseudo-inverse of their covariance whose rank is the
    number of degrees of freedom, also where that is no integer: whole directions for the
    integer part, the most variable first, and two mixed ones for the rest [1]_. There are two
    ways to mix them; the mean of both probabilities is taken.

    Parameters
    ----------
    coefficients : ndarray of shape (w,)
        Of functions that are orthonormal over the rows.
    covariance : ndarray of shape (w, w)
        Their covariance given the data, with the estimated variance of the noise.
    rank : float
        Degrees of freedom of the term.
    residual_degrees : float
        Those of the variance of the noise.

    References
    ----------
    .. [1] Wood, S. N. (2013): On p-values for smooth components of an extended generalized
       additive model. Biometrika 100(1), 221-228.

    Examples
    --------
    A single coefficient has the p-value of its t-test:

    >>> round(term_p_value(np.array([2.0]), np.eye(1), rank=1.0, residual_degrees=20.0), 4)
    0.0593
    """
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    present = int((values > SINGULAR * values[0]).sum())
    rank = min(max(rank, 1.0), float(present))
    whole = floor(rank + 1e-9)
    part = max(rank - whole, 0.0)
    along = vectors.T @ coefficients / np.sqrt(np.maximum(values, SINGULAR * values[0]))
    if part < 1e-9:
        statistic = float(np.square(along[:whole]).sum())
        return squares_tail(statistic, whole, 0.0, residual_degrees)
    sure = float(np.square(along[: whole - 1]).sum())
    first, second = along[whole - 1], along[whole]
    mixed = sqrt(0.5 * part * (1.0 - part))
    own = first**2 + part * second**2
    crossed = 2.0 * mixed * first * second
    return 0.5 * sum(
        squares_tail(sure + own + sign * crossed, whole, part, residual_degrees)
        for sign in (1.0, -1.0)
    )


def squares_tail(statistic: float, whole: int, part: float, residual_degrees: float) -> float:
    """Probability of a greater ratio of a sum of squares to the mean square of the noise.

    Parameters
    ----------
    statistic : float
        The ratio.
    whole : int
        One more than the squares of weight 1.
    part : float
        From 0 to 1: two more squares have weights with the sum 1 + ``part`` and the product
        ``part`` (1 + ``part``) / 2, or one the weight 1 if ``part`` is 0.
    residual_degrees : float
        Degrees of freedom of the mean square.

    Notes
    -----
    The two squares are a share, of beta distribution, of all squares, the angle between them
    is uniform, and given both the ratio has an F distribution.
    """
    from scipy.special import fdtrc

    if part == 0.0:
        return float(fdtrc(whole, residual_degrees, statistic / whole))
    half = 0.5 * (1.0 + part)
    apart = sqrt(max((1.0 + part) * (1.0 - part), 0.0)) / 2.0
    angles = np.cos(np.pi * (np.arange(ANGLES) + 0.5) / ANGLES)
    if whole == 1:
        shares, weights = np.ones(1), np.ones(1)
    else:
        nodes, weights = _quadrature()
        shares = 1.0 - nodes ** (2.0 / (whole - 1.0))
    sums = 1.0 - shares[:, None] * (1.0 - half - apart * angles)
    total = whole + 1
    tails = fdtrc(total, residual_degrees, statistic / (total * np.maximum(sums, 1e-12)))
    return float(min(weights @ tails.mean(axis=1), 1.0))


@cache
def _quadrature() -> tuple[Vector, Vector]:
    """Nodes and weights for means over the numbers from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(SHARES)
    return 0.5 * (nodes + 1.0), 0.5 * weights
