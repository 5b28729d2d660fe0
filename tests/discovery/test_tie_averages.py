from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest

import bqcd
from bqcd.discovery.quantiles import Copula
from bqcd.discovery.ranks import Ties, normal_scores, rank_pair
from bqcd.discovery.scores import gauss_legendre, marginal_scores
from bqcd.discovery.tie_averages import average_over_ties
from bqcd.discovery.tie_gain_kernels import HALF
from bqcd.discovery.tie_group_kernels import fill_prefix_sums
from bqcd.discovery.tie_kernels import fill_curve_values, fill_expected_excess
from bqcd.discovery.tie_moment_kernels import fill_moments

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
    curves, places = np.empty_like(shares), np.empty(shares.shape, dtype=np.uint32)
    fill_curve_values(shares, normal_scores(n), curves, places)
    first, second = ties.codes()
    found = np.empty((2, 3))
    starts = (ties.first_starts, ties.second_starts)
    for way, groups in enumerate((second, first[ties.second])):
        fill_expected_excess(
            curves[way], places[way], normal_scores(n), groups, starts[way], starts[1 - way],
            found[way],
        )  # fmt: skip
    np.testing.assert_allclose(found, excess_of_all_orders(ties, curves), atol=1e-12)


def ramps_of_all_orders(ties: Ties, bump: np.ndarray, units: np.ndarray, line: int) -> np.ndarray:
    """Sum of a bump along the first variable times a ramp of the second, in every order."""
    n, found = len(units), []
    for first in all_orders(list(range(n)), ties.first_starts):
        for second in all_orders(ties.second.tolist(), ties.second_starts):
            ranks = np.empty(n, dtype=int)
            ranks[second] = range(n)
            found.append(bump @ np.clip(line - units[ranks[first]], -HALF, HALF))
    return np.array(found)


@pytest.mark.parametrize("seed", range(8))
def test_mean_and_variance_of_gains_are_those_of_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 7
    x, y = rng.integers(0, 4, n) * 1.0, rng.integers(0, (3, 7)[seed % 2], n) * 1.0
    ties = rank_pair(x, y).ties
    assert ties is not None
    bump = rng.integers(0, 256, n).astype(np.int32)
    units = np.sort(rng.integers(-1500, 1500, n)).astype(np.int32)
    lines = np.array([[-700], [30], [900]], dtype=np.int32)
    reach = np.array([[0, 0], [n, 0], [0, n], [bump.sum(), 0]], dtype=np.int32)
    prefix, found = np.empty((2, n + 1)), np.empty((3, 1, 2))
    fill_prefix_sums(units, prefix)
    starts = (ties.first_starts, ties.second_starts)
    fill_moments(units, prefix, starts, ties.codes()[1], reach, bump, lines, found)
    for j, line in enumerate(lines[:, 0]):
        each = ramps_of_all_orders(ties, bump, units, int(line))
        np.testing.assert_allclose(found[j, 0], [each.mean(), each.var()], rtol=1e-9, atol=1e-3)


@pytest.mark.parametrize(
    ("n", "values", "seed"), [(400, (2, 60), 5), (600, (2, 2000), 6), (900, (300, 400), 5)]
)
def test_one_bump_may_see_groups_of_any_number_of_cells(
    n: int, values: tuple[int, int], seed: int
) -> None:
    # Few target groups; many of them, and given groups of many cells and of few.
    rng = np.random.default_rng(seed)
    ties = rank_pair(*(rng.integers(0, most, n) * 1.0 for most in values)).ties
    assert ties is not None
    assert (len(ties.first_starts) <= 3) == (values[0] == 2)
    assert (len(ties.second_starts) <= 257) == (values[1] == 60)
    bump = np.arange(n, dtype=np.int32) % 97
    units = np.linspace(-1000, 1000, n).astype(np.int32)
    reach = np.array([[0, 0], [n, 0], [0, n], [bump.sum(), 0]], dtype=np.int32)
    prefix, found = np.empty((2, n + 1)), np.empty((1, 1, 2))
    fill_prefix_sums(units, prefix)
    starts = (ties.first_starts, ties.second_starts)
    lines = np.array([[120]], dtype=np.int32)
    fill_moments(units, prefix, starts, ties.codes()[1], reach, bump, lines, found)
    each = []
    for inverse in ties.broken_by(rng.random((8000, n))):
        target = np.empty(n, dtype=np.int32)
        target[inverse] = units
        each.append(bump @ np.clip(120 - target, -HALF, HALF))
    assert abs(np.mean(each) - found[0, 0, 0]) < 4.0 * np.std(each) / np.sqrt(len(each))
    assert np.var(each) == pytest.approx(found[0, 0, 1], rel=0.1)


class Against:
    """Errors against 256 orders of a seed of their own, over those to be expected of 32."""

    def __init__(self, kind: str, n: int, seeds: range) -> None:
        self.few, self.plain, self.claimed, self.orders = [], [], [], []
        for seed in seeds:
            x, y = rounded(kind, seed, n)
            truth, spread = mean_of_orders(x, y, 128)
            found = bqcd.decide(x, y)
            usual = spread / np.sqrt(16)
            self.few.append((found.confidence - truth) / usual)
            self.plain.append((bqcd.decide(x, y, tie_orders=32).confidence - truth) / usual)
            both = np.hypot(found.evidence.tie_error, spread / np.sqrt(128))
            self.claimed.append((found.confidence - truth) / both)
            self.orders.append(found.evidence.tie_orders)


def mean_of_orders(x: np.ndarray, y: np.ndarray, pairs: int) -> tuple[float, float]:
    """Mean confidence of orders that come with their opposites, and the spread of such two."""
    ranked, rng = rank_pair(x, y), np.random.default_rng(7)
    assert ranked.ties is not None
    orders = [order for _ in range(pairs) for order in ranked.ties.broken_both_ways(rng)]
    scores = Copula().scores_both_ways(normal_scores(len(x)), np.array(orders), RULE.levels)
    gaps = (scores[:, 1] - scores[:, 0]) @ RULE.weights
    gaps *= ranked.sign / (2.0 * RULE.integrate(marginal_scores(len(x), RULE)))
    both = gaps.reshape(-1, 2).mean(axis=1)
    return float(both.mean()), float(both.std(ddof=1))


def root_mean_square(values: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


@pytest.fixture(scope="module")
def against() -> dict[str, Against]:
    return {kind: Against(kind, 1000, range(8)) for kind in ROUNDED}


def test_errors_are_no_worse_than_those_of_32_orders(against: dict[str, Against]) -> None:
    coarse = [found for kind, found in against.items() if kind != "two decimals"]
    few = root_mean_square([error for found in coarse for error in found.few])
    plain = root_mean_square([error for found in coarse for error in found.plain])
    # By construction plain orders are at one, give or take a twelfth.
    assert few < 0.95
    assert few < plain
    for found in coarse:
        assert root_mean_square(found.few) < 1.3
        assert np.mean(found.orders) < 8


def fine_pair(seed: int, n: int, digits: int, bend: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n])
    x = rng.normal(scale=3.0, size=n)
    y = (1.0 - bend) * np.tanh(x) + bend * np.abs(x) + rng.normal(size=n)
    return x.round(digits), y.round(digits)


@pytest.mark.parametrize("n", [400, 1000, 4000])
@pytest.mark.parametrize("digits", [2, 3])
def test_fine_ties_take_few_orders_and_leave_little(n: int, digits: int) -> None:
    errors, claimed, orders = [], [], []
    for seed in range(6):
        x, y = fine_pair(seed, n, digits, bend=0.0)
        found = bqcd.decide(x, y)
        errors.append(found.confidence - mean_of_orders(x, y, 64)[0])
        claimed.append(found.evidence.tie_error)
        orders.append(found.evidence.tie_orders)
    assert np.median(orders) == 2
    assert root_mean_square(errors) < 1.5 * root_mean_square(claimed)
    # A fortieth of the sampling error.
    assert root_mean_square(claimed) < 0.0015 / np.sqrt(n)


def test_fine_ties_where_curves_jump_leave_less_than_a_fifth_of_the_sampling_error() -> None:
    errors, orders = [], []
    for seed in range(6):
        x, y = fine_pair(seed, 4000, 2, bend=1.0)
        found = bqcd.decide(x, y)
        errors.append(found.confidence - mean_of_orders(x, y, 64)[0])
        orders.append(found.evidence.tie_orders)
    assert max(orders) > 4
    assert max(map(abs, errors)) < 0.2 * 0.06 / np.sqrt(4000)


def test_the_error_that_is_claimed_is_the_error_that_is_made(against: dict[str, Against]) -> None:
    claimed = [ratio for found in against.values() for ratio in found.claimed]
    assert 0.7 < root_mean_square(claimed) < 1.25
    assert all(root_mean_square(found.claimed) < 1.6 for found in against.values())


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
