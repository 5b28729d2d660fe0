from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import ndtri

from bqcd.discovery.ranking_kernels import normal_quantile
from bqcd.discovery.ranks import normal_scores, rank_pair, stable_order

floats = st.floats(allow_nan=False, allow_infinity=False, width=64)
columns = st.integers(2, 80).flatmap(lambda n: arrays(np.float64, n, elements=floats))


def orders(ranked, fixed: int = 4):
    rng = np.random.default_rng(0)
    return [order.tolist() for order in ranked.orders(jitters=None, fixed=fixed, rng=rng)]


@pytest.mark.parametrize("n", [2, 3, 10, 999, 1000, 20_001])
def test_normal_scores_are_the_normal_quantiles_of_the_ranks(n: int) -> None:
    scores = normal_scores(n)
    lower = ndtri(np.arange(1, n // 2 + 1) / (n + 1))
    np.testing.assert_allclose(scores[: n // 2], lower, rtol=1e-14, atol=2e-16)
    np.testing.assert_array_equal(scores, -scores[::-1])


def test_normal_scores_of_more_rows_than_are_cached_are_the_same_function() -> None:
    n = (1 << 20) + 1
    np.testing.assert_allclose(normal_scores(n)[:5], ndtri(np.arange(1, 6) / (n + 1)), rtol=1e-13)


def test_normal_quantile_agrees_with_scipy_far_into_the_tails() -> None:
    for p in (1e-300, 1e-20, 1e-8, 0.02, 0.0751, 0.3, 0.5, 0.7):
        assert normal_quantile(p) == pytest.approx(ndtri(p), rel=1e-14, abs=1e-16)


@settings(deadline=None)
@given(columns)
def test_stable_order_is_that_of_a_stable_sort(values: np.ndarray) -> None:
    order, repeats = stable_order(values)
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
    assert repeats == len(values) - len(np.unique(values))


@pytest.mark.parametrize(
    "make",
    [
        lambda rng, n: rng.normal(size=n),
        lambda rng, n: 1e9 + rng.random(n),
        lambda rng, n: rng.integers(0, 20, n) * 1.0,
        lambda rng, n: rng.standard_cauchy(n) ** 3,
        lambda rng, n: np.maximum(rng.normal(size=n), 0.0),
        lambda rng, n: np.where(rng.random(n) < 0.5, 1e-12, 1.0) * rng.normal(size=n),
        lambda rng, n: np.round(rng.normal(size=n), 3),
        lambda rng, n: rng.normal(size=n) * 1e-310,
        lambda rng, n: rng.choice([-0.0, 0.0, 1.0], n),
        lambda rng, n: 1.0 + np.arange(n)[::-1] * 2.0**-52,
    ],
)
def test_stable_order_copes_with_columns_of_every_kind(make) -> None:
    for n in (100, 5_000, 60_000):
        values = make(np.random.default_rng(n), n)
        order, repeats = stable_order(values)
        np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
        assert repeats == n - len(np.unique(values))


def test_ranks_without_ties_follow_the_definition() -> None:
    x = np.array([0.3, 0.1, 0.2, 0.4])
    y = np.array([7.0, 9.0, 8.0, 6.5])
    ranked = rank_pair(x, y)
    # x = 0.1, 0.2, 0.3, 0.4 goes with y ranks 3, 2, 1, 0: the same seen from y.
    assert ranked.sign == 0
    assert ranked.inverse is not None
    assert ranked.inverse.tolist() == [3, 2, 1, 0]


@settings(deadline=None)
@given(st.permutations(range(7)))
def test_exchanging_the_columns_flips_the_sign_and_keeps_the_form(order: list[int]) -> None:
    x, y = np.arange(7.0), np.array(order, dtype=float)
    one, other = rank_pair(x, y), rank_pair(y, x)
    assert one.sign == -other.sign
    assert orders(one) == orders(other)
    inverse = np.argsort(y).tolist()
    assert (one.sign == 0) == (order == inverse)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_with_ties_neither_rows_nor_columns_have_an_order(data) -> None:
    n = data.draw(st.integers(4, 12))
    x = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=float)
    y = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=float)
    rows = np.array(data.draw(st.permutations(range(n))))
    one = rank_pair(x, y)
    moved = rank_pair(x[rows], y[rows])
    swapped = rank_pair(y[rows], x[rows])
    assert orders(one) == orders(moved) == orders(swapped)
    assert one.sign == moved.sign == -swapped.sign
    assert (one.x_ties, one.y_ties) == (swapped.y_ties, swapped.x_ties)


def test_every_order_of_ties_respects_the_values() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 5, 200) * 1.0, rng.integers(0, 9, 200) * 1.0
    ranked = rank_pair(x, y)
    assert ranked.ties is not None
    expected = sorted(zip(x, y, strict=True)) if ranked.sign > 0 else sorted(zip(y, x, strict=True))
    first, second = np.array(expected).T
    for order in ranked.orders(jitters=5, fixed=2, rng=rng):
        pairs = sorted(zip(np.sort(first)[order], np.sort(second), strict=True))
        assert pairs == [tuple(row) for row in expected]


def test_random_orders_of_ties_are_uniform() -> None:
    # Three rows tied in y only: the second variable's ranks run through all six orders.
    x = np.array([1.0, 2.0, 3.0, 9.0])
    y = np.array([5.0, 5.0, 5.0, 0.0])
    ranked = rank_pair(x, y)
    rng = np.random.default_rng(0)
    seen: dict[tuple[int, ...], int] = {}
    draws = 6_000
    for order in ranked.orders(jitters=draws, fixed=2, rng=rng):
        key = tuple(order.tolist())
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == len(list(permutations(range(3))))
    chi2 = sum((count - draws / 6) ** 2 / (draws / 6) for count in seen.values())
    assert chi2 < 20.5  # 99.9 % of a chi-squared with 5 degrees of freedom


def test_fixed_orders_come_with_their_turn() -> None:
    x = np.arange(6.0)
    y = np.zeros(6)
    y[5] = 1.0
    ranked = rank_pair(x, y)
    order, turned = orders(ranked, fixed=2)
    tied = slice(0, 5) if ranked.sign > 0 else slice(None)
    if ranked.sign > 0:
        assert order[tied] == turned[tied][::-1]
    else:
        assert [4 - r for r in order if r < 5] == [r for r in turned if r < 5]


def test_fixed_orders_leave_the_generator_alone() -> None:
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    ranked = rank_pair(np.array([1.0, 1.0, 2.0]), np.array([3.0, 4.0, 4.0]))
    assert len(list(ranked.orders(jitters=None, fixed=6, rng=rng))) == 6
    assert rng.bit_generator.state == before
