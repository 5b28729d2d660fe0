"""Gaussian process regression: against scikit-learn, dense matrices and known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from bqcd.errors import InvalidSettingError
from bqcd.statistics.gaussian_process import (
    Covariance,
    log_likelihood,
    posterior_mean,
    trained_covariance,
)

COVARIANCES = {
    "moderate": Covariance(1.0, 1.0, 0.3),
    "published RESIT": Covariance(1.0, 1.0, np.exp(-1.0)),
    "short": Covariance(0.05, 2.0, 0.5),
    "long": Covariance(8.0, 3.0, 0.2),
    "little noise": Covariance(0.7, 1.0, 0.03),
    "much noise": Covariance(0.7, 0.01, 1.0),
}
every_covariance = pytest.mark.parametrize("covariance", COVARIANCES.values(), ids=COVARIANCES)


def rows(n: int = 80, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A bent curve with noise; a quarter of the given values come twice."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x[: n // 4] = x[n // 4 : 2 * (n // 4)]
    y = np.sin(2.0 * x) + 0.3 * rng.normal(size=n)
    return x, y - y.mean()


def sklearn_kernel(covariance: Covariance):
    return ConstantKernel(covariance.signal**2) * RBF(covariance.length) + WhiteKernel(
        covariance.noise**2
    )


# -- likelihood and prediction ---------------------------------------------------------


@every_covariance
def test_likelihood_gradient_and_fit_are_those_of_scikit_learn(covariance):
    x, y = rows()
    kernel = sklearn_kernel(covariance)
    theirs = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(x[:, None], y)
    value, gradient = theirs.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    ours, our_gradient = log_likelihood(x, y, covariance)
    assert ours == pytest.approx(value, rel=1e-9, abs=1e-8)
    # Theirs is by the logarithms of signal variance, length and noise variance.
    in_our_order = np.array([gradient[1], 2.0 * gradient[0], 2.0 * gradient[2]])
    np.testing.assert_allclose(our_gradient, in_our_order, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(
        posterior_mean(x, y, covariance), theirs.predict(x[:, None]), rtol=0.0, atol=1e-9
    )


@every_covariance
def test_the_gradient_is_the_slope_of_the_likelihood(covariance):
    x, y = rows()
    logs = np.log([covariance.length, covariance.signal, covariance.noise])
    slope = approx_fprime(logs, lambda at: log_likelihood(x, y, Covariance(*np.exp(at)))[0], 1e-6)
    np.testing.assert_allclose(log_likelihood(x, y, covariance)[1], slope, rtol=1e-3, atol=1e-2)


def kernel_ridge(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """RESIT's published regressor: K (K + e⁻² I)⁻¹ y with k = exp(-d² / 2)."""
    gram = np.exp(-0.5 * (x[:, None] - x) ** 2)
    return gram @ np.linalg.solve(gram + np.exp(-2.0) * np.eye(len(x)), y)


@pytest.mark.parametrize("scale", [1e-6, 0.1, 1.0, 30.0, 1e3])
def test_the_fixed_covariance_is_kernel_ridge_on_any_scale(scale):
    x, y = rows(300)
    fit = posterior_mean(scale * x, y, COVARIANCES["published RESIT"])
    # 8e-14 an entry of the kernel, times 300 rows, over a noise variance of 0.14.
    np.testing.assert_allclose(fit, kernel_ridge(scale * x, y), rtol=0.0, atol=2e-10)


def test_clusters_and_outliers_are_fitted_as_by_dense_matrices():
    rng = np.random.default_rng(1)
    x = np.r_[rng.normal(size=100), 500.0 + rng.normal(size=50), 1e4 * rng.normal(size=50)]
    y = rng.normal(size=200)
    fit = posterior_mean(x, y, COVARIANCES["published RESIT"])
    np.testing.assert_allclose(fit, kernel_ridge(x, y), rtol=0.0, atol=2e-10)


def test_rows_far_from_all_others_are_shrunk_towards_zero():
    # Alone, a row keeps signal² / (signal² + noise²) of its target; twice, its mean keeps more.
    x = np.array([-1e300, 0.0, 1e5, 1e5])
    y = np.array([1.0, -2.0, 3.0, 5.0])
    fit = posterior_mean(x, y, Covariance(1.0, 1.0, 0.5))
    np.testing.assert_allclose(fit, [0.8, -1.6, 4.0 / 1.125, 4.0 / 1.125], rtol=1e-12)


def test_rows_may_come_in_any_order():
    x, y = rows()
    order = np.random.default_rng(2).permutation(len(x))
    fit = posterior_mean(x, y, COVARIANCES["moderate"])
    moved = posterior_mean(x[order], y[order], COVARIANCES["moderate"])
    np.testing.assert_allclose(moved, fit[order], rtol=0.0, atol=1e-13)


# -- training --------------------------------------------------------------------------


CURVES = {
    "wave": lambda x: np.sin(2.0 * x),
    "fast wave": lambda x: np.sin(8.0 * x),
    "line": lambda x: 2.0 * x,
    "bell": lambda x: 2.0 * np.exp(-2.0 * x * x),
    "nothing": lambda x: 0.0 * x,
}
every_curve = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)


@every_curve
@pytest.mark.filterwarnings("ignore:The optimal value found:sklearn.exceptions.ConvergenceWarning")
def test_the_trained_covariance_is_as_likely_as_the_one_scikit_learn_finds(curve):
    rng = np.random.default_rng(3)
    x = rng.normal(size=80)
    y = curve(x) + 0.3 * rng.normal(size=80)
    y -= y.mean()
    kernel = ConstantKernel(1.0, (1e-8, 1e6)) * RBF(1.0, (0.01, 100.0)) + WhiteKernel(
        0.1, (1e-6, 1e3)
    )
    theirs = min(
        -GaussianProcessRegressor(kernel.clone_with_theta(np.log([1.0, length, 0.1])), alpha=0.0)
        .fit(x[:, None], y)
        .log_marginal_likelihood_value_
        for length in (0.2, 1.0, 3.0)
    )
    ours, _ = log_likelihood(x, y, trained_covariance(x, y))
    assert ours >= -theirs - 1e-3


@every_curve
def test_the_likelihood_is_flat_at_the_trained_covariance(curve):
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    y = curve(x) + 0.3 * rng.normal(size=300)
    y -= y.mean()
    found = trained_covariance(x, y)
    _, gradient = log_likelihood(x, y, found)
    # The overall scale is exact; the others may be held by their bounds.
    assert gradient[1] + gradient[2] == pytest.approx(0.0, abs=1e-6)
    inside = 0.02 < found.length < 50.0 and 1e-2 < found.signal / found.noise < 500.0
    if inside:
        np.testing.assert_allclose(gradient, 0.0, atol=0.02)
    assert inside == (curve is not CURVES["nothing"])


def test_the_covariance_a_function_was_drawn_with_is_found():
    rng = np.random.default_rng(5)
    x = rng.uniform(-40.0, 40.0, 600)
    gram = 4.0 * np.exp(-0.5 * (x[:, None] - x) ** 2)
    y = rng.multivariate_normal(np.zeros(600), gram, method="eigh") + 0.5 * rng.normal(size=600)
    found = trained_covariance(x, y)
    # Some eighty length scales are seen: the signal is known to 8 %, the others to 4 %.
    assert found.length == pytest.approx(1.0, rel=0.1)
    assert found.signal == pytest.approx(2.0, rel=0.2)
    assert found.noise == pytest.approx(0.5, rel=0.1)


def test_training_follows_the_units_of_both_columns():
    x, y = rows(200)
    found, scaled = trained_covariance(x, y), trained_covariance(64.0 * x, 0.125 * y)
    assert scaled.length == pytest.approx(64.0 * found.length, rel=1e-6)
    assert scaled.signal == pytest.approx(0.125 * found.signal, rel=1e-6)
    assert scaled.noise == pytest.approx(0.125 * found.noise, rel=1e-6)


def test_training_twice_gives_the_same_numbers():
    x, y = rows(200)
    assert trained_covariance(x, y) == trained_covariance(x, y)


def test_a_function_without_noise_is_fitted_closely():
    x = np.linspace(-3.0, 3.0, 200)
    y = np.sin(2.0 * x)
    found = trained_covariance(x, y)
    assert np.abs(posterior_mean(x, y, found) - y).max() < 1e-3


# -- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["length", "signal", "noise"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_a_covariance_that_is_not_positive_is_refused_by_name(name, value):
    settings = {"length": 1.0, "signal": 1.0, "noise": 1.0, name: value}
    with pytest.raises(InvalidSettingError, match=f"{name} of Covariance must be a number > 0"):
        Covariance(**settings)


@pytest.mark.parametrize(("x", "y"), [(np.ones(9), np.arange(9.0)), (np.arange(9.0), np.zeros(9))])
def test_training_on_a_constant_column_is_refused(x, y):
    with pytest.raises(InvalidSettingError, match="must vary"):
        trained_covariance(x, y)
