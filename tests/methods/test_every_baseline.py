"""Which rows baselines draw, what they cannot solve, and which settings they refuse."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from math import sqrt

import numpy as np
import pytest

from bqcd.data.pair import Pair
from bqcd.errors import InvalidSettingError
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import DirectedScores
from tests.methods.trials import bent, confidence, kinds, linear_gaussian

BASELINES = {
    type(method).__name__: type(method)
    for method in (card.build() for name, card in METHODS.items() if name != "bqcd")
}


# -- draws of rows ---------------------------------------------------------------------

DRAWING = ("cure", "gpi", "gplvm", "gran", "loci", "pnl", "roche")


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
def test_all_rows_are_taken_once_if_they_are_not_too_many(method):
    for max_rows in (0, 60, 1_000):
        evidence = replace(method, max_rows=max_rows, draws=3).evidence(
            Pair(*bent(60)), np.random.default_rng(0)
        )
        isolated = evidence.facts.get("isolated_rows", 0)
        assert (evidence.n_rows + isolated, evidence.facts["draws"]) == (60, 1), max_rows


# -- what cannot be solved -------------------------------------------------------------

# Pairs, and rows of each.
TOSSES = {
    "bicam": (200, 150),
    "cdci": (200, 300),
    "emd": (200, 100),
    "gplvm": (80, 100),
    "gran": (60, 100),
    "grci": (100, 200),
    "heci": (200, 300),
    "loci": (100, 200),
    "pnl": (100, 100),
    "reci": (200, 200),
    "resit": (60, 100),
    "roche": (60, 120),
    "slope": (400, 100),
    "sloppy": (40, 100),
}


@kinds(*TOSSES)
def test_linear_gaussian_pairs_are_a_coin_flip(method):
    n_pairs, n_rows = TOSSES[type(method).__name__.lower()]
    rngs = [np.random.default_rng(seed) for seed in range(n_pairs)]
    answers = [
        confidence(method, *linear_gaussian(rng, n_rows), seed) for seed, rng in enumerate(rngs)
    ]
    decided = np.count_nonzero(answers)
    assert decided > 0.25 * n_pairs
    # Three and a half standard errors.
    right = np.count_nonzero(np.array(answers) > 0.0)
    assert abs(right / decided - 0.5) <= 3.5 * sqrt(0.25 / decided)


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

MAX_LEVELS = [
    ("max_levels", value, "an integer from 2 to 200") for value in (1, 201, 2.0, "8", True)
]
SUPPORT = ("support", "reals", "one of 'integers', 'cyclic'")
POSITIVE = "a number > 0 and <= 1e+06"

REFUSED = {
    "ACID": [SUPPORT, *MAX_LEVELS],
    "Auto": [("ordered", "loci", "one of 'bqcd', 'panel'")],
    "CISC": MAX_LEVELS,
    "DiscreteANM": [
        SUPPORT,
        *MAX_LEVELS,
        *(("level", value, "a number > 0 and <= 0.5") for value in (0, 0.6, "0.05")),
    ],
    "Entropic": MAX_LEVELS,
    "HCR": [*MAX_LEVELS, ("equal_levels", 1, YES_OR_NO)],
    "KCDC": [
        *DRAWS,
        *((name, value, POSITIVE) for name in ("width", "ridge") for value in (0, -1.0, "1")),
    ],
    "Origo": MAX_LEVELS,
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
    "GPLVM": [
        *DRAWS,
        ("steps", 0, "an integer from 1 to 1,000,000"),
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
    "Panel": [*DRAWS, ("depth", "slow", "one of 'quick', 'deep'")],
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


@pytest.mark.parametrize("owner", REFUSED)
def test_a_setting_out_of_range_is_refused_by_name(owner):
    for name, value, rule in REFUSED[owner]:
        message = re.escape(f"{name} of {owner} must be {rule}, got {value!r}.")
        with pytest.raises(InvalidSettingError, match=f"^{message}$"):
            BASELINES[owner](**{name: value})


def test_every_setting_of_every_baseline_has_values_that_are_refused():
    known = {
        owner: {field.name for field in fields(baseline)}
        for owner, baseline in BASELINES.items()
        if is_dataclass(baseline) and fields(baseline)
    }
    assert {owner: {name for name, _, _ in rows} for owner, rows in REFUSED.items()} == known
