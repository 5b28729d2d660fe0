from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bqcd
from bqcd import BQCD, Direction, Pair
from bqcd.discovery.quantiles import Copula
from bqcd.errors import InvalidSettingError, UnknownNameError


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@st.composite
def pairs(draw, *, most: int = 60, ties: bool | None = None):
    """Two columns of small integers (ties) or of distinct numbers."""
    n = draw(st.integers(10, most))
    tied = draw(st.booleans()) if ties is None else ties
    columns = []
    for _ in range(2):
        if tied:
            values = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
        else:
            values = draw(st.permutations(range(n)))
        columns.append(np.array(values, dtype=np.float64))
    if any(np.ptp(column) == 0.0 for column in columns):
        columns = [np.arange(n) * 1.0, np.arange(n) % 3 * 1.0]
    return columns[0], columns[1]


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_swapping_the_columns_flips_the_sign_and_nothing_else(columns) -> None:
    x, y = columns
    one, other = bqcd.decide(x, y), bqcd.decide(y, x)
    assert one.confidence == -other.confidence
    assert one.direction is other.direction.flipped()
    lengths, swapped = one.evidence.code_lengths, other.evidence.code_lengths
    np.testing.assert_array_equal(lengths.y_given_x, swapped.x_given_y)
    np.testing.assert_array_equal(lengths.x_given_y, swapped.y_given_x)
    assert (one.evidence.x_ties, one.evidence.y_ties) == (
        other.evidence.y_ties,
        other.evidence.x_ties,
    )


@settings(max_examples=100, deadline=None)
@given(pairs(), st.integers(0, 2**32 - 1))
def test_permuting_the_rows_changes_nothing(columns, seed: int) -> None:
    x, y = columns
    rows = generator(seed).permutation(len(x))
    assert bqcd.decide(x[rows], y[rows]).confidence == bqcd.decide(x, y).confidence


INCREASING = [np.exp, np.arctan, lambda v: v**3, lambda v: 1e-300 * v, lambda v: 7.0 + 1e5 * v]


@settings(max_examples=100, deadline=None)
@given(pairs(), st.sampled_from(INCREASING), st.sampled_from(INCREASING))
def test_strictly_increasing_maps_change_nothing(columns, f, g) -> None:
    x, y = columns
    mapped = f(x), g(y)
    for before, after in zip(columns, mapped, strict=True):
        assert len(np.unique(before)) == len(np.unique(after))
    assert bqcd.decide(*mapped).confidence == bqcd.decide(x, y).confidence


@pytest.mark.parametrize("settings_", [{}, {"regressor": "forest"}, {"jitters": 3}])
def test_the_same_seed_gives_the_same_result_and_global_state_is_left_alone(settings_) -> None:
    rng = generator(4)
    x = np.round(rng.normal(size=80), 1)
    y = np.round(x**2 + rng.normal(size=80), 1)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one = bqcd.decide(x, y, seed=11, **settings_)
    again = bqcd.decide(x, y, seed=11, **settings_)
    assert one.confidence == again.confidence
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_another_seed_gives_another_random_order_of_ties() -> None:
    rng = generator(4)
    x, y = rng.integers(0, 6, 200) * 1.0, rng.integers(0, 6, 200) * 1.0
    assert (
        bqcd.decide(x, y, jitters=1, seed=1).confidence
        != bqcd.decide(x, y, jitters=1, seed=2).confidence
    )
    assert bqcd.decide(x, y, seed=1).confidence == bqcd.decide(x, y, seed=2).confidence


def test_columns_that_cannot_be_told_apart_are_undecided() -> None:
    x = generator().normal(size=300)
    tied = np.round(x, 1)
    for one, other in ((x, x**3), (x, -x), (tied, tied.copy()), (tied, np.exp(tied))):
        verdict = bqcd.decide(one, other)
        assert verdict.confidence == 0.0
        assert verdict.direction is Direction.UNDECIDED


def test_confidence_is_the_difference_of_code_lengths_over_the_marginal_ones() -> None:
    rng = generator(1)
    x = rng.normal(size=500)
    evidence = BQCD().evidence(Pair(x, np.tanh(x) + 0.3 * rng.normal(size=500)), rng)
    lengths = evidence.code_lengths
    weights = lengths.quadrature.weights
    s_x, s_y = weights @ lengths.x, weights @ lengths.y
    assert lengths.x_to_y == pytest.approx(s_x + weights @ lengths.y_given_x)
    assert lengths.y_to_x == pytest.approx(s_y + weights @ lengths.x_given_y)
    assert lengths.confidence == pytest.approx((lengths.y_to_x - lengths.x_to_y) / (s_x + s_y))


def test_marginal_scores_are_those_of_the_empirical_quantiles() -> None:
    from bqcd.discovery.ranks import normal_scores
    from bqcd.discovery.scores import pinball_score

    rng = generator(1)
    for n in (200, 201, 5000):
        x, y = rng.normal(size=(2, n))
        lengths = BQCD(n_levels=7).evidence(Pair(x, y), rng).code_lengths
        scores, levels = normal_scores(n), lengths.quadrature.levels
        direct = pinball_score(np.quantile(scores, levels), scores[:, None], levels).mean(axis=0)
        np.testing.assert_allclose(lengths.x, direct, rtol=1e-12)
        np.testing.assert_array_equal(lengths.x, lengths.y)


def test_fewer_rows_than_small_n_are_judged_by_the_median_alone() -> None:
    rng = generator(2)
    x, y = rng.normal(size=(2, 199))
    assert len(BQCD().evidence(Pair(x, y), rng).code_lengths.quadrature) == 1
    assert len(BQCD(small_n=0).evidence(Pair(x, y), rng).code_lengths.quadrature) == 3
    x, y = rng.normal(size=(2, 200))
    assert len(BQCD().evidence(Pair(x, y), rng).code_lengths.quadrature) == 3
    assert len(BQCD(n_levels=7).evidence(Pair(x, y), rng).code_lengths.quadrature) == 7


def test_explicit_levels_are_scored_with_equal_weights() -> None:
    from bqcd.discovery.ranks import normal_scores
    from bqcd.discovery.scores import pinball_score

    rng = generator(2)
    x, y = rng.normal(size=(2, 300))
    lengths = BQCD(levels=(0.4, 0.5, 0.8)).evidence(Pair(x, y), rng).code_lengths
    assert lengths.quadrature.levels.tolist() == [0.4, 0.5, 0.8]
    assert lengths.quadrature.weights.tolist() == pytest.approx([1 / 3] * 3)
    scores, levels = normal_scores(300), lengths.quadrature.levels
    direct = pinball_score(np.quantile(scores, levels), scores[:, None], levels).mean(axis=0)
    np.testing.assert_allclose(lengths.x, direct, rtol=1e-12)
    alone = [BQCD(levels=[level]).evidence(Pair(x, y), rng).code_lengths for level in levels]
    np.testing.assert_allclose(lengths.y_given_x, [one.y_given_x[0] for one in alone], rtol=1e-12)
    gap = sum(one.x_given_y[0] - one.y_given_x[0] for one in alone)
    assert lengths.confidence == pytest.approx(gap / (2 * direct.sum()))


def test_the_levels_of_the_rule_given_by_hand_score_the_same_level_by_level() -> None:
    rng = generator(3)
    pair = Pair(*rng.normal(size=(2, 400)))
    rule = BQCD().evidence(pair, rng).code_lengths
    by_hand = BQCD(levels=rule.quadrature.levels).evidence(pair, rng).code_lengths
    np.testing.assert_array_equal(by_hand.y_given_x, rule.y_given_x)
    np.testing.assert_array_equal(by_hand.x, rule.x)
    assert by_hand.confidence != rule.confidence


def test_small_samples_fall_back_on_the_median_whatever_the_levels() -> None:
    rng = generator(2)
    pair = Pair(*rng.normal(size=(2, 199)))
    few = BQCD(levels=(0.1, 0.9)).evidence(pair, rng).code_lengths
    assert few.quadrature.levels.tolist() == [0.5]
    asked = BQCD(levels=(0.1, 0.9), small_n=0).evidence(pair, rng).code_lengths
    assert asked.quadrature.levels.tolist() == [0.1, 0.9]


def test_explicit_levels_survive_json_and_come_back_as_settings() -> None:
    rng = generator(5)
    x = rng.normal(size=300)
    verdict = bqcd.decide(x, x**2 + rng.normal(size=300), levels=(0.4, 0.5, 0.6))
    told = json.loads(json.dumps(verdict.as_dict()))["settings"]
    assert told["levels"] == [0.4, 0.5, 0.6]
    again = bqcd.decide_pair(verdict.pair, **told)
    assert again.confidence == verdict.confidence
    assert again.method == verdict.method
    assert hash(again.method) == hash(verdict.method)


def test_no_size_is_called_typical_for_levels_that_were_not_measured() -> None:
    rng = generator(5)
    x = rng.normal(size=300)
    verdict = bqcd.decide(x, x**2 + rng.normal(size=300), levels=(0.4, 0.5, 0.6))
    assert verdict.evidence.chance_bound is None
    assert "measured for the default levels only" in verdict.explain()


# Table "Accuracy on simulated and real data for different selection of tau values", second
# row.
NEAR_THE_MEDIAN = {"SIM": 0.56, "SIM-G": 0.58, "AN-s": 0.45, "LS-s": 0.95, "MN-U": 0.25}


@pytest.mark.data
@pytest.mark.parametrize("name", NEAR_THE_MEDIAN)
def test_levels_near_the_median_are_as_accurate_as_in_the_paper(name: str, data_home) -> None:
    from bqcd.benchmark.datasets import load_pairs

    verdicts = [
        (bqcd.decide_pair(item.pair, levels=(0.4, 0.5, 0.6)).confidence, item.truth.sign)
        for item in load_pairs(name, data_home=data_home)
    ]
    right = np.mean([found * truth > 0.0 for found, truth in verdicts])
    assert abs(right - NEAR_THE_MEDIAN[name]) <= 0.02 + 1e-9


# -- known answers ---------------------------------------------------------------------


@pytest.mark.parametrize("n_levels", [1, 3])
@pytest.mark.parametrize(("n", "repeats"), [(100, 300), (1000, 300), (10_000, 60)])
def test_linear_gaussian_pairs_stay_within_the_chance_bound(n, repeats, n_levels) -> None:
    rng = generator(n)
    sizes = []
    for _ in range(repeats):
        rho = rng.uniform(-1, 1)
        x, e = rng.normal(size=(2, n))
        verdict = bqcd.decide(x, rho * x + np.sqrt(1 - rho**2) * e, n_levels=n_levels)
        sizes.append(abs(verdict.confidence) / verdict.evidence.chance_bound)
    # The bound is meant for 95 of 100: three standard errors above 5 % would be news.
    tolerated = 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert np.mean(np.array(sizes) > 1.0) < tolerated
    # Half of it would not do.
    assert np.mean(np.array(sizes) > 0.5) > 0.05


def test_linear_gaussian_confidence_vanishes_as_rows_grow() -> None:
    rng = generator(8)
    x, e = rng.normal(size=(2, 200_000))
    assert abs(bqcd.decide(x, 0.6 * x + 0.8 * e).confidence) < 5e-4


def mechanism(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x, e = rng.normal(size=(2, n))
    if kind == "additive":
        return x, np.tanh(2 * x) + 0.5 * np.sin(3 * x) + 0.3 * e
    if kind == "location-scale":
        return x, np.sin(2 * x) + 0.3 * (0.4 + 0.3 * np.abs(x)) * e
    # A sigmoid times uniform noise, as in the paper's MN-U.
    bent = rng.choice([-1, 1]) * rng.uniform(0.5, 2.0) * (x + rng.uniform(-2, 2))
    return x, bent / (1.0 + np.abs(bent)) * rng.uniform(size=n)


def accuracy(kind: str, n_levels: int, repeats: int = 40) -> float:
    rng = generator(5)
    right = 0
    for _ in range(repeats):
        x, y = mechanism(kind, 1000, rng)
        right += bqcd.decide(x, y, n_levels=n_levels).confidence > 0.0
    return right / repeats


def test_multiplicative_noise_is_missed_by_the_median_and_found_by_three_levels() -> None:
    # The paper's central claim: MN-U has 0.23 with one level and 0.99 with three.
    assert accuracy("multiplicative", 1) < 0.5
    assert accuracy("multiplicative", 3) > 0.9


@pytest.mark.parametrize("kind", ["additive", "location-scale"])
@pytest.mark.parametrize("n_levels", [1, 3, 7])
def test_nonlinear_mechanisms_are_solved_with_any_number_of_levels(kind: str, n_levels) -> None:
    assert accuracy(kind, n_levels, repeats=20) > 0.9


# -- ties ------------------------------------------------------------------------------


def test_random_tie_orders_average_to_the_fixed_ones() -> None:
    rng = generator(6)
    x = np.round(rng.normal(size=400), 1)
    y = np.round(x**2 + rng.normal(size=400))
    fixed = bqcd.decide(x, y)
    drawn = bqcd.decide(x, y, jitters=2000)
    error = np.hypot(drawn.evidence.tie_error, fixed.evidence.tie_error)
    assert drawn.evidence.tie_orders == 2000
    assert fixed.confidence == pytest.approx(drawn.confidence, abs=3 * error)


def test_more_fixed_orders_come_nearer_the_average() -> None:
    rng = generator(7)
    errors = {16: [], 256: []}
    for _ in range(6):
        x = rng.integers(0, 8, 300) * 1.0
        y = np.round(np.sin(x) + rng.normal(size=300), 1)
        truth = bqcd.decide(x, y, jitters=3000).confidence
        for orders, found in errors.items():
            found.append(bqcd.decide(x, y, tie_orders=orders).confidence - truth)
    assert np.std(errors[256]) < np.std(errors[16])


def test_the_default_number_of_tie_orders_falls_with_the_rows() -> None:
    rng = generator(1)
    found = []
    for n in (100, 20_000, 40_000, 400_000):
        x, y = rng.integers(0, 30, n) * 1.0, rng.normal(size=n)
        found.append(bqcd.decide(x, y).evidence.tie_orders)
    assert found == [16, 4, 16, 2]


# -- settings --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_levels": 0}, "n_levels of BQCD must be an integer from 1 to 99, got 0"),
        ({"n_levels": 100}, "n_levels of BQCD must be an integer from 1 to 99, got 100"),
        ({"n_levels": 2.0}, "n_levels of BQCD must be an integer from 1 to 99, got 2.0"),
        ({"levels": (0.5, 0.4)}, "levels of BQCD must be 1 to 99 numbers that increase within"),
        ({"levels": (0.5,), "n_levels": 7}, "n_levels of BQCD must be left out .* got 7"),
        ({"small_n": -1}, "small_n of BQCD must be an integer from 0 to 1,000,000,000, got -1"),
        ({"jitters": 0}, "jitters of BQCD must be an integer from 1 to 100,000, got 0"),
        ({"tie_orders": 3}, "tie_orders of BQCD must be even, got 3"),
        ({"published_ties": 1}, "published_ties of BQCD must be True or False, got 1"),
        ({"published_ties": True, "jitters": 2}, "jitters of BQCD must be None"),
        ({"regressor": 3}, "regressor of BQCD must be a name or have a method"),
        ({"regressor": Copula}, "regressor of BQCD must be a name or have a method"),
    ],
)
def test_settings_out_of_range_are_refused(bad, message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        BQCD(**bad)


def test_an_unknown_regressor_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match=r"No regressor is called 'copulla'.*'copula'"):
        BQCD(regressor="copulla")


def test_columns_of_a_matrix_are_judged_without_compiling_anew() -> None:
    from numba.core import event

    rng = generator(3)
    matrix = rng.normal(size=(300, 4))
    contiguous = bqcd.decide(matrix[:, 1].copy(), matrix[:, 3].copy())
    with event.install_recorder("numba:compile") as record:
        strided = bqcd.decide(matrix[:, 1], matrix[:, 3])
        backwards = bqcd.decide(matrix[::-1, 1], matrix[::-1, 3])
    assert strided.confidence == backwards.confidence == contiguous.confidence
    assert not record.buffer
