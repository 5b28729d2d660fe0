"""Features of an input of a smooth function, and the grid of a hidden Gaussian input."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector

# Of the hidden noise: places of the grid, and how far it reaches.
PLACES, REACH = 17, 3.2
# Smooth features at most, of the cause and of the noise.
CAUSE_AXES, NOISE_AXES = 8, 5
# Centres of bells: their distance in lengths, how many lengths beyond the ends, and how many.
GAP, BEYOND, FEWEST_BELLS, MOST_BELLS = 0.6, 1.0, 8, 60
LEAST_SHARE, JITTER = 1e-9, 1e-8
CONSTANT, LINE, SMOOTH = 0, 1, 2
KINDS = 3
"""Kinds of features: 1, the input itself, and axes of the kernel."""


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """Features of one input, a column each.

    Parameters
    ----------
    features : ndarray of shape (n, j)
        1, the input with mean 0 and variance 1, and the smooth ones, likewise.
    log_variances : ndarray of shape (j,)
        Of their coefficients, where the kernel has a variance of 1.
    kinds : ndarray of shape (j,)
        What each is: ``CONSTANT``, ``LINE`` or ``SMOOTH``.
    """

    features: Matrix
    log_variances: Vector
    kinds: NDArray[np.intp]


def constant(n: int) -> Axes:
    """Axes of no input at all."""
    return Axes(np.ones((n, 1)), np.zeros(1), np.array([CONSTANT], dtype=np.intp))


def bell_axes(points: Vector, weights: Vector, length: float, most: int) -> Axes:
    """Principal axes of a kernel of Gaussian bells, and a line.

    Parameters
    ----------
    points : ndarray of shape (n,)
        Values of the input, two or more of them distinct.
    weights : ndarray of shape (n,)
        What each counts; they add up to 1.
    length : float
        Deviation of the bells.
    most : int
        Smooth axes at most; those of largest variance are kept.

    Examples
    --------
    >>> points = np.linspace(-1.0, 1.0, 50)
    >>> axes = bell_axes(points, np.full(50, 0.02), 0.7, 5)
    >>> axes.features.shape, axes.kinds.tolist()
    ((50, 7), [0, 1, 2, 2, 2, 2, 2])
    """
    bells = _whitened_bells(points, length)
    bells -= weights @ bells
    variances, turn = np.linalg.eigh((bells * weights[:, None]).T @ bells)
    kept = np.flatnonzero(variances > LEAST_SHARE * variances[-1])[::-1][:most]
    smooth = bells @ turn[:, kept] / np.sqrt(variances[kept])
    line = points - weights @ points
    line /= np.sqrt(weights @ np.square(line))
    return Axes(
        np.column_stack((np.ones(len(points)), line, smooth)),
        np.concatenate((np.zeros(2), np.log(variances[kept]))),
        np.array([CONSTANT, LINE, *[SMOOTH] * len(kept)], dtype=np.intp),
    )


def _whitened_bells(points: Vector, length: float) -> Matrix:
    """Features whose products are the kernel, as far as bells on a grid can tell."""
    ends = float(points.min()) - BEYOND * length, float(points.max()) + BEYOND * length
    count = int((ends[1] - ends[0]) / (GAP * length)) + 2
    centres = np.linspace(*ends, min(max(count, FEWEST_BELLS), MOST_BELLS))
    among = _kernel(centres, centres, length)
    among[np.diag_indices_from(among)] += JITTER
    bells: Matrix = np.linalg.solve(np.linalg.cholesky(among), _kernel(centres, points, length)).T
    return bells


def _kernel(first: Vector, second: Vector, length: float) -> Matrix:
    kernel: Matrix = np.exp(-0.5 * np.square((first[:, None] - second) / length))
    return kernel


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Places of the hidden noise, and logarithms of their weights."""

    places: Vector
    log_weights: Vector


@lru_cache(maxsize=1)
def noise_grid() -> Grid:
    """Grid of a standard Gaussian."""
    places = np.linspace(-REACH, REACH, PLACES)
    weights = np.exp(-0.5 * np.square(places))
    return Grid(places, np.log(weights / weights.sum()))


@lru_cache(maxsize=16)
def noise_axes(length: float) -> Axes:
    """Axes of the hidden noise at the places of its grid."""
    grid = noise_grid()
    return bell_axes(grid.places, np.exp(grid.log_weights), length, NOISE_AXES)
