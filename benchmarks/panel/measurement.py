"""What happens to columns between the world and the table. PRIOR.md argues for each."""

from __future__ import annotations

import numpy as np
from mechanisms import standardised
from numpy.random import Generator
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def measured(column: Vector, rng: Generator) -> Vector:
    """A column as it is recorded: units, error, limits, outliers, digits, each in some pairs.

    The same for causes and effects, so that the record says nothing about the direction.
    """
    if rng.random() < 0.1:
        column = _other_scale(column, rng)
    deviation = float(column.std()) or 1.0
    if rng.random() < 0.15:
        column = column + rng.uniform(0.02, 0.3) * deviation * rng.normal(size=len(column))
    if rng.random() < 0.08:
        low, high = np.quantile(column, [rng.uniform(0.0, 0.15), rng.uniform(0.85, 1.0)])
        column = np.clip(column, low, high)
    if rng.random() < 0.1:
        column = _with_outliers(column, rng)
    if rng.random() < 0.35:
        column = _rounded(column, rng)
    return column


def _other_scale(column: Vector, rng: Generator) -> Vector:
    """Decibels, acidity, logarithms of prices; or the exponents of such."""
    place = standardised(column).clip(-6.0, 6.0)
    which = rng.integers(3)
    if which == 0:
        return np.exp(rng.uniform(0.2, 0.8) * place)
    if which == 1:
        return np.log(place - place.min() + rng.uniform(0.1, 2.0))
    return np.sqrt(place - place.min())


def _with_outliers(column: Vector, rng: Generator) -> Vector:
    """Slips of the pen: some values far away, or from other rows."""
    slips = rng.random(len(column)) < rng.uniform(0.002, 0.03)
    if rng.random() < 0.5:
        return np.where(slips, rng.permutation(column), column)
    far = column.mean() + column.std() * rng.uniform(3.0, 8.0) * rng.choice([-1, 1], len(column))
    return np.where(slips, far, column)


def _rounded(column: Vector, rng: Generator) -> Vector:
    """So many steps within a deviation: from coarse classes to the third digit."""
    steps = np.exp(rng.uniform(np.log(2.0), np.log(300.0)))
    step = float(column.std()) / steps
    return column if step <= 0.0 else np.round(column / step) * step
