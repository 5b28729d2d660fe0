"""What a conditional quantile regressor takes and gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeGuard

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.discovery.scores import pinball_score
from bqcd.errors import InvalidRegressorError
from bqcd.runtime.arrays import Matrix, Vector

Order = NDArray[np.int32]


class ConditionalQuantiles(Protocol):
    """A fitted model of the quantiles of one variable given another."""

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``.

        Returns
        -------
        ndarray of shape (n, m)
            Column j belongs to the j-th level asked for at fit time. Rows do not
            decrease: quantiles of one observation never cross.
        """
        ...


class QuantileRegressor(Protocol):
    """Settings from which a :class:`ConditionalQuantiles` is fitted."""

    def fit(
        self, given: Vector, target: Vector, levels: Vector, rng: Generator
    ) -> ConditionalQuantiles:
        """Fit all levels at once. Both vectors have standard normal margins."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class OneWay:
    """What one direction of a fit leaves behind.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Mean pinball score of the target at each level.
    model : ConditionalQuantiles
        The fitted quantiles.
    """

    scores: Vector
    model: ConditionalQuantiles


class JointRegressor(Protocol):
    """A regressor that serves both directions with one fit."""

    def fit_both_ways(
        self, scores: Vector, inverse: Order, levels: Vector
    ) -> tuple[OneWay, OneWay]:
        """Second variable given the first, and first given the second.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Normal scores, increasing: the values both variables take.
        inverse : ndarray of shape (n,)
            Rank of the first variable in the row where the second has rank s, from 0.
        levels : ndarray of shape (m,)
            Quantile levels.
        """
        ...


def serves_both_ways(regressor: object) -> TypeGuard[JointRegressor]:
    """Whether one fit of the regressor gives both directions.

    Asks for the method only: checking a whole protocol takes longer than a small fit.
    """
    return hasattr(regressor, "fit_both_ways")


def is_regressor(regressor: object) -> TypeGuard[QuantileRegressor]:
    """Whether an object, not a class, has the method ``fit`` of a regressor."""
    return not isinstance(regressor, type) and callable(getattr(regressor, "fit", None))


def fit_one_way(
    regressor: QuantileRegressor,
    given: Vector,
    target: Vector,
    levels: Vector,
    rng: Generator,
) -> OneWay:
    """Scores and model of ``target`` given ``given``.

    Raises
    ------
    InvalidRegressorError
        If the fitted quantiles have the wrong shape, are not finite, or cross.
    """
    model = regressor.fit(given, target, levels, rng)
    quantiles = _checked(model(given), len(given), len(levels), regressor)
    scores = pinball_score(quantiles, target[:, None], levels).mean(axis=0)
    return OneWay(scores, model)


def _checked(quantiles: object, n: int, m: int, regressor: object) -> Matrix:
    name = type(regressor).__name__
    matrix = np.asarray(quantiles, dtype=np.float64)
    if matrix.shape != (n, m):
        raise InvalidRegressorError(
            f"The quantiles of {name} must have shape ({n}, {m}): one row per value given, "
            f"one column per level; got {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise InvalidRegressorError(f"The quantiles of {name} must be finite; some are not.")
    if m > 1 and (np.diff(matrix, axis=1) < 0.0).any():
        row = int(np.argmax((np.diff(matrix, axis=1) < 0.0).any(axis=1)))
        raise InvalidRegressorError(
            f"The quantiles of {name} must not cross; those of row {row + 1} are "
            f"{matrix[row].tolist()}."
        )
    return matrix
