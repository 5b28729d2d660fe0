"""Linear splines: least squares and leaving out by other means, and bends where they are."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.splines.linear import RIDGE, best_linear_spline, knot_numbers
from bqcd.statistics.splines.linear_kernels import spline_rows


def wavy(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3.0, 5.0, n)
    return x, 10.0 + np.sin(x) + 0.2 * rng.normal(size=n)


def hat_functions(place: np.ndarray, n_knots: int) -> np.ndarray:
    """The same splines in another basis: one tent per knot."""
    if n_knots == 0:
        return np.ones((len(place), 1))
    knots = np.linspace(0.0, 1.0, n_knots)
    return np.stack([np.interp(place, knots, tent) for tent in np.eye(n_knots)], axis=1)


@pytest.mark.parametrize("n", [60, 400, 1_000])
def test_predictions_are_those_of_least_squares(n):
    x, y = wavy(n)
    found = best_linear_spline(x, y)
    tents = hat_functions((x - x.min()) / np.ptp(x), found.n_knots)
    expected = tents @ np.linalg.lstsq(tents, y)[0]
    assert found.fitted == pytest.approx(expected, abs=1e-6)


def test_rows_left_out_are_predicted_without_them():
    x, y = wavy(150)
    found = best_linear_spline(x, y)
    tents = hat_functions((x - x.min()) / np.ptp(x), found.n_knots)
    for row in (0, 70, 149):
        others = np.arange(150) != row
        coefficients = np.linalg.lstsq(tents[others], y[others])[0]
        assert found.left_out[row] == pytest.approx(tents[row] @ coefficients, abs=1e-6)


@pytest.mark.parametrize("n_knots", [0, 2, 3, 9, 22])
@pytest.mark.parametrize("far", [1.0, 40.0], ids=["even", "one row alone"])
def test_the_ridge_is_on_value_and_slope_at_the_end_and_on_bends(n_knots, far):
    x, y = wavy(300)
    x[0] = far * x.max()
    place = (x - x.min()) / np.ptp(x)
    bends = [np.maximum(place - knot, 0.0) for knot in np.linspace(0.0, 1.0, n_knots)[1:-1]]
    powers = np.stack([np.ones(300), place, *bends], axis=1) if n_knots else np.ones((300, 1))
    inverse = np.linalg.inv(powers.T @ powers + RIDGE * np.eye(powers.shape[1]))
    fitted, leverage = spline_rows(place, y, n_knots, RIDGE)
    assert fitted == pytest.approx(powers @ (inverse @ (powers.T @ y)), rel=1e-6)
    assert leverage == pytest.approx(np.sum((powers @ inverse) * powers, axis=1), rel=1e-6)


def test_no_number_of_knots_predicts_better():
    x, y = wavy(1_000)
    found = best_linear_spline(x, y)
    errors = {}
    for n_knots in (0, *knot_numbers(1_000)):
        tents = hat_functions((x - x.min()) / np.ptp(x), n_knots)
        projection = tents @ np.linalg.pinv(tents)
        errors[n_knots] = np.mean(((y - projection @ y) / (1.0 - np.diag(projection))) ** 2)
    assert found.n_knots == min(errors, key=errors.get)
    assert np.mean((y - found.left_out) ** 2) == pytest.approx(min(errors.values()), rel=1e-6)


@pytest.mark.parametrize(("slope", "expected"), [(0.0, 0), (3.0, 2)])
def test_noise_mostly_asks_for_a_constant_and_a_noisy_line_for_a_line(slope, expected):
    chosen = []
    for seed in range(40):
        x, noise = np.random.default_rng(seed).normal(size=(2, 500))
        chosen.append(best_linear_spline(x, slope * x + noise).n_knots)
    assert np.mean(np.array(chosen) == expected) > 0.5


def test_a_line_without_noise_is_found():
    x, _ = wavy(100)
    assert best_linear_spline(x, 3.0 * x - 7.0).fitted == pytest.approx(3.0 * x - 7.0, abs=1e-7)


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (10, (2,)),
        (62, (2,)),
        (63, (2, 3)),
        (400, (2, 3, 4, 5, 6)),
        (1_000, tuple(range(2, 11))),
        (16_000, (2, 6, 10, 15, 19, 23, 27, 32, 36, 40)),
        (10**6, (2, 24, 46, 68, 90, 112, 134, 156, 178, 200)),
    ],
)
def test_numbers_of_knots_go_up_to_the_root_of_a_tenth_of_the_rows(n, expected):
    assert knot_numbers(n) == expected


def test_predictions_are_raised_to_the_least_deviations_asked_for():
    rng = np.random.default_rng(2)
    x = rng.uniform(size=400)
    y = np.maximum(x - 0.5, 0.0) * rng.uniform(size=400)
    least = 0.05 * y.std(ddof=1)
    found = best_linear_spline(x, y, least=0.05)
    assert found.fitted.min() == pytest.approx(least, rel=1e-12)
    assert found.left_out.min() == pytest.approx(least, rel=1e-12)
    assert best_linear_spline(x, y).fitted.min() < least


def test_units_of_the_target_and_of_the_predictor_change_only_units():
    x, y = wavy(300)
    found, scaled = best_linear_spline(x, y), best_linear_spline(8.0 * x, 0.25 * y)
    assert np.array_equal(scaled.fitted, 0.25 * found.fitted)
    assert np.array_equal(scaled.left_out, 0.25 * found.left_out)


def test_a_row_alone_beyond_the_others_gets_a_finite_prediction():
    x, y = wavy(500)
    x[0] = 1_000.0
    found = best_linear_spline(x, y)
    assert np.isfinite(found.left_out).all()


def test_a_target_that_does_not_vary_is_its_own_prediction():
    x, _ = wavy(50)
    found = best_linear_spline(x, np.full(50, 3.0), least=0.05)
    assert found.n_knots == 0
    assert np.array_equal(found.fitted, np.full(50, 3.0))
