"""What a generator of pairs must be: settings in, cause and effect out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.random import Generator

from bqcd.benchmark.datasets.records import Source
from bqcd.data.scales import Ordered
from bqcd.runtime.arrays import Vector


class PairGenerator(Protocol):
    """Settings from which pairs of columns are drawn.

    Implementations are frozen keyword-only dataclasses; all randomness comes from ``rng``.
    """

    def draw(self, n_rows: int, rng: Generator) -> tuple[Vector | Ordered, Vector | Ordered]:
        """Columns of one new pair: the cause, then the effect. Missing values are NaN."""
        ...


class Interference:
    """What comes between the steps of a mechanism; here, nothing."""

    def on_cause(self, cause: Vector) -> Vector:
        """Cause as it acts on the effect."""
        return cause

    def on_effect(self, effect: Vector, signal: Callable[[], Vector]) -> Vector:
        """Effect as it is measured; ``signal`` tells what it were at a middling noise."""
        return effect


UNDISTURBED = Interference()


class Mechanism(Protocol):
    """A generator whose steps can be interfered with: one a stress can be put on."""

    def draw(
        self, n_rows: int, rng: Generator, interference: Interference = UNDISTURBED
    ) -> tuple[Vector, Vector]:
        """Columns of one new pair, see :class:`PairGenerator`."""
        ...


Kind = TypeVar("Kind", bound=PairGenerator, covariant=True)


@dataclass(frozen=True, slots=True)
class GeneratorCard(Generic[Kind]):
    """One row of the table of generators.

    Parameters
    ----------
    name : str
        Name used on the command line and in results, e.g. ``"LS-s"``.
    build : callable
        Returns a generator from keyword settings; all have defaults.
    about : str
        What the pairs are, in one line.
    source : Source
        Whose recipe it is.
    """

    name: str
    build: Callable[..., Kind]
    about: str
    source: Source


def standardised(column: Vector) -> Vector:
    """Column shifted and scaled to mean 0 and sample variance 1."""
    centred: Vector = column - column.mean()
    return centred / np.std(column, ddof=1)
