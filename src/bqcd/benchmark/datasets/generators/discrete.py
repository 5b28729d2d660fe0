"""Pairs of few values with a known direction: categories, grades, counts, and mixed columns.

Cause and mechanism are drawn independently of each other. Columns without an order come with a
nominal scale, whose levels are in random order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.benchmark.datasets.generators.mechanism import GeneratorCard, PairGenerator
from bqcd.benchmark.datasets.records import Source
from bqcd.data.scales import Ordered, Scale
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_integer, check_number

Codes = NDArray[np.int64]
Column = Vector | Ordered

_MOST = 50


@dataclass(frozen=True, kw_only=True)
class Categories:
    """Two columns without an order: shares of the effect drawn for each level of the cause.

    Shares of the cause, and those of the effect given each level, come from Dirichlet
    distributions. The number of levels of either is drawn between ``least`` and ``most``.

    Parameters
    ----------
    least : int, default=2
        Fewest levels of a column.
    most : int, default=8
        Most levels of a column.
    concentration : float, default=0.5
        Of the Dirichlet distributions; small ones make shares uneven.
    """

    least: int = 2
    most: int = 8
    concentration: float = 0.5

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("Categories", "least", self.least, minimum=2, maximum=_MOST)
        check_integer("Categories", "most", self.most, minimum=self.least, maximum=_MOST)
        check_number("Categories", "concentration", self.concentration, above=0.0, at_most=1e3)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""

        def columns() -> tuple[Codes, Codes]:
            k, m = rng.integers(self.least, self.most + 1, size=2)
            cause = _categories(rng, _shares(rng, 1, k, 2.0 * self.concentration), n_rows)
            shares = _shares(rng, k, m, self.concentration)
            return cause, _given(rng, shares, cause)

        cause, effect = _varying(columns)
        return nominal(cause, rng), nominal(effect, rng)


@dataclass(frozen=True, kw_only=True)
class HiddenLevels:
    """Two columns without an order: many levels of the cause act through a few hidden ones.

    Parameters
    ----------
    levels : int, default=10
        Most levels of the cause; at least half as many are there.
    hidden : int, default=3
        Hidden levels, whose shares of the effect are drawn.
    """

    levels: int = 10
    hidden: int = 3

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("HiddenLevels", "levels", self.levels, minimum=4, maximum=_MOST)
        check_integer("HiddenLevels", "hidden", self.hidden, minimum=2, maximum=self.levels // 2)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""

        def columns() -> tuple[Codes, Codes]:
            k, m = rng.integers(self.levels // 2, self.levels + 1, size=2)
            cause = _categories(rng, _shares(rng, 1, k, 2.0), n_rows)
            shares = _shares(rng, self.hidden, m, 0.7)
            return cause, _given(rng, shares[rng.integers(self.hidden, size=k)], cause)

        cause, effect = _varying(columns)
        return nominal(cause, rng), nominal(effect, rng)


@dataclass(frozen=True, kw_only=True)
class DiscreteAdditive:
    """Whole numbers: a random function of the cause, plus independent noise.

    Parameters
    ----------
    levels : int, default=8
        Levels of the cause and range of the function.
    noise : int, default=2
        The noise runs from minus this number to this number.
    """

    levels: int = 8
    noise: int = 2

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("DiscreteAdditive", "levels", self.levels, minimum=3, maximum=_MOST)
        check_integer("DiscreteAdditive", "noise", self.noise, minimum=1, maximum=_MOST)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""

        def columns() -> tuple[Codes, Codes]:
            cause = _categories(rng, _shares(rng, 1, self.levels, 1.0), n_rows)
            function = rng.integers(self.levels, size=self.levels)
            noise = _categories(rng, _shares(rng, 1, 2 * self.noise + 1, 1.0), n_rows)
            return cause, function[cause] + noise - self.noise

        cause, effect = _varying(columns)
        return cause.astype(np.float64), effect.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Ordinal:
    """Grades: a smooth function of a hidden cause plus noise, both cut at random places.

    Parameters
    ----------
    least : int, default=3
        Fewest grades of a column.
    most : int, default=9
        Most grades of a column.
    noise : float, default=0.4
        Standard deviation of the noise beside a function of standard deviation 1.
    """

    least: int = 3
    most: int = 9
    noise: float = 0.4

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("Ordinal", "least", self.least, minimum=2, maximum=_MOST)
        check_integer("Ordinal", "most", self.most, minimum=self.least, maximum=_MOST)
        check_number("Ordinal", "noise", self.noise, above=0.0, at_most=10.0)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""

        def columns() -> tuple[Codes, Codes]:
            cause = rng.normal(size=n_rows)
            effect = _smooth(rng, cause) + self.noise * rng.normal(size=n_rows)
            return self._graded(cause, rng), self._graded(effect, rng)

        cause, effect = _varying(columns)
        return cause.astype(np.float64), effect.astype(np.float64)

    def _graded(self, column: Vector, rng: Generator) -> Codes:
        grades = int(rng.integers(self.least, self.most + 1))
        shares = rng.dirichlet(np.full(grades, 4.0)).cumsum()[:-1]
        return np.searchsorted(np.quantile(column, shares), column).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class CountEffects:
    """Counts: Poisson with a rate that is a smooth function of a negative binomial cause.

    Parameters
    ----------
    rate : float, default=4.0
        Typical rate.
    """

    rate: float = 4.0

    def __post_init__(self) -> None:
        """Check the settings."""
        check_number("CountEffects", "rate", self.rate, above=0.0, at_most=1e6)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""
        return _counts(n_rows, rng, self.rate, 0.0)


@dataclass(frozen=True, kw_only=True)
class ZeroInflated:
    """Counts of which many are 0 whatever the rate, the more so for some values of the cause.

    Parameters
    ----------
    rate : float, default=6.0
        Typical rate of the others.
    zeros : float, default=0.6
        Largest share of rows whose count is 0 whatever the rate.
    """

    rate: float = 6.0
    zeros: float = 0.6

    def __post_init__(self) -> None:
        """Check the settings."""
        check_number("ZeroInflated", "rate", self.rate, above=0.0, at_most=1e6)
        check_number("ZeroInflated", "zeros", self.zeros, above=0.0, at_most=0.95)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""
        return _counts(n_rows, rng, self.rate, self.zeros)


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """One column of numbers and one without an order, either of which is the cause.

    Numbers given a level are normal with place and spread of their own, skewed at random; levels
    given a number follow a softmax of smooth functions.

    Parameters
    ----------
    least : int, default=2
        Fewest levels of a column.
    most : int, default=6
        Most levels of a column.
    """

    least: int = 2
    most: int = 6

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("Mixed", "least", self.least, minimum=2, maximum=_MOST)
        check_integer("Mixed", "most", self.most, minimum=self.least, maximum=_MOST)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Column, Column]:
        """Columns of one new pair: the cause, then the effect."""
        levels = int(rng.integers(self.least, self.most + 1))
        bend = rng.uniform(0.0, 0.6)
        if rng.random() < 0.5:
            codes = _one_varying(lambda: _categories(rng, _shares(rng, 1, levels, 2.0), n_rows))
            places, spreads = rng.normal(size=levels), rng.uniform(0.3, 1.0, size=levels)
            numbers = places[codes] + spreads[codes] * rng.normal(size=n_rows)
            return nominal(codes, rng), np.sinh(bend * numbers) if bend > 0.2 else numbers
        numbers = rng.normal(size=n_rows)

        def chosen() -> Codes:
            odds = np.column_stack([2.0 * _smooth(rng, numbers) for _ in range(levels)])
            shares = np.exp(odds - odds.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            return _inverted(rng, shares)

        codes = _one_varying(chosen)
        return (np.sinh(bend * numbers) if bend > 0.2 else numbers), nominal(codes, rng)


def nominal(codes: Codes, rng: Generator) -> Ordered:
    """Column of levels without an order, which are called by letters drawn at random."""
    present, places = np.unique(codes, return_inverse=True)
    levels = tuple(f"level {at + 1:02d}" for at in range(len(present)))
    return Ordered(rng.permutation(len(present))[places].astype(np.float64),
                   Scale("nominal", levels=levels))  # fmt: skip


def _counts(n_rows: int, rng: Generator, rate: float, zeros: float) -> tuple[Vector, Vector]:
    def columns() -> tuple[Codes, Codes]:
        cause = rng.negative_binomial(4, 0.4, size=n_rows).astype(np.int64)
        scaled = (cause - cause.mean()) / max(float(cause.std()), 1e-9)
        rates = np.minimum(rate * np.exp(0.7 * _smooth(rng, scaled)), 1e6)
        empty = rng.random(n_rows) < zeros / (1.0 + np.exp(rng.normal() * scaled))
        return cause, np.where(empty, 0, rng.poisson(rates)).astype(np.int64)

    cause, effect = _varying(columns)
    return cause.astype(np.float64), effect.astype(np.float64)


def _shares(rng: Generator, rows: int, levels: int, concentration: float) -> Matrix:
    drawn = rng.gamma(concentration, size=(rows, levels)) + 1e-12
    shares: Matrix = drawn / drawn.sum(axis=1, keepdims=True)
    return shares


def _categories(rng: Generator, shares: Matrix, n_rows: int) -> Codes:
    return rng.choice(shares.shape[1], p=shares[0], size=n_rows).astype(np.int64)


def _given(rng: Generator, shares: Matrix, given: Codes) -> Codes:
    return _inverted(rng, shares[given])


def _inverted(rng: Generator, shares: Matrix) -> Codes:
    ends = shares.cumsum(axis=1)[:, :-1]
    codes: Codes = (rng.random((len(shares), 1)) > ends).sum(axis=1)
    return codes


def _smooth(rng: Generator, column: Vector) -> Vector:
    """A sum of two random waves and a slope, of standard deviation 1."""
    value = rng.normal() * column
    for _ in range(2):
        value = value + rng.normal() * np.sin(
            rng.uniform(0.5, 2.0) * column + rng.uniform(0.0, 6.3)
        )
    spread = float(value.std())
    smooth: Vector = (value - value.mean()) / (spread if spread > 0.0 else 1.0)
    return smooth


def _varying(columns: Callable[[], tuple[Codes, Codes]]) -> tuple[Codes, Codes]:
    """Columns drawn until both vary; two different values each after a hundred draws."""
    for _ in range(100):
        cause, effect = columns()
        if np.ptp(cause) and np.ptp(effect):
            return cause, effect
    cause[0], effect[0] = cause[1] + 1, effect[1] + 1
    return cause, effect


def _one_varying(column: Callable[[], Codes]) -> Codes:
    return _varying(lambda: (column(), np.arange(2)))[0]


_SOURCE = Source("Drawn by bqcd: pairs of few values, 2026", "free to use")

CARDS: tuple[GeneratorCard[PairGenerator], ...] = tuple(
    GeneratorCard(name, build, about, _SOURCE)
    for name, build, about in (
        ("categories", Categories, "two columns without an order, shares of the effect drawn"),
        ("hidden-levels", HiddenLevels, "many levels that act through a few hidden ones"),
        ("discrete-additive", DiscreteAdditive, "whole numbers, a random function plus noise"),
        ("ordinal", Ordinal, "grades of a hidden cause and of a smooth function of it"),
        ("counts", CountEffects, "counts whose rate is a smooth function of a count"),
        ("zero-inflated", ZeroInflated, "counts with many zeros"),
        ("mixed", Mixed, "numbers and a column without an order, either of them the cause"),
    )
)
"""Generators of few values, by kind."""
