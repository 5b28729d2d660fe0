"""Columns as they come: ordinal, zero-inflated, rounded, heaped; accuracy against clean ones.

    python benchmarks/assess_inputs.py [--pairs 20] [--rows 500] [--seed 0]

The same simulated pairs each time, so that a line differs from the clean one in nothing but what
was done to the columns. Grades have equally many rows. Zero-inflated columns have all that lies
below a quantile set to it, as rainfall or spending have. Heaped ones are rounded to a standard
deviation in seven rows of ten, as answers from memory are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from assess_records import Part
from numpy.random import default_rng
from numpy.typing import NDArray

from bqcd.assessments import assess_pair
from bqcd.benchmark.datasets import simulate_pairs
from bqcd.data.pair import Direction, Pair

Vector = NDArray[np.float64]

BASES = ("AN", "LS", "MN-U")


def clean(column: Vector) -> Vector:
    """Column left alone."""
    return column


def graded(column: Vector, levels: int) -> Vector:
    """Grades with equally many rows, from 0."""
    ranks = np.argsort(np.argsort(column, kind="stable"), kind="stable")
    return (ranks * levels // len(column)).astype(np.float64)


def floored(column: Vector, share: float) -> Vector:
    """Column whose smallest values are all the same."""
    return np.maximum(column, np.quantile(column, share))


def rounded(column: Vector, step: float) -> Vector:
    """Column rounded to multiples of a step, in standard deviations."""
    size = step * column.std()
    return np.asarray(np.round(column / size) * size)


def heaped(column: Vector) -> Vector:
    """Column of which 70 % are rounded to standard deviations."""
    exact = default_rng(70).random(len(column)) < 0.3
    return np.where(exact, column, rounded(column, 1.0))


@dataclass(frozen=True)
class Kind:
    """What is done to cause and effect."""

    cause: Callable[[Vector], Vector]
    effect: Callable[[Vector], Vector]


def _kinds() -> dict[str, Kind]:
    kinds = {"clean": Kind(clean, clean)}
    for levels in (3, 5, 10):
        grades = partial(graded, levels=levels)
        kinds[f"ordinal, {levels} levels: cause"] = Kind(grades, clean)
        kinds[f"ordinal, {levels} levels: effect"] = Kind(clean, grades)
        kinds[f"ordinal, {levels} levels: both"] = Kind(grades, grades)
    for share in (0.3, 0.6):
        zeros = partial(floored, share=share)
        kinds[f"zero-inflated, {share:.0%}: cause"] = Kind(zeros, clean)
        kinds[f"zero-inflated, {share:.0%}: effect"] = Kind(clean, zeros)
    for step in (0.1, 0.5, 1.0):
        coarse = partial(rounded, step=step)
        kinds[f"rounded to {step:g} sd: both"] = Kind(coarse, coarse)
    return kinds | {"heaped: both": Kind(heaped, heaped)}


KINDS: Mapping[str, Kind] = _kinds()


@dataclass(frozen=True)
class InputsPlan:
    """Pairs of each of three mechanisms, their rows, halves of a pair, and the seed."""

    pairs: int = 20
    rows: int = 500
    halves: int = 100
    seed: int = 0


@dataclass(frozen=True)
class InputsRow:
    """What becomes of pairs of one mechanism: an undecided pair counts one half."""

    kind: str
    pairs: str
    accuracy: float
    claimed: float
    significant: int
    wrong: int


def inputs_rows(plan: InputsPlan) -> Iterator[InputsRow]:
    """A row for each thing done to the columns, and mechanism."""
    sets = {
        base: simulate_pairs(base, n_pairs=plan.pairs, n_rows=plan.rows, seed=plan.seed)
        for base in BASES
    }
    for name, kind in KINDS.items():
        for base, items in sets.items():
            found = [_assessed(item.pair, item.truth, kind, plan) for item in items]
            sign, claimed, bound = np.array(found).T
            significant = bound <= 0.05
            yield InputsRow(
                name,
                base,
                float(np.mean(0.5 + 0.5 * sign)),
                float(claimed.mean()),
                int(np.count_nonzero(significant)),
                int(np.count_nonzero(significant & (sign < 0.0))),
            )


def _assessed(
    pair: Pair, truth: Direction, kind: Kind, plan: InputsPlan
) -> tuple[float, float, float]:
    """1 for the right direction, -1 for the wrong one; probability and p_bound."""
    of_x, of_y = (kind.cause, kind.effect) if truth.sign > 0 else (kind.effect, kind.cause)
    changed = Pair(of_x(pair.x), of_y(pair.y))
    found = assess_pair(changed, method="bqcd", replicates=plan.halves, seed=plan.seed)
    assert found.probability is not None
    assert found.p_bound is not None
    return Direction.of(found.confidence).sign * truth.sign, found.probability, found.p_bound


INPUTS = Part(
    "inputs",
    InputsRow,
    inputs_rows,
    InputsPlan(),
    InputsPlan(pairs=2, rows=100, halves=10),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    plan = InputsPlan()
    parser.add_argument("--pairs", type=int, default=plan.pairs)
    parser.add_argument("--rows", type=int, default=plan.rows)
    parser.add_argument("--seed", type=int, default=plan.seed)
    asked = parser.parse_args()
    print(f"{'columns':<32} {'pairs':>6} {'right':>6} {'claimed':>8} {'significant':>12} wrong")
    for row in inputs_rows(InputsPlan(asked.pairs, asked.rows, seed=asked.seed)):
        print(
            f"{row.kind:<32} {row.pairs:>6} {row.accuracy:>6.2f} {row.claimed:>8.2f} "
            f"{row.significant:>12} {row.wrong:>5}",
            flush=True,
        )


if __name__ == "__main__":
    main()
