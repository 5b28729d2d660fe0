"""Few years with several rows each: a series along them is not clear, and doses stay so."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from benchmarks.few_years import kinds
from bqcd.assessments.limits import limited
from bqcd.assessments.series import jumps_along


def drawn(name: str, seed: int, values: int = 10, rows: int = 50):
    return kinds()[name](np.random.default_rng([seed, values]), values, rows)


def answers(name: str, seeds: range) -> list[str]:
    pairs = (drawn(name, seed) for seed in seeds)
    return [bqcd.assess(*pair, method="bqcd", replicates=50).answer for pair in pairs]


def test_a_walk_along_ten_years_is_rarely_clear():
    found = [
        bqcd.assess(*drawn("walk, noise of half a step", seed), method="bqcd", replicates=50)
        for seed in range(12)
    ]
    without = [
        limited(one.claimed, [limit for limit in one.limits if limit.code != "jumps"])
        for one in found
    ]
    assert sum(left >= 0.8 for left in without) >= 6
    assert [one.answer for one in found].count("clear") <= 2


@pytest.mark.parametrize("name", ["dose, bell", "dose, parabola", "dose, a wave and a quarter"])
def test_doses_along_a_curve_stay_clear(name):
    assert answers(name, range(3)) == ["clear"] * 3


@pytest.mark.parametrize("values", [6, 10, 20, 40])
def test_curves_are_not_taken_for_jumps_and_walks_mostly_are(values):
    rows = 500 // values
    for name in ("dose, bell", "dose, slow saturation", "dose, line with growing noise"):
        found = [jumps_along(*drawn(name, seed, values, rows)) for seed in range(10)]
        assert sum(found) <= 1
    walks = [jumps_along(*drawn("walk, noise of half a step", s, values, rows)) for s in range(10)]
    assert sum(walks) >= 7


def test_only_rows_in_the_order_of_the_column_may_be_time():
    year, level = drawn("walk, noise of half a step", 2)
    assert jumps_along(year, level)
    order = np.random.default_rng(0).permutation(len(year))
    assert not jumps_along(year[order], level[order])
    # The order within a year does not matter.
    within = np.lexsort((level, year))
    assert jumps_along(year[within], level[within])


def test_columns_may_come_in_any_order():
    year, level = drawn("walk, noise of half a step", 2)
    found = bqcd.assess(year, level, method="bqcd", replicates=20)
    turned = bqcd.assess(level, year, method="bqcd", replicates=20)
    assert found.probability == turned.probability
    [limit] = [one for one in found.limits if one.code == "jumps"]
    [other] = [one for one in turned.limits if one.code == "jumps"]
    assert (limit.facts["column"], other.facts["column"]) == ("x", "y")
    assert limit.most == other.most == 0.75
    assert "jumps from value to value" in found.explain()
