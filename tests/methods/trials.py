"""Kinds of methods, pairs that are hard on arithmetic, and shares of right answers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from bqcd.benchmark.datasets import PairSet, load_pairs
from bqcd.data.pair import Pair
from bqcd.methods.anm import Decision
from bqcd.methods.cards import MethodCard
from bqcd.methods.cdci import DIVERGENCES
from bqcd.methods.slope import Library, Slope
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import Method

Columns = tuple[np.ndarray, np.ndarray]

PAIRSETS = ("SIM", "SIM-c", "SIM-ln", "SIM-G", "AN", "AN-s", "LS", "LS-s", "MN-U")

# Settings that lead to code of their own, the default first; the promises hold under all.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "bqcd": [{}, {"jitters": 3}, {"n_levels": 7, "small_n": 0}, {"regressor": "forest"}],
    "igci-u": [{}],
    "igci-g": [{}],
    "igci-entropy-u": [{}],
    "igci-entropy-g": [{}],
    "anm": [
        {},
        *({"decision": decision} for decision in get_args(Decision)[1:]),
        {"max_rows": 150, "draws": 2},
    ],
    "resit": [{}, {"standardise": True}, {"regressor": "trained"}, {"alpha": 1.0}],
    "emd": [{}, {"draws": 2}],
    "lingam": [
        {},
        {"standardise": True},
        {"prune": False},
        {"measure": "likelihood"},
        {"measure": "kernel"},
    ],
    "reci": [
        {},
        {"scaling": "variance"},
        {"min_density": 0.35},
        {"curve": "mon"},
        {"curve": "mon", "degree": 2},
        {"curve": "poly"},
        {"curve": "poly", "degree": 9},
    ],
    "bicam": [{}, {"n_basis": 20}],
    "slope": [
        {},
        *({"library": library} for library in get_args(Library) if library != Slope.library),
        {"local": False},
        {"alpha": 0.001},
    ],
    "sloppy": [
        {},
        {"scaling": "range", "criterion": "aic"},
        {"scaling": "range", "criterion": "l0"},
        {"regression": "basis"},
        {"regression": "basis", "scaling": "range", "n_functions": 14},
    ],
    "grci": [{}, {"neighbours": 3}, {"max_rows": 150, "draws": 2}],
    "heci": [
        {},
        {"n_bins": 8, "min_values": 5},
        {"n_bins": 1},
        {"max_rows": 150, "draws": 2},
    ],
    "cdci": [
        {},
        *({"divergence": divergence} for divergence in list(DIVERGENCES)[1:]),
        {"divergence": "hellinger", "max_deviation": 2},
    ],
    "pnl": [{}, {"inverse": "monotone"}, {"max_rows": 100, "draws": 2, "unskew": False}],
    "gran": [{}, {"folds": 3, "max_rows": 100, "draws": 2}],
    "loci": [
        {},
        {"decision": "likelihood"},
        {"max_rows": 100, "draws": 2},
        {"estimator": "network", "steps": 50, "decision": "likelihood"},
    ],
    "roche": [
        {},
        {"decision": "likelihood"},
        {"decision": "likelihood", "steps": 60, "max_rows": 200, "draws": 2},
    ],
    "gpi": [
        {},
        {"draws": 2},
        {"max_rows": 0, "max_steps": 2},
        {"preconditioned": True, "max_steps": 3},
    ],
    "gplvm": [{}, {"max_rows": 100, "draws": 2}, {"max_rows": 0, "steps": 5}],
    "cure": [
        {},
        {"min_density": None},
        {"min_length": 0.4, "max_rows": 40},
    ],
    "kcdc": [{}, {"width": 0.3}, {"max_rows": 100, "draws": 2}],
    "danm": [{}, {"support": "cyclic"}, {"max_levels": 30}],
    "acid": [{}, {"support": "cyclic"}, {"max_levels": 30}],
    "cisc": [{}, {"max_levels": 5}],
    "entropic": [{}, {"max_levels": 30}],
    "hcr": [{}, {"max_levels": 30}, {"equal_levels": True}],
    "origo": [{}, {"max_levels": 5}],
    "margins": [{}],
    "panel": [{}, {"max_rows": 100, "draws": 2}, {"max_rows": 60, "depth": "deep"}],
    "auto": [{}],
    "coin": [{}],
}

# They repeat published numbers that depend on units, or on where zero is.
PUBLISHED: dict[str, list[dict[str, Any]]] = {
    "igci-entropy-g": [{"published_shift": True}],
    "grci": [{"published_shift": True}],
}

# Too small to be right, they must answer as the others do.
ROUGH: dict[str, list[dict[str, Any]]] = {
    "cure": [{"start": "dispersed"}],
    "loci": [{"estimator": "network", "steps": 50}],
}

# Sizes that let promises of costly methods be checked on many pairs; nothing but size differs.
QUICK: dict[str, dict[str, Any]] = {
    "cure": {"max_rows": 60, "draws": 1, "chains": 2, "warmup": 0, "kept": 8},
    "gpi": {"max_rows": 60, "draws": 1, "max_steps": 8, "max_components": 5},
    "gplvm": {"max_rows": 150, "draws": 1},
    "roche": {"steps": 50},
    "gran": {"folds": 2, "grid": 4},
    "pnl": {"start_steps": 20, "steps": 40},
}

Case = tuple[MethodCard, dict[str, Any]]


def cases(*tables: dict[str, list[dict[str, Any]]], names: Collection[str] = METHODS) -> list[Case]:
    """Cards and settings of some tables, as quick as they can be."""
    return [
        (METHODS[name], QUICK.get(name, {}) | settings)
        for table in tables
        for name in table
        if name in names
        for settings in table[name]
    ]


def every(found: list[Case]) -> pytest.MarkDecorator:
    """Runs a test on every one of some cases."""
    ids = [" ".join((card.name, *map(str, settings.values()))) for card, settings in found]
    return pytest.mark.parametrize(("card", "settings"), found, ids=ids)


def kinds(*names: str) -> pytest.MarkDecorator:
    """Runs a test on every kind of the named methods."""
    found = cases(VARIANTS, PUBLISHED, ROUGH, names=names)
    ids = [" ".join((card.name, *map(str, settings.values()))) for card, settings in found]
    methods = [card.build(**settings) for card, settings in found]
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


def bent(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A wave whose noise grows, on multiples of 2⁻²⁰ so that shifts and scales are exact."""
    rng = np.random.default_rng(3)
    x = rng.uniform(-2.0, 2.0, n)
    y = np.sin(2.0 * x) + x + (1.0 + 0.4 * x) * rng.normal(size=n)
    return np.round(x * 2.0**20) / 2.0**20, np.round(y * 2.0**20) / 2.0**20


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
