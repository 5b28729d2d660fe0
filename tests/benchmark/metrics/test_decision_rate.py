from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bqcd.benchmark.metrics import accuracy, decision_rate_area, decision_rate_curve
from tests.benchmark.metrics.benchmarks import Benchmark, benchmarks


def test_a_curve_by_hand():
    curve = decision_rate_curve([1, -1, 1, -1], [0.1, -3.0, -2.0, 1.0])
    np.testing.assert_allclose(curve.rate, [0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(curve.accuracy, [1, 1 / 2, 1 / 3, 2 / 4])


def test_a_weighted_curve_by_hand():
    curve = decision_rate_curve([1, -1, 1], [0.1, -3.0, -2.0], weight=[1, 5, 4])
    np.testing.assert_allclose(curve.rate, [0.5, 0.9, 1.0])
    np.testing.assert_allclose(curve.accuracy, [1, 5 / 9, 6 / 10])


def test_ties_enter_together_and_gaps_come_last_as_not_right():
    curve = decision_rate_curve([1, 1, -1, -1, 1], [nan, 0.5, 0.5, 0.0, 2.0])
    np.testing.assert_allclose(curve.rate, [0.2, 0.6, 1.0])
    np.testing.assert_allclose(curve.accuracy, [1.0, 2 / 3, 2 / 5])


def test_areas_by_hand():
    assert decision_rate_area([1, -1, 1, -1], [0.1, -3.0, -2.0, 1.0]) == pytest.approx(
        (1 + 1 / 2 + 1 / 3 + 2 / 4) / 4
    )
    assert decision_rate_area([1, -1, 1], [0.1, -3.0, -2.0], weight=[1, 5, 4]) == pytest.approx(
        0.5 * 1 + 0.4 * 5 / 9 + 0.1 * 6 / 10
    )


@settings(max_examples=60, deadline=None)
@given(benchmark=benchmarks())
def test_the_curve_ends_at_the_forced_accuracy(benchmark: Benchmark):
    truth, confidence, weight = benchmark
    curve = decision_rate_curve(truth, confidence, weight=weight)
    assert curve.rate[-1] == 1.0
    assert curve.accuracy[-1] == pytest.approx(accuracy(truth, confidence, weight=weight))
    assert (np.diff(curve.rate) > 0).all()
    assert (curve.coin_low <= 0.5).all()
    np.testing.assert_array_equal(curve.coin_high, 1.0 - curve.coin_low)


@settings(max_examples=60, deadline=None)
@given(benchmark=benchmarks(), rng=st.integers(0, 10**6).map(np.random.default_rng))
def test_the_order_of_rows_does_not_change_a_bit_of_the_rates(benchmark: Benchmark, rng):
    truth, confidence, weight = benchmark
    weight = weight / 7.0
    order = rng.permutation(len(truth))
    one = decision_rate_curve(truth, confidence, weight=weight)
    other = decision_rate_curve(truth[order], confidence[order], weight=weight[order])
    np.testing.assert_array_equal(one.rate, other.rate)
    np.testing.assert_array_equal(one.accuracy, other.accuracy)
    np.testing.assert_array_equal(one.coin_low, other.coin_low)


def test_without_confidences_there_is_one_rate_and_the_area_is_the_accuracy():
    truth, confidence = [1, 1, -1, -1], [1, 1, 1, -1]
    curve = decision_rate_curve(truth, confidence)
    np.testing.assert_array_equal(curve.rate, [1.0])
    assert decision_rate_area(truth, confidence) == curve.accuracy[0] == 0.75


def test_confidences_that_know_where_they_err_raise_the_area_above_the_accuracy():
    truth = np.ones(100)
    knows = np.where(np.arange(100) < 70, 1.0, -1.0) * np.linspace(2.0, 1.0, 100)
    assert decision_rate_area(truth, knows) > 0.9 > accuracy(truth, knows)
    assert decision_rate_area(truth, 1.0 / knows) < 0.5 < accuracy(truth, knows)


def test_a_coin_leaves_its_band_at_one_rate_in_less_than_one_of_twenty_runs():
    rng = np.random.default_rng(11)
    weight = 1.0 / rng.integers(1, 6, size=40)
    truth = rng.choice([-1.0, 1.0], size=40)
    outside = []
    for _ in range(600):
        curve = decision_rate_curve(truth, rng.normal(size=40), weight=weight)
        at_half = int(np.searchsorted(curve.rate, 0.5))
        found = curve.accuracy[at_half]
        outside.append(not curve.coin_low[at_half] <= found <= curve.coin_high[at_half])
    assert 0.02 < np.mean(outside) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
