"""HECI: its costs by other means, the authors' numbers, and what it can and cannot solve."""

from __future__ import annotations

from itertools import combinations
from math import log2

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.methods.heci import HECI, bin_edges
from bqcd.methods.models.heci_kernels import cheapest_runs, polynomial_cost
from tests.methods.trials import PAIRSETS, accuracies, benchmark, confidence, kinds, share_right

every_kind = kinds("heci")


def bent(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.tanh(x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=n)


# -- bins ------------------------------------------------------------------------------


def test_bins_of_evenly_spread_values_have_one_width():
    given = np.arange(101) / 100.0
    assert bin_edges(given, 5, 10).tolist() == [0, 21, 41, 61, 81, 101]


def test_a_bin_with_few_distinct_values_is_joined_to_the_next():
    given = np.repeat(np.arange(11) / 10.0, 7)
    # Three values up to 0.2, then two per width: every second limit has enough behind it.
    assert bin_edges(given, 5, 3).tolist() == [0, 21, 49, 77]


def test_a_last_bin_with_few_distinct_values_is_joined_to_the_one_before():
    given = np.append(np.linspace(0.0, 0.7, 71), [0.95, 1.0])
    assert bin_edges(given, 2, 3).tolist() == [0, 51, 73]
    assert bin_edges(given, 4, 3).tolist() == [0, 26, 51, 73]


def test_after_a_gap_the_limit_follows_by_one_width_per_row():
    given = np.append(np.linspace(0.0, 0.1, 20), np.linspace(0.8, 1.0, 20))
    # Rows 20, 21 and 22 move the limit from 0.2 to 0.8: none closes a bin of its own, as
    # there are too few values since row 20.
    assert bin_edges(given, 5, 5).tolist() == [0, 20, 40]
    assert bin_edges(given, 5, 1).tolist() == [0, 20, 21, 22, 23, 40]


def test_too_few_values_for_two_bins_make_one():
    given = np.repeat([0.0, 0.5, 1.0], 30)
    assert bin_edges(given, 20, 10).tolist() == [0, 90]


# -- costs -----------------------------------------------------------------------------


def cost_by_polyfit(given: np.ndarray, target: np.ndarray, n: int) -> float:
    costs = []
    for degree in (1, 2, 3):
        fit = np.polynomial.Polynomial.fit(given, target, degree)
        squares = np.sum((target - fit(given)) ** 2)
        costs.append(len(given) * log2((squares + 1e-4) / len(given)) + (degree + 2) * log2(n))
    return min(costs)


@pytest.mark.parametrize("low", [0.0, 0.95])
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
def test_polynomials_cost_what_least_squares_leaves(low, degree):
    rng = np.random.default_rng(degree)
    given = np.sort(rng.uniform(low, low + 0.05, 60))
    target = rng.normal(size=degree + 1) @ np.vander(20.0 * (given - low), degree + 1).T
    target += 0.1 * rng.normal(size=60)
    expected = cost_by_polyfit(given, target, 500)
    assert polynomial_cost(given, target, log2(500)) == pytest.approx(expected, rel=1e-12)


def test_polynomials_through_two_values_cost_what_the_line_costs():
    given, target = np.repeat([0.0, 1.0], 20), np.random.default_rng(0).uniform(size=40)
    squares = sum(np.sum((half - half.mean()) ** 2) for half in np.split(target, 2))
    expected = 40 * log2((squares + 1e-4) / 40) + 3 * log2(40)
    assert polynomial_cost(given, target, log2(40)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_no_way_to_merge_bins_is_cheaper(seed):
    rng = np.random.default_rng(seed)
    given = np.sort(rng.uniform(size=240))
    target = np.where(given < 0.4, given, 1.0 - given) + (0.01 + 0.2 * given) * rng.normal(size=240)
    edges = np.arange(0, 241, 40)
    costs = {}
    for n_cuts in range(6):
        for cuts in combinations(edges[1:-1], n_cuts):
            runs = zip((0, *cuts), (*cuts, 240), strict=True)
            total = sum(cost_by_polyfit(given[a:b], target[a:b], 240) for a, b in runs)
            costs[n_cuts + 1] = min(costs.get(n_cuts + 1, np.inf), total)
    bits, n_runs = cheapest_runs(given, target, edges)
    assert bits == pytest.approx(min(costs.values()), rel=1e-12)
    assert n_runs == min(costs, key=costs.get)
    assert n_runs > 1


def test_a_jump_is_described_in_two_ranges():
    rng = np.random.default_rng(5)
    x = np.append(rng.uniform(size=598), [0.0, 1.0])
    y = np.where(x < 0.5, x, 5.0 - x) + 0.05 * rng.normal(size=600)
    facts = HECI().evidence(Pair(x, y), np.random.default_rng(0)).facts
    assert facts["x_ranges"] == 2


# -- the authors' numbers --------------------------------------------------------------


# Bits x -> y and y -> x of the pairs above, computed by the authors' code as distributed with
# LOCI, on current numpy with its one-element arrays made numbers.
@pytest.mark.parametrize(
    ("method", "seed", "digits", "expected"),
    [
        (HECI(), 0, None, (-2490.619175191835, -2263.382015301955)),
        (HECI(), 1, None, (-2446.173649728594, -2298.5655970698244)),
        (HECI(), 0, 1, (-2416.5087962034763, -2255.6633379470345)),
        (HECI(), 1, 1, (-2362.1628729069052, -2260.0309384933016)),
        (HECI(n_bins=8), 0, None, (-2500.0788187106764, -2263.382015301955)),
        (HECI(n_bins=8), 1, None, (-2434.7744358367454, -2299.418299209689)),
    ],
)
def test_bits_are_those_of_the_public_code(method, seed, digits, expected):
    x, y = bent(seed)
    if digits is not None:
        x, y = x.round(digits), y.round(digits)
    found = method.evidence(Pair(x, y), np.random.default_rng(0))
    assert (found.x_to_y, found.y_to_x) == pytest.approx(expected, rel=1e-11)


# Of pairs 1 to 4, positive is right: published with ROCHE (Tran et al. 2024) and, for the real
# pairs, by the bicausal collection, which does not scale columns before the method does.
FIRST_PAIRS = {
    "AN": (491.938601865867, 1030.25804251907, 1353.8998244788245, 1452.879076564857),
    "SIM": (-2076.652643565987, -25.62833372146088, -1455.8335954335798, -434.4242090327389),
    "tuebingen": (144.23306408599638, -571.3506666496437, 803.2141529716982, -451.7324617295262),
}


@pytest.mark.data
@pytest.mark.parametrize("name", FIRST_PAIRS)
def test_scores_of_benchmark_pairs_are_the_published_ones(name, data_home):
    found = [
        item.truth.sign * confidence(HECI(), item.pair.x, item.pair.y)
        for item, _ in zip(benchmark(name, data_home), range(4), strict=False)
    ]
    assert found == pytest.approx(FIRST_PAIRS[name], abs=1e-8)


# -- what can be solved ----------------------------------------------------------------


def growing_noise(rng):
    x = rng.normal(size=500)
    return x, rng.uniform(0.5, 2.0) * x**2 + (0.2 + 0.5 * np.abs(x)) * rng.normal(size=500)


@every_kind
def test_noise_whose_spread_grows_with_the_cause_is_solved(method):
    assert share_right(method, growing_noise, 100) >= 0.95


# -- known accuracies ------------------------------------------------------------------

# From the scores published with ROCHE.
PUBLISHED = dict(zip(PAIRSETS, (0.49, 0.55, 0.65, 0.56, 0.98, 0.55, 0.92, 0.55, 0.33), strict=True))
QUICK = ("SIM", "AN", "LS")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(*row, marks=() if row[0] in QUICK else pytest.mark.slow)
        for row in PUBLISHED.items()
    ],
)
def test_accuracies_are_the_published_ones(name, expected, data_home):
    found, _ = accuracies(HECI(), benchmark(name, data_home))
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.data
def test_tuebingen_accuracies_are_the_published_ones(data_home):
    found = accuracies(HECI(), benchmark("tuebingen", data_home))
    assert found == pytest.approx((0.606, 0.705), abs=0.001)
