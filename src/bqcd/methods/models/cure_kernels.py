r"""Curves of a latent cause, compiled: density of the effects, moves, inverse predictions.

The cause is uniform on [0, 1], which nodes and weights of a quadrature stand for: row 0 and
row 1 of ``quadrature``, whose columns are a multiple of four. The effect is a curve plus
normal noise. The curve is :math:`f(x) = \sigma_f \sum_j w_j \varphi_j(x)` with standard normal
weights and features

.. math:: \varphi_j(x) = e^{-t^2 / 2}\, t^j / \sqrt{j!}, \qquad t = (x - 1/2) / \ell.

Their products add up to the squared-exponential covariance of length scale :math:`\ell`, by
the series of the exponential function; as :math:`|t|` is at most :math:`1 / 2\ell`, few terms
do. The derivative by :math:`\log \ell` is :math:`(t^2 - j) \varphi_j`.

A state is the m weights followed by a free number each for length scale, signal
:math:`\sigma_f` and noise. A free number u stands for the value that is the share
:math:`1 / (1 + e^{-u})` of the way from its lower to its upper bound, the rows of ``bounds``;
between them the value is uniform.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

IntVector = NDArray[np.int64]

# Terms of a sum that are so much smaller than the largest, on the log scale, are as good as
# this small; and the middle of that range, over 128.
NEGLIGIBLE = 40.0
MIDDLE = 0.5 * NEGLIGIBLE / 128.0
# Steps of the random walk are of random size, from the least on to so many times that.
LEAST_STEP, STEP_RANGE = 0.2, 15.0


@kernel
def features_at(places: Vector, length: float, n_features: int) -> Matrix:
    """Features of each place, shape (n, n_features)."""
    n = len(places)
    features = np.empty((n, n_features))
    for i in range(n):
        t = (places[i] - 0.5) / length
        value = exp(-0.5 * t * t)
        features[i, 0] = value
        for j in range(1, n_features):
            value *= t / sqrt(j)
            features[i, j] = value
    return features


@kernel
def share_of_range(free: float) -> float:
    """Share of the way from lower to upper bound that a free number stands for."""
    if free >= 0.0:
        return 1.0 / (1.0 + exp(-free))
    return exp(free) / (1.0 + exp(free))


@kernel
def scales_of(state: Vector, bounds: Matrix) -> Vector:
    """Length scale, signal and noise of a state."""
    m = len(state) - 3
    scales = np.empty(3)
    for k in range(3):
        low, high = bounds[k]
        scales[k] = low + (high - low) * share_of_range(state[m + k])
    return scales


@kernel
def log_slope(state: Vector, bounds: Matrix, k: int) -> float:
    """Derivative of the log of length scale, signal or noise by its free number."""
    low, high = bounds[k]
    share = share_of_range(state[len(state) - 3 + k])
    return float((high - low) * share * (1.0 - share) / (low + (high - low) * share))


@kernel
def log_prior_of_scales(state: Vector) -> float:
    """Log density of the free numbers."""
    value = 0.0
    for k in range(len(state) - 3, len(state)):
        far = abs(state[k])
        value -= far + 2.0 * log(1.0 + exp(-far))
    return value


@kernel
def curve_at(features: Matrix, weights: Vector, signal: float) -> Vector:
    """Values of the curve where the features are from; further weights are ignored."""
    n, m = features.shape
    curve = np.empty(n)
    for i in range(n):
        value = 0.0
        for j in range(m):
            value += features[i, j] * weights[j]
        curve[i] = signal * value
    return curve


@kernel
def small_exponential(excess: float) -> float:
    """exp(-excess), times e^20, for an excess from 0 to 40: ten digits and no call.

    The series at a 128th of the argument, seven times squared; four or more at once where
    a loop calls it.
    """
    h = MIDDLE - excess * (1.0 / 128.0)
    value = 1.0 + h * (1.0 / 7.0 + h / 56.0)
    value = 1.0 + h * (1.0 / 5.0 + h * (1.0 / 30.0) * value)
    value = 1.0 + h * (1.0 / 3.0 + h * (1.0 / 12.0) * value)
    value = 1.0 + h * (1.0 + h * 0.5 * value)
    value *= value
    value *= value
    value *= value
    value *= value
    value *= value
    value *= value
    return value * value


@kernel
def fill_shares(
    effect: float, curve: Vector, weights: Vector, noise: float, shares: Vector
) -> float:
    """Fill in each node's probability of being the cause of the effect; its log density."""
    n = len(curve)
    scale = 0.5 / (noise * noise)
    for g in range(n):
        apart = effect - curve[g]
        shares[g] = apart * apart * scale
    a, b, c, d = shares[0], shares[1], shares[2], shares[3]
    for g in range(4, n, 4):
        a = shares[g] if shares[g] < a else a
        b = shares[g + 1] if shares[g + 1] < b else b
        c = shares[g + 2] if shares[g + 2] < c else c
        d = shares[g + 3] if shares[g + 3] < d else d
    nearest = float(min(min(a, b), min(c, d)))
    for g in range(n):
        excess = shares[g] - nearest
        shares[g] = weights[g] * small_exponential(excess if excess < NEGLIGIBLE else NEGLIGIBLE)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for g in range(0, n, 4):
        a += shares[g]
        b += shares[g + 1]
        c += shares[g + 2]
        d += shares[g + 3]
    total = (a + b) + (c + d)
    inverse = 1.0 / total
    for g in range(n):
        shares[g] *= inverse
    return log(total) - 128.0 * MIDDLE - nearest - log(noise) - 0.5 * log(2.0 * pi)


@kernel
def fill_pulls(
    effect: Vector, curve: Vector, weights: Vector, noise: float, pulls: Matrix
) -> float:
    """Log density of all effects, and fill in its derivatives, each at every node.

    Row 0 of ``pulls`` is the derivative by the curve; row 1 plus one for each effect adds up
    to that by log noise.
    """
    n = len(curve)
    by_curve, by_noise, shares = np.zeros(n), np.zeros(n), np.empty(n)
    value = 0.0
    for i in range(len(effect)):
        value += fill_shares(effect[i], curve, weights, noise, shares)
        for g in range(n):
            apart = effect[i] - curve[g]
            pull = shares[g] * apart
            by_curve[g] += pull
            by_noise[g] += pull * apart
    for g in range(n):
        pulls[0, g] = by_curve[g] / (noise * noise)
        pulls[1, g] = by_noise[g] / (noise * noise)
    return value


@kernel
def log_posterior(
    state: Vector, effect: Vector, quadrature: Matrix, bounds: Matrix
) -> tuple[float, Vector]:
    """Log density of effects and state, latent causes integrated out, and its gradient."""
    nodes, weights = quadrature
    m = len(state) - 3
    length, signal, noise = scales_of(state, bounds)
    features = features_at(nodes, length, m)
    curve = curve_at(features, state, signal)
    pulls = np.empty((2, len(nodes)))
    value = fill_pulls(effect, curve, weights, noise, pulls) + log_prior_of_scales(state)
    gradient = np.zeros(m + 3)
    gradient[m + 2] = -float(len(effect))
    for g in range(len(nodes)):
        t = (nodes[g] - 0.5) / length
        pull, bend = signal * pulls[0, g], 0.0
        for j in range(m):
            gradient[j] += pull * features[g, j]
            bend += state[j] * (t * t - j) * features[g, j]
        gradient[m] += pull * bend
        gradient[m + 1] += pulls[0, g] * curve[g]
        gradient[m + 2] += pulls[1, g]
    for j in range(m):
        value -= 0.5 * state[j] * state[j]
        gradient[j] -= state[j]
    for k in range(3):
        gradient[m + k] *= log_slope(state, bounds, k)
        gradient[m + k] += 1.0 - 2.0 * share_of_range(state[m + k])
    return value, gradient


@kernel
def latent_nodes(
    state: Vector, effect: Vector, quadrature: Matrix, bounds: Matrix, chances: Vector
) -> IntVector:
    """Number of a node for each effect, drawn by its probability of being the cause.

    ``chances`` are uniform random numbers, at least one for each effect.
    """
    nodes, weights = quadrature
    length, signal, noise = scales_of(state, bounds)
    curve = curve_at(features_at(nodes, length, len(state) - 3), state, signal)
    shares, latent = np.empty(len(nodes)), np.empty(len(effect), np.int64)
    for i in range(len(effect)):
        fill_shares(effect[i], curve, weights, noise, shares)
        g, below = 0, shares[0]
        while below < chances[i] and g < len(nodes) - 1:
            g += 1
            below += shares[g]
        latent[i] = g
    return latent


@kernel
def sums_by_node(latent: IntVector, effect: Vector, n_nodes: int) -> Matrix:
    """Number and sum of the effects at each node, shape (2, n_nodes)."""
    sums = np.zeros((2, n_nodes))
    for i in range(len(effect)):
        sums[0, latent[i]] += 1.0
        sums[1, latent[i]] += effect[i]
    return sums


@kernel
def factorize(matrix: Matrix) -> None:
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor."""
    for j in range(matrix.shape[1]):
        for k in range(j + 1):
            total = matrix[j, k]
            for c in range(k):
                total -= matrix[j, c] * matrix[k, c]
            matrix[j, k] = sqrt(total) if j == k else total / matrix[k, k]


@kernel
def solve_backward(factor: Matrix, vector: Vector) -> None:
    """Replace the vector by the solution of the equations with the factor transposed."""
    m = len(vector)
    for j in range(m - 1, -1, -1):
        for k in range(j + 1, m):
            vector[j] -= factor[k, j] * vector[k]
        vector[j] /= factor[j, j]


@kernel
def weight_posterior(features: Matrix, sums: Matrix, signal: float, noise: float) -> Matrix:
    """Cholesky factor of the precision of the weights, and below it their mean.

    The precision is I + r Φᵀ Φ, the mean r / signal times its inverse times Φᵀ y, with
    r = signal² / noise². Row i of the features counts ``sums[0, i]`` times, and its effects
    add up to ``sums[1, i]``.
    """
    n, m = features.shape
    ratio = (signal / noise) ** 2
    posterior = np.zeros((m + 1, m))
    for i in range(n):
        if sums[0, i] > 0.0:
            for j in range(m):
                share = ratio * features[i, j]
                posterior[m, j] += share / signal * sums[1, i]
                for k in range(j + 1):
                    posterior[j, k] += share * sums[0, i] * features[i, k]
    for j in range(m):
        posterior[j, j] += 1.0
    factorize(posterior)
    mean = posterior[m]
    for j in range(m):
        for k in range(j):
            mean[j] -= posterior[j, k] * mean[k]
        mean[j] /= posterior[j, j]
    solve_backward(posterior, mean)
    return posterior


@kernel
def log_evidence(
    features: Matrix, sums: Matrix, squares: float, signal: float, noise: float
) -> float:
    """Log density of effects whose causes are known, weights integrated out.

    ``squares`` is the sum of the squared effects; the rest is as in :func:`weight_posterior`.
    """
    n, m = features.shape
    posterior = weight_posterior(features, sums, signal, noise)
    fit = curve_at(features, posterior[m], signal)
    left, count, value = squares, 0.0, 0.0
    for i in range(n):
        left -= sums[1, i] * fit[i]
        count += sums[0, i]
    for j in range(m):
        value -= log(posterior[j, j])
    return value - 0.5 * (left / (noise * noise) + count * log(2.0 * pi * noise * noise))


@kernel
def log_density_of_scales(
    state: Vector, sums: Matrix, squares: float, nodes: Vector, bounds: Matrix
) -> float:
    """Log density of the free numbers and of effects at known nodes, weights integrated out."""
    length, signal, noise = scales_of(state, bounds)
    features = features_at(nodes, length, len(state) - 3)
    value = log_evidence(features, sums, squares, signal, noise)
    return value + log_prior_of_scales(state)


@kernel
def refreshed(
    state: Vector,
    effect: Vector,
    quadrature: Matrix,
    bounds: Matrix,
    chances: Vector,
    normals: Vector,
) -> Vector:
    """State after a draw of latent causes, then of the scales, then of the weights.

    Each is drawn given the former, the scales with the weights integrated out and by steps
    of a random walk: of four steps, three change length scale and signal, one the noise. The
    posterior is left as it is.

    ``chances`` are uniform, one for each effect and two for each step; ``normals`` are
    standard normal, one for each weight and two for each step.
    """
    n, m = len(effect), len(state) - 3
    nodes = quadrature[0]
    latent = latent_nodes(state, effect, quadrature, bounds, chances)
    sums = sums_by_node(latent, effect, len(nodes))
    squares = 0.0
    for i in range(n):
        squares += effect[i] * effect[i]
    now, value = state, log_density_of_scales(state, sums, squares, nodes, bounds)
    for step in range((len(normals) - m) // 2):
        size = LEAST_STEP * exp(log(STEP_RANGE) * chances[n + 2 * step])
        there = now.copy()
        if step % 4 < 3:
            there[m] += size * normals[m + 2 * step]
            there[m + 1] += size * normals[m + 2 * step + 1]
        else:
            there[m + 2] += size * normals[m + 2 * step]
        after = log_density_of_scales(there, sums, squares, nodes, bounds)
        if log(1.0 - chances[n + 2 * step + 1]) < after - value:
            now, value = there, after
    length, signal, noise = scales_of(now, bounds)
    posterior = weight_posterior(features_at(nodes, length, m), sums, signal, noise)
    found = now.copy()
    found[:m] = normals[:m]
    solve_backward(posterior, found[:m])
    found[:m] += posterior[m]
    return found
