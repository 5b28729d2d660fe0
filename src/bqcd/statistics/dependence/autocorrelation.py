"""How much rows depend on the rows before them, as in a time series.

Ranks are turned into normal scores first, ties at their middle rank: outliers and units do not
count, and the autocorrelations of a Gaussian series are its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_ROWS, check_integer

_STRONG = 0.5
# In units of 1 / sqrt(n), the spread of an autocorrelation if rows are independent.
_BEYOND_CHANCE = 3.0


@dataclass(frozen=True, slots=True)
class SerialDependence:
    """How much the rows of two columns depend on the rows before them.

    Parameters
    ----------
    x_autocorrelation, y_autocorrelation : float
        Correlation of each column with itself one row later, from -1 to 1.
    effective_rows : float
        Number of independent rows that tell as much of how the columns go together, at most
        the number of rows.
    strong : bool
        Whether both columns are strongly autocorrelated: by more than 0.5 and by more than
        3 / sqrt(n), whatever the sign. Of tables of independent rows fewer than 3 in 1,000 are
        taken for such, also if one column is a function of the other.
    is_sorted : bool
        Whether a column never falls or never rises. The rows may then be independent, and
        have been sorted; autocorrelations cannot tell.
    """

    x_autocorrelation: float
    y_autocorrelation: float
    effective_rows: float
    strong: bool
    is_sorted: bool


def autocorrelation(x: Vector, lag: int = 1) -> float:
    """Correlation of a column with itself some rows later, by normal scores of its ranks.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Finite numbers in the order of the rows.
    lag : int, default=1
        Number of rows between the two.

    Returns
    -------
    float
        From -1 to 1; 0 if the column is constant or has no rows so far apart.

    Examples
    --------
    >>> round(autocorrelation(np.arange(1000.0)), 2), autocorrelation(np.ones(1000))
    (0.99, 0.0)
    """
    check_integer("autocorrelation", "lag", lag, minimum=0, maximum=MOST_ROWS)
    scores = _normal_scores(x)
    squares = float(scores @ scores)
    if squares == 0.0 or lag >= len(scores):
        return 0.0
    return float(scores[: len(scores) - lag] @ scores[lag:]) / squares


def effective_rows(x: Vector) -> float:
    """Number of independent rows whose mean would be as certain as that of the column.

    That is n / (1 + 2 (r_1 + r_2 + ...)), with autocorrelations r as long as the sums of two
    neighbours stay positive and fall (Geyer's initial monotone sequence). A series
    x_t = r x_{t-1} + noise has n (1 - r) / (1 + r).

    Parameters
    ----------
    x : ndarray of shape (n,)
        Finite numbers in the order of the rows.

    Returns
    -------
    float
        From 1 to n; n if the column is constant.

    Examples
    --------
    >>> effective_rows(np.array([2.0, 2.0, 2.0])), effective_rows(np.arange(1000.0)) < 5
    (3.0, True)
    """
    return _effective_rows(_autocorrelations(_normal_scores(x)), len(x))


def serial_dependence(x: Vector, y: Vector) -> SerialDependence:
    """How much the rows of two columns depend on the rows before them.

    The correlation of two unrelated series varies as that of
    n / (1 + 2 (r_1 s_1 + r_2 s_2 + ...)) independent rows, where r and s are their
    autocorrelations (Bartlett 1935). For x_t = r x_{t-1} + noise and y likewise with s, that is
    n (1 - r s) / (1 + r s).

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Finite numbers in the order of the rows.

    Examples
    --------
    >>> steps = np.random.default_rng(0).normal(size=(2, 500))
    >>> serial_dependence(*steps).strong, serial_dependence(*steps.cumsum(axis=1)).strong
    (False, True)
    """
    of_x, of_y = (_autocorrelations(_normal_scores(column)) for column in (x, y))
    n = len(x)
    first = (float(of_x[1]), float(of_y[1])) if n > 1 else (0.0, 0.0)
    needed = max(_STRONG, _BEYOND_CHANCE / sqrt(max(n, 1)))
    return SerialDependence(
        x_autocorrelation=first[0],
        y_autocorrelation=first[1],
        effective_rows=_effective_rows(of_x * of_y, n),
        strong=min(map(abs, first)) > needed,
        is_sorted=is_monotone(x) or is_monotone(y),
    )


def _normal_scores(x: Vector) -> Vector:
    """Normal quantiles of the middle ranks, with mean 0; zeros if the column is constant."""
    from scipy.special import ndtri

    values, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) < 2:
        return np.zeros(len(x))
    middle = np.cumsum(counts) - 0.5 * (counts - 1)
    scores = ndtri(middle / (len(x) + 1))[places]
    centred: Vector = scores - scores.mean()
    return centred


def _autocorrelations(scores: Vector) -> Vector:
    """Autocorrelations at all lags; zeros beyond lag 0 if the column is constant."""
    from scipy.fft import irfft, next_fast_len, rfft

    n = len(scores)
    if not scores.any():
        return np.where(np.arange(n) == 0, 1.0, 0.0)
    # Zeros behind, so that the end is not followed by the beginning.
    length = next_fast_len(2 * n, real=True)
    spectrum = rfft(scores, length)
    products = irfft(spectrum.real**2 + spectrum.imag**2, length)[:n]
    correlations: Vector = products / products[0]
    return correlations


def _effective_rows(correlations: Vector, n: int) -> float:
    if n < 2:
        return float(n)
    sums = correlations[: n - n % 2].reshape(-1, 2).sum(axis=1)
    last = int(np.argmax(sums <= 0.0)) if (sums <= 0.0).any() else len(sums)
    inflation = 2.0 * float(np.minimum.accumulate(sums[:last]).sum()) - 1.0
    return n / max(1.0, min(inflation, n))


def is_monotone(x: Vector) -> bool:
    """Whether a column never falls, or never rises.

    Examples
    --------
    >>> is_monotone(np.array([3.0, 2.0, 2.0])), is_monotone(np.array([1.0, 3.0, 2.0]))
    (True, False)
    """
    # Compared, not subtracted: a difference may overflow.
    return bool((x[1:] >= x[:-1]).all() or (x[1:] <= x[:-1]).all())
