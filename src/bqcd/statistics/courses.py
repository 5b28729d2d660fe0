"""How a column goes along another one whose values repeat: straight, along a curve, or in jumps.

Means of the rows of each value are compared with two kinds of Gaussian processes, both beside a
straight line and noise whose size the rows of a value tell. Rough ones have a correlation of
exp(-d / l) at distance d, as a series over time and, with long l, a random walk. Smooth ones have
exp(-(d / l)^2 / 2), with l of one and a half steps from value to value or more, or are the cubic
smoothing spline. The likelihood of the best of each kind counts [1]_.

References
----------
.. [1] Rasmussen, Williams. Gaussian Processes for Machine Learning. MIT Press, 2006, chapters 4, 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bqcd.runtime.arrays import Matrix, Numbers, Vector

# Values that are told apart, at most; neighbours are taken together beyond that.
_MOST_VALUES = 60
# The variance of the rows of a value is drawn to that of all by so many rows.
_ROWS_OF_ALL = 4.0
# Noise of a mean is at least this share of the variance of all means: rows may be equal.
_LEAST_NOISE = 1e-8
_SHORTEST_CURVE, _CURVES, _SERIES, _LONGEST_SERIES = 1.5, 8, 6, 10.0
# Variances of a process, in units of that of the column.
_VARIANCES = np.geomspace(1e-6, 1e3, 25)


class Course(NamedTuple):
    """Gains in log-likelihood.

    Parameters
    ----------
    bends : float
        Of the better process over a straight line.
    jumps : float
        Of the rough processes over the smooth ones.
    """

    bends: float
    jumps: float


def course_of(along: Vector, column: Vector) -> Course | None:
    """How the means of a column go along the values of another one; None if too few repeat.

    Parameters
    ----------
    along : ndarray of shape (n,)
        Finite numbers.
    column : ndarray of shape (n,)
        Finite numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> year, noise = np.repeat(np.arange(20.0), 10), rng.normal(size=200)
    >>> found = course_of(year, rng.normal(size=20).cumsum()[year.astype(int)] + noise)
    >>> found.bends > 5.0, found.jumps > 1.0
    (True, True)
    >>> found = course_of(year, 0.1 * (year - 8.0) ** 2 + noise)
    >>> found.bends > 5.0, found.jumps < -3.0
    (True, True)
    """
    values, at = np.unique(along, return_inverse=True)
    count = min(len(values), _MOST_VALUES)
    at = at * count // len(values)
    sizes = np.bincount(at).astype(np.float64)
    if count < 4 or len(along) - count < count:
        return None
    means, noise = _means(column, at, sizes)
    places = np.bincount(at, weights=_unit(along)) / sizes, np.arange(count, dtype=np.float64)
    found = [_likelihoods(_unit(place), means, noise) for place in places]
    straight, rough, smooth = np.max(found, axis=0)
    return Course(float(max(rough, smooth) - straight), float(rough - smooth))


def _means(column: Vector, at: Numbers, sizes: Vector) -> tuple[Vector, Vector]:
    """Means of the rows of each value, and the variances of these means by chance."""
    column = _unit(column)
    column = (column - column.mean()) / max(float(column.std()), 1e-300)
    means = np.bincount(at, weights=column) / sizes
    squares = np.bincount(at, weights=(column - means[at]) ** 2)
    of_all = float(squares.sum()) / (len(column) - len(sizes))
    variances = (squares + _ROWS_OF_ALL * of_all) / (sizes - 1.0 + _ROWS_OF_ALL)
    return means, variances / sizes + _LEAST_NOISE * float(means.var())


def _likelihoods(place: Vector, means: Vector, noise: Vector) -> tuple[float, float, float]:
    """Largest log-likelihoods of a straight line, of rough and of smooth processes."""
    line = np.column_stack([np.ones_like(place), place])
    contrasts = np.linalg.qr(line, mode="complete")[0][:, 2:]
    lower = np.linalg.cholesky(contrasts.T @ (noise[:, None] * contrasts))
    # Contrasts of the means, with independent noise of variance 1.
    whitened = np.linalg.solve(lower, contrasts.T)
    seen = whitened @ means
    straight = -0.5 * float(seen @ seen)
    rough = _best(seen, [whitened @ kernel @ whitened.T for kernel in _rough(place)])
    smooth = _best(seen, [whitened @ kernel @ whitened.T for kernel in _smooth(place)])
    return straight, rough, smooth


def _best(seen: Vector, kernels: Sequence[Matrix]) -> float:
    """Largest log-likelihood over kernels and their variances, up to a constant."""
    best = -np.inf
    for kernel in kernels:
        sizes, axes = np.linalg.eigh(kernel)
        squares = (seen @ axes) ** 2
        variances = 1.0 + _VARIANCES[:, None] * np.maximum(sizes, 0.0)
        found = -0.5 * (np.log(variances) + squares / variances).sum(axis=1)
        best = max(best, float(found.max()))
    return best


def _rough(place: Vector) -> Iterator[Matrix]:
    apart = np.abs(np.subtract.outer(place, place))
    for length in np.geomspace(1.0 / (len(place) - 1), _LONGEST_SERIES, _SERIES):
        yield np.exp(-apart / length)


def _smooth(place: Vector) -> Iterator[Matrix]:
    apart = np.subtract.outer(place, place)
    for length in np.geomspace(_SHORTEST_CURVE / (len(place) - 1), 1.0, _CURVES):
        yield np.exp(-0.5 * (apart / length) ** 2)
    less, more = np.minimum.outer(place, place), np.maximum.outer(place, place)
    yield less**2 * (3.0 * more - less)


def _unit(column: Vector) -> Vector:
    """Numbers from 0 to 1, however large they are."""
    least, most = float(column.min()), float(column.max())
    scale = max(abs(least), abs(most), 1e-300)
    reach = max(most / scale - least / scale, 1e-300)
    unit: Vector = (column / scale - least / scale) / reach
    return unit
