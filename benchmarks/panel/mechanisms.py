"""Kinds of mechanisms: functions of one column. PRIOR.md argues for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline, PchipInterpolator
from worlds import existing

Vector = NDArray[np.float64]


def standardised(column: Vector) -> Vector:
    """Column of mean 0 and deviation 1; zeros where it does not vary."""
    deviation = float(column.std())
    if deviation <= 1e-12 * (1.0 + float(np.abs(column).max())):
        return np.zeros_like(column)
    return (column - column.mean()) / deviation


def within(column: Vector) -> Vector:
    """Column from 0 to 1, tails beyond a hundredth at either end going on past them."""
    low, high = np.quantile(column, [0.01, 0.99])
    if high <= low:
        low, high = float(column.min()), float(column.max())
    return (column - low) / max(high - low, 1e-12)


def positive(column: Vector, rng: Generator) -> Vector:
    """Column from a start above 0, as sizes, doses and amounts are."""
    place = within(column)
    return np.clip(place - place.min(), 0.0, None) + rng.uniform(0.0, 0.5) ** 2


def monotone_spline(column: Vector, rng: Generator) -> Vector:
    """Increasing curve through random steps."""
    place = within(column)
    ends = float(place.min()), float(place.max())
    knots = np.linspace(*ends, int(rng.integers(4, 9)))
    steps = rng.gamma(np.exp(rng.uniform(np.log(0.4), np.log(4.0))), size=len(knots) - 1) + 0.02
    return standardised(PchipInterpolator(knots, np.concatenate(([0.0], np.cumsum(steps))))(place))


def _linear(column: Vector, rng: Generator) -> Vector:
    return column


def _free_spline(column: Vector, rng: Generator) -> Vector:
    """Smooth curve through random values at a few places."""
    place = within(column)
    knots = np.linspace(-0.05, 1.05, int(rng.integers(4, 8)))
    values = rng.normal(size=len(knots)) + rng.normal() * 2.0 * knots
    return CubicSpline(knots, values, bc_type="natural")(np.clip(place, -0.2, 1.2))


def _sigmoids(column: Vector, rng: Generator) -> Vector:
    """One to four soft steps."""
    place, total = within(column), np.zeros_like(column)
    for _ in range(int(rng.integers(1, 5))):
        slope = np.exp(rng.uniform(np.log(2.0), np.log(20.0)))
        total += rng.normal() * np.tanh(slope * (place - rng.uniform()))
    return total


def _polynomial(column: Vector, rng: Generator) -> Vector:
    place = 2.0 * within(column) - 1.0
    return np.polyval(rng.normal(size=int(rng.integers(3, 6))), np.clip(place, -1.6, 1.6))


def _power(column: Vector, rng: Generator) -> Vector:
    return positive(column, rng) ** np.exp(rng.uniform(np.log(0.25), np.log(4.0)))


def _saturating(column: Vector, rng: Generator) -> Vector:
    """Hill and Michaelis-Menten: more brings less and less."""
    dose, half = positive(column, rng), np.exp(rng.uniform(np.log(0.08), np.log(0.8)))
    steep = rng.choice([1.0, rng.uniform(1.0, 5.0)])
    return dose**steep / (half**steep + dose**steep)


def _growing(column: Vector, rng: Generator) -> Vector:
    """Exponential growth or decay, or Gompertz's curve of growth."""
    time, rate = positive(column, rng), rng.uniform(0.8, 5.0)
    kind = rng.integers(3)
    if kind == 0:
        return np.exp(np.minimum(rate * time, 30.0))
    if kind == 1:
        return np.exp(-rate * time)
    return np.exp(-rng.uniform(1.0, 5.0) * np.exp(-rate * time))


def _kinked(column: Vector, rng: Generator) -> Vector:
    """Straight lines with one to three kinks."""
    place, total = within(column), rng.normal() * within(column)
    for _ in range(int(rng.integers(1, 4))):
        total = total + 2.0 * rng.normal() * np.maximum(place - rng.uniform(0.05, 0.95), 0.0)
    return total


def _stepped(column: Vector, rng: Generator) -> Vector:
    """Tariffs, thresholds, classes: constant between one to four jumps."""
    place, total = within(column), np.zeros_like(column)
    for _ in range(int(rng.integers(1, 5))):
        total = total + rng.normal() * (place > rng.uniform(0.1, 0.9))
    return total + rng.choice([0.0, rng.normal()]) * place


def _valley(column: Vector, rng: Generator) -> Vector:
    """A best or worst value, and away from it on both sides."""
    distance = np.abs(within(column) - rng.uniform(0.2, 0.8))
    return distance ** rng.uniform(0.8, 3.0)


def _wave(column: Vector, rng: Generator) -> Vector:
    """Less than one to two and a half periods, with or without a trend."""
    place = within(column)
    wave = np.sin(2.0 * np.pi * (rng.uniform(0.3, 2.5) * place + rng.uniform()))
    return wave + rng.choice([0.0, rng.normal()]) * place


def _network(column: Vector, rng: Generator) -> Vector:
    """Small random network with a hidden layer of mixed kinds."""
    return random_network(np.vstack((standardised(column),)), rng)


def _logarithmic(column: Vector, rng: Generator) -> Vector:
    """Weber and Fechner: equal ratios, equal steps."""
    return np.log(positive(column, rng) + np.exp(rng.uniform(np.log(0.01), np.log(0.3))))


BENDS = (np.tanh, np.sin, lambda v: np.maximum(v, 0.0), lambda v: np.exp(-v * v), np.arctan)


def random_network(rows: NDArray[np.float64], rng: Generator) -> Vector:
    """Random network of some inputs, one a row, with one or two hidden layers."""
    for _ in range(int(rng.integers(1, 3))):
        width = int(rng.integers(3, 9))
        weights = rng.normal(size=(width, len(rows))) * rng.uniform(0.6, 2.0)
        mixed = weights @ rows + rng.normal(size=(width, 1))
        rows = np.array([BENDS[int(rng.integers(len(BENDS)))](line) for line in mixed])
    return rng.normal(size=len(rows)) @ rows


MECHANISMS: Mapping[str, Callable[[Vector, Generator], Vector]] = MappingProxyType(
    {
        "linear": _linear,
        "monotone": monotone_spline,
        "free": _free_spline,
        "sigmoids": _sigmoids,
        "polynomial": _polynomial,
        "power": _power,
        "saturating": _saturating,
        "growing": _growing,
        "logarithmic": _logarithmic,
        "kinked": _kinked,
        "stepped": _stepped,
        "valley": _valley,
        "wave": _wave,
        "network": _network,
    }
)
"""Kinds of mechanisms by name."""

RISING = ("linear", "monotone", "power", "saturating", "growing", "logarithmic")
"""Those that go one way."""


def drawn_mechanism(
    column: Vector, rng: Generator, *, kinds: tuple[str, ...] = ()
) -> tuple[str, Vector]:
    """Kind and values of a mechanism, standardised, up or down.

    Six of ten mechanisms or so go one way, as most in real tables do.
    """
    if not kinds:
        kinds = RISING if rng.random() < 0.4 else tuple(MECHANISMS)
    for _ in range(20):
        kind = str(rng.choice(existing(kinds, list(MECHANISMS))))
        values = standardised(MECHANISMS[kind](column, rng))
        if values.any():
            break
    else:
        kind, values = "linear", standardised(column)
    return kind, values if rng.random() < 0.5 else -values
