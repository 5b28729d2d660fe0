"""Where bQCD is known to err: fans, what the rule sees, and what it does to a probability."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

import bqcd
from bqcd.assessments import assess_pair
from bqcd.assessments.probability import LEAST
from bqcd.assessments.regions import (
    KNOWN_TO_ERR,
    NUMBERS,
    RegionModel,
    features_of_direction,
    most_probable,
    numbers_of,
    shipped_regions,
)
from bqcd.data.pair import Pair
from bqcd.statistics.scaling import unit_variance

POSITIVE = {
    "uniform": lambda n, rng: rng.uniform(size=n),
    "uniform from a half": lambda n, rng: rng.uniform(0.5, 1.5, n),
    "half-normal": lambda n, rng: np.abs(rng.normal(size=n)),
    "log-normal": lambda n, rng: rng.lognormal(size=n),
}


def product(cause: str, seed: int, n: int = 1000) -> Pair:
    rng = np.random.default_rng(seed)
    x = POSITIVE[cause](n, rng)
    return Pair(x, x * rng.normal(size=n))


def valley(noise: float, n: int = 1000) -> Pair:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2.0, 2.0, n)
    return Pair(x, np.abs(x) + noise * rng.normal(size=n))


def features(pair: Pair, confidence: float) -> dict[str, float]:
    return features_of_direction(pair, confidence, shipped_regions().units)


@pytest.mark.parametrize("cause", POSITIVE)
def test_products_that_bqcd_gets_wrong_are_not_given_a_high_probability(cause):
    claimed, right = [], 0
    for seed in range(5):
        found = assess_pair(product(cause, seed), method="bqcd", find_units=False, replicates=20)
        claimed.append(found.probability)
        right += found.confidence > 0.0
    assert right == 0
    assert max(claimed) < 0.65
    assert found.answer == "cannot tell"


@pytest.mark.parametrize("cause", POSITIVE)
def test_a_product_is_a_fan_and_its_other_side_is_a_valley(cause):
    pair = product(cause, 0)
    assert features(pair, -1.0)["fan"] == 1.0
    assert features(pair, 1.0)["fan"] == 0.0


@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_a_clear_valley_is_no_fan_and_stays_as_probable_as_it_was(noise):
    assert features(valley(noise), 1.0)["fan"] == 0.0
    assert most_probable(valley(noise), 0.1) == 1.0
    found = assess_pair(valley(noise), method="bqcd", replicates=20)
    assert found.probability is not None
    assert found.probability > 0.9


def test_a_valley_in_much_noise_may_be_a_fan():
    assert features(valley(0.9), 1.0)["fan"] == 1.0
    assert most_probable(valley(0.9), 0.1) < KNOWN_TO_ERR


@pytest.mark.parametrize("pair", [product("uniform", 1), valley(0.2), valley(0.9)])
def test_exchanging_columns_rows_and_units_changes_nothing(pair):
    rows = np.random.default_rng(0).permutation(len(pair))
    bent = Pair(np.arctan(pair.y[rows]), np.exp(pair.x[rows] / 4.0))
    for confidence in (0.3, -0.3):
        assert most_probable(bent, -confidence) == most_probable(pair, confidence)


def test_both_directions_have_opposite_features():
    pair = valley(0.4)
    one, other = features(pair, 1.0), features(pair, -1.0)
    assert {name: -other[name] for name in NUMBERS} == {name: one[name] for name in NUMBERS}


def test_shares_worked_out_by_hand():
    model = RegionModel(
        dict.fromkeys(NUMBERS, 1.0), dict(zip(NUMBERS, (1.0, 2.0, 0.5), strict=True)), 0.6
    )
    found = dict(zip(NUMBERS, (0.5, -0.25, 2.0), strict=True))
    assert model.share_right(found | {"fan": 0.0}) == pytest.approx(1.0 / (1.0 + np.exp(-1.0)))
    assert model.share_right(found | {"fan": 1.0}) == 0.6
    assert model.share_right(dict.fromkeys(NUMBERS, 0.0) | {"fan": 0.0}) == 0.5


def test_the_growth_of_a_spread_is_that_of_its_logarithm():
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    y = np.exp(0.4 * x) * rng.choice([-1.0, 1.0], 20_000)
    assert numbers_of(unit_variance(x), y)["grows"] == pytest.approx(0.4, abs=0.03)
    assert numbers_of(unit_variance(x), rng.normal(size=20_000))["grows"] < 0.02


def test_a_limit_is_a_share_or_one():
    rng = np.random.default_rng(8)
    for _ in range(30):
        x = rng.gamma(2.0, size=80)
        limit = most_probable(Pair(x, x + rng.normal(size=80)), rng.normal())
        assert LEAST <= limit < KNOWN_TO_ERR or limit == 1.0
    assert most_probable(Pair(x, -x), 0.0) == LEAST


def test_tied_and_constant_looking_columns_are_judged():
    x = np.repeat([0.0, 1.0], 20)
    assert 0.5 <= most_probable(Pair(x, np.tile([0.0, 0.0, 1.0, 1.0], 10)), 0.1) <= 1.0


def test_other_methods_and_the_confidence_are_left_alone():
    pair = product("uniform", 3)
    assert assess_pair(pair, method="igci-g", replicates=10).probability is None
    found = assess_pair(pair, method="bqcd", replicates=10)
    assert found.confidence == bqcd.decide_pair(pair, method="bqcd").confidence


def test_the_shipped_model_is_complete():
    stored = json.loads(files("bqcd.assessments").joinpath("regions.json").read_text("utf-8"))
    model = shipped_regions()
    assert set(model.units) == set(model.weights) == set(NUMBERS)
    # Each number speaks for the direction it favours.
    assert min(model.weights.values()) > 0.0
    assert min(model.units.values()) > 0.0
    assert LEAST <= model.fan < KNOWN_TO_ERR
    assert stored["pairs"] >= 2000
