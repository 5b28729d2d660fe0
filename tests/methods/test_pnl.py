"""Post-nonlinear models: formulas, slopes, what training recovers, the paper's accuracies."""

from __future__ import annotations

from math import e, log, pi

import numpy as np
import pytest
from scipy.stats import spearmanr

from bqcd.data.pair import Pair
from bqcd.methods.models.pnl_kernels import (
    CAUSE,
    COMPONENTS,
    EFFECT,
    NOISE,
    UNITS,
    WEIGHTS,
    code_length,
    model_weights,
    recovered_noise,
    train,
)
from bqcd.methods.pnl import PNL, skewness, starting_weights, unskewed
from bqcd.statistics.dependence.independence import gamma_test
from bqcd.statistics.scaling import unit_variance
from tests.methods.trials import AWKWARD, PAIRSETS, accuracies, benchmark, confidence, share_right

EVERYTHING = np.arange(WEIGHTS)
QUICK = PNL(start_steps=20, steps=40)
either_inverse = pytest.mark.parametrize("monotone", [False, True], ids=["mlp", "monotone"])


def bent(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.tanh(x) + 0.3 * rng.normal(size=n)


def random_weights(seed: int, monotone: bool) -> np.ndarray:
    weights = starting_weights(np.random.default_rng(seed), monotone=monotone)
    weights[1:3] = -0.4, 0.2
    return weights


# -- formulas --------------------------------------------------------------------------


def sigmoids(at: np.ndarray, block: np.ndarray) -> np.ndarray:
    height, steepness, place = block.reshape(3, -1)
    return 2.0 / pi * np.arctan(np.outer(at, steepness) + place) @ height


def noise_by_formula(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    straight = weights[0] * y + weights[1] * x + weights[2]
    return straight + sigmoids(y, weights[EFFECT:CAUSE]) + sigmoids(x, weights[CAUSE:NOISE])


def derivative(function, at: np.ndarray) -> np.ndarray:
    return (function(at + 1e-5) - function(at - 1e-5)) / 2e-5


@either_inverse
def test_the_code_length_is_the_mean_of_two_logarithms(monotone):
    x, y = bent(40, 1)
    free = random_weights(2, monotone)
    weights = free.copy()
    if monotone:
        weights[0] = np.exp(free[0])
        weights[EFFECT : EFFECT + 2 * UNITS] = np.exp(free[EFFECT : EFFECT + 2 * UNITS])
    heights = weights[NOISE : NOISE + COMPONENTS]
    heights /= 2.0 * np.linalg.norm(heights)
    noise = noise_by_formula(x, y, weights)
    stretch = derivative(lambda y: noise_by_formula(x, y, weights), y)
    density = derivative(lambda at: sigmoids(at, weights[NOISE:]), noise)
    expected = -np.mean(np.log(stretch) + np.log(density))
    assert code_length(x, y, free, monotone, np.empty(WEIGHTS)) == pytest.approx(expected, abs=1e-8)
    assert recovered_noise(x, y, free, monotone) == pytest.approx(noise, abs=1e-12)


@either_inverse
@pytest.mark.parametrize("seed", [3, 4])
def test_slopes_are_those_of_finite_differences(monotone, seed):
    x, y = bent(60, seed)
    free = random_weights(seed, monotone)
    slopes, ignored = np.empty(WEIGHTS), np.empty(WEIGHTS)
    code_length(x, y, free, monotone, slopes)
    for j in range(WEIGHTS):
        step = 1e-5 * (j == EVERYTHING)
        above = code_length(x, y, free + step, monotone, ignored)
        below = code_length(x, y, free - step, monotone, ignored)
        assert slopes[j] == pytest.approx((above - below) / 2e-5, abs=1e-8), f"weight {j}"


def test_a_model_that_turns_the_effect_round_is_ruled_out():
    x, y = bent(40, 5)
    free = random_weights(5, monotone=False)
    free[0] = -3.0
    assert code_length(x, y, free, False, np.empty(WEIGHTS)) == np.inf


# -- training --------------------------------------------------------------------------


@either_inverse
def test_training_finds_the_entropy_of_the_noise(monotone):
    # A density is the slope of ψ by twice its height, 1 at most: hence log 2 in addition.
    rng = np.random.default_rng(6)
    x, noise = rng.uniform(-2.0, 2.0, 3_000), 0.3 * rng.normal(size=3_000)
    free = starting_weights(rng, monotone=monotone)
    found = train((x, x + noise, EVERYTHING, monotone), free, 300) + log(2.0)
    entropy = 0.5 * log(2.0 * pi * e * 0.09)
    # Four bells with heavy tails come within 0.05 of a Gaussian; the standard error is 0.013.
    assert entropy - 0.05 <= found <= entropy + 0.08


@either_inverse
def test_every_further_step_shortens_the_code(monotone):
    x, y = bent(200, 7)
    start = random_weights(7, monotone)
    lengths = []
    for steps in (0, 1, 2, 5, 10, 30, 100):
        free = start.copy()
        lengths.append(train((x, y, EVERYTHING, monotone), free, steps))
        assert code_length(x, y, free, monotone, np.empty(WEIGHTS)) == lengths[-1]
    assert (np.diff(lengths) < 0.0).all()


def test_training_moves_the_given_weights_only():
    x, y = bent(100, 8)
    start = random_weights(8, monotone=False)
    free = start.copy()
    places = np.arange(CAUSE, WEIGHTS)
    train((x, y, places, False), free, 20)
    assert np.array_equal(free[:CAUSE], start[:CAUSE])
    assert (free[CAUSE:] != start[CAUSE:]).all()


def test_a_monotone_model_increases_everywhere():
    x, y = bent(100, 9)
    free = starting_weights(np.random.default_rng(9), monotone=True)
    train((x, y, EVERYTHING, True), free, 200)
    grid = np.linspace(-50.0, 50.0, 5_001)
    assert (np.diff(recovered_noise(np.zeros(5_001), grid, free, True)) > 0.0).all()
    weights, _ = model_weights(free, True)
    assert (weights[EFFECT : EFFECT + 2 * UNITS] > 0.0).all()


def test_both_directions_start_alike():
    # Exchangeable columns: were the starts different, so would be the numbers.
    x, y = AWKWARD["exchangeable columns"]
    evidence = QUICK.evidence(Pair(x, y), np.random.default_rng(0))
    assert evidence.x_to_y == evidence.y_to_x > 0.0


# -- skewed columns --------------------------------------------------------------------


def test_skewed_columns_lose_their_skewness_and_keep_their_order():
    column = unit_variance(np.random.default_rng(10).lognormal(size=500))
    for side in (1.0, -1.0):
        bent_column = unskewed(side * column)
        assert abs(skewness(bent_column)) < 0.3 * abs(skewness(column))
        assert np.array_equal(np.argsort(bent_column), np.argsort(side * column))
        assert bent_column.std(ddof=1) == pytest.approx(1.0)


def test_columns_that_are_hardly_skewed_stay_as_they_are():
    column = unit_variance(np.random.default_rng(11).normal(size=500))
    assert np.array_equal(unskewed(column), column)


# -- what can be solved and what cannot ------------------------------------------------


def post_nonlinear(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A wave of a uniform cause plus noise, bent by a cube or an exponential."""
    x = rng.uniform(-1.0, 1.0, 500)
    inner = np.sin((2.0 + rng.uniform()) * x) + 0.25 * rng.normal(size=500)
    return x, np.exp(1.5 * inner) if rng.uniform() < 0.5 else inner + inner**3


@pytest.mark.parametrize("inverse", ["mlp", "monotone"])
def test_post_nonlinear_pairs_are_solved(inverse):
    method = PNL(inverse=inverse, start_steps=100, steps=150)
    assert share_right(method, post_nonlinear, 20) >= 0.9


@pytest.mark.parametrize("inverse", ["mlp", "monotone"])
def test_noise_is_recovered_up_to_its_scale(inverse):
    rng = np.random.default_rng(12)
    x, noise = rng.uniform(-1.0, 1.0, 800), rng.normal(size=800)
    y = np.exp(np.sin(3.0 * x) + 0.3 * noise)
    cause, effect = (unskewed(unit_variance(column)) for column in (x, y))
    weights = starting_weights(rng, monotone=inverse == "monotone")
    found = PNL(inverse=inverse)._recovered_noise(1.5 * cause, 1.5 * effect, weights)
    assert spearmanr(found, noise).statistic > 0.97
    assert gamma_test(x, found).p > 0.05


# -- awkward input ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a function", "a line", "one row far away", "two values each"])
def test_long_training_on_awkward_input_stays_finite(name):
    assert np.isfinite(confidence(PNL(steps=1_000), *AWKWARD[name]))


# -- the paper's accuracies ------------------------------------------------------------

PAPER = dict(zip(PAIRSETS, (0.70, 0.65, 0.61, 0.64, 0.96, 0.63, 0.91, 0.44, 0.66), strict=True))


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRSETS)
def test_accuracies_are_near_those_of_the_paper(name, data_home):
    found, _ = accuracies(PNL(), benchmark(name, data_home))
    assert found == pytest.approx(PAPER[name], abs=0.12)


@pytest.mark.data
@pytest.mark.slow
def test_tuebingen_accuracies_are_near_those_of_the_paper(data_home):
    found = accuracies(PNL(), benchmark("tuebingen", data_home))
    assert found == pytest.approx((0.75, 0.73), abs=0.12)


@pytest.mark.data
def test_additive_noise_is_mostly_solved(data_home):
    found, _ = accuracies(PNL(start_steps=50, steps=100), list(benchmark("AN", data_home))[:15])
    assert found >= 0.8
