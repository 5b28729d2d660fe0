from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from scipy.stats import norm

import bqcd
from bqcd import BQCD, Pair
from bqcd.assessments.resampling import HalfSamples, half_samples
from bqcd.assessments.significance import (
    Significance,
    hypercompression_bound,
    sampling_bound,
    significance,
    standard_error,
    tie_shift,
)
from bqcd.scores import pinball_score

HALVES = 30


def gaussian(n: int, correlation: float, seed: int) -> Pair:
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return Pair(x, correlation * x + sqrt(1.0 - correlation**2) * noise)


def judged(pair: Pair) -> Significance:
    verdict = bqcd.decide_pair(pair, method=BQCD())
    found = significance(verdict, half_samples(pair, BQCD(), replicates=HALVES))
    assert found is not None
    return found


def test_the_bound_is_one_without_a_gap_and_falls_by_a_factor_e_per_nat() -> None:
    assert hypercompression_bound(0.0) == 1.0
    assert hypercompression_bound(-2.0) == 1.0
    assert hypercompression_bound(3.0) == pytest.approx(exp(-3.0))
    assert hypercompression_bound(1e9) == 0.0


@pytest.mark.parametrize("level", [0.5, 0.1])
def test_codes_of_scale_one_are_not_hypercompressed(level: float) -> None:
    """Rows that follow one asymmetric Laplace code are seldom shorter in another one."""
    rng = np.random.default_rng(0)
    # Below the quantile the density falls at rate 1 - level, above it at rate level.
    rates = np.where(rng.random((20_000, 6)) < level, -1.0 / (1.0 - level), 1.0 / level)
    rows = rates * rng.exponential(size=(20_000, 6))
    own, other = (pinball_score(q, rows, level).sum(axis=1) for q in (0.0, 0.6 / level))
    for nats in (0.5, 1.0, 2.0):
        share = np.mean(own - other >= nats)
        assert 0.0 < share <= hypercompression_bound(nats)


def test_the_sampling_bound_lies_above_both_tails_of_the_normal_distribution() -> None:
    sizes = np.linspace(0.0, 8.0, 200)
    bounds = np.array([sampling_bound(size, 1.0) for size in sizes])
    assert np.all(bounds >= 2.0 * norm.sf(sizes))
    assert np.all(bounds[1:] < 4.5 * sizes[1:].clip(1.0) * norm.sf(sizes[1:]))


def test_the_sampling_bound_knows_errors_of_zero_and_tiny_ones() -> None:
    assert sampling_bound(0.0, 0.0) == 1.0
    assert sampling_bound(0.1, 0.0) == 0.0
    assert sampling_bound(1.0, 1e-300) == 0.0


def test_the_standard_error_is_that_of_a_mean() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=600)
    for rows in (300, 100):
        means = [rng.permutation(values)[:rows].mean() for _ in range(4000)]
        halves = HalfSamples(np.array(means), n_rows=600, rows=rows)
        assert standard_error(halves) == pytest.approx(values.std() / sqrt(600), rel=0.05)


def test_many_rows_do_not_make_an_unknowable_direction_significant() -> None:
    found = [judged(gaussian(10_000, 0.5, seed)) for seed in range(20)]
    raw = sum(each.hypercompression <= 0.05 for each in found)
    assert raw >= 4, "the inequality alone rejects about three of ten"
    assert sum(each.p_bound <= 0.05 for each in found) <= 1


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_few_rows_do_not_make_an_unknowable_direction_significant(correlation: float) -> None:
    found = [judged(gaussian(200, correlation, seed)) for seed in range(40)]
    assert sum(each.p_bound <= 0.05 for each in found) <= 2
    assert sum(each.sampling <= 0.05 for each in found) <= 2


def test_rounding_one_column_does_not_make_an_unknowable_direction_significant() -> None:
    pairs = [gaussian(3000, 0.9, seed) for seed in range(5)]
    found = [judged(Pair(pair.x.round(), pair.y)) for pair in pairs]
    unaware = [exp(-0.5 * (each.tie_shift / each.standard_error) ** 2) for each in found]
    assert all(each.gap > 3.0 for each in found), "rounding alone makes a gap"
    assert max(unaware) < 0.05, "as large as chance does not make it"
    assert min(each.p_bound for each in found) > 0.05


def test_the_tie_shift_is_what_rounded_gaussian_pairs_score_on_average() -> None:
    scored = []
    for seed in range(40):
        pair = gaussian(1000, -0.8, seed)
        rounded = Pair(pair.x, pair.y.round())
        scored.append(bqcd.decide_pair(rounded, method=BQCD(tie_orders=4)).confidence)
    error = float(np.std(scored)) / sqrt(len(scored))
    shift = tie_shift(rounded, BQCD(), references=16)
    assert np.mean(scored) < -8.0 * error
    assert shift == pytest.approx(np.mean(scored), abs=4.0 * error)


def test_there_is_no_tie_shift_without_ties_or_with_columns_rounded_alike() -> None:
    pair = gaussian(300, 0.5, 0)
    assert tie_shift(pair, BQCD()) == 0.0
    alike = Pair(np.arange(300.0) // 10, np.arange(300.0)[::-1] // 10)
    assert tie_shift(alike, BQCD()) == 0.0
    assert tie_shift(Pair(alike.x, alike.x.copy()), BQCD()) == 0.0


def test_neither_the_order_of_the_rows_nor_that_of_the_columns_matters() -> None:
    pair = gaussian(300, 0.8, 0)
    tied = Pair(pair.x.round(), pair.y.round(1))
    rows = np.random.default_rng(1).permutation(300)
    shift = tie_shift(tied, BQCD(), seed=5)
    assert shift != 0.0
    assert tie_shift(Pair(tied.x[rows], tied.y[rows]), BQCD(), seed=5) == shift
    assert tie_shift(tied.swapped(), BQCD(), seed=5) == -shift
    one, other = judged(tied), judged(tied.swapped())
    assert (one.gap, one.p_bound) == (other.gap, other.p_bound)


def test_a_gap_in_the_direction_of_the_tie_shift_counts_only_beyond_it() -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 1000))
    for columns in ((x.round(), x + 0.4 * noise), (x**2 + 0.4 * noise, x.round(1))):
        found = judged(Pair(*columns))
        assert 0.0 <= found.counted_gap <= found.gap


def test_clear_mechanisms_are_significant() -> None:
    items = bqcd.simulate_pairs("AN", n_pairs=12, n_rows=500).items
    found = [judged(item.pair) for item in items]
    assert sum(each.p_bound <= 0.05 for each in found) >= 11


def test_the_gap_is_the_difference_of_the_code_lengths_in_nats() -> None:
    pair = gaussian(400, 0.6, 2)
    verdict = bqcd.decide_pair(pair, method=BQCD())
    told = verdict.evidence.as_dict(pair)  # type: ignore[union-attr]
    difference = told["code_length_x_to_y"] - told["code_length_y_to_x"]  # type: ignore[operator]
    assert judged(pair).gap == pytest.approx(400 * abs(difference))


def test_methods_without_code_lengths_have_no_bound() -> None:
    pair = gaussian(100, 0.5, 0)
    verdict = bqcd.decide_pair(pair, method="igci-u")
    assert significance(verdict, HalfSamples(np.zeros(2), 100, 50)) is None
