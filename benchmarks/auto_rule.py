"""What counts as few values for ``auto``: columns of more than 20 values that are coarse as well.

    OPENBLAS_NUM_THREADS=1 python benchmarks/auto_rule.py --out benchmarks/results/auto_rule.md

``auto`` once had a rule of its own: up to 20 values, or more than a tenth of the rows at one. The
rule of :mod:`bqcd.methods.coarseness` calls more columns coarse. Here are the pairs on which the
two differ, of both halves of ``benchmarks/coarse_pairs.py`` and of numbers not used there, judged
by bQCD as before and by ``auto`` as it is now. The panel, whom ``auto`` asks, has learnt from the
makers of these pairs; so there are pairs of the paper's scenarios, made coarse, as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.random import default_rng

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.coarse_pairs import HALVES, CoarsePair, by_quantiles, drawn, linear, rounded
from bqcd import simulate_pairs
from bqcd.data.pair import Pair
from bqcd.methods.coarseness import coarseness
from bqcd.methods.decide import decide_pair
from bqcd.statistics.common_grid import sizes_of_values

FIRST = 100_000
"""Numbers of pairs begin here; smaller ones were used to set the rule."""

_FEW, _HEAP = 20, 0.1
_SIZES = ((21, 50), (51, 200), (201, 1500))
SCENARIOS = ("AN", "AN-s", "LS", "LS-s", "MN-U", "SIM", "SIM-c")
LINEAR = "linear Gaussian"
_ROWS, _VALUES, _SEED = 500, 60, 31
WHO = ("bqcd before it was coarse", "bqcd", "auto")


@dataclass(frozen=True)
class Told:
    """What was told of one pair.

    Parameters
    ----------
    directed : bool
        Whether the first column is the cause; else there is no direction.
    coarser : int
        1 if the first column has fewer values, -1 if the second has, 0 if none.
    fewest : int
        Values of the coarser column.
    signs : tuple of int
        Directions told by each of ``WHO``; 0 where none.
    """

    directed: bool
    coarser: int
    fewest: int
    signs: tuple[int, ...]


def was_few(pair: Pair) -> bool:
    """Whether the rule that ``auto`` once had calls a column coarse."""
    sizes = [sizes_of_values(column) for column in (pair.x, pair.y)]
    return any(len(one) <= _FEW or one.max() > _HEAP * one.sum() for one in sizes)


def differing(half: int, numbers: range) -> Iterator[CoarsePair]:
    """Pairs that are coarse by the one rule and not by the other."""
    for number in numbers:
        made = drawn(half, number)
        if made is None or was_few(made.pair):
            continue
        if coarseness(made.pair.x) is not None or coarseness(made.pair.y) is not None:
            yield made


def found_in(half: int, numbers: range, keep: Path | None) -> Iterator[Told]:
    """What is told of the pairs of some numbers, in hundreds that a file may keep."""
    for start in range(numbers.start, numbers.stop, 100):
        piece = range(start, min(start + 100, numbers.stop))
        path = None if keep is None else keep / f"{half}-{piece.start}-{piece.stop}.json"
        if path is not None and path.exists():
            yield from (Told(**one) for one in json.loads(path.read_text(encoding="utf-8")))
            continue
        some = [told_of(made) for made in differing(half, piece)]
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps([asdict(one) for one in some]), encoding="utf-8")
        yield from some


def told_of(made: CoarsePair) -> Told:
    """What bQCD and ``auto`` tell of a pair."""
    counts = [len(sizes_of_values(column)) for column in (made.pair.x, made.pair.y)]
    verdicts = (
        decide_pair(made.fine), decide_pair(made.pair), decide_pair(made.pair, method="auto"),
    )  # fmt: skip
    signs = tuple(verdict.direction.sign for verdict in verdicts)
    return Told(made.directed, int(np.sign(counts[1] - counts[0])), min(counts), signs)


def scenario(name: str, count: int) -> Iterator[CoarsePair]:
    """Pairs of a scenario of the paper, or linear ones, with one column rounded or graded."""
    if name == LINEAR:
        fine = [linear(_ROWS, default_rng([_SEED, number])) for number in range(count)]
    else:
        items = simulate_pairs(name, n_pairs=count, n_rows=_ROWS, seed=_SEED)
        fine = [(item.pair.x, item.pair.y)[:: item.truth.sign] for item in items]
    for at, (cause, effect) in enumerate(fine):
        rng, make = default_rng([_SEED, at]), (rounded, by_quantiles)[at // 2 % 2]
        first, second = (
            (make(cause, _VALUES, rng), effect) if at % 2 else (cause, make(effect, _VALUES, rng))
        )
        made = CoarsePair(name != LINEAR, name, "", Pair(first, second), Pair(cause, effect))
        if not was_few(made.pair):
            yield made


def scenario_table(count: int) -> Iterator[str]:
    """Lines of the table of scenarios."""
    yield f"{_ROWS} rows, one column rounded or graded to {_VALUES} values; of linear Gaussian"
    yield "pairs, which have no direction, the share for the coarser column:"
    yield ""
    yield "| pairs | drawn | " + " | ".join(WHO) + " |"
    yield "|---" * (2 + len(WHO)) + "|"
    for name in (*SCENARIOS, LINEAR):
        found = [told_of(made) for made in scenario(name, count)]
        cells = [
            _share([one.signs[at] * (1 if one.directed else one.coarser) for one in found])
            for at in range(len(WHO))
        ]
        yield f"| {name} | {len(found)} | " + " | ".join(cells) + " |"


def _cells(found: Sequence[Told]) -> Iterator[str]:
    """Told and right of pairs with a direction; told and for the coarser column of the others."""
    for at in range(len(WHO)):
        real = [one.signs[at] for one in found if one.directed]
        chance = [one.signs[at] * one.coarser for one in found if not one.directed and one.coarser]
        yield from (_share(real), _share(chance))


def _share(signs: Sequence[int]) -> str:
    told = [sign for sign in signs if sign]
    if not told:
        return "none told"
    return f"{np.mean(np.array(told) > 0):.2f} of {100 * len(told) / len(signs):.0f} %"


def table(half: int, count: int, keep: Path | None) -> Iterator[str]:
    """Lines of one table."""
    found = list(found_in(half, range(FIRST, FIRST + count), keep))
    directed = sum(one.directed for one in found)
    others = len(found) - directed
    yield f"Families {HALVES[half]}, {directed} pairs with a direction and {others} without:"
    yield ""
    yield "| values | " + " | ".join(f"{who} | no direction" for who in WHO) + " |"
    yield "|---" * (1 + 2 * len(WHO)) + "|"
    for low, high in ((21, 1500), *_SIZES):
        some = [one for one in found if low <= one.fewest <= high]
        yield f"| {low} to {high} | " + " | ".join(_cells(some)) + " |"
    yield ""


def main() -> None:
    """Print the tables, and write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--keep", type=Path, help="folder of what is finished, to go on from")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    lines = [line for half in (0, 1) for line in table(half, asked.pairs, asked.keep)]
    lines += scenario_table(max(4, asked.pairs // 120))
    text = "\n".join(lines).rstrip() + "\n"
    print(text)
    if asked.out is not None:
        asked.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
