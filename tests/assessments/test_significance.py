from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

import bqcd
from bqcd import BQCD, Pair
from bqcd.assessments.significance import (
    Significance,
    hypercompression_bound,
    sampling_bound,
    significance,
    standard_error,
)
from bqcd.assessments.stability import HalfSamples, half_samples
from bqcd.discovery.scores import pinball_score

Vector = NDArray[np.float64]

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


def parabolas(n: int, seed: int) -> Pair:
    """A parabola and its mirror image, half of the rows each: the same from both sides."""
    rng = np.random.default_rng(seed)
    t, noise, turned = rng.uniform(-1, 1, n), 0.1 * rng.normal(size=n), rng.random(n) < 0.5
    bent = t**2 + noise
    return Pair(np.where(turned, bent, t), np.where(turned, t, bent))


def grades(column: Vector, number: int) -> Vector:
    ranks = np.argsort(np.argsort(column))
    return np.floor(ranks * number / len(column))


@pytest.mark.parametrize(("number", "gaps"), [(2, 10), (5, 10), (20, 3)])
def test_grades_of_one_column_do_not_make_an_unknowable_direction_significant(
    number: int, gaps: int
) -> None:
    pairs = [parabolas(800, seed) for seed in range(20)]
    found = [judged(Pair(grades(pair.x, number), pair.y)) for pair in pairs]
    unaware = [each.gap > 3.0 for each in found]
    assert sum(unaware) > gaps, "grades alone make a gap"
    assert sum(each.p_bound <= 0.05 for each in found) <= 2


def test_two_values_against_many_cannot_be_significant() -> None:
    """A table of two by two with equal margins is symmetric, whatever the columns are."""
    x, noise = np.random.default_rng(0).normal(size=(2, 500))
    found = judged(Pair(np.where(x > np.median(x), 1.0, 0.0), x + 0.1 * noise))
    assert (found.grid, found.p_bound) == (2, 1.0)


def test_columns_without_a_common_grid_have_a_bound_of_one() -> None:
    thirds, quarters = np.repeat([0.0, 1.0, 2.0], 400), np.tile([0.0, 1.0, 1.0, 1.0], 300)
    found = judged(Pair(np.where(thirds > 0, 1.0, 0.0), quarters))
    assert found.counted_gap == 0.0
    assert found.p_bound == 1.0


def test_a_direction_that_grades_leave_visible_is_significant() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 2000)
    found = judged(Pair(grades(x, 8), x**2 + 0.1 * rng.normal(size=2000)))
    assert found.grid == 8
    assert found.p_bound < 0.001


def test_columns_rounded_alike_or_not_at_all_are_left_as_they_are() -> None:
    pair = gaussian(300, 0.5, 0)
    assert judged(pair).grid is None
    alike = Pair(grades(pair.x, 30), grades(pair.y, 30))
    assert judged(alike).grid is None


def test_neither_the_order_of_the_rows_nor_that_of_the_columns_matters() -> None:
    pair = gaussian(300, 0.8, 0)
    tied = Pair(pair.x.round(), pair.y.round(1))
    rows = np.random.default_rng(1).permutation(300)
    told = judged(tied)
    assert told.grid is not None
    assert judged(Pair(tied.x[rows], tied.y[rows])) == told
    assert judged(tied.swapped()) == told


def test_few_units_widen_the_sampling_bound() -> None:
    sizes = np.linspace(0.5, 8.0, 100)
    for units in (3, 6, 30):
        bounds = np.array([sampling_bound(size, 1.0, units) for size in sizes])
        assert np.all(bounds >= 2.0 * student.sf(sizes, units - 1))
    assert sampling_bound(2.5, 1.0, 1e9) == pytest.approx(sampling_bound(2.5, 1.0))


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
