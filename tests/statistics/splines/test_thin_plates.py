"""Thin plates: dense matrices, other programs' numbers, and what holds for any data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline
from scipy.optimize import minimize_scalar

from bqcd.benchmark.datasets import load_table
from bqcd.statistics.splines import thin_plate_kernels
from bqcd.statistics.splines.smoothing_splines import (
    smoothing_spline,
)
from bqcd.statistics.splines.thin_plates import _leading_eigenvectors, thin_plate_fit
from tests.statistics.splines.spline_columns import COLUMNS, columns, every_column, wave


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
    monkeypatch.setattr("bqcd.statistics.splines.thin_plates.MOST_KNOTS", 250)
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
