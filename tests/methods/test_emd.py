"""EMD: low rank against dense matrices, the expectation against draws, the paper's accuracies."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import bqcd
from bqcd.data.pair import Pair
from bqcd.methods.emd import EMD
from tests.methods.trials import AWKWARD, PAIRSETS, accuracies, benchmark, share_right


def scaled(column: np.ndarray) -> np.ndarray:
    return (column - column.min()) / np.ptp(column)


def median_bandwidth(x: np.ndarray, y: np.ndarray) -> float:
    distances = [np.abs(column[:, None] - column)[np.triu_indices(len(x), 1)] for column in (x, y)]
    pooled = np.concatenate(distances)
    return sqrt(0.2 * np.median(pooled[pooled > 0.0]))


def dense_distances(cause, effect, bandwidth: float, inputs, ridge: float = 1e-3) -> float:
    """The published formula with n x n matrices: K of the cause, L of the effect."""

    def kernel(one, other):
        return np.exp(-0.5 * ((one[:, None] - other) / bandwidth) ** 2)

    n, (s, t) = len(cause), inputs
    k, m, k_s = kernel(cause, cause), kernel(effect, effect), kernel(s, s)
    k_cross, m_cross = kernel(cause, s), kernel(effect, t)
    a = np.linalg.solve(k + ridge * n * np.eye(n), k_cross)
    observed, uniform = np.sum(k * m), np.sum(k_s * kernel(t, t))
    crossed, transformed = np.sum(m @ a * k_cross), np.sum(m @ a @ k_s * a)
    to_uniform = np.sum(m_cross.T @ a * k_s)
    return (observed - 2 * crossed + 2 * transformed - 2 * to_uniform + uniform) / n**2


def wave(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.sin(2.0 * x) + 0.3 * rng.normal(size=n)


# -- formulas --------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [None, 1], ids=["no ties", "ties"])
@pytest.mark.parametrize("ridge", [1e-3, 1e-1])
def test_a_draw_gives_the_published_formula(digits, ridge):
    x, y = wave(200, 1)
    if digits is not None:
        x, y = x.round(digits), y.round(digits)
    found = EMD(draws=1, ridge=ridge).evidence(Pair(x, y), np.random.default_rng(7))
    inputs = np.random.default_rng(7).uniform(size=(2, 200))
    x, y = scaled(x), scaled(y)
    bandwidth = median_bandwidth(x, y)
    assert found.facts["bandwidth"] == pytest.approx(bandwidth, rel=1e-14)
    expected = dense_distances(x, y, bandwidth, inputs, ridge)
    assert found.x_to_y == pytest.approx(expected, abs=1e-9)
    expected = dense_distances(y, x, bandwidth, inputs, ridge)
    assert found.y_to_x == pytest.approx(expected, abs=1e-9)


def test_several_draws_are_averaged():
    x, y = wave(50, 2)
    found = EMD(draws=3).evidence(Pair(x, y), np.random.default_rng(8))
    rng = np.random.default_rng(8)
    x, y = scaled(x), scaled(y)
    bandwidth = median_bandwidth(x, y)
    each = [dense_distances(x, y, bandwidth, rng.uniform(size=(2, 50))) for _ in range(3)]
    assert found.x_to_y == pytest.approx(np.mean(each), abs=1e-9)


@pytest.mark.parametrize("n", [12, 80])
def test_the_expectation_is_the_mean_over_many_draws(n):
    pair = Pair(*wave(n, 3))
    draws = [EMD(draws=1).evidence(pair, np.random.default_rng(seed)) for seed in range(600)]
    exact = EMD().evidence(pair, np.random.default_rng(0))
    for name in ("x_to_y", "y_to_x"):
        values = [getattr(draw, name) for draw in draws]
        error = np.std(values) / sqrt(len(values))
        assert abs(getattr(exact, name) - np.mean(values)) < 3.5 * error


def test_the_expectation_draws_nothing():
    rng = np.random.default_rng(9)
    EMD().decide(Pair(*wave(50, 4)), rng)
    assert rng.bit_generator.state == np.random.default_rng(9).bit_generator.state


@pytest.mark.parametrize("width", [1e-4, 1e-2, 1.0])
def test_integrals_are_exact_at_any_bandwidth(width, monkeypatch):
    pair = Pair(*wave(60, 5))
    found = EMD(width=width).evidence(pair, np.random.default_rng(0))
    monkeypatch.setattr("bqcd.methods.emd._NODES", 40)
    finer = EMD(width=width).evidence(pair, np.random.default_rng(0))
    assert found.x_to_y == pytest.approx(finer.x_to_y, abs=1e-8)
    assert found.y_to_x == pytest.approx(finer.y_to_x, abs=1e-8)


def test_bandwidths_do_not_fall_below_a_hundredth_of_the_range():
    found = EMD().evidence(Pair(*AWKWARD["one row far away"]), np.random.default_rng(0))
    assert found.facts["bandwidth"] == 0.01


# -- what can be solved ----------------------------------------------------------------


def random_bend(rng):
    """Strictly increasing function of a uniform cause, of random shape, and little noise."""
    x = rng.uniform(size=300)
    steps = rng.exponential(size=3) / (1.0 + np.exp(-(x[:, None] - rng.uniform(size=3)) / 0.05))
    bent = 0.1 * x + steps.sum(axis=1)
    return x, bent + 0.05 * bent.std() * rng.normal(size=300)


def test_bent_uniform_causes_are_found():
    assert share_right(EMD(), random_bend, 100) >= 0.95


# -- the paper's accuracies ------------------------------------------------------------

# On AN-s the paper prints 0.33, but scripts of the same author have 0.47, and another
# implementation gets 0.46 on the same file.
PAPER = (0.45, 0.40, 0.52, 0.58, 0.36, 0.47, 0.60, 0.42, 0.83)
QUICK = ("SIM", "AN", "AN-s", "MN-U")


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in PAIRSETS],
)
def test_accuracies_are_those_of_the_paper(name, data_home):
    found, _ = accuracies(bqcd.make_method("emd"), benchmark(name, data_home))
    assert found == pytest.approx(PAPER[PAIRSETS.index(name)], abs=0.08)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRSETS)
def test_accuracies_of_one_draw_are_those_of_the_paper(name, data_home):
    found, _ = accuracies(EMD(draws=1), benchmark(name, data_home))
    assert found == pytest.approx(PAPER[PAIRSETS.index(name)], abs=0.08)


@pytest.mark.data
def test_tuebingen_accuracies_are_those_of_the_paper(data_home):
    # Of its table of all sets; its other table has 0.55 and 0.60.
    found = accuracies(bqcd.make_method("emd"), benchmark("tuebingen", data_home))
    assert found == pytest.approx((0.60, 0.68), abs=0.08)
