"""Stochastic complexity of both directions."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.cisc import CISC
from bqcd.statistics.discrete.codes import log_regret


def test_the_regrets_alone_decide():
    """Entropies add up to that of the pair in either direction; the regrets by hand."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(3, size=300), rng.integers(5, size=300)
    found = CISC().evidence(Pair(x, y))

    def regrets(cause, effect, levels, others):
        return log_regret(300, levels) + sum(
            log_regret(int((cause == at).sum()), others) for at in range(levels)
        )

    expected = (regrets(y, x, 5, 3) - regrets(x, y, 3, 5)) / 300
    assert found.y_to_x - found.x_to_y == pytest.approx(expected)


def test_columns_with_the_same_margins_cannot_be_told_apart():
    rng = np.random.default_rng(1)
    x = np.repeat(np.arange(4), 50)
    assert CISC().decide(Pair(x, rng.permutation(x)), rng).confidence == 0.0
