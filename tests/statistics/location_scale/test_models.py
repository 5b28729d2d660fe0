"""Location-scale models: other optimisers, densities of SciPy, and curves that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import digamma
from scipy.stats import norm, t
from sklearn.preprocessing import SplineTransformer

from bqcd.statistics.location_scale import models as location_scale
from bqcd.statistics.location_scale import network_kernels as networks
from bqcd.statistics.location_scale import spline_kernels as splines
from bqcd.statistics.location_scale.models import (
    network_model,
    network_start,
    scaled_rows,
    spline_model,
)

every_noise = pytest.mark.parametrize("noise", ["gaussian", "student"])


def fan(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A wave whose noise is five times as wide on the right as on the left."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-2.0, 2.0, n))
    return x, wave(x) + spread(x) * rng.normal(size=n)


def wave(x: np.ndarray) -> np.ndarray:
    return np.sin(2.0 * x)


def spread(x: np.ndarray) -> np.ndarray:
    return 0.3 + 0.1 * x


def test_columns_are_scaled_as_scikit_learn_does_and_put_in_order():
    x, y = np.array([4.0, 1.0, 1.0, 9.0]), np.array([2.0, 7.0, 5.0, 1.0])
    given, target = scaled_rows(x, y)
    np.testing.assert_allclose(given, (np.sort(x) - x.mean()) / x.std(), rtol=1e-14)
    np.testing.assert_allclose(target, (np.array([5.0, 7.0, 2.0, 1.0]) - y.mean()) / y.std())


# -- splines ---------------------------------------------------------------------------


def dense_splines(x: np.ndarray) -> np.ndarray:
    return np.asarray(SplineTransformer(n_knots=25, degree=5).fit_transform(x[:, None]))


def unit(x: np.ndarray) -> np.ndarray:
    return (x - x.min()) / np.ptp(x)


def test_splines_are_those_of_scikit_learn():
    x, _ = fan(300)
    values, first = splines.quintic_values(unit(x), 24)
    dense = np.zeros((300, 29))
    np.put_along_axis(dense, first[:, None] + np.arange(6), values, axis=1)
    np.testing.assert_allclose(dense, dense_splines(x), rtol=0.0, atol=1e-12)


def dense_loss(weights: np.ndarray, basis: np.ndarray, y: np.ndarray) -> float:
    """-log likelihood and half the ridge times squared weights, by SciPy's density."""
    lifted, precision = basis @ weights[::2], basis @ weights[1::2]
    density = norm.logpdf(y, 0.5 * lifted / precision, np.sqrt(0.5 / precision))
    return float(0.5e-5 * np.square(weights).sum() - density.sum())


def dense_slopes(weights: np.ndarray, basis: np.ndarray, y: np.ndarray) -> np.ndarray:
    lifted, p = basis @ weights[::2], basis @ weights[1::2]
    slopes = 1e-5 * weights
    slopes[::2] += basis.T @ (0.5 * lifted / p - y)
    slopes[1::2] += basis.T @ (y**2 - 0.25 * np.square(lifted / p) - 0.5 / p)
    return slopes


def test_derivatives_are_those_of_finite_differences():
    x, y = fan(80)
    basis, (values, first) = dense_splines(x), splines.quintic_values(unit(x), 24)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, 58)
    rows = splines.basis_rows(values)
    gradient, bands = splines.penalty_bands(weights, 1e-5, 0.0)
    slopes = splines.row_slopes(splines.all_natural_parameters(rows, first, weights), y)
    splines.add_rows(rows, first, slopes, gradient, bands)
    np.testing.assert_allclose(gradient, dense_slopes(weights, basis, y), atol=1e-10)
    step = 1e-5 * np.eye(58)
    found = np.array([dense_slopes(weights + move, basis, y) for move in step])
    found = (found - [dense_slopes(weights - move, basis, y) for move in step]) / 2e-5
    matrix = sum(np.diag(bands[: 58 - k, k], -k) for k in range(12))
    matrix = matrix + np.tril(matrix, -1).T
    np.testing.assert_allclose(matrix, found, atol=1e-6)


@pytest.mark.parametrize("digits", [None, 1], ids=["no ties", "ties"])
def test_the_minimum_is_that_of_another_optimiser(digits):
    x, y = scaled_rows(*fan(200, seed=2))
    if digits is not None:
        x, y = x.round(digits), y.round(digits)
    basis = dense_splines(x)
    other = minimize(
        dense_loss,
        np.tile([0.0, 0.5], 29),
        (basis, y),
        jac=dense_slopes,
        method="L-BFGS-B",
        bounds=[(None, None), (1e-9, None)] * 29,
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-14, "gtol": 1e-8},
    )
    values, first = splines.quintic_values(unit(x), 24)
    weights = splines.ridge_weights(values, first, y, 29, 1e-5)
    assert weights[1::2].min() > 0.0
    # The barrier leaves 29 weights times 1e-6.
    assert dense_loss(weights, basis, y) == pytest.approx(other.fun, abs=3e-5)
    model = spline_model(x, y)
    np.testing.assert_allclose(model.scale, np.sqrt(0.5 / (basis @ other.x[1::2])), atol=1e-4)
    without = other.fun - 0.5e-5 * np.square(other.x).sum()
    assert model.loss == pytest.approx(without / 200, abs=1e-6)


def test_splines_find_location_and_scale():
    x, y = fan(5_000)
    model = spline_model(x, y)
    inside = np.abs(x) < 1.9
    # Some twenty-five numbers are read off 5,000 rows: standard errors of 7 % of the spread.
    assert np.abs((model.location - wave(x)) / spread(x))[inside].max() < 0.3
    assert np.abs(np.log(model.scale / spread(x)))[inside].max() < 0.3
    assert np.mean(model.residuals**2) == pytest.approx(1.0, abs=1e-3)
    entropy = np.mean(np.log(spread(x))) + 0.5 * np.log(2.0 * np.pi * np.e)
    assert model.loss == pytest.approx(entropy, abs=0.03)


def test_a_function_without_noise_has_a_small_scale_that_is_not_zero():
    x = np.linspace(-1.7, 1.7, 200)
    model = spline_model(x, wave(x))
    assert 0.0 < model.scale.min() <= model.scale.max() < 0.1
    assert np.isfinite(model.residuals).all()


# -- network ---------------------------------------------------------------------------


def test_hyperbolic_tangents_are_those_of_numpy():
    slopes, hidden = np.linspace(-12.0, 12.0, 1_000), np.empty(1_000)
    networks.activate(1.0, slopes, np.zeros(1_000), hidden)
    np.testing.assert_allclose(hidden, np.tanh(slopes), rtol=0.0, atol=5e-8)
    near = np.abs(slopes) < 4.0
    np.testing.assert_allclose(hidden[near], np.tanh(slopes[near]), rtol=0.0, atol=1e-10)


def test_exponentials_and_logarithms_are_those_of_numpy():
    exponents, found = np.linspace(-31.0, 31.0, 1_001), np.empty(1_001)
    networks.exponentials(exponents, found)
    np.testing.assert_allclose(found, np.exp(np.clip(exponents, -30.0, 30.0)), rtol=3e-7)
    near = np.abs(exponents) < 10.0
    np.testing.assert_allclose(found[near], np.exp(exponents[near]), rtol=1e-10)
    networks.logarithms(np.exp(exponents), found)
    np.testing.assert_allclose(found, exponents, rtol=0.0, atol=1e-11)


def test_rises_of_digamma_are_those_of_scipy():
    for a in (1.0, 1.01, 2.5, 40.0, 1e6):
        assert networks.digamma_rise(a) == pytest.approx(digamma(a + 0.5) - digamma(a), abs=2e-9)


def bent_start(noise: str) -> np.ndarray:
    """Parameters with heads that are not zero, so that every derivative counts."""
    rng = np.random.default_rng(3)
    start = network_start(rng, noise=noise)
    start[-2:] = rng.normal(size=2)
    return start


def scipy_loss(parameters: np.ndarray, x: np.ndarray, y: np.ndarray, noise: str) -> float:
    """Mean of -log density and penalty, the network written out."""
    n_outputs = 2 if noise == "gaussian" else 3
    weights = parameters[: 100 * (2 + n_outputs)].reshape(-1, 100)
    biases, heads = parameters[100 * (2 + n_outputs) :].reshape(2, n_outputs)
    hidden = np.tanh(np.outer(x, weights[0]) + weights[1])
    outputs = (heads * (hidden @ weights[2:].T + biases)).T
    if noise == "gaussian":
        variance = np.exp(-outputs[1])
        return float(-norm.logpdf(y, outputs[0] * variance, np.sqrt(variance)).mean())
    alpha, beta = 1.0 + np.exp(outputs[1]), np.exp(outputs[2])
    density = t.logpdf(y, 2.0 * alpha, outputs[0], np.sqrt(beta / alpha))
    return float(np.mean(np.square(alpha / (alpha - 1.0))) / len(y) - density.mean())


def gradient_at(parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Back-propagation with a node at each of the increasing points."""
    starts, gradient = np.append(np.arange(len(x) - 1), len(x)), np.empty_like(parameters)
    shares = (np.arange(len(x)) == len(x) - 1).astype(float)
    networks.loss_gradient(x, y, starts, shares, parameters, gradient)
    return gradient


@every_noise
def test_back_propagation_gives_the_gradient_of_finite_differences(noise):
    x, y = fan(60)
    start = bent_start(noise)
    gradient = gradient_at(start, x, y)
    places = [*range(0, len(start), 7), *range(len(start) - 6, len(start))]
    for at in places:
        move = np.zeros_like(start)
        move[at] = 1e-5
        rise = scipy_loss(start + move, x, y, noise) - scipy_loss(start - move, x, y, noise)
        assert gradient[at] == pytest.approx(rise / 2e-5, rel=1e-5, abs=1e-8), at


@every_noise
def test_training_takes_the_steps_of_adam_at_falling_rates(noise):
    x, y = fan(40)
    parameters = bent_start(noise)
    means = squares = np.zeros_like(parameters)
    for step in range(20):
        gradient = gradient_at(parameters, x, y)
        means = 0.9 * means + 0.1 * gradient
        squares = 0.999 * squares + 0.001 * gradient**2
        rate = 1e-6 + (1e-2 - 1e-6) * np.cos(0.5 * np.pi * step / 20) ** 2
        mean, square = means / (1.0 - 0.9 ** (step + 1)), squares / (1.0 - 0.999 ** (step + 1))
        parameters = parameters - rate * mean / (np.sqrt(square) + 1e-8)
    model = network_model(x, y, start=bent_start(noise), steps=20)
    expected = scipy_loss(parameters, x, y, noise)
    # The loss is told without the penalty.
    expected -= penalty(parameters, x) if noise == "student" else 0.0
    assert model.loss == pytest.approx(expected, abs=1e-9)


def penalty(parameters: np.ndarray, x: np.ndarray) -> float:
    weights = parameters[:500].reshape(5, 100)
    hidden = np.tanh(np.outer(x, weights[0]) + weights[1])
    exponent = parameters[-2] * (hidden @ weights[3] + parameters[501])
    return float(np.mean(np.square(1.0 + np.exp(-exponent))) / len(x))


@every_noise
def test_networks_find_location_and_scale(noise):
    x, y = fan(2_000)
    model = network_model(
        x, y, start=network_start(np.random.default_rng(0), noise=noise), steps=1_500
    )
    inside = np.abs(x) < 1.9
    assert np.abs((model.location - wave(x)) / spread(x))[inside].max() < 0.4
    assert np.abs(np.log(model.scale / spread(x)))[inside].max() < 0.3


@every_noise
def test_straight_lines_between_nodes_cost_next_to_nothing(noise, monkeypatch):
    x, y = scaled_rows(*fan(600, seed=4))
    start = network_start(np.random.default_rng(1), noise=noise)
    found = network_model(x, y, start=start, steps=400)
    monkeypatch.setattr(location_scale, "MOST_NODES", 600)
    exact = network_model(x, y, start=start, steps=400)
    assert found.loss == pytest.approx(exact.loss, abs=1e-3)
    np.testing.assert_allclose(found.location, exact.location, atol=0.02)
    assert found.dependence == pytest.approx(exact.dependence, rel=0.02)


def test_rows_far_off_pull_students_noise_less():
    x, y = fan(1_000)
    y[::50] += 8.0
    rng = np.random.default_rng(2)
    off = {
        noise: np.abs(
            network_model(x, y, start=network_start(rng, noise=noise), steps=1_000).location
            - wave(x)
        ).mean()
        for noise in ("gaussian", "student")
    }
    # Two rows in a hundred, 8 away: a mean is 0.16 off.
    assert off["student"] < 0.05 < 0.1 < off["gaussian"]


@every_noise
@pytest.mark.parametrize(
    "target", [np.sign, np.abs, np.zeros_like], ids=["a step", "a kink", "a constant"]
)
def test_no_noise_at_all_gives_finite_numbers(noise, target):
    x = np.linspace(-1.7, 1.7, 60)
    start = network_start(np.random.default_rng(3), noise=noise)
    model = network_model(x, target(x), start=start, steps=3_000)
    assert np.isfinite([*model.location, *model.residuals, model.loss]).all()
    assert model.scale.min() > 0.0


def test_the_start_is_left_alone_and_decides_the_fit():
    x, y = fan(100)
    start = network_start(np.random.default_rng(4))
    before = start.copy()
    models = [network_model(x, y, start=start, steps=50) for _ in range(2)]
    assert np.array_equal(start, before)
    assert np.array_equal(models[0].location, models[1].location)
    other = network_model(x, y, start=network_start(np.random.default_rng(5)), steps=50)
    assert not np.array_equal(models[0].location, other.location)
