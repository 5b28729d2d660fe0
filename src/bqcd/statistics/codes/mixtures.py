"""Mixtures of Gaussians of least message length, for a column on a line."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.random import Generator

from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_integer

# Added to each variance, so that no component shrinks to a single value.
LEAST_VARIANCE = 1e-4
# Sweeps over the components end when the log-likelihood changes by a smaller share of itself,
# or after so many.
TOLERANCE = 1e-9
MOST_SWEEPS = 300


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Mixture of Gaussians on a line, and the nats it takes to tell it and the values.

    Parameters
    ----------
    weights, means, variances : ndarray of shape (k,)
        Shares of the components, which sum to 1, and their shapes.
    length : float
        -log L + sum of log weights + 1.5 k log n, for n values of likelihood L.
    """

    weights: Vector
    means: Vector
    variances: Vector
    length: float


def shortest_mixture(values: Vector, *, max_components: int = 50, rng: Generator) -> Mixture:
    """Mixture of least message length, after Figueiredo and Jain (2002).

    From many components with means at values drawn by chance, each is fitted in turn to the
    rows that fall to it, less one row as the price of its parameters, and dropped if none
    are left. Once that has settled, the lightest component is dropped, down to one. The
    mixture is the shortest on the way.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Column, not constant, best of variance 1: 0.0001 is added to each variance. Its order
        does not matter.
    max_components : int, default=50
        Components at the start, at most as many as there are values. If all are dropped at
        once, there is another start with one less.
    rng : Generator
        Source of randomness for the start.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> two = np.append(rng.normal(-1.0, 0.2, 300), rng.normal(1.0, 0.2, 100))
    >>> shortest_mixture(two, rng=rng).weights.round(2)
    array([0.75, 0.25])
    """
    from bqcd.statistics.codes.mixture_kernels import fitted_mixture

    check_integer("shortest_mixture", "max_components", max_components, minimum=1, maximum=1_000)
    in_order = np.sort(values)
    starts = rng.permutation(in_order)[:max_components]
    variance = float(np.var(in_order, ddof=1)) / 10.0
    limits = np.array([TOLERANCE, MOST_SWEEPS])
    for size in range(len(starts), 0, -1):
        length, table = fitted_mixture(in_order, starts[:size], variance, LEAST_VARIANCE, limits)
        if isfinite(length):
            break
    order = np.argsort(table[1], kind="stable")
    weights, means, variances = table[:, order]
    return Mixture(weights, means, variances, float(length))
