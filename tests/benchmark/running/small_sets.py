"""Small benchmarks with labels of both kinds and unequal weights."""

from __future__ import annotations

import numpy as np

from bqcd import Direction, Pair
from bqcd.benchmark.datasets import LabelledPair, PairSet, Source

SOURCE = Source("made up for tests", "free")


def small_set(name: str = "small", count: int = 6, *, rows: int = 12, seed: int = 0) -> PairSet:
    """Pairs ``name/1``, ``name/2``, ... with truths + + - + + - ... and weights 1, 2, 1, 2, ..."""
    rng = np.random.default_rng([seed, count])
    items = []
    for number in range(1, count + 1):
        x = rng.normal(size=rows)
        pair = Pair(x, x**3 + rng.normal(size=rows), key=f"{name}/{number}")
        truth = Direction.Y_TO_X if number % 3 == 0 else Direction.X_TO_Y
        items.append(LabelledPair(pair, truth, 1.0 + (number + 1) % 2))
    return PairSet(name, tuple(items), SOURCE)
