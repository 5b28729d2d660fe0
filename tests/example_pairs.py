"""Pairs and a method that tests of views and of plots share."""

from dataclasses import dataclass

import numpy as np

from bqcd import Pair, Verdict


def bent_pair() -> Pair:
    """y = x^2 + 0.3 noise with uniform x in [-2, 2]: clearly x -> y."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, 600)
    return Pair(x, x**2 + 0.3 * rng.normal(size=600))


def location_scale_pair(n: int, x_name: str = "x", y_name: str = "y") -> Pair:
    """y = x^2 + (1 + x / 2) noise with uniform x in [0, 2] and standard normal noise."""
    rng = np.random.default_rng(5)
    x = rng.uniform(0.0, 2.0, n)
    return Pair(x, x**2 + (1.0 + x / 2.0) * rng.normal(size=n), x_name, y_name)


def turned(pair: Pair) -> Pair:
    return Pair(pair.y, pair.x, pair.y_name, pair.x_name)


@dataclass(frozen=True)
class Constant:
    """A method without quantiles that always answers the same."""

    confidence: float

    def decide(self, pair: Pair, rng: np.random.Generator) -> Verdict:
        return Verdict(self.confidence, pair)
