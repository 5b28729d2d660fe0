"""Likelihood of a post-nonlinear model, its slopes, and the likeliest weights.

The noise is e = a y + b x + c + Σ p A(q y + r) + Σ s A(t x + u) with A(v) = 2/π atan v, and
its density, up to a factor, is ψ'(e) with ψ(e) = Σ w A(m e + k) and w of norm 1/2. What is
made small is the mean of -log(∂e/∂y) - log ψ'(e); where either is not positive, it is infinite.
"""

from __future__ import annotations

from math import atan, exp, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

Places = NDArray[np.int64]
Model = tuple[Vector, Vector, Places, bool]

# Sigmoids of the effect and as many of the cause; components of the density.
UNITS = 6
COMPONENTS = 4
# Where the blocks of weights begin. First come a, b and c, then p, q, r, then s, t, u, then
# w, m, k.
EFFECT = 3
CAUSE = EFFECT + 3 * UNITS
NOISE = CAUSE + 3 * UNITS
WEIGHTS = NOISE + 3 * COMPONENTS
SCALE = 2.0 / pi
# No weight moves further in the first step. Steps must bring this share of what the slopes
# promise, or are made shorter, so many times at most.
FIRST_STEP = 0.1
LEAST_SHARE = 1e-4
SHORTER = 0.4
MOST_TRIALS = 25
LEAST_CURVATURE = 1e-12
# Training ends where no slope is larger, or after so many steps that gain no more than this.
FLAT = 1e-5
PATIENCE = 10
LEAST_GAIN = 1e-9


@kernel
def fill_branch(at: float, weights: Vector, first: int, parts: Matrix) -> tuple[float, float]:
    """Sum of the sigmoids of a block of weights, and its derivative; ``parts`` are A, A', A''."""
    total, slope = 0.0, 0.0
    for h in range(UNITS):
        height, steepness = weights[first + h], weights[first + UNITS + h]
        v = steepness * at + weights[first + 2 * UNITS + h]
        share = 1.0 / (1.0 + v * v)
        parts[0, h] = SCALE * atan(v)
        parts[1, h] = SCALE * share
        parts[2, h] = -2.0 * v * share * parts[1, h]
        total += height * parts[0, h]
        slope += height * steepness * parts[1, h]
    return total, slope


@kernel
def add_branch(
    at: float, weights: Vector, first: int, parts: Matrix, by: tuple[float, float], slopes: Vector
) -> None:
    """Add what a row gives to the slopes of a block; ``by`` are those of the sum and its slope."""
    by_sum, by_slope = by
    for h in range(UNITS):
        height, steepness = weights[first + h], weights[first + UNITS + h]
        inner = height * (by_sum * parts[1, h] + by_slope * steepness * parts[2, h])
        slopes[first + h] += by_sum * parts[0, h] + by_slope * steepness * parts[1, h]
        slopes[first + UNITS + h] += inner * at + by_slope * height * parts[1, h]
        slopes[first + 2 * UNITS + h] += inner


@kernel
def fill_density(noise: float, weights: Vector, parts: Matrix) -> tuple[float, float]:
    """Density of the noise and its derivative; ``parts`` are A' and A'' of its components."""
    density, slope = 0.0, 0.0
    for k in range(COMPONENTS):
        height, steepness = weights[NOISE + k], weights[NOISE + COMPONENTS + k]
        v = steepness * noise + weights[NOISE + 2 * COMPONENTS + k]
        share = 1.0 / (1.0 + v * v)
        parts[0, k] = SCALE * share
        parts[1, k] = -2.0 * v * share * parts[0, k]
        density += height * steepness * parts[0, k]
        slope += height * steepness * steepness * parts[1, k]
    return density, slope


@kernel
def add_density(
    noise: float, weights: Vector, parts: Matrix, by_density: float, slopes: Vector
) -> None:
    """Add what a row gives to the slopes of the density's weights."""
    for k in range(COMPONENTS):
        height, steepness = weights[NOISE + k], weights[NOISE + COMPONENTS + k]
        inner = by_density * height * steepness * parts[1, k]
        slopes[NOISE + k] += by_density * steepness * parts[0, k]
        slopes[NOISE + COMPONENTS + k] += inner * noise + by_density * height * parts[0, k]
        slopes[NOISE + 2 * COMPONENTS + k] += inner


@kernel
def model_weights(free: Vector, monotone: bool) -> tuple[Vector, float]:
    """Weights of the model, and the factor by which those w of the density were divided.

    If monotone, a, p and q are given by their logarithms: the noise increases with the effect.
    """
    weights = free.copy()
    if monotone:
        weights[0] = exp(free[0])
        for j in range(EFFECT, EFFECT + 2 * UNITS):
            weights[j] = exp(free[j])
    squares = 0.0
    for j in range(NOISE, NOISE + COMPONENTS):
        squares += weights[j] * weights[j]
    size = sqrt(COMPONENTS * squares)
    for j in range(NOISE, NOISE + COMPONENTS):
        weights[j] /= size
    return weights, size


@kernel
def free_slopes(weights: Vector, size: float, monotone: bool, slopes: Vector) -> None:
    """Turn slopes by the weights of the model into those by what they were made of."""
    along = 0.0
    for j in range(NOISE, NOISE + COMPONENTS):
        along += slopes[j] * weights[j]
    for j in range(NOISE, NOISE + COMPONENTS):
        slopes[j] = (slopes[j] - COMPONENTS * along * weights[j]) / size
    if monotone:
        slopes[0] *= weights[0]
        for j in range(EFFECT, EFFECT + 2 * UNITS):
            slopes[j] *= weights[j]


@kernel
def code_length(
    cause: Vector, effect: Vector, free: Vector, monotone: bool, slopes: Vector
) -> float:
    """Mean of -log(∂e/∂y) - log ψ'(e) over the rows; its derivatives are put into ``slopes``."""
    weights, size = model_weights(free, monotone)
    of_effect, of_cause = np.empty((3, UNITS)), np.empty((3, UNITS))
    of_noise = np.empty((2, COMPONENTS))
    slopes[:] = 0.0
    total = 0.0
    for i in range(len(cause)):
        x, y = cause[i], effect[i]
        bent_y, slope_y = fill_branch(y, weights, EFFECT, of_effect)
        bent_x, _ = fill_branch(x, weights, CAUSE, of_cause)
        noise = weights[0] * y + weights[1] * x + weights[2] + bent_y + bent_x
        stretch = weights[0] + slope_y
        density, bend = fill_density(noise, weights, of_noise)
        if not (stretch > 0.0 and density > 0.0):
            return inf
        total -= log(stretch) + log(density)
        by_noise, by_stretch = -bend / density, -1.0 / stretch
        slopes[0] += by_noise * y + by_stretch
        slopes[1] += by_noise * x
        slopes[2] += by_noise
        add_branch(y, weights, EFFECT, of_effect, (by_noise, by_stretch), slopes)
        add_branch(x, weights, CAUSE, of_cause, (by_noise, 0.0), slopes)
        add_density(noise, weights, of_noise, -1.0 / density, slopes)
    slopes /= len(cause)
    free_slopes(weights, size, monotone, slopes)
    return total / len(cause)


@kernel
def recovered_noise(cause: Vector, effect: Vector, free: Vector, monotone: bool) -> Vector:
    """Noise of each row."""
    weights, _ = model_weights(free, monotone)
    parts = np.empty((3, UNITS))
    noise = np.empty(len(cause))
    for i in range(len(cause)):
        bent_y, _ = fill_branch(effect[i], weights, EFFECT, parts)
        bent_x, _ = fill_branch(cause[i], weights, CAUSE, parts)
        straight = weights[0] * effect[i] + weights[1] * cause[i] + weights[2]
        noise[i] = straight + bent_y + bent_x
    return noise


@kernel
def product(matrix: Matrix, vector: Vector) -> Vector:
    """Matrix times vector, summed from left to right."""
    result = np.zeros(len(matrix))
    for j in range(len(matrix)):
        for k in range(len(vector)):
            result[j] += matrix[j, k] * vector[k]
    return result


@kernel
def update_inverse(inverse: Matrix, step: Vector, change: Vector) -> None:
    """Broyden, Fletcher, Goldfarb and Shanno's update of an inverse matrix of curvatures.

    Left as it is where slopes do not increase along the step.
    """
    curvature = (step * change).sum()
    if not curvature > LEAST_CURVATURE:
        return
    moved = product(inverse, change)
    factor = (1.0 + (change * moved).sum() / curvature) / curvature
    for j in range(len(step)):
        for k in range(len(step)):
            crossed = moved[j] * step[k] + step[j] * moved[k]
            inverse[j, k] += factor * step[j] * step[k] - crossed / curvature


@kernel
def move_along(
    model: Model, free: Vector, slopes: Vector, way: Vector, share: float, length: float
) -> tuple[float, float]:
    """Go a share of the way, or less until enough is gained: that share and the new length.

    Weights and slopes are replaced by the new ones. The share is 0 if no step was taken.
    """
    cause, effect, places, monotone = model
    promise = (way * slopes[places]).sum()
    trial, trial_slopes = free.copy(), slopes.copy()
    for _ in range(MOST_TRIALS):
        for j in range(len(places)):
            trial[places[j]] = free[places[j]] + share * way[j]
        trial_length = code_length(cause, effect, trial, monotone, trial_slopes)
        if trial_length <= length + LEAST_SHARE * share * promise:
            free[:] = trial
            slopes[:] = trial_slopes
            return share, trial_length
        share *= SHORTER
    return 0.0, length


@kernel
def train(model: Model, free: Vector, most_steps: int) -> float:
    """Improve weights until nothing is gained; the code length reached.

    Parameters
    ----------
    model : tuple
        Cause, effect, places of the weights that may change, and whether the model is
        monotone.
    free : ndarray of shape (WEIGHTS,)
        Weights, replaced by better ones.
    most_steps : int
        Most quasi-Newton steps.
    """
    cause, effect, places, monotone = model
    slopes = np.empty(WEIGHTS)
    length = code_length(cause, effect, free, monotone, slopes)
    inverse = np.eye(len(places))
    poor_steps = 0
    for steps in range(most_steps):
        before, length_before = slopes[places], length
        steepest = np.abs(before).max()
        if steepest < FLAT or poor_steps == PATIENCE:
            break
        way = -product(inverse, before)
        first_share = 1.0 if steps > 0 else FIRST_STEP / max(steepest, FIRST_STEP)
        share, length = move_along(model, free, slopes, way, first_share, length)
        if share == 0.0:
            break
        step, change = share * way, slopes[places] - before
        if steps == 0 and (step * change).sum() > 0.0:
            inverse *= (step * change).sum() / (change * change).sum()
        update_inverse(inverse, step, change)
        poor_steps = poor_steps + 1 if length_before - length < LEAST_GAIN else 0
    return length
