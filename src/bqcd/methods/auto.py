"""The method that fits the columns, picked by what they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.methods.bqcd import BQCD
from bqcd.methods.cards import MethodCard
from bqcd.methods.coarseness import coarseness
from bqcd.methods.hcr import HCR
from bqcd.methods.one_grid import pair_on_one_grid
from bqcd.methods.panel import Panel
from bqcd.methods.verdict import Choice, Method, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice

MOST_FINER = 1.5
"""How many times as many levels a column without an order may have as the other one."""

_ORDERED: dict[str, Callable[[], Method]] = {"bqcd": BQCD, "panel": Panel}


@dataclass(frozen=True, kw_only=True)
class Auto:
    """The method for a pair by the kinds of its columns.

    Parameters
    ----------
    ordered : {"bqcd", "panel"}, default="bqcd"
        What judges two columns with an order and many values.

    Notes
    -----
    * Two columns with an order and many values each: ``ordered``.
    * An order in both, and few values in one: no more than half as many as rows, or a tenth of the
      rows at one of them, as in counts with many zeros
      (:func:`~bqcd.methods.coarseness.coarseness`). The panel judges, and the direction is told
      only if it says the same of both columns cut into the same grades, as a coarser column
      favours a direction by itself.
    * No order in either: hidden compact representation, on tables with equally many levels. It
      was right most often on simulated pairs, and takes neither side where one is coarser. With
      more than one and a half times as many levels in one column as in the other, nothing is
      told: merging them hides what the direction shows by.
    * No order in one, numbers in the other: the same, and nothing is told: no method was better
      than chance.
    * Groups of columns: bQCD, whatever ``ordered`` is, as it was right more often than other
      methods for groups (``benchmarks/vectors.py``).

    ``benchmarks/discrete.py`` and ``benchmarks/auto_rule.py`` have the measurements. The verdict
    is that of the method picked; its ``choice`` says which and why.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> verdict = Auto().decide(Pair(x, x**2 + 0.3 * rng.normal(size=500)), rng)
    >>> verdict.name, verdict.choice.reason
    ('bqcd', 'many values')
    """

    takes_nominal: ClassVar[bool] = True

    ordered: Literal["bqcd", "panel"] = "bqcd"

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("Auto", "ordered", self.ordered, tuple(_ORDERED))

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Verdict of the method that fits the columns."""
        if pair.nominal:
            counts = sorted((_values(pair.x), _values(pair.y)))
            both = len(pair.nominal) == 2
            withheld = not both or counts[1] > MOST_FINER * counts[0]
            choice = Choice("hcr", "no order" if both else "mixed", withheld=withheld)
            return _by(choice, HCR(equal_levels=True), pair, rng)
        if coarseness(pair.x) is None and coarseness(pair.y) is None:
            return _by(Choice(self.ordered, "many values"), _ORDERED[self.ordered](), pair, rng)
        return self._few_values(pair, rng)

    def decide_vectors(self, pair: VectorPair, rng: Generator) -> Verdict:
        """Verdict of bQCD on groups of columns."""
        method = BQCD()
        found = method.decide_vectors(pair, rng)
        return replace(found, method=method, name="bqcd", choice=Choice("bqcd", "groups"))

    def _few_values(self, pair: Pair, rng: Generator) -> Verdict:
        found = _by(Choice("panel", "few values"), Panel(), pair, rng)
        if found.answer == "cannot tell":
            return found
        alike = pair_on_one_grid(pair)
        again = None if alike is None else Panel().decide(alike, rng)
        if again is not None and again.direction is found.direction:
            return found
        return replace(found, choice=Choice("panel", "few values", withheld=True))


def _by(choice: Choice, method: Method, pair: Pair, rng: Generator) -> Verdict:
    return replace(method.decide(pair, rng), method=method, name=choice.method, choice=choice)


def _values(column: Vector) -> int:
    return len(np.unique(column))


CARDS = (
    MethodCard(
        name="auto",
        build=Auto,
        assumes="what the method assumes that it picks by the kinds of the columns",
        reference="none",
        cost="n log n",
        seconds=0.0004,
        seconds_beyond=(0.0015, 0.017, 0.19),
        varies=2e-9,
        unchanged_by=frozenset({"shift and scale"}),
        takes="any",
    ),
)
"""No method of its own: it picks one."""
