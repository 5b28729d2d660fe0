from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from bqcd.benchmark.metrics.coin import coin_band


@pytest.mark.parametrize("weight", [1.0, 0.1])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_equal_weights_give_binomial_quantiles(weight, level):
    ends = np.arange(1, 301)
    low, high = coin_band(np.full(300, weight), ends, level=level)
    tail = (1 - level) / 2
    np.testing.assert_allclose(low, binom.ppf(tail, ends, 0.5) / ends, atol=1e-12)
    np.testing.assert_allclose(high, 1 - binom.ppf(tail, ends, 0.5) / ends, atol=1e-12)


def test_unequal_weights_by_hand():
    # Sums 0, 1, 2, 3, 4, 5, 6, 7, each with probability 1/8.
    low, high = coin_band(np.array([1.0, 2.0, 4.0]), np.array([1, 3]), level=0.7)
    np.testing.assert_allclose(low, [0.0, 1 / 7])
    np.testing.assert_allclose(high, [1.0, 6 / 7])


def weights_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(5)
    if kind == "fractions":
        return 1.0 / rng.integers(1, 8, size=100)
    return rng.random(100) if kind == "uniform" else np.exp(2.0 * rng.normal(size=100))


@pytest.mark.parametrize("kind", ["fractions", "uniform", "far apart"])
def test_the_band_is_that_of_simulated_coins(kind):
    weight, n_coins = weights_of(kind), 40_000
    ends = np.array([1, 3, 8, 20, 50, 100])
    low, high = coin_band(weight, ends)
    right = np.random.default_rng(6).integers(0, 2, size=(n_coins, 100))
    noise = 4 * np.sqrt(0.025 * 0.975 / n_coins)
    for end, lower, upper in zip(ends, low, high, strict=True):
        accuracy = right[:, :end] @ weight[:end] / weight[:end].sum()
        assert np.mean(accuracy < lower - 1e-9) < 0.025 + noise
        assert np.mean(accuracy <= lower + 1e-9) > 0.025 - noise
        assert np.mean(accuracy > upper + 1e-9) < 0.025 + noise
        assert np.mean(accuracy >= upper - 1e-9) > 0.025 - noise


def test_many_nearly_equal_weights_are_nearly_binomial():
    weight = 1.0 + 1e-9 * np.random.default_rng(7).random(400)
    ends = np.array([400])
    low, _ = coin_band(weight, ends)
    assert low[0] == pytest.approx(binom.ppf(0.025, 400, 0.5) / 400, abs=1 / 8192)
