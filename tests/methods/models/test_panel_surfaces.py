"""Surfaces over cause and noise: splines and evidence as other code has them, and what they see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from bqcd.methods.models import panel_surfaces
from bqcd.methods.models.panel_surfaces import SURFACES, conditional_noise, surface_scores
from bqcd.statistics.scaling import unit_variance


def mixing(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Y = x² + 0.7 x e + 0.3 e: the noise is neither added nor a factor."""
    rng = np.random.default_rng(seed)
    x, e = rng.uniform(-1.7, 1.7, n), rng.normal(size=n)
    return unit_variance(x), unit_variance(x**2 + 0.7 * x * e + 0.3 * e)


def test_splines_are_those_of_scipy():
    places = np.random.default_rng(0).uniform(-1.0, 3.0, 200)
    count, step = 10, 4.0 / 7.0
    knots = -1.0 + step * np.arange(-3, count + 1)
    wanted = BSpline.design_matrix(places, knots, 3).toarray()
    found = panel_surfaces._spline_rows(places, count, -1.0, 3.0)
    assert found == pytest.approx(wanted, abs=1e-12)
    beyond = panel_surfaces._spline_rows(np.array([-9.0, 9.0]), count, -1.0, 3.0)
    at_ends = panel_surfaces._spline_rows(np.array([-1.0, 3.0]), count, -1.0, 3.0)
    assert np.array_equal(beyond, at_ends)


def test_evidence_is_that_of_the_gaussian_distribution_of_all_rows():
    """Rows are Gaussian with covariance s² (1 + B K⁻¹ Bᵀ): determinant and form taken directly."""
    x, y = mixing(1, 80)
    noise = conditional_noise(x, y)
    along = panel_surfaces._spline_rows(x, 10, x.min(), x.max())
    rows = panel_surfaces._products(along, panel_surfaces._across(noise, noise))
    costs = []
    for penalty, _ in panel_surfaces._weighted_penalties():
        covariance = np.eye(80) + rows @ np.linalg.solve(penalty, rows.T)
        variance = float(y @ np.linalg.solve(covariance, y)) / 80
        costs.append(0.5 * (80 * np.log(variance) + np.linalg.slogdet(covariance)[1]))
    assert panel_surfaces._fitted(rows, y).cost == pytest.approx(min(costs), rel=1e-9)


def test_noise_is_found_again_where_rows_are_many():
    rng = np.random.default_rng(2)
    x, e = rng.uniform(size=1500), rng.normal(size=1500)
    noise = conditional_noise(x, np.sin(3.0 * x) + (0.5 + x) * e)
    assert np.corrcoef(noise, e)[0, 1] > 0.98


def test_noise_of_unrelated_columns_are_their_normal_scores():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 800))
    assert np.corrcoef(conditional_noise(x, y), y)[0, 1] > 0.98


def test_numbers_do_not_depend_on_the_order_of_rows():
    x, y = mixing(4)
    for columns in ((x, y), (np.round(3.0 * x), np.round(2.0 * y))):
        rows = np.random.default_rng(5).permutation(len(x))
        given, target = (unit_variance(column) for column in columns)
        again = surface_scores(given[rows], target[rows])
        assert again.tolist() == surface_scores(given, target).tolist()


def test_noise_that_enters_through_the_function_is_seen():
    """Of 20 pairs nearly all are plainer in the causal direction, by every number."""
    pairs = [mixing(seed) for seed in range(20)]
    wins = np.array([surface_scores(x, y) < surface_scores(y, x) for x, y in pairs])
    assert dict(zip(SURFACES, (wins.mean(axis=0) >= 0.9).tolist(), strict=True)) == dict.fromkeys(
        SURFACES, True
    )


def test_linear_gaussian_columns_are_as_plain_both_ways():
    gaps = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=300)
        y = x + rng.normal(size=300)
        ways = (unit_variance(x), unit_variance(y)), (unit_variance(y), unit_variance(x))
        one, other = (surface_scores(*way) for way in ways)
        gaps.append(other - one)
    mean, error = np.mean(gaps, axis=0), np.std(gaps, axis=0) / np.sqrt(20)
    assert (np.abs(mean) < 4.0 * error).all()
