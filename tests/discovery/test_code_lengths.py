"""Two-part code lengths: the formulas, the curves, and the paper's claims about them."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.stats import norm

from bqcd.discovery.code_lengths import (
    MECHANISMS,
    CodeComparison,
    compare_codes,
    factorization_code_lengths,
    find_mechanism,
    kernel_quantiles,
    model_code_length,
    residual_code_length,
)
from bqcd.discovery.ranks import normal_scores
from bqcd.errors import InvalidSettingError, UnknownNameError

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("code_lengths")

SIZES = (200, 600, 1500)


@pytest.fixture(scope="module")
def comparisons() -> dict[tuple[str, float], CodeComparison]:
    return {
        (name, found.level): found
        for name in MECHANISMS
        for found in compare_codes(name, rng=np.random.default_rng(7), sizes=SIZES, repetitions=25)
    }


# -- formulas ----------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.1, 0.5, 0.8])
def test_residual_code_length_is_minus_the_asymmetric_laplace_log_likelihood(level: float) -> None:
    values = np.random.default_rng(0).normal(size=50)
    gap = 0.3 - values
    density = level * (1 - level) * np.exp(-np.where(gap >= 0, 1 - level, -level) * gap)
    assert residual_code_length(0.3, values, level) == pytest.approx(-np.log(density).sum())


@pytest.mark.parametrize("level", [0.2, 0.5, 0.8])
def test_marginal_residuals_of_normal_data_have_the_papers_expected_length(level: float) -> None:
    # Example of the paper: E S_t(q_t, Z) = phi(Phi^-1(t)) for a standard normal Z.
    n = 50_000
    scores = normal_scores(n)
    expected = n * norm.pdf(norm.ppf(level)) - n * log(level * (1 - level))
    found = residual_code_length(float(np.quantile(scores, level)), scores, level)
    assert found == pytest.approx(expected, rel=1e-3)


def test_model_code_length_counts_half_a_log_for_each_number() -> None:
    numbers = 1 + 8
    assert model_code_length(512) == pytest.approx(numbers * 0.5 * log(512))


def test_both_parts_of_a_factorization_are_added_up() -> None:
    rng = np.random.default_rng(1)
    cause, effect = rng.normal(size=(2, 300))
    curves = kernel_quantiles(cause, effect, (0.5, 0.8))
    for j, level in enumerate((0.5, 0.8)):
        marginal = residual_code_length(float(np.quantile(cause, level)), cause, level)
        conditional = residual_code_length(curves[:, j], effect, level)
        found = factorization_code_lengths(cause, effect, (0.5, 0.8))[j]
        assert found == pytest.approx(marginal + conditional)


# -- curves ------------------------------------------------------------------------------


def test_kernel_quantiles_find_those_of_a_gaussian_pair() -> None:
    rng = np.random.default_rng(2)
    given = rng.normal(size=4000)
    noise = rng.normal(size=4000)
    target = 0.6 * given + 0.8 * noise
    levels = (0.2, 0.5, 0.8)
    true = 0.6 * given[:, None] + 0.8 * np.quantile(noise, levels)
    middle = np.abs(given) < 1.5
    away = kernel_quantiles(given, target, levels)[middle] - true[middle]
    assert np.sqrt(np.mean(away**2)) < 0.1
    assert abs(np.mean(away)) < 0.02


def test_kernel_quantiles_come_nearer_the_truth_with_more_rows() -> None:
    def error(n: int) -> float:
        rng = np.random.default_rng(3)
        given = rng.normal(size=n)
        target = np.sin(2 * given) + 0.3 * rng.normal(size=n)
        away = kernel_quantiles(given, target, (0.5,))[:, 0] - np.sin(2 * given)
        return float(np.sqrt(np.mean(away[np.abs(given) < 1.5] ** 2)))

    assert error(8000) < 0.6 * error(300)


def test_kernel_quantiles_never_cross_and_stay_within_the_data() -> None:
    rng = np.random.default_rng(4)
    given, target = rng.normal(size=(2, 200))
    curves = kernel_quantiles(given, target, (0.05, 0.5, 0.95))
    assert curves.shape == (200, 3)
    assert (np.diff(curves, axis=1) >= 0).all()
    assert target.min() <= curves.min() <= curves.max() <= target.max()


def test_kernel_quantiles_are_those_of_a_direct_weighted_quantile() -> None:
    rng = np.random.default_rng(5)
    given, target = rng.normal(size=(2, 60))
    at = int(np.argmin(given))
    weights = norm.pdf((given - given[at]) / 60 ** (-1 / 3))
    order = np.argsort(target)
    reached = np.cumsum(weights[order]) >= 0.8 * weights.sum()
    direct = target[order][np.argmax(reached)]
    assert kernel_quantiles(given, target, (0.8,))[at, 0] == pytest.approx(direct)


# -- mechanisms --------------------------------------------------------------------------


def test_the_multiplicative_effect_has_variance_x_squared_and_mean_zero() -> None:
    x, y = MECHANISMS["multiplicative"].sample(200_000, np.random.default_rng(6))
    for low in (0.2, 0.7, 1.5):
        near = np.abs(x - low) < 0.05
        assert np.var(y[near]) == pytest.approx(low**2, rel=0.1)
        assert abs(np.mean(y[near])) < 0.1 * low


def test_only_the_additive_noise_keeps_its_spread() -> None:
    for name, steady in (("additive", True), ("location-scale", False)):
        x, y = MECHANISMS[name].sample(200_000, np.random.default_rng(6))
        residual = y - 2 * np.sin(2 * x)
        spreads = [np.std(residual[np.abs(x - at) < 0.1]) for at in (0.2, 1.0, 2.0)]
        assert (max(spreads) / min(spreads) < 1.1) == steady


@pytest.mark.parametrize("name", MECHANISMS)
def test_true_quantiles_have_their_share_of_the_rows_below(name: str) -> None:
    levels = (0.1, 0.5, 0.8)
    x, y = MECHANISMS[name].sample(100_000, np.random.default_rng(6))
    below = y[:, None] < MECHANISMS[name].quantiles(x, levels)
    for part in (x < -1.0, np.abs(x) < 1.0, x > 1.0):
        np.testing.assert_allclose(below[part].mean(axis=0), levels, atol=0.012)


def test_an_unknown_mechanism_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match=r"called 'additiv'.*'additive'"):
        find_mechanism("additiv")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"levels": (0.8, 0.5)}, "levels of compare_codes"),
        (
            {"sizes": (9,)},
            "a size of compare_codes must be an integer from 10 to 1,000,000,000, got 9",
        ),
        (
            {"repetitions": 0},
            "repetitions of compare_codes must be an integer from 1 to 100,000, got 0",
        ),
    ],
)
def test_settings_out_of_range_are_refused(bad: dict, message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        compare_codes("additive", rng=np.random.default_rng(0), **bad)


# -- claims of the paper -----------------------------------------------------------------


def test_residuals_dominate_the_models_and_ever_more_so(comparisons) -> None:
    for found in comparisons.values():
        for way in (found.causal, found.anticausal):
            share = way.model / way.total.mean(axis=0)
            assert share[0] < 0.03
            assert (np.diff(share) < 0).all()
            np.testing.assert_allclose(way.total, way.model + way.residuals)


def test_models_cost_the_same_both_ways(comparisons) -> None:
    for found in comparisons.values():
        np.testing.assert_array_equal(found.causal.model, found.anticausal.model)


@pytest.mark.parametrize("name", MECHANISMS)
def test_at_a_high_level_the_causal_code_is_shorter_whatever_the_mechanism(
    name: str, comparisons
) -> None:
    found = comparisons[name, 0.8]
    assert (found.ratio < 1.0).all()
    assert found.share_identified[-1] > 0.8
    assert found.share_identified[-1] >= found.share_identified[0]


@pytest.mark.parametrize("name", ["additive", "location-scale"])
@pytest.mark.parametrize("level", [0.5, 0.8])
def test_a_mechanism_with_a_curve_is_identified_at_either_level(
    name: str, level: float, comparisons
) -> None:
    found = comparisons[name, level]
    assert (found.ratio < 0.99).all()
    assert (found.share_identified > 0.95).all()
    # The ratio settles at a constant below one.
    assert abs(found.ratio[-1] - found.ratio[-2]) < 0.003


def test_the_median_alone_does_not_identify_the_multiplicative_mechanism(comparisons) -> None:
    found = comparisons["multiplicative", 0.5]
    assert (np.abs(found.ratio - 1.0) < 0.005).all()
    assert found.share_identified[-1] < 0.5
    # Slowly: what is left of the gap to one falls by a fifth or more from 1,000 to 16,000 rows.
    few, many = (
        compare_codes(
            "multiplicative", rng=np.random.default_rng(8), sizes=[size], repetitions=repeats
        )[0]
        for size, repeats in ((1000, 60), (16_000, 6))
    )
    assert 0.0 < many.ratio[0] - 1.0 < 0.8 * (few.ratio[0] - 1.0)


def test_the_same_generator_gives_the_same_comparison() -> None:
    one, other = (
        compare_codes("additive", rng=np.random.default_rng(9), sizes=[50], repetitions=2)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one[1].causal.residuals, other[1].causal.residuals)
    assert one[0].sizes.tolist() == [50]
