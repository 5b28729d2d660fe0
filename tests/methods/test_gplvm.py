"""GPLVM: its bound by plain sums, that it is a bound, and what it solves."""

from __future__ import annotations

from math import log, pi

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from bqcd.data.pair import Pair
from bqcd.methods.gplvm import GPLVM, smooth_columns, spread_ties
from bqcd.methods.models import gplvm_model
from bqcd.methods.models.gplvm_axes import (
    CONSTANT,
    LINE,
    NOISE_AXES,
    PLACES,
    SMOOTH,
    Axes,
    bell_axes,
    constant,
    noise_axes,
    noise_grid,
)
from bqcd.methods.models.gplvm_model import (
    NOISE_LENGTHS,
    Model,
    Search,
    first_share,
    log_evidence,
    shares,
)
from bqcd.statistics.scaling import unit_variance

ERROR, LENGTH = 0.2, 1.0
SCALES = np.log(np.array([0.1, 0.5, 0.3, 0.5, 0.2, 0.1, 0.4, 0.1, 0.2]))


def bent(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(size=n))
    return unit_variance(x), unit_variance(np.tanh(2.0 * x) + 0.3 * rng.normal(size=n))


def axes_of(x: np.ndarray, length: float = LENGTH, most: int = 6) -> Axes:
    return bell_axes(x, np.full(len(x), 1.0 / len(x)), length, most)


def model_of(y: np.ndarray, x: np.ndarray | None) -> Model:
    cause = constant(len(y)) if x is None else axes_of(x)
    return Model(y, cause, noise_axes(NOISE_LENGTHS[2]))


def rows_of(model: Model) -> np.ndarray:
    """Products of all features: every row once for each place of its noise."""
    count = model.cause.shape[1] * model.noise.shape[1]
    return np.einsum("nj,gk->ngjk", model.cause, model.noise).reshape(-1, count)


def test_axes_are_orthonormal_and_of_falling_variance():
    x, _ = bent(200)
    axes = axes_of(x)
    smooth = axes.features[:, axes.kinds == SMOOTH]
    assert smooth.mean(axis=0) == pytest.approx(0.0, abs=1e-6)
    assert smooth.T @ smooth / len(x) == pytest.approx(np.eye(6), abs=1e-5)
    assert (np.diff(axes.log_variances[2:]) <= 0.0).all()
    assert axes.features[:, axes.kinds == LINE].ravel() == pytest.approx(x / x.std())
    assert (axes.features[:, axes.kinds == CONSTANT] == 1.0).all()


def test_axes_of_the_noise_are_orthonormal_under_a_gaussian():
    weights, axes = np.exp(noise_grid().log_weights), noise_axes(NOISE_LENGTHS[0])
    assert weights.sum() == pytest.approx(1.0)
    smooth = axes.features[:, axes.kinds == SMOOTH]
    assert (smooth * weights[:, None]).T @ smooth == pytest.approx(np.eye(NOISE_AXES), abs=1e-5)
    # The grid ends where one row in a thousand lies beyond it.
    assert weights @ np.square(noise_grid().places) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("length", [0.5, 1.0, 3.0])
def test_axes_are_those_of_the_kernel(length):
    x, _ = bent(120)
    axes = axes_of(x, length, most=60)
    smooth = axes.features[:, 2:] * np.exp(0.5 * axes.log_variances[2:])
    kernel = np.exp(-0.5 * np.square((x[:, None] - x) / length))
    centred = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
    assert smooth @ smooth.T == pytest.approx(centred, abs=2e-3)


def test_the_function_is_that_of_a_regression_on_products_of_features():
    x, y = bent(40)
    model = model_of(y, x)
    share = first_share(y, x)
    found = model.function(share, ERROR, SCALES)
    assert found is not None
    rows, weights = rows_of(model), share.ravel()
    prior = np.diag(np.exp(-model.log_prior(SCALES)).ravel())
    precision = (rows * weights[:, None]).T @ rows / ERROR + prior
    drift = rows.T @ (weights * np.repeat(y, PLACES)) / ERROR
    assert found.covariance == pytest.approx(np.linalg.inv(precision), abs=1e-9)
    assert found.mean.ravel() == pytest.approx(np.linalg.solve(precision, drift), abs=1e-9)
    distances = np.repeat(y, PLACES) - rows @ found.mean.ravel()
    spreads = np.einsum("rc,cd,rd->r", rows, found.covariance, rows)
    squares = model.expected_squares(found, found.covariance).ravel()
    assert squares == pytest.approx(distances**2 + spreads, abs=1e-9)


def test_what_a_function_is_worth_is_the_density_of_a_gaussian_where_the_noise_is_known():
    x, y = bent(30)
    model = model_of(y, x)
    places = np.random.default_rng(1).integers(PLACES, size=30)
    known = np.eye(PLACES)[places]
    found = model.function(known, ERROR, SCALES)
    assert found is not None
    rows = np.einsum("nj,nk->njk", model.cause, model.noise[places]).reshape(30, -1)
    variances = np.exp(model.log_prior(SCALES)).ravel()
    covariance = (rows * variances) @ rows.T + ERROR * np.eye(30)
    density = multivariate_normal(np.zeros(30), covariance).logpdf(y)
    assert found.value == pytest.approx(density, abs=1e-6)


def test_scales_of_groups_are_where_the_density_is_flat():
    x, y = bent(80)
    model, share = model_of(y, x), first_share(y, x)
    scales = SCALES
    for _ in range(400):
        found = model.function(share, ERROR, scales)
        assert found is not None
        scales = model.better_scales(scales, found, found.covariance)
    for group in range(9):
        if np.log(1e-5) < scales[group] < np.log(1e2):
            step = 1e-3 * (np.arange(9) == group)
            up, down = (model.function(share, ERROR, scales + s) for s in (step, -step))
            assert up is not None
            assert down is not None
            assert (up.value - down.value) / 2e-3 == pytest.approx(0.0, abs=2e-2)


def bounds(y: np.ndarray, x: np.ndarray | None, steps: int) -> list[float]:
    """Bounds step by step; error, scales and lengths held fast."""
    model, search, found = model_of(y, x), Search(y, x), []
    for _ in range(steps):
        function = model.function(search.share, ERROR, SCALES)
        assert function is not None
        found.append(function.value + search.spread)
        search.error, search.model = ERROR, model
        search.follow(function)
    return found


def test_the_bound_never_falls():
    x, y = bent(60)
    assert (np.diff(bounds(y, x, 15)) > -1e-9).all()
    assert (np.diff(bounds(y, None, 15)) > -1e-9).all()


def test_the_bound_is_below_the_evidence_and_not_far():
    y = unit_variance(np.array([-1.0, -0.2, 0.1, 0.4, 1.9]))
    grid, rng = noise_grid(), np.random.default_rng(0)
    model = model_of(y, None)
    spread = np.exp(0.5 * model.log_prior(SCALES)[0])
    curves = rng.normal(size=(200_000, len(spread))) * spread @ model.noise.T
    logs = np.zeros(len(curves))
    for value in y:
        density = -0.5 * (value - curves) ** 2 / ERROR - 0.5 * log(2.0 * pi * ERROR)
        logs += logsumexp(grid.log_weights + density, axis=1)
    evidence = logsumexp(logs) - log(len(logs))
    bound = bounds(y, None, 40)[-1]
    # Chance moves the evidence by 0.01 or so.
    assert evidence - 3.0 < bound < evidence + 0.05


def test_a_row_that_is_far_from_all_places_still_has_a_distribution():
    share = shares(np.array([[1e8, 2e8, 3e8] + [4e8] * (PLACES - 3)]), 1e-4)
    assert share.sum() == pytest.approx(1.0)


def test_lengths_follow_the_function():
    rng = np.random.default_rng(0)
    x = unit_variance(np.sort(rng.uniform(-1.0, 1.0, 400)))
    lengths = []
    for waves in (1.0, 5.0):
        y = unit_variance(np.sin(waves * x) + 0.1 * rng.normal(size=400))
        search = Search(y, x)
        for _ in range(8):
            found = search.fit()
            assert found is not None
            search.follow(search.try_lengths(found))
        lengths.append(search.lengths.cause)
    assert lengths[1] < gplvm_model.FIRST_LENGTHS.cause < lengths[0]


def test_the_evidence_of_a_gaussian_column_is_near_its_density():
    x = unit_variance(np.random.default_rng(0).normal(size=400))
    density = -0.5 * 400 * (log(2.0 * pi) + 1.0)
    assert density - 6.0 < log_evidence(x) < density


def test_columns_that_know_nothing_of_each_other_tell_no_direction():
    """Scales of its own for the cause gain a nat or two by chance, and no more."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = unit_variance(rng.gamma(2.0, size=300)), unit_variance(rng.normal(size=300))
        order = np.argsort(x)
        assert abs(log_evidence(y[order], x[order]) - log_evidence(y)) < 3.0
        assert abs(GPLVM().decide(Pair(x, y), rng).confidence) < 3.0


def process(rng: np.random.Generator, *inputs: np.ndarray) -> np.ndarray:
    """A draw of a Gaussian process over some inputs, of random lengths."""
    columns = np.vstack([column / np.exp(rng.uniform(0.0, 1.2)) for column in inputs])
    waves, starts = rng.normal(size=(400, len(columns))), rng.uniform(0.0, 2.0 * pi, 400)
    return unit_variance(np.cos(waves @ columns + starts[:, None]).T @ rng.normal(size=400))


def test_its_own_processes_are_told():
    """Draws of its prior: over a Gaussian cause, and over one that is a process itself."""
    right = []
    for seed in range(40):
        rng = np.random.default_rng([3, seed])
        hidden, noise = rng.normal(size=(2, 250))
        x = hidden if seed % 2 else process(rng, hidden)
        x = x + 0.05 * rng.normal(size=250)
        y = process(rng, x, noise) + 0.05 * rng.normal(size=250)
        right.append(GPLVM().decide(Pair(x, y), rng).confidence > 0.0)
    assert sum(right) >= 35


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
