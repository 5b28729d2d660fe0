"""What is learned in one world, judged in another: what the panel is worth where nothing is shared.

    python benchmarks/panel/foreign.py make --workers 2
    python benchmarks/panel/foreign.py judge

Worlds share no kind of cause, mechanism or noise, and no family (``worlds.py``); they are halves of
all kinds, drawn five times. ``make`` writes voices of pairs of each in chunks and goes on where it
was stopped, half an hour of one core; ``judge`` learns trees in each, judges them in the other one
of its draw beside a plain vote of the methods, and writes ``benchmarks/results/panel_foreign.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import FAMILIES
from learning import (
    Examples,
    Model,
    best_factor,
    equal_families,
    judged,
    odd_model,
    on_normal_scores,
    read_examples,
)
from make import FOLDER, chunk_options, make_chunks, write_pairs
from prior import Simulated, simulated
from train import HEADS, RECIPE, RESULTS, learned, neutral_weights
from worlds import HALVES, World, half_of, inhabited

from bqcd.methods.panel_voices import MARGIN

Vector = NDArray[np.float64]

ROUNDS, ROUNDS_PER_CHUNK, DRAWS = 400, 25, 5
# Numbers of pairs begin here, beyond all that panels have learned from.
FIRST = 500_000
BALLOTS = (0.0, 1.5, 3.0, 6.0)
SCORES = ", scores"
_FLOOR = replace(RECIPE, trees=60, heeded=False, ballot=0.0)


def folder_of(world: World, folder: Path = FOLDER) -> Path:
    """Chunks of a world."""
    return folder / f"world-{world.draw}-{world.half}"


def world_pairs(world: World, rounds: range) -> list[Simulated]:
    """Pairs of a world, one of each of its families in a round."""
    every = list(FAMILIES)
    names = [name for name in every if half_of(name, every, world.draw) == world.half]
    with inhabited(world):
        return [simulated(name, FIRST + number) for number in rounds for name in names]


def write_chunk(world: World, path: Path, rounds: range) -> None:
    """Voices of these rounds of a world."""
    write_pairs(path, world_pairs(world, rounds))


def make(options: argparse.Namespace) -> None:
    """Write the chunks of all worlds that are missing."""
    for draw in range(DRAWS):
        for half in HALVES:
            world = World(draw, half)
            folder = folder_of(world, options.folder)
            folder.mkdir(parents=True, exist_ok=True)
            there = argparse.Namespace(**vars(options) | {"folder": folder})
            make_chunks("rounds", there, ROUNDS_PER_CHUNK, partial(write_chunk, world))


def foreign_odds(here: Examples, there: Examples) -> dict[str, Vector]:
    """Log-odds of the pairs of one world, by what has learned in the other one."""
    trees, scores = odd_model(here, HEADS["panel"], RECIPE), on_normal_scores(there)
    found = {
        "margins": learned(MARGIN, _FLOOR, here, None)(there),
        "relation": learned(HEADS["relation"], RECIPE, here, None)(there),
        "scales": learned(HEADS["scales"], RECIPE, here, None)(there),
        "vote": _vote(trees, there),
        f"vote{SCORES}": _vote(trees, scores),
    }
    for ballot in BALLOTS:
        name = f"trees and a vote of {ballot:g}" if ballot else "trees"
        voting = replace(trees, ballot=ballot)
        found[name], found[name + SCORES] = voting.direction(there), voting.direction(scores)
    return found


def _vote(trees: Model, examples: Examples) -> Vector:
    """What the vote of a model adds by itself."""
    voting, silent = (replace(trees, ballot=ballot) for ballot in (1.0, 0.0))
    return voting.direction(examples) - silent.direction(examples)


@dataclass(frozen=True)
class Draw:
    """Log-odds by name of the pairs of two worlds, each judged by the other, and their weights."""

    odds: Mapping[str, Vector]
    plain: Vector
    neutral: Vector

    @classmethod
    def from_folder(cls, draw: int, folder: Path) -> Draw:
        """Learn in both worlds of a draw."""
        worlds = [read_examples(folder_of(World(draw, half), folder)) for half in HALVES]
        both = [foreign_odds(worlds[1 - half], worlds[half]) for half in HALVES]
        neutral = [neutral_weights(worlds[half], both[half]["margins"]) for half in HALVES]
        return cls(
            {name: np.concatenate([found[name] for found in both]) for name in both[0]},
            np.concatenate([equal_families(examples) for examples in worlds]),
            np.concatenate(neutral),
        )


def judge(folder: Path) -> None:
    """Compare trees and votes, each in the world it does not know."""
    draws = [Draw.from_folder(draw, folder) for draw in range(DRAWS)]
    page = page_of(draws)
    RESULTS.joinpath("panel_foreign.md").write_text(page, encoding="utf-8")
    print(page)


HEAD = (
    """# The panel where nothing is shared with what it has learned from

Made by `python benchmarks/panel/foreign.py`. Two worlds share no kind of cause, mechanism or
noise, and no family; what has learned in one is judged on the pairs of the other, both ways, in
{draws} draws of halves, {pairs:,} pairs in all, every family counting the same. Means of the
draws, and what was right in each. Log-odds are multiplied by what loses least, which is told;
those of the last line by the factor of the shipped panel. "Neutral": pairs weighted such
that the margins alone tell nothing. "Scores": both columns as normal scores.
"""
    "\n| | right | surer half | claimed | ECE | loss | times | right in each draw "
    "| neutral: right | loss | scores: right | loss |\n" + "|---" * 12 + "|\n"
)


def page_of(draws: Sequence[Draw]) -> str:
    """The table."""
    names = [name for name in draws[0].odds if not name.endswith(SCORES)]
    shipped = f"trees and a vote of {RECIPE.ballot:g}"
    rows = [_row(name, draws) for name in names]
    told = _cells(shipped, draws, _shipped_factor())
    rows.append(f"| {shipped}, as shipped | {told} | | | | |")
    pairs = sum(len(draw.plain) for draw in draws)
    return HEAD.format(draws=len(draws), pairs=pairs) + "\n".join(rows) + "\n"


def _shipped_factor() -> float:
    stored = json.loads(RESULTS.joinpath("panel.json").read_text(encoding="utf-8"))
    return float(stored["shrinkage"])


def _row(name: str, draws: Sequence[Draw]) -> str:
    cells = [_cells(name, draws, _factor(name, draws))]
    for told, which in ((name, "neutral"), (name + SCORES, "plain")):
        if told not in draws[0].odds:
            cells += ["", ""]
            continue
        found = _judged(told, draws, _factor(told, draws, which), which)
        cells += [f"{found['right'].mean():.3f}", f"{found['loss'].mean():.3f}"]
    return f"| {name} | " + " | ".join(cells) + " |"


def _cells(name: str, draws: Sequence[Draw], factor: float) -> str:
    found = _judged(name, draws, factor)
    means = [f"{numbers.mean():.3f}" for numbers in found.values()]
    return " | ".join((*means, f"{factor:.2f}", " ".join(f"{one:.3f}" for one in found["right"])))


def _factor(name: str, draws: Sequence[Draw], which: str = "plain") -> float:
    """One factor for all draws, which count the same."""
    odds = np.concatenate([draw.odds[name] for draw in draws])
    return best_factor(odds, np.concatenate([_weights(draw, which) for draw in draws]))


def _judged(
    name: str, draws: Sequence[Draw], factor: float, which: str = "plain"
) -> dict[str, Vector]:
    """What came out, a number for each draw."""
    found = [judged(factor * draw.odds[name], _weights(draw, which)) for draw in draws]
    told = ("right", "surer_half", "claimed", "error", "loss")
    return {what: np.array([getattr(one, what) for one in found]) for what in told}


def _weights(draw: Draw, which: str) -> Vector:
    weight: Vector = getattr(draw, which)
    return weight / weight.sum()


def main() -> None:
    """Make or judge."""
    parser = chunk_options(ROUNDS)
    parser.add_argument("what", choices=("make", "judge"))
    options = parser.parse_args()
    if options.what == "make":
        make(options)
    else:
        judge(options.folder)


if __name__ == "__main__":
    main()
