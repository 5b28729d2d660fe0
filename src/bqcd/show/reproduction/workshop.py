"""What all targets share: benchmarks read once, answers computed once, how thorough to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from bqcd.benchmark import Progress, contender, run_benchmark
from bqcd.benchmark.datasets import PairSet, load_pairs
from bqcd.benchmark.summary import Answers, answers
from bqcd.data.margins import Margins
from bqcd.methods.table import METHODS
from bqcd.show.reproduction import paper

# Seconds that a pair of 1,000 rows may take a method of a quick run, and one that is run on
# every pair even if costly ones are not.
_QUICK, _COSTLY = 0.1, 0.5

EqualMargins = Literal["normal", "uniform"]
"""Kinds of margins that are equal."""

MAIN = "main"
"""Shelf of the results that several tables and figures share."""

TIES = "ties"
"""Shelf of the results over several random orders of the ties."""


class Workshop:
    """Data and answers for the targets of one reproduction.

    Parameters
    ----------
    folder : path
        Where results of benchmarks are kept while they are made.
    quick : bool
        Whether minutes matter more than the last digit: fewer repetitions and pairs where
        the paper has no number to compare with, and only methods of small cost.
    workers : int
        Number of worker processes.
    pairs : int, optional
        How many pairs of each simulated benchmark costly methods are run on.
    margins : {"normal", "uniform"}, default="normal"
        What methods see where margins are to be equal.
    progress : callable, optional
        Told the progress of each method now and then.
    """

    def __init__(
        self,
        folder: Path,
        *,
        quick: bool,
        workers: int,
        pairs: int | None = None,
        margins: EqualMargins = "normal",
        progress: Callable[[Sequence[Progress]], None] | None = None,
    ) -> None:
        self.quick = quick
        self.pairs = pairs
        self.margins = margins
        self._folder = folder
        self._workers = workers
        self._progress = progress
        self.pairset = cache(load_pairs)
        self._asked: dict[tuple[str, str, str], float] = {}

    @property
    def spent(self) -> float:
        """Seconds that methods took for all answers asked for, whenever they were computed."""
        return sum(self._asked.values())

    def pairsets(self, names: Sequence[str]) -> list[PairSet]:
        """Benchmarks by name, each read once."""
        return [self.pairset(name) for name in names]

    def answers(
        self,
        shelf: str,
        specs: Sequence[str],
        pairsets: Sequence[PairSet],
        *,
        repeats: int = 1,
        margins: Margins = "as-is",
    ) -> dict[tuple[str, str], Answers]:
        """Answers by what was written for the method and by benchmark.

        Results on one shelf are shared: what is there is not computed again. Those of equal
        margins have shelves of their own.
        """
        shelf = shelf if margins == "as-is" else f"{shelf}-{margins}"
        specs = list(dict.fromkeys(specs))
        results = run_benchmark(
            specs,
            pairsets,
            repeats=repeats,
            workers=self._workers,
            margins=margins,
            out=self._folder / shelf,
            progress=self._progress,
        )
        found = {(one.pairset, one.method, one.settings): one for one in answers(results)}
        asked = {spec: contender(spec) for spec in specs}
        given = {
            (spec, pairset.name): found[pairset.name, one.name, one.settings]
            for spec, one in asked.items()
            for pairset in pairsets
        }
        for (spec, name), one in given.items():
            self._asked[shelf, spec, name] = float(one.seconds.sum())
        return given

    def on_real(
        self, specs: Sequence[str], *, repeats: int = 1, margins: Margins = "as-is"
    ) -> dict[tuple[str, str], Answers]:
        """Answers on the Tübingen pairs."""
        shelf, pairsets = MAIN if repeats == 1 else TIES, self.pairsets(["tuebingen"])
        return self.answers(shelf, specs, pairsets, repeats=repeats, margins=margins)

    def on_simulated(
        self, specs: Sequence[str], *, repeats: int = 1, margins: Margins = "as-is"
    ) -> dict[tuple[str, str], Answers]:
        """Answers on the simulated benchmarks, of costly methods on fewer pairs if so asked."""
        pairsets = self.pairsets(paper.SIMULATED)
        if repeats > 1:
            return self.answers(TIES, specs, pairsets, repeats=repeats, margins=margins)
        if self.pairs is None:
            return self.answers(MAIN, specs, pairsets, margins=margins)
        costly = [spec for spec in specs if is_costly(contender(spec).name)]
        others = [spec for spec in specs if spec not in costly]
        found = self.answers(MAIN, others, pairsets, margins=margins) if others else {}
        if costly:
            fewer = [spread(pairset, self.pairs) for pairset in pairsets]
            found |= self.answers(f"{MAIN}-{self.pairs}", costly, fewer, margins=margins)
        return found

    def affordable(self, method: str) -> bool:
        """Whether a method exists, and in a quick run also whether its cost is small."""
        return method in METHODS and (not self.quick or is_cheap(method))

    def left_out(self, methods: Sequence[str]) -> list[str]:
        """Methods that exist but cost too much for a quick run."""
        named = dict.fromkeys(methods)
        return [name for name in named if name in METHODS and not self.affordable(name)]


def is_cheap(method: str) -> bool:
    """Whether a method takes so little time that a quick run can afford it."""
    return METHODS[method].seconds <= _QUICK


def is_costly(method: str) -> bool:
    """Whether a method takes so long that it may be worth while to run it on fewer pairs."""
    return METHODS[method].seconds > _COSTLY


def spread(pairset: PairSet, count: int) -> PairSet:
    """At most so many pairs, evenly from the first to the last."""
    if len(pairset) <= count:
        return pairset
    places = np.unique(np.linspace(0, len(pairset) - 1, count).round().astype(int))
    return replace(pairset, items=tuple(pairset.items[place] for place in places))
