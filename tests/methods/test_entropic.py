"""Entropies of cause and noise."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.entropic import Entropic
from bqcd.statistics.discrete.codes import entropy_bits


def test_a_function_needs_no_noise_and_its_inverse_does():
    x = np.repeat(np.arange(8), 25)
    found = Entropic().evidence(Pair(x, x // 4))
    assert found.x_to_y == pytest.approx(3.0)
    # Given a half, four levels are equally likely: two bits of noise.
    assert found.y_to_x == pytest.approx(1.0 + 2.0)


def test_scores_are_entropy_of_the_cause_and_of_a_coupling_by_hand():
    x = np.repeat([0, 1], [40, 40])
    y = np.concatenate((np.repeat([0, 1], [20, 20]), np.repeat([0, 1], [30, 10])))
    found = Entropic().evidence(Pair(x, y))
    assert found.x_to_y == pytest.approx(1.0 + entropy_bits([2, 1, 1]))


def test_noise_of_little_entropy_shows_the_direction():
    """Kocaoglu et al. let cause and function be drawn, and the noise have few likely values."""
    right = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.full(12, 0.15))
        x, e = (
            rng.choice(12, p=rng.dirichlet(np.ones(12)), size=3000),
            rng.choice(12, p=shares, size=3000),
        )
        y = rng.integers(12, size=(12, 12))[x, e]
        right += Entropic().decide(Pair(x, y), rng).confidence > 0.0
    assert right >= 32
