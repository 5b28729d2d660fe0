"""Simulated pairs, each from its family and number alone, so that any can be made by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import APART, COMMON, FAMILIES
from measurement import measured

Vector = NDArray[np.float64]

FEWEST, MOST = 80, 1200
EVERY = {**FAMILIES, **COMMON, **APART}
# Distinct values a column must have, as those with fewer are hardly columns of numbers.
LEAST_VALUES = 3


@dataclass(frozen=True)
class Simulated:
    """A pair of columns and where it comes from: x causes y in ``FAMILIES``."""

    family: str
    number: int
    x: Vector
    y: Vector

    @property
    def kind(self) -> int:
        """0 if x causes y, 1 if a hidden third is all that links them, 2 if nothing does."""
        return 0 if self.family in FAMILIES else 1 if self.family in COMMON else 2


def simulated(family: str, number: int) -> Simulated:
    """Pair of that number in its family: the same whatever else was made before."""
    rng = default_rng([2028, crc32(family.encode()), number])
    while True:
        n = round(FEWEST * (MOST / FEWEST) ** rng.random())
        with np.errstate(all="ignore"):
            x, y = EVERY[family](n, rng)
            x, y = recorded(x, rng), recorded(y, rng)
        if _usable(x) and _usable(y) and len(x) == len(y):
            return Simulated(family, number, x, y)


def recorded(column: Vector, rng: Generator) -> Vector:
    """A column measured, the right way up or upside down."""
    return measured(np.asarray(column, dtype=np.float64), rng) * rng.choice([1.0, 1.0, -1.0])


def _usable(column: Vector) -> bool:
    return bool(np.isfinite(column).all()) and len(np.unique(column)) >= LEAST_VALUES


def keys(rounds: range) -> Iterator[tuple[str, int]]:
    """Family and number of the pairs of these rounds.

    One of each family in a round, but pairs without a direction in every second one only.
    """
    for number in rounds:
        for family in EVERY if number % 2 == 0 else FAMILIES:
            yield family, number
