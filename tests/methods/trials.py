"""Kinds of baselines, pairs that are hard on arithmetic, and shares of right answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from bqcd.benchmark.datasets import PairSet, load_pairs
from bqcd.data.pair import Pair
from bqcd.methods.anm import Decision
from bqcd.methods.cdci import DIVERGENCES
from bqcd.methods.slope import Library
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import Method

Columns = tuple[np.ndarray, np.ndarray]

PAIRSETS = ("SIM", "SIM-c", "SIM-ln", "SIM-G", "AN", "AN-s", "LS", "LS-s", "MN-U")

BY_ENTROPY = {"estimator": "entropy", "reference": "gaussian"}
FEW_STATES = {"max_rows": 60, "draws": 1, "chains": 2, "warmup": 0, "kept": 8}
FEW_STEPS = {"max_rows": 60, "draws": 1, "max_steps": 8, "max_components": 5}
FEW_DRAWS = {"max_rows": 100, "draws": 2}
NETWORK = {"estimator": "network", "steps": 60}
TRAINING = {"start_steps": 10, "steps": 20}
BASIS = {"regression": "basis"}

BASELINES: dict[str, type] = {
    type(method).__name__: type(method)
    for method in (card.build() for name, card in METHODS.items() if name != "bqcd")
}

# Settings that lead to code of their own, small where a method is costly.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "ANM": [{"decision": decision} for decision in get_args(Decision)],
    "BiCAM": [{}],
    "CDCI": [{"divergence": divergence} for divergence in DIVERGENCES],
    "CURE": [{**FEW_STATES, "start": "dispersed"}],
    "EMD": [{}, {"draws": 3}],
    "GPI": [FEW_STEPS, {**FEW_STEPS, "max_steps": 4, "preconditioned": True}],
    "GRAN": [{"folds": 2, "grid": 4}, {"folds": 3, "grid": 4, **FEW_DRAWS}],
    "GRCI": [{}, {"neighbours": 3}, {"published_shift": True}],
    "HECI": [{}, {"n_bins": 8, "min_values": 5}, {"n_bins": 1}],
    "IGCI": [
        {},
        {"reference": "gaussian"},
        {"estimator": "entropy"},
        BY_ENTROPY,
        {**BY_ENTROPY, "published_shift": True},
    ],
    "LOCI": [
        {},
        {"decision": "likelihood"},
        NETWORK,
        {**NETWORK, "decision": "likelihood"},
        FEW_DRAWS,
    ],
    "LiNGAM": [
        {},
        {"standardise": True},
        {"prune": False},
        {"measure": "likelihood"},
        {"measure": "kernel"},
    ],
    "PNL": [
        TRAINING,
        {**TRAINING, "inverse": "monotone"},
        {**TRAINING, **FEW_DRAWS, "unskew": False},
    ],
    "RECI": [
        {},
        {"scaling": "variance"},
        {"min_density": 0.35},
        {"curve": "mon"},
        {"curve": "mon", "degree": 2, "scaling": "variance"},
        {"curve": "poly"},
        {"curve": "poly", "degree": 9},
    ],
    "RESIT": [{}, {"standardise": True}, {"regressor": "trained"}, {"alpha": 1.0}],
    "ROCHE": [
        {"steps": 60},
        {"steps": 60, "decision": "likelihood"},
        {"steps": 30, **FEW_DRAWS},
    ],
    "Slope": [{"library": library} for library in get_args(Library)],
    "Sloppy": [
        {},
        {"scaling": "range", "criterion": "aic"},
        {"scaling": "range", "criterion": "l0"},
        BASIS,
        {**BASIS, "scaling": "range", "n_functions": 14},
    ],
}


def kinds(*names: str) -> pytest.MarkDecorator:
    """Runs a test on every kind of the named baselines, of all if there is no name."""
    rows = [(name, settings) for name in names or SETTINGS for settings in SETTINGS[name]]
    methods = [BASELINES[name](**settings) for name, settings in rows]
    ids = [" ".join((name, *map(str, settings.values()))) for name, settings in rows]
    return pytest.mark.parametrize("method", methods, ids=ids)


def confidence(method: Method, x, y, seed: int = 0) -> float:
    return method.decide(Pair(x, y), np.random.default_rng(seed)).confidence


def share_right(method: Method, draw: Callable[[np.random.Generator], Columns], n: int) -> float:
    """Share of n drawn pairs, first column the cause, that the method answers so."""
    right = 0
    for seed in range(n):
        right += confidence(method, *draw(np.random.default_rng(seed)), seed) > 0.0
    return right / n


@lru_cache(maxsize=16)
def benchmark(name: str, home: Path) -> PairSet:
    return load_pairs(name, data_home=home)


def accuracies(method: Method, pairs: PairSet) -> tuple[float, float]:
    """Share of right answers, and the same with weights; undecided is wrong."""
    signs = [
        np.sign(method.decide(item.pair, np.random.default_rng(at)).confidence)
        for at, item in enumerate(pairs)
    ]
    right = np.array(signs) == [item.truth.sign for item in pairs]
    return float(right.mean()), float(np.average(right, weights=[item.weight for item in pairs]))


def signed_confidences(method: Method, pairs: PairSet) -> tuple[np.ndarray, np.ndarray]:
    """Confidences, positive where the answer is right, and weights."""
    found = [item.truth.sign * confidence(method, item.pair.x, item.pair.y) for item in pairs]
    return np.array(found), np.array([item.weight for item in pairs])


def linear_gaussian(rng: np.random.Generator, n: int) -> Columns:
    """A pair that looks the same from both sides, once scaled."""
    x = rng.normal(size=n)
    return x, x + rng.normal(size=n)


def awkward() -> dict[str, Columns]:
    rng = np.random.default_rng(10)
    x = rng.normal(size=200)
    mostly = np.where(rng.uniform(size=200) < 0.9, 0.0, x)
    signs = np.where(x > 0.0, 1.7e308, -1.7e308)
    outlier = np.append(x[:-1], 1e12)
    noise, clusters = rng.normal(size=200), np.where(x > 0.0, 1.0, 0.0)
    return {
        "nine in ten tied": (mostly, np.where(mostly == 0.0, 1.0, x**2)),
        "nine in ten tied in one": (mostly, x**2),
        "a function": (x, np.exp(x)),
        "a line": (x, 3.0 * x + 1.0),
        "a falling line": (x, -3.0 * x + 1.0),
        "a wave": (x, np.sin(3.0 * x)),
        "a step": (x, x > 0.0),
        "large numbers": (1e12 + x, 1e12 * x),
        "a parabola of large numbers": (1e12 + x, 1e12 * x**2),
        "large and hardly different": (1e12 + 1e-4 * x, x),
        "twenty rows": (x[:20], x[:20] ** 2),
        "ten rows, two values": (x[:10] > 0.0, x[10:20]),
        "two values each": (x > 0.0, x**2 > 1.0),
        "three values": (np.sign(x.round()), x),
        "five values": (np.clip(x.round(), -2.0, 2.0), x + noise),
        "clusters": (clusters + 1e-9 * x, noise),
        "tight clusters": (clusters + 1e-12 * x, noise),
        "heavy tails": tuple(rng.standard_cauchy((2, 200)) ** 5),
        "one row apart": (np.arange(200) == 7, x),
        "a range beyond the largest number": (signs, x),
        "the smallest numbers": (np.round(3.0 * x) * 5e-324, x),
        "two of the smallest numbers": ((x > 0.0) * 5e-324, x),
        "small beside large": (np.where(x > 1.0, 1e300, 1e-300 * x), x),
        "next to nothing": (np.where(x > 0.0, x, 5e-324 * np.arange(200)), x),
        "halves of halves": (2.0 ** -np.arange(200.0), x),
        "tenths of tenths": (10.0 ** -np.arange(200.0), x),
        "one value far away": (outlier, x**2),
        "one value among small ones": (np.where(np.arange(200) == 3, 1e6, 1e-3 * x), noise),
        "one row far away": (outlier, outlier + x),
        "whole numbers": (np.arange(200), np.arange(200) ** 2),
        "exchangeable columns": (np.append(x, x[::-1] ** 2), np.append(x**2, x[::-1])),
    }


AWKWARD = awkward()
