"""Entropy from moments: the formula, by other means, and densities whose entropy is known."""

from __future__ import annotations

from math import e, log, pi, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from bqcd.statistics.codes.entropy import GAUSSIAN_ENTROPY, moment_entropy, quantile_entropy

ROOT3 = sqrt(3.0)


def test_the_gaussian_entropy_is_the_known_one():
    assert pytest.approx(0.5 * log(2.0 * pi * e), rel=1e-15) == GAUSSIAN_ENTROPY
    # Evenly spread levels stand for the distribution itself.
    column = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    assert moment_entropy(column) == pytest.approx(GAUSSIAN_ENTROPY, abs=1e-6)


def test_moments_of_a_uniform_density_are_its_integrals():
    column = ROOT3 * (2.0 * (np.arange(100_000) + 0.5) / 100_000 - 1.0)
    log_cosh = quad(lambda v: log(np.cosh(v)) / (2.0 * ROOT3), -ROOT3, ROOT3)[0]
    expected = GAUSSIAN_ENTROPY - 79.047 * (log_cosh - 0.37457) ** 2
    assert moment_entropy(column) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    "density",
    [stats.logistic(), stats.t(10), stats.t(30), stats.gamma(20), stats.gamma(100)],
    ids=["logistic", "t 10", "t 30", "gamma 20", "gamma 100"],
)
def test_near_the_gaussian_what_a_density_lacks_is_found_to_a_third(density):
    levels = (np.arange(100_000) + 0.5) / 100_000
    column = (density.ppf(levels) - density.mean()) / density.std()
    lacking = GAUSSIAN_ENTROPY - (density.entropy() - log(density.std()))
    assert GAUSSIAN_ENTROPY - moment_entropy(column) == pytest.approx(lacking, rel=0.34)


@pytest.mark.parametrize(
    "density", [stats.uniform(), stats.laplace(), stats.expon()], ids=["uniform", "Laplace", "exp"]
)
def test_far_from_the_gaussian_the_entropy_is_clearly_lower(density):
    levels = (np.arange(10_000) + 0.5) / 10_000
    column = (density.ppf(levels) - density.mean()) / density.std()
    assert moment_entropy(column) < GAUSSIAN_ENTROPY - 0.05


def test_turning_the_column_round_changes_nothing():
    column = np.random.default_rng(0).exponential(size=300) - 1.0
    assert moment_entropy(-column) == pytest.approx(moment_entropy(column), rel=1e-14)


def test_far_values_do_not_overflow():
    column = np.zeros(10_001)
    column[0] = 1e4
    # log cosh v = v - log 2 there, so that its mean is about 1.
    expected = GAUSSIAN_ENTROPY - 79.047 * ((1e4 - log(2.0)) / 10_001 - 0.37457) ** 2
    assert moment_entropy(column) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("known", "error"),
    # At the ends slopes are those of gaps, which heavy tails make longer.
    [
        (stats.norm(), 0.05),
        (stats.uniform(), 0.05),
        (stats.laplace(), 0.05),
        (stats.t(2), 0.1),
    ],
)
def test_entropy_by_quantiles_is_that_of_known_distributions(known, error):
    draws = [known.rvs(2000, random_state=np.random.default_rng(seed)) for seed in range(10)]
    found = np.mean([quantile_entropy(draw) for draw in draws])
    assert found == pytest.approx(float(known.entropy()), abs=error)


def test_entropy_by_quantiles_moves_with_the_logarithm_of_the_scale_and_bears_ties():
    column = np.random.default_rng(0).normal(size=500)
    moved = quantile_entropy(7.0 - 3.0 * column) - quantile_entropy(column)
    assert moved == pytest.approx(np.log(3.0), abs=1e-9)
    assert np.isfinite(quantile_entropy(np.round(column)))
    assert np.isfinite(quantile_entropy(np.ones(20)))
