"""Assessments of weighted rows: exact where nothing may change, honest where chance is at work."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bqcd
from bqcd.assessments import assess
from bqcd.assessments.significance import standard_error
from bqcd.assessments.stability import half_samples
from bqcd.assessments.weighted_dependence import weighted_dependence
from bqcd.data.pair import Pair
from bqcd.data.weights import WeightedPair
from bqcd.methods.bqcd import BQCD
from bqcd.methods.decide import observed_pair
from bqcd.methods.igci import IGCI


def rows(seed: int = 0, n: int = 500) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.sin(2.0 * x) + 0.5 * rng.normal(size=n)
    return {"x": x, "y": y, "weights": rng.uniform(0.5, 2.0, size=n)}


@pytest.fixture(scope="module")
def clear() -> bqcd.Assessment:
    return assess(**rows(), replicates=40, method="bqcd")


def test_a_clear_pair_is_told_with_all_its_numbers(clear):
    assert clear.confidence == bqcd.decide(**rows()).confidence
    assert clear.direction.value == "->"
    assert clear.interval.low > 0.0
    assert clear.stability.agreeing == 1.0
    assert clear.p_bound < 1e-6
    assert 0.8 < clear.probability < 1.0
    assert clear.dependence.p_value < 1e-9
    assert "The rows are weighted by 'weights', which makes them worth about" in clear.explain()
    assert json.loads(json.dumps(clear.as_dict()))["weighting"]["draws"] == 9


def test_exchanging_columns_and_rows_changes_signs_and_nothing_else(clear):
    given = rows()
    order = np.random.default_rng(3).permutation(500)
    other = assess(
        given["y"][order],
        given["x"][order],
        weights=2.0 * given["weights"][order],
        replicates=40,
        method="bqcd",
    )
    assert other.confidence == -clear.confidence
    assert (other.interval.low, other.interval.high) == (-clear.interval.high, -clear.interval.low)
    assert other.stability == clear.stability
    assert other.p_bound == clear.p_bound
    assert other.probability == clear.probability
    assert other.dependence == clear.dependence


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing():
    pair = observed_pair(**rows(n=200))
    one, two = (half_samples(pair, BQCD(), replicates=6, workers=workers) for workers in (1, 2))
    assert one.confidences.tolist() == two.confidences.tolist()
    assert one.tie_variance == two.tie_variance


def test_equal_weights_give_the_assessment_without_weights():
    given = rows(n=200)
    weighted = assess(
        given["x"], given["y"], weights=np.full(200, 0.3), replicates=20, method="bqcd"
    )
    assert (
        weighted.as_dict() == assess(given["x"], given["y"], replicates=20, method="bqcd").as_dict()
    )


@pytest.mark.parametrize("n", [15, 200])
def test_halves_of_equally_weighted_rows_are_those_of_the_rows_alone(n):
    given = rows(n=n)
    pair = Pair(given["x"], given["y"])
    plain = half_samples(pair, IGCI(), replicates=20, seed=3)
    weighted = half_samples(WeightedPair(pair, np.full(n, 0.3)), IGCI(), replicates=20, seed=3)
    assert weighted.rows == plain.rows
    np.testing.assert_array_equal(weighted.confidences, plain.confidences)


def test_halves_of_weighted_rows_are_judged_with_the_levels_of_all_rows():
    pair = observed_pair(**rows(n=300))
    assert pair.effective_rows > BQCD().small_n > len(pair) / 2
    usual, always = (
        half_samples(pair, method, replicates=6) for method in (BQCD(), BQCD(small_n=0))
    )
    assert usual.confidences.tolist() == always.confidences.tolist()


def linear(seed: int) -> dict[str, np.ndarray]:
    """Linear Gaussian rows, of which those with a large y are seen ten times as often."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, 1000))
    y = x + noise
    chance = 0.1 + 0.9 / (1.0 + np.exp(-3.0 * y))
    seen = rng.random(1000) < chance
    return {"x": x[seen], "y": y[seen], "weights": 1.0 / chance[seen]}


def test_halves_vary_as_the_confidence_does_from_one_data_set_to_the_next():
    confidences, squares, bounds = [], [], []
    for seed in range(30):
        pair = observed_pair(**linear(seed))
        confidences.append(bqcd.decide_pair(pair).confidence)
        halves = half_samples(pair, BQCD(), replicates=12)
        squares.append(np.var(halves.confidences, ddof=1) - halves.tie_variance)
        bounds.append(standard_error(halves))
    spread = np.std(confidences)
    assert 0.7 < np.sqrt(np.mean(squares)) / spread < 1.4
    # What draws add stays in the error that the bound rests on: it may be too large only.
    assert np.sqrt(np.mean(np.square(bounds))) > 0.9 * spread
    assert abs(np.mean(confidences)) < 3.0 * spread / np.sqrt(30)


def test_a_link_that_selection_alone_made_is_gone_with_weights():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 2000))
    chance = np.where(x + y > 0.0, 1.0, 0.1)
    seen = rng.random(2000) < chance
    columns = x[seen], y[seen]
    plain = assess(*columns, replicates=10, method="bqcd")
    assert plain.dependence.p_value < 1e-6
    found = assess(*columns, weights=1.0 / chance[seen], replicates=10, method="bqcd")
    assert found.dependence.p_value > 0.05
    assert "no evidence that the columns depend" in found.explain()


def test_the_p_value_of_independence_is_not_small_too_often():
    small = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(2, 150))
        pair = observed_pair(x, y, weights=np.exp(0.5 * rng.normal(size=150)))
        small += weighted_dependence(pair, seed=seed).p_value < 0.1
    # At most 6 are expected; 13 or more would come about once in 170 times.
    assert small < 13


def test_other_methods_have_stability_and_the_table_stands_on_a_draw():
    found = assess(**rows(n=120), method="igci-g", replicates=10)
    assert found.p_bound is None
    assert found.probability is None
    assert found.table[0].n_rows == found.verdict.weighting.draw_rows


def test_halves_that_cannot_be_judged_know_nothing():
    given = rows(n=60)
    weights = np.ones(60)
    weights[:10] = 6.0
    found = assess(given["x"], given["y"], weights=weights, replicates=20, method="bqcd")
    assert found.verdict.weighting.draw_rows == 18
    assert found.interval.low < found.confidence < found.interval.high
    assert "rows are too few for a reliable verdict" in found.explain()
