"""Discrete additive noise, by entropy and by independence."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.benchmark.datasets import simulate_pairs
from bqcd.data.pair import Pair
from bqcd.methods.acid import ACID
from bqcd.methods.danm import DiscreteANM
from bqcd.statistics.discrete.codes import entropy_bits


@pytest.fixture(scope="module")
def pairs():
    return list(simulate_pairs("discrete-additive", n_pairs=40, n_rows=500, seed=3))


def shares(method, pairs) -> tuple[float, float]:
    """Share of right answers among those given, and share given."""
    signs = np.array(
        [
            np.sign(method.decide(i.pair, np.random.default_rng(0)).confidence) * i.truth.sign
            for i in pairs
        ]
    )
    return float((signs > 0).sum() / max(1, np.count_nonzero(signs))), float((signs != 0).mean())


def test_additive_noise_on_whole_numbers_is_told(pairs):
    assert shares(ACID(), pairs)[0] >= 0.95


def test_an_accepted_direction_is_right_where_the_model_holds(pairs):
    """Peters et al. report nearly all directions right among those decided, at this size."""
    right, told = shares(DiscreteANM(), pairs)
    assert right >= 0.95
    assert told >= 0.7


def test_scores_are_entropies_of_cause_and_residual():
    x = np.repeat([0, 1, 2], [40, 30, 30])
    y = x + np.tile([0, 0, 0, 1], 25)
    found = ACID().evidence(Pair(x, y))
    assert found.x_to_y == pytest.approx(
        entropy_bits([40, 30, 30]) + entropy_bits([75, 25]), abs=0.02
    )


def test_both_models_accepted_or_both_rejected_tell_nothing():
    rng = np.random.default_rng(0)
    x, y = rng.integers(5, size=(2, 400))
    assert DiscreteANM().decide(Pair(x, y), rng).confidence == 0.0


def test_cyclic_noise_is_told_by_the_cyclic_model():
    right = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.choice(6, p=rng.dirichlet(np.full(6, 1.0)), size=800)
        noise = rng.choice(6, p=[0.6, 0.2, 0.1, 0.05, 0.03, 0.02], size=800)
        y = (np.array([0, 2, 4, 0, 3, 1])[x] + noise) % 6
        right += DiscreteANM(support="cyclic").decide(Pair(x, y), rng).confidence > 0.0
    assert right >= 13
