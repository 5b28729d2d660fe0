"""Kinds of noise, how much there is, and how its spread follows the cause; see PRIOR.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from mechanisms import drawn_mechanism, positive, standardised
from numpy.random import Generator
from numpy.typing import NDArray
from worlds import existing

Vector = NDArray[np.float64]


def _normal(n: int, rng: Generator) -> Vector:
    return rng.normal(size=n)


def _laplace(n: int, rng: Generator) -> Vector:
    return rng.laplace(size=n)


def _student(n: int, rng: Generator) -> Vector:
    return rng.standard_t(rng.uniform(2.5, 8.0), size=n)


def _uniform(n: int, rng: Generator) -> Vector:
    return rng.uniform(-1.0, 1.0, n)


def _skewed(n: int, rng: Generator) -> Vector:
    """Delays, losses, costs: a long tail on one side."""
    noise = rng.gamma(np.exp(rng.uniform(np.log(0.4), np.log(8.0))), size=n)
    return noise if rng.random() < 0.7 else -noise


def _two_peaks(n: int, rng: Generator) -> Vector:
    """A hidden attribute with two values: sex, site, device."""
    share = rng.uniform(0.15, 0.85)
    return np.where(rng.random(n) < share, 1.0, -1.0) + rng.uniform(0.1, 0.9) * rng.normal(size=n)


def _mixed(n: int, rng: Generator) -> Vector:
    """Most units vary little, some much."""
    wide = rng.random(n) < rng.uniform(0.05, 0.4)
    return rng.normal(size=n) * np.where(wide, rng.uniform(2.0, 6.0), 1.0)


def _several(n: int, rng: Generator) -> Vector:
    """A sum of a few small causes of different kinds: nearly Gaussian."""
    return sum(
        rng.uniform(0.3, 1.0) * standardised(NOISES[kind](n, rng))
        for kind in ("skewed", "uniform", "two peaks")
    )


NOISES: Mapping[str, Callable[[int, Generator], Vector]] = MappingProxyType(
    {
        "normal": _normal,
        "laplace": _laplace,
        "student": _student,
        "uniform": _uniform,
        "skewed": _skewed,
        "two peaks": _two_peaks,
        "mixed": _mixed,
        "several": _several,
    }
)
"""Kinds of noise by name."""


def drawn_noise(n: int, rng: Generator, *, cause: str = "") -> tuple[str, Vector]:
    """Kind and values of noise, standardised.

    Where noise is added or multiplied, the family names the kind of its cause: a Gaussian one then
    never meets Gaussian or uniform noise, as those are published recipes.
    """
    kinds = [k for k in NOISES if cause != "normal" or k not in ("normal", "uniform")]
    kinds = existing(kinds, list(NOISES))
    chances = np.array([3.0 if k == "normal" else 1.0 for k in kinds])
    kind = str(rng.choice(kinds, p=chances / chances.sum()))
    return kind, standardised(NOISES[kind](n, rng))


def noise_ratio(rng: Generator) -> float:
    """Deviation of the noise in deviations of the signal.

    The share of variance explained is 0.05 to 0.35 in three of ten pairs, else up to 0.99.
    """
    share = rng.uniform(0.05, 0.35) if rng.random() < 0.3 else rng.uniform(0.35, 0.99)
    return float(np.sqrt((1.0 - share) / share))


def drawn_spread(column: Vector, rng: Generator) -> Vector:
    """Spread of the noise at each value of the cause, about 1 on average."""
    kind = rng.integers(3)
    if kind == 0:
        spread = np.exp(rng.uniform(0.3, 1.2) * np.clip(drawn_mechanism(column, rng)[1], -3, 3))
    elif kind == 1:
        spread = 0.05 + positive(column, rng) ** rng.uniform(0.5, 2.0)
    else:
        spread = 0.05 + np.abs(drawn_mechanism(column, rng)[1] + rng.normal())
    return spread / np.sqrt(np.mean(spread**2))
