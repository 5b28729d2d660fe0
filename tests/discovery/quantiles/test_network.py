"""The network: known quantiles, calibration, no crossing, exact gradients, repeatability."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import ndtri

from bqcd.discovery.quantiles import QuantileRegressor, descent, is_regressor
from bqcd.discovery.quantiles.network import Network
from bqcd.discovery.quantiles.network_model import Layout, Problem
from bqcd.discovery.scores import gauss_legendre, pinball_score
from bqcd.errors import InvalidSettingError

LEVELS = gauss_legendre(3).levels
FAST = Network(max_iterations=30, hidden=(4, 4))


def _location(x):
    return 0.8 * np.sin(1.5 * x)


def _scale(x):
    return 0.3 + 0.3 / (1.0 + np.exp(-2.0 * x))


def _sample(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, _location(x) + _scale(x) * rng.standard_normal(n)


def _mean_score(quantiles, target, levels=LEVELS):
    return pinball_score(quantiles, target[:, None], levels).mean()


@pytest.fixture(scope="module")
def fitted():
    x, y = _sample(2000, seed=1)
    return Network().fit(x, y, LEVELS, np.random.default_rng(2))


def test_settings_satisfy_the_regressor_protocol():
    regressor: QuantileRegressor = Network()
    assert is_regressor(regressor)


def test_quantiles_of_a_location_scale_model_are_recovered_on_fresh_data(fitted):
    x = np.random.default_rng(3).standard_normal(5000)
    truth = _location(x)[:, None] + _scale(x)[:, None] * ndtri(LEVELS)
    error = np.sqrt(np.mean((fitted(x) - truth) ** 2, axis=0))
    # The noise has a standard deviation of 0.3 to 0.6.
    assert error.max() < 0.1


def test_a_share_of_fresh_observations_near_each_level_falls_below_its_quantile(fitted):
    x, y = _sample(20_000, seed=4)
    coverage = (y[:, None] <= fitted(x)).mean(axis=0)
    assert coverage == pytest.approx(LEVELS, abs=0.03)


def test_fitted_quantiles_score_better_on_fresh_data_than_marginal_ones(fitted):
    x, y = _sample(5000, seed=5)
    assert _mean_score(fitted(x), y) < 0.75 * _mean_score(np.quantile(y, LEVELS), y)


def test_independent_columns_get_nearly_flat_quantiles():
    x, y = np.random.default_rng(6).standard_normal((2, 1000))
    quantiles = Network().fit(x, y, LEVELS, np.random.default_rng(7))(np.linspace(-2, 2, 41))
    assert np.sqrt(np.mean((quantiles - ndtri(LEVELS)) ** 2)) < 0.35


@settings(max_examples=25, deadline=None)
@for_all(
    rows=st.integers(10, 60),
    levels=st.lists(st.floats(0.001, 0.999), min_size=1, max_size=9, unique=True),
    slope=st.floats(-3.0, 3.0),
    seed=st.integers(0, 2**32 - 1),
    far=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
)
def test_quantiles_never_cross_even_far_outside_the_data(rows, levels, slope, seed, far):
    rng = np.random.default_rng(seed)
    x, noise = rng.standard_normal((2, rows))
    predict = FAST.fit(x, slope * x + noise * np.abs(x), np.sort(levels), rng)
    quantiles = predict(np.concatenate([x, far]))
    assert np.isfinite(quantiles).all()
    assert (np.diff(quantiles, axis=1) >= 0.0).all()


@settings(max_examples=25, deadline=None)
@for_all(seed=st.integers(0, 2**32 - 1), size=st.floats(0.1, 50.0))
def test_any_parameters_give_outputs_that_increase_with_the_level(seed, size):
    rng = np.random.default_rng(seed)
    layout = Layout((5, 5))
    levels = np.linspace(0.05, 0.95, 7)
    given = rng.standard_normal(30)
    parameters = size * rng.standard_normal(layout.size)
    layers = layout.layers(parameters)
    hidden = layout.buffers(given, levels)[0]
    for layer in layers[:-1]:
        hidden = np.vstack([np.tanh(layer @ hidden), np.ones(hidden.shape[1])])
    output = (layers[-1] @ hidden).reshape(7, 30)
    # No sorting here: the order comes from the weights, but for rounding.
    assert (np.diff(output, axis=0) >= -1e-12 * np.abs(output).max()).all()


@pytest.mark.parametrize("hidden", [(3,), (4, 3), (3, 2, 3)])
@pytest.mark.parametrize("width", [1.0, 0.1])
def test_gradient_equals_finite_differences(hidden, width):
    x, y = _sample(40, seed=8)
    problem = Problem(Layout(hidden), x, y, LEVELS)
    start = problem.start(np.random.default_rng(9))
    numeric = approx_fprime(start, lambda parameters: problem(parameters, width)[0], 1e-7)
    assert problem(start, width)[1] == pytest.approx(numeric, abs=1e-6)


def test_smoothed_score_tends_to_the_pinball_score():
    x, y = _sample(100, seed=10)
    network = Network(max_iterations=5)
    predict = network.fit(x, y, LEVELS, np.random.default_rng(11))
    smoothed = Problem(Layout((10, 10)), x, y, LEVELS)(predict.parameters, 1e-9)[0]
    assert smoothed == pytest.approx(_mean_score(predict(x), y), abs=1e-9)


def test_parameters_and_layers_convert_into_each_other():
    layout = Layout((4, 3))
    parameters = np.random.default_rng(12).standard_normal(layout.size)
    assert layout.parameters(layout.layers(parameters)) == pytest.approx(parameters)


@pytest.mark.parametrize("levels", [1, 3, 7])
@pytest.mark.parametrize("rows", [20, 300])
@pytest.mark.parametrize("dependence", [0.0, 0.5])
def test_training_score_is_not_above_that_of_marginal_quantiles(levels, rows, dependence):
    rule = gauss_legendre(levels).levels
    x, noise = np.random.default_rng(13).standard_normal((2, rows))
    y = dependence * x + np.sqrt(1.0 - dependence**2) * noise
    quantiles = Network(max_iterations=300).fit(x, y, rule, np.random.default_rng(14))(x)
    assert quantiles.shape == (rows, levels)
    assert _mean_score(quantiles, y, rule) <= _mean_score(np.quantile(y, rule), y, rule)


def test_more_restarts_never_give_a_higher_smoothed_score():
    x, y = _sample(150, seed=15)
    problem = Problem(Layout((4, 4)), x, y, LEVELS)
    scores = []
    for restarts in (1, 4):
        network = Network(hidden=(4, 4), max_iterations=60, restarts=restarts)
        fit = network.fit(x, y, LEVELS, np.random.default_rng(16))
        scores.append(problem(fit.parameters, network.smoothing[-1])[0])
    assert scores[1] <= scores[0]


def test_same_generator_gives_the_same_quantiles_and_another_different_ones():
    x, y = _sample(200, seed=17)
    one, same, other = (
        FAST.fit(x, y, LEVELS, np.random.default_rng(seed))(x) for seed in (18, 18, 19)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_inputs_and_the_global_random_state_are_left_alone():
    x, y = _sample(200, seed=20)
    copies = x.copy(), y.copy(), LEVELS.copy()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    FAST.fit(x, y, LEVELS, np.random.default_rng(21))(x)
    for array, copy in zip((x, y, LEVELS), copies, strict=True):
        assert np.array_equal(array, copy)
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_long_samples_are_fitted_on_max_rows_and_predicted_on_all():
    x, y = _sample(9000, seed=22)
    network = Network(hidden=(4, 4), max_iterations=200, max_rows=1000)
    quantiles = network.fit(x, y, LEVELS, np.random.default_rng(23))(x)
    assert quantiles.shape == (9000, 3)
    assert _mean_score(quantiles, y) < 0.75 * _mean_score(np.quantile(y, LEVELS), y)


def test_quantiles_do_not_depend_on_how_rows_are_grouped(fitted):
    x = np.random.default_rng(24).standard_normal(5000)
    parts = np.vstack([fitted(x[:7]), fitted(x[7:])])
    assert fitted(x) == pytest.approx(parts, abs=1e-12)


def test_exact_dependence_and_repeated_values_are_fitted():
    x = np.repeat(ndtri(np.arange(1, 51) / 51), 4)
    quantiles = Network().fit(x, x.copy(), LEVELS, np.random.default_rng(25))(x)
    assert np.isfinite(quantiles).all()
    assert _mean_score(quantiles, x) < 0.1 * _mean_score(np.quantile(x, LEVELS), x)


def test_a_fitted_network_survives_pickling(fitted):
    x = np.linspace(-3.0, 3.0, 50)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted))(x), fitted(x))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden", ()),
        ("hidden", 10),
        ("hidden", (10, 0)),
        ("max_iterations", 0),
        ("max_iterations", 1e3),
        ("restarts", 0),
        ("smoothing", ()),
        ("smoothing", (0.1, 0.0)),
        ("tolerance", -1.0),
        ("tolerance", float("nan")),
        ("max_rows", 9),
    ],
)
def test_invalid_settings_are_refused_by_name(name, value):
    with pytest.raises(InvalidSettingError, match=f"^{name} of Network"):
        Network(**{name: value})


def test_a_fit_stops_long_before_its_thousand_iterations(monkeypatch):
    used, minimise = [], descent.minimise

    def counted(*args, **settings):
        point, steps = minimise(*args, **settings)
        used.append(steps)
        return point, steps

    monkeypatch.setattr(descent, "minimise", counted)
    for seed in range(5):
        Network().fit(*_sample(1000, seed), LEVELS, np.random.default_rng(seed))
    fits = np.reshape(used, (5, len(Network().smoothing))).sum(axis=1)
    assert 80 <= np.median(fits) <= 200
    assert fits.max() < 0.5 * Network().max_iterations
