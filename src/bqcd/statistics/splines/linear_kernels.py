"""Linear splines with evenly spaced knots, compiled: banded equations over the knots' values.

A spline is told by its values at the knots, so that a row meets two of them and equations are
bands. The ridge is on other numbers: the value and the slope at 0 and the bend at each inner
knot, which are differences of two or three values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

# Non-zero diagonals, the main one first. Entry (j, j + d) of a symmetric matrix is at [j, d].
BANDS = 3
EPSILON = float(np.finfo(np.float64).eps)


@kernel
def ridge_bands(n_knots: int, ridge: float) -> Matrix:
    """Ridge times the squares of value and slope at 0 and of the bends at inner knots."""
    bands = np.zeros((n_knots, BANDS))
    bands[0, 0] = ridge
    steep = ridge * (n_knots - 1.0) ** 2
    bands[0, 0] += steep
    bands[0, 1] -= steep
    bands[1, 0] += steep
    for j in range(n_knots - 2):
        bands[j, 0] += steep
        bands[j, 1] -= 2.0 * steep
        bands[j, 2] += steep
        bands[j + 1, 0] += 4.0 * steep
        bands[j + 1, 1] -= 2.0 * steep
        bands[j + 2, 0] += steep
    return bands


@kernel
def add_rows(place: Vector, target: Vector, bands: Matrix, moments: Vector) -> None:
    """Add the products of the rows' shares in the knots, and those with the target."""
    last = len(bands) - 1
    for row in range(len(place)):
        at = place[row] * last
        j = min(int(at), last - 1)
        right = at - j
        left = 1.0 - right
        bands[j, 0] += left * left
        bands[j, 1] += left * right
        bands[j + 1, 0] += right * right
        moments[j] += left * target[row]
        moments[j + 1] += right * target[row]


@kernel
def factorise(bands: Matrix) -> None:
    """Turn bands of A into those of L' and D with A = L D L': D in column 0."""
    for j in range(len(bands)):
        for k in range(1, min(BANDS, len(bands) - j)):
            share = bands[j, k] / bands[j, 0]
            for d in range(BANDS - k):
                bands[j + k, d] -= share * bands[j, k + d]
        for k in range(1, BANDS):
            bands[j, k] /= bands[j, 0]


@kernel
def solve(factor: Matrix, values: Vector) -> None:
    """Put the solution of the equations in the place of their right side."""
    size = len(values)
    for j in range(size):
        for d in range(1, min(BANDS, size - j)):
            values[j + d] -= factor[j, d] * values[j]
    for j in range(size - 1, -1, -1):
        values[j] /= factor[j, 0]
        for d in range(1, min(BANDS, size - j)):
            values[j] -= factor[j, d] * values[j + d]


@kernel
def inverse_bands(factor: Matrix) -> Matrix:
    """Bands of the inverse, last row first (Takahashi's equations)."""
    size = len(factor)
    out = np.zeros((size, BANDS))
    for j in range(size - 1, -1, -1):
        reach = min(BANDS, size - j)
        for a in range(reach - 1, 0, -1):
            for b in range(1, reach):
                out[j, a] -= factor[j, b] * out[j + min(a, b), abs(a - b)]
        out[j, 0] = 1.0 / factor[j, 0]
        for b in range(1, reach):
            out[j, 0] -= factor[j, b] * out[j, b]
    return out


@kernel
def fitted_rows(place: Vector, values: Vector, inverse: Matrix) -> tuple[Vector, Vector]:
    """Spline in every row, and the rows' leverages."""
    last = len(values) - 1
    fitted, leverage = np.empty(len(place)), np.empty(len(place))
    for row in range(len(place)):
        at = place[row] * last
        j = min(int(at), last - 1)
        right = at - j
        left = 1.0 - right
        fitted[row] = left * values[j] + right * values[j + 1]
        both = 2.0 * left * right * inverse[j, 1]
        leverage[row] = left * left * inverse[j, 0] + both + right * right * inverse[j + 1, 0]
    return fitted, leverage


@kernel
def constant_rows(target: Vector, weight: float) -> tuple[Vector, Vector]:
    """A constant in every row, the sum of the target times a weight, and the rows' leverages."""
    fitted, leverage = np.empty(len(target)), np.empty(len(target))
    total = 0.0
    for row in range(len(target)):
        total += target[row]
    for row in range(len(target)):
        fitted[row], leverage[row] = total * weight, weight
    return fitted, leverage


@kernel
def spline_rows(place: Vector, target: Vector, n_knots: int, ridge: float) -> tuple[Vector, Vector]:
    """Spline with so many knots in every row, and the rows' leverages; 0 knots is a constant.

    Parameters
    ----------
    place, target : ndarray of shape (n,)
        Predictor from 0 to 1, and target.
    n_knots : int
        Knots, both ends included, or 0.
    ridge : float
        Added to the squares of value and slope at 0 and of bends.
    """
    if n_knots == 0:
        return constant_rows(target, 1.0 / (len(place) + ridge))
    bands, values = ridge_bands(n_knots, ridge), np.zeros(n_knots)
    add_rows(place, target, bands, values)
    factorise(bands)
    solve(bands, values)
    return fitted_rows(place, values, inverse_bands(bands))


@kernel
def best_spline(
    place: Vector, target: Vector, numbers: NDArray[np.int64], ridge: float, least: float
) -> tuple[Vector, Vector, int]:
    """Spline and its predictions of rows left out, with as many knots as leave least error.

    Parameters
    ----------
    place, target : ndarray of shape (n,)
        Predictor from 0 to 1, and target.
    numbers : ndarray of int
        Numbers of knots to try; of equal ones, the first is taken.
    ridge : float
        As in :func:`spline_rows`.
    least : float
        Predictions below are raised to it.
    """
    best_fitted, best_left_out = np.empty(len(place)), np.empty(len(place))
    left_out = np.empty(len(place))
    best, smallest = -1, np.inf
    for n_knots in numbers:
        fitted, leverage = spline_rows(place, target, n_knots, ridge)
        error = 0.0
        for row in range(len(place)):
            fitted[row] = max(fitted[row], least)
            # A row that alone fixes the spline somewhere cannot be predicted without it.
            own = max(1.0 - leverage[row], EPSILON)
            gap = (target[row] - fitted[row]) / own
            left_out[row] = target[row] - gap
            error += gap * gap
        if error < smallest:
            best, smallest = n_knots, error
            for row in range(len(place)):
                best_fitted[row], best_left_out[row] = fitted[row], left_out[row]
    return best_fitted, best_left_out, best
