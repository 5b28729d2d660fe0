"""Code lengths: known values, densities, and lines fitted by others."""

from __future__ import annotations

from math import comb, log2

import numpy as np
import pytest
from scipy.stats import linregress, norm

from bqcd.statistics.codes.description_length import (
    choice_bits,
    integer_bits,
    line_codes,
    real_bits,
    residual_bits,
    smallest_step,
)


@pytest.mark.parametrize(
    ("value", "terms"),
    [
        (1, []),
        (2, [1.0]),
        (3, [log2(3.0), log2(log2(3.0))]),
        (4, [2.0, 1.0]),
        (16, [4.0, 2.0, 1.0]),
        (65536, [16.0, 4.0, 2.0, 1.0]),
        (2.1, [log2(3.0), log2(log2(3.0))]),
    ],
)
def test_integers_have_the_universal_code_length_of_rissanen(value, terms):
    assert integer_bits(value) == pytest.approx(log2(2.865064) + sum(terms), abs=1e-12)


@pytest.mark.parametrize("value", [0, -3, 0.0])
def test_what_is_below_one_costs_nothing(value):
    assert integer_bits(value) == 0.0


def test_integers_have_a_prefix_code():
    # Kraft: the shares of all codes sum to 1, very slowly.
    shares = [2.0 ** -integer_bits(value) for value in range(1, 100_001)]
    assert 0.8 < sum(shares) < 1.0


@pytest.mark.parametrize("value", [2, 3, 5, 17, 1234])
def test_the_first_term_that_is_not_positive_is_added_on_demand(value):
    term = log2(value)
    while term > 0.0:
        term = log2(term)
    longer = integer_bits(value, through_zero=True)
    assert longer == pytest.approx(integer_bits(value) + term, abs=1e-12)
    assert longer <= integer_bits(value)


@pytest.mark.parametrize(
    ("value", "digits", "places"),
    [(0.5, 5000, 5), (1.2345, 1234.5, 4), (1e3, 1000, 1), (123456.0, 123456, 1), (3e-7, 3000, 11)],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_real_numbers_are_told_by_digits_places_and_sign(value, digits, places, sign):
    expected = integer_bits(digits) + integer_bits(places) + 1.0
    assert real_bits(sign * value) == pytest.approx(expected, abs=1e-9)


def test_zero_is_free_and_the_smallest_number_is_not():
    assert real_bits(0.0) == 0.0
    assert 10.0 < real_bits(5e-324) < 40.0


def test_residuals_cost_what_the_best_normal_density_says():
    residuals = np.random.default_rng(0).normal(size=500)
    squares = float(np.square(residuals).sum())
    density = norm(scale=np.sqrt(squares / 500)).logpdf(residuals)
    expected = -(density / np.log(2.0)).sum() - 500 * log2(0.001)
    assert residual_bits(squares, 500, 0.001) == pytest.approx(expected, rel=1e-12)


def test_residuals_finer_than_the_resolution_cost_nothing():
    assert residual_bits(0.0, 100, 0.01) == 0.0
    assert residual_bits(1e-9, 100, 0.01) == 0.0
    assert residual_bits(1e-300, 100, 0.01) == 0.0


@pytest.mark.parametrize(("n", "k"), [(10, 0), (10, 3), (10, 10), (500, 7), (500, 250)])
def test_choices_cost_the_logarithm_of_their_number(n, k):
    assert choice_bits(n, k) == pytest.approx(log2(comb(n, k)), rel=1e-12, abs=1e-9)


def test_steps_of_zero_do_not_count_and_large_ones_are_capped():
    column = np.array([0.3, 0.1, 0.1, 0.35, 1.0])
    assert smallest_step(column, most=1.0) == pytest.approx(0.05, abs=1e-15)
    assert smallest_step(column, most=0.01) == 0.01
    assert smallest_step(np.ones(3), most=0.01) == 0.01


def test_lines_are_those_of_scipy():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=200)
    y = 1.0 + 3.0 * x**2 + 0.1 * rng.normal(size=200)
    features = np.stack((x, x**2, np.exp(x), 1.0 / (x + 1e-9)))
    codes = line_codes(features, y, resolution=0.001)
    for at, feature in enumerate(features):
        line = linregress(feature, y)
        left = y - line.intercept - line.slope * feature
        assert codes.intercepts[at] == pytest.approx(line.intercept, rel=1e-10)
        assert codes.slopes[at] == pytest.approx(line.slope, rel=1e-10)
        told = residual_bits(float(np.square(left).sum()), 200, 0.001)
        assert codes.residuals[at] == pytest.approx(told, rel=1e-12)
        parameters = real_bits(line.intercept) + real_bits(line.slope)
        assert codes.parameters[at] == pytest.approx(parameters, abs=1e-6)


def test_a_feature_that_hardly_varies_has_no_slope():
    target = np.arange(10.0)
    constant = np.full(10, 0.3)
    codes = line_codes(np.stack((constant, 1.0 + 1e-9 * target)), target, resolution=0.01)
    assert codes.slopes.tolist() == [0.0, 0.0]
    assert codes.intercepts.tolist() == [4.5, 4.5]
    assert (codes.parameters == real_bits(4.5)).all()


@pytest.mark.parametrize("value", [1e200, np.inf, np.nan])
def test_features_too_large_to_square_cost_infinitely_much(value):
    feature = np.arange(10.0)
    feature[3] = value
    codes = line_codes(np.stack((feature, np.arange(10.0))), np.arange(10.0), resolution=0.01)
    assert codes.residuals.tolist() == [np.inf, 0.0]
    assert codes.parameters[0] == np.inf
