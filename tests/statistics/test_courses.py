"""Courses along values that repeat: straight, smooth, or in jumps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from bqcd.statistics import courses
from bqcd.statistics.courses import course_of


def years(count: int, rows: int) -> np.ndarray:
    return np.repeat(np.arange(float(count)), rows)


def walk(seed: int, count: int = 20, rows: int = 25, noise: float = 1.0):
    rng = np.random.default_rng(seed)
    year = years(count, rows)
    level = rng.normal(size=count).cumsum()[year.astype(int)]
    return year, level + noise * rng.normal(size=len(year))


def test_walks_jump_and_curves_do_not():
    jumps = [course_of(*walk(seed)).jumps for seed in range(20)]
    assert np.mean(np.array(jumps) > 0.0) >= 0.9
    rng = np.random.default_rng(0)
    dose = years(20, 25) / 10.0 - 1.0
    for curve in (np.tanh(3.0 * dose), dose**2, np.sin(4.0 * dose), np.exp(dose)):
        assert course_of(dose, curve + 0.2 * rng.normal(size=500)).jumps < -3.0


def test_a_line_does_not_bend():
    rng = np.random.default_rng(1)
    year = years(20, 25)
    bends = [course_of(year, 0.3 * year + rng.normal(size=500)).bends for _ in range(20)]
    assert np.mean(np.array(bends) > 2.0) <= 0.15
    assert np.median(bends) < 1.0


def test_units_and_the_order_of_rows_do_not_matter():
    year, level = walk(3)
    found = course_of(year, level)
    order = np.random.default_rng(2).permutation(len(year))
    for again in (
        course_of(1900.0 + year, -7.0 - 1e9 * level),
        course_of(-year, level),
        course_of(year[order], level[order]),
        course_of(1e300 * (year - 10.0), 1e-300 * level),
    ):
        assert again == pytest.approx(found, rel=1e-6, abs=1e-6)


def test_equal_rows_and_many_values_are_taken():
    assert course_of(*walk(4, noise=0.0)).jumps > 0.0
    assert course_of(*walk(5, count=400, rows=2)).jumps > 0.0
    # Every row a value of its own, or too few values.
    assert course_of(np.arange(50.0), np.arange(50.0) ** 2) is None
    assert course_of(*walk(6, count=3)) is None


def test_likelihoods_are_those_of_the_normal_distribution():
    """Of contrasts beside a line, whitened, by another implementation."""
    rng = np.random.default_rng(7)
    place, means = np.linspace(0.0, 1.0, 8), rng.normal(size=8)
    noise = rng.uniform(0.1, 0.3, size=8)
    straight, rough, _ = courses._likelihoods(place, means, noise)
    line = np.column_stack([np.ones(8), place])
    contrasts = np.linalg.svd(line.T)[2][2:].T
    seen = contrasts.T @ means
    apart = np.abs(place[:, None] - place)

    def likelihood(kernel: np.ndarray) -> float:
        spread = contrasts.T @ (kernel + np.diag(noise)) @ contrasts
        return float(multivariate_normal(np.zeros(6), spread).logpdf(seen))

    best = max(
        likelihood(size * np.exp(-apart / length))
        for length in np.geomspace(1.0 / 7.0, 10.0, 6)
        for size in np.geomspace(1e-6, 1e3, 25)
    )
    assert rough - straight == pytest.approx(best - likelihood(np.zeros((8, 8))), rel=1e-9)
