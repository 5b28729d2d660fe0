"""Random halves of a pair: what is drawn, what stays the same, what the interval contains."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest

from bqcd import Pair, Verdict
from bqcd.assessments import halves, stability
from bqcd.assessments.half_kernels import (
    fill_groups,
    fill_rows_by_first,
    fill_sample,
    fill_tied_half,
    fill_untied_half,
    tells_apart,
)
from bqcd.assessments.stability import (
    HalfSamples,
    Interval,
    Stability,
    half_samples,
)
from bqcd.discovery.ranks import rank_pair
from bqcd.errors import InvalidSettingError
from bqcd.methods.bqcd import BQCD
from bqcd.methods.igci import IGCI
from bqcd.methods.lingam import LiNGAM
from tests.methods.trials import AWKWARD

Columns = tuple[np.ndarray, np.ndarray]
FEW = {"replicates": 12}


def half_sample_confidences(*asked, **settings) -> np.ndarray:
    return half_samples(*asked, **settings).confidences


@dataclass(frozen=True)
class OneByOne:
    """bQCD in a coat: judged as any other method is, without the fast path."""

    method: BQCD

    def decide(self, pair: Pair, rng: np.random.Generator) -> Verdict:
        return self.method.decide(pair, rng)


def linear(rng: np.random.Generator, n: int) -> Columns:
    x = rng.normal(size=n)
    return x, x + rng.normal(size=n)


def additive(rng: np.random.Generator, n: int) -> Columns:
    x = rng.normal(size=n)
    return x, np.tanh(2.0 * x) + 0.5 * x**2 + 0.4 * rng.normal(size=n)


def location_scale(rng: np.random.Generator, n: int) -> Columns:
    x = rng.normal(size=n)
    return x, np.sin(x) + 0.5 * np.exp(0.4 * x) * rng.normal(size=n)


def rounded(rng: np.random.Generator, n: int) -> Columns:
    x, y = additive(rng, n)
    return x.round(1), y.round(1)


def graded(rng: np.random.Generator, n: int) -> Columns:
    x, y = location_scale(rng, n)
    return np.clip(x.round(), -2.0, 2.0), np.clip((2.0 * y).round(), -4.0, 4.0)


def independent(rng: np.random.Generator, n: int) -> Columns:
    return rng.normal(size=n), rng.normal(size=n)


def pair_of(draw: Callable[[np.random.Generator, int], Columns], n: int, seed: int = 0) -> Pair:
    return Pair(*draw(np.random.default_rng(seed), n))


def shuffled(pair: Pair) -> Pair:
    rows = np.random.default_rng(5).permutation(len(pair))
    return Pair(pair.x[rows], pair.y[rows])


def score(pair: Pair) -> float:
    return BQCD().decide(pair, np.random.default_rng(0)).confidence


SHAPES = {
    "no ties": pair_of(additive, 300),
    "fine ties": pair_of(rounded, 300),
    "coarse ties": pair_of(graded, 300),
    "ties in one": Pair(pair_of(graded, 300).x, pair_of(additive, 300).y),
    "ten rows": pair_of(additive, 10),
    "fifteen rows with ties": pair_of(rounded, 15),
    "1e300": Pair(1e300 * pair_of(graded, 200).x, 1e-300 * pair_of(additive, 200).y),
}
ALL = {**SHAPES, **{name: Pair(*columns) for name, columns in AWKWARD.items()}}
EVERY_SHAPE = pytest.mark.parametrize("pair", SHAPES.values(), ids=SHAPES.keys())
EVERY_PAIR = pytest.mark.parametrize("pair", ALL.values(), ids=ALL.keys())
EVERY_METHOD = pytest.mark.parametrize(
    "method",
    [BQCD(), BQCD(jitters=2), OneByOne(BQCD(tie_orders=2)), IGCI(), LiNGAM()],
    ids=["bqcd", "jitters", "bqcd one by one", "igci", "lingam"],
)


@EVERY_METHOD
@EVERY_PAIR
def test_exchanging_the_columns_changes_the_signs_and_nothing_else(pair, method):
    found = half_samples(pair, method, **FEW)
    turned = half_samples(pair.swapped(), method, **FEW)
    assert np.isfinite(found.confidences).all()
    np.testing.assert_array_equal(turned.confidences, -found.confidences)
    assert (turned.rows, turned.tie_variance) == (found.rows, found.tie_variance)
    assert turned.stability(-0.1) == found.stability(0.1)
    ends, turned_ends = found.interval(0.1), turned.interval(-0.1)
    assert (turned_ends.low, turned_ends.high) == (-ends.high, -ends.low)


@EVERY_METHOD
@EVERY_PAIR
def test_the_order_of_the_rows_changes_nothing(pair, method):
    found = half_sample_confidences(pair, method, **FEW)
    np.testing.assert_array_equal(half_sample_confidences(shuffled(pair), method, **FEW), found)


@EVERY_SHAPE
def test_the_first_replicates_of_many_are_those_of_few(pair):
    few = half_sample_confidences(pair, BQCD(), replicates=7)
    many = half_sample_confidences(pair, BQCD(), replicates=150)
    np.testing.assert_array_equal(many[:7], few)


@EVERY_SHAPE
def test_threads_change_nothing(pair):
    alone = half_samples(pair, BQCD(), replicates=150)
    together = half_samples(pair, BQCD(), replicates=150, workers=3)
    np.testing.assert_array_equal(together.confidences, alone.confidences)
    assert together.tie_variance == alone.tie_variance


def test_processes_change_nothing():
    pair = SHAPES["fine ties"]
    alone = half_sample_confidences(pair, LiNGAM(), replicates=40)
    together = half_sample_confidences(pair, LiNGAM(), replicates=40, workers=2)
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("method", [BQCD(), IGCI()], ids=["bqcd", "igci"])
def test_another_seed_draws_other_halves(method):
    pair = SHAPES["no ties"]
    first = half_sample_confidences(pair, method, **FEW)
    second = half_sample_confidences(pair, method, seed=1, **FEW)
    assert len(set(first) | set(second)) == 24


def test_all_subsets_are_equally_likely():
    rng, places = np.random.default_rng(0), np.empty(2, dtype=np.int32)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(5_000):
        fill_sample(rng.random(5), places)
        counts[tuple(places.tolist())] += 1
    assert len(counts) == 10
    # Chi-square with 9 degrees of freedom: above 27.9 once in a thousand.
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 27.9


def test_all_sparse_subsets_are_equally_likely():
    rng = np.random.default_rng(0)
    drawn = [tuple(halves._sparse_sample(5, 2, rng).tolist()) for _ in range(5_000)]
    counts = Counter(drawn)
    assert len(counts) == 10
    assert all(low < high for low, high in counts)
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 27.9


def test_ranks_within_a_half_are_those_of_its_rows_alone():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 40))
    by_y = np.argsort(y)
    inverse = np.argsort(np.argsort(x))[by_y].astype(np.int32)
    places = np.sort(rng.choice(40, size=15, replace=False)).astype(np.int32)
    marks, (rows, first_places, half) = np.zeros(40, np.int32), np.empty((3, 15), np.int32)
    fill_rows_by_first(inverse, places, marks, rows, first_places)
    sign = fill_untied_half(rows, half)
    alone = rank_pair(x[by_y[places]], y[by_y[places]])
    assert sign == alone.sign
    np.testing.assert_array_equal(half, alone.inverse)
    np.testing.assert_array_equal(first_places, np.sort(inverse[places]))
    assert not marks.any()


def test_without_ties_a_half_is_judged_to_the_bit_as_if_it_were_all():
    seen = []

    @dataclass(frozen=True, kw_only=True)
    class Recording(BQCD):
        def untied_confidences(self, inverses, signs):
            seen.extend(zip(inverses.copy(), signs.copy(), strict=True))
            return super().untied_confidences(inverses, signs)

    found = half_sample_confidences(SHAPES["no ties"], Recording(), replicates=30)
    for (inverse, sign), confidence in zip(seen, found, strict=True):
        columns = inverse.astype(float), np.arange(150.0)
        half = Pair(*(columns if sign > 0 else columns[::-1]))
        assert BQCD(small_n=0).decide(half, np.random.default_rng(0)).confidence == confidence


@pytest.mark.parametrize("name", ["no ties", "fine ties", "coarse ties", "ties in one"])
@pytest.mark.parametrize("max_rows", [20_000, 15], ids=["halves", "a twentieth"])
def test_the_fast_path_agrees_with_bqcd_asked_one_by_one(name, max_rows):
    pair, settings = SHAPES[name], {"replicates": 250, "max_rows": max_rows}
    fast = half_sample_confidences(pair, BQCD(), **settings)
    slow = half_sample_confidences(pair, OneByOne(BQCD(small_n=0, tie_orders=4)), **settings)
    error = sqrt((fast.var() + slow.var()) / 250)
    assert abs(fast.mean() - slow.mean()) < 3.0 * error
    assert 0.8 < fast.std() / slow.std() < 1.3


def test_sorting_and_counting_draw_from_the_same_population(monkeypatch):
    pair = pair_of(rounded, 4_000)
    counted = half_sample_confidences(pair, BQCD(), replicates=300, max_rows=250)
    monkeypatch.setattr(halves, "_COUNTED", 1)
    found = half_sample_confidences(pair, BQCD(), replicates=300, max_rows=250)
    error = sqrt((counted.var() + found.var()) / 300)
    assert 0.0 < abs(found.mean() - counted.mean()) < 3.0 * error
    assert 0.85 < found.std() / counted.std() < 1.18
    turned = half_sample_confidences(shuffled(pair.swapped()), BQCD(), replicates=300, max_rows=250)
    np.testing.assert_array_equal(turned, -found)


def test_ties_are_broken_within_groups_in_all_orders_and_turned():
    first_groups, second_groups = np.array([[0, 0, 0, 1], [0, 0, 1, 1]], dtype=np.int32)
    rows = np.array([0, 1, 2, 3], dtype=np.int32)
    rng, orders = np.random.default_rng(0), np.empty((2, 4), dtype=np.int32)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(2_400):
        fill_tied_half(rows, first_groups, second_groups, rng.random(8), orders)
        counts[tuple(orders[0].tolist())] += 1
        # Turned, the ranks 0, 1, 2 become 2, 1, 0 and the places in each group change sides.
        turn = np.array([2, 1, 0, 3])
        np.testing.assert_array_equal(orders[1], turn[orders[0]][[1, 0, 3, 2]])
    # The row of rank 3 is at place 2 or 3; the others are anywhere: 2 x 6 ways.
    assert len(counts) == 12
    assert all(order[2] == 3 or order[3] == 3 for order in counts)
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 31.3


def test_groups_are_counted_among_the_drawn():
    places, groups = np.array([1, 2, 6, 7], dtype=np.int32), np.empty(4, dtype=np.int32)
    fill_groups(places, np.array([0, 2, 5, 9], dtype=np.int32), groups)
    assert groups.tolist() == [0, 1, 2, 2]


def test_halves_that_look_the_same_from_either_side_tell_nothing():
    rows, groups = np.array([0, 2, 1, 3], np.int32), np.array([0, 0, 1, 1], np.int32)
    assert not tells_apart(rows, groups, groups)
    assert tells_apart(np.arange(4, dtype=np.int32), groups, np.array([0, 1, 1, 2], np.int32))
    assert not tells_apart(rows, groups, np.zeros(4, np.int32))


@pytest.mark.parametrize("x", [np.arange(50.0), np.arange(50) % 2.0], ids=["values", "two values"])
def test_identical_columns_have_nothing_to_agree_on(x):
    found = half_samples(Pair(x, x), BQCD())
    assert not found.confidences.any()
    assert found.stability(0.0) == Stability(200, 0.5, 0.0)
    assert found.interval(0.0) == Interval(0.0, 0.0, 0.95, 25)


def test_halves_with_a_constant_column_are_undecided():
    pair = Pair(*AWKWARD["one row apart"])
    for method in (BQCD(), OneByOne(BQCD(tie_orders=2))):
        undecided = np.mean(half_sample_confidences(pair, method, replicates=250) == 0.0)
        assert 0.4 < undecided < 0.6


@pytest.mark.parametrize("method", [BQCD(), BQCD(regressor="forest")], ids=["copula", "forest"])
def test_halves_are_judged_at_the_levels_of_all_rows(method):
    pair = SHAPES["no ties"]
    found = half_sample_confidences(pair, method, replicates=3)
    all_levels = BQCD(regressor=method.regressor, small_n=0)
    median = BQCD(regressor=method.regressor, small_n=1_000)
    np.testing.assert_array_equal(half_sample_confidences(pair, all_levels, replicates=3), found)
    assert (half_sample_confidences(pair, median, replicates=3) != found).all()


def test_fewer_rows_than_twenty_are_not_halved():
    rows = {n: half_samples(pair_of(additive, n), BQCD(), **FEW).rows for n in (10, 11, 19, 20, 25)}
    assert rows == {10: 9, 11: 10, 19: 10, 20: 10, 25: 12}


def test_a_method_that_cannot_judge_nine_rows_is_undecided_on_them():
    found = half_samples(SHAPES["ten rows"], IGCI(), **FEW)
    assert not found.confidences.any()
    interval = found.interval(0.2)
    assert interval.low < 0.0 < interval.high


def peak_of_halves(n: int) -> int:
    """Bytes that four halves of 5,000 rows take beside the ranks of n rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    ranked = rank_pair(x, x + rng.normal(size=n))
    settings = (ranked, None, BQCD(), 5_000, [1, 2, 3, 4], 1)
    stability._ranked_halves(*settings)
    tracemalloc.start()
    found, _ = stability._ranked_halves(*settings)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 4
    return peak


def test_rows_of_a_half_are_capped_and_memory_with_them():
    few, many = peak_of_halves(100_000), peak_of_halves(1_000_000)
    assert many < 1.1 * few
    # An eighth of one column of a million rows.
    assert many < 1_000_000


def test_agreement_counts_zeros_as_half():
    found = Stability.from_confidences(np.array([0.3, 0.1, -0.2, 0.0]), 0.05)
    assert found == Stability(4, 0.625, pytest.approx(np.std([0.3, 0.1, -0.2, 0.0])))
    assert Stability.from_confidences(np.array([0.3, 0.1]), 0.0).agreeing == 0.5
    assert Stability.from_confidences(np.array([1e-200, -1e-200]), -1e-200).agreeing == 0.5


def test_a_clear_direction_is_stable_and_an_unknowable_one_is_not():
    clear, unknowable = pair_of(additive, 500), pair_of(linear, 500)
    assert half_samples(clear, BQCD()).stability(score(clear)).agreeing == 1.0
    assert half_samples(unknowable, BQCD()).stability(score(unknowable)).agreeing < 0.95


@pytest.mark.parametrize(("confidence", "added"), [(0.3, (0.3 - 0.7 / 3) ** 2), (0.8, None)])
def test_the_interval_is_that_of_the_formula(confidence, added):
    confidences = np.array([0.1, 0.2, 0.4])
    found = HalfSamples(confidences, n_rows=1_000, rows=200, tie_variance=0.001)
    interval = found.interval(confidence, level=0.9)
    # Variance 7 / 450 of the halves, without that of the ties; smoothing adds at most half of it.
    chance = 7 / 450 - 0.001
    error = sqrt((chance + (chance / 2 if added is None else added)) * 200 / 800)
    assert interval.high - confidence == pytest.approx(1.6448536 * error)
    assert confidence - interval.low == pytest.approx(1.6448536 * error)
    assert (interval.level, interval.rows) == (0.9, 200)


def test_an_interval_is_not_empty_where_ties_explain_all_of_the_spread():
    found = HalfSamples(np.array([0.1, -0.1]), 100, 50, tie_variance=0.02)
    assert found.interval(0.0).high == pytest.approx(1.959964 * sqrt(0.02 / 16))


def coverage(
    draw: Callable[[np.random.Generator, int], Columns],
    *,
    n: int,
    samples: int = 200,
    max_rows: int = 20_000,
) -> float:
    """Share of intervals that contain the mean score of five times as many fresh samples."""
    fresh = [score(pair_of(draw, n, seed)) for seed in range(samples, 6 * samples)]
    expected, covered = np.mean(fresh), 0
    for seed in range(samples):
        pair = pair_of(draw, n, seed)
        found = half_samples(pair, BQCD(), replicates=100, seed=seed, max_rows=max_rows)
        interval = found.interval(score(pair))
        covered += interval.low <= expected <= interval.high
    return covered / samples


@pytest.mark.parametrize("draw", [additive, location_scale])
def test_nineteen_in_twenty_intervals_contain_the_expected_score(draw):
    assert 0.90 <= coverage(draw, n=200) <= 0.99


def test_intervals_scaled_up_from_fewer_rows_contain_the_expected_score():
    assert 0.90 <= coverage(location_scale, n=400, max_rows=100) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("draw", [linear, additive, location_scale, rounded, graded])
@pytest.mark.parametrize("n", [200, 1_000])
def test_intervals_contain_the_expected_score_also_with_ties_and_more_rows(draw, n):
    assert 0.92 <= coverage(draw, n=n, samples=400) <= 0.99


@pytest.mark.slow
def test_intervals_of_independent_columns_are_too_wide_not_too_short():
    assert coverage(independent, n=1_000) >= 0.97


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"replicates": 0},
            "replicates of half_samples must be an integer from 1 to 100,000, got 0",
        ),
        ({"seed": -1}, "seed of half_samples must be an integer >= 0, got -1"),
        ({"workers": 0}, "workers of half_samples must be an integer from 1 to 1,024, got 0"),
        (
            {"max_rows": 9},
            "max_rows of half_samples must be an integer from 10 to 1,000,000,000, got 9",
        ),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InvalidSettingError, match=message):
        half_samples(SHAPES["no ties"], BQCD(), **settings)


def test_levels_out_of_range_and_no_halves_are_refused():
    with pytest.raises(InvalidSettingError, match="level of interval must be a number > 0"):
        HalfSamples(np.zeros(3), 100, 50).interval(0.0, level=1.0)
    with pytest.raises(InvalidSettingError, match="replicates of Stability"):
        Stability.from_confidences(np.zeros(0), 0.1)
