"""Pairs that are hard on arithmetic, and shares of right answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from bqcd.contract import Method
from bqcd.datasets import PairSet, load_pairs
from bqcd.pair import Pair

Columns = tuple[np.ndarray, np.ndarray]

PAIRSETS = ("SIM", "SIM-c", "SIM-ln", "SIM-G", "AN", "AN-s", "LS", "LS-s", "MN-U")


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


def awkward() -> dict[str, Columns]:
    rng = np.random.default_rng(10)
    x = rng.normal(size=200)
    mostly = np.where(rng.uniform(size=200) < 0.9, 0.0, x)
    signs = np.where(x > 0.0, 1.7e308, -1.7e308)
    outlier = np.append(x[:-1], 1e12)
    return {
        "nine in ten tied": (mostly, np.where(mostly == 0.0, 1.0, x**2)),
        "nine in ten tied in one": (mostly, x**2),
        "a function": (x, np.exp(x)),
        "a line": (x, 3.0 * x + 1.0),
        "a falling line": (x, -3.0 * x + 1.0),
        "large numbers": (1e12 + x, 1e12 * x),
        "large and hardly different": (1e12 + 1e-4 * x, x),
        "twenty rows": (x[:20], x[:20] ** 2),
        "ten rows, two values": (x[:10] > 0.0, x[10:20]),
        "two values each": (x > 0.0, x**2 > 1.0),
        "one row apart": (np.arange(200) == 7, x),
        "a range beyond the largest number": (signs, x),
        "the smallest numbers": (np.round(3.0 * x) * 5e-324, x),
        "two of the smallest numbers": ((x > 0.0) * 5e-324, x),
        "small beside large": (np.where(x > 1.0, 1e300, 1e-300 * x), x),
        "one value far away": (outlier, x**2),
        "one row far away": (outlier, outlier + x),
        "whole numbers": (np.arange(200), np.arange(200) ** 2),
        "exchangeable columns": (np.append(x, x[::-1] ** 2), np.append(x**2, x[::-1])),
    }


AWKWARD = awkward()


def check_awkward(method: Method, x, y) -> None:
    """Finite, the other way round with exchanged columns, and the same for any row order."""
    found = confidence(method, x, y)
    assert np.isfinite(found)
    assert confidence(method, y, x) == -found
    order = np.random.default_rng(11).permutation(len(x))
    assert confidence(method, x[order], y[order]) == found
    assert confidence(method, x, x.copy()) == 0.0
