"""The limit of linear Gaussian data, recorded as coarsely as the columns of a pair are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator

import bqcd
from bqcd.benchmark.datasets.generators import make_generator
from bqcd.data.pair import Pair
from bqcd.discovery.evidence import CHANCE_WITH_MORE_LEVELS
from bqcd.discovery.ranks import ranks_of


def in_grades(column: np.ndarray, *shares: float) -> np.ndarray:
    return np.searchsorted(np.quantile(column, np.cumsum(shares)[:-1]), column).astype(float)


def with_zeros(column: np.ndarray, share: float) -> np.ndarray:
    return np.maximum(column, np.quantile(column, share))


COARSE = {
    "cut at its median": lambda column: in_grades(column, 0.5, 0.5),
    "three values": lambda column: in_grades(column, 1 / 3, 1 / 3, 1 / 3),
    "seven values": lambda column: in_grades(column, *7 * (1 / 7,)),
    "unequal groups": lambda column: in_grades(column, 0.7, 0.2, 0.1),
    "half zeros": lambda column: with_zeros(column, 0.5),
    "most in the middle": lambda column: np.where(abs(column) < np.quantile(abs(column), 0.6), 0.0,
                                                  column),
}  # fmt: skip


def linear(n: int, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    r = rng.choice([0.2, 0.5, 0.8, 0.95])
    x, noise = rng.normal(size=(2, n))
    return x, r * x + np.sqrt(1.0 - r**2) * noise


@pytest.mark.parametrize("n", [300, 1000])
@pytest.mark.parametrize("both", [False, True], ids=["one column", "both columns"])
@pytest.mark.parametrize("name", COARSE)
def test_coarse_linear_gaussian_pairs_lean_in_one_of_twenty_at_most(name, both, n):
    # With the limit of columns without ties, 35 of 60 cut at the median of 1,000 rows do.
    rng, leaning = np.random.default_rng(20), 0
    for _ in range(60):
        x, y = linear(n, rng)
        x = COARSE[name](x)
        if both:
            y = in_grades(y, 0.4, 0.6)
        leaning += bqcd.decide(x, y).answer == "leaning"
    # 5 % and three standard errors.
    assert leaning / 60 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.parametrize("name", ["AN", "LS"])
def test_a_direction_towards_a_coarse_effect_is_still_told(name):
    rng, made = np.random.default_rng(21), make_generator(name)
    right = []
    for _ in range(40):
        cause, effect = made.draw(1000, rng)
        verdict = bqcd.decide(cause, in_grades(np.asarray(effect), 0.25, 0.25, 0.25, 0.25))
        right.append(verdict.answer == "leaning" and verdict.confidence > 0.0)
    assert np.mean(right) >= 0.8


def test_more_rows_do_not_make_up_for_coarseness():
    x, y = linear(20_000, np.random.default_rng(22))
    verdict = bqcd.decide(in_grades(x, 0.5, 0.5), y)
    assert verdict.confidence > 0.0
    assert verdict.evidence.chance_bound > 5.0 * CHANCE_WITH_MORE_LEVELS / np.sqrt(20_000)


def test_the_limit_is_higher_for_a_confidence_that_points_from_the_coarser_column():
    x, y = linear(500, np.random.default_rng(23))
    evidence = bqcd.decide(in_grades(x, 0.5, 0.5), y).evidence
    fine = CHANCE_WITH_MORE_LEVELS / np.sqrt(500)
    assert evidence.chance_bound_of(1.0) == pytest.approx(fine + 0.005 / 2 + 0.05 / 2, rel=1e-3)
    assert evidence.chance_bound_of(-1.0) == pytest.approx(fine + 0.005 / 2, rel=1e-3)


@pytest.mark.parametrize("name", COARSE)
def test_exchanging_columns_turning_them_round_or_mixing_rows_leaves_the_limit_to_the_bit(name):
    rng = np.random.default_rng(24)
    x, y = linear(400, rng)
    x, y = COARSE[name](x), np.round(y, 1)
    limit, order = bqcd.decide(x, y).evidence.chance_bound, rng.permutation(400)
    assert bqcd.decide(y, x).evidence.chance_bound == limit
    assert bqcd.decide(x[order], y[order]).evidence.chance_bound == limit
    mirrored = ranks_of(Pair(-x, y)).coarse()
    assert mirrored == ranks_of(Pair(x, y)).coarse()


def test_fine_columns_have_the_limit_of_their_rows():
    x, y = linear(400, np.random.default_rng(25))
    assert bqcd.decide(x, y).evidence.chance_bound == CHANCE_WITH_MORE_LEVELS / 20.0
    # Two decimals make less than a tenth of difference.
    rounded = bqcd.decide(x.round(2), y).evidence
    assert rounded.chance_bound < 1.1 * CHANCE_WITH_MORE_LEVELS / 20.0
    assert not rounded.is_coarse


def test_what_ties_take_is_the_correction_of_rank_tests():
    from scipy.stats import rankdata, tiecorrect

    rng = np.random.default_rng(26)
    for values in (rng.integers(5, size=80), rng.poisson(2.0, 300), rng.normal(size=50)):
        x = values.astype(float)
        found = ranks_of(Pair(x, np.arange(len(x)) ** 2.0)).coarse()
        assert found == pytest.approx((1.0 - tiecorrect(rankdata(x)), 0.0), abs=1e-12)


def test_the_sentence_says_that_the_limit_is_that_of_coarse_columns():
    x, y = linear(500, np.random.default_rng(27))
    assert "with this many rows)" in bqcd.decide(x, y).strength
    coarse = bqcd.decide(in_grades(x, 0.5, 0.5), y)
    assert f"({coarse.limit:.2g} with this many rows, recorded as coarsely)" in coarse.strength
