"""Known problems by other mechanisms and noises than those the limits were set on.

Thresholds of :mod:`bqcd.assessments.limits` were set on the families of ``problem_pairs.py``. None
of these was drawn before they were fixed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.problem_pairs import Columns, Family, Vector, series


def spreading(cause: Vector, rng: Generator) -> Vector:
    """Effect whose level and spread follow the cause, with Laplace noise."""
    noise = rng.laplace(size=len(cause))
    return np.asarray(np.sin(1.3 * cause) + np.exp(0.6 * cause) * (1.0 + 0.5 * noise))


def season(rng: Generator, n: int) -> Vector:
    """A wave of some forty rows, with noise that depends on the row before."""
    phase = rng.uniform(0.0, 2.0 * np.pi)
    return np.asarray(1.5 * np.sin(2.0 * np.pi * np.arange(n) / 41.0 + phase)) + series(rng, n, 0.5)


def student(rng: Generator, n: int, r: float = 0.6) -> Columns:
    """Linear columns with a factor in common: heavy tails, the same from both sides."""
    x, noise = rng.normal(size=(2, n))
    factor = np.sqrt(rng.chisquare(5.0, n) / 5.0)
    return x / factor, (r * x + np.sqrt(1.0 - r**2) * noise) / factor


def _kept(columns: Columns, seen: NDArray[np.bool_], n: int) -> Columns:
    return columns[0][seen][:n], columns[1][seen][:n]


def _serial() -> Iterator[Family]:
    def drifting(rng: Generator, n: int) -> Columns:
        steps = rng.standard_t(4.0, size=(2, n)) + 0.1
        return steps[0].cumsum(), steps[1].cumsum()

    def smooth(rng: Generator, n: int) -> Columns:
        one, other = series(rng, n + 20, 0.7), series(rng, n + 20, 0.7)
        mean = np.ones(21) / 21.0
        return np.convolve(one, mean, "valid"), np.convolve(other, mean, "valid")

    def heavy(rng: Generator, n: int) -> Columns:
        x = np.sinh(series(rng, n, 0.9))
        return x, np.sinh(0.6 * np.arcsinh(x) + 0.8 * series(rng, n, 0.9))

    def directed(rng: Generator, n: int) -> Columns:
        x = series(rng, n, 0.8)
        return x, spreading(x, rng)

    kind = "dependent rows"
    yield Family(kind, "two walks with drift and heavy tails", False, drifting)
    yield Family(kind, "two unrelated moving averages", False, smooth)
    yield Family(kind, "two unrelated seasons", False, lambda g, n: (season(g, n), season(g, n)))
    yield Family(kind, "monotone, both series with r = 0.9", False, heavy)
    yield Family(kind, "location and scale, cause a series with r = 0.8", True, directed)


def _sorted() -> Iterator[Family]:
    def months(rng: Generator, n: int) -> Columns:
        rows = rng.integers(3, 14, n)
        month = np.repeat(np.arange(n), rows)[:n].astype(np.float64)
        level = 1.5 * series(rng, n, 0.8)[month.astype(int)]
        return month, level + 0.5 * rng.standard_t(5.0, size=n)

    def rounded(rng: Generator, n: int) -> Columns:
        x = np.sort(rng.gamma(3.0, size=n).round(1))
        return x, spreading(x - 3.0, rng)

    def wave(rng: Generator, n: int) -> Columns:
        x = np.sort(rng.logistic(size=n))
        return x, np.sin(x) + 0.4 * np.abs(x) + 0.1 * rng.laplace(size=n)

    def ordered(rng: Generator, n: int) -> Columns:
        x = rng.normal(size=n)
        y = spreading(x, rng)
        order = np.argsort(y)
        return x[order], y[order]

    kind = "sorted rows"
    seasonal = lambda g, n: (np.arange(float(n)), season(g, n))  # noqa: E731
    yield Family(kind, "time and a season", False, seasonal)
    yield Family(kind, "month, 3 to 13 rows each, and a series with noise", False, months)
    yield Family(kind, "location and scale, rows sorted by the effect", True, ordered)
    yield Family(kind, "location and scale, rounded cause, rows sorted by it", True, rounded)
    yield Family(kind, "wave with little noise, rows sorted by the cause", True, wave)


def _derived() -> Iterator[Family]:
    def ratio(rng: Generator, n: int) -> Columns:
        x = rng.lognormal(sigma=0.6, size=n)
        return x, (100.0 / x).round(1)

    def degrees(rng: Generator, n: int) -> Columns:
        x = rng.normal(15.0, 8.0, n).round(1)
        return x, (32.0 + 1.8 * x).round()

    def root(rng: Generator, n: int) -> Columns:
        x = rng.weibull(1.5, n)
        return x, np.sqrt(x) * (1.0 + 0.01 * rng.standard_t(5.0, size=n))

    kind = "a column made from the other"
    yield Family(kind, "100 by the other, one decimal", False, ratio)
    yield Family(kind, "degrees in two units, both rounded", False, degrees)
    yield Family(kind, "square root with 1 % of heavy noise", False, root)


def _selected() -> Iterator[Family]:
    def heavy(rng: Generator, n: int) -> Columns:
        x, y = student(rng, 12 * n)
        return _kept((x, y), y > 0.5, n)

    def window(rng: Generator, n: int) -> Columns:
        x, y = student(rng, 12 * n, 0.7)
        return _kept((x, y), np.abs(y) < 0.7, n)

    def rounded(rng: Generator, n: int) -> Columns:
        x, y = heavy(rng, n)
        return x, y.round(2)

    def bounded(rng: Generator, n: int) -> Columns:
        x = 3.0 * rng.beta(1.0, 1.3, n) - 1.5
        return x, spreading(x, rng)

    kind = "selection with a sharp edge"
    yield Family(kind, "Student, one column above a bound", False, heavy)
    yield Family(kind, "Student, one column within a window", False, window)
    yield Family(kind, "Student, above a bound, two decimals", False, rounded)
    yield Family(kind, "location and scale, bounded cause, nothing selected", True, bounded)


def left_out_families() -> tuple[Family, ...]:
    """All families, by problem."""
    return (*_serial(), *_sorted(), *_derived(), *_selected())
