"""Pairs with a known problem: most have no direction that could be found, some have one.

Of a pair without a direction any answer is right by chance: columns are handed over in an order
drawn by lot, and whichever comes first counts as the cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Columns = tuple[Vector, Vector]
Draw = Callable[[Generator, int], Columns]


@dataclass(frozen=True)
class Family:
    """Pairs of one kind: what they show, whether the first column is the cause, how to draw them.

    Parameters
    ----------
    problem : str
        What is known to mislead.
    name : str
        Of the family.
    directed : bool
        Whether the first column is the cause; else there is no direction.
    draw : callable
        Two columns of so many rows.
    """

    problem: str
    name: str
    directed: bool
    draw: Draw


def series(rng: Generator, n: int, r: float) -> Vector:
    """Stationary Gaussian series of variance 1."""
    from scipy.signal import lfilter

    steps = rng.normal(size=n) * np.sqrt(1.0 - r**2)
    steps[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -r], steps))


def walk(rng: Generator, n: int) -> Vector:
    """Sum of independent steps."""
    return rng.normal(size=n).cumsum()


def curve(cause: Vector, noise: Vector) -> Vector:
    """Effect that no method takes for the cause."""
    return np.asarray(np.tanh(2.0 * cause) + 0.5 * cause**2 + 0.4 * noise)


def gaussian(rng: Generator, n: int, r: float = 0.7) -> Columns:
    """Linear Gaussian columns, which look the same from both sides."""
    x, noise = rng.normal(size=(2, n))
    return x, r * x + np.sqrt(1.0 - r**2) * noise


def parabolas(rng: Generator, n: int) -> Columns:
    """Two parabolas, one along either axis: the same from both sides."""
    turned = rng.random(n) < 0.5
    one = rng.normal(size=n)
    other = (one**2 + 0.4 * rng.normal(size=n) - 1.0) / 1.4
    return np.where(turned, one, other), np.where(turned, other, one)


def grades(column: Vector, count: int) -> Vector:
    """Numbers of so many grades of equal size."""
    cuts = np.quantile(column, np.arange(1, count) / count)
    return np.searchsorted(cuts, column).astype(np.float64)


def kept(rng: Generator, n: int, rule: Callable[[Vector, Vector], NDArray[np.bool_]]) -> Columns:
    """Rows of linear Gaussian columns that a rule lets pass."""
    x, y = gaussian(rng, 20 * n)
    seen = rule(x, y)
    return x[seen][:n], y[seen][:n]


def _curve(rng: Generator, n: int) -> Columns:
    x, noise = rng.normal(size=(2, n))
    return x, curve(x, noise)


def _serial() -> Iterator[Family]:
    def common(rng: Generator, n: int) -> Columns:
        shared = walk(rng, n)
        return shared + walk(rng, n), shared + walk(rng, n)

    def linear(rng: Generator, n: int) -> Columns:
        x = series(rng, n, 0.95)
        return x, 0.7 * x + 0.7 * series(rng, n, 0.95)

    def curved(rng: Generator, n: int) -> Columns:
        x = series(rng, n, 0.9)
        return x, curve(x, series(rng, n, 0.9))

    kind = "dependent rows"
    unrelated: Draw = lambda rng, n: (walk(rng, n), walk(rng, n))  # noqa: E731
    yield Family(kind, "two unrelated walks", False, unrelated)
    yield Family(kind, "two walks with a part in common", False, common)
    yield Family(kind, "linear, both series with r = 0.95", False, linear)
    yield Family(kind, "curve, cause and noise series with r = 0.9", True, curved)


def _sorted() -> Iterator[Family]:
    def ordered(rng: Generator, n: int) -> Columns:
        x, y = _curve(rng, n)
        order = np.argsort(x)
        return x[order], y[order]

    def years(rng: Generator, n: int) -> Columns:
        year = np.repeat(np.arange(1.0 + n // 10), 10)[:n]
        return year, 0.02 * year + walk(rng, len(np.unique(year)))[year.astype(int)]

    def doses(rng: Generator, n: int) -> Columns:
        dose = np.repeat(np.linspace(-2.0, 2.0, 25), 1 + n // 25)[:n]
        return dose, curve(dose, rng.normal(size=n))

    kind = "sorted rows"
    yield Family(kind, "time and a walk", False, lambda rng, n: (np.arange(float(n)), walk(rng, n)))
    yield Family(
        kind,
        "time and a series with r = 0.9",
        False,
        lambda rng, n: (np.arange(float(n)), series(rng, n, 0.9)),
    )
    yield Family(kind, "year, ten equal rows each, and a walk", False, years)
    yield Family(kind, "curve, rows sorted by the cause", True, ordered)
    yield Family(kind, "curve, 25 doses of many rows, sorted by them", True, doses)


def _derived() -> Iterator[Family]:
    def logarithm(rng: Generator, n: int) -> Columns:
        x = rng.gamma(2.0, size=n) + 1.0
        return x, np.log(x).round(2)

    def square(rng: Generator, n: int) -> Columns:
        x = rng.uniform(0.0, 10.0, n)
        return x, (x**2).round(1)

    def nearly(rng: Generator, n: int) -> Columns:
        x, noise = rng.normal(size=(2, n))
        return x, np.exp(0.5 * x) + 0.01 * noise

    kind = "a column made from the other"
    yield Family(kind, "logarithm, two decimals", False, logarithm)
    yield Family(kind, "square of positive numbers, rounded", False, square)
    yield Family(kind, "exponential with 1 % of noise", False, nearly)


def _graded() -> Iterator[Family]:
    kind = "few values"
    for count in (3, 5, 20):
        for name, draw in (("linear Gaussian", gaussian), ("two parabolas", parabolas)):

            def coarse(rng: Generator, n: int, draw: Draw = draw, count: int = count) -> Columns:
                x, y = draw(rng, n)
                return grades(x, count), y

            yield Family(kind, f"{name}, one column in {count} grades", False, coarse)

        def cause(rng: Generator, n: int, count: int = count) -> Columns:
            x, y = _curve(rng, n)
            return grades(x, count), y

        def effect(rng: Generator, n: int, count: int = count) -> Columns:
            x, y = _curve(rng, n)
            return x, grades(y, count)

        yield Family(kind, f"curve, cause in {count} grades", True, cause)
        yield Family(kind, f"curve, effect in {count} grades", True, effect)


def _selected() -> Iterator[Family]:
    def uniform(rng: Generator, n: int) -> Columns:
        x = rng.uniform(-2.0, 2.0, n)
        return x, curve(x, rng.normal(size=n))

    kind = "selection with a sharp edge"
    yield Family(
        kind,
        "linear Gaussian, one column above its mean",
        False,
        lambda rng, n: kept(rng, n, lambda x, y: y > 0.0),
    )
    yield Family(
        kind,
        "linear Gaussian, one column among its top fifth",
        False,
        lambda rng, n: kept(rng, n, lambda x, y: y > 0.84),
    )
    yield Family(
        kind,
        "linear Gaussian, sum above its mean",
        False,
        lambda rng, n: kept(rng, n, lambda x, y: x + y > 0.0),
    )
    yield Family(kind, "curve, uniform cause, nothing selected", True, uniform)


def families() -> tuple[Family, ...]:
    """All families, by problem."""
    return (*_serial(), *_sorted(), *_derived(), *_graded(), *_selected())
