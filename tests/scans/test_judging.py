from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

import bqcd
from bqcd.discovery.quantiles import Copula
from bqcd.methods.bqcd import BQCD
from bqcd.methods.chance import Coin
from bqcd.methods.table import make_method
from bqcd.scans.judging import attempt_tile, column_kind, judge_tile
from bqcd.scans.records import SentBlock, Setback, Tile, TileTask
from bqcd.scans.stores import dense_ranks
from bqcd.statistics.dependence.ranks import tied_dependence

N = 240


def columns() -> dict[str, np.ndarray]:
    """Columns of all kinds: plain, tied, with gaps, both, nearly empty, equal and opposite."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=N)
    noise = rng.normal(size=(6, N))
    made = {
        "plain": x,
        "bend": x**2 + 0.3 * noise[0],
        "fan": x * noise[1],
        "same": x.copy(),
        "turned": -x,
        "rounded": (x + 0.5 * noise[2]).round(1),
        "coarse": np.clip((2 * x).round(), -2, 2),
        "gaps": np.where(rng.random(N) < 0.2, np.nan, x + noise[3]),
        "tied gaps": np.where(rng.random(N) < 0.2, np.nan, (x + noise[4]).round(1)),
        "few": np.where(np.arange(N) < N - 12, np.nan, noise[5]),
    }
    made["early"] = np.where(np.arange(N) < 20, noise[5], np.nan)
    return made


def task(table: dict[str, np.ndarray], pairs, method, *, seed: int = 0) -> TileTask:
    kind = column_kind(method)
    held = [dense_ranks(column) if kind == "ranks" else column for column in table.values()]
    places = tuple(range(len(table)))
    tile = Tile(0, places, np.array(pairs, dtype=np.int32))
    block = SentBlock(kind, places, np.array(held))
    return TileTask(tile, block, tuple(table), method, "drop", seed)


METHODS = {
    "default": BQCD(),
    "seven levels": BQCD(n_levels=7),
    "one level": BQCD(small_n=1000),
    "fine grid": BQCD(regressor=Copula(grid=40)),
    "random orders": BQCD(jitters=3),
    "few orders": BQCD(tie_orders=2),
    "forest": make_method("bqcd", regressor="forest"),
    "coin": Coin(),
    "igci": make_method("igci-g"),
}


@pytest.mark.parametrize("name", METHODS)
def test_every_number_is_that_of_decide_to_the_bit(name: str) -> None:
    table, method = columns(), METHODS[name]
    names = list(table)
    pairs = [(1, 0), *combinations(range(len(names)), 2)]
    if name == "forest":
        pairs = pairs[::4]
    rows = judge_tile(task(table, pairs, method, seed=3))
    for at, (i, j) in enumerate(pairs):
        x, y = table[names[i]], table[names[j]]
        present = ~(np.isnan(x) | np.isnan(y))
        assert rows.n_rows[at] == present.sum()
        if at in rows.messages:
            with pytest.raises(bqcd.errors.InvalidPairError):
                bqcd.decide(x, y, missing="drop", method=method)
            assert np.isnan(rows.confidence[at])
        else:
            expected = bqcd.decide(x, y, missing="drop", method=method, seed=3).confidence
            assert rows.confidence[at] == expected, (names[i], names[j])
            assert 0.0 <= rows.p_value[at] <= 1.0


def test_pairs_with_too_few_rows_in_common_have_a_reason_that_names_both() -> None:
    table = columns()
    at = list(table)
    rows = judge_tile(task(table, [(at.index("few"), at.index("early"))], BQCD()))
    assert rows.messages == {
        0: "Columns 'few' and 'early' have 0 rows in common, but at least 10 are needed."
    }


def test_a_column_that_is_constant_where_the_other_is_present_is_named() -> None:
    rng = np.random.default_rng(0)
    table = {"a": np.r_[np.ones(30), rng.normal(size=30)], "b": rng.normal(size=60)}
    table["b"][30:] = np.nan
    rows = judge_tile(task(table, [(1, 0)], BQCD()))
    assert rows.messages == {0: "Column 'a' is constant in the 30 rows it shares with 'b'."}


def test_the_numbers_do_not_depend_on_the_other_pairs_of_the_tile() -> None:
    table = columns()
    pairs = list(permutations(range(5), 2))
    together = judge_tile(task(table, pairs, BQCD()))
    for at, pair in enumerate(pairs):
        alone = judge_tile(task(table, [pair], BQCD()))
        for field in ("confidence", "spearman", "dependence", "p_value"):
            assert getattr(alone, field)[0] == getattr(together, field)[at]


def test_exchanging_the_columns_flips_the_sign_and_nothing_else() -> None:
    table = columns()
    pairs = list(combinations(range(9), 2))
    one = judge_tile(task(table, pairs, BQCD()))
    other = judge_tile(task(table, [(j, i) for i, j in pairs], BQCD()))
    np.testing.assert_array_equal(one.confidence, -other.confidence)
    for field in ("n_rows", "spearman", "dependence", "p_value"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_the_order_of_the_rows_changes_nothing() -> None:
    table = columns()
    order = np.random.default_rng(1).permutation(N)
    mixed = {name: column[order] for name, column in table.items()}
    pairs = list(combinations(range(9), 2))
    one, other = (judge_tile(task(t, pairs, BQCD())) for t in (table, mixed))
    for field in ("confidence", "n_rows", "spearman", "dependence", "p_value"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_dependence_is_that_of_the_rows_in_common() -> None:
    table = columns()
    names = list(table)
    rows = judge_tile(task(table, [(names.index("rounded"), names.index("tied gaps"))], BQCD()))
    present = ~np.isnan(table["tied gaps"])
    expected = tied_dependence(
        dense_ranks(table["rounded"][present]), dense_ranks(table["tied gaps"][present])
    )
    assert rows.spearman[0] == pytest.approx(expected.spearman[0], abs=1e-12)
    assert rows.p_value[0] == pytest.approx(expected.p_value[0], rel=1e-9)


class Failing:
    def decide(self, pair, rng):
        if pair.x_name == "bend":
            raise ZeroDivisionError("no")
        return Coin().decide(pair, rng)


def test_a_method_that_fails_on_a_pair_costs_that_pair_only() -> None:
    rows = judge_tile(task(columns(), [(0, 1), (1, 2), (0, 2)], Failing()))
    assert rows.messages == {1: "ZeroDivisionError: no"}
    assert np.isnan(rows.confidence).tolist() == [False, True, False]


class Starved:
    def decide(self, pair, rng):
        raise MemoryError


def test_what_tells_of_the_machine_is_no_row_of_the_pair() -> None:
    asked = task(columns(), [(0, 1), (1, 2)], Starved())
    with pytest.raises(MemoryError):
        judge_tile(asked)
    told = "MemoryError: no more is known; columns 'plain' and 'bend'"
    assert attempt_tile(asked) == Setback(0, told)
    fine = task(columns(), [(0, 1), (1, 2), (0, 2)], Failing())
    assert attempt_tile(fine).messages == {1: "ZeroDivisionError: no"}


def test_methods_of_values_are_given_values_and_the_copula_ranks() -> None:
    assert column_kind(BQCD()) == "ranks"
    assert column_kind(BQCD(published_ties=True)) == "values"
    assert column_kind(make_method("anm")) == "values"
