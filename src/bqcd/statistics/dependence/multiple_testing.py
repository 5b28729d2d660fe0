"""Many tests at once: how many of those that reject may do so by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bqcd.errors import InvalidSettingError


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    r"""Smallest share of false discoveries at which each test still rejects: its q-value.

    Of the tests with a q-value of at most 0.05, one in twenty or fewer is expected to
    reject by chance, if the tests are independent or depend positively.

    Parameters
    ----------
    p_values : array-like of shape (n,)
        From 0 to 1. NaN stands for a test that was not made: it does not count among the
        tests, and its q-value is NaN.

    Raises
    ------
    InvalidSettingError
        If they are not one-dimensional, or one is not from 0 to 1.

    Notes
    -----
    With the m p-values in increasing order, the i-th q-value is the smallest of
    :math:`p_{(j)} m / j` over :math:`j \ge i` [1]_.

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate: a practical
       and powerful approach to multiple testing", Journal of the Royal Statistical Society,
       Series B, 57 (1995), 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.5, np.nan, 0.02])
    array([0.03, 0.5 ,  nan, 0.03])
    """
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        raise InvalidSettingError(
            f"p_values of benjamini_hochberg must be one-dimensional, got shape {given.shape}."
        )
    tested = np.flatnonzero(~np.isnan(given))
    p = given[tested]
    if len(p) and not 0.0 <= p.min() <= p.max() <= 1.0:
        wrong = float(p[(p < 0.0) | (p > 1.0)][0])
        raise InvalidSettingError(
            f"p_values of benjamini_hochberg must be from 0 to 1, got {wrong!r}."
        )
    falling = np.argsort(p, kind="stable")[::-1]
    rank = np.arange(len(p), 0, -1)
    q_values = np.full(len(given), np.nan)
    # Of p = 1, rounding could make more than 1.
    bounds = np.minimum(p[falling] * (len(p) / rank), 1.0)
    q_values[tested[falling]] = np.minimum.accumulate(bounds)
    return q_values
