"""CURE: formulas against dense matrices, the sampler against brute force, simulated pairs."""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal, norm

from bqcd.data.pair import Pair
from bqcd.methods.cure import CURE
from bqcd.methods.models.cure_kernels import (
    features_at,
    latent_nodes,
    log_evidence,
    log_posterior,
    scales_of,
    small_exponential,
    weight_posterior,
)
from bqcd.methods.models.cure_model import (
    inverse_regression,
    latent_cause,
    likeliest_scales,
    posterior_chains,
    unsupervised_log_densities,
)
from bqcd.statistics.gaussian_process import Covariance, log_likelihood
from bqcd.statistics.sampling import effective_sample_size, split_rhat
from tests.methods.trials import accuracies, benchmark, share_right

BOUNDS = np.array([[0.3, 2.0], [0.1, 1.0], [0.05, 0.5]])
REGULAR = np.array([[0.8, 2.0], [0.1, 1.0], [0.05, 0.5]])
QUICK = {"max_rows": 60, "draws": 1, "chains": 2, "warmup": 0, "kept": 8}


def cubic(n: int, seed: int, noise: float = 0.25) -> tuple[np.ndarray, np.ndarray]:
    """The published f(x) = 2 x³ + x of a uniform cause; noise in deviations of f."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    bent = 2.0 * x**3 + x
    return x, bent + noise * bent.std() * rng.normal(size=n)


def random_state(n_features: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate((rng.normal(size=n_features), rng.normal(size=3)))


def dense_covariance(places: np.ndarray, scales: np.ndarray) -> np.ndarray:
    length, signal, noise = scales
    gram = signal**2 * np.exp(-0.5 * ((places[:, None] - places) / length) ** 2)
    return gram + noise**2 * np.eye(len(places))


@pytest.mark.parametrize("length", [0.3, 0.5, 2.0])
def test_products_of_features_are_the_covariance(length):
    places = np.linspace(0.0, 1.0, 41)
    model = latent_cause(places, places**2, BOUNDS)
    features = features_at(places, length, model.n_features)
    gram = np.exp(-0.5 * ((places[:, None] - places) / length) ** 2)
    np.testing.assert_allclose(features @ features.T, gram, rtol=0.0, atol=2e-9)


def test_the_quick_exponential_has_ten_digits():
    excess = np.linspace(0.0, 40.0, 1001)
    found = np.array([small_exponential(value) for value in excess]) * np.exp(-20.0)
    np.testing.assert_allclose(found, np.exp(-excess), rtol=1e-10)


@pytest.mark.parametrize("scales", [(0.3, 0.5, 0.05), (0.8, 1.0, 0.2), (2.0, 0.1, 0.5)])
def test_evidence_at_known_causes_is_that_of_dense_matrices(scales):
    x, y = cubic(60, 0)
    model = latent_cause(x, y, BOUNDS)
    features = features_at(model.cause, scales[0], model.n_features)
    rows = np.array([np.ones(60), model.effect])
    squares = float(model.effect @ model.effect)
    dense = multivariate_normal(cov=dense_covariance(model.cause, scales)).logpdf(model.effect)
    assert log_evidence(features, rows, squares, *scales[1:]) == pytest.approx(dense, abs=1e-5)


def direct_log_posterior(state, effect, model) -> float:
    """The same by sums over many more nodes, every cause for itself."""
    length, signal, noise = model.bounds[:, 0] + np.ptp(model.bounds, axis=1) * expit(state[-3:])
    t = (np.linspace(0.0, 1.0, 20_001)[:, None] - 0.5) / length
    j = np.arange(model.n_features)
    factorials = np.cumprod(np.maximum(j, 1))
    curve = signal * (np.exp(-0.5 * t**2) * t**j / np.sqrt(factorials)) @ state[:-3]
    density = norm.pdf(effect[:, None], curve, noise)
    value = np.log(np.trapezoid(density, dx=1.0 / 20_000, axis=1)).sum()
    shares = expit(state[-3:])
    prior = -0.5 * float(state[:-3] @ state[:-3]) + np.log(shares * (1.0 - shares)).sum()
    return float(value + prior)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_posterior_integrates_over_every_latent_cause(seed):
    model = latent_cause(*cubic(30, seed), BOUNDS)
    state = random_state(model.n_features, seed)
    value, _ = log_posterior(state, model.effect, model.quadrature, model.bounds)
    assert value == pytest.approx(direct_log_posterior(state, model.effect, model), abs=1e-3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_gradient_is_the_slope_of_the_posterior(seed):
    model = latent_cause(*cubic(30, seed), BOUNDS)
    state = random_state(model.n_features, seed)

    def value(at):
        return log_posterior(at, model.effect, model.quadrature, model.bounds)[0]

    _, gradient = log_posterior(state, model.effect, model.quadrature, model.bounds)
    slope = [
        (value(state + step) - value(state - step)) / 2e-5 for step in 1e-5 * np.eye(len(state))
    ]
    np.testing.assert_allclose(gradient, slope, rtol=1e-5, atol=1e-4)


def test_effects_far_from_the_curve_are_unlikely_but_not_impossible():
    model = latent_cause(*cubic(30, 0), BOUNDS)
    state = random_state(model.n_features, 0)
    state[-1] = -20.0
    far = np.array([50.0])
    value, gradient = log_posterior(state, far, model.quadrature, model.bounds)
    # Some thousand deviations of the least noise.
    assert -1e6 < value < -1e5
    assert np.isfinite(gradient).all()


def test_latent_causes_are_drawn_by_their_probabilities():
    model = latent_cause(*cubic(30, 3), BOUNDS)
    state = random_state(model.n_features, 3)
    nodes, weights = model.quadrature
    length, signal, noise = scales_of(state, model.bounds)
    curve = signal * features_at(nodes, length, model.n_features) @ state[:-3]
    shares = weights * norm.pdf(model.effect[4], curve, noise)
    shares /= shares.sum()
    chances = (np.arange(4000) + 0.5) / 4000
    repeated = np.full(4000, model.effect[4])
    drawn = latent_nodes(state, repeated, model.quadrature, model.bounds, chances)
    found = np.bincount(drawn, minlength=len(nodes)) / 4000
    np.testing.assert_allclose(found, shares, rtol=0.0, atol=3e-4)


def test_likeliest_scales_are_flat_or_at_a_bound():
    model = latent_cause(*cubic(80, 4), BOUNDS)
    found = likeliest_scales(model)
    value, gradient = log_likelihood(model.cause, model.effect, Covariance(*found))
    inside = (found > 1.001 * BOUNDS[:, 0]) & (found < 0.999 * BOUNDS[:, 1])
    assert inside[2]
    np.testing.assert_allclose(gradient[inside], 0.0, atol=0.05)
    for other in np.random.default_rng(0).uniform(*BOUNDS.T, size=(50, 3)):
        assert log_likelihood(model.cause, model.effect, Covariance(*other))[0] < value + 1e-6


def dense_log_densities(model, scales, latent, cause) -> np.ndarray:
    """log p(cause | effect) from predictions by dense matrices, on a fine grid."""
    length, signal, noise = scales
    inverse = np.linalg.inv(dense_covariance(latent, scales))
    grid = np.linspace(0.0, 1.0, 4001)

    def predicted(places):
        cross = signal**2 * np.exp(-0.5 * ((places[:, None] - latent) / length) ** 2)
        variance = signal**2 + noise**2 - np.sum(cross @ inverse * cross, axis=1)
        return cross @ inverse @ model.effect, np.sqrt(variance)

    own = norm.logpdf(model.effect, *predicted(cause))
    everywhere = norm.pdf(model.effect[:, None], *predicted(grid))
    return own - np.log(np.trapezoid(everywhere, grid, axis=1))


@pytest.mark.parametrize("mirrored", [False, True])
def test_inverse_densities_are_those_of_dense_matrices(mirrored):
    model = latent_cause(*cubic(40, 5), BOUNDS)
    # A curve near the data, or its mirror image: odd features change their sign.
    start = random_state(model.n_features, 5)
    start[-1] = -2.0
    length, signal, noise = scales_of(start, BOUNDS)
    rows = np.array([np.ones(40), model.effect])
    features = features_at(model.cause, length, model.n_features)
    start[:-3] = weight_posterior(features, rows, signal, noise)[-1]
    if mirrored:
        start[1:-3:2] *= -1.0
    found = unsupervised_log_densities(model, start, np.random.default_rng(1))
    chances = np.random.default_rng(1).uniform(size=40)
    latent = model.quadrature[0][
        latent_nodes(start, model.effect, model.quadrature, BOUNDS, chances)
    ]
    if mirrored:
        latent = 1.0 - latent
    assert np.corrcoef(latent, model.cause)[0, 1] > 0.8
    expected = dense_log_densities(model, (length, signal, noise), latent, model.cause)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-3)


def importance_sample(effect: np.ndarray, n: int) -> dict[str, tuple[float, float]]:
    """Posterior means and their errors, from uniform draws of causes and scales, weighted."""
    rng = np.random.default_rng(6)
    latent = rng.uniform(size=(n, len(effect)))
    length, signal, noise = rng.uniform(*BOUNDS.T, size=(n, 3)).T[:, :, None, None]
    gram = signal**2 * np.exp(-0.5 * ((latent[:, :, None] - latent[:, None]) / length) ** 2)
    factor = np.linalg.cholesky(gram + noise**2 * np.eye(len(effect)))
    solved = np.linalg.solve(factor, np.broadcast_to(effect[:, None], (n, len(effect), 1)))
    logs = -0.5 * np.square(solved).sum(axis=(1, 2))
    logs -= np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    weights = np.exp(logs - logsumexp(logs))
    quantities = {
        "length": length.ravel(),
        "signal": signal.ravel(),
        "noise": noise.ravel(),
        "first and last": np.abs(latent[:, 0] - latent[:, -1]),
        "first and second": np.abs(latent[:, 0] - latent[:, 1]),
        "outside": np.abs(latent[:, -1] - 0.5),
    }
    means = {name: float(weights @ values) for name, values in quantities.items()}
    return {
        name: (mean, sqrt(float(np.square(weights * (quantities[name] - mean)).sum())))
        for name, mean in means.items()
    }


def test_chains_have_the_posterior_means_of_brute_force():
    cause, effect = np.linspace(0.0, 1.0, 4), np.array([0.0, 0.1, 0.3, 1.0])
    model = latent_cause(cause, effect, BOUNDS)
    rngs = [np.random.default_rng([7, chain]) for chain in range(4)]
    chains = posterior_chains(model, warmup=100, kept=700, rngs=rngs)
    scales = np.array([[scales_of(state, BOUNDS) for state in chain] for chain in chains.states])
    latent = np.array(
        [
            [
                model.quadrature[0][
                    latent_nodes(state, model.effect, model.quadrature, BOUNDS, rng.uniform(size=4))
                ]
                for state in chain
            ]
            for chain, rng in zip(chains.states, rngs, strict=True)
        ]
    )
    traces = {
        "length": scales[:, :, 0],
        "signal": scales[:, :, 1],
        "noise": scales[:, :, 2],
        "first and last": np.abs(latent[:, :, 0] - latent[:, :, 3]),
        "first and second": np.abs(latent[:, :, 0] - latent[:, :, 1]),
        "outside": np.abs(latent[:, :, 3] - 0.5),
    }
    for name, (expected, error) in importance_sample(model.effect, 100_000).items():
        trace = traces[name]
        assert split_rhat(trace) < 1.03, name
        own = trace.std() / sqrt(effective_sample_size(trace))
        assert abs(trace.mean() - expected) < 4.0 * sqrt(own**2 + error**2), name


def fit(cause, effect, seed: int = 0, start: str = "published", **settings: int):
    lengths = {"warmup": 80, "kept": 160} | settings
    rngs = [np.random.default_rng([seed, chain]) for chain in range(4)]
    model = latent_cause(cause, effect, REGULAR)
    return inverse_regression(model, rngs=rngs, start=start, **lengths)


def test_chains_of_a_clear_pair_agree_and_so_do_repetitions():
    x, y = cubic(60, 8)
    first, second = (fit(x, y, seed) for seed in (0, 1))
    for quantity, trace in first.traces.items():
        assert split_rhat(trace) < 1.1, quantity
    spread = np.concatenate((first.losses, second.losses)).std(ddof=1)
    assert abs(first.losses.mean() - second.losses.mean()) < 4.0 * spread * sqrt(2 / 4)
    assert fit(y, x).losses.min() > first.losses.max()


def signed_power(values: np.ndarray, power: float) -> np.ndarray:
    return np.sign(values) * np.abs(values) ** power


def published_pair(rng, *, uniform: bool, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Cause uniform, or sub-Gaussian by the power 0.7; 200 rows."""
    x = rng.uniform(size=200) if uniform else signed_power(rng.normal(size=200), 0.7)
    bent = 2.0 * x**3 + x
    return x, bent + noise * bent.std() * rng.normal(size=200)


def test_the_published_curve_of_a_uniform_cause_is_solved():
    method = CURE(chains=2, warmup=30, kept=30)
    draw = partial(published_pair, uniform=True, noise=0.25)
    assert share_right(method, draw, 5) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.25, 0.45, 0.8])
@pytest.mark.parametrize("uniform", [True, False], ids=["uniform", "sub-Gaussian"])
def test_uniform_and_sub_gaussian_causes_are_found_as_published(uniform, noise):
    # "CURE infers correctly the causal direction" of these, at 200 rows and ten repetitions.
    draw = partial(published_pair, uniform=uniform, noise=noise)
    assert share_right(CURE(max_rows=0), draw, 10) >= 0.9


def flattening(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, np.sqrt(x + 0.05) + 0.02 * rng.normal(size=n)


@pytest.mark.parametrize("seed", range(10, 16))
def test_few_states_do_for_an_easy_pair(seed):
    verdict = CURE(**QUICK).decide(Pair(*flattening(500, seed)), np.random.default_rng(0))
    assert verdict.confidence > 0.0


def test_evidence_tells_rows_chains_and_their_agreement():
    method = CURE(**{**QUICK, "draws": 2})
    x, y = np.random.default_rng(1).normal(size=(2, 300))
    told = method.evidence(Pair(x, y), np.random.default_rng(0))
    assert told.n_rows == 60
    assert told.facts["draws"] == 2
    assert told.facts["chains"] == 2
    assert 0 < told.facts["isolated_rows"] < 100
    for direction in ("x_to_y", "y_to_x"):
        assert 0.9 < told.facts[f"{direction}_score_rhat"] <= told.facts[f"{direction}_rhat"]
        assert told.facts[f"{direction}_spread"] > 0.0
    everything = CURE(**QUICK | {"max_rows": 0, "min_density": None})
    assert everything.evidence(Pair(x, y), np.random.default_rng(0)).n_rows == 300


@pytest.mark.data
@pytest.mark.slow
def test_tuebingen_accuracies(data_home):
    # The table of the bQCD paper has 0.60 and, with weights, 0.54; the authors found 0.75 with
    # weights on 81 of the pairs, with bounds unknown to us. Asserted is what was measured here.
    method = CURE(chains=2, warmup=50, kept=80)
    found = accuracies(method, benchmark("tuebingen", data_home))
    assert found == pytest.approx((0.58, 0.65), abs=0.08)
