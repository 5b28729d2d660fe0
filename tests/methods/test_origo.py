"""Bits of both directions by trees."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.origo import Origo
from bqcd.statistics.discrete.packing import packed_bits


def test_scores_are_packed_bits_of_the_table_and_of_its_mirror():
    rng = np.random.default_rng(0)
    x = rng.integers(4, size=200)
    y = np.where(rng.random(200) < 0.7, x % 2, rng.integers(2, size=200))
    table = np.zeros((4, 2), dtype=int)
    np.add.at(table, (x, y), 1)
    found = Origo().evidence(Pair(x, y))
    assert 200 * found.x_to_y == pytest.approx(packed_bits(table), rel=1e-3)
    assert 200 * found.y_to_x == pytest.approx(packed_bits(table.T.copy()), rel=1e-3)
