from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from bqcd.benchmark.metrics import accuracy, binomial_interval, bootstrap_interval, roc_auc
from bqcd.errors import InvalidSettingError, UndefinedMetricError


@pytest.mark.parametrize("total", [1, 7, 99])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_exact_interval_is_that_of_scipy(total, level):
    for right in range(total + 1):
        found = binomial_interval(right, total, level=level)
        expected = binomtest(right, total).proportion_ci(level, method="exact")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-10)
        assert found.level == level


@pytest.mark.parametrize("total", [5, 20, 100])
def test_the_exact_interval_covers_every_share_at_least_as_often_as_it_says(total):
    right = np.arange(total + 1)
    ends = [binomial_interval(int(k), total) for k in right]
    low, high = np.array([e.low for e in ends]), np.array([e.high for e in ends])
    for share in np.linspace(0.005, 0.995, 199):
        covered = binom.pmf(right, total, share)[(low <= share) & (share <= high)].sum()
        assert covered >= 0.95


@pytest.mark.parametrize(
    ("right", "total", "level", "named"),
    [(-1, 5, 0.95, "right"), (6, 5, 0.95, "right"), (0, 0, 0.95, "total"), (1, 5, 95, "level")],
)
def test_impossible_counts_and_levels_are_refused(right, total, level, named):
    with pytest.raises(InvalidSettingError, match=f"{named} of binomial_interval"):
        binomial_interval(right, total, level=level)


def test_the_bootstrap_of_an_accuracy_has_binomial_quantiles():
    truth = np.ones(80)
    confidence = np.where(np.arange(80) < 60, 1.0, -1.0)
    found = bootstrap_interval(
        accuracy, truth, confidence, n_resamples=4000, rng=np.random.default_rng(0)
    )
    low, high = binom.ppf([0.025, 0.975], 80, 0.75) / 80
    assert found.low == pytest.approx(low, abs=1 / 80)
    assert found.high == pytest.approx(high, abs=1 / 80)


def test_the_bootstrap_interval_of_a_weighted_accuracy_covers_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered, runs = 0, 300
    for _ in range(runs):
        weight = rng.random(60)
        confidence = np.where(rng.random(60) < 0.7, 1.0, -1.0)
        found = bootstrap_interval(
            accuracy, np.ones(60), confidence, weight=weight, n_resamples=200, rng=rng
        )
        covered += found.low <= 0.7 <= found.high
    # A percentile interval of 60 pairs is a little short of its level.
    assert 0.88 < covered / runs < 0.98


def test_a_higher_level_gives_a_wider_interval():
    rng = np.random.default_rng(4)
    truth = rng.choice([-1, 1], 50)
    confidence = truth + 1.5 * rng.normal(size=50)
    widths = []
    for level in (0.5, 0.9, 0.99):
        found = bootstrap_interval(
            accuracy,
            truth,
            confidence,
            level=level,
            n_resamples=400,
            rng=np.random.default_rng(1),
        )
        widths.append(found.high - found.low)
    assert widths[0] < widths[1] < widths[2]


def test_the_same_generator_gives_the_same_interval_and_weightless_pairs_no_difference():
    truth, confidence = [1, -1, 1, -1, 1], [0.2, 0.1, 0.5, -3.0, -0.1]
    one = bootstrap_interval(
        accuracy, truth, confidence, n_resamples=50, rng=np.random.default_rng(9)
    )
    other = bootstrap_interval(
        accuracy,
        [*truth, 1],
        [*confidence, -5.0],
        weight=[1, 1, 1, 1, 1, 0],
        n_resamples=50,
        rng=np.random.default_rng(9),
    )
    assert one == other


def test_draws_without_both_truths_are_left_out_of_a_roc_interval():
    truth, confidence = [1, 1, 1, 1, 1, -1], [5.0, 4.0, 3.0, 2.0, 1.0, 2.5]
    found = bootstrap_interval(
        roc_auc, truth, confidence, n_resamples=100, rng=np.random.default_rng(1)
    )
    assert 0.0 <= found.low < roc_auc(truth, confidence) < found.high <= 1.0


def test_a_statistic_undefined_on_most_draws_has_no_interval():
    with pytest.raises(UndefinedMetricError, match="undefined on 20 of 20 resamples of 2 pairs"):
        bootstrap_interval(
            roc_auc, [1, 1], [0.1, 0.2], n_resamples=20, rng=np.random.default_rng(1)
        )


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"rng": 3}, "rng"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"level": 0.0}, "level"),
    ],
)
def test_unusable_settings_of_the_bootstrap_are_refused(settings, named):
    with pytest.raises(InvalidSettingError, match=f"{named} of bootstrap_interval"):
        bootstrap_interval(
            accuracy, [1, -1], [1, -1], **({"rng": np.random.default_rng(0)} | settings)
        )
