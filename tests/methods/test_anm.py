"""Additive noise models: each decision by its formula, and what it can and cannot solve."""

from __future__ import annotations

from math import e, log, pi
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy.stats import gamma
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from bqcd import Pair, Verdict
from bqcd.benchmark.datasets import load_pairs, simulate_pairs
from bqcd.methods.anm import ANM, Decision

DECISIONS = get_args(Decision)
every_decision = pytest.mark.parametrize("decision", DECISIONS)


def judged(decision: str, x, y) -> Verdict:
    return ANM(decision=decision).decide(Pair(x, y), np.random.default_rng(0))


def confidence(decision: str, x, y) -> float:
    return judged(decision, x, y).confidence


def bent(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """y = sin(2x) + x + noise, on multiples of 2⁻²⁰ so that shifts and scales are exact."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2.0, 2.0, n)
    y = np.sin(2.0 * x) + x + 0.4 * rng.normal(size=n)
    return np.round(x * 2.0**20) / 2.0**20, np.round(y * 2.0**20) / 2.0**20


# -- formulas --------------------------------------------------------------------------


def sklearn_model(given: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """Residuals and log evidence of scikit-learn's trained Gaussian process."""
    kernel = ConstantKernel(1.0, (1e-5, 1e5)) * RBF(1.0, (0.01, 100.0)) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, alpha=0.0).fit(given[:, None], target)
    return target - model.predict(given[:, None]), model.log_marginal_likelihood_value_


def dense_hsic(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """HSIC and log p with matrices of all pairs, medians over distances that are not zero."""
    n = len(first)
    centred, means = [], []
    for column in (first, second):
        squares = (column[:, None] - column) ** 2
        gram = np.exp(-squares / np.median(squares[squares > 0.0]))
        means.append((gram.sum() - n) / (n * (n - 1)))
        centred.append(gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean())
    statistic = np.sum(centred[0] * centred[1]) / n**2
    mean = (1.0 - means[0]) * (1.0 - means[1]) / n
    norms = np.prod([np.sum(matrix**2) for matrix in centred]) / (n - 1) ** 4
    variance = 2.0 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * norms
    log_p = gamma.logsf(n * statistic, mean**2 / variance, scale=n * variance / mean)
    return float(statistic), float(log_p)


def dense_numbers(cause: np.ndarray, effect: np.ndarray) -> dict[str, float]:
    """What each decision compares, from scikit-learn's model of one direction."""
    given, target = ((c - c.mean()) / c.std(ddof=1) for c in (cause, effect))
    residuals, evidence = sklearn_model(given, target)
    statistic, log_p = dense_hsic(given, residuals)
    return {
        "hsic": statistic,
        "p-value": -log_p,
        "gaussian": 0.5 * log(np.mean(residuals**2)),
        "evidence": -evidence,
    }


@pytest.mark.parametrize("digits", [None, 1], ids=["no ties", "ties"])
def test_numbers_are_those_of_scikit_learn_and_dense_matrices(digits):
    x, y = bent(120)
    if digits is not None:
        x, y = x.round(digits), y.round(digits)
    x_to_y, y_to_x = dense_numbers(x, y), dense_numbers(y, x)
    for decision in x_to_y:
        evidence = ANM(decision=decision).evidence(Pair(x, y), np.random.default_rng(0))
        # Two optimisers stop at two places of a flat likelihood.
        assert evidence.x_to_y == pytest.approx(x_to_y[decision], rel=2e-3, abs=1e-6)
        assert evidence.y_to_x == pytest.approx(y_to_x[decision], rel=2e-3, abs=1e-6)


def test_entropies_of_cause_and_noise_are_found():
    # Uniform cause of variance 1, Gaussian noise of 0.1 on a curve of variance 1 less that.
    rng = np.random.default_rng(1)
    x = rng.uniform(-1.0, 1.0, 5_000) * np.sqrt(3.0)
    y = np.sqrt(0.99) * np.sin(2.0 * x) / np.sin(2.0 * x).std() + 0.1 * rng.normal(size=5_000)
    expected = log(2.0 * np.sqrt(3.0)) + 0.5 * log(2.0 * pi * e * 0.01)
    found = ANM(decision="entropy").evidence(Pair(x, y), np.random.default_rng(0)).x_to_y
    # The standard error of two entropies from spacings is 0.02.
    assert found == pytest.approx(expected, abs=0.08)


@every_decision
def test_the_smaller_number_wins(decision):
    verdict = judged(decision, *bent(200))
    assert verdict.confidence == verdict.evidence.y_to_x - verdict.evidence.x_to_y > 0.0
    assert verdict.evidence.n_rows == 200


@every_decision
def test_shift_and_scale_change_nothing(decision):
    x, y = bent(150)
    moved = confidence(decision, 1024.0 * x - 3.0, y / 16.0 + 40.0)
    assert moved == confidence(decision, x, y)


@every_decision
def test_turning_a_column_round_changes_digits_at_most(decision):
    x, y = bent(150)
    found = confidence(decision, x, y)
    assert confidence(decision, -x, y) == pytest.approx(found, rel=1e-3)
    assert confidence(decision, x, -y) == pytest.approx(found, rel=1e-3)


# -- what can be solved and what cannot ------------------------------------------------


def _confidence(method, item):
    return method.decide(item.pair, np.random.default_rng(0)).confidence


@every_decision
def test_additive_noise_is_solved(decision):
    right = [
        _confidence(ANM(decision=decision), item) * item.truth.sign > 0.0
        for item in simulate_pairs("AN", n_pairs=25, n_rows=300, seed=2)
    ]
    assert np.mean(right) >= 0.95


@every_decision
def test_linear_gaussian_pairs_are_a_coin_flip(decision):
    rng = np.random.default_rng(3)
    right = 0
    for _ in range(60):
        x = rng.normal(size=80)
        right += confidence(decision, x, x + rng.normal(size=80)) > 0.0
    # Three and a half standard errors.
    assert abs(right - 30) <= 13


def test_a_fast_wave_is_found_where_a_slow_start_would_see_noise():
    rng = np.random.default_rng(4)
    x = rng.normal(size=500)
    verdict = judged("gaussian", x, np.sin(8.0 * x) + 0.2 * rng.normal(size=500))
    assert verdict.evidence.x_to_y < log(0.4)
    assert verdict.cause == "x"


# -- many rows -------------------------------------------------------------------------


def test_no_row_is_left_out_of_many():
    verdict = judged("hsic", *bent(10_000))
    assert verdict.evidence.n_rows == 10_000
    assert verdict.cause == "x"


# -- published numbers -----------------------------------------------------------------

# Accuracies in the bQCD paper, computed with another implementation: columns in their own
# units, bandwidths from the first 100 rows, a process trained from a single start.
ACCURACIES = {
    "SIM": 0.76,
    "SIM-c": 0.81,
    "SIM-ln": 0.80,
    "SIM-G": 0.77,
    "AN": 1.0,
    "AN-s": 1.0,
    "LS": 0.62,
    "LS-s": 0.09,
    "MN-U": 0.03,
}


def accuracies(name: str, home: Path) -> tuple[float, float]:
    """Share of pairs that are right, and the same weighted."""
    pairs = load_pairs(name, data_home=home)
    right = [_confidence(ANM(), item) * item.truth.sign > 0.0 for item in pairs]
    return float(np.mean(right)), float(np.average(right, weights=[i.weight for i in pairs]))


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ACCURACIES)
def test_accuracies_are_near_those_of_the_paper(name, data_home):
    assert accuracies(name, data_home)[0] == pytest.approx(ACCURACIES[name], abs=0.03)


@pytest.mark.slow
@pytest.mark.data
def test_tuebingen_accuracy_is_not_below_that_of_the_paper(data_home):
    # The paper has 0.59, all pairs alike and weighted; here 0.64 and 0.67.
    plain, weighted = accuracies("tuebingen", data_home)
    assert 0.59 <= plain <= 0.69
    assert 0.59 <= weighted <= 0.72
