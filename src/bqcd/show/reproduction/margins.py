"""What margins alone give away, and what methods find once they are equal: not in the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bqcd.benchmark import contender
from bqcd.benchmark.metrics import PairedDifference, mean_paired_difference
from bqcd.benchmark.summary import Answers
from bqcd.data.margins import Margins
from bqcd.methods.table import METHODS
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.products import Product
from bqcd.show.reproduction.workshop import Workshop, is_costly
from bqcd.show.sheets import Cell, Sheet
from bqcd.show.words.margins import margins_notes, margins_suffix
from bqcd.show.words.methods import marked, table_notes

FLOORS = ("margins", "coin")
"""Methods that see nothing of the relation."""

MEAN = "mean"
"""Column of the mean over the benchmarks."""

COLUMNS = (*paper.SIMULATED, paper.WEIGHTED, MEAN)
"""Columns of both tables; the Tübingen pairs by their weights."""

_MORE_LEVELS = "bqcd:n_levels=7"
_SEED = 2020


@dataclass(frozen=True, slots=True)
class Comparison:
    """One method with equal margins, next to the columns as they come.

    Parameters
    ----------
    spec : str
        The method as ``bqcd bench`` would be given it.
    equal, as_is : mapping of str to float
        Weighted accuracy on each of ``COLUMNS``.
    difference : mapping of str to PairedDifference
        Equal minus as they come, with a bootstrap over pairs.
    """

    spec: str
    equal: Mapping[str, float]
    as_is: Mapping[str, float]
    difference: Mapping[str, PairedDifference]


def margins_tables(workshop: Workshop) -> Product:
    """The floor of the margins, and every method with equal margins and without."""
    compared = sorted(comparisons(workshop), key=lambda one: -one.equal[MEAN])
    return Product((_floor_sheet(floors(workshop)), _compared_sheet(compared, workshop)))


def floors(workshop: Workshop) -> dict[str, dict[str, float]]:
    """Accuracy of the methods that see nothing of the relation, on columns as they come."""
    found = _answers(workshop, FLOORS, equal=False)
    return {spec: _accuracies([found[spec, name] for name in paper.BENCHMARKS]) for spec in FLOORS}


def comparisons(workshop: Workshop) -> Iterator[Comparison]:
    """Every method with its defaults, and bQCD with seven levels, that this run can afford."""
    specs = compared_specs(workshop)
    as_is, equal = (_answers(workshop, specs, equal=equal) for equal in (False, True))
    for spec in specs:
        one, other = ([found[spec, at] for at in paper.BENCHMARKS] for found in (equal, as_is))
        yield Comparison(spec, _accuracies(one), _accuracies(other), _differences(one, other))


def compared_specs(workshop: Workshop) -> list[str]:
    """Who is compared, bQCD first."""
    named = [name for name in METHODS if name not in FLOORS and workshop.affordable(name)]
    return ["bqcd", _MORE_LEVELS, *(name for name in named if name != "bqcd")]


def _answers(
    workshop: Workshop, specs: Sequence[str], *, equal: bool
) -> dict[tuple[str, str], Answers]:
    margins: Margins = workshop.margins if equal else "as-is"
    simulated = workshop.on_simulated(specs, margins=margins)
    return simulated | workshop.on_real(specs, margins=margins)


def _accuracies(found: Sequence[Answers]) -> dict[str, float]:
    """Weighted accuracy by column, and the mean of all."""
    values = [one.mean("accuracy") for one in found]
    return dict(zip(COLUMNS, (*values, float(np.mean(values))), strict=True))


def _differences(equal: Sequence[Answers], as_is: Sequence[Answers]) -> dict[str, PairedDifference]:
    """Difference by column and of the mean, each with draws of its own."""
    parts = [
        (one.truth, one.confidence[0], other.confidence[0], one.weight)
        for one, other in zip(equal, as_is, strict=True)
    ]
    groups = [*([part] for part in parts), parts]
    return {
        column: mean_paired_difference(group, rng=np.random.default_rng(_SEED))
        for column, group in zip(COLUMNS, groups, strict=True)
    }


def _floor_sheet(found: Mapping[str, Mapping[str, float]]) -> Sheet:
    rows: list[tuple[Cell, ...]] = [
        (spec, *(cells[column] for column in COLUMNS)) for spec, cells in found.items()
    ]
    notes = (
        "margins sees the distribution of each column by itself and never which values come "
        "together; it was learned from other simulated pairs. What it gets right can be had "
        "without a look at the relation. The Tübingen pairs count by their weights.",
    )
    return Sheet("Accuracy from the margins alone", ("method", *COLUMNS), tuple(rows), notes)


def _compared_sheet(compared: Sequence[Comparison], workshop: Workshop) -> Sheet:
    rows = [line for one in compared for line in _lines(one)]
    found = [contender(one.spec) for one in compared]
    notes = [
        "equal: with equal margins; as is: columns as they come; +/-: their difference, with a "
        "95 % interval from 2,000 draws of pairs within each benchmark, the same pairs for both. "
        "The Tübingen pairs count by their weights. Rows by their mean with equal margins.",
        *margins_notes(workshop.margins),
        "margins and coin are left out: where margins are equal, the first has nothing to go by "
        "and abstains, and the second never looks.",
        *table_notes((one.name, one.settings) for one in found),
    ]
    costly = [one.name for one in found if is_costly(one.name)]
    if workshop.pairs is not None and costly:
        notes.append(f"On {workshop.pairs} pairs of each simulated benchmark: {', '.join(costly)}.")
    if left_out := workshop.left_out(list(METHODS)):
        notes.append(f"Left out of the quick run for their cost: {', '.join(left_out)}.")
    title = f"Accuracy next to columns as they come{margins_suffix(workshop.margins)}"
    return Sheet(title, ("method", "", *COLUMNS), tuple(rows), tuple(notes))


def _lines(one: Comparison) -> Iterator[tuple[Cell, ...]]:
    asked = contender(one.spec)
    label = marked(one.spec, asked.name, asked.settings)
    yield label, "equal", *(one.equal[column] for column in COLUMNS)
    yield "", "as is", *(one.as_is[column] for column in COLUMNS)
    yield "", "+/-", *(_signed(one.difference[column]) for column in COLUMNS)


def _signed(found: PairedDifference) -> str:
    return f"{found.difference:+.2f} ({found.low:+.2f} to {found.high:+.2f})"
