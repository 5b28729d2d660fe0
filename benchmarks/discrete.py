"""Methods on columns of few values: how often they are right, and what coarseness makes them say.

    OPENBLAS_NUM_THREADS=1 python benchmarks/discrete.py --out benchmarks/results/discrete.md

Pairs with a known direction are those of ``benchmark/datasets/generators/discrete.py``. Of five
kinds of pairs without a direction, one column is coarser than the other: a method that goes by that
says one of them nearly always. The rules of ``auto`` were looked for on the pairs of
``--seed 5``, which is on record as ``discrete_seen.md``; ``discrete.md`` is of pairs that nothing
was chosen by.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.random import Generator

from bqcd import simulate_pairs
from bqcd.benchmark import contender
from bqcd.benchmark.datasets.generators.discrete import nominal
from bqcd.data.pair import Direction, Pair
from bqcd.data.scales import Ordered
from bqcd.errors import BqcdError
from bqcd.methods.asking import judged
from bqcd.methods.verdict import tells

METHODS = (
    "danm", "acid", "cisc", "entropic", "hcr", "hcr:equal_levels=true", "origo", "bqcd", "panel",
    "auto",
)  # fmt: skip
GENERATORS = (
    "categories", "hidden-levels", "mixed", "discrete-additive", "ordinal", "counts",
    "zero-inflated",
)  # fmt: skip
SIZES = (300, 1000)
SEEN = 5
"""Seed of the pairs that the rules of ``auto`` were looked for on."""
Columns = tuple[np.ndarray, np.ndarray]


def _cut(column: np.ndarray, levels: int, rng: Generator) -> np.ndarray:
    shares = rng.dirichlet(np.full(levels, 4.0)).cumsum()[:-1]
    return np.searchsorted(np.quantile(column, shares), column).astype(float)


def _levels(rng: Generator) -> tuple[int, int]:
    return int(rng.integers(2, 5)), int(rng.integers(8, 13))


def independent_levels(n: int, rng: Generator) -> Columns:
    """Levels of both drawn apart."""
    few, many = (
        rng.choice(k, p=rng.dirichlet(np.full(k, 2.0)), size=n).astype(float) for k in _levels(rng)
    )
    return few, many


def independent_numbers(n: int, rng: Generator) -> Columns:
    """A column of few grades beside one of numbers."""
    return _cut(rng.normal(size=n), _levels(rng)[0], rng), rng.normal(size=n)


def linear_gaussian(n: int, rng: Generator) -> Columns:
    """A line with Gaussian noise, which looks the same from both sides, in few and many grades."""
    few, many = _levels(rng)
    x = rng.normal(size=n)
    return _cut(x, few, rng), _cut(x + rng.normal(size=n), many, rng)


def common_cause(n: int, rng: Generator) -> Columns:
    """Two effects of one hidden cause by mechanisms of one kind, in few and many grades."""
    few, many = _levels(rng)
    hidden = rng.normal(size=n)
    one, other = (_wave(hidden, rng) + 0.4 * rng.normal(size=n) for _ in range(2))
    return _cut(one, few, rng), _cut(other, many, rng)


def exchangeable(n: int, rng: Generator) -> Columns:
    """Levels of a symmetric table, of one column merged at random."""
    few, many = _levels(rng)
    shares = rng.gamma(0.3, size=(many, many))
    shares += shares.T
    cells = rng.choice(many * many, p=(shares / shares.sum()).ravel(), size=n)
    merged = rng.permutation(np.arange(many) % few)
    return merged[cells // many].astype(float), (cells % many).astype(float)


def _wave(column: np.ndarray, rng: Generator) -> np.ndarray:
    value = rng.normal() * column
    for _ in range(2):
        place, speed = rng.uniform(0.0, 6.3), rng.uniform(0.5, 2.0)
        value = value + rng.normal() * np.sin(speed * column + place)
    wave: np.ndarray = value / value.std()
    return wave


NULLS: Mapping[str, Callable[[int, Generator], Columns]] = {
    "independent levels": independent_levels,
    "independent grades and numbers": independent_numbers,
    "linear Gaussian, graded": linear_gaussian,
    "common cause, graded": common_cause,
    "symmetric table, merged": exchangeable,
}
"""Kinds of pairs without a direction, the coarser column first."""

WITHOUT_ORDER = ("independent levels", "common cause, graded", "symmetric table, merged")
"""Those that are also asked about without the order of their levels."""


def null_pairs(
    kind: str, n: int, count: int, *, orderless: bool = False, seed: int = SEEN
) -> list[Pair]:
    """Pairs without a direction, the coarser column first."""
    found = []
    for number in range(count):
        # Pairs that were looked at have no seed of their own.
        rng = np.random.default_rng([number, n] if seed == SEEN else [number, n, seed])
        columns: list[np.ndarray | Ordered] = list(NULLS[kind](n, rng))
        if orderless:
            columns = [nominal(np.asarray(one, dtype=np.int64), rng) for one in columns]
        try:
            found.append(Pair.from_arrays(*columns, x_name="coarse", y_name="fine"))
        except BqcdError:
            continue
    return found


def told(spec: str, pairs: list[Pair]) -> np.ndarray | None:
    """Directions that a method tells, 0 if none; None if it refuses such columns.

    Of a method that tells none by itself, what it would say.
    """
    asked = contender(spec)
    try:
        verdicts = [judged(asked.method, asked.name, one, 0) for one in pairs]
    except BqcdError:
        return None
    if tells(asked.method):
        return np.array([verdict.direction.sign for verdict in verdicts])
    return np.array([Direction.of(verdict.confidence).sign for verdict in verdicts])


def balance(signs: np.ndarray) -> tuple[float, float, float]:
    """Share of told directions from the first column on, how far that is off, and the share told.

    The second number is the distance from one half in standard errors.
    """
    count = int(np.count_nonzero(signs))
    share = float((signs > 0).sum() / count) if count else 0.5
    return share, abs(share - 0.5) * 2.0 * np.sqrt(count), count / len(signs)


def _cell(signs: np.ndarray | None) -> str:
    if signs is None:
        return ""
    share, _, asked = balance(signs)
    return f"{share:.2f} of {asked:.0%}".replace("%", " %") if asked else "none told"


def _directed(name: str, n: int, count: int, seed: int) -> list[str]:
    items = list(simulate_pairs(name, n_pairs=count, n_rows=n, seed=seed))
    truth = np.array([item.truth.sign for item in items])
    signs = [told(spec, [item.pair for item in items]) for spec in METHODS]
    return [_cell(None if one is None else one * truth) for one in signs]


def _undirected(kind: str, orderless: bool, n: int, count: int, seed: int) -> list[str]:
    pairs = null_pairs(kind, n, count, orderless=orderless, seed=seed)
    return [_cell(told(spec, pairs)) for spec in METHODS]


def _rows() -> Iterator[tuple[str, Callable[[int, int, int], list[str]]]]:
    """Labels of rows, and what makes their cells from size, number and seed."""
    for name in GENERATORS:
        yield f"`{name}`", partial(_directed, name)
    for kind in NULLS:
        for orderless in (False, True) if kind in WITHOUT_ORDER else (False,):
            label = f"{kind}, no order" if orderless else kind
            yield label, partial(_undirected, kind, orderless)


def kept(path: Path | None, key: str, made: Callable[[], list[str]]) -> list[str]:
    """Cells of a row, from a file of finished ones if they are there."""
    if path is None:
        return made()
    done = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if key not in done:
        done[key] = made()
        path.write_text(json.dumps(done), encoding="utf-8")
    return list(done[key])


def table(n: int, count: int, seed: int, keep: Path | None) -> Iterator[str]:
    """Lines of one table."""
    yield f"{n:,} rows, {count} pairs of each kind, seed {seed}:"
    yield ""
    yield "| pairs | " + " | ".join(f"`{spec}`" for spec in METHODS) + " |"
    yield "|---" * (len(METHODS) + 1) + "|"
    for label, made in _rows():
        cells = kept(keep, f"{n} {count} {seed} {label}", partial(made, n, count, seed))
        print(n, label, cells, flush=True)
        yield f"| {label} | " + " | ".join(cells) + " |"
    yield ""


def main() -> None:
    """Print the tables, and write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--keep", type=Path, help="file of finished rows, to go on from")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    chosen = asked.pairs, asked.seed, asked.keep
    text = "\n".join(line for n in SIZES for line in table(n, *chosen))
    if asked.out is not None:
        asked.out.write_text(text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
