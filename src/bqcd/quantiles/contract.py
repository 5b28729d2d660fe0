"""What a conditional quantile regressor takes and gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.errors import InvalidRegressorError
from bqcd.scores import pinball_score

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
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


@runtime_checkable
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
    curves : ndarray of shape (p, m)
        Conditional quantiles at the probes asked for, on the normal scale.
    """

    scores: Vector
    curves: Matrix


@runtime_checkable
class JointRegressor(Protocol):
    """A regressor that serves both directions with one fit."""

    def fit_both_ways(
        self, scores: Vector, inverse: Order, levels: Vector, probes: Vector
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
        probes : ndarray of shape (p,)
            Values of the given variable at which to report the curves.
        """
        ...


def fit_one_way(
    regressor: QuantileRegressor,
    given: Vector,
    target: Vector,
    levels: Vector,
    probes: Vector,
    rng: Generator,
) -> OneWay:
    """Scores and curves of ``target`` given ``given``.

    Raises
    ------
    InvalidRegressorError
        If the fitted quantiles have the wrong shape, are not finite, or cross.
    """
    model = regressor.fit(given, target, levels, rng)
    quantiles = _checked(model(given), len(given), len(levels), regressor)
    scores = pinball_score(quantiles, target[:, None], levels).mean(axis=0)
    return OneWay(scores, _checked(model(probes), len(probes), len(levels), regressor))


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
            f"The quantiles of {name} must not cross; those of row {row} are "
            f"{matrix[row].tolist()}."
        )
    return matrix
