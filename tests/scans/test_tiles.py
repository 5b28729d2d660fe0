from __future__ import annotations

from itertools import combinations
from math import isqrt

import numpy as np
import pytest

from bqcd.scans.tiles import Blocks, Listed, plan_tiles


@pytest.mark.parametrize("n_columns", [0, 1, 2, 7, 8, 30])
@pytest.mark.parametrize("side", [1, 3, 8, 50])
def test_every_pair_is_in_one_tile_and_the_earlier_column_comes_first(n_columns, side) -> None:
    plan = Blocks(n_columns, side)
    found = []
    for number in range(len(plan)):
        tile = plan.tile(number)
        assert tile.number == number
        assert len(set(tile.columns)) == len(tile.columns) <= 2 * side
        assert len(tile.pairs) == plan.pairs_of(number)
        found += [(tile.columns[a], tile.columns[b]) for a, b in tile.pairs]
    assert len(found) == plan.n_pairs
    assert sorted(found) == list(combinations(range(n_columns), 2))


@pytest.mark.parametrize("size", [1, 4, 100])
def test_listed_pairs_keep_their_order_and_their_direction(size) -> None:
    rng = np.random.default_rng(size)
    pairs = rng.permuted(np.tile(np.arange(40, dtype=np.int32), (23, 1)), axis=1)[:, :2]
    plan = Listed(pairs, size)
    found = []
    for number in range(len(plan)):
        tile = plan.tile(number)
        assert len(tile.pairs) == plan.pairs_of(number) <= size
        found += [(tile.columns[a], tile.columns[b]) for a, b in tile.pairs]
    assert found == [tuple(pair) for pair in pairs]


def test_tiles_are_small_where_pairs_are_dear_and_large_where_tables_are_wide() -> None:
    # The pairs of two seconds, or of a quarter of one where the table is narrow.
    assert plan_tiles(5000, 1000, seconds=0.0003).side == isqrt(int(2.0 / 0.0003)) == 81
    assert plan_tiles(5000, 10_000_000, seconds=0.0003).side == 1
    assert plan_tiles(5000, 1000, seconds=12.0).side == 1
    assert plan_tiles(60, 1000, seconds=0.0003).side == isqrt(int(0.25 / 0.0003)) == 28
    # Eight blocks of columns where either would do.
    assert plan_tiles(400, 1000, seconds=0.0003).side == 400 // 8


def test_a_plan_for_a_hundred_thousand_columns_is_made_at_once() -> None:
    plan = plan_tiles(100_000, 1000, seconds=0.0003)
    assert plan.n_pairs == 4_999_950_000
    last = plan.tile(len(plan) - 1)
    assert last.columns[-1] == 99_999
