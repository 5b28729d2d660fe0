from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from bqcd.discovery.quantiles import Copula, Vinecopulib
from bqcd.discovery.quantiles.copula import _grid
from bqcd.discovery.quantiles.dependence_kernels import bandwidth
from bqcd.discovery.quantiles.margin_kernels import trapezoid_weights, with_uniform_margins
from bqcd.discovery.quantiles.maximal_kernels import maximal_by_directions, maximal_by_table
from bqcd.discovery.ranks import normal_scores, rank_pair
from bqcd.discovery.scores import gauss_legendre, pinball_score
from bqcd.errors import InvalidSettingError
from tests.reference import direct_copula

LEVELS = gauss_legendre(3)
PROBES = np.array([-1.0, 0.0, 1.0])
RNG = np.random.default_rng(0)

SHAPES = {
    "linear": lambda x, e: x + e,
    "strong": lambda x, e: x + 0.1 * e,
    "square": lambda x, e: x**2 + 0.3 * e,
    "sine": lambda x, e: np.sin(2 * x) + 0.5 * e,
    "multiplicative": lambda x, e: x * e,
    "heteroscedastic": lambda x, e: x + np.exp(0.5 * x) * e,
    "independent": lambda x, e: e,
}


def sample(shape: str, n: int, seed: int = 0):
    rng = np.random.default_rng([n, seed])
    x, e = rng.normal(size=n), rng.normal(size=n)
    return x, SHAPES[shape](x, e)


def inverse_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.argsort(y[np.argsort(x)]).astype(np.int32)


def confidence(regressor, inverse: np.ndarray, rule=LEVELS) -> float:
    scores = normal_scores(len(inverse))
    second, first = regressor.fit_both_ways(scores, inverse, rule.levels)
    middle = np.interp(rule.levels * (len(scores) - 1), np.arange(len(scores)), scores)
    marginal = pinball_score(middle, scores[:, None], rule.levels).mean(axis=0)
    gap = rule.integrate(first.scores - second.scores)
    return gap / (2.0 * rule.integrate(marginal))


@pytest.mark.parametrize("shape", SHAPES)
def test_confidence_is_that_of_the_formulas(shape: str) -> None:
    # From 4,000 rows on they are binned.
    for n in (50, 99, 250, 1000, 3999, 4000, 20_000):
        inverse = inverse_of(*sample(shape, n))
        exact = direct_copula.confidence(np.argsort(inverse), LEVELS.levels, LEVELS.weights)
        assert confidence(Copula(), inverse) == pytest.approx(exact, abs=1e-5), n


@pytest.mark.parametrize("grid", [10, 60, 120])
def test_the_grid_is_a_setting(grid: int) -> None:
    inverse = inverse_of(*sample("sine", 800))
    exact = direct_copula.confidence(np.argsort(inverse), LEVELS.levels, LEVELS.weights, grid=grid)
    assert confidence(Copula(grid=grid), inverse) == pytest.approx(exact, abs=1e-5)
    assert confidence(Copula(grid=grid), inverse) != pytest.approx(
        confidence(Copula(), inverse), abs=1e-6
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_confidence_is_that_of_vinecopulib(shape: str) -> None:
    for n, m in product((200, 1000, 5000), (1, 3, 7)):
        inverse = inverse_of(*sample(shape, n, seed=1))
        rule = gauss_legendre(m)
        reference = confidence(Vinecopulib(), inverse, rule)
        assert confidence(Copula(), inverse, rule) == pytest.approx(reference, abs=1e-5), (n, m)


@pytest.mark.parametrize("shape", SHAPES)
def test_maximal_correlation_is_that_of_exact_sweeps(shape: str) -> None:
    for n in (100, 1000, 6000):
        inverse = inverse_of(*sample(shape, n))
        exact = direct_copula.maximal_correlation(np.argsort(inverse))
        assert maximal_by_directions(inverse) == pytest.approx(exact, abs=1e-7), n


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"independent"}))
@pytest.mark.parametrize("n", [100_000, 120_001])
def test_maximal_correlation_of_very_many_rows_comes_from_a_table(shape: str, n: int) -> None:
    # Without dependence the sweeps have nothing to converge to; see the confidence below.
    inverse = inverse_of(*sample(shape, n))
    exact = direct_copula.maximal_correlation(np.argsort(inverse))
    assert maximal_by_table(inverse) == pytest.approx(exact, abs=3e-5)


@pytest.mark.parametrize("shape", ["square", "multiplicative", "independent"])
def test_confidence_of_very_many_rows_is_that_of_the_formulas(shape: str) -> None:
    inverse = inverse_of(*sample(shape, 110_000))
    exact = direct_copula.confidence(np.argsort(inverse), LEVELS.levels, LEVELS.weights)
    assert confidence(Copula(), inverse) == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_fitted_curves_have_the_scores_of_both_ways(shape: str) -> None:
    x, y = sample(shape, 700)
    inverse = inverse_of(x, y)
    scores = normal_scores(700)
    permutation = np.argsort(inverse)
    second, first = Copula().fit_both_ways(scores, inverse, LEVELS.levels)
    for way, target in ((second, scores[permutation]), (first, scores[inverse])):
        model = Copula().fit(scores, target, LEVELS.levels, RNG)
        direct = pinball_score(model(scores), target[:, None], LEVELS.levels).mean(axis=0)
        # The second fit is binned along the other axis: the error of the bins shows.
        np.testing.assert_allclose(way.scores, direct, rtol=0, atol=1e-6)
        np.testing.assert_allclose(way.model(PROBES), model(PROBES), rtol=0, atol=2e-5)


def test_fit_does_not_depend_on_the_order_of_rows() -> None:
    x, y = sample("square", 400)
    scores = normal_scores(400)
    u, v = scores[np.argsort(np.argsort(x))], scores[np.argsort(np.argsort(y))]
    rows = np.random.default_rng(5).permutation(400)
    one = Copula().fit(u, v, LEVELS.levels, RNG)(PROBES)
    other = Copula().fit(u[rows], v[rows], LEVELS.levels, RNG)(PROBES)
    np.testing.assert_array_equal(one, other)


def test_conditional_quantiles_of_a_gaussian_copula_are_recovered() -> None:
    rho, n = 0.7, 50_000
    x, e = np.random.default_rng(2).normal(size=(2, n))
    y = rho * x + np.sqrt(1 - rho**2) * e
    levels = np.array([0.1, 0.5, 0.9])
    scores = normal_scores(n)
    model = Copula().fit(
        scores[np.argsort(np.argsort(x))], scores[np.argsort(np.argsort(y))], levels, RNG
    )
    given_values = np.linspace(-1.5, 1.5, 7)
    offsets = np.array([-1.2815515655446004, 0.0, 1.2815515655446004])
    truth = rho * given_values[:, None] + np.sqrt(1 - rho**2) * offsets
    np.testing.assert_allclose(model(given_values), truth, atol=0.06)


@settings(max_examples=40, deadline=None)
@given(st.integers(10, 120), st.integers(0, 10_000), st.floats(0.0, 2.0))
def test_curves_never_cross_and_stay_within_the_scores(n: int, seed: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.cos(3 * x) + noise * rng.normal(size=n)
    scores = normal_scores(n)
    levels = gauss_legendre(7).levels
    target = scores[np.argsort(np.argsort(y))]
    model = Copula().fit(scores[np.argsort(np.argsort(x))], target, levels, rng)
    curves = model(np.linspace(-9.0, 9.0, 101))
    assert np.isfinite(curves).all()
    assert (np.diff(curves, axis=1) >= 0.0).all()
    assert curves.min() >= scores[0]
    assert curves.max() <= scores[-1]


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-3, 0.03])
def test_near_deterministic_pairs_have_uniform_margins_all_the_same(noise: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    y = np.tanh(3 * x) + noise * rng.normal(size=1500) + (x**3 if noise else x)
    inverse = inverse_of(x, y)
    (density,), _ = Copula()._densities(normal_scores(1500), inverse[None])
    weights = trapezoid_weights(_grid(30)[1])
    np.testing.assert_allclose(density @ weights, 1.0, atol=1e-7)
    np.testing.assert_allclose(weights @ density, 1.0, atol=1e-7)


def test_margins_of_a_slow_density_are_those_of_plain_sweeps() -> None:
    points, knots = _grid(30)
    weights = trapezoid_weights(knots)
    density = np.exp(-((points[:, None] - points) ** 2) / 0.02) + 1e-9
    plain = density.copy()
    for _ in range(60_000):
        plain /= (plain @ weights)[:, None]
        plain /= plain.T @ weights
    np.testing.assert_allclose(with_uniform_margins(density, weights), plain, atol=1e-6)


def test_bandwidth_follows_the_rule_and_has_a_floor() -> None:
    assert bandwidth(1000, 0.5, 0.8) == pytest.approx(np.sqrt(0.1 * (0.5 / 0.8) ** 0.4))
    assert bandwidth(1000, 0.0, 0.9) == pytest.approx(np.sqrt(0.1 * 0.01))


def test_a_correlation_of_exactly_zero_under_strong_dependence_gives_an_answer() -> None:
    x = np.concatenate([np.arange(-200.0, 0.0), np.arange(1.0, 201.0)])
    y = np.abs(x) + 0.25 * (x > 0)
    ranked = rank_pair(x, y)
    assert ranked.inverse is not None
    value = confidence(Copula(), ranked.inverse)
    assert np.isfinite(value)
    # A two-branched function: the branch point's variable is the cause.
    assert ranked.sign * value > 0.1


def test_uniform_pseudo_observations_are_the_scale_of_given() -> None:
    # The callable takes normal values: at +-infinity it answers with the outermost cells.
    x, y = sample("linear", 300)
    scores = normal_scores(300)
    inverse = inverse_of(x, y)
    model = Copula().fit(scores, scores[np.argsort(inverse)], LEVELS.levels, RNG)
    assert ndtr(40.0) == 1.0
    np.testing.assert_array_equal(model(np.array([40.0])), model(np.array([100.0])))


@pytest.mark.parametrize("bad", [4, 0, 30.0, "30", True])
def test_a_grid_that_is_too_coarse_or_no_integer_is_refused(bad: object) -> None:
    with pytest.raises(
        InvalidSettingError, match="grid of Copula must be an integer from 5 to 1,000"
    ):
        Copula(grid=bad)  # type: ignore[arg-type]


CORRELATION_NEAR_ZERO = {
    "square": lambda x, e, rng: x**2 + e,
    "cosine": lambda x, e, rng: np.cos(3 * x) + e,
    "modulus": lambda x, e, rng: np.abs(x) + e,
    "cross": lambda x, e, rng: rng.choice([-1.0, 1.0], len(x)) * x + e,
    "cubic": lambda x, e, rng: (x**2 - 1) * x + e,
}


@pytest.mark.parametrize("shape", CORRELATION_NEAR_ZERO)
def test_a_bandwidth_near_collapse_is_no_excuse(shape: str) -> None:
    # Dependence without correlation: the kernels get narrow and reach the outer grid points
    # with next to nothing, which uniform margins then blow up.
    noises = enumerate((0.02, 0.1, 0.3))
    for n, (seed, noise) in product((12, 30, 60, 100, 300, 1000, 3000, 4500), noises):
        rng = np.random.default_rng([n, seed])
        x = rng.normal(size=n)
        y = CORRELATION_NEAR_ZERO[shape](x, noise * rng.normal(size=n), rng)
        inverse = inverse_of(x, y)
        reference = confidence(Vinecopulib(), inverse)
        assert confidence(Copula(), inverse) == pytest.approx(reference, abs=5e-5), (n, noise)


@pytest.mark.parametrize("n", [12, 99, 250, 1000, 4500])
def test_scores_of_many_pairs_are_to_the_bit_those_of_each(n: int) -> None:
    inverses = np.array([inverse_of(*sample(shape, n)) for shape in SHAPES])
    many = Copula().scores_both_ways(normal_scores(n), inverses, LEVELS.levels)
    for inverse, found in zip(inverses, many, strict=True):
        ways = Copula().fit_both_ways(normal_scores(n), inverse, LEVELS.levels)
        np.testing.assert_array_equal(found, [way.scores for way in ways])


@pytest.mark.parametrize("n", [12, 1000, 4500])
def test_what_was_in_memory_before_changes_no_bit(n: int) -> None:
    inverses = np.array([inverse_of(*sample(shape, n)) for shape in SHAPES])
    room = Copula().room(len(inverses) + 3, n)
    for held in room:
        held[:] = np.nan
    asked = normal_scores(n), inverses, LEVELS.levels
    for _ in range(2):
        found = Copula().scores_both_ways(*asked, room)
        np.testing.assert_array_equal(found, Copula().scores_both_ways(*asked))
