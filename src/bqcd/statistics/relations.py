"""What can be seen of two columns without a model: functions of each other, and sharp edges."""

from __future__ import annotations

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.statistics.ordering import row_order

# Half the share of the values next to an end, and the fewest of them.
_TAIL, _FEWEST = 0.06, 20


def function_share(given: Vector, target: Vector) -> float:
    """How nearly one column is a function of another: 1 if it is, 0 if they are independent.

    Chatterjee's coefficient [1]_, in units of what it is if the ranks of neighbours differ by one.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Finite numbers.

    References
    ----------
    .. [1] Chatterjee. A new coefficient of correlation. JASA 116(536), 2021.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 201)
    >>> round(function_share(x, np.exp(x)), 3), function_share(x**2, x) < 0.5
    (1.0, True)
    """
    n = len(given)
    order = np.lexsort((target, given))
    ranks = np.empty(n)
    ranks[row_order(target[order], given[order])] = np.arange(n)
    share = 1.0 - 3.0 * float(np.abs(np.diff(ranks)).sum()) / (n * n - 1.0)
    return share / (1.0 - 3.0 / (n + 1.0))


def is_monotone_function(given: Vector, target: Vector) -> bool:
    """Whether a column never falls, or never rises, with another, without exception.

    Examples
    --------
    >>> x = np.array([0.1, 0.4, 0.9, 1.3])
    >>> is_monotone_function(x, np.round(x)), is_monotone_function(x, x * (1.0 - x))
    (True, False)
    """
    for turned in (target, -target):
        ordered = turned[np.lexsort((turned, given))]
        if bool((ordered[1:] >= ordered[:-1]).all()):
            return True
    return False


def edge_sharpness(column: Vector) -> float:
    """How sharply the values of a column end, at the sharper of its ends.

    Of the values next to an end, 12 in 100, half lie in the nearer half of their range if the
    density ends in a step, a third or fewer if it fades as a bell does.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Finite numbers.

    Returns
    -------
    float
        Twice the share in the nearer half: about 1 at a step, 0.4 for a Gaussian column, more
        than 1 where values pile up at the end. 0 for fewer than 80 values.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=1000)
    >>> edge_sharpness(values) < 0.7, edge_sharpness(values[values > 0.0]) > 0.8
    (True, True)
    """
    n = len(column)
    tail = max(_FEWEST, round(_TAIL * n))
    if 4 * tail > n:
        return 0.0
    ordered = np.sort(column) / max(float(np.abs(column).max()), 1e-300)
    sharpest = 0.0
    for along in (ordered, -ordered[::-1]):
        nearer = along[: 2 * tail + 1] - along[0]
        count = int(np.searchsorted(nearer, 0.5 * nearer[-1]))
        sharpest = max(sharpest, count / tail)
    return sharpest
