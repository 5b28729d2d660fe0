"""Tests of levels: they reject at their level, and where they should."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pytest

from benchmarks.level_sizes import (
    ALPHA,
    NOISES,
    RESULTS,
    SEED,
    TABLES,
    p_values,
    page,
    three_columns,
)
from bqcd.statistics.level_tests import (
    LevelTest,
    chosen_inputs,
    interaction_test,
    level_test,
    shape_test,
)
from bqcd.statistics.splines.level_models import LevelModels


def check_sizes(rejected, draws, level):
    """No more than two standard errors above the level, for each test on its own."""
    bound = level + 2.0 * sqrt(level * (1.0 - level) / draws)
    assert (rejected <= bound).all(), (rejected, bound)


@pytest.mark.slow
@pytest.mark.parametrize("kind", NOISES)
def test_no_test_rejects_what_holds_more_often_than_it_says(kind):
    draws = 700
    found = np.array([p_values(kind, [SEED, seed]) for seed in range(draws)])
    check_sizes((found < ALPHA).mean(axis=0), draws, ALPHA)


def test_recorded_sizes_are_within_two_standard_errors_and_on_the_page():
    counts = json.loads((RESULTS / "level_sizes.json").read_text(encoding="utf-8"))
    assert set(counts) == {*NOISES, *TABLES}
    for kind, found in counts.items():
        assert found["draws"] >= 1000, kind
        assert len(found["rejected"]) == (4 if kind in NOISES else 1)
        beyond = np.array(found["rejected"]) / found["draws"] - ALPHA
        assert (np.abs(beyond) <= 2.0 * sqrt(ALPHA * (1.0 - ALPHA) / found["draws"])).all(), kind
    assert (RESULTS / "level_sizes.md").read_text(encoding="utf-8") == page(counts)


def test_an_environment_that_changes_the_spread_only_is_seen():
    rng = np.random.default_rng(0)
    where = np.arange(600) % 2
    x, noise = rng.normal(size=(2, 600))
    y = np.sin(x) + np.where(where, 0.8, 0.4) * noise
    models = LevelModels([y, x], 8)
    assert level_test(models.fit(0, [1]), where[None, :].astype(float)).p_value < 1e-6


@pytest.mark.parametrize("kind", NOISES)
def test_levels_have_variance_1_over_all_directions_that_the_model_leaves(kind):
    target, x, w, _, _ = three_columns(kind, np.random.default_rng(7), 120)
    model = LevelModels([target, x, w], 8).fit(0, [1, 2])
    everything = level_test(model, np.eye(120))
    assert everything.degrees == 3 * (120 - 29)
    # Ranks have a variance that is less than 1 by some 1 / n².
    assert everything.statistic == pytest.approx(everything.degrees, rel=1e-3)


def test_a_value_that_two_rows_have_is_no_evidence():
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(300):
        target, x = np.zeros(400), rng.normal(size=400)
        target[rng.choice(400, size=2, replace=False)] = 1.0
        models = LevelModels([target, x], 8)
        rejected += level_test(models.fit(0, []), models.functions(1)).p_value < ALPHA
    assert rejected <= 300 * ALPHA


def test_what_the_model_has_cannot_be_tested_again():
    x, y = np.random.default_rng(0).normal(size=(2, 200))
    models = LevelModels([y, x], 8)
    found = level_test(models.fit(0, [1]), models.functions(1))
    assert found == LevelTest(0.0, 0)
    assert found.p_value == 1.0


def test_the_shape_of_the_noise_tells_the_wrong_direction():
    rng = np.random.default_rng(1)
    x = rng.normal(size=1000)
    y = x**2 + 0.5 * rng.normal(size=1000)
    models = LevelModels([x, y], 8)
    assert shape_test(models.fit(1, [0])).p_value > 0.01
    assert shape_test(models.fit(0, [1])).p_value < 1e-6


def test_products_tell_that_a_model_is_not_additive():
    rng = np.random.default_rng(2)
    x, w, noise = rng.normal(size=(3, 600))
    for signal, low, high in ((x * w, 0.0, 1e-6), (x + w, 0.01, 1.0)):
        models = LevelModels([signal + 0.5 * noise, x, w], 8)
        assert low <= interaction_test(models.fit(0, [1, 2]), models.inputs[1:]).p_value <= high


def test_logarithms_of_p_values_are_those_of_chi_square():
    from scipy.stats import chi2

    assert LevelTest(12.0, 4).p_value == pytest.approx(chi2.sf(12.0, 4))
    # exp(-x / 2) (1 + x / 2) for four degrees.
    assert LevelTest(4000.0, 4).log_p == pytest.approx(np.log(2001.0) - 2000.0, rel=1e-12)


def test_inputs_are_chosen_also_by_what_they_do_to_the_spread_or_given_others():
    rng = np.random.default_rng(4)
    x, w, noise = rng.normal(size=(3, 800))
    others = rng.normal(size=(6, 800))
    columns = [np.exp(0.8 * x) * noise + w, *others, x, w]
    models = LevelModels(columns, 8)
    assert sorted(chosen_inputs(models, 0, range(1, 9), most=5, cutoff=0.05)) == [7, 8]
    # w explains x only once the target is given, and is chosen after it.
    assert chosen_inputs(models, 8, range(8), most=5, cutoff=0.05)[0] == 0
    assert len(chosen_inputs(models, 0, range(1, 9), most=5)) == 5
