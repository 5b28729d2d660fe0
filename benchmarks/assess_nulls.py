"""Whether bound and interval hold where grids, copies, units and series break what they rest on.

    python benchmarks/assess_nulls.py [--rows 1000 5000] [--pairs 60] [--seed 0] [--check]

All pairs look the same from both sides before their columns are put into grades or their rows are
repeated, so that no direction exists: no share of bounds at most 0.05 may exceed 5 %. The expected
score, which an interval should contain, is the mean over the pairs of a line: it is not 0 where a
grid favours one side.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from assess_records import Part
from assess_series import series
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

import bqcd
from bqcd.benchmark.metrics.intervals import clopper_pearson

Vector = NDArray[np.float64]
Numbers = NDArray[np.int64]
Columns = tuple[Vector, Vector]
Shape = Callable[[int, Generator], Columns]
Sample = tuple[Vector, Vector, Numbers | None]


@dataclass(frozen=True)
class NullsPlan:
    """Rows of a pair, pairs of a kind (half with more than 1,000 rows), halves, and the seed."""

    rows: tuple[int, ...] = (1000, 5000)
    pairs: int = 60
    halves: int = 100
    seed: int = 0


@dataclass(frozen=True)
class NullsRow:
    """Shares of pairs with a bound of at most 0.05, of intervals that cover, of pairs with units.

    ``low`` is the lower end of the 95 % interval of the first share, ``worth`` the median number of
    independent rows that tell as much.
    """

    group: str
    kind: str
    n_rows: int
    pairs: int
    bound: float
    low: float
    covered: float
    noticed: float
    worth: float


# -- shapes that look the same from both sides --------------------------------------------


def linear(n: int, rng: Generator) -> Columns:
    """Linear Gaussian, correlation 0.6."""
    x, noise = rng.normal(size=(2, n))
    return x, 0.6 * x + 0.8 * noise


def parabolas(n: int, rng: Generator) -> Columns:
    """A noisy parabola, each row turned round with a chance of one half."""
    t, noise = rng.uniform(-1, 1, n), 0.1 * rng.normal(size=n)
    return _turned(t, t**2 + noise, rng)


def mixture(n: int, rng: Generator) -> Columns:
    """A narrow and wide cloud off the diagonal, rows turned round with a chance of one half."""
    x, y = rng.normal(size=(2, n))
    return _turned(0.5 * x - 1.0, y + 1.2, rng)


def student(n: int, rng: Generator) -> Columns:
    """Student's copula with 2 degrees of freedom and no correlation."""
    x, y = rng.normal(size=(2, n)) / np.sqrt(rng.chisquare(2, n) / 2)
    return x, y


def clayton(n: int, rng: Generator) -> Columns:
    """Clayton's copula with parameter 2."""
    u, w = rng.random((2, n))
    return u, (u**-2.0 * (w ** (-2.0 / 3.0) - 1.0) + 1.0) ** -0.5


def _turned(x: Vector, y: Vector, rng: Generator) -> Columns:
    turn = rng.random(len(x)) < 0.5
    return np.where(turn, y, x), np.where(turn, x, y)


# -- grids and rows that belong together --------------------------------------------------


def graded(shape: Shape, of_x: int, of_y: int = 0) -> Callable[[int, Generator], Sample]:
    """Columns in so many grades with equally many rows; 0 leaves a column as it is."""

    def draw(n: int, rng: Generator) -> Sample:
        x, y = shape(n, rng)
        return _grades(x, of_x), _grades(y, of_y), None

    return draw


def zero_inflated(shape: Shape, share: float) -> Callable[[int, Generator], Sample]:
    """Column x with a share of its rows at their largest value."""

    def draw(n: int, rng: Generator) -> Sample:
        x, y = shape(n, rng)
        return np.maximum(x, np.quantile(x, share)), y, None

    return draw


def repeated(shape: Shape, times: int, noise: float) -> Callable[[int, Generator], Sample]:
    """Each row so many times, in no order, with noise in standard deviations."""

    def draw(n: int, rng: Generator) -> Sample:
        x, y = shape(n // times, rng)
        units = rng.permutation(np.repeat(np.arange(n // times), times))
        x, y = (
            column[units] + noise * column.std() * rng.normal(size=len(units)) for column in (x, y)
        )
        return x, y, units

    return draw


def grouped(within: float, *, in_order: bool) -> Callable[[int, Generator], Sample]:
    """Twenty groups with centres of their own, as wide as ``within`` standard deviations."""

    def draw(n: int, rng: Generator) -> Sample:
        centres = np.column_stack(linear(20, rng))
        units = np.arange(n) * 20 // n
        if not in_order:
            units = rng.permutation(units)
        x, y = (centres[units] + within * rng.normal(size=(n, 2))).T
        return x, y, units

    return draw


def serial(r: float) -> Callable[[int, Generator], Sample]:
    """Linear Gaussian series."""

    def draw(n: int, rng: Generator) -> Sample:
        x, noise = series(rng, n, r), series(rng, n, r)
        return x, 0.7 * x + np.sqrt(0.51) * noise, None

    return draw


def untold(draw: Callable[[int, Generator], Sample]) -> Callable[[int, Generator], Sample]:
    """The same pairs, without a word of the units."""
    return lambda n, rng: (*draw(n, rng)[:2], None)


def _grades(column: Vector, number: int) -> Vector:
    if number == 0:
        return column
    return np.floor(np.argsort(np.argsort(column)) * number / len(column))


GRIDS, TOGETHER, UNSEEN = "grids", "rows together", "cannot be seen"
NULLS: Mapping[str, tuple[str, Callable[[int, Generator], Sample]]] = {
    "two parabolas, x in 5 grades": (GRIDS, graded(parabolas, 5)),
    "two parabolas, x in 20 grades": (GRIDS, graded(parabolas, 20)),
    "two parabolas, both in 5 grades": (GRIDS, graded(parabolas, 5, 5)),
    "two parabolas, x in 7 grades, y in 12": (GRIDS, graded(parabolas, 7, 12)),
    "two parabolas, 60 % of x equal": (GRIDS, zero_inflated(parabolas, 0.6)),
    "Gaussian mixture, x in 5 grades": (GRIDS, graded(mixture, 5)),
    "Student's copula, x in 5 grades": (GRIDS, graded(student, 5)),
    "Clayton's copula, x cut at its median": (GRIDS, graded(clayton, 2)),
    "Clayton's copula, x in 5 grades": (GRIDS, graded(clayton, 5)),
    "every row five times": (TOGETHER, untold(repeated(linear, 5, 0.0))),
    "5 repeats, noise 0.02": (TOGETHER, untold(repeated(linear, 5, 0.02))),
    "20 repeats, noise 0.05": (TOGETHER, untold(repeated(linear, 20, 0.05))),
    "two parabolas, 5 repeats, noise 0.02": (TOGETHER, untold(repeated(parabolas, 5, 0.02))),
    "20 repeats, noise 0.2, units told": (TOGETHER, repeated(linear, 20, 0.2)),
    "20 groups, width 0.2, one after the other": (TOGETHER, untold(grouped(0.2, in_order=True))),
    "20 groups, width 0.2, units told": (TOGETHER, grouped(0.2, in_order=False)),
    "series, r = 0.8": (TOGETHER, serial(0.8)),
    "series, r = 0.95": (TOGETHER, serial(0.95)),
    "5 repeats, noise 0.1, in no order, not told": (UNSEEN, untold(repeated(linear, 5, 0.1))),
    "20 groups, width 0.1, in no order, not told": (UNSEEN, untold(grouped(0.1, in_order=False))),
    "20 groups, width 0.2, in no order, not told": (UNSEEN, untold(grouped(0.2, in_order=False))),
}


def null_rows(plan: NullsPlan) -> Iterator[NullsRow]:
    """A row for each number of rows and kind."""
    for n_rows in plan.rows:
        for at, (kind, (group, draw)) in enumerate(NULLS.items()):
            count = plan.pairs if n_rows <= 1000 else plan.pairs // 2
            rng = default_rng([plan.seed, n_rows, at])
            found = [_assessed(draw(n_rows, rng), plan) for _ in range(count)]
            expected = float(np.mean([each.confidence for each in found]))
            below = np.array([each.p_bound <= 0.05 for each in found])
            low, _ = clopper_pearson(np.array([float(below.sum())]), np.array([float(count)]))
            covered = [each.interval.low <= expected <= each.interval.high for each in found]
            worth = [each.together.effective_rows if each.together else n_rows for each in found]
            yield NullsRow(
                group,
                kind,
                n_rows,
                count,
                float(below.mean()),
                float(low[0]),
                float(np.mean(covered)),
                float(np.mean([each.together is not None for each in found])),
                float(np.median(worth)),
            )


def _assessed(sample: Sample, plan: NullsPlan) -> bqcd.Assessment:
    x, y, units = sample
    return bqcd.assess(x, y, method="bqcd", units=units, replicates=plan.halves, seed=plan.seed)


NULLS_PART = Part(
    "nulls", NullsRow, null_rows, NullsPlan(), NullsPlan(rows=(200,), pairs=2, halves=10)
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    plan = NullsPlan()
    parser.add_argument("--rows", type=int, nargs="+", default=plan.rows)
    parser.add_argument("--pairs", type=int, default=plan.pairs)
    parser.add_argument("--seed", type=int, default=plan.seed)
    parser.add_argument("--check", action="store_true", help="fail if a share is too large")
    asked = parser.parse_args()
    beyond = 0
    print(f"{'rows':>6} {'pairs':<46} {'count':>5} {'<= .05':>7} {'covered':>8} {'units':>6} worth")
    for row in null_rows(NullsPlan(tuple(asked.rows), asked.pairs, seed=asked.seed)):
        note = "  too many" if row.low > 0.05 else ""
        beyond += bool(note) and row.group != UNSEEN
        print(
            f"{row.n_rows:>6} {row.kind:<46} {row.pairs:>5} {row.bound:>7.3f} {row.covered:>8.2f} "
            f"{row.noticed:>6.2f} {row.worth:>6.0f}{note}",
            flush=True,
        )
    if asked.check and beyond:
        raise SystemExit(f"{beyond} of the shares that must not exceed 5 % do")


if __name__ == "__main__":
    main()
