from __future__ import annotations

from math import nan

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from bqcd.benchmark.metrics import (
    McNemarTest,
    accuracy,
    decision_rate_area,
    mcnemar,
    mean_paired_difference,
    paired_bootstrap,
)
from bqcd.errors import InvalidSettingError


def answers_that_differ(only_first: int, only_second: int) -> tuple[np.ndarray, np.ndarray]:
    first = [1.0] * only_first + [-1.0] * only_second + [1.0, -1.0]
    second = [-1.0] * only_first + [1.0] * only_second + [1.0, -1.0]
    return np.array(first), np.array(second)


@pytest.mark.parametrize(("only_first", "only_second"), [(5, 0), (1, 8), (4, 4), (12, 3), (0, 0)])
def test_mcnemar_is_the_binomial_test_of_the_differing_pairs(only_first, only_second):
    first, second = answers_that_differ(only_first, only_second)
    found = mcnemar(np.ones(len(first)), first, second)
    differing = only_first + only_second
    expected = binomtest(only_first, differing).pvalue if differing else 1.0
    assert (found.only_first, found.only_second) == (only_first, only_second)
    assert found.p_value == pytest.approx(expected, abs=1e-12)


def test_mcnemar_rejects_equal_methods_at_most_as_often_as_it_says():
    for differing in range(1, 41):
        p_values = []
        for only_first in range(differing + 1):
            first, second = answers_that_differ(only_first, differing - only_first)
            p_values.append(mcnemar(np.ones(len(first)), first, second).p_value)
        chance = binom.pmf(np.arange(differing + 1), differing, 0.5)
        for alpha in (0.01, 0.05, 0.2):
            assert chance[np.array(p_values) <= alpha].sum() <= alpha


def test_no_decision_is_not_right():
    found = mcnemar([1, -1, 1], [nan, 0.0, 1.0], [1.0, -1.0, nan])
    assert found == McNemarTest(only_first=1, only_second=2, p_value=1.0)


def test_exchanging_the_methods_exchanges_the_counts():
    first, second = answers_that_differ(7, 2)
    one, other = (mcnemar(np.ones(11), *pair) for pair in ((first, second), (second, first)))
    assert (one.only_first, one.only_second) == (other.only_second, other.only_first)
    assert one.p_value == other.p_value


def test_the_bootstrap_difference_is_that_of_the_metric():
    rng = np.random.default_rng(1)
    truth, weight = rng.choice([-1, 1], 40), rng.random(40)
    first, second = truth + rng.normal(size=40), rng.normal(size=40)
    for statistic in (accuracy, decision_rate_area):
        found = paired_bootstrap(
            truth, first, second, weight=weight, statistic=statistic, n_resamples=50, rng=rng
        )
        expected = statistic(truth, first, weight=weight) - statistic(truth, second, weight=weight)
        assert found.difference == pytest.approx(expected, abs=1e-12)
        assert found.low <= found.difference <= found.high


def test_a_method_does_not_differ_from_itself():
    truth, first = np.ones(10), np.linspace(-1.0, 1.0, 10)
    found = paired_bootstrap(truth, first, first, n_resamples=50, rng=np.random.default_rng(0))
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_equal_methods_are_told_apart_about_as_rarely_as_the_level_says():
    rng = np.random.default_rng(8)
    rejected, runs = 0, 400
    for _ in range(runs):
        first, second = (np.where(rng.random(60) < 0.7, 1.0, -1.0) for _ in range(2))
        found = paired_bootstrap(np.ones(60), first, second, n_resamples=100, rng=rng)
        rejected += found.p_value <= 0.05
    assert 0.01 < rejected / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_a_clear_difference_is_found_and_has_its_sign():
    rng = np.random.default_rng(8)
    good, bad = (np.where(rng.random(100) < share, 1.0, -1.0) for share in (0.9, 0.6))
    found = paired_bootstrap(np.ones(100), good, bad, n_resamples=500, rng=rng)
    reverse = paired_bootstrap(np.ones(100), bad, good, n_resamples=500, rng=rng)
    assert found.p_value < 0.01
    assert 0.0 < found.low < found.high
    assert reverse.difference == -found.difference
    assert reverse.high < 0.0


def test_the_generator_must_be_one():
    with pytest.raises(InvalidSettingError, match="rng of paired_bootstrap must be a numpy Gen"):
        paired_bootstrap([1], [1], [1], rng=0)


def noisy_answers(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Truths, a good and a fair method with failures and abstentions, and weights."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1.0, 1.0], n)
    first, second = (truth * skill + rng.normal(size=n) for skill in (1.0, 0.3))
    first[:2], second[2:4] = [nan, 0.0], [0.0, nan]
    return truth, first, second, rng.uniform(0.2, 1.0, n)


def test_on_one_benchmark_the_mean_difference_is_the_paired_bootstrap():
    truth, first, second, weight = noisy_answers(1, 80)
    rng = np.random.default_rng(3)
    expected = paired_bootstrap(truth, first, second, weight=weight, rng=rng, n_resamples=500)
    rng = np.random.default_rng(3)
    found = mean_paired_difference([(truth, first, second, weight)], rng=rng, n_resamples=500)
    for name in ("difference", "low", "high", "p_value"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-12), name


def test_the_mean_difference_is_that_of_the_accuracies_and_within_its_interval():
    sets = [noisy_answers(seed, n) for seed, n in ((4, 100), (5, 60), (6, 30))]
    found = mean_paired_difference(sets, rng=np.random.default_rng(0))
    by_hand = [
        accuracy(truth, first, weight=weight) - accuracy(truth, second, weight=weight)
        for truth, first, second, weight in sets
    ]
    assert found.difference == pytest.approx(np.mean(by_hand), abs=1e-12)
    assert found.low < found.difference < found.high
    alone = mean_paired_difference(sets[2:], rng=np.random.default_rng(0))
    assert found.high - found.low < alone.high - alone.low


def test_intervals_of_the_mean_difference_hold_what_they_say():
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng([7, seed])
        sets = []
        for n in (40, 80):
            truth = np.ones(n)
            first, second = (np.where(rng.random(n) < right, 1.0, -1.0) for right in (0.8, 0.6))
            sets.append((truth, first, second, None))
        found = mean_paired_difference(sets, rng=rng, n_resamples=300)
        covered += found.low <= 0.2 <= found.high
    assert 0.89 <= covered / 200 <= 0.99
