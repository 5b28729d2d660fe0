"""Splines: dense matrices, other programs' numbers, and what holds for any data."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.interpolate import BSpline, make_smoothing_spline
from scipy.optimize import minimize_scalar

from bqcd.benchmark.datasets import load_table
from bqcd.statistics.splines import b_spline_kernels, thin_plate_kernels
from bqcd.statistics.splines.penalised import (
    SmoothingSpline,
    _leading_eigenvectors,
    curvature_bands,
    knot_count,
    smoothing_spline,
    thin_plate_fit,
)


def columns(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "normal": rng.normal(size=n),
        "skewed": rng.exponential(size=n) ** 2,
        "heavy tails": rng.standard_t(2, size=n),
        "even": np.linspace(-1.0, 1.0, n),
        "tied": rng.normal(size=n).round(1),
    }


def wave(x: np.ndarray, seed: int = 1) -> np.ndarray:
    return np.sin(2.0 * x) + 0.3 * np.random.default_rng(seed).normal(size=len(x))


COLUMNS = columns(150)
every_column = pytest.mark.parametrize("x", COLUMNS.values(), ids=COLUMNS)


# -- thin plates -----------------------------------------------------------------------


def test_sums_of_cubed_distances_are_those_of_the_matrix():
    rng = np.random.default_rng(0)
    knots, points = np.sort(rng.normal(size=40)), np.sort(rng.normal(size=90) * 1.5)
    points[10:50] = knots
    points.sort()
    weights, out = rng.normal(size=40), np.empty(90)
    thin_plate_kernels.cubed_distance_sums(knots, weights, points, out)
    dense = np.abs(points[:, None] - knots) ** 3 / 12.0
    np.testing.assert_allclose(out, dense @ weights, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 20, 60])
@pytest.mark.parametrize("fall", [0.0, 0.5])
def test_tridiagonal_eigenvectors_are_those_of_the_dense_matrix(size, fall):
    rng = np.random.default_rng(size)
    scale = 10.0 ** (-fall * np.arange(size))
    diagonal, beside = rng.normal(size=size) * scale, (rng.normal(size=size) * scale)[1:]
    dense = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    values, vectors = thin_plate_kernels.tridiagonal_eigenvectors(diagonal, beside)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(dense), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(dense @ vectors, vectors * values, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(size), rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("n", [5, 12, 40, 200])
@pytest.mark.parametrize("kind", ["normal", "skewed", "heavy tails", "even"])
def test_leading_eigenvectors_are_those_of_the_dense_matrix(n, kind):
    knots = np.sort(columns(n)[kind])
    dense = np.abs(knots[:, None] - knots) ** 3 / 12.0
    values, vectors = np.linalg.eigh(dense)
    leading = np.argsort(-np.abs(values))[: min(10, n)]
    found, rows = _leading_eigenvectors(knots, 10)
    np.testing.assert_allclose(found, values[leading], rtol=1e-8)
    # The space they span, as the sign of a vector is anyone's choice.
    projector = vectors[:, leading] @ vectors[:, leading].T
    np.testing.assert_allclose(rows.T @ rows, projector, rtol=0.0, atol=1e-6)


def dense_thin_plate(x: np.ndarray, y: np.ndarray, n_basis: int) -> tuple[float, float]:
    """RSS and degrees by the textbook: full eigenvectors, hat matrices, a search for GCV."""
    knots, places = np.unique(x, return_inverse=True)
    values, vectors = np.linalg.eigh(np.abs(knots[:, None] - knots) ** 3 / 12.0)
    keep = np.argsort(-np.abs(values))[:n_basis]
    d, u = values[keep], vectors[:, keep]
    line = np.column_stack((np.ones_like(knots), knots - knots.mean()))
    z = np.linalg.svd(line.T @ u)[2][2:].T
    design = np.column_stack((u * d @ z, line))[places]
    penalty = np.zeros((n_basis, n_basis))
    penalty[:-2, :-2] = z.T @ np.diag(d) @ z

    def fit(log_penalty: float) -> tuple[float, float]:
        normal = design.T @ design + np.exp(log_penalty) * penalty
        hat = design @ np.linalg.solve(normal, design.T)
        return float(np.square(y - hat @ y).sum()), float(np.trace(hat))

    def gcv(log_penalty: float) -> float:
        squares, degrees = fit(log_penalty)
        return len(x) * squares / (len(x) - degrees) ** 2

    grid = np.arange(-25.0, 15.0, 0.5)
    start = grid[np.argmin([gcv(g) for g in grid])]
    best = minimize_scalar(gcv, bounds=(start - 1.0, start + 1.0), options={"xatol": 1e-9})
    return fit(best.x)


@every_column
def test_thin_plates_are_those_of_dense_matrices(x):
    fit = thin_plate_fit(x, wave(x))
    squares, degrees = dense_thin_plate(x, wave(x), 10)
    assert fit.residual_sum == pytest.approx(squares, rel=1e-6)
    assert fit.degrees == pytest.approx(degrees, rel=1e-6)


def test_thin_plates_are_those_of_mgcv():
    """``gam(accel ~ s(times))`` on the motorcycle data: mgcv 1.9, quoted with seven digits in
    the tests of the Python package hea, and as GCV = 545.78 in many a tutorial.
    """
    table = load_table("mcycle")
    x, y = (np.asarray(column, dtype=float) for column in table.columns)
    fit = thin_plate_fit(x, y)
    left = 133 - fit.degrees
    assert fit.degrees == pytest.approx(9.693314, abs=1e-6)
    assert fit.residual_sum / left == pytest.approx(506.0017, abs=1e-4)
    assert 133 * fit.residual_sum / left**2 == pytest.approx(545.7792, abs=1e-4)


def test_thin_plates_with_a_function_for_every_point_are_natural_smoothing_splines():
    rng = np.random.default_rng(2)
    x = np.sort(rng.uniform(0.0, 5.0, 15))
    y = wave(x)
    fit = thin_plate_fit(x, y, n_basis=15)
    natural = make_smoothing_spline(x, y, lam=np.exp(fit.log_penalty))
    assert fit.residual_sum == pytest.approx(np.square(y - natural(x)).sum(), rel=1e-8)


def test_a_straight_line_takes_two_degrees():
    x = COLUMNS["even"]
    # No smooth curve follows noise that changes its sign from point to point.
    y = x + 0.1 * (-1.0) ** np.arange(len(x))
    fit = thin_plate_fit(x, y)
    line = np.polynomial.Polynomial.fit(x, y, 1)
    assert fit.degrees == pytest.approx(2.0, abs=1e-5)
    assert fit.residual_sum == pytest.approx(np.square(y - line(x)).sum(), rel=1e-6)


@pytest.mark.parametrize("values", [2, 3, 5])
def test_with_few_distinct_values_the_basis_is_as_small(values):
    rng = np.random.default_rng(3)
    x = np.arange(60) % values
    y = x**2 + rng.normal(size=60)
    fit = thin_plate_fit(x.astype(float), y)
    means = np.array([y[x == value].mean() for value in range(values)])
    assert fit.degrees <= values + 1e-9
    assert fit.residual_sum >= np.square(y - means[x]).sum() - 1e-9


def test_fewer_knots_than_points_change_little(monkeypatch):
    x = np.random.default_rng(4).normal(size=500)
    every = thin_plate_fit(x, wave(x))
    monkeypatch.setattr("bqcd.statistics.splines.penalised.MOST_KNOTS", 250)
    half = thin_plate_fit(x, wave(x))
    assert half != every
    assert half.residual_sum == pytest.approx(every.residual_sum, rel=5e-3)
    assert half.degrees == pytest.approx(every.degrees, rel=1e-2)


@every_column
def test_the_order_of_rows_is_no_matter_to_the_last_bit(x):
    order = np.random.default_rng(6).permutation(len(x))
    y = wave(x).round(1)
    assert thin_plate_fit(x, y) == thin_plate_fit(x[order], y[order])
    first, second = smoothing_spline(x, y), smoothing_spline(x[order], y[order])
    assert first.at_degrees(7.0) == second.at_degrees(7.0)


def test_thin_plates_survive_points_that_almost_coincide():
    rng = np.random.default_rng(7)
    x = np.where(np.arange(100) < 50, 0.0, 1.0) + 1e-12 * rng.normal(size=100)
    fit = thin_plate_fit(x, rng.normal(size=100))
    assert np.isfinite([fit.residual_sum, fit.degrees]).all()
    assert 2.0 <= fit.degrees <= 10.0


# -- smoothing splines -----------------------------------------------------------------

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
