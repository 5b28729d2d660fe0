"""Claimed probabilities of directions, against how often they are right."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
import sklearn.calibration

from bqcd.benchmark.metrics import binomial_interval, reliability
from bqcd.errors import InvalidSettingError, UndefinedMetricError


def drawn(n: int, seed: int, *, bend: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Truths and claimed probabilities; claims come true if ``bend`` is one."""
    rng = np.random.default_rng(seed)
    probability = rng.random(n)
    odds = bend * np.log(probability / (1.0 - probability))
    return np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), 1.0, -1.0), probability


def test_a_case_worked_out_by_hand():
    # Claims .9 (right), .8 (wrong), .7 (right), .6 (wrong); one half and nothing claim nothing.
    truth = [1, 1, -1, -1, 1, -1]
    found = reliability(truth, [0.9, 0.2, 0.3, 0.6, 0.5, nan])
    assert found.pairs == 4
    assert found.claimed == pytest.approx(0.75)
    assert found.right == pytest.approx(0.5)
    assert found.surer_half == pytest.approx(0.5)
    # A bar holds its upper edge, so that every claim has a bar of its own.
    assert found.error == pytest.approx((0.1 + 0.8 + 0.3 + 0.6) / 4)
    assert [(bar.above, bar.pairs, bar.right) for bar in found.bars] == [
        (pytest.approx(0.5), 1, 0.0),
        (pytest.approx(0.6), 1, 1.0),
        (pytest.approx(0.7), 1, 0.0),
        (pytest.approx(0.8), 1, 1.0),
    ]


def test_bars_are_those_of_scikit_learn():
    truth, probability = drawn(500, 1)
    right = np.where(probability > 0.5, truth, -truth)
    claimed = np.maximum(probability, 1.0 - probability)
    observed, mean = sklearn.calibration.calibration_curve(right, claimed, n_bins=10)
    bars = reliability(truth, probability).bars
    np.testing.assert_allclose([bar.right for bar in bars], observed, atol=1e-12)
    np.testing.assert_allclose([bar.claimed for bar in bars], mean, atol=1e-12)


def test_intervals_are_exact():
    truth, probability = drawn(200, 2)
    for bar in reliability(truth, probability).bars:
        exact = binomial_interval(round(bar.right * bar.pairs), bar.pairs)
        assert (bar.low, bar.high) == pytest.approx((exact.low, exact.high))


def test_exchanged_columns_change_nothing():
    truth, probability = drawn(300, 3)
    weight = np.random.default_rng(0).random(300)
    one = reliability(truth, probability, weight=weight)
    other = reliability(-truth, 1.0 - probability, weight=weight)
    assert one.error == pytest.approx(other.error, abs=1e-12)
    assert one.surer_half == pytest.approx(other.surer_half, abs=1e-12)


def test_weights_are_copies_and_none_counts_for_nothing():
    truth, probability = drawn(60, 4)
    weight = np.random.default_rng(5).integers(0, 4, 60)
    one = reliability(truth, probability, weight=weight)
    other = reliability(np.repeat(truth, weight), np.repeat(probability, weight))
    for name in ("claimed", "right", "error"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-12)
    assert one.pairs == (weight > 0).sum()


def test_true_probabilities_have_a_small_error_and_boasts_a_large_one():
    assert reliability(*drawn(20_000, 6)).error < 0.015
    boast = reliability(*drawn(20_000, 6, bend=0.3))
    assert boast.error > 0.1
    assert boast.claimed > boast.right + 0.1


def test_the_surer_half_of_true_probabilities_is_right_more_often():
    found = reliability(*drawn(20_000, 7))
    # Claims are uniform on (1/2, 1): three quarters are right, and seven eighths of the half.
    assert found.right == pytest.approx(0.75, abs=0.015)
    assert found.surer_half == pytest.approx(0.875, abs=0.015)


def test_without_a_claim_there_is_no_value():
    with pytest.raises(UndefinedMetricError, match="no probability is claimed"):
        reliability([1, -1], [0.5, nan])
    with pytest.raises(UndefinedMetricError, match="no probability is claimed"):
        reliability([1, -1], [0.7, nan], weight=[0.0, 1.0])


def test_bars_are_counted_from_one():
    with pytest.raises(InvalidSettingError, match="n_bars"):
        reliability([1], [0.7], n_bars=0)
