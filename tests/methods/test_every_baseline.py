"""What every baseline withstands and refuses, in all its kinds."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from functools import partial
from math import sqrt

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError
from bqcd.methods.verdict import DirectedScores
from tests.methods.trials import (
    AWKWARD,
    BASELINES,
    SETTINGS,
    confidence,
    kinds,
    linear_gaussian,
    share_right,
)

# Neither looks at the values.
NO_SETTINGS = {"AlwaysFirst", "Coin"}
BESIDE_ITSELF = {column.tobytes(): column for column, _ in AWKWARD.values()}.values()


def bent(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A wave whose noise grows, on multiples of 2⁻²⁰ so that shifts and scales are exact."""
    rng = np.random.default_rng(3)
    x = rng.uniform(-2.0, 2.0, n)
    y = np.sin(2.0 * x) + x + (1.0 + 0.4 * x) * rng.normal(size=n)
    return np.round(x * 2.0**20) / 2.0**20, np.round(y * 2.0**20) / 2.0**20


def test_every_baseline_is_checked():
    assert set(BASELINES) == set(SETTINGS) | NO_SETTINGS


# -- awkward input ---------------------------------------------------------------------


@kinds()
@pytest.mark.parametrize(("x", "y"), AWKWARD.values(), ids=AWKWARD)
def test_awkward_input_gets_a_finite_answer_that_flips(method, x, y):
    verdict = method.decide(Pair(x, y), np.random.default_rng(0))
    json.dumps(verdict.as_dict(), allow_nan=False)
    assert confidence(method, y, x) == -verdict.confidence
    order = np.random.default_rng(11).permutation(len(x))
    assert confidence(method, x[order], y[order]) == verdict.confidence


@kinds()
def test_an_awkward_column_beside_itself_is_undecided(method):
    for column in BESIDE_ITSELF:
        assert confidence(method, column, column.copy()) == 0.0


# -- what the numbers are --------------------------------------------------------------


@kinds()
def test_the_smaller_number_wins(method):
    verdict = method.decide(Pair(*bent(200)), np.random.default_rng(0))
    evidence = verdict.evidence
    if not isinstance(evidence, DirectedScores):
        pytest.skip("evidence of its own")
    difference = evidence.y_to_x - evidence.x_to_y
    assert np.sign(verdict.confidence) == np.sign(difference) != 0.0
    # LiNGAM is as sure as its arrow is heavy.
    assert abs(verdict.confidence) == abs(evidence.facts.get("weight", difference))


@kinds()
def test_shift_and_scale_change_nothing(method):
    if getattr(method, "published_shift", False):
        pytest.skip("where zero is matters to the published numbers")
    if type(method).__name__ in {"LiNGAM", "RESIT"} and not method.standardise:
        pytest.skip("rests on units")
    x, y = bent(200)
    assert confidence(method, 1024.0 * x - 3.0, y / 16.0 + 40.0) == confidence(method, x, y)


DRAWING = ("CURE", "GPI", "GRAN", "LOCI", "PNL", "ROCHE")


@kinds(*DRAWING)
def test_more_rows_than_wanted_are_drawn_and_averaged(method):
    pair = Pair(*bent(150))

    def told(seed: int, **settings: int) -> DirectedScores:
        return replace(method, **settings).evidence(pair, np.random.default_rng(seed))

    found, other = (told(seed, max_rows=60, draws=3) for seed in (0, 1))
    assert (found.n_rows, found.facts["draws"]) == (60, 3)
    assert found.x_to_y != other.x_to_y
    assert found.x_to_y != told(0, max_rows=60, draws=1).x_to_y


@kinds(*DRAWING)
@pytest.mark.parametrize("max_rows", [0, 150, 1_000])
def test_all_rows_are_taken_once_if_they_are_not_too_many(method, max_rows):
    evidence = replace(method, max_rows=max_rows, draws=3).evidence(
        Pair(*bent(150)), np.random.default_rng(0)
    )
    isolated = evidence.facts.get("isolated_rows", 0)
    assert (evidence.n_rows + isolated, evidence.facts["draws"]) == (150, 1)


# -- what cannot be solved -------------------------------------------------------------

# Pairs, and rows of each.
TOSSES = {
    "BiCAM": (200, 150),
    "CDCI": (200, 300),
    "EMD": (200, 100),
    "GRAN": (60, 100),
    "GRCI": (100, 200),
    "HECI": (200, 300),
    "LOCI": (100, 200),
    "PNL": (100, 100),
    "RECI": (200, 200),
    "RESIT": (60, 100),
    "ROCHE": (60, 120),
    "Slope": (400, 100),
    "Sloppy": (40, 100),
}


@kinds(*TOSSES)
def test_linear_gaussian_pairs_are_a_coin_flip(method):
    n_pairs, n_rows = TOSSES[type(method).__name__]
    share = share_right(method, partial(linear_gaussian, n=n_rows), n_pairs)
    # Three and a half standard errors.
    assert abs(share - 0.5) <= 3.5 * sqrt(0.25 / n_pairs)


# -- settings --------------------------------------------------------------------------

YES_OR_NO = "True or False"
SHARE = "a number > 0 and <= 1"
DENSITY = "a number > 0 and <= 0.9"
MAX_ROWS = "an integer from 0 to 1,000,000,000"
STEPS = "an integer from 0 to 1,000,000"
DRAWS = [
    ("max_rows", 9, "an integer from 10 to 1,000,000,000"),
    ("max_rows", -1, "an integer from 10 to 1,000,000,000"),
    ("max_rows", False, MAX_ROWS),
    ("draws", 0, "an integer from 1 to 10,000"),
]

REFUSED = {
    "ANM": [
        *DRAWS,
        ("decision", "pvalue", "one of 'hsic', 'p-value', 'entropy', 'gaussian', 'evidence'"),
    ],
    "BiCAM": [
        ("n_basis", value, "an integer from 3 to 1,000") for value in (2, 0, 10.0, "10", True)
    ],
    "CDCI": [
        (
            "divergence",
            "wasserstein",
            "one of 'total variation', 'kullback-leibler', 'kolmogorov', 'hellinger', "
            "'chi-squared'",
        ),
        ("max_deviation", 0, "an integer from 1 to 100"),
        ("max_deviation", 2.5, "an integer from 1 to 100"),
    ],
    "CURE": [
        ("max_rows", -1, MAX_ROWS),
        ("draws", 0, "an integer from 1 to 10,000"),
        ("chains", 1, "an integer from 2 to 100"),
        ("warmup", -1, STEPS),
        ("kept", 7, "an integer from 8 to 1,000,000"),
        ("start", "truth", "one of 'published', 'dispersed'"),
        ("min_length", 0.1, "a number > 0.1 and <= 1"),
        ("min_noise", 0.0, "a number > 0.01 and <= 0.25"),
        ("min_density", 1.0, DENSITY),
    ],
    "EMD": [
        ("width", 0.0, "a number > 0 and <= 1e+06"),
        ("ridge", -1, "a number > 0 and <= 1e+06"),
        ("draws", -1, "an integer from 0 to 10,000"),
        ("draws", 1.5, "an integer from 0 to 10,000"),
    ],
    "GPI": [
        *DRAWS,
        ("max_steps", -1, STEPS),
        ("preconditioned", 1, YES_OR_NO),
        ("max_components", 0, "an integer from 1 to 1,000"),
    ],
    "GRAN": [
        *DRAWS,
        ("folds", 1, "an integer from 2 to 100"),
        ("grid", 1.5, "an integer from 2 to 100"),
    ],
    "GRCI": [
        *DRAWS,
        ("neighbours", 0, "an integer from 1 to 1,000"),
        ("published_shift", 1, YES_OR_NO),
    ],
    "HECI": [
        *DRAWS,
        ("n_bins", 0, "an integer from 1 to 100"),
        ("n_bins", 101, "an integer from 1 to 100"),
        ("min_values", 1, "an integer from 2 to 1,000,000,000"),
    ],
    "IGCI": [
        ("reference", "normal", "one of 'uniform', 'gaussian'"),
        ("estimator", "gap", "one of 'slope', 'entropy'"),
        ("published_shift", 1, YES_OR_NO),
    ],
    "LOCI": [
        *DRAWS,
        ("decision", "p-value", "one of 'hsic', 'likelihood'"),
        ("estimator", "forest", "one of 'ridge', 'network'"),
        ("steps", 0, "an integer from 1 to 1,000,000"),
    ],
    "LiNGAM": [
        ("measure", "hsic", "one of 'ica', 'likelihood', 'kernel'"),
        ("prune", 1, YES_OR_NO),
        ("standardise", "yes", YES_OR_NO),
    ],
    "PNL": [
        *DRAWS,
        ("inverse", "spline", "one of 'mlp', 'monotone'"),
        ("start_steps", -1, STEPS),
        ("steps", 1.5, STEPS),
        ("unskew", 1, YES_OR_NO),
    ],
    "RECI": [
        ("curve", "spline", "one of 'log', 'mon', 'poly'"),
        ("degree", 0, "an integer from 1 to 9"),
        ("degree", 10, "an integer from 1 to 9"),
        ("scaling", "ranks", "one of 'range', 'variance'"),
        ("min_density", 0.0, DENSITY),
        ("min_density", 1, DENSITY),
    ],
    "RESIT": [
        ("regressor", "spline", "one of 'fixed', 'trained'"),
        ("standardise", 1, YES_OR_NO),
        ("alpha", 0.0, SHARE),
        ("alpha", 1.5, SHARE),
        ("smallest_p", 1.5, SHARE),
    ],
    "ROCHE": [
        *DRAWS,
        ("decision", "p-value", "one of 'hsic', 'likelihood'"),
        ("steps", 0, "an integer from 1 to 1,000,000"),
    ],
    "Slope": [
        ("library", "full", "one of 'published', 'corrected', 'extended'"),
        ("local", 1, YES_OR_NO),
        ("alpha", 0.0, SHARE),
        ("alpha", 1.01, SHARE),
    ],
    "Sloppy": [
        ("regression", "lines", "one of 'spline', 'basis'"),
        ("criterion", "BIC", "one of 'bic', 'aic', 'l0'"),
        ("scaling", "none", "one of 'variance', 'range'"),
        ("n_functions", 15, "an integer from 1 to 14"),
    ],
}


@pytest.mark.parametrize(
    ("owner", "name", "value", "rule"),
    [(owner, *row) for owner, rows in REFUSED.items() for row in rows],
)
def test_a_setting_out_of_range_is_refused_by_name(owner, name, value, rule):
    message = re.escape(f"{name} of {owner} must be {rule}, got {value!r}.")
    with pytest.raises(InvalidSettingError, match=f"^{message}$"):
        BASELINES[owner](**{name: value})


@pytest.mark.parametrize("owner", SETTINGS)
def test_every_setting_has_values_that_are_refused(owner):
    known = {field.name for field in fields(BASELINES[owner])}
    assert {name for name, _, _ in REFUSED[owner]} == known
