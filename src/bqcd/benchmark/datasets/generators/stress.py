"""What benchmarks seldom hold: heavy tails, ties, outliers, missing values, hidden causes.

Each generator puts one difficulty on a mechanism of the paper or of Mooij et al., named by
``base``, and draws its own random numbers apart from those of the mechanism. Pair k is therefore
pair k of the base (same seed, same rows) made harder, and two settings of a difficulty are
compared on the same pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.benchmark.datasets.generators import paper, sim
from bqcd.benchmark.datasets.generators.mechanism import (
    UNDISTURBED,
    GeneratorCard,
    Interference,
    Mechanism,
    PairGenerator,
    standardised,
)
from bqcd.benchmark.datasets.records import Source
from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_ROWS, check_choice, check_integer, check_number

MECHANISMS: Mapping[str, GeneratorCard[Mechanism]] = MappingProxyType(
    {card.name: card for card in (*paper.CARDS, *sim.CARDS)}
)
"""Mechanisms a difficulty can be put on, by name."""

Columns = Literal["cause", "effect", "both"]
COLUMNS = ("cause", "effect", "both")


@dataclass(frozen=True, kw_only=True)
class HeavyTails:
    """Cause, noise or both with the tails of a Student t distribution.

    The cause of the base, or its noise (what the effect has beyond its value at a middling
    noise), is multiplied row by row by sqrt(d / C), where C is chi-squared with d degrees of
    freedom. Normal variables become Student t variables of the same scale. Measurement noise
    is left alone.

    Parameters
    ----------
    base : str, default="AN"
        A name in ``MECHANISMS``.
    freedom : float, default=3.0
        Degrees of freedom, at least 1. Moments of this order and above are infinite.
    where : {"cause", "noise", "both"}, default="both"
        What is multiplied.
    """

    base: str = "AN"
    freedom: float = 3.0
    where: Literal["cause", "noise", "both"] = "both"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("HeavyTails", "base", self.base, MECHANISMS)
        check_choice("HeavyTails", "where", self.where, ("cause", "noise", "both"))
        _check_between("HeavyTails", "freedom", self.freedom, 1.0, 1e6)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect."""
        own = rng.spawn(1)[0]
        factors = np.sqrt(self.freedom / own.chisquare(self.freedom, size=(2, n_rows)))
        if self.where == "noise":
            factors[0] = 1.0
        if self.where == "cause":
            factors[1] = 1.0
        return _base_columns(self.base, n_rows, rng, _Stretching(*factors))


@dataclass(frozen=True)
class _Stretching(Interference):
    """Cause and noise multiplied row by row."""

    cause_factors: Vector
    noise_factors: Vector

    def on_cause(self, cause: Vector) -> Vector:
        return cause * self.cause_factors

    def on_effect(self, effect: Vector, signal: Callable[[], Vector]) -> Vector:
        middle = signal()
        return middle + (effect - middle) * self.noise_factors


@dataclass(frozen=True, kw_only=True)
class Discretised:
    """Columns rounded to few distinct values.

    Parameters
    ----------
    base : str, default="AN"
        A name in ``MECHANISMS``.
    levels : int, default=20
        Most distinct values a column keeps.
    columns : {"cause", "effect", "both"}, default="both"
        What is rounded. The effect follows from the cause before it is rounded.
    bins : {"equal width", "equal counts"}, default="equal width"
        Whether values are rounded to the middles of bins of equal width, of which some may be
        empty, or to the means of bins with equally many rows.
    """

    base: str = "AN"
    levels: int = 20
    columns: Columns = "both"
    bins: Literal["equal width", "equal counts"] = "equal width"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("Discretised", "base", self.base, MECHANISMS)
        check_integer("Discretised", "levels", self.levels, minimum=2, maximum=MOST_ROWS)
        check_choice("Discretised", "columns", self.columns, COLUMNS)
        check_choice("Discretised", "bins", self.bins, ("equal width", "equal counts"))

    def draw(self, n_rows: int, rng: Generator) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect."""
        cause, effect = _base_columns(self.base, n_rows, rng)
        rounded = _equal_width if self.bins == "equal width" else _equal_counts
        return (
            rounded(cause, self.levels) if self.columns != "effect" else cause,
            rounded(effect, self.levels) if self.columns != "cause" else effect,
        )


def _equal_width(column: Vector, levels: int) -> Vector:
    low, width = column.min(), np.ptp(column) / levels
    bins = np.minimum((column - low) // width, levels - 1)
    middles: Vector = low + (bins + 0.5) * width
    return middles


def _equal_counts(column: Vector, levels: int) -> Vector:
    bins = _ranks(column) * levels // len(column)
    totals, counts = np.bincount(bins, weights=column), np.bincount(bins)
    means: Vector = totals[bins] / counts[bins]
    return means


@dataclass(frozen=True, kw_only=True)
class Outliers:
    """Gross errors in some rows.

    Parameters
    ----------
    base : str, default="AN"
        A name in ``MECHANISMS``.
    share : float, default=0.05
        Share of the rows that are hit, from 0 to 1.
    size : float, default=10.0
        Standard deviation of the normal errors, in standard deviations of the clean column.
    columns : {"cause", "effect", "both"}, default="both"
        Where a row is hit. The effect follows from the cause before it is hit.
    """

    base: str = "AN"
    share: float = 0.05
    size: float = 10.0
    columns: Columns = "both"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("Outliers", "base", self.base, MECHANISMS)
        _check_between("Outliers", "share", self.share, 0.0, 1.0)
        check_number("Outliers", "size", self.size, above=0.0)
        check_choice("Outliers", "columns", self.columns, COLUMNS)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect."""
        own = rng.spawn(1)[0]
        cause, effect = _base_columns(self.base, n_rows, rng)
        errors = own.normal(size=(2, n_rows))
        errors[:, own.permutation(n_rows)[round(self.share * n_rows) :]] = 0.0
        if self.columns != "effect":
            cause = cause + self.size * cause.std() * errors[0]
        if self.columns != "cause":
            effect = effect + self.size * effect.std() * errors[1]
        return cause, effect


@dataclass(frozen=True, kw_only=True)
class MissingValues:
    """Rows in which one of the two values is missing.

    Parameters
    ----------
    base : str, default="AN"
        A name in ``MECHANISMS``.
    share : float, default=0.2
        Expected share of incomplete rows, from 0 to 0.9.
    depends_on : {"nothing", "other column"}, default="nothing"
        Whether values are missing completely at random, or at random: with probability
        u^(1/share - 1), where u is the rank, scaled to (0, 1), of the value that stays. Rows
        with a large value then go first.
    columns : {"cause", "effect", "both"}, default="both"
        Which value may be missing; with "both", a fair coin says which in each row.
    """

    base: str = "AN"
    share: float = 0.2
    depends_on: Literal["nothing", "other column"] = "nothing"
    columns: Columns = "both"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("MissingValues", "base", self.base, MECHANISMS)
        _check_between("MissingValues", "share", self.share, 0.0, 0.9)
        check_choice("MissingValues", "depends_on", self.depends_on, ("nothing", "other column"))
        check_choice("MissingValues", "columns", self.columns, COLUMNS)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect; missing values are NaN."""
        own = rng.spawn(1)[0]
        cause, effect = _base_columns(self.base, n_rows, rng)
        of_cause = own.random(n_rows) < {"cause": 1.0, "effect": 0.0, "both": 0.5}[self.columns]
        chance = np.full(n_rows, self.share)
        if self.depends_on == "other column" and self.share > 0.0:
            stays = np.where(of_cause, _ranks(effect), _ranks(cause))
            chance = ((stays + 0.5) / n_rows) ** (1.0 / self.share - 1.0)
        gone = own.random(n_rows) < chance
        return (
            np.where(gone & of_cause, np.nan, cause),
            np.where(gone & ~of_cause, np.nan, effect),
        )


@dataclass(frozen=True, kw_only=True)
class Confounded:
    """Cause and effect that also share a hidden common cause.

    With Z hidden and A, B noisy smooth functions of Z, as in AN and with noise of their own,
    and all scaled to the variance of what they are mixed with,

        X = sqrt(1 - s) X_0 + sqrt(s) A(Z),    Y = sqrt(1 - s) Y_0(X) + sqrt(s) B(Z),

    where X_0 is the cause of the base and Y_0(X) its effect, which follows from X.

    Parameters
    ----------
    base : str, default="AN"
        A name in ``MECHANISMS``.
    strength : float, default=0.5
        Share s of the variance of the cause that comes through the hidden cause, from 0 to 1.
        At 0 the pair is that of the base. At 1 neither column acts on the other: they share the
        hidden cause and nothing else, and the true direction handed out means nothing.
    """

    base: str = "AN"
    strength: float = 0.5

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("Confounded", "base", self.base, MECHANISMS)
        _check_between("Confounded", "strength", self.strength, 0.0, 1.0)

    def draw(self, n_rows: int, rng: Generator) -> tuple[Vector, Vector]:
        """Columns of one new pair: the cause, then the effect."""
        own = rng.spawn(1)[0]
        hidden, route = own.normal(size=n_rows), paper.NoisyFunction()
        on_cause, on_effect = (route.effect(hidden, own) for _ in range(2))
        mixing = _Mixing(self.strength, standardised(on_cause), standardised(on_effect))
        return _base_columns(self.base, n_rows, rng, mixing)


@dataclass(frozen=True)
class _Mixing(Interference):
    """Cause and effect mixed with what a hidden cause does to them."""

    strength: float
    to_cause: Vector
    to_effect: Vector

    def on_cause(self, cause: Vector) -> Vector:
        return self._mixed(cause, self.to_cause)

    def on_effect(self, effect: Vector, signal: Callable[[], Vector]) -> Vector:
        return self._mixed(effect, self.to_effect)

    def _mixed(self, column: Vector, hidden: Vector) -> Vector:
        share = np.sqrt(self.strength) * float(np.std(column, ddof=1))
        mixed: Vector = np.sqrt(1.0 - self.strength) * column + share * hidden
        return mixed


def _base_columns(
    base: str, n_rows: int, rng: Generator, interference: Interference = UNDISTURBED
) -> tuple[Vector, Vector]:
    return MECHANISMS[base].build().draw(n_rows, rng, interference)


def _ranks(column: Vector) -> NDArray[np.int64]:
    """Ranks from 0."""
    ranks = np.empty(len(column), dtype=np.int64)
    ranks[np.argsort(column, kind="stable")] = np.arange(len(column))
    return ranks


def _check_between(owner: str, name: str, value: object, low: float, high: float) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not low <= float(value) <= high:  # type: ignore[arg-type]
        raise InvalidSettingError(
            f"{name} of {owner} must be a number from {low:g} to {high:g}, got {value!r}."
        )


_SOURCE = Source("Drawn by bqcd; the base mechanism has a source of its own", "free to use")

CARDS: tuple[GeneratorCard[PairGenerator], ...] = (
    GeneratorCard(
        name="heavy-tails",
        build=HeavyTails,
        about="cause and noise with the tails of a Student t distribution",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="discretised",
        build=Discretised,
        about="columns rounded to few distinct values",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="outliers",
        build=Outliers,
        about="gross errors in some rows",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="missing",
        build=MissingValues,
        about="rows with a missing value, which are dropped",
        source=_SOURCE,
    ),
    GeneratorCard(
        name="confounded",
        build=Confounded,
        about="cause and effect that also share a hidden common cause",
        source=_SOURCE,
    ),
)
