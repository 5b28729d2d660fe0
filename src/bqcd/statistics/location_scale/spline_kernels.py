"""Location and scale of one column given another, compiled: splines of natural parameters.

A kernel calls kernels of its own file only: the cache does not see changes elsewhere.
"""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

# Splines that live on one interval of knots: degree 5 and one more.
LIVE = 6
# Non-zero diagonals, the main one first, where the two weights of a spline are neighbours.
BANDS = 2 * LIVE
HALF_LOG_TAU = 0.5 * log(2.0 * pi)


@kernel
def quintic_values(points: Vector, n_intervals: int) -> tuple[Matrix, NDArray[np.int64]]:
    """Values of the six quintic B-splines that live at each point, and the first one's number.

    Knots are evenly spaced over [0, 1], where the points are, and go on beyond: interval i
    holds the splines i to i + 5.
    """
    values, first = np.zeros((len(points), LIVE)), np.empty(len(points), dtype=np.int64)
    for row in range(len(points)):
        at = points[row] * n_intervals
        first[row] = min(int(at), n_intervals - 1)
        share = at - first[row]
        values[row, 0] = 1.0
        for degree in range(1, LIVE):
            carried = 0.0
            for r in range(degree):
                part = values[row, r] / degree
                values[row, r] = carried + (r + 1.0 - share) * part
                carried = (share + degree - 1.0 - r) * part
            values[row, degree] = carried
    return values, first


@kernel
def natural_parameters(
    values: Matrix, first: NDArray[np.int64], weights: Vector, row: int
) -> tuple[float, float]:
    """Mean over variance, and half of one over variance, in a row."""
    lifted, precision = 0.0, 0.0
    for r in range(LIVE):
        at = 2 * (first[row] + r)
        lifted += values[row, r] * weights[at]
        precision += values[row, r] * weights[at + 1]
    return lifted, precision


@kernel
def all_natural_parameters(
    values: Matrix, first: NDArray[np.int64], weights: Vector
) -> tuple[Vector, Vector]:
    """Both natural parameters in every row."""
    lifted, precision = np.empty(len(first)), np.empty(len(first))
    for row in range(len(first)):
        lifted[row], precision[row] = natural_parameters(values, first, weights, row)
    return lifted, precision


@kernel
def gaussian_loss(
    values: Matrix, first: NDArray[np.int64], target: Vector, weights: Vector
) -> float:
    """-log likelihood of Gaussians whose natural parameters are splines; infinite outside."""
    total = 0.0
    for row in range(len(target)):
        lifted, precision = natural_parameters(values, first, weights, row)
        if not precision > 0.0:
            return np.inf
        y = target[row]
        # (y - m)² / 2v, with m = lifted / 2p and v = 1 / 2p: no difference of large numbers.
        total += precision * (y - 0.5 * lifted / precision) ** 2 - 0.5 * log(2.0 * precision)
    return total + HALF_LOG_TAU * len(target)


@kernel
def penalised_loss(
    values: Matrix,
    first: NDArray[np.int64],
    target: Vector,
    weights: Vector,
    ridge: float,
    barrier: float,
) -> float:
    """The loss with half the ridge times squared weights, and a barrier before precision 0."""
    total = gaussian_loss(values, first, target, weights)
    for k in range(0, len(weights), 2):
        if not weights[k + 1] > 0.0:
            return np.inf
        total += 0.5 * ridge * (weights[k] ** 2 + weights[k + 1] ** 2)
        total -= barrier * log(weights[k + 1])
    return total


@kernel
def loss_bands(
    values: Matrix,
    first: NDArray[np.int64],
    target: Vector,
    weights: Vector,
    ridge: float,
    barrier: float,
) -> tuple[Vector, Matrix]:
    """Gradient of the penalised loss, and the bands of its matrix of second derivatives."""
    gradient, bands = ridge * weights, np.zeros((BANDS, len(weights)))
    bands[0] = ridge
    for k in range(1, len(weights), 2):
        gradient[k] -= barrier / weights[k]
        bands[0, k] += barrier / weights[k] ** 2
    for row in range(len(target)):
        lifted, p = natural_parameters(values, first, weights, row)
        mean, y = 0.5 * lifted / p, target[row]
        by_lifted, by_precision = mean - y, (y - mean) * (y + mean) - 0.5 / p
        for r in range(LIVE):
            value, at = values[row, r], 2 * (first[row] + r)
            gradient[at] += value * by_lifted
            gradient[at + 1] += value * by_precision
            for s in range(r, LIVE):
                both = value * values[row, s] / p
                step = 2 * (s - r)
                bands[step, at] += 0.5 * both
                bands[step + 1, at] -= both * mean
                bands[step, at + 1] += both * (2.0 * mean * mean + 0.5 / p)
                if s > r:
                    bands[step - 1, at + 1] -= both * mean
    return gradient, bands


@kernel
def factorise(bands: Matrix) -> bool:
    """Turn bands of A into those of L with A = L L'; False if A is not positive definite."""
    size = bands.shape[1]
    for j in range(size):
        for b in range(1, min(BANDS, j + 1)):
            bands[0, j] -= bands[b, j - b] ** 2
        if not bands[0, j] > 0.0:
            return False
        bands[0, j] = sqrt(bands[0, j])
        for a in range(1, min(BANDS, size - j)):
            for b in range(1, min(BANDS - a, j + 1)):
                bands[a, j] -= bands[b, j - b] * bands[a + b, j - b]
            bands[a, j] /= bands[0, j]
    return True


@kernel
def solution(factor: Matrix, right: Vector) -> Vector:
    """Solution of A c = ``right`` from the factor of A."""
    size = len(right)
    out = right.copy()
    for j in range(size):
        for b in range(1, min(BANDS, j + 1)):
            out[j] -= factor[b, j - b] * out[j - b]
        out[j] /= factor[0, j]
    for j in range(size - 1, -1, -1):
        for a in range(1, min(BANDS, size - j)):
            out[j] -= factor[a, j] * out[j + a]
        out[j] /= factor[0, j]
    return out


@kernel
def newton_minimum(
    values: Matrix,
    first: NDArray[np.int64],
    target: Vector,
    weights: Vector,
    ridge: float,
    barrier: float,
) -> int:
    """Move the weights to the least penalised loss; the number of Newton steps taken."""
    loss = penalised_loss(values, first, target, weights, ridge, barrier)
    for step in range(100):
        gradient, bands = loss_bands(values, first, target, weights, ridge, barrier)
        if not factorise(bands):
            return step
        move = solution(bands, -gradient)
        decrease = -np.sum(gradient * move)
        if not decrease > 1e-9 * len(target) * max(barrier, 1e-3):
            return step
        length = 1.0
        for k in range(1, len(weights), 2):
            if move[k] < 0.0:
                length = min(length, -0.99 * weights[k] / move[k])
        while length > 1e-12:
            reached = weights + length * move
            new = penalised_loss(values, first, target, reached, ridge, barrier)
            if new <= loss - 0.1 * length * decrease:
                break
            length *= 0.5
        else:
            return step
        weights[:] = reached
        loss = new
    return 100


@kernel
def ridge_weights(
    values: Matrix, first: NDArray[np.int64], target: Vector, n_splines: int, ridge: float
) -> Vector:
    """Weights of the splines of both natural parameters, those of one spline side by side.

    The likeliest ones less a ridge, with weights of the precision not negative: a convex
    problem, solved by Newton steps behind a barrier that is lowered in stages.
    """
    weights = np.zeros(2 * n_splines)
    weights[1::2] = 0.5
    barrier = 1.0
    while barrier > 1e-6:
        newton_minimum(values, first, target, weights, ridge, barrier)
        barrier *= 0.1
    return weights
