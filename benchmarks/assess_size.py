"""How often p_bound rejects: where the direction cannot be known, and where it can.

    python benchmarks/assess_size.py [--rows 200 1000 10000] [--pairs 200] [--seed 0]

The first table is of pairs whose direction nobody can know: linear Gaussian pairs and
independent columns, as they are and rounded. No share may exceed the level asked for. The second
is of pairs with a known direction: the share that p_bound calls significant, and how many of
those are wrong. ``--pairs`` says how many are drawn at up to 1,000 rows: with more rows half of
them, and a quarter where rounding makes them slow or the direction is known.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import exp

import numpy as np
from assess_records import Part
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.assessments import assess_pair
from bqcd.assessments.significance import Significance
from bqcd.benchmark.datasets.generators import pair_stream
from bqcd.benchmark.metrics.intervals import clopper_pearson
from bqcd.data.pair import Pair

Vector = NDArray[np.float64]
Rounding = Callable[[Vector], Vector]

LEVELS = (0.05, 0.01)
SCENARIOS = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM")


@dataclass(frozen=True)
class SizePlan:
    """Rows of a pair, pairs of a kind at up to 1,000 rows, halves of a pair, and the seed."""

    rows: tuple[int, ...] = (200, 1000, 10_000)
    pairs: int = 200
    halves: int = 100
    seed: int = 0


@dataclass(frozen=True)
class SizeRow:
    """Shares of pairs without a direction that are at most 0.05 and 0.01, by each bound.

    ``raw`` is exp(-gap), ``bound`` is p_bound, ``low_05`` the lower end of the 95 % interval of
    the share of the latter at 0.05.
    """

    kind: str
    ties: bool
    n_rows: int
    pairs: int
    raw_05: float
    raw_01: float
    bound_05: float
    bound_01: float
    low_05: float


@dataclass(frozen=True)
class PowerRow:
    """Of pairs with a known direction: accuracy, and how many are significant, and wrong then."""

    scenario: str
    n_rows: int
    pairs: int
    accuracy: float
    significant_05: int
    wrong_05: int
    significant_01: int
    wrong_01: int


def as_it_is(column: Vector) -> Vector:
    """Column left alone."""
    return column


def to_halves(column: Vector) -> Vector:
    """Column rounded to half standard deviations."""
    return np.round(2.0 * column) / 2.0


def to_units(column: Vector) -> Vector:
    """Column rounded to standard deviations: some seven values."""
    return np.round(column)


def cut_at_zero(column: Vector) -> Vector:
    """Column with half of its rows at zero."""
    return np.maximum(column, 0.0)


ROUNDINGS: Mapping[str, tuple[Rounding, Rounding]] = {
    "": (as_it_is, as_it_is),
    ", both rounded": (to_halves, to_halves),
    ", x coarse": (to_units, as_it_is),
    ", x coarse, y fine": (to_units, to_halves),
    ", x cut at 0": (cut_at_zero, as_it_is),
}
UNKNOWABLE: Mapping[str, tuple[float, str]] = {
    f"{'independent' if rho == 0.0 else f'Gaussian {rho}'}{rounding}": (rho, rounding)
    for rounding, correlations in (
        ("", (0.0, 0.3, 0.5, 0.7, 0.9, 0.99)),
        (", both rounded", (0.0, 0.7)),
        (", x coarse", (0.0, 0.5, 0.9)),
        (", x coarse, y fine", (0.7,)),
        (", x cut at 0", (0.0, 0.7)),
    )
    for rho in correlations
}


def unknowable_pairs(name: str, n_rows: int, rng: Generator) -> Iterator[Pair]:
    """Endless pairs whose direction nobody can know."""
    rho, rounding = UNKNOWABLE[name]
    of_x, of_y = ROUNDINGS[rounding]
    while True:
        x, noise = rng.normal(size=(2, n_rows))
        yield Pair(of_x(x), of_y(rho * x + np.sqrt(1.0 - rho**2) * noise))


def judged(pair: Pair, halves: int) -> tuple[float, Significance]:
    """Confidence of BQCD() and its significance."""
    found = assess_pair(pair, method="bqcd", replicates=halves)
    assert found.significance is not None
    return found.confidence, found.significance


def size_rows(plan: SizePlan) -> Iterator[SizeRow]:
    """A row for each number of rows and kind of pair whose direction nobody can know."""
    for n_rows in plan.rows:
        for at, (name, (_, rounding)) in enumerate(UNKNOWABLE.items()):
            count = _count(plan, n_rows, fewer=bool(rounding))
            rng = default_rng([plan.seed, n_rows, at])
            pairs = islice(unknowable_pairs(name, n_rows, rng), count)
            found = [judged(pair, plan.halves)[1] for pair in pairs]
            raw = np.array([exp(-each.gap) for each in found])
            bound = np.array([each.p_bound for each in found])
            shares = [float(np.mean(p <= level)) for p in (raw, bound) for level in LEVELS]
            low, _ = clopper_pearson(np.array([shares[2] * count]), np.array([float(count)]))
            shares.append(float(low[0]))
            yield SizeRow(name, bool(rounding), n_rows, count, *shares)


def power_rows(plan: SizePlan) -> Iterator[PowerRow]:
    """A row for each number of rows and scenario with a known direction."""
    for n_rows in plan.rows:
        count = _count(plan, n_rows, fewer=True)
        for name in SCENARIOS:
            items = list(islice(pair_stream(name, n_rows=n_rows, seed=plan.seed), count))
            found = [judged(item.pair, plan.halves) for item in items]
            signs = np.array([item.truth.sign for item in items])
            right = np.array([confidence for confidence, _ in found]) * signs > 0.0
            bound = np.array([each.p_bound for _, each in found])
            counts = (
                int(np.count_nonzero(which & (bound <= level)))
                for level in LEVELS
                for which in (np.ones_like(right), ~right)
            )
            yield PowerRow(name, n_rows, count, float(right.mean()), *counts)


def _count(plan: SizePlan, n_rows: int, *, fewer: bool) -> int:
    count = plan.pairs // (2 if n_rows > 1000 else 1)
    return count // 4 if fewer else count


QUICK = SizePlan(rows=(200,), pairs=16, halves=50)
SIZE = Part("size", SizeRow, size_rows, SizePlan(), QUICK)
POWER = Part("power", PowerRow, power_rows, SizePlan(), QUICK)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    plan = SizePlan()
    parser.add_argument("--rows", type=int, nargs="+", default=plan.rows)
    parser.add_argument("--pairs", type=int, default=plan.pairs)
    parser.add_argument("--seed", type=int, default=plan.seed)
    options = parser.parse_args()
    plan = SizePlan(rows=tuple(options.rows), pairs=options.pairs, seed=options.seed)
    print("direction unknowable: share at or below 0.05 and 0.01")
    print(f"{'rows':>6} {'pairs':<30} {'count':>5}  exp(-gap)      p_bound")
    for row in size_rows(plan):
        note = "  too many" if row.low_05 > LEVELS[0] else ""
        print(
            f"{row.n_rows:>6} {row.kind:<30} {row.pairs:>5}  {row.raw_05:>6.3f} {row.raw_01:>6.3f}"
            f"  {row.bound_05:>6.3f} {row.bound_01:>6.3f}{note}",
            flush=True,
        )
    print("\ndirection known: how many are significant at 0.05 and 0.01, and how many wrong then")
    print(f"{'rows':>6} {'':<6} {'count':>5} {'accuracy':>9}")
    for each in power_rows(plan):
        print(
            f"{each.n_rows:>6} {each.scenario:<6} {each.pairs:>5} {each.accuracy:>9.2f}"
            f"  {each.significant_05:>5} {each.wrong_05:>5}"
            f"  {each.significant_01:>5} {each.wrong_01:>5}",
            flush=True,
        )


if __name__ == "__main__":
    main()
