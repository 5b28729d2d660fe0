"""What margins alone give away, and what methods find once they are equal: not in the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bqcd.benchmark import contender
from bqcd.benchmark.datasets import LabelledPair, PairSet
from bqcd.benchmark.metrics import PairedDifference, mean_paired_difference
from bqcd.benchmark.summary import Answers
from bqcd.data.margins import Margins
from bqcd.data.pair import Pair
from bqcd.methods.margins import MARGIN_FEATURES, margins_evidence
from bqcd.methods.table import COMPARED
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.products import Product
from bqcd.show.reproduction.workshop import Workshop, is_costly
from bqcd.show.sheets import Cell, Sheet
from bqcd.show.words.margins import margins_notes, margins_suffix
from bqcd.show.words.methods import marked, table_notes

FLOORS = ("margins", "igci-entropy-g", "igci-entropy-u", "coin")
"""Methods that see nothing of the relation: the entropies of IGCI are those of the margins."""

WITHIN = "learned within the set"
"""Row of what can be learned of the margins from other pairs of the same benchmark."""

NEARER = "the column nearer to normal"
"""Row of a single rule: that column is the cause."""

MEAN = "mean"
"""Column of the mean over the benchmarks."""

COLUMNS = (*paper.SIMULATED, paper.WEIGHTED, MEAN)
"""Columns of both tables; the Tübingen pairs by their weights."""

_MORE_LEVELS = "bqcd:n_levels=7"
_SEED = 2020
_FOLDS = 10
_NEWTON_STEPS = 30


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
    """Accuracy of the methods that see nothing of the relation, on columns as they come.

    And that of a single rule, and, where pairs share no columns, how well margins tell the
    direction once it has been learned from nine tenths of the same benchmark what causes look
    like there.
    """
    found = _answers(workshop, FLOORS, equal=False)
    cells = {spec: _accuracies([found[spec, at] for at in paper.BENCHMARKS]) for spec in FLOORS}
    within = {name: learned_within(workshop.pairset(name)) for name in paper.SIMULATED}
    nearer = [nearer_normal(workshop.pairset(name)) for name in paper.BENCHMARKS]
    first = {FLOORS[0]: cells.pop(FLOORS[0]), WITHIN: within}
    return {**first, NEARER: _with_mean(nearer), **cells}


def nearer_normal(pairset: PairSet) -> float:
    """Share of pairs, by weight, whose cause is nearer to a normal distribution than its effect."""
    at = MARGIN_FEATURES.index("distance from normal")
    nearer = [float(_described(item)[at] < 0.0) for item in pairset]
    return float(np.average(nearer, weights=[item.weight for item in pairset]))


def learned_within(pairset: PairSet) -> float:
    """Share of pairs whose cause margins tell, by what the other nine tenths of the pairs teach.

    A logistic regression on differences of what the margins are described by, each on its own
    scale, with a penalty of 1 on squared weights. Weights of pairs are not used.
    """
    rows = np.array([_described(item) for item in pairset])
    rows = rows / np.sqrt(np.mean(rows**2, axis=0) + 1e-12)
    fold = np.arange(len(rows)) % _FOLDS
    right = [rows[fold == part] @ _learned(rows[fold != part]) > 0.0 for part in range(_FOLDS)]
    return float(np.concatenate(right).mean())


def _described(item: LabelledPair) -> Vector:
    """What the cause's margin is described by, less that of the effect."""
    assert isinstance(item.pair, Pair)
    evidence = margins_evidence(item.pair)
    gap: Vector = item.truth.sign * (evidence.x - evidence.y)
    return gap


def _learned(rows: Matrix) -> Vector:
    """Weights that make the differences positive, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        doubt = 1.0 / (1.0 + np.exp(rows @ weights))
        slope = rows.T @ doubt - weights
        bend = (rows * (doubt * (1.0 - doubt))[:, None]).T @ rows + np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def comparisons(workshop: Workshop, specs: Sequence[str] = ()) -> Iterator[Comparison]:
    """Methods that are named, or all that this run can afford: see :func:`compared_specs`."""
    specs = specs or compared_specs(workshop)
    as_is, equal = (_answers(workshop, specs, equal=equal) for equal in (False, True))
    for spec in specs:
        one, other = ([found[spec, at] for at in paper.BENCHMARKS] for found in (equal, as_is))
        yield Comparison(spec, _accuracies(one), _accuracies(other), _differences(one, other))


def compared_specs(workshop: Workshop) -> list[str]:
    """Every method with its defaults, bQCD first and with seven levels too."""
    named = [name for name in COMPARED if name not in FLOORS and workshop.affordable(name)]
    return ["bqcd", _MORE_LEVELS, *(name for name in named if name != "bqcd")]


def _answers(
    workshop: Workshop, specs: Sequence[str], *, equal: bool
) -> dict[tuple[str, str], Answers]:
    margins: Margins = workshop.margins if equal else "as-is"
    simulated = workshop.on_simulated(specs, margins=margins)
    return simulated | workshop.on_real(specs, margins=margins)


def _accuracies(found: Sequence[Answers]) -> dict[str, float]:
    """Weighted accuracy by column, and the mean of all."""
    return _with_mean([one.mean("accuracy") for one in found])


def _with_mean(values: Sequence[float]) -> dict[str, float]:
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
        (spec, *(cells.get(column) for column in COLUMNS)) for spec, cells in found.items()
    ]
    notes = (
        "Nothing here sees which values come together. margins was learned from other simulated "
        "pairs; IGCI's entropies are those of the margins. Far below one half tells as much as far "
        "above: causes look the other way there than where it was learned.",
        f"{WITHIN}: a logistic regression on the same description of the margins, learned from "
        "nine tenths of a benchmark and tried on the tenth left out; not of the Tübingen pairs, "
        "many of which share columns. These count by their weights.",
        f"{NEARER}: a single rule, to take it for the cause; near by the correlation of values and "
        "normal scores.",
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
        f"{', '.join(FLOORS[:-1])} and {FLOORS[-1]} are left out: they see nothing but margins, or "
        "nothing at all.",
        *table_notes((one.name, one.settings) for one in found),
    ]
    costly = [one.name for one in found if is_costly(one.name)]
    if workshop.pairs is not None and costly:
        notes.append(f"On {workshop.pairs} pairs of each simulated benchmark: {', '.join(costly)}.")
    if left_out := workshop.left_out(list(COMPARED)):
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
