"""Markov chains: moments of known densities, and diagnostics against known numbers."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from scipy.special import ndtri

from bqcd.statistics.sampling import (
    Target,
    effective_sample_size,
    hamiltonian_chains,
    split_rhat,
)

MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[4.0, 1.9, 0.0], [1.9, 1.0, 0.0], [0.0, 0.0, 1e-4]])
PRECISION = np.linalg.inv(COVARIANCE)


def gaussian(state):
    apart = PRECISION @ (state - MEAN)
    return -0.5 * float((state - MEAN) @ apart), -apart


def run(target: Target, starts, *, kept: int = 1000, warmup: int = 300, seed: int = 0):
    rngs = np.random.default_rng(seed).spawn(len(starts))
    return hamiltonian_chains(target, np.asarray(starts), warmup=warmup, kept=kept, rngs=rngs)


def far_starts(d: int, seed: int = 5) -> np.ndarray:
    return 10.0 * np.random.default_rng(seed).normal(size=(4, d))


def check_mean(values: np.ndarray, expected: float) -> None:
    """Within four standard errors, by the effective number of draws."""
    error = values.std() / sqrt(effective_sample_size(values))
    assert abs(values.mean() - expected) < 4.0 * error


# -- known densities -------------------------------------------------------------------


def test_moments_of_a_narrow_slanted_gaussian_are_found_from_far_starts():
    chains = run(Target(gaussian), far_starts(3))
    for k in range(3):
        values = chains.states[:, :, k]
        assert split_rhat(values) < 1.02
        assert effective_sample_size(values) > 1000
        check_mean(values, MEAN[k])
        check_mean((values - MEAN[k]) ** 2, COVARIANCE[k, k])
    products = (chains.states[:, :, 0] - MEAN[0]) * (chains.states[:, :, 1] - MEAN[1])
    check_mean(products, COVARIANCE[0, 1])


def test_log_densities_are_those_of_the_states():
    chains = run(Target(gaussian), far_starts(3), kept=50)
    again = [[gaussian(state)[0] for state in chain] for chain in chains.states]
    np.testing.assert_array_equal(chains.log_densities, again)


def exponential(state):
    """Log of an exponential variable."""
    return float(state[0] - np.exp(state[0])), np.array([1.0 - np.exp(state[0])])


def test_a_skewed_density_has_its_own_moments():
    values = np.exp(run(Target(exponential), [[0.0], [1.0], [-1.0], [2.0]], kept=1000).states)
    check_mean(values[:, :, 0], 1.0)
    check_mean(values[:, :, 0] ** 2, 2.0)
    check_mean((values[:, :, 0] < np.log(2.0)).astype(float), 0.5)


def half_refreshed(state, rng):
    """Second coordinate drawn given the others."""
    drawn = state.copy()
    gain = COVARIANCE[0, 1] / COVARIANCE[0, 0]
    spread = sqrt(COVARIANCE[1, 1] - gain * COVARIANCE[0, 1])
    drawn[1] = MEAN[1] + gain * (state[0] - MEAN[0]) + spread * rng.standard_normal()
    return drawn


def test_trajectories_keep_to_the_columns_of_the_root_and_moves_of_ones_own_do_the_rest():
    root = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.01]])
    starts = far_starts(3)
    stuck = run(Target(gaussian, lambda state: root), starts, kept=100)
    np.testing.assert_array_equal(stuck.states[:, :, 1], np.tile(starts[:, 1:2], 100))
    moved = run(Target(gaussian, lambda state: root, half_refreshed), starts, kept=1000)
    for k in range(3):
        check_mean(moved.states[:, :, k], MEAN[k])
        check_mean((moved.states[:, :, k] - MEAN[k]) ** 2, COVARIANCE[k, k])


def test_two_far_modes_are_told_by_rhat_and_not_hidden():
    def two_modes(state):
        apart = np.array([state[0] - 10.0, state[0] + 10.0])
        near = int(np.argmin(np.abs(apart)))
        return -0.5 * float(apart[near] ** 2), -apart[near : near + 1]

    chains = run(Target(two_modes), [[9.0], [11.0], [-9.0], [-11.0]], kept=200)
    assert split_rhat(chains.states[:, :, 0]) > 1.5
    assert split_rhat(np.abs(chains.states[:, :, 0])) < 1.05


def test_a_hopeless_place_is_not_entered():
    def walled(state):
        inside = abs(state[0]) < 1.0
        return (0.0 if inside else -inf), np.zeros(1)

    chains = run(Target(walled), np.zeros((4, 1)), kept=300, warmup=100)
    assert np.abs(chains.states).max() < 1.0
    check_mean(chains.states[:, :, 0] ** 2, 1.0 / 3.0)


def test_the_same_seed_gives_the_same_chains_and_another_one_others():
    first, again = (run(Target(gaussian), far_starts(3), kept=20, warmup=20) for _ in range(2))
    np.testing.assert_array_equal(first.states, again.states)
    other = run(Target(gaussian), far_starts(3), kept=20, warmup=20, seed=1)
    assert not np.array_equal(first.states, other.states)


def test_the_step_found_is_accepted_about_as_often_as_wished():
    chains = run(Target(gaussian), far_starts(3), kept=500)
    assert 0.7 < chains.accepted < 0.99


def test_chains_may_go_without_warm_up():
    chains = run(Target(exponential), [[0.0], [1.0]], kept=30, warmup=0)
    assert chains.states.shape == (2, 30, 1)
    assert np.isfinite(chains.states).all()


# -- diagnostics -----------------------------------------------------------------------


def example_chains() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    independent = rng.normal(size=(4, 100))
    sticky = np.empty((3, 51))
    sticky[:, 0] = rng.normal(size=3)
    for t in range(1, 51):
        sticky[:, t] = 0.8 * sticky[:, t - 1] + rng.normal(size=3)
    walks = np.cumsum(rng.standard_cauchy(size=(4, 40)), axis=1)
    return {"independent": independent, "sticky": sticky, "tied": sticky.round(), "walks": walks}


# ArviZ 0.19.0: rhat(method="rank") and ess(method="bulk").
ARVIZ = {
    "independent": (0.9983889049881076, 412.8092068026309),
    "sticky": (1.26149868301003, 9.689420351630838),
    "tied": (1.2462366499723205, 10.096902278735007),
    "walks": (1.9858228394957023, 6.737736023978932),
}


@pytest.mark.parametrize("name", ARVIZ)
def test_diagnostics_are_those_of_arviz(name):
    draws, (rhat, size) = example_chains()[name], ARVIZ[name]
    assert split_rhat(draws) == pytest.approx(rhat, rel=1e-12)
    assert effective_sample_size(draws) == pytest.approx(size, rel=1e-10)


def test_rhat_of_four_values_by_hand():
    # Halves (1, 2) and (3, 4) of one chain: scores -b, -a, a, b of four normal ranks.
    a, b = ndtri((3.0 - 0.375) / 4.25), ndtri((4.0 - 0.375) / 4.25)
    within, between = 0.5 * (b - a) ** 2, 0.5 * (a + b) ** 2
    assert split_rhat(np.array([[1.0, 2.0, 3.0, 4.0]])) == pytest.approx(
        sqrt(0.5 + between / within), rel=1e-12
    )


def test_rhat_sees_chains_of_different_spread():
    draws = np.random.default_rng(1).normal(size=(4, 1000))
    assert split_rhat(draws) < 1.01
    draws[0] *= 4.0
    assert split_rhat(draws) > 1.1


def test_rhat_sees_a_drift_that_all_chains_share():
    drift = np.linspace(0.0, 3.0, 200) + np.random.default_rng(2).normal(size=(4, 200))
    assert split_rhat(drift) > 1.1


def test_chains_that_do_not_move():
    assert split_rhat(np.ones((2, 10))) == 1.0
    apart = np.repeat([[1.0], [2.0]], 10, axis=1)
    assert split_rhat(apart) == inf
    assert effective_sample_size(apart) == 4.0


def test_the_effective_size_of_an_autoregression_is_the_known_one():
    rng = np.random.default_rng(3)
    draws = np.empty((4, 20_000))
    draws[:, 0] = rng.normal(size=4) / sqrt(1.0 - 0.25)
    for t in range(1, draws.shape[1]):
        draws[:, t] = 0.5 * draws[:, t - 1] + rng.normal(size=4)
    # n (1 - r) / (1 + r) with the correlation r = 1/2.
    assert effective_sample_size(draws) == pytest.approx(80_000 / 3, rel=0.1)
