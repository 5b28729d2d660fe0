"""How many quantile levels few rows can carry: bQCD with m = 1, 3 and 7 on 50 to 400 rows.

    OPENBLAS_NUM_THREADS=1 python benchmarks/small_n.py [--seed 0] [--repeats 1] [--out FILE]

Simulated pairs only. A pair of the first kind has one of ten causes, one of ten mechanisms, one
of five noises and one of three ways in which the noise enters, each combination once in a
repeat; none is a recipe of the paper. The second kind are the nine published scenarios, drawn
anew. A smaller table is the beginning of the larger one, and all m see the same rows, so that
differences are paired. Tied pairs are the same pairs, each column rounded to fifths of its
standard deviation. A confidence of zero counts one half.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd import BQCD, decide_pair
from bqcd.benchmark.datasets import simulate_pairs
from bqcd.data.pair import Pair

Vector = NDArray[np.float64]
Draw = Callable[[int, Generator], Vector]
Curve = Callable[[Vector, Generator], Vector]

SIZES = (50, 75, 100, 150, 200, 300, 400)
LEVELS = (1, 3, 7)
PUBLISHED = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c", "SIM-ln", "SIM-G")
PUBLISHED_PAIRS = 100
STEP = 0.2


def mixture(centres: tuple[float, ...], spread: float) -> Draw:
    """Normal columns around some centres, each as likely."""
    return lambda n, rng: rng.choice(centres, n) + spread * rng.normal(size=n)


CAUSES: Mapping[str, Draw] = {
    "normal": lambda n, rng: rng.normal(size=n),
    "uniform": lambda n, rng: rng.uniform(-1.0, 1.0, n),
    "exponential": lambda n, rng: rng.exponential(size=n),
    "lognormal": lambda n, rng: rng.lognormal(0.0, 0.7, n),
    "Laplace": lambda n, rng: rng.laplace(size=n),
    "t(3)": lambda n, rng: rng.standard_t(3, n),
    "arcsine": lambda n, rng: rng.beta(0.5, 0.5, n),
    "triangular": lambda n, rng: rng.triangular(0.0, 0.2, 1.0, n),
    "two modes": mixture((-1.5, 1.5), 0.6),
    "three modes": mixture((-2.0, 0.0, 3.0), 0.5),
}

MECHANISMS: Mapping[str, Curve] = {
    "line": lambda x, rng: x,
    "cubic": lambda x, rng: x**3 + rng.uniform(0.0, 2.0) * x,
    "parabola": lambda x, rng: (x - rng.uniform(-1.0, 1.0)) ** 2,
    "saturating": lambda x, rng: np.tanh(rng.uniform(1.0, 3.0) * (x - rng.uniform(-0.5, 0.5))),
    "exponential": lambda x, rng: np.exp(rng.uniform(0.5, 1.2) * np.minimum(x, 4.0)),
    "logarithm": lambda x, rng: np.log(0.1 + x - x.min()),
    "wave": lambda x, rng: np.sin(rng.uniform(1.0, 3.0) * x + rng.uniform(0.0, 6.3)),
    "kink": lambda x, rng: np.abs(x - rng.uniform(-1.0, 1.0)) + rng.uniform(-1.0, 1.0) * x,
    "bend": lambda x, rng: np.where(x > rng.uniform(-0.7, 0.7), x, rng.uniform(0.0, 0.3) * x),
    "two lines": lambda x, rng: rng.choice([1.0, rng.uniform(-1.0, 0.5)], len(x)) * x,
}

NOISES: Mapping[str, Draw] = {
    "normal": lambda n, rng: rng.normal(size=n),
    "uniform": lambda n, rng: rng.uniform(-1.7, 1.7, n),
    "Laplace": lambda n, rng: rng.laplace(0.0, 0.7, n),
    "skewed": lambda n, rng: rng.exponential(size=n) - 1.0,
    "two modes": mixture((-0.9, 0.9), 0.45),
}

Entry = Callable[[Vector, Vector, Vector], Vector]
ENTRIES: Mapping[str, Entry] = {
    "added": lambda x, curve, noise: curve + noise,
    "scaled by the cause": lambda x, curve, noise: curve + (0.2 + np.abs(x)) * noise,
    "multiplied": lambda x, curve, noise: curve * (1.0 + noise),
}


@dataclass(frozen=True)
class Answer:
    """Whether bQCD was right on one pair: 1, 0 or one half."""

    kind: str
    families: tuple[str, ...]
    rows: int
    tied: bool
    levels: int
    right: float


def scaled(column: Vector) -> Vector:
    """Column with mean 0 and variance 1."""
    return np.asarray((column - column.mean()) / column.std())


Columns = tuple[tuple[str, ...], Vector, Vector]


def own_pairs(seed: int, repeats: int) -> Iterator[Columns]:
    """Families, cause and effect of every combination but the linear Gaussian one."""
    combinations = product(range(repeats), CAUSES, MECHANISMS, NOISES, ENTRIES)
    for number, (_, cause, mechanism, noise, entry) in enumerate(combinations):
        if (cause, mechanism, noise, entry) == ("normal", "line", "normal", "added"):
            continue
        rng = default_rng([seed, number])
        x = scaled(CAUSES[cause](SIZES[-1], rng))
        curve = scaled(MECHANISMS[mechanism](x, rng))
        size = 0.2 * 5.0 ** rng.random()
        effect = ENTRIES[entry](x, curve, size * NOISES[noise](SIZES[-1], rng))
        yield (f"noise {entry}", f"mechanism: {mechanism}"), x, effect


def published_pairs(seed: int, repeats: int) -> Iterator[Columns]:
    """Scenario, cause and effect."""
    for name in PUBLISHED:
        count = PUBLISHED_PAIRS * repeats
        for item in simulate_pairs(name, n_pairs=count, n_rows=SIZES[-1], seed=seed):
            pair = item.pair if item.truth.sign > 0 else item.pair.swapped()
            yield (name,), pair.x, pair.y


def rounded(column: Vector) -> Vector:
    """Column in steps of a fifth of its standard deviation."""
    return np.asarray(np.round(scaled(column) / STEP) * STEP)


def answers(seed: int, repeats: int) -> Iterator[Answer]:
    """Every answer on every pair."""
    kinds = {"own": own_pairs, "published": published_pairs}
    methods = {m: BQCD(n_levels=m, small_n=0) for m in LEVELS}
    for kind, pairs in kinds.items():
        for families, x, y in pairs(seed, repeats):
            for rows, tied, m in product(SIZES, (False, True), LEVELS):
                cause, effect = (rounded(v[:rows]) if tied else v[:rows] for v in (x, y))
                confidence = decide_pair(Pair(cause, effect), method=methods[m]).confidence
                right = (1.0 + np.sign(confidence)) / 2.0
                yield Answer(kind, families, rows, tied, m, float(right))


Cell = tuple[str, str, bool, int]


def by_cell(found: Iterable[Answer]) -> dict[Cell, dict[int, Vector]]:
    """Answers by kind, family, tied and rows, and within these by m, pairs in the same order.

    The family "all" holds those of all families.
    """
    cells: dict[Cell, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        for family in ("all", *one.families):
            cells[one.kind, family, one.tied, one.rows][one.levels].append(one.right)
    return {cell: {m: np.array(v) for m, v in levels.items()} for cell, levels in cells.items()}


def share(right: Vector) -> str:
    """Mean and its standard error."""
    return f"{right.mean():.3f} ({right.std(ddof=1) / len(right) ** 0.5:.3f})"


def gap(first: Vector, second: Vector) -> str:
    """Mean difference in points and its 95 % interval."""
    apart = 100.0 * (first - second)
    half = 1.96 * apart.std(ddof=1) / len(apart) ** 0.5
    return f"{apart.mean():+.1f} [{apart.mean() - half:+.1f}, {apart.mean() + half:+.1f}]"


FAMILIES = (
    *(("own", f"noise {entry}") for entry in ENTRIES),
    *(("own", f"mechanism: {mechanism}") for mechanism in MECHANISMS),
    *(("published", name) for name in PUBLISHED),
)
TITLES = {"own": "Ten causes, ten mechanisms, five noises", "published": "Published scenarios"}


def tables(cells: Mapping[Cell, Mapping[int, Vector]]) -> Iterator[str]:
    """Lines of all tables."""
    for kind, tied in product(TITLES, (False, True)):
        count = len(cells[kind, "all", tied, SIZES[0]][1])
        yield f"\n## {TITLES[kind]}, {'tied' if tied else 'untied'}: {count:,} pairs\n"
        yield "| rows | m = 1 | m = 3 | m = 7 | m = 3 less m = 1 | m = 7 less m = 3 |"
        yield "|--:|--:|--:|--:|--:|--:|"
        for rows in SIZES:
            one, three, seven = (cells[kind, "all", tied, rows][m] for m in LEVELS)
            shares = " | ".join(map(share, (one, three, seven)))
            yield f"| {rows} | {shares} | {gap(three, one)} | {gap(seven, three)} |"
    yield "\n## m = 3 less m = 1 by family, untied, in points\n"
    yield "| family | pairs | " + " | ".join(f"n = {rows}" for rows in SIZES) + " |"
    yield "|:--|--:|" + "--:|" * len(SIZES)
    for kind, family in FAMILIES:
        if (kind, family, False, SIZES[0]) in cells:
            found = [cells[kind, family, False, n] for n in SIZES]
            told = " | ".join(gap(one[3], one[1]) for one in found)
            yield f"| {family} | {len(found[0][1])} | {told} |"


def main() -> None:
    """Print the tables and write them to a file if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    command = f"python benchmarks/small_n.py --seed {asked.seed} --repeats {asked.repeats}"
    head = [
        "# Quantile levels and few rows",
        f"\nMade by `{command}`; six minutes of one core. Shares of right directions with standard "
        "errors; differences in points with 95 % intervals over pairs. `small_n=0` everywhere.",
    ]
    report = "\n".join([*head, *tables(by_cell(answers(asked.seed, asked.repeats)))]) + "\n"
    print(report)
    if asked.out is not None:
        asked.out.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
