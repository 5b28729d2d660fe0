"""Tables that reports are made of in tests."""

from __future__ import annotations

import numpy as np

import bqcd

SCRIPT = "<script>alert(1)</script>"
FORMULA = "=cmd()"


def columns(n: int = 150) -> dict[str, np.ndarray]:
    """Three columns that depend on each other and one that does not, with names to be wary of."""
    rng = np.random.default_rng(5)
    dose, noise, other = rng.normal(size=(3, n))
    response = dose**2 + 0.3 * noise
    return {
        "dose": dose,
        SCRIPT: response,
        FORMULA: np.sin(2.0 * response) + 0.2 * rng.normal(size=n),
        "other": other,
    }


def bent(n: int, seed: int = 0) -> bqcd.Pair:
    """A pair of which the first column is the cause."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return bqcd.Pair(x, x**2 + 0.3 * rng.normal(size=n), "dose", "response")
