"""Any scikit-learn estimator with a quantile loss as a quantile regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.optional import require

_LEVEL_PARAMETERS = ("quantile", "alpha")


@dataclass(frozen=True)
class EstimatorQuantiles:
    """One clone of an estimator per level, sorted so that the levels never cross.

    Parameters
    ----------
    estimator : scikit-learn estimator
        For example ``GradientBoostingRegressor(loss="quantile")``,
        ``HistGradientBoostingRegressor(loss="quantile")`` or ``QuantileRegressor(alpha=0)``.
    level_parameter : str, optional
        Parameter that takes the level. By default ``quantile`` if the estimator has it,
        else ``alpha``.

    Examples
    --------
    >>> from sklearn.linear_model import QuantileRegressor
    >>> EstimatorQuantiles(QuantileRegressor(alpha=0.0)).level_parameter
    'quantile'
    """

    estimator: Any
    level_parameter: str = ""

    def __post_init__(self) -> None:
        """Find the parameter that takes the level."""
        name = type(self.estimator).__name__
        if not hasattr(self.estimator, "get_params"):
            raise InvalidSettingError(
                "estimator of EstimatorQuantiles must be a scikit-learn estimator, got "
                f"{self.estimator!r}."
            )
        parameters = self.estimator.get_params()
        if "loss" in parameters and parameters["loss"] != "quantile":
            raise InvalidSettingError(
                f"loss of {name} must be 'quantile', got {parameters['loss']!r}."
            )
        candidates = [self.level_parameter] if self.level_parameter else _LEVEL_PARAMETERS
        found = [parameter for parameter in candidates if parameter in parameters]
        if not found:
            raise InvalidSettingError(
                f"level_parameter of EstimatorQuantiles must be a parameter of {name}, got "
                f"{self.level_parameter!r}; it has {', '.join(sorted(parameters))}."
            )
        object.__setattr__(self, "level_parameter", found[0])

    def fit(self, given: Vector, target: Vector, levels: Vector, rng: Generator) -> EstimatorCurves:
        """Fit one clone per level; a clone with a ``random_state`` is seeded from ``rng``."""
        clone = require("sklearn.base", extra="sklearn", needed_by="EstimatorQuantiles").clone
        seed = int(rng.integers(2**31))
        fitted = []
        for level in levels:
            model = clone(self.estimator)
            settings: dict[str, object] = {self.level_parameter: float(level)}
            if "random_state" in model.get_params():
                settings["random_state"] = seed
            fitted.append(model.set_params(**settings).fit(given[:, None], target))
        return EstimatorCurves(tuple(fitted))


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorCurves:
    """Predictions of one fitted estimator per level."""

    fitted: Sequence[Any]

    def __call__(self, given: Vector) -> Matrix:
        """Quantiles at each value of ``given``, shape (n, m)."""
        predictions = [model.predict(np.asarray(given)[:, None]) for model in self.fitted]
        return np.sort(np.column_stack(predictions), axis=1)
