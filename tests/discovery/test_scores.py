from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from bqcd.discovery.scores import checked_levels, equal_weights, gauss_legendre, pinball_score
from bqcd.errors import InvalidSettingError


@pytest.mark.parametrize("m", [1, 2, 3, 7, 15])
def test_quadrature_is_exact_on_polynomials_up_to_twice_its_levels(m: int) -> None:
    rule = gauss_legendre(m)
    for degree in range(2 * m):
        assert rule.integrate(rule.levels**degree) == pytest.approx(1.0 / (degree + 1), abs=1e-14)


@pytest.mark.parametrize("m", [1, 2, 3, 7])
def test_quadrature_is_not_exact_beyond(m: int) -> None:
    rule = gauss_legendre(m)
    assert abs(rule.integrate(rule.levels ** (2 * m)) - 1.0 / (2 * m + 1)) > 1e-9


def test_one_level_is_the_median() -> None:
    rule = gauss_legendre(1)
    assert rule.levels.tolist() == [0.5]
    assert rule.weights.tolist() == [1.0]


def test_levels_are_symmetric_and_increase_inside_the_unit_interval() -> None:
    rule = gauss_legendre(7)
    assert np.all(np.diff(rule.levels) > 0)
    assert 0 < rule.levels[0] < rule.levels[-1] < 1
    np.testing.assert_allclose(rule.levels + rule.levels[::-1], 1.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("bad", [0, -1, 2.0, "3", True, None])
def test_a_number_of_levels_that_is_not_a_positive_integer_is_refused(bad: object) -> None:
    with pytest.raises(
        InvalidSettingError, match=r"m of gauss_legendre must be an integer from 1 to 99"
    ):
        gauss_legendre(bad)  # type: ignore[arg-type]


def test_equal_weights_average_over_the_levels_given() -> None:
    rule = equal_weights((0.4, 0.5, 0.9))
    assert rule.levels.tolist() == [0.4, 0.5, 0.9]
    assert rule.integrate(rule.levels) == pytest.approx(0.6)
    assert rule.weights.sum() == pytest.approx(1.0)
    assert not rule.levels.flags.writeable


@pytest.mark.parametrize(
    "given", [(0.1, 0.5), [0.1, 0.5], np.array([0.1, 0.5]), (np.float64(0.1), np.float32(0.5))]
)
def test_levels_of_any_sequence_become_plain_floats(given: object) -> None:
    found = checked_levels("BQCD", given)
    assert found == (0.1, 0.5)
    assert all(type(level) is float for level in found)


@pytest.mark.parametrize(
    "bad",
    [
        (),
        (0.0, 0.5),
        (0.5, 1.0),
        (0.5, 0.5),
        (0.6, 0.4),
        (0.1, float("nan"), 0.9),
        (True,),
        ("0.5",),
        "0.5",
        0.5,
        [[0.5]],
        np.array(0.5),
        {0.1, 0.5},
        tuple(np.linspace(0.005, 0.995, 100)),
    ],
)
def test_levels_that_do_not_increase_within_the_unit_interval_are_refused(bad: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"levels of BQCD must be 1 to 99 numbers that"):
        checked_levels("BQCD", bad)


@pytest.mark.parametrize("level", [0.05, 0.113, 0.5, 0.8])
def test_mean_pinball_score_is_smallest_at_the_true_quantile(level: float) -> None:
    # Expected score of a forecast q of a standard normal: closed form.
    def expected(q: float) -> float:
        return q * norm.cdf(q) + norm.pdf(q) - level * q

    true = norm.ppf(level)
    sample = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    grid = true + np.linspace(-0.5, 0.5, 101)
    means = np.array([pinball_score(q, sample, level).mean() for q in grid])
    np.testing.assert_allclose(means, [expected(q) for q in grid], atol=2e-4)
    assert grid[np.argmin(means)] == pytest.approx(true, abs=0.011)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0.01, 0.99))
def test_pinball_score_is_never_negative_and_zero_only_at_the_observed(
    quantile: float, observed: float, level: float
) -> None:
    score = float(pinball_score(quantile, observed, level))
    assert score >= 0.0
    assert (score == 0.0) == (quantile == observed)


def test_pinball_score_follows_the_formula_of_the_paper() -> None:
    assert float(pinball_score(2.0, 1.0, 0.9)) == pytest.approx((1 - 0.9) * (2.0 - 1.0))
    assert float(pinball_score(1.0, 2.0, 0.9)) == pytest.approx((0 - 0.9) * (1.0 - 2.0))
    assert pinball_score([[1.0], [2.0]], 0.0, [0.1, 0.5, 0.9]).shape == (2, 3)
