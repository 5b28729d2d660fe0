"""Pinball scores and the quadrature that averages them over quantile levels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bqcd.settings import check_integer

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quadrature:
    """Quantile levels in (0, 1) and the weights that integrate over them.

    Parameters
    ----------
    levels, weights : ndarray of shape (m,)
        Increasing levels; weights sum to one.
    """

    levels: Vector
    weights: Vector

    def integrate(self, values: Vector) -> float:
        """Weighted sum of one value per level."""
        return float(np.dot(self.weights, values))

    def __len__(self) -> int:
        """Number of levels."""
        return len(self.levels)


@lru_cache(maxsize=32)
def gauss_legendre(m: int) -> Quadrature:
    """Gauss-Legendre rule with ``m`` levels on [0, 1]; ``m=1`` is the median alone.

    Examples
    --------
    >>> gauss_legendre(3).levels.round(3)
    array([0.113, 0.5  , 0.887])
    """
    check_integer("gauss_legendre", "m", m, minimum=1)
    nodes, weights = np.polynomial.legendre.leggauss(m)
    rule = Quadrature((nodes + 1.0) / 2.0, weights / 2.0)
    rule.levels.setflags(write=False)
    rule.weights.setflags(write=False)
    return rule


def pinball_score(quantile: ArrayLike, observed: ArrayLike, level: ArrayLike) -> Matrix:
    """Quantile score of a forecast quantile, elementwise with broadcasting.

    ``(1[quantile >= observed] - level) * (quantile - observed)``; zero at a perfect
    forecast, positive elsewhere. Its mean is smallest at the true quantile.

    Examples
    --------
    >>> pinball_score(1.0, [0.0, 3.0], 0.9).round(6)
    array([0.1, 1.8])
    """
    gap = np.asarray(quantile, dtype=np.float64) - np.asarray(observed, dtype=np.float64)
    return np.asarray(((gap >= 0.0) - np.asarray(level, dtype=np.float64)) * gap)
