"""Smoothing splines: dense matrices, other programs' numbers, and what holds for any data."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.interpolate import BSpline, make_smoothing_spline

from bqcd.statistics.splines import b_spline_kernels
from bqcd.statistics.splines.smoothing_splines import (
    SmoothingSpline,
    curvature_bands,
    knot_count,
    smoothing_spline,
)
from tests.statistics.splines.spline_columns import COLUMNS, every_column, wave

SPEED = (
    "4 4 7 7 8 9 10 10 10 11 11 12 12 12 12 13 13 13 13 14 14 14 14 15 15 15 16 16 17 17 17 18 "
    "18 18 18 19 19 19 20 20 20 20 20 22 23 24 24 24 24 25"
)
DISTANCE = (
    "2 10 4 22 16 10 18 26 34 17 28 14 20 24 28 26 34 34 46 26 36 60 80 20 26 54 32 40 32 40 50 "
    "42 56 76 84 36 46 68 32 48 52 56 64 66 54 70 92 93 120 85"
)


def numbers(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=float)


def test_smoothing_splines_are_those_of_r():
    """``smooth.spline`` on ``cars`` and on 18 made-up numbers: what R prints for the examples
    of its own help page, as kept among the tests of R (stats-Ex.Rout.save). Its penalised
    criterion leaves out the scatter of tied rows.
    """
    cars = smoothing_spline(numbers(SPEED), numbers(DISTANCE))
    fit = cars.at_penalty(log(0.1112206))
    assert fit.degrees == pytest.approx(2.635278, abs=1e-6)
    assert fit.residual_sum - cars.scatter == pytest.approx(4187.776, abs=1e-3)
    few = smoothing_spline(np.arange(18.0), numbers("1 2 3 5 4 7 6 5 4 3 4 6 8 10 10 10 10 10"))
    for penalty, degrees, squares in (
        (9.672776e-05, 8.494168, 3.59204),
        (3.911187e-06, 15.25900, 0.4973656),
    ):
        fit = few.at_penalty(log(penalty))
        assert fit.degrees == pytest.approx(degrees, abs=1e-5)
        assert fit.residual_sum == pytest.approx(squares, rel=1e-6)


def test_the_range_of_penalties_is_that_of_r():
    # As above, where the second penalty is told to be that of spar = 0.2.
    few = smoothing_spline(np.arange(18.0), numbers("1 2 3 5 4 7 6 5 4 3 4 6 8 10 10 10 10 10"))
    low, high = few.penalty_range
    assert low + (0.2 + 1.5) / 3.0 * (high - low) == pytest.approx(log(3.911187e-06), abs=1e-6)


def test_smoothing_splines_are_natural_ones_but_for_a_third_of_r():
    x = np.sort(np.random.default_rng(8).uniform(size=40))
    x = (x - x[0]) / (x[-1] - x[0])
    y = wave(6.0 * x)
    fit = smoothing_spline(x, y).at_penalty(log(1e-4))
    natural = make_smoothing_spline(x, y, lam=1e-4)
    assert fit.residual_sum == pytest.approx(np.square(y - natural(x)).sum(), rel=1e-3)


def dense(bands: np.ndarray) -> np.ndarray:
    """Matrix with these bands."""
    matrix = np.diag(bands[0])
    for b in range(1, len(bands)):
        matrix += np.diag(bands[b, :-b], b) + np.diag(bands[b, :-b], -b)
    return matrix


def test_bands_hold_products_and_curvatures_of_b_splines():
    rng = np.random.default_rng(9)
    inner = np.sort(rng.uniform(size=8))
    knots = np.concatenate((np.zeros(4), inner, np.ones(4)))
    points, weights = np.sort(rng.uniform(size=50)), rng.integers(1, 5, 50).astype(float)
    points[0], points[-1] = 0.0, 1.0
    means = rng.normal(size=50)
    design = BSpline.design_matrix(points, knots, 3).toarray()
    gram, moments = b_spline_kernels.data_bands(knots, points, means, weights)
    np.testing.assert_allclose(dense(gram), design.T * weights @ design, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(moments, design.T @ (weights * means), rtol=0.0, atol=1e-12)
    at, by = np.polynomial.legendre.leggauss(2)
    edges = np.concatenate(([0.0], inner, [1.0]))
    half, middle = np.diff(edges) / 2.0, (edges[1:] + edges[:-1]) / 2.0
    places = (middle[:, None] + half[:, None] * at).ravel()
    bent = BSpline(knots, np.eye(len(knots) - 4), 3).derivative(2)(places)
    exact = bent.T * (half[:, None] * by).ravel() @ bent
    curvature = dense(curvature_bands(knots))
    np.testing.assert_allclose(curvature, exact, rtol=0.0, atol=5e-3 * np.abs(exact).max())
    # Straight lines have none: the coefficients of x are the means of three knots.
    line = np.array([knots[i + 1 : i + 4].mean() for i in range(len(knots) - 4)])
    assert np.abs(curvature @ line).max() < 1e-10 * np.abs(exact).max()


@every_column
@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
def test_a_fit_is_that_of_dense_matrices(x, share):
    splines = smoothing_spline(x, wave(x))
    low, high = splines.penalty_range
    log_penalty = low + share * (high - low)
    gram, curvature = dense(splines.gram), dense(splines.curvature)
    normal = gram + np.exp(log_penalty) * curvature
    coefficients = np.linalg.solve(normal, splines.moments)
    explained = 2.0 * coefficients @ splines.moments - coefficients @ gram @ coefficients
    fit = splines.at_penalty(log_penalty)
    assert fit.degrees == pytest.approx(np.trace(np.linalg.solve(normal, gram)), rel=1e-7)
    assert fit.residual_sum == pytest.approx(splines.total - explained, rel=1e-7)


@every_column
def test_degrees_are_met_and_more_of_them_leave_less(x):
    splines = smoothing_spline(x, wave(x))
    wanted = range(10, 22)
    fits = [splines.at_degrees(degrees) for degrees in wanted]
    np.testing.assert_allclose([fit.degrees for fit in fits], wanted, rtol=1e-7)
    assert (np.diff([fit.residual_sum for fit in fits]) < 0.0).all()


def test_degrees_out_of_reach_end_at_the_range():
    x = COLUMNS["normal"]
    splines = smoothing_spline(x, wave(x))
    assert splines.at_degrees(1.0) == splines.smoothest
    assert splines.at_degrees(1e9) == splines.roughest
    assert 2.0 < splines.smoothest.degrees < 4.0
    assert splines.roughest.degrees == pytest.approx(knot_count(150) + 2, abs=0.1)


def test_repeating_all_rows_scales_squares_and_penalty():
    x = COLUMNS["normal"]
    once = smoothing_spline(x, wave(x))
    thrice = smoothing_spline(np.repeat(x, 3), np.repeat(wave(x), 3))
    fit, other = once.at_penalty(-5.0), thrice.at_penalty(-5.0 + log(3.0))
    assert other.degrees == pytest.approx(fit.degrees, rel=1e-9)
    assert other.residual_sum == pytest.approx(3.0 * fit.residual_sum, rel=1e-9)


def test_the_scatter_of_tied_rows_is_never_explained():
    rng = np.random.default_rng(10)
    x = np.repeat(np.arange(12.0), 5)
    y = rng.normal(size=60)
    splines = smoothing_spline(x, y)
    within = np.square(y.reshape(12, 5) - y.reshape(12, 5).mean(axis=1, keepdims=True)).sum()
    assert splines.scatter == pytest.approx(within, rel=1e-12)
    assert splines.total == pytest.approx(np.square(y - y.mean()).sum(), rel=1e-12)
    assert splines.roughest.residual_sum == pytest.approx(within, rel=1e-6)


@pytest.mark.parametrize(
    ("points", "knots"),
    [(4, 4), (49, 49), (125, 70), (201, 100), (801, 140), (2000, 167), (3200, 200), (10_000, 205)],
)
def test_knots_are_as_many_as_those_of_r(points, knots):
    # 125 points lie in the middle of 50 and 200: 50 * 2**0.5 = 70.7. 2000 likewise: 167.3.
    assert knot_count(points) == knots


@pytest.mark.parametrize(
    "x",
    [
        np.arange(60) % 3 * 1.0,
        np.where(np.arange(60) < 30, 0.0, 1.0) + 1e-9 * np.arange(60),
        2.0 ** -np.arange(200.0),
    ],
    ids=["three values", "two clusters", "halves of halves"],
)
def test_no_splines_where_the_points_do_not_allow_any(x):
    assert smoothing_spline(x, np.sin(np.arange(len(x)))) is None


def test_splines_are_frozen():
    x = COLUMNS["normal"]
    splines = smoothing_spline(x, wave(x))
    assert isinstance(splines, SmoothingSpline)
    with pytest.raises(AttributeError):
        splines.total = 0.0
