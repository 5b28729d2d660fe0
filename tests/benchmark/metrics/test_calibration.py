from __future__ import annotations

from math import nan

import numpy as np
import pytest
import sklearn.calibration
from scipy.stats import binom, binomtest

from bqcd.benchmark.metrics import (
    binomial_interval,
    calibration_curve,
    calibration_error_by_chance,
    expected_calibration_error,
)
from bqcd.errors import InvalidSettingError


def drawn(n: int, seed: int, *, bend: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Truths and claimed probabilities; right claims if ``bend`` is one."""
    rng = np.random.default_rng(seed)
    probability = rng.random(n)
    return np.where(rng.random(n) < probability**bend, 1.0, -1.0), probability


@pytest.mark.parametrize("n_bins", [1, 4, 10])
@pytest.mark.parametrize("n", [12, 300])
def test_the_curve_is_that_of_scikit_learn(n, n_bins):
    truth, probability = drawn(n, n)
    # Values on the edges of bins too.
    probability[:11] = np.linspace(0.0, 1.0, 11)
    observed, mean = sklearn.calibration.calibration_curve(truth, probability, n_bins=n_bins)
    curve = calibration_curve(truth, probability, n_bins=n_bins)
    held = curve.weight > 0.0
    np.testing.assert_allclose(curve.observed[held], observed, atol=1e-12)
    np.testing.assert_allclose(curve.probability[held], mean, atol=1e-12)


def test_weights_are_copies():
    truth, probability = drawn(40, 1)
    weight = np.random.default_rng(0).integers(0, 4, 40)
    one = calibration_curve(truth, probability, weight=0.3 * weight)
    other = calibration_curve(np.repeat(truth, weight), np.repeat(probability, weight))
    for name in ("edges", "probability", "observed", "weight"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)
    error = expected_calibration_error(truth, probability, weight=weight)
    assert error == pytest.approx(
        expected_calibration_error(np.repeat(truth, weight), np.repeat(probability, weight))
    )


def test_intervals_are_exact_with_equal_weights():
    truth, probability = [1, 1, -1, 1, -1], [0.6, 0.7, 0.8, 0.9, 0.1]
    curve = calibration_curve(truth, probability, weight=[3] * 5, n_bins=2)
    expected = binomtest(3, 4).proportion_ci(method="exact")
    assert (curve.low[1], curve.high[1]) == pytest.approx((expected.low, expected.high), abs=1e-10)
    assert (curve.low[0], curve.high[0]) == pytest.approx((0.0, 0.975))


def test_unequal_weights_widen_the_interval_to_that_of_fewer_pairs():
    truth = [1, 1, -1, -1] * 10
    weight = [3, 1, 3, 1] * 10
    curve = calibration_curve(truth, [0.5] * 40, weight=weight, n_bins=1)
    # (10 * 8)^2 / (10 * 20) pairs.
    same_as = binomial_interval(16, 32)
    assert curve.observed[0] == pytest.approx(0.5)
    assert (curve.low[0], curve.high[0]) == pytest.approx((same_as.low, same_as.high))


def test_an_empty_bin_says_nothing():
    curve = calibration_curve([1, -1, 1], [0.05, 0.95, 0.5], weight=[1, 1, 0], n_bins=3)
    np.testing.assert_allclose(curve.weight, [0.5, 0.0, 0.5])
    for values in (curve.probability, curve.observed, curve.low, curve.high):
        assert np.isnan(values).tolist() == [False, True, False]
    assert expected_calibration_error([1, -1], [0.05, 0.95], n_bins=3) == pytest.approx(0.95)


def test_the_error_by_hand():
    truth, probability = [1, -1, 1, 1], [0.1, 0.3, 0.6, 0.8]
    # Bins (0, 0.5] and (0.5, 1]: 0.5 against 0.2, 1 against 0.7.
    assert expected_calibration_error(truth, probability, n_bins=2) == pytest.approx(0.3)
    weighted = expected_calibration_error(truth, probability, weight=[1, 0, 1, 0], n_bins=2)
    assert weighted == pytest.approx((0.9 + 0.4) / 2)


def test_true_probabilities_lie_in_their_intervals_and_bent_ones_do_not():
    inside = []
    for seed in range(200):
        curve = calibration_curve(*drawn(200, seed), n_bins=5)
        inside.append((curve.low <= curve.probability) & (curve.probability <= curve.high))
    assert 0.95 <= np.mean(inside) < 0.99
    assert expected_calibration_error(*drawn(20_000, 0)) < 0.02
    # Claims of p that come true as often as p cubed: the mean gap is 1/2 - 1/4.
    assert expected_calibration_error(*drawn(20_000, 0, bend=3.0)) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, nan])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(InvalidSettingError, match=r"probability must be in \[0, 1\], .* pair 2"):
        calibration_curve([1, -1], [0.5, wrong])


def test_the_number_of_bins_is_checked():
    with pytest.raises(InvalidSettingError, match="n_bins of calibration_curve"):
        calibration_curve([1, -1], [0.5, 0.5], n_bins=0)


@pytest.mark.parametrize(("n", "claimed"), [(1, 0.9), (7, 0.55), (60, 0.8), (400, 0.97)])
def test_the_error_by_chance_is_the_mean_deviation_of_a_binomial_share(n, claimed):
    counts = np.arange(n + 1)
    exact = float(binom.pmf(counts, n, claimed) @ np.abs(counts / n - claimed))
    assert calibration_error_by_chance(np.full(n, claimed)) == pytest.approx(exact, rel=0.05)


def test_bins_add_up_by_weight():
    light, heavy = np.full(30, 0.65), np.full(4, 0.95)
    weight = np.repeat([1.0, 20.0], [30, 4])
    apart = [calibration_error_by_chance(part) for part in (light, heavy)]
    together = calibration_error_by_chance(np.concatenate((light, heavy)), weight=weight)
    assert together == pytest.approx((30 * apart[0] + 80 * apart[1]) / 110, rel=0.05)


def test_heavy_pairs_leave_more_to_chance():
    claimed = np.full(50, 0.7)
    heavy = np.where(np.arange(50) < 5, 20.0, 1.0)
    alike = calibration_error_by_chance(claimed)
    assert calibration_error_by_chance(claimed, weight=heavy) > 2.0 * alike


def test_the_error_of_true_claims_is_that_by_chance():
    rng = np.random.default_rng(3)
    claimed, weight = rng.uniform(0.5, 1.0, 90), rng.exponential(size=90)
    errors = [
        expected_calibration_error(
            np.where(rng.random(90) < claimed, 1.0, -1.0), claimed, weight=weight
        )
        for _ in range(1000)
    ]
    expected = calibration_error_by_chance(claimed, weight=weight)
    assert np.mean(errors) == pytest.approx(expected, rel=0.05)


def test_the_error_by_chance_does_not_depend_on_the_order_of_the_pairs():
    rng = np.random.default_rng(4)
    claimed, weight, order = rng.random(50), rng.random(50), rng.permutation(50)
    one = calibration_error_by_chance(claimed, weight=weight)
    assert calibration_error_by_chance(claimed[order], weight=weight[order]) == one


def test_claims_of_chance_are_checked():
    with pytest.raises(InvalidSettingError, match=r"probability must be in \[0, 1\], got 1.2"):
        calibration_error_by_chance([0.5, 1.2])
    with pytest.raises(InvalidSettingError, match="at least one pair"):
        calibration_error_by_chance([])
    with pytest.raises(InvalidSettingError, match="weight must be positive"):
        calibration_error_by_chance([0.5], weight=[0.0])
    with pytest.raises(InvalidSettingError, match="n_bins"):
        calibration_error_by_chance([0.5], n_bins=0)
