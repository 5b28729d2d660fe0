"""Sizes of the tests of levels: how often each rejects what holds, at alpha 0.05.

    OPENBLAS_NUM_THREADS=1 python benchmarks/level_sizes.py [--draws 1000] [--only added heavy]

A target of two causes with noise that is added, has a spread of its own, heavy tails, or is
multiplied with the signal: 1,000 rows, three environments that act on the causes. Given the causes,
levels of the target depend neither on environments nor on a column without part, nor does the shape
of its noise, nor on products of the causes. And the tables of ``benchmarks/invariance.py``, 600
rows, where the set of the causes is tested between environments. Counts of what was run are kept in
``results/level_sizes.json``, and ``results/level_sizes.md`` is made of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import invariance
from bqcd.statistics.level_tests import interaction_test, level_test, shape_test
from bqcd.statistics.splines.level_models import LevelModels

RESULTS = Path(__file__).parent / "results"
NOISES = ("added", "spread", "heavy", "multiplied")
TESTS = ("environments", "a column without part", "shape", "products")
# Tables of invariant prediction, by what environments do.
TABLES = tuple(f"causes, {change}" for change in invariance.CHANGES)
ALPHA, SEED = 0.05, 404


def three_columns(kind: str, rng: Generator, n: int = 1000) -> tuple[np.ndarray, ...]:
    """A target of two causes, the causes, a column without part in it, and three environments."""
    where = np.arange(n) % 3
    x = rng.normal(size=n) * np.array([1.0, 1.5, 1.0])[where] + (where == 2)
    w = rng.normal(size=n) + np.tanh(x)
    z = np.tanh(x) + 0.5 * rng.normal(size=n)
    signal, noise = np.sin(x) + 0.5 * np.abs(w), rng.normal(size=n)
    target = {
        "added": lambda: signal + 0.4 * noise,
        "spread": lambda: signal + 0.4 * np.exp(0.3 * x) * noise,
        "heavy": lambda: signal + 0.3 * rng.standard_t(2, size=n),
        "multiplied": lambda: (signal + 2.0) * rng.uniform(size=n),
    }[kind]()
    return target, x, w, z, np.array([where == 1, where == 2], dtype=float)


def p_values(kind: str, seed: object, n: int = 1000) -> list[float]:
    """Of environments, of a column without part, of the shape, and of products."""
    target, x, w, z, contrasts = three_columns(kind, np.random.default_rng(seed), n)
    models = LevelModels([target, x, w, z], 8)
    model = models.fit(0, [1, 2])
    return [
        level_test(model, contrasts).p_value,
        level_test(model, models.functions(3)).p_value,
        shape_test(model).p_value,
        interaction_test(model, models.inputs[1:3]).p_value,
    ]


def of_causes(kind: str, seed: object) -> list[float]:
    """Of environments, given the causes, in a table for invariant prediction."""
    change = invariance.CHANGES[TABLES.index(kind)]
    table = invariance.table(np.random.default_rng(seed), change=change)
    models = LevelModels([table[name] for name in ("y", "x", "w")], 10)
    contrasts = np.array([table["site"] == label for label in "bc"], dtype=float)
    return [level_test(models.fit(0, [1, 2]), contrasts).p_value]


def rejected(kind: str, draws: int) -> list[int]:
    """Tables in which each test rejects."""
    one = p_values if kind in NOISES else of_causes
    found = np.array([one(kind, [SEED, seed]) for seed in range(draws)])
    return [int(count) for count in (found < ALPHA).sum(axis=0)]


def page(counts: dict[str, dict]) -> str:
    """Table of all sizes, and how many are beyond two standard errors."""
    lines = [
        "# Sizes of the tests of levels",
        "",
        "Made by `benchmarks/level_sizes.py`, whose first lines say what is tested, at alpha 0.05:",
        "share of tables in which what holds is rejected, ± its standard error if alpha is right.",
        "",
        "| tables | draws | environments | a column without part | shape | products |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for kind in (*NOISES, *TABLES):
        if kind in counts:
            draws, found = counts[kind]["draws"], counts[kind]["rejected"]
            error = sqrt(ALPHA * (1.0 - ALPHA) / draws)
            cells = [f"{count / draws:.3f} ± {error:.3f}" for count in found]
            cells += ["-"] * (len(TESTS) - len(cells))
            lines.append(f"| {kind} | {draws:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is asked for, and write the page of all that was run."""
    kinds = (*NOISES, *TABLES)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--only", nargs="+", default=kinds, choices=kinds)
    asked = parser.parse_args()
    path = RESULTS / "level_sizes.json"
    counts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for kind in asked.only:
        counts[kind] = {"draws": asked.draws, "rejected": rejected(kind, asked.draws)}
    path.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "level_sizes.md").write_text(page(counts), encoding="utf-8")


if __name__ == "__main__":
    main()
