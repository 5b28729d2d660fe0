from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import kstest, kurtosis

from bqcd.benchmark.datasets.generators.mechanism import Interference
from bqcd.benchmark.datasets.generators.paper import CARDS, NoisyFunction
from bqcd.errors import InvalidSettingError

BUILD = {card.name: card.build for card in CARDS}


class Recorder(Interference):
    """Keeps the parts of the effect."""

    def on_effect(self, effect: np.ndarray, signal: Callable[[], np.ndarray]) -> np.ndarray:
        self.signal = signal()
        self.noise = effect - self.signal
        return effect


def drawn(name: str, n_rows: int = 100_000, seed: int = 0):
    parts = Recorder()
    cause, effect = BUILD[name]().draw(n_rows, np.random.default_rng(seed), parts)
    np.testing.assert_allclose(effect, parts.signal + parts.noise, atol=1e-12)
    return cause, parts.signal, parts.noise


@pytest.mark.parametrize("name", ["AN", "LS", "LS-s", "MN-U"])
def test_the_cause_mixes_normals_of_variances_from_one_to_two(name: str) -> None:
    cause, _, _ = drawn(name)
    # E v = 3/2 and 3 E v^2 / (E v)^2 - 3 = 1/9; standard errors 0.007 and 0.017.
    assert cause.var() == pytest.approx(1.5, abs=0.03)
    assert kurtosis(cause) == pytest.approx(1 / 9, abs=0.07)


def test_one_pair_of_an_s_has_one_variance() -> None:
    deviations = []
    for seed in range(200):
        cause, _, noise = drawn("AN-s", n_rows=1000, seed=seed)
        deviations.append((cause.std(), noise.std() / 0.2))
    between = np.array(deviations) ** 2
    assert between.min() > 0.85
    assert between.max() < 2.3
    # sd of U(1, 2) is 0.289; that of the variance of 1000 rows around 1.5 is 0.067.
    np.testing.assert_allclose(between.std(axis=0), 0.297, atol=0.05)
    cause, _, noise = drawn("AN-s")
    assert abs(kurtosis(cause)) < 0.07
    assert abs(kurtosis(noise)) < 0.07


@pytest.mark.parametrize("name", ["AN", "AN-s"])
def test_additive_noise_is_the_same_everywhere(name: str) -> None:
    cause, _, noise = drawn(name)
    middle = np.median(cause)
    assert noise[cause < middle].std() == pytest.approx(noise[cause > middle].std(), rel=0.02)
    assert 0.19 < noise.std() < 0.29
    assert abs(np.corrcoef(cause, noise)[0, 1]) < 0.015


@pytest.mark.parametrize("name", ["LS", "LS-s"])
def test_location_scale_noise_is_proportional_to_the_height_above_the_minimum(name: str) -> None:
    _, signal, noise = drawn(name)
    height = signal - signal.min()
    assert noise[np.argmin(signal)] == 0.0
    scaled = noise[height > 0.05] / height[height > 0.05]
    high = height[height > 0.05] > np.median(height)
    assert scaled[high].std() == pytest.approx(0.2 * np.sqrt(1.5), rel=0.02)
    assert scaled[~high].std() == pytest.approx(0.2 * np.sqrt(1.5), rel=0.02)


def test_multiplicative_noise_is_uniform() -> None:
    cause, signal, noise = drawn("MN-U", n_rows=5000)
    factor = (signal + noise) / (2.0 * signal)
    assert kstest(factor, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(np.abs(cause), factor)[0, 1]) < 0.06


@pytest.mark.parametrize("name", ["AN-s", "LS-s", "MN-U"])
def test_sigmoids_are_monotone_and_bounded(name: str) -> None:
    rising, heights = [], []
    for seed in range(100):
        cause, signal, _ = drawn(name, n_rows=500, seed=seed)
        steps = np.diff(signal[np.argsort(cause)])
        assert np.all(steps > 0) or np.all(steps < 0)
        rising.append(steps[0] > 0)
        heights.append(np.abs(signal).max() * (2.0 if name == "MN-U" else 1.0))
    assert 30 <= sum(rising) <= 70
    # The height is 1 + Exp(rate 4), and is not reached.
    assert max(heights) < 1.0 + 0.25 * 12.0


def test_smooth_functions_have_variance_one_and_sigmoids_do_not_wiggle() -> None:
    squares = [np.mean(drawn("AN", n_rows=200, seed=seed)[1] ** 2) for seed in range(400)]
    # One draw over +-3 has some four independent pieces: standard error about 0.035.
    assert np.mean(squares) == pytest.approx(1.0, abs=0.12)


@pytest.mark.parametrize(
    ("setting", "value", "rule"),
    [
        ("function", "linear", "must be one of 'smooth', 'sigmoid', got 'linear'"),
        ("noise", "none", "must be one of 'additive', 'location-scale', 'multiplicative'"),
        ("variances", "fixed", "must be one of 'per row', 'per pair'"),
        ("noise_scale", 0.0, "must be a number > 0, got 0.0"),
        ("length", "1", "must be a number > 0, got '1'"),
    ],
)
def test_settings_outside_their_range_are_refused(setting: str, value: object, rule: str) -> None:
    with pytest.raises(InvalidSettingError, match=f"{setting} of NoisyFunction {rule}"):
        NoisyFunction(**{setting: value})  # type: ignore[arg-type]


def test_settings_do_what_they_say() -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(-3.0, 3.0, 50_000)
    # Differences of neighbours hardly feel the function.
    steps = np.diff(NoisyFunction(noise_scale=2.0).effect(x, rng))
    assert steps.std() == pytest.approx(2.0 * np.sqrt(2.0 * 1.5), rel=0.02)
    x = np.linspace(-3.0, 3.0, 400)
    for length, error in ((0.2, 0.02), (1.0, 0.04), (5.0, 0.055)):
        function = NoisyFunction(length=length, noise_scale=1e-9)
        slopes = [np.diff(function.effect(x, rng)) / np.diff(x) for _ in range(300)]
        # The variance of the slope is one over the squared length.
        assert np.mean(np.square(slopes)) * length**2 == pytest.approx(1.0, rel=3.0 * error)
