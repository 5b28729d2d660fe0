"""GPLVM: its bound by plain sums, that it is a bound, and what it solves."""

from __future__ import annotations

from math import log, pi

import numpy as np
import pytest
from scipy.special import logsumexp

from bqcd.data.pair import Pair
from bqcd.methods.gplvm import GPLVM, smooth_columns, spread_ties
from bqcd.methods.models import gplvm_model
from bqcd.methods.models.gplvm_model import (
    START,
    Model,
    axes_of,
    first_share,
    log_evidence,
    noise_grid,
)
from bqcd.statistics.scaling import unit_variance

ERROR = 0.2


def bent(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(size=n))
    return unit_variance(x), unit_variance(np.tanh(2.0 * x) + 0.3 * rng.normal(size=n))


def model_of(x: np.ndarray, y: np.ndarray) -> tuple[Model, np.ndarray]:
    model = Model(y, *axes_of(x))
    ones = np.ones((model.features.shape[1], gplvm_model.POWERS))
    return model, model.log_prior(START, ones)


def test_polynomials_are_orthonormal_under_a_gaussian():
    grid = noise_grid()
    weights = np.exp(grid.log_weights)
    assert weights.sum() == pytest.approx(1.0)
    gram = (grid.powers * weights[:, None]).T @ grid.powers
    assert gram == pytest.approx(np.eye(gplvm_model.POWERS), abs=1e-10)
    assert grid.powers[:, 0] == pytest.approx(1.0)
    # Wider than a standard Gaussian's quantiles of 0.3 %; its deviation is nearly one.
    assert grid.powers[:, 1] == pytest.approx(grid.places, rel=0.02)


def test_features_are_orthogonal_and_of_falling_variance():
    x, _ = bent(200)
    features, decays = axes_of(x)
    gram = features.T @ features / len(x)
    expected = np.eye(features.shape[1])
    expected[1, 1] = np.square(x).mean()
    assert gram == pytest.approx(expected, abs=1e-6)
    assert (np.diff(decays[2:]) <= 0.0).all()


def test_the_function_is_that_of_a_regression_on_products_of_features():
    x, y = bent(40)
    model, log_prior = model_of(x, y)
    share = first_share(y, x)
    found = model.function(share, ERROR, log_prior)
    assert found is not None
    # Every row once for each place of its noise, weighted by its share.
    count = model.features.shape[1] * gplvm_model.POWERS
    rows = np.einsum("nj,gk->ngjk", model.features, model.grid.powers).reshape(-1, count)
    weights = share.ravel()
    precision = (rows * weights[:, None]).T @ rows / ERROR + np.diag(np.exp(-log_prior).ravel())
    drift = rows.T @ (weights * np.repeat(y, gplvm_model.PLACES)) / ERROR
    assert found.covariance == pytest.approx(np.linalg.inv(precision), abs=1e-9)
    assert found.mean.ravel() == pytest.approx(np.linalg.solve(precision, drift), abs=1e-9)
    assert found.log_precision == pytest.approx(np.linalg.slogdet(precision)[1])
    distances = np.repeat(y, gplvm_model.PLACES) - rows @ found.mean.ravel()
    spreads = np.einsum("rc,cd,rd->r", rows, found.covariance, rows)
    squares = model.expected_squares(found).ravel()
    assert squares == pytest.approx(distances**2 + spreads, abs=1e-9)


def test_divergence_is_that_of_two_gaussians():
    x, y = bent(30)
    model, log_prior = model_of(x, y)
    found = model.function(first_share(y, x), ERROR, log_prior)
    assert found is not None
    inverse = np.diag(np.exp(-log_prior).ravel())
    mean = found.mean.ravel()
    expected = 0.5 * (
        np.trace(inverse @ found.covariance)
        + mean @ inverse @ mean
        - len(mean)
        + log_prior.sum()
        - np.linalg.slogdet(found.covariance)[1]
    )
    assert found.divergence(log_prior) == pytest.approx(expected)


def bounds(y: np.ndarray, x: np.ndarray | None, steps: int) -> list[float]:
    """Bounds step by step, error and variances held fast."""
    features = axes_of(x) if x is not None else (np.ones((len(y), 1)), np.zeros(1))
    model = Model(y, *features)
    log_prior = model.log_prior(START, np.ones((model.features.shape[1], gplvm_model.POWERS)))
    share, found = first_share(y, x), []
    for _ in range(steps):
        function = model.function(share, ERROR, log_prior)
        assert function is not None
        share, sums = model.shares(model.expected_squares(function), ERROR)
        bound = sums - 0.5 * len(y) * log(2.0 * pi * ERROR) - function.divergence(log_prior)
        found.append(bound)
    return found


def test_the_bound_never_falls():
    x, y = bent(60)
    assert (np.diff(bounds(y, x, 15)) > -1e-9).all()
    assert (np.diff(bounds(y, None, 15)) > -1e-9).all()


def test_the_bound_is_below_the_evidence_and_not_far():
    y = unit_variance(np.array([-1.0, -0.2, 0.1, 0.4, 1.9]))
    grid, rng = noise_grid(), np.random.default_rng(0)
    model = Model(y, np.ones((len(y), 1)), np.zeros(1))
    spread = np.exp(0.5 * model.log_prior(START, np.ones((1, gplvm_model.POWERS)))[0])
    curves = rng.normal(size=(200_000, gplvm_model.POWERS)) * spread @ grid.powers.T
    logs = np.zeros(len(curves))
    for value in y:
        density = -0.5 * (value - curves) ** 2 / ERROR - 0.5 * log(2.0 * pi * ERROR)
        logs += logsumexp(grid.log_weights + density, axis=1)
    evidence = logsumexp(logs) - log(len(logs))
    bound = bounds(y, None, 40)[-1]
    # Chance moves the evidence by 0.01 or so.
    assert evidence - 3.0 < bound < evidence + 0.05


def test_the_evidence_of_a_gaussian_column_is_near_its_density():
    x = unit_variance(np.random.default_rng(0).normal(size=400))
    density = -0.5 * 400 * (log(2.0 * pi) + 1.0)
    assert density - 15.0 < log_evidence(x) < density


def test_a_cause_that_tells_nothing_costs_more_than_it_gains():
    rng = np.random.default_rng(0)
    x, y = unit_variance(rng.normal(size=300)), unit_variance(rng.normal(size=300))
    assert log_evidence(y, np.sort(x)) < log_evidence(y)


def test_arithmetic_that_fails_abstains(monkeypatch):
    monkeypatch.setattr(gplvm_model, "cholesky", lambda matrix: None)
    x, y = bent(50)
    verdict = GPLVM().decide(Pair(x, y), np.random.default_rng(0))
    assert verdict.confidence == 0.0
    assert verdict.evidence.facts["draws"] == 0


def test_repeated_values_stay_within_their_cells():
    column = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 3.0, 3.5, 3.5])
    found = spread_ties(column, np.arange(8.0), 0)
    reach = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 0.25, 0.25])
    assert (np.abs(found - column) <= reach).all()
    assert len(np.unique(found)) == len(column)
    plain = np.array([3.0, 1.0, 2.0])
    assert spread_ties(plain, plain, 0) is plain


def test_spreading_does_not_depend_on_the_order_of_rows_or_columns():
    rng = np.random.default_rng(2)
    x, y = rng.integers(5, size=40) * 1.0, rng.normal(size=40)
    rows = rng.permutation(40)
    first, second = smooth_columns(x, y, 3)
    turned, other = smooth_columns(y[rows], x[rows], 3)
    assert np.array_equal(np.sort(other), np.sort(first))
    assert other == pytest.approx(first[rows], abs=1e-12)
    assert turned == pytest.approx(second[rows], abs=1e-12)


def additive(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.gamma(2.0, size=n)
    return x, np.sin(1.5 * x) + 0.3 * rng.normal(size=n)


def spreading(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-2.0, 2.0, n)
    return x, x + np.exp(0.7 * x) * 0.4 * rng.normal(size=n)


def sigmoid(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Where GPI is wrong nine times in ten, as published."""
    x = rng.normal(size=n)
    return x, np.tanh(1.5 * x) + 0.25 * rng.normal(size=n)


def inside(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise of which the effect is no plain sum or product."""
    x, noise = rng.normal(size=n), rng.normal(size=n)
    return x, np.sin(2.0 * x + 0.5 * noise) + 0.5 * x * noise


@pytest.mark.parametrize("draw", [additive, spreading, sigmoid, inside])
def test_pairs_of_its_model_are_told(draw):
    rngs = [np.random.default_rng(seed) for seed in range(12)]
    method = GPLVM(max_rows=0)
    found = [method.decide(Pair(*draw(rng, 250)), rng).confidence > 0.0 for rng in rngs]
    assert sum(found) >= 11


def test_the_confidence_is_the_difference_of_four_lengths():
    pair = Pair(*bent(80))
    verdict = GPLVM().decide(pair, np.random.default_rng(0))
    facts = verdict.evidence.facts
    x_to_y, y_to_x = (
        facts[f"{way}_cause"] + facts[f"{way}_effect"] for way in ("x_to_y", "y_to_x")
    )
    assert verdict.confidence == pytest.approx(y_to_x - x_to_y)
    x, y = pair.x, pair.y
    assert -facts["x_to_y_effect"] == pytest.approx(log_evidence(y, x), abs=1e-6)
