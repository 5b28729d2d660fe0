"""Methods that judge one pair share what they make of its columns, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.table import make_method
from bqcd.statistics.dependence.independence import embedded
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range, unit_variance

NAMES = (
    *("loci", "grci", "resit", "sloppy", "bicam", "reci", "heci", "cdci", "slope"),
    *("igci-u", "igci-g", "igci-entropy-u", "igci-entropy-g", "lingam", "emd"),
)


def columns(*, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    y = np.tanh(2.0 * x) + (0.2 + 0.1 * np.abs(x)) * rng.normal(size=200)
    return (x.round(1), y.round(1)) if tied else (x, y)


@pytest.mark.parametrize("tied", [False, True], ids=["no ties", "ties"])
def test_a_verdict_does_not_know_who_judged_the_pair_before(tied):
    x, y = columns(tied=tied)
    alone = [confidence(name, Pair(x.copy(), y.copy())) for name in NAMES]
    pair = Pair(x, y)
    assert [confidence(name, pair) for name in NAMES] == alone
    assert [confidence(name, pair) for name in reversed(NAMES)] == alone[::-1]


def confidence(name: str, pair: Pair) -> float:
    return make_method(name).decide(pair, np.random.default_rng(0)).confidence


def test_scaled_columns_orders_and_positions_are_made_once():
    pair = Pair(*columns(tied=False))
    assert unit_range(pair.x) is unit_range(pair.x)
    assert unit_variance(pair.x) is unit_variance(pair.x)
    assert row_order(pair.x, pair.y) is row_order(pair.x, pair.y)
    assert embedded(unit_variance(pair.x)) is embedded(unit_variance(pair.x))
    assert unit_range(pair.x) is not unit_range(Pair(pair.x, pair.y).x)
