"""Columns that splines are tried on."""

from __future__ import annotations

import numpy as np
import pytest


def columns(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "normal": rng.normal(size=n),
        "skewed": rng.exponential(size=n) ** 2,
        "heavy tails": rng.standard_t(2, size=n),
        "even": np.linspace(-1.0, 1.0, n),
        "tied": rng.normal(size=n).round(1),
    }


def wave(x: np.ndarray, seed: int = 1) -> np.ndarray:
    return np.sin(2.0 * x) + 0.3 * np.random.default_rng(seed).normal(size=len(x))


COLUMNS = columns(150)
every_column = pytest.mark.parametrize("x", COLUMNS.values(), ids=COLUMNS)
