"""Autocorrelation and effective rows against the closed forms of autoregressive series."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.statistics.dependence.autocorrelation import (
    autocorrelation,
    effective_rows,
    serial_dependence,
)


def series(r: float, n: int, seed: int) -> np.ndarray:
    """x_t = r x_{t-1} + noise, with variance 1 from the first row on."""
    from scipy.signal import lfilter

    noise = np.random.default_rng(seed).normal(size=n) * np.sqrt(1.0 - r * r)
    noise[0] /= np.sqrt(1.0 - r * r)
    return lfilter([1.0], [1.0, -r], noise)


@pytest.mark.parametrize("r", [-0.8, 0.0, 0.3, 0.7, 0.95])
def test_autocorrelations_are_those_of_the_series(r):
    x = series(r, 100_000, seed=1)
    for lag in (1, 2, 5):
        assert autocorrelation(x, lag) == pytest.approx(r**lag, abs=0.02)


def test_autocorrelation_is_that_of_the_formula_on_normal_scores():
    # Ranks 2, 1, 3 have the normal scores 0, -q, q: the products of neighbours are 0 and -q q.
    assert autocorrelation(np.array([5.0, 1.0, 7.0])) == pytest.approx(-0.5)
    assert autocorrelation(np.array([5.0, 1.0, 7.0]), lag=0) == pytest.approx(1.0)


@pytest.mark.parametrize("r", [0.0, 0.3, 0.7, 0.95])
def test_effective_rows_of_a_series(r):
    n = 20_000
    found = np.mean([effective_rows(series(r, n, seed)) for seed in range(12)])
    assert found == pytest.approx(n * (1.0 - r) / (1.0 + r), rel=0.1)


@pytest.mark.parametrize(("r", "s"), [(0.9, 0.9), (0.5, 0.95), (-0.8, -0.8), (0.9, 0.0)])
def test_effective_rows_of_two_series(r, s):
    n = 20_000
    found = [
        serial_dependence(series(r, n, seed), series(s, n, seed + 100)).effective_rows
        for seed in range(12)
    ]
    assert np.mean(found) == pytest.approx(n * (1.0 - r * s) / (1.0 + r * s), rel=0.1)


def test_effective_rows_tell_how_much_correlations_of_unrelated_series_vary():
    n, r = 400, 0.9
    pairs = [(series(r, n, seed), series(r, n, seed + 10_000)) for seed in range(1_000)]
    spread = np.mean([np.corrcoef(x, y)[0, 1] ** 2 for x, y in pairs])
    told = np.mean([1.0 / serial_dependence(x, y).effective_rows for x, y in pairs[:200]])
    assert told == pytest.approx(spread, rel=0.15)


def test_opposite_signs_count_no_more_rows_than_there_are():
    found = serial_dependence(series(0.9, 5_000, 0), series(-0.9, 5_000, 1))
    assert found.effective_rows == 5_000.0
    assert found.strong


@pytest.mark.parametrize("n", [12, 40, 200])
@pytest.mark.parametrize("kind", ["unrelated", "function", "ties"])
def test_independent_rows_seldom_raise_the_flag(n, kind):
    rng = np.random.default_rng(n)
    flags = 0
    for _ in range(1_000):
        x = rng.integers(3, size=n) * 1.0 if kind == "ties" else rng.normal(size=n)
        y = rng.normal(size=n) if kind == "unrelated" else x**3
        flags += serial_dependence(x, y).strong
    # Fewer than 3 are promised; more than 8 come by chance in 4 of 1,000 tests.
    assert flags <= 8


def test_independent_rows_count_as_they_are():
    rng = np.random.default_rng(0)
    found = [serial_dependence(*rng.normal(size=(2, 300))).effective_rows for _ in range(500)]
    assert max(found) <= 300.0
    assert np.mean(found) > 0.97 * 300


@pytest.mark.parametrize("n", [60, 1_000])
def test_strongly_dependent_series_raise_the_flag(n):
    flags = [
        serial_dependence(series(0.9, n, seed), series(0.9, n, seed + 500)).strong
        for seed in range(200)
    ]
    assert np.mean(flags) > 0.9


def test_one_column_alone_raises_no_flag():
    assert not serial_dependence(series(0.95, 500, 0), series(0.0, 500, 1)).strong


def test_shuffled_rows_lower_it():
    x, y = series(0.9, 500, 0), series(0.9, 500, 1)
    order = np.random.default_rng(2).permutation(500)
    assert serial_dependence(x, y).strong
    assert not serial_dependence(x[order], y[order]).strong


def test_a_sorted_table_is_told_as_one():
    x = np.sort(np.random.default_rng(0).normal(size=200))
    for columns in ((x, x**2), (x**2, x[::-1])):
        found = serial_dependence(*columns)
        assert found.strong
        assert found.is_sorted
    assert not serial_dependence(series(0.9, 200, 0), series(0.9, 200, 1)).is_sorted


def test_outliers_and_units_do_not_count():
    x, y = series(0.9, 1_000, 0), series(0.8, 1_000, 1)
    assert serial_dependence(np.exp(8.0 * x), 1e300 * y) == serial_dependence(x, y)
    x[::100] = 1e9
    assert autocorrelation(x) > 0.8


def test_exchanged_columns_exchange_the_two_autocorrelations_alone():
    x, y = series(0.9, 300, 0), series(0.5, 300, 1)
    found, back = serial_dependence(x, y), serial_dependence(y, x)
    assert (found.x_autocorrelation, found.y_autocorrelation) == (
        back.y_autocorrelation,
        back.x_autocorrelation,
    )
    assert found.effective_rows == back.effective_rows
    assert found.strong == back.strong


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
def test_constant_columns_have_no_autocorrelation_and_all_their_rows(n):
    constant, rising = np.full(n, 7.0), np.arange(float(n))
    assert autocorrelation(constant) == 0.0
    assert effective_rows(constant) == float(n)
    found = serial_dependence(constant, rising)
    assert (found.x_autocorrelation, found.effective_rows) == (0.0, float(n))
    assert not found.strong


def test_short_columns_are_never_strong_and_never_worth_less_than_a_row():
    for n in range(2, 10):
        found = serial_dependence(np.arange(float(n)), np.arange(float(n)) ** 2)
        assert not found.strong
        assert 1.0 <= found.effective_rows <= n


def test_a_lag_beyond_the_rows_has_no_autocorrelation():
    assert autocorrelation(np.arange(5.0), lag=5) == 0.0
