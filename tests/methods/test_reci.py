"""RECI: its three curves by other means, another implementation's numbers, known accuracies."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.optimize import least_squares

from bqcd.data.pair import Pair
from bqcd.methods.reci import RECI
from tests.methods.trials import PAIRSETS, accuracies, benchmark, confidence, share_right

slow = pytest.mark.slow


def scaled(column: np.ndarray, scaling: str) -> np.ndarray:
    if scaling == "range":
        return (column - column.min()) / np.ptp(column)
    return (column - column.mean()) / column.std(ddof=1)


def bent(n: int, seed: int, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, x**3 + noise * rng.normal(size=n)


# -- powers and polynomials ------------------------------------------------------------


@pytest.mark.parametrize("scaling", ["range", "variance"])
@pytest.mark.parametrize("degree", [1, 2, 3, 9])
def test_powers_and_polynomials_leave_the_errors_of_least_squares(scaling, degree):
    x, y = bent(150, 1)
    given, target = scaled(x, scaling), scaled(y, scaling)
    power = np.stack((given**degree, np.ones(150)), axis=1)
    left = target - power @ np.linalg.lstsq(power, target)[0]
    found = RECI(curve="mon", degree=degree, scaling=scaling).evidence(Pair(x, y))
    assert found.x_to_y == pytest.approx(np.mean(left**2), rel=1e-11)
    polynomial = np.polynomial.Polynomial.fit(given, target, degree)
    found = RECI(curve="poly", degree=degree, scaling=scaling).evidence(Pair(x, y))
    assert found.x_to_y == pytest.approx(np.mean((target - polynomial(given)) ** 2), rel=1e-11)


@pytest.mark.parametrize(
    ("seed", "expected"),
    [(0, 0.034017411846779075), (1, 0.03390413130722744), (2, 0.03761511836008153)],
)
def test_cubes_score_as_in_the_causal_discovery_toolbox(seed, expected):
    """Numbers of the class RECI of cdt 0.6.0, which fits a x³ + b to columns in [0, 1]."""
    assert confidence(RECI(curve="mon"), *bent(200, seed)) == pytest.approx(expected, abs=1e-15)


# -- logistic curves -------------------------------------------------------------------


def least_logistic_error(given: np.ndarray, target: np.ndarray) -> float:
    """Smallest error of searches over all four parameters from a grid of starts."""

    def left(parameters):
        low, high, steepness, place = parameters
        with np.errstate(over="ignore"):
            return low + (high - low) / (1.0 + np.exp(steepness * (place - given))) - target

    errors = []
    for steepness in (3.0, 20.0, -3.0, -20.0):
        for place in np.quantile(given, [0.2, 0.5, 0.8]):
            fit = least_squares(left, (0.2, 0.8, steepness, place), method="lm", max_nfev=120)
            errors.append(np.mean(fit.fun**2))
    return min(errors)


def shapes() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(2)
    x = rng.uniform(size=120)
    noise = 0.05 * rng.normal(size=120)
    return {
        "steep in the middle": (x, 1.0 / (1.0 + np.exp(30.0 * (0.4 - x))) + noise),
        "falling": (x, 1.0 / (1.0 + np.exp(8.0 * (x - 0.7))) + noise),
        "a line": (x, x + noise),
        "exponential": (x, np.exp(3.0 * x) + noise),
        "saturating": (x, -np.exp(-4.0 * x) + noise),
        "parabola": (x, (x - 0.4) ** 2 + 0.1 * noise),
        "wave": (x, np.sin(9.0 * x) + noise),
        "noise": (x, noise),
        "ties": (x.round(1), (x + noise).round(1)),
        "skewed": (x**4, x + noise),
    }


SHAPES = shapes()


@pytest.mark.parametrize(("x", "y"), SHAPES.values(), ids=SHAPES)
def test_no_logistic_curve_fits_better(x, y):
    found = RECI().evidence(Pair(x, y))
    x, y = scaled(x, "range"), scaled(y, "range")
    # Backwards there may be no curve at all, and as many places for a step as rows.
    assert found.x_to_y <= least_logistic_error(x, y) * (1.0 + 1e-6)
    assert found.y_to_x <= least_logistic_error(y, x) * 1.005


@pytest.mark.parametrize("steepness", [-25.0, -4.0, 4.0, 25.0, 400.0])
@pytest.mark.parametrize("place", [0.1, 0.5, 0.8])
def test_a_logistic_curve_without_noise_leaves_nothing(steepness, place):
    x = np.random.default_rng(3).uniform(size=400)
    y = 1.0 / (1.0 + np.exp(steepness * (place - x)))
    assert RECI().evidence(Pair(x, y)).x_to_y < 1e-12


def test_a_step_between_two_groups_is_found():
    x = np.random.default_rng(4).uniform(size=300)
    y = np.where(x > 0.93, 5.0, 1.0)
    assert RECI().evidence(Pair(x, y)).x_to_y < 1e-6


@pytest.mark.parametrize("curve", ["log", "poly"])
def test_scaling_by_variance_divides_the_errors_by_it(curve):
    x, y = bent(200, 5)
    by_range = RECI(curve=curve).evidence(Pair(x, y))
    by_variance = RECI(curve=curve, scaling="variance").evidence(Pair(x, y))
    variance = scaled(y, "range").var(ddof=1)
    assert by_variance.x_to_y == pytest.approx(by_range.x_to_y / variance, rel=1e-6)


# -- isolated rows ---------------------------------------------------------------------


def mean_of_kernels(column: np.ndarray) -> np.ndarray:
    distances = np.abs(column[:, None] - column)
    bandwidth = sqrt(2.0) * np.median(distances[np.triu_indices(len(column), 1)])
    return np.exp(-0.5 * (distances / bandwidth) ** 2).mean(axis=1)


@pytest.mark.parametrize("least", [0.2, 0.35, 0.6])
def test_rows_isolated_in_either_column_are_left_out(least):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=300), rng.standard_t(2.0, size=300)
    kept = (mean_of_kernels(x) > least) & (mean_of_kernels(y) > least)
    found = RECI(min_density=least).evidence(Pair(x, y))
    assert 10 < kept.sum() < 300
    assert (found.n_rows, found.facts["isolated_rows"]) == (kept.sum(), 300 - kept.sum())
    assert found.x_to_y == RECI().evidence(Pair(x[kept], y[kept])).x_to_y


def test_three_in_a_hundred_gaussian_rows_are_isolated_as_documented():
    x = np.random.default_rng(7).normal(size=5_000)
    found = RECI(curve="mon", min_density=0.35).evidence(Pair(x, x**3))
    assert 0.02 < np.mean(mean_of_kernels(x[:1_000]) <= 0.35) < 0.04
    assert found.facts["isolated_rows"] >= 0.025 * 5_000


def test_all_rows_are_kept_where_too_few_would_be_left():
    x = np.arange(12.0) ** 3
    found = RECI(min_density=0.9).evidence(Pair(x, -x))
    assert (found.n_rows, found.facts["isolated_rows"]) == (12, 0)


# -- what can be solved ----------------------------------------------------------------


def logistic_pair(rng):
    x = rng.uniform(size=300)
    steepness, place = rng.uniform(4.0, 12.0), rng.uniform(0.1, 0.9)
    return x, 1.0 / (1.0 + np.exp(steepness * (place - x))) + 0.02 * rng.normal(size=300)


def power_pair(rng):
    x = rng.uniform(size=300)
    return x, x**3 + rng.uniform(0.01, 0.1) * rng.normal(size=300)


@pytest.mark.parametrize(
    ("method", "draw"),
    [
        (RECI(), logistic_pair),
        (RECI(scaling="variance"), logistic_pair),
        (RECI(min_density=0.35), logistic_pair),
        (RECI(curve="mon"), power_pair),
        (RECI(curve="poly"), power_pair),
    ],
)
def test_little_noise_on_a_curve_of_the_class_is_solved(method, draw):
    assert share_right(method, draw, 100) >= 0.95


# -- known accuracies ------------------------------------------------------------------

# Another implementation of the description, on the same files, started at c = 5 and 15 and at
# the median alone. The paper's own row, .60 .65 .71 .67 .72 .17 .67 .52 .88 and .63/.67, agrees
# with neither scaling beyond SIM, SIM-c and the real pairs.
RERUN = {
    "range": (0.58, 0.63, 0.85, 0.56, 0.54, 0.62, 0.43, 0.11, 0.11),
    "variance": (0.66, 0.66, 0.85, 0.90, 0.96, 1.00, 0.94, 0.71, 1.00),
}
# Here fits start from more places: some errors of the direction that is no curve are smaller.
BETTER_FITTED = {("variance", "SIM-ln"): 0.94, ("variance", "AN"): 0.99, ("variance", "LS"): 0.99}
QUICK = ("SIM", "SIM-G", "AN", "LS-s")


@pytest.mark.data
@pytest.mark.parametrize(
    ("scaling", "name"),
    [
        pytest.param(
            scaling, name, marks=() if (scaling, name in QUICK) == ("range", True) else slow
        )
        for scaling in RERUN
        for name in PAIRSETS
    ],
)
def test_accuracies_of_logistic_curves_are_the_known_ones(scaling, name, data_home):
    expected = BETTER_FITTED.get((scaling, name), RERUN[scaling][PAIRSETS.index(name)])
    found, _ = accuracies(RECI(scaling=scaling), benchmark(name, data_home))
    assert found == pytest.approx(expected, abs=0.025)


@pytest.mark.data
@pytest.mark.parametrize(
    ("method", "expected"),
    [(RECI(), (0.60, 0.66)), (RECI(curve="mon"), (0.64, 0.74)), (RECI(curve="poly"), (0.60, 0.66))],
    ids=["log", "mon", "poly"],
)
def test_tuebingen_accuracies_are_the_known_ones(method, expected, data_home):
    found = accuracies(method, benchmark("tuebingen", data_home))
    assert found == pytest.approx(expected, abs=0.01)
