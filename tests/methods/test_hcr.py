"""Hidden compact representation beside a search of all partitions."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.data.scales import Scale
from bqcd.methods import hcr
from bqcd.methods.hcr import HCR
from bqcd.statistics.discrete.codes import entropy_bits


def partitions(n: int) -> Iterator[list[int]]:
    """Groups of n things, each partition once."""

    def grown(groups: list[int]) -> Iterator[list[int]]:
        if len(groups) == n:
            yield groups
            return
        for group in range(max(groups) + 2):
            yield from grown([*groups, group])

    yield from grown([0])


def best_criterion(table: np.ndarray) -> float:
    n, margin = table.sum(), table.sum(axis=1)
    found = []
    for groups in partitions(len(table)):
        hidden = np.zeros((max(groups) + 1, table.shape[1]))
        np.add.at(hidden, groups, table)
        likelihood = sum(row.sum() * entropy_bits(row) for row in hidden)
        parameters = len(table) - 1 + len(hidden) * (table.shape[1] - 1)
        found.append(n * entropy_bits(margin) + likelihood + 0.5 * parameters * log2(n))
    return min(found)


@pytest.mark.parametrize("seed", range(6))
def test_merging_finds_the_best_of_all_functions_or_nearly(seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(4, 0.7), size=3)[rng.integers(3, size=6)]
    table = np.array(
        [
            rng.multinomial(size, row)
            for size, row in zip(rng.integers(20, 90, size=6), shares, strict=True)
        ]
    )
    table = table[:, table.sum(axis=0) > 0]
    best, found = best_criterion(table), hcr._bits(table)
    assert best - 1e-6 <= found <= best * 1.01


def test_with_equal_levels_the_coarser_column_is_no_cause_by_itself():
    """Independent columns: as published, whatever is told takes the finer one for the cause."""
    rng = np.random.default_rng(0)
    names = [Scale("nominal", levels=tuple("abcdefghij"[:k])) for k in (3, 10)]
    told = []
    for _ in range(60):
        hidden = rng.integers(30, size=400)
        x, y = hidden % 3, (hidden + rng.integers(8, size=400)) % 10
        pair = Pair(x.astype(float), y.astype(float), "x", "y", "", 0, *names)
        told.append(HCR(equal_levels=True).decide(pair, rng).confidence)
    assert abs(np.mean(np.sign(told))) < 0.6
