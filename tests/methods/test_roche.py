"""ROCHE: its numbers by their formulas, what it solves, and agreement with published scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from bqcd.data.pair import Pair
from bqcd.methods.roche import ROCHE
from bqcd.statistics.location_scale.models import network_model, network_start, scaled_rows
from tests.methods.trials import accuracies, benchmark, confidence, share_right

slow = pytest.mark.slow


def heavy_fan(rng, n=300):
    """A bend with noise of heavy tails, the wider the farther from the middle."""
    x = rng.normal(size=n)
    return x, np.tanh(2.0 * x) + (0.1 + 0.2 * x**2) * rng.standard_t(3, n)


@pytest.mark.parametrize("decision", ["hsic", "likelihood"])
def test_numbers_are_those_of_students_networks_from_one_start(decision):
    x, y = heavy_fan(np.random.default_rng(0))
    method = ROCHE(steps=60, decision=decision)
    found = method.evidence(Pair(x, y), np.random.default_rng(7))
    start = network_start(np.random.default_rng(7), noise="student")
    for cause, effect, number in ((x, y, found.x_to_y), (y, x, found.y_to_x)):
        model = network_model(*scaled_rows(cause, effect), start=start, steps=60)
        assert number == (model.dependence if decision == "hsic" else model.loss)


# -- what can be solved ----------------------------------------------------------------


def test_noise_of_heavy_tails_and_growing_spread_is_solved():
    assert share_right(ROCHE(steps=300), heavy_fan, 20) >= 0.9


# -- published numbers -----------------------------------------------------------------

# The authors' scores of pairs 1 to 20 of SIM, positive is right.
ON_SIM = 1e-4 * np.ravel(
    (
        (6.06, -0.757, 2.16, 3.19, 2.15, 99.4, 1.54, 4.44, 5.07, 18.5),
        (-1.5, -22.7, 4.44, -3.01, 3.29, 6.81, 4.47, 8.16, 2.15, 6.05),
    )
)


@pytest.mark.data
@pytest.mark.parametrize(
    ("steps", "n", "least"),
    [(500, 10, 0.8), pytest.param(5000, 20, 0.9, marks=slow)],
    ids=["short", "as published"],
)
def test_scores_agree_with_those_of_the_authors(steps, n, least, data_home):
    method = ROCHE(steps=steps)
    found = [
        item.truth.sign * confidence(method, item.pair.x, item.pair.y, at)
        for at, item in zip(range(n), benchmark("SIM", data_home), strict=False)
    ]
    assert np.mean(np.sign(found) == np.sign(ON_SIM[:n])) >= least
    assert spearmanr(found, ON_SIM[:n]).statistic >= least


# The authors' accuracies, from their scores of every pair.
PUBLISHED = {"SIM": 0.78, "SIM-G": 0.81, "AN": 1.0, "LS": 1.0, "LS-s": 1.0}


@slow
@pytest.mark.data
@pytest.mark.parametrize(("name", "expected"), PUBLISHED.items())
def test_accuracies_are_near_the_published_ones(name, expected, data_home):
    found, _ = accuracies(ROCHE(), benchmark(name, data_home))
    assert found == pytest.approx(expected, abs=0.04)


@slow
@pytest.mark.data
def test_tuebingen_accuracies_are_near_the_published_ones(data_home):
    # The authors have 0.707 of all 99 pairs alike, and 0.77 weighted, from one start. Six starts
    # gave 0.687 to 0.737 and 0.699 to 0.775 here, with deviations of 0.017 and 0.028: two of these.
    alike, weighted = accuracies(ROCHE(), benchmark("tuebingen", data_home))
    assert alike == pytest.approx(0.707, abs=0.034)
    assert weighted == pytest.approx(0.77, abs=0.056)
