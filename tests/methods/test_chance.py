"""The floor: a coin that is fair in every respect, and the first column."""

from __future__ import annotations

import numpy as np
import pytest

import bqcd
from bqcd.data.pair import Pair
from bqcd.methods.chance import AlwaysFirst, Coin
from bqcd.methods.verdict import Method


def some_pair(seed: int, n: int = 20) -> Pair:
    """Columns of different scale, so that a rule that looks at the data would show."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Pair(3.0 * x, 1.0 + x**2)


def test_over_generators_the_coin_is_fair():
    pair = some_pair(0)
    tosses = [Coin().decide(pair, np.random.default_rng(seed)).confidence for seed in range(1_000)]
    assert set(tosses) == {-1.0, 1.0}
    # Four standard errors.
    assert abs(np.mean(tosses)) < 4.0 / np.sqrt(1_000)


def test_over_pairs_judged_with_one_seed_the_coin_is_fair():
    tosses = [bqcd.decide_pair(some_pair(i), method="coin").confidence for i in range(1_000)]
    assert set(tosses) == {-1.0, 1.0}
    assert abs(np.mean(tosses)) < 4.0 / np.sqrt(1_000)


def test_tosses_of_one_generator_are_unrelated():
    pair, rng = some_pair(0), np.random.default_rng(1)
    tosses = np.array([Coin().decide(pair, rng).confidence for _ in range(1_000)])
    assert abs(np.mean(tosses[1:] * tosses[:-1])) < 4.0 / np.sqrt(1_000)


def test_one_row_more_is_another_toss():
    pair = some_pair(2, 1_000)
    tosses = [
        bqcd.decide(pair.x[:n], pair.y[:n], method="coin").confidence for n in range(500, 1_000)
    ]
    assert abs(np.mean(tosses)) < 4.0 / np.sqrt(500)


def test_rows_that_look_the_same_from_either_side_are_undecided():
    x = np.random.default_rng(3).normal(size=20)
    mirrored = np.concatenate([x, x[::-1]]), np.concatenate([x[::-1], x])
    for seed in range(20):
        verdict = bqcd.decide(*mirrored, method="coin", seed=seed)
        assert verdict.confidence == 0.0


def test_a_column_in_another_order_beside_itself_is_tossed_for():
    x = np.arange(20.0)
    y = np.random.default_rng(4).permutation(x)
    for seed in range(20):
        verdict = bqcd.decide(x, y, method="coin", seed=seed)
        assert abs(verdict.confidence) == 1.0
        assert bqcd.decide(y, x, method="coin", seed=seed).confidence == -verdict.confidence


def test_the_sign_of_zero_has_no_say():
    pair = some_pair(5)
    x = np.where(np.arange(20) < 6, 0.0, pair.x)
    x_negative = np.where(np.arange(20) < 3, -0.0, x)
    for seed in range(10):
        plain, negative = (
            bqcd.decide(column, pair.y, method="coin", seed=seed) for column in (x, x_negative)
        )
        assert plain.as_dict() == negative.as_dict()


def test_the_evidence_is_the_lots_and_says_so():
    verdict = bqcd.decide_pair(some_pair(6), method="coin", seed=7)
    lots = verdict.as_dict()["evidence"]
    assert verdict.confidence == np.sign(lots["lot_x"] - lots["lot_y"])
    assert all(0.0 <= lot < 1.0 for lot in lots.values())
    assert "drawn at random" in verdict.explain()


@pytest.mark.parametrize("seed", range(5))
def test_always_first_answers_the_first_column_either_way_round(seed):
    pair = some_pair(seed)
    for shown in (pair, pair.swapped()):
        verdict = bqcd.decide_pair(shown, method=AlwaysFirst(), seed=seed)
        assert verdict.cause == shown.x_name
        assert verdict.confidence == 1.0


def test_always_first_is_a_method_but_not_in_the_table():
    assert isinstance(AlwaysFirst(), Method)
    builders = {card.build for card in bqcd.METHODS.values()}
    assert Coin in builders
    assert AlwaysFirst not in builders
