from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest

import bqcd
from bqcd.discovery.quantiles import Copula
from bqcd.discovery.ranks import Ties, normal_scores, rank_pair
from bqcd.discovery.scores import gauss_legendre
from bqcd.discovery.tie_averages import average_over_ties
from bqcd.discovery.tie_kernels import fill_curve_values, fill_expected_excess

RULE = gauss_legendre(3)


def grades(values: np.ndarray, count: int) -> np.ndarray:
    cuts = np.quantile(values, np.linspace(0, 1, count + 1)[1:-1])
    return np.searchsorted(cuts, values).astype(float)


ROUNDED = {
    "two grades": lambda x, y: (1.0 * (x > 0.2), 1.0 * (y > -0.4)),
    "five grades": lambda x, y: (grades(x, 5), grades(y, 5)),
    "twenty grades": lambda x, y: (grades(x, 20), grades(y, 20)),
    "two decimals": lambda x, y: (x.round(2), y.round(2)),
    "zeros": lambda x, y: (np.maximum(x, -0.3), np.maximum(y, -0.5)),
    "one side": lambda x, y: (grades(x, 5), y),
}


def rounded(kind: str, seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n])
    x = rng.normal(size=n)
    bent = (x, np.tanh(2 * x), x + 0.7 * x**2)[seed % 3]
    return ROUNDED[kind](x, bent + rng.uniform(0.3, 1.2) * rng.normal(size=n))


def all_orders(rows: list[int], starts: np.ndarray) -> list[list[int]]:
    """Rows in all orders that keep the groups apart."""
    groups = [rows[a:b] for a, b in pairwise(starts)]
    choices = product(*(permutations(group) for group in groups))
    return [[row for group in choice for row in group] for choice in choices]


def excess_of_all_orders(ties: Ties, curves: np.ndarray) -> np.ndarray:
    """Mean excess of curves over the targets, both ways, over every order of the ties."""
    n = len(ties.second)
    scores, found = normal_scores(n), []
    for first in all_orders(list(range(n)), ties.first_starts):
        for second in all_orders(ties.second.tolist(), ties.second_starts):
            ranks = np.empty((2, n), dtype=int)
            ranks[0][first], ranks[1][second] = range(n), range(n)
            by_first = scores[ranks[1][first]]
            by_second = scores[ranks[0][second]]
            above = [
                np.maximum(curve - target, 0.0).mean(axis=1)
                for curve, target in zip(curves, (by_first, by_second), strict=True)
            ]
            found.append(above)
    return np.mean(found, axis=0)


@pytest.mark.parametrize("seed", range(12))
def test_the_mean_score_on_fixed_curves_is_that_of_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    x, y = rng.integers(0, 3, n) * 1.0, rng.integers(0, (3, 6)[seed % 2], n) * 1.0
    ties = rank_pair(x, y).ties
    assert ties is not None
    shares = rng.random((2, 3, n))
    curves = np.empty_like(shares)
    fill_curve_values(shares, normal_scores(n), curves)
    first, second = ties.codes()
    found = np.empty((2, 3))
    starts = (ties.first_starts, ties.second_starts)
    for way, groups in enumerate((second, first[ties.second])):
        fill_expected_excess(
            shares[way], curves[way], normal_scores(n), groups, starts[way], starts[1 - way],
            found[way],
        )  # fmt: skip
    np.testing.assert_allclose(found, excess_of_all_orders(ties, curves), atol=1e-12)


@pytest.mark.parametrize("kind", ROUNDED)
def test_few_fits_come_as_near_the_mean_of_all_orders_as_many_plain_ones(kind: str) -> None:
    claimed, plain = [], []
    for seed in range(5):
        x, y = rounded(kind, seed, 700)
        truth = bqcd.decide(x, y, jitters=600, seed=seed)
        found = bqcd.decide(x, y)
        sure = np.hypot(found.evidence.tie_error, truth.evidence.tie_error)
        claimed.append((found.confidence - truth.confidence) / sure)
        plain.append(found.evidence.tie_error / truth.evidence.tie_spread)
        assert found.evidence.tie_orders <= 16
    assert np.sqrt(np.mean(np.square(claimed))) < 1.8
    # A plain order has an error of one spread; eight of them, 0.35.
    assert np.mean(plain) < 0.35


def test_the_estimate_is_not_off_on_average() -> None:
    away = []
    for seed in range(30):
        x, y = rounded(("five grades", "one side", "zeros")[seed % 3], seed, 300)
        truth = bqcd.decide(x, y, tie_orders=128)
        found = bqcd.decide(x, y)
        # Towards x -> y or towards the larger size: neither.
        away.append((found.confidence - truth.confidence) / truth.evidence.tie_spread)
    assert abs(np.mean(away)) < 3.0 * np.std(away) / np.sqrt(30)
    assert np.std(away) < 0.25


@pytest.mark.parametrize("kind", ROUNDED)
@pytest.mark.parametrize("n", [30, 520])
def test_swapped_columns_and_other_rows_turn_the_sign_and_nothing_else(kind: str, n: int) -> None:
    x, y = rounded(kind, 1, n)
    rows = np.random.default_rng(0).permutation(n)
    one, other = bqcd.decide(x, y), bqcd.decide(y[rows], x[rows])
    assert one.confidence == -other.confidence
    assert one.evidence.tie_error == other.evidence.tie_error
    assert one.evidence.tie_orders == other.evidence.tie_orders


def test_more_rows_leave_a_smaller_error() -> None:
    errors = [
        np.mean([bqcd.decide(*rounded("five grades", s, n)).evidence.tie_error for s in range(3)])
        for n in (100, 1000, 8000)
    ]
    assert errors[0] > errors[1] > errors[2]


def test_the_orders_and_the_error_left_are_told() -> None:
    x, y = rounded("five grades", 2, 400)
    evidence = bqcd.decide(x, y).evidence
    assert evidence.tie_orders in range(4, 33, 2)
    assert 0.0 < evidence.tie_error < evidence.tie_spread
    fixed = bqcd.decide(x, y, tie_orders=32).evidence
    assert fixed.tie_error == pytest.approx(fixed.tie_spread / np.sqrt(32), rel=0.9)
    assert bqcd.decide(x, y, jitters=1).evidence.tie_error is None
    plain = bqcd.decide(x + 1e-6 * np.arange(400), y + 1e-6 * np.arange(400)).evidence
    assert (plain.tie_orders, plain.tie_error, plain.sign_hangs_on_ties) == (1, 0.0, False)


def test_a_sign_that_hangs_on_the_order_of_ties_is_told() -> None:
    rng = np.random.default_rng(3)
    # But for one row the table of counts is symmetric: no direction is there to be found.
    x = np.repeat([0.0, 0.0, 1.0, 1.0], [200, 100, 101, 199])
    weak = bqcd.decide(x, np.repeat([0.0, 1.0, 0.0, 1.0], [200, 100, 101, 199]))
    assert abs(weak.confidence) < 2.0 * weak.evidence.tie_error
    assert weak.evidence.sign_hangs_on_ties
    assert weak.evidence.as_dict(weak.pair)["sign_hangs_on_ties"]
    assert "hangs on how ties are broken" in weak.explain()
    y = rng.normal(size=600).round(1)
    strong = bqcd.decide(y, (y**2 + 0.3 * rng.normal(size=600)).round(1))
    assert not strong.evidence.sign_hangs_on_ties
    assert "hangs on how ties" not in strong.explain()


def test_an_average_does_not_depend_on_what_came_before() -> None:
    ties = rank_pair(*rounded("zeros", 4, 600)).ties
    assert ties is not None
    first = average_over_ties(ties, Copula(), RULE)
    average_over_ties(rank_pair(*rounded("two grades", 5, 600)).ties, Copula(), RULE)
    again = average_over_ties(ties, Copula(), RULE)
    np.testing.assert_array_equal(first.scores, again.scores)
    assert (first.orders, first.error) == (again.orders, again.error)
