"""GPI: its description length by dense matrices, its search, and what it solves."""

from __future__ import annotations

from math import inf, lgamma, log, pi

import numpy as np
import pytest
from scipy.optimize import minimize

from bqcd.data.pair import Pair
from bqcd.methods import gpi
from bqcd.methods.gpi import GPI, conditional_length
from bqcd.methods.models import gpi_model
from bqcd.statistics.scaling import unit_variance

from .trials import accuracies, benchmark, share_right

QUICK = {"max_rows": 60, "draws": 1, "max_steps": 8, "max_components": 5}
every_search = pytest.mark.parametrize("preconditioned", [False, True], ids=["plain", "curved"])


def bent(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Cause, increasing, and effect with noise that grows, on multiples of 2⁻²⁰."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-2.0, 2.0, n))
    y = (x + x**3) * np.exp(0.3 * rng.normal(size=n))
    return np.round(x * 2.0**20) / 2.0**20, np.round(y * 2.0**20) / 2.0**20


def scaled(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    x, y = bent(n, seed)
    return unit_variance(x), unit_variance(y)


def points(n: int) -> dict[str, np.ndarray]:
    """Scales and noise: plain noise, noise that lets f fall somewhere, short scales."""
    x, y = scaled(n)
    noise = unit_variance(y - np.polyval(np.polyfit(x, y, 3), x))
    rough = noise + 0.3 * np.random.default_rng(1).normal(size=n)
    return {
        "long scales": np.append(np.log([12.0, 5.0, 40.0]), noise),
        "falling somewhere": np.append(np.log([8.0, 2.0, 10.0]), rough),
        "short scales": np.append(np.log([3.0, 0.4, 6.0]), rough),
    }


POINTS = points(80)
every_point = pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)


def gaps(column: np.ndarray) -> np.ndarray:
    return column[:, None] - column


def dense_covariance(point: np.ndarray, cause: np.ndarray) -> np.ndarray:
    signal, reach, noise_reach = np.exp(point[:3])
    exponent = (gaps(cause) / reach) ** 2 + (gaps(point[3:]) / noise_reach) ** 2
    return signal**2 * np.exp(-0.5 * exponent)


def dense_slopes(point: np.ndarray, cause: np.ndarray, effect: np.ndarray) -> np.ndarray:
    covariance = dense_covariance(point, cause)
    alpha = np.linalg.solve(covariance + 1e-5 * np.eye(len(cause)), effect)
    return (-covariance * gaps(point[3:]) / np.exp(2.0 * point[2])) @ alpha


def dense_length(point: np.ndarray, cause: np.ndarray, effect: np.ndarray) -> float:
    """The four terms of the published objective, constants as in the published runs."""
    n, noise = len(cause), point[3:]
    matrix = dense_covariance(point, cause) + 1e-5 * np.eye(n)
    process = 0.5 * effect @ np.linalg.solve(matrix, effect) + 0.5 * np.linalg.slogdet(matrix)[1]
    shifted = dense_slopes(point, cause, effect) - 1e-3
    logs = 0.5 * np.log(shifted**2 + 1e-3)
    information = logs.sum() + 100.0 * (logs[shifted < 0.0] - 0.5 * log(1e-3)).sum()
    prior = -np.sum(29.0 * point[:3] - np.exp(point[:3]) / 0.5 - lgamma(30.0) - 30.0 * log(0.5))
    return float(process + n * log(2.0 * pi) + 0.5 * noise @ noise + information + prior)


def derivative(function, point: np.ndarray, along: np.ndarray, step: float = 1e-4) -> float:
    """Central difference of fourth order."""
    near = function(point + step * along) - function(point - step * along)
    far = function(point + 2.0 * step * along) - function(point - 2.0 * step * along)
    return (8.0 * near - far) / (12.0 * step)


def fitted(point: np.ndarray, cause: np.ndarray, effect: np.ndarray) -> gpi_model.Fit:
    found = gpi_model.fit(point, cause, effect)
    assert found is not None
    return found


def test_some_point_lets_the_function_fall():
    slopes = dense_slopes(POINTS["falling somewhere"], *scaled(80))
    assert 0 < (slopes < 1e-3).sum() < 80


@every_point
@pytest.mark.parametrize("digits", [None, 0], ids=["no ties", "ties"])
def test_length_is_that_of_dense_matrices(point, digits):
    x, y = scaled(80)
    if digits is not None:
        x = unit_variance(x.round(digits))
    assert fitted(point, x, y).length == pytest.approx(dense_length(point, x, y), rel=1e-6)


@every_point
def test_features_multiply_to_the_covariance(point):
    x, y = scaled(80)
    features = fitted(point, x, y).features
    worst = np.abs(features.T @ features - dense_covariance(point, x)).max()
    # The jitter is 5,000 times as large.
    assert worst < 2e-9


@every_point
def test_slopes_are_those_of_dense_matrices(point):
    x, y = scaled(80)
    expected = dense_slopes(point, x, y)
    assert fitted(point, x, y).slopes == pytest.approx(expected, abs=1e-6)


@every_point
def test_gradient_is_the_derivative_of_the_length(point):
    x, y = scaled(80)
    gradient = gpi_model.gradient(fitted(point, x, y))
    rng = np.random.default_rng(2)
    for along in [*np.eye(83)[:5], rng.normal(size=83), rng.normal(size=83)]:
        expected = derivative(lambda at: fitted(at, x, y).length, point, along / 10.0) * 10.0
        assert gradient @ along == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_gradient_is_the_derivative_of_the_dense_length():
    x, y = scaled(80)
    point = POINTS["short scales"]
    gradient = gpi_model.gradient(fitted(point, x, y))
    for along in np.eye(83)[[0, 1, 2, 3, 40, 82]]:
        expected = derivative(lambda at: dense_length(at, x, y), point, along / 10.0) * 10.0
        assert gradient @ along == pytest.approx(expected, rel=1e-3, abs=1e-2)


def test_curvature_is_that_of_dense_matrices():
    x, y = scaled(80)
    point, matrix = POINTS["long scales"], np.eye(80) * 1e-5
    covariance, (_, reach, noise_reach) = dense_covariance(point, x), np.exp(point[:3])
    matrix += covariance
    alpha, noise = np.linalg.solve(matrix, y), point[3:]
    # Derivatives of f where the rows are: a longer scale is a cause nearer to zero.
    moves = (
        covariance @ alpha,
        (covariance * gaps(x) * x[:, None]) @ alpha / reach**2,
        (covariance * gaps(noise) * noise[:, None]) @ alpha / noise_reach**2,
    )
    jacobian = np.column_stack((*moves, np.diag(dense_slopes(point, x, y))))
    expected = jacobian.T @ np.linalg.solve(matrix, jacobian)
    expected += np.diag(np.append(np.exp(point[:3]) / 0.5 + 10.0, np.ones(80)))
    at = fitted(point, x, y)
    curvature = gpi_model.curvature(at)
    assert curvature is not None
    step = np.random.default_rng(3).normal(size=83)
    assert curvature.solve(expected @ step) == pytest.approx(step, rel=1e-4, abs=1e-4)
    assert gpi_model.scale_curvature(at) == pytest.approx(expected[:3, :3], rel=1e-4)


def start_length(x: np.ndarray, y: np.ndarray) -> float:
    return conditional_length(x, y, max_steps=0)


def test_a_start_without_steps_has_the_published_scales_and_the_residuals_as_noise():
    x, y = scaled(100)
    covariance = gpi.trained_covariance(x, y)
    residuals = y - gpi.posterior_mean(x, y, covariance)
    point = np.append(np.log([10.0, 10.0, 100.0]), residuals / residuals.std(ddof=1))
    assert start_length(x, y) == fitted(point, x, y).length


@every_search
def test_the_search_ends_where_that_of_scipy_does(preconditioned):
    # A line with little noise, whose valley is steep.
    rng = np.random.default_rng(4)
    x = np.sort(rng.normal(size=60))
    x, y = unit_variance(x), unit_variance(x + 0.3 * rng.normal(size=60))
    covariance = gpi.trained_covariance(x, y)
    noise = y - gpi.posterior_mean(x, y, covariance)
    first = np.append(np.log([10.0, 10.0, 100.0]), noise / noise.std(ddof=1))

    def length_and_gradient(point):
        at = fitted(point, x, y)
        return at.length, gpi_model.gradient(at)

    options = {"maxiter": 3_000, "maxfun": 5_000, "maxcor": 30, "ftol": 1e-12}
    best = minimize(length_and_gradient, first, jac=True, method="L-BFGS-B", options=options)
    found = conditional_length(x, y, max_steps=1_000, preconditioned=preconditioned)
    assert found == pytest.approx(best.fun, abs=0.5)


@every_search
def test_more_steps_never_lengthen_the_message(preconditioned):
    x, y = scaled(100)
    lengths = [
        conditional_length(x, y, max_steps=steps, preconditioned=preconditioned)
        for steps in (0, 5, 20, 60)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0] - 10.0


def test_with_curvature_the_search_gets_farther_in_as_many_steps():
    gains = []
    for seed in range(3):
        y, x = scaled(100, seed)
        order = np.argsort(x)
        plain, curved = (
            conditional_length(x[order], y[order], max_steps=40, preconditioned=flag)
            for flag in (False, True)
        )
        gains.append(plain - curved)
    assert np.median(gains) > 0.0


def test_noise_without_pattern_takes_more_nats_than_a_curve():
    x = np.sort(np.random.default_rng(5).normal(size=100))
    curve = unit_variance(np.sin(x))
    noise = unit_variance(np.random.default_rng(6).normal(size=100))
    assert conditional_length(unit_variance(x), curve) < conditional_length(unit_variance(x), noise)


def test_a_point_that_needs_too_many_features_is_out_of_reach():
    x, y = scaled(80)
    for scales in ([10.0, 1e-4, 10.0], [10.0, 1.0, 1e-3], [10.0, 0.02, 1.0]):
        point = np.append(np.log(scales), POINTS["long scales"][3:])
        assert gpi_model.fit(point, x, y) is None


def test_confidence_is_the_difference_of_the_lengths_in_the_evidence():
    verdict = GPI(**QUICK).decide(Pair(*bent(50)), np.random.default_rng(0))
    evidence = verdict.evidence.as_dict(verdict.pair)
    assert evidence["x_to_y"] == evidence["x_to_y_cause"] + evidence["x_to_y_effect"]
    assert evidence["y_to_x"] == evidence["y_to_x_cause"] + evidence["y_to_x_effect"]
    assert verdict.confidence == evidence["y_to_x"] - evidence["x_to_y"]
    assert evidence["n_rows"] == 50
    assert evidence["draws"] == 1


def test_failing_arithmetic_is_undecided(monkeypatch):
    monkeypatch.setattr(gpi, "conditional_length", lambda *args, **settings: inf)
    verdict = GPI(**QUICK).decide(Pair(*bent(50)), np.random.default_rng(0))
    assert verdict.confidence == 0.0
    assert verdict.evidence.facts["draws"] == 0


def growing(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Noise that multiplies, which no additive model has."""
    x = rng.uniform(-2.0, 2.0, 100)
    return x, (x + x**3) * np.exp(0.3 * rng.normal(size=100))


def linear_normal(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=40)
    return x, x + rng.normal(size=40)


@every_search
def test_multiplicative_noise_is_solved(preconditioned):
    method = GPI(max_steps=25, preconditioned=preconditioned, max_components=10)
    assert share_right(method, growing, 6) == 1.0


def test_linear_gaussian_pairs_are_a_coin_flip():
    method = GPI(max_steps=20, max_components=5)
    # Three standard errors.
    assert abs(share_right(method, linear_normal, 30) - 0.5) <= 0.27


# Accuracies in the bQCD paper, computed with the authors' program.
ACCURACIES = {
    "SIM": 0.82,
    "SIM-c": 0.86,
    "SIM-ln": 0.88,
    "SIM-G": 0.94,
    "AN": 0.95,
    "LS": 0.91,
    "MN-U": 0.90,
}


@pytest.mark.data
def test_additive_noise_is_solved_but_not_with_sigmoids(data_home):
    # In the paper 0.95 and, oddly, 0.11: with few rows and steps as with all.
    method = GPI(max_rows=150, max_steps=40, max_components=10)
    assert accuracies(method, benchmark("AN", data_home).head(8))[0] >= 0.6
    assert accuracies(method, benchmark("AN-s", data_home).head(8))[0] <= 0.3


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ACCURACIES)
def test_accuracies_are_not_below_those_of_the_paper(name, data_home):
    # 0.08 is two standard errors of 50 pairs or less; on MN-U all are right here.
    assert accuracies(GPI(), benchmark(name, data_home).head(50))[0] >= ACCURACIES[name] - 0.08


@pytest.mark.slow
@pytest.mark.data
def test_the_odd_failure_on_additive_noise_with_sigmoids_is_reproduced(data_home):
    # 0.11 in the paper.
    assert accuracies(GPI(), benchmark("AN-s", data_home).head(50))[0] <= 0.19
