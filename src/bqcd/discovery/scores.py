"""Pinball scores and the quadrature that averages them over quantile levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from bqcd.discovery.ranks import normal_scores
from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_integer

MOST_LEVELS = 99


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
        return float(self.integrate_each(values))

    def integrate_each(self, values: Matrix) -> Vector:
        """Weighted sums over the last axis: the same to the bit for one row and for many."""
        total = self.weights[0] * values[..., 0]
        for level in range(1, len(self)):
            total = total + self.weights[level] * values[..., level]
        return np.asarray(total)

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
    check_integer("gauss_legendre", "m", m, minimum=1, maximum=MOST_LEVELS)
    nodes, weights = np.polynomial.legendre.leggauss(m)
    rule = Quadrature((nodes + 1.0) / 2.0, weights / 2.0)
    rule.levels.setflags(write=False)
    rule.weights.setflags(write=False)
    return rule


@lru_cache(maxsize=32)
def equal_weights(levels: tuple[float, ...]) -> Quadrature:
    """Rule that gives each of these levels the same weight.

    Examples
    --------
    >>> equal_weights((0.4, 0.5)).weights
    array([0.5, 0.5])
    """
    checked = checked_levels("equal_weights", levels)
    rule = Quadrature(np.array(checked), np.full(len(checked), 1.0 / len(checked)))
    rule.levels.setflags(write=False)
    rule.weights.setflags(write=False)
    return rule


def checked_levels(owner: str, levels: object) -> tuple[float, ...]:
    """Levels as plain floats; refused unless 1 to 99 numbers that increase within (0, 1).

    Examples
    --------
    >>> checked_levels("BQCD", [0.1, 0.9])
    (0.1, 0.9)
    """
    given = levels.tolist() if isinstance(levels, np.ndarray) else levels
    if isinstance(given, Sequence) and 1 <= len(given) <= MOST_LEVELS:
        numbers = [v for v in given if isinstance(v, Real) and not isinstance(v, bool)]
        bounded = (0.0, *(float(v) for v in numbers), 1.0)
        if len(numbers) == len(given) and all(low < high for low, high in pairwise(bounded)):
            return bounded[1:-1]
    raise InvalidSettingError(
        f"levels of {owner} must be 1 to {MOST_LEVELS} numbers that increase within (0, 1), "
        f"got {levels!r}."
    )


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


@lru_cache(maxsize=64)
def marginal_scores(n: int, rule: Quadrature) -> Vector:
    """Mean pinball score, at each level, of the empirical quantile of n normal scores."""
    scores, levels = normal_scores(n), rule.levels
    found = np.empty(len(levels))
    for j, place in enumerate(levels * (n - 1)):
        below = min(int(place), n - 2)
        quantile = scores[below] + (place - below) * (scores[below + 1] - scores[below])
        # The scores sum to zero, so only those below the quantile need be added up.
        above_all = (below + 1) * quantile - scores[: below + 1].sum()
        found[j] = above_all / n - levels[j] * quantile
    found.setflags(write=False)
    return found
