"""Groups of columns: how often directions are right, and what decides them.

    OPENBLAS_NUM_THREADS=1 python benchmarks/vectors.py [--pairs 24] [--out FILE]

Simulated pairs of six relations and nine pairs of widths; five ways to take quantile scores along
directions; and pairs without a direction whose sides differ in width only. ``benchmarks/nine.py``
has the real pairs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd import BQCD, Pair, decide_pair
from bqcd.benchmark.datasets import simulate_pairs
from bqcd.benchmark.datasets.records import LabelledPair, placed_pair
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.ranks import normal_scores

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

RELATIONS = ("linear", "gaussian", "additive", "index", "scale", "latent")
WIDTHS = ((2, 2), (5, 5), (20, 20), (2, 10), (10, 2), (1, 5), (5, 1), (3, 12), (12, 3))
UNEVEN = ((5, 1), (10, 2), (4, 3))
METHODS = ("bqcd", "trace", "vecci")
ROWS = 500
# Directions that mix columns are many: they were tried up to this width.
SMALL = ((2, 2), (5, 5), (2, 5), (5, 2), (1, 3), (3, 1))


# -- directions --


def scored(columns: Matrix) -> Matrix:
    """Normal scores of each column."""
    scores, made = normal_scores(len(columns)), np.empty_like(columns)
    for at, column in enumerate(columns.T):
        made[np.argsort(column, kind="stable"), at] = scores
    return made


def with_sums(columns: Matrix) -> Matrix:
    """Axes, and sums and differences of all pairs of columns."""
    pairs = combinations(columns.T, 2)
    return np.stack([*columns.T, *(each for a, b in pairs for each in (a + b, a - b))], axis=1)


def principal(columns: Matrix) -> Matrix:
    """Principal axes."""
    return columns @ np.linalg.eigh(columns.T @ columns)[1]


def sphered(columns: Matrix) -> Matrix:
    """Columns freed of their correlations, each as near to its own as can be."""
    values, axes = np.linalg.eigh(columns.T @ columns / len(columns))
    return columns @ (axes / np.sqrt(np.maximum(values, 1e-9))) @ axes.T


def confidences(pairs: list[tuple[Vector, Vector]], rng: Generator) -> Vector:
    """Confidences of pairs of columns; sums of scores may tie, which is broken at random."""
    method, found = BQCD(), []
    for pair in pairs:
        x, y = (column + 1e-9 * rng.normal(size=len(column)) for column in pair)
        found.append(method.decide(Pair(x, y), rng).confidence)
    return np.array(found)


def mean_of(turned: Callable[[Matrix], Matrix]) -> Callable[[Matrix, Matrix, Generator], float]:
    """Mean confidence over all pairs of directions of both sides."""

    def design(x: Matrix, y: Matrix, rng: Generator) -> float:
        sides = [(a, b) for a in turned(x).T for b in turned(y).T]
        return float(confidences(sides, rng).mean())

    return design


def regression(x: Matrix, y: Matrix, rng: Generator) -> float:
    """Each column with what least squares make of the other side."""
    of_y = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    of_x = y @ np.linalg.lstsq(y, x, rcond=None)[0]
    first = confidences(list(zip(of_y.T, y.T, strict=True)), rng)
    second = confidences(list(zip(x.T, of_x.T, strict=True)), rng)
    return 0.5 * float(first.mean() + second.mean())


DESIGNS: Mapping[str, Callable[[Matrix, Matrix, Generator], float]] = {
    "axes": mean_of(lambda columns: columns),
    "axes and sums of two": mean_of(with_sums),
    "principal axes": mean_of(principal),
    "sphered columns": mean_of(sphered),
    "regression on the other side": regression,
}


# -- pairs without a direction --


def sources(rng: Generator, n: int, width: int) -> Matrix:
    """Columns of distributions that are drawn."""
    draws = (
        lambda: rng.normal(size=n),
        lambda: rng.uniform(-1.7, 1.7, n),
        lambda: rng.laplace(size=n),
        lambda: rng.exponential(size=n),
    )
    return np.stack([draws[rng.integers(len(draws))]() for _ in range(width)], axis=1)


def bent_cause(rng: Generator, n: int, width: int) -> Matrix:
    """A common cause that all columns hear through the same curve."""
    z = rng.normal(size=n)
    curve = (np.tanh(2.0 * z), z**2, np.sin(2.0 * z), np.exp(z))[rng.integers(4)]
    heard = (curve - curve.mean()) / curve.std()
    return heard[:, None] + rng.uniform(0.2, 1.0) * rng.normal(size=(n, width))


def skewed_cause(rng: Generator, n: int, width: int) -> Matrix:
    """A skewed common cause with skewed noise."""
    return rng.exponential(size=(n, 1)) + 0.3 * rng.exponential(size=(n, width))


def heavy(rng: Generator, n: int, width: int) -> Matrix:
    """A common cause, all divided by one random size."""
    columns = rng.normal(size=(n, width)) + rng.normal(size=(n, 1))
    return columns / np.sqrt(rng.chisquare(3, size=(n, 1)))


def clusters(rng: Generator, n: int, width: int) -> Matrix:
    """Three groups of rows around centres of their own."""
    centres = 2.0 * rng.normal(size=(3, width))
    return centres[rng.integers(3, size=n)] + rng.normal(size=(n, width))


UNDIRECTED: Mapping[str, Callable[[Generator, int, int], Matrix]] = {
    "independent": sources,
    "linear Gaussian": lambda rng, n, d: rng.normal(size=(n, d)) @ rng.normal(size=(d, d)),
    "common cause, bent": bent_cause,
    "common cause, skewed": skewed_cause,
    "heavy tails": heavy,
    "clusters": clusters,
}


def undirected(kind: str, widths: tuple[int, int], count: int) -> Iterator[VectorPair]:
    """Pairs whose columns all have one law, cut into a wide and a narrow side."""
    for number in range(count):
        rng = default_rng([number, *widths, list(UNDIRECTED).index(kind)])
        columns = UNDIRECTED[kind](rng, ROWS, sum(widths))
        yield placed_pair(columns[:, : widths[0]], columns[:, widths[0] :], key=f"{kind}/{number}")


# -- tables --


def share(values: list[float]) -> str:
    """Share of positive numbers, a zero counting one half; with how many there are."""
    return f"{np.mean(0.5 + 0.5 * np.sign(values)):.2f}" if values else ""


def row(*cells: object) -> str:
    """Line of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def head(*cells: str) -> list[str]:
    """First two lines of a table."""
    return [row(*cells), "|" + "--|" * len(cells)]


def drawn(relation: str, widths: tuple[int, int], count: int) -> list[LabelledPair]:
    """Pairs of a relation whose cause and effect have these widths."""
    causes, effects = widths
    name = f"vector-{relation}"
    made = simulate_pairs(name, n_pairs=count, n_rows=ROWS, causes=causes, effects=effects)
    return list(made)


def accuracy_lines(count: int) -> list[str]:
    """How often methods are right, by relation and by width."""
    right: dict[tuple[str, str], list[float]] = {}
    told: dict[str, list[float]] = {}
    for relation in RELATIONS:
        for widths in WIDTHS:
            # Four hundred pairs of columns take their time.
            some = count if max(widths) < 20 else max(5, count // 4)
            for item in drawn(relation, widths, some):
                for method in METHODS:
                    verdict = decide_pair(item.pair, method=method)
                    signed = item.truth.sign * verdict.confidence
                    right.setdefault((method, relation), []).append(signed)
                    if relation != "gaussian":
                        width = f"{widths[0]} → {widths[1]}"
                        right.setdefault((method, width), []).append(signed)
                        right.setdefault((method, "all but gaussian"), []).append(signed)
                    if method == "bqcd":
                        leaning = verdict.answer == "leaning"
                        told.setdefault(relation, []).append(signed if leaning else np.nan)
    rows = [*RELATIONS, "all but gaussian", *(f"{a} → {b}" for a, b in WIDTHS)]
    lines = [*head("pairs", *METHODS, "bqcd above its limit", "right of these")]
    for name in rows:
        answers = np.array(told.get(name, []))
        known = answers[~np.isnan(answers)].tolist()
        above = f"{len(known) / len(answers):.0%}" if len(answers) else ""
        lines.append(row(name, *(share(right[m, name]) for m in METHODS), above, share(known)))
    return lines


def design_lines(count: int) -> list[str]:
    """Ways to take directions, where they were all tried, and what width alone does to them."""
    lines = head("directions", *RELATIONS, "mean but gaussian", *(f"even: {k}" for k in UNDIRECTED))
    pairs = {r: [i for w in SMALL for i in drawn(r, w, max(5, count // 4))] for r in RELATIONS}
    nulls = {k: list(undirected(k, (5, 1), count)) for k in UNDIRECTED}
    for name, design in DESIGNS.items():
        right = {}
        for relation, items in pairs.items():
            right[relation] = [
                item.truth.sign * design(scored(item.pair.x), scored(item.pair.y), default_rng(at))
                for at, item in enumerate(items)
            ]
        shares = [float(np.mean(0.5 + 0.5 * np.sign(right[r]))) for r in RELATIONS]
        mean = np.mean([s for s, r in zip(shares, RELATIONS, strict=True) if r != "gaussian"])
        wide = [
            share([design(scored(p.x), scored(p.y), default_rng(at)) for at, p in enumerate(found)])
            for found in nulls.values()
        ]
        lines.append(row(name, *(f"{s:.2f}" for s in shares), f"{mean:.2f}", *wide))
    return lines


def balance_lines(count: int) -> list[str]:
    """Share of undirected pairs whose wide side is called the cause."""
    titles = [f"{method}, {wide} and {narrow}" for method in METHODS for wide, narrow in UNEVEN]
    lines = head("pairs without a direction", *titles, "bqcd above its limit")
    for kind in UNDIRECTED:
        cells, above = [], []
        for method in METHODS:
            for widths in UNEVEN:
                verdicts = [decide_pair(p, method=method) for p in undirected(kind, widths, count)]
                cells.append(share([verdict.confidence for verdict in verdicts]))
                if method == "bqcd":
                    above += [verdict.answer == "leaning" for verdict in verdicts]
        lines.append(row(kind, *cells, f"{np.mean(above):.0%}"))
    return lines


INTRODUCTION = """# Groups of columns

Made by `make bench-vectors` (`benchmarks/vectors.py --pairs {count}`). Simulated pairs have {rows}
rows; shares are of forced decisions, a confidence of zero counting one half.

## Simulated vectors

{count} pairs of each relation (`bqcd.simulate_pairs("vector-...")`) and of each pair of widths,
causes → effects; a quarter as many of 20 → 20. The last columns: how many verdicts of bqcd are
above the 95 % limit for linear Gaussian data, and which share of these is right.
"""

DESIGNED = """
## Directions

Ways to take the scores, on {count} pairs of each relation and pair of widths up to 5, and on pairs
without a direction whose wide side (5 columns) and narrow one (1 column) differ in nothing else:
the last columns have the share whose wide side is called the cause, 0.5 if width decides nothing.
"""

BALANCED = """
## Width alone

The same share for the methods, {count} pairs each.
"""


def main() -> None:
    """Write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/vectors.md"))
    asked = parser.parse_args()
    count = asked.pairs
    lines = [INTRODUCTION.format(count=count, rows=ROWS), *accuracy_lines(count)]
    lines += [DESIGNED.format(count=max(5, count // 4)), *design_lines(count)]
    lines += [BALANCED.format(count=2 * count), *balance_lines(2 * count)]
    asked.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
