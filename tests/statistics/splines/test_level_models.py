"""Models of conditional quantiles: what minimises the pinball loss, and what they recover."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.discovery.scores import gauss_legendre, pinball_score
from bqcd.statistics.splines.level_models import LevelModels, integrated_pinball

RULE = gauss_legendre(3)


def scaled_pair(n=1500, seed=0):
    """A column whose location and scale both depend on another."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, n))
    return x, np.sin(2.0 * x) + np.exp(0.5 * x) * noise


def test_scores_are_the_least_that_any_constant_quantiles_reach():
    values = np.random.default_rng(0).standard_t(3, size=101)
    found = integrated_pinball(values, RULE.levels, RULE.weights)
    by_level = [
        min(pinball_score(quantile, values, level).mean() for quantile in values)
        for level in RULE.levels
    ]
    assert found == pytest.approx(float(RULE.weights @ by_level), rel=1e-12)


def test_quantiles_of_the_noise_are_those_of_a_quantile_regression_on_the_scale():
    statsmodels = pytest.importorskip("statsmodels.regression.quantile_regression")
    x, y = scaled_pair(400)
    model = LevelModels([x, y], 8).fit(1, [0])
    scale = np.exp(model.log_scale)
    for level in RULE.levels:
        regression = statsmodels.QuantReg(model.residuals / scale, np.ones(len(x)))
        by_regression = regression.fit(q=level).params[0]
        losses = [
            pinball_score(quantile, model.noise, level).mean()
            for quantile in (by_regression, np.quantile(model.noise, level))
        ]
        assert losses[0] == pytest.approx(losses[1], rel=1e-3)


def test_location_and_scale_are_recovered():
    x, y = scaled_pair()
    model = LevelModels([x, y], 10).fit(1, [0])
    inner = np.abs(x) < 2.0
    assert np.corrcoef((y - y.mean())[inner], model.residuals[inner])[0, 1] < 0.99
    slope = np.polyfit(x[inner], model.log_scale[inner], 1)[0]
    assert slope == pytest.approx(0.5, abs=0.1)


def test_levels_cover_what_they_say():
    x, y = scaled_pair(3000)
    model = LevelModels([x, y], 10).fit(1, [0])
    for part in (x < -0.7, np.abs(x) < 0.7, x > 0.7):
        shares = [(model.levels[part] < level).mean() for level in (0.1, 0.5, 0.9)]
        assert shares == pytest.approx([0.1, 0.5, 0.9], abs=0.04)


def test_a_spread_that_depends_on_a_column_gains_where_its_mean_does_not():
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 800))
    models = LevelModels([x, np.exp(0.8 * x) * noise], 8)
    alone, given = models.fit(1, []), models.fit(1, [0])
    assert np.std(given.residuals) > 0.98 * np.std(alone.residuals)
    gain = alone.score(RULE.levels, RULE.weights) - given.score(RULE.levels, RULE.weights)
    assert gain > 0.2


def test_units_do_not_matter():
    x, y = scaled_pair(300)
    first = LevelModels([x, y], 8).fit(1, [0])
    second = LevelModels([100.0 * x - 7.0, 0.01 * y + 3.0], 8).fit(1, [0])
    assert second.levels == pytest.approx(first.levels)
    assert second.score(RULE.levels, RULE.weights) == pytest.approx(
        first.score(RULE.levels, RULE.weights)
    )


def test_a_scale_that_is_a_function_of_the_location_is_found_where_it_is_no_sum():
    rng = np.random.default_rng(4)
    x, w = rng.normal(size=(2, 1500))
    signal = np.sin(2.0 * x) + np.cos(2.0 * w)
    models = LevelModels([signal * rng.uniform(size=1500), x, w], 10)
    truth = np.log(np.abs(signal) + 0.05)
    plain, following = (models.fit(0, [1, 2], following=one) for one in (False, True))
    fits = [np.corrcoef(truth, model.log_scale)[0, 1] for model in (plain, following)]
    assert fits[0] < 0.7
    assert fits[1] > 0.9


def test_a_location_of_two_values_is_followed_too():
    rng = np.random.default_rng(5)
    side = (np.arange(400) % 2).astype(float)
    model = LevelModels([side + np.exp(side) * rng.normal(size=400), side], 8).fit(
        0, [1], following=True
    )
    low, high = (float(model.log_scale[side == one].mean()) for one in (0.0, 1.0))
    assert high - low == pytest.approx(1.0, abs=0.25)
    assert np.ptp(model.log_scale[side == 0.0]) < 1e-6
