"""Unsupervised inverse regression: the cause told from its effect by the effects alone.

Curves that turn a uniform latent cause into the observed effects are sampled from their
posterior. Each says how likely every cause is given an effect; how much better the same is
said by the curve that is fitted with the causes known is the loss of going without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.random import Generator

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.ordering import row_order
from bqcd.statistics.sampling import Chains, Target, hamiltonian_chains
from bqcd.statistics.scaling import unit_range

Start = Literal["published", "dispersed"]

# Nodes that stand for the uniform cause, a multiple of four.
NODES = 48
# What the features left out may add up to, as a share of the covariance.
LEFT_OUT = 1e-9
# Steps of the random walk of length scale, signal and noise after each trajectory.
WALK = 12
# Trades between signal and noise after that, and the largest change of the noise's free number.
TRADES, LARGEST_TRADE = 3, 2.0
# Of so many states of a chain, one is asked for the causes.
THIN = 2
# Where the search for the likeliest scales begins: length scales and noises.
FIRST_LENGTHS, FIRST_NOISES, FIRST_SIGNAL = (0.3, 0.6, 1.2), (0.03, 0.1, 0.3), 0.4
# And the directions it tries, in their logarithms; longer curves need larger signals.
DIRECTIONS = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 2, 0)], dtype=np.float64)
DIRECTIONS = np.concatenate((DIRECTIONS, -DIRECTIONS))


@dataclass(frozen=True, slots=True, eq=False)
class LatentCause:
    """Effects as a curve of causes that are uniform on [0, 1], plus normal noise.

    Parameters
    ----------
    cause, effect : ndarray of shape (n,)
        Observed columns, the cause from 0 to 1, the effect with range 1 and mean 0.
    bounds : ndarray of shape (3, 2)
        Least and largest length scale, signal and noise; in between all are as likely.
    quadrature : ndarray of shape (2, n_nodes)
        Nodes and weights that stand for the uniform distribution.
    n_features : int
        Features a curve is made of.
    """

    cause: Vector
    effect: Vector
    bounds: Matrix
    quadrature: Matrix
    n_features: int


def latent_cause(cause: Vector, effect: Vector, bounds: Matrix) -> LatentCause:
    """Model of two columns that vary, in any units and any order of rows.

    Bounds are in ranges of the columns.
    """
    order = row_order(cause, effect)
    target = unit_range(effect)[order]
    return LatentCause(
        cause=unit_range(cause)[order],
        effect=target - target.mean(),
        bounds=bounds,
        quadrature=_uniform_quadrature(NODES),
        n_features=_feature_count(float(bounds[0, 0])),
    )


@cache
def _uniform_quadrature(n_nodes: int) -> Matrix:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return np.array([0.5 * (nodes + 1.0), 0.5 * weights])


def _feature_count(length: float) -> int:
    """Features after which the series of the covariance, a Poisson sum, is as good as over."""
    from scipy.special import gammainc

    count = 1
    while gammainc(count, 0.25 / length**2) > LEFT_OUT:
        count += 1
    return count


def likeliest_scales(model: LatentCause) -> Vector:
    """Length scale, signal and noise under which the effects are likeliest, causes known.

    By steps along a few directions, halved when none of them leads on. Not by SciPy, whose
    search wakes all threads of the linear algebra at every step.
    """
    from bqcd.methods.models.cure_kernels import features_at, log_evidence

    rows = np.array([np.ones(len(model.cause)), model.effect])
    squares = float(model.effect @ model.effect)

    def evidence(logs: Vector) -> float:
        length, signal, noise = np.exp(logs)
        features = features_at(model.cause, length, model.n_features)
        return float(log_evidence(features, rows, squares, signal, noise))

    low, high = np.log(model.bounds).T
    grid = [np.log((length, FIRST_SIGNAL, n)) for length in FIRST_LENGTHS for n in FIRST_NOISES]
    at = max((np.clip(start, low, high) for start in grid), key=evidence)
    best, step = evidence(at), 0.4
    while step > 1e-4:
        tried = [np.clip(at + step * direction, low, high) for direction in DIRECTIONS]
        found = [evidence(there) for there in tried]
        if max(found) > best:
            best, at = max(found), tried[int(np.argmax(found))]
        else:
            step *= 0.5
    scales: Vector = np.clip(np.exp(at), *model.bounds.T)
    return scales


@dataclass(frozen=True, slots=True, eq=False)
class InverseRegression:
    """How well the causes are told from the effects, without and with their help.

    Parameters
    ----------
    losses : ndarray of shape (n_chains,)
        Mean -log density of the causes given their effects, unsupervised minus supervised,
        from each chain by itself.
    traces : mapping of str to ndarray of shape (n_chains, n_kept)
        Quantities along the chains.
    """

    losses: Vector
    traces: Mapping[str, Matrix]


def inverse_regression(
    model: LatentCause, *, warmup: int, kept: int, rngs: Sequence[Generator], start: Start
) -> InverseRegression:
    """Loss of unsupervised inverse regression, by one chain for each generator.

    Parameters
    ----------
    model : LatentCause
        Model of one direction.
    warmup, kept : int
        States of each chain that are left out, and that are used.
    rngs : sequence of Generator
        Source of randomness of each chain.
    start : {"published", "dispersed"}
        Where the chains start, see :func:`posterior_chains`.
    """
    scales = likeliest_scales(model)
    rows = np.array([np.ones(len(model.cause)), model.effect])
    supervised = -float(_log_densities(model, scales, model.cause, rows).mean())
    first = scales if start == "published" else None
    chains = posterior_chains(model, warmup=warmup, kept=kept, rngs=rngs, scales=first)
    logs = np.array(
        [
            [unsupervised_log_densities(model, state, rng) for state in states[::THIN]]
            for states, rng in zip(chains.states, rngs, strict=True)
        ]
    )
    largest = logs.max(axis=1, keepdims=True)
    mixed = np.log(np.exp(logs - largest).mean(axis=1)) + largest[:, 0]
    return InverseRegression(
        losses=-mixed.mean(axis=1) - supervised,
        traces=_traces(model, chains) | {"score": -logs.mean(axis=2)},
    )


def posterior_chains(
    model: LatentCause,
    *,
    warmup: int,
    kept: int,
    rngs: Sequence[Generator],
    scales: Vector | None = None,
) -> Chains:
    """Chains of weights and scales, given the effects.

    The first half of the warm-up is for what the second half measures its steps by.

    Parameters
    ----------
    model, warmup, kept, rngs
        As for :func:`inverse_regression`.
    scales : ndarray of shape (3,), optional
        Length scale, signal and noise to start with. By default they are drawn for each
        chain, anywhere between their bounds. Weights are drawn given the scales, as if
        the observed causes were known.
    """
    starts = np.array([_start(model, scales, rng) for rng in rngs])
    first = warmup // 2
    target = _target(model, starts)
    if first > 0:
        early = hamiltonian_chains(
            target, starts, warmup=first // 2, kept=first - first // 2, rngs=rngs
        )
        starts = early.states[:, -1]
        target = _target(model, early.states[:, ::4].reshape(-1, starts.shape[1]))
    return hamiltonian_chains(target, starts, warmup=warmup - first, kept=kept, rngs=rngs)


def unsupervised_log_densities(model: LatentCause, state: Vector, rng: Generator) -> Vector:
    """Log density of the observed causes given their effects, with latent causes in their place.

    Latent causes are drawn given the state, and mirrored if that brings them nearer to the
    observed ones.
    """
    from bqcd.methods.models.cure_kernels import latent_nodes, scales_of, sums_by_node

    effect, quadrature = model.effect, model.quadrature
    chances = rng.uniform(size=len(effect))
    latent = latent_nodes(state, effect, quadrature, model.bounds, chances)
    sums = sums_by_node(latent, effect, quadrature.shape[1])
    places = quadrature[0][latent]
    mirrored = float((places - 0.5) @ (model.cause - 0.5)) < 0.0
    cause = 1.0 - model.cause if mirrored else model.cause
    return _log_densities(model, scales_of(state, model.bounds), cause, sums)


def _log_densities(model: LatentCause, scales: Vector, cause: Vector, sums: Matrix) -> Vector:
    """Log density of causes given their effects, by a regression of the effect on the cause.

    As causes are uniform beforehand, this is the predictive density of the effect at the
    cause, divided by its integral over all causes. ``sums`` has the number and the sum of
    the effects the regression sees at each cause, or at each node.
    """
    from bqcd.methods.models.cure_kernels import features_at, weight_posterior

    length, signal, noise = scales
    m, (nodes, weights) = model.n_features, model.quadrature
    at_cause, at_nodes = (features_at(places, length, m) for places in (cause, nodes))
    seen = at_cause if sums.shape[1] == len(cause) else at_nodes
    posterior = weight_posterior(seen, sums, signal, noise)
    features = np.concatenate((at_cause, at_nodes))
    mean = signal * (features @ posterior[m])
    solved = features @ np.linalg.inv(np.tril(posterior[:m])).T
    variance = signal**2 * np.square(solved).sum(axis=1) + noise**2
    spread = np.log(variance)
    n = len(cause)
    own = -0.5 * (np.square(model.effect - mean[:n]) / variance[:n] + spread[:n])
    apart = model.effect[:, None] - mean[n:]
    others = -0.5 * (np.square(apart) / variance[n:] + spread[n:])
    largest = others.max(axis=1)
    total = np.exp(others - largest[:, None]) @ weights
    densities: Vector = own - largest - np.log(total)
    return densities


def _traces(model: LatentCause, chains: Chains) -> dict[str, Matrix]:
    """Log posterior, and logarithms of length scale, signal and noise along the chains."""
    low, high = model.bounds.T
    free = chains.states[:, :, model.n_features :]
    logs = np.log(low + (high - low) / (1.0 + np.exp(-free)))
    return {
        "log_posterior": chains.log_densities,
        "log_length": logs[:, :, 0],
        "log_signal": logs[:, :, 1],
        "log_noise": logs[:, :, 2],
    }


def _start(model: LatentCause, scales: Vector | None, rng: Generator) -> Vector:
    """State at the observed causes, its weights and, unless they are given, its scales drawn."""
    from bqcd.methods.models.cure_kernels import (
        features_at,
        scales_of,
        solve_backward,
        weight_posterior,
    )

    m = model.n_features
    low, high = model.bounds.T
    shares = rng.uniform(size=3) if scales is None else (scales - low) / (high - low)
    # At a bound the free number would be infinite.
    shares = np.clip(shares, 0.01, 0.99)
    start = np.concatenate((rng.standard_normal(m), np.log(shares / (1.0 - shares))))
    length, signal, noise = scales_of(start, model.bounds)
    rows = np.array([np.ones(len(model.cause)), model.effect])
    posterior = weight_posterior(features_at(model.cause, length, m), rows, signal, noise)
    solve_backward(posterior, start[:m])
    start[:m] += posterior[m]
    return start


def _target(model: LatentCause, states: Matrix) -> Target:
    """Posterior, with steps measured by what the effects tell at the given states."""
    from bqcd.methods.models.cure_kernels import log_posterior, refreshed

    effect, quadrature, bounds = model.effect, model.quadrature, model.bounds
    n_normals = model.n_features + 2 * WALK

    def refresh(state: Vector, rng: Generator) -> Vector:
        chances = rng.uniform(size=len(effect) + 2 * WALK)
        normals = rng.standard_normal(n_normals)
        state = refreshed(state, effect, quadrature, bounds, chances, normals)
        return _traded(model, state, rng.uniform(size=(TRADES, 3)))

    return Target(
        log_density=lambda state: log_posterior(state, effect, quadrature, bounds),
        root=_root_of_covariance(model, states),
        refresh=refresh,
    )


def _traded(model: LatentCause, state: Vector, chances: Matrix) -> Vector:
    """State after proposals to give more to the signal and less to the noise, or the reverse.

    The noise n becomes n', and the curve is stretched to keep its variance plus that of the
    noise as it was: the signal s becomes s' with s'² = s² + (n² - n'²) / c², where the curve
    has variance c² s². At given weights, ds' / ds = s / s'. The posterior is left as it is.
    """
    from bqcd.methods.models.cure_kernels import curve_at, features_at, log_posterior, scales_of

    nodes, weights = model.quadrature
    low, high = model.bounds[1]
    value = log_posterior(state, model.effect, model.quadrature, model.bounds)[0]
    for size, side, chance in chances:
        length, signal, noise = scales_of(state, model.bounds)
        unit = curve_at(features_at(nodes, length, model.n_features), state, 1.0)
        variance = max(float(weights @ np.square(unit - weights @ unit)), 1e-12)
        there = state.copy()
        there[-1] += LARGEST_TRADE * size**2 * np.sign(side - 0.5)
        square = signal**2 + (noise**2 - scales_of(there, model.bounds)[2] ** 2) / variance
        share = (np.sqrt(max(square, 0.0)) - low) / (high - low)
        if not 1e-9 < share < 1.0 - 1e-9:
            continue
        there[-2] = np.log(share / (1.0 - share))
        after = log_posterior(there, model.effect, model.quadrature, model.bounds)[0]
        # The posterior is one of free numbers; before any effects, signals are uniform.
        gain = after - _log_logistic(there[-2]) - value + _log_logistic(state[-2])
        if np.log(1.0 - chance) < gain + 0.5 * np.log(signal**2 / square):
            state, value = there, after
    return state


def _log_logistic(free: float) -> float:
    """Log density of a free number whose share of the range is uniform."""
    return -float(np.logaddexp(0.0, free) + np.logaddexp(0.0, -free))


def _root_of_covariance(model: LatentCause, states: Matrix) -> Callable[[Vector], Matrix]:
    """Root of the covariance of weights and noise at any length scale and signal.

    Trajectories leave these two alone. The precision is that of the prior plus what the
    effects tell of the values of the curve, on average over the states.
    """
    from bqcd.methods.models.cure_kernels import features_at, scales_of

    told = np.mean([_information(model, state) for state in states], axis=0)
    m, nodes = model.n_features, model.quadrature[0]
    # The free number of the noise has the curvature 1/2 of its prior, where that is largest.
    prior = np.diag(np.append(np.ones(m), 0.5))

    def root(state: Vector) -> Matrix:
        length, signal, _ = scales_of(state, model.bounds)
        seen = np.zeros((len(nodes) + 1, m + 1))
        seen[:-1, :-1] = signal * features_at(nodes, length, m)
        seen[-1, -1] = 1.0
        inverse = np.linalg.inv(np.linalg.cholesky(seen.T @ told @ seen + prior))
        found = np.zeros((m + 3, m + 1))
        found[:m], found[m + 2] = inverse[:, :m].T, inverse[:, m]
        return found

    return root


def _information(model: LatentCause, state: Vector) -> Matrix:
    """What the effects tell of the curve at each node, and of the free number of the noise.

    The sum over effects of products of two derivatives of their log densities, shape
    (n_nodes + 1, n_nodes + 1).
    """
    from bqcd.methods.models.cure_kernels import curve_at, features_at, log_slope, scales_of

    nodes, weights = model.quadrature
    length, signal, noise = scales_of(state, model.bounds)
    curve = curve_at(features_at(nodes, length, model.n_features), state, signal)
    apart = (model.effect[:, None] - curve) / noise
    logs = np.log(weights) - 0.5 * np.square(apart)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    by_noise = (shares * np.square(apart)).sum(axis=1) - 1.0
    slopes = np.column_stack((shares * apart / noise, by_noise * log_slope(state, model.bounds, 2)))
    told: Matrix = slopes.T @ slopes
    return told
