"""What is learned in one world, judged in another: what the panel is worth where nothing is shared.

    python benchmarks/panel/foreign.py make --workers 2
    python benchmarks/panel/foreign.py judge

Worlds share no kind of cause, mechanism or noise, and no family (``worlds.py``). ``make`` writes
voices of pairs of either in chunks and goes on where it was stopped, ten minutes of one core;
``judge`` learns trees in each, judges them in the other one beside a plain vote of the methods, and
writes ``benchmarks/results/panel_foreign.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import FAMILIES
from learning import (
    METHODS,
    Examples,
    best_factor,
    equal_families,
    judged,
    odd_model,
    on_normal_scores,
    read_examples,
)
from make import FOLDER, chunk_options, make_chunks, write_pairs
from prior import simulated
from train import HEADS, RECIPE, RESULTS, learned, neutral_weights
from worlds import WORLDS, inhabited, world_of

from bqcd.methods.models.panel_model import squashed
from bqcd.methods.panel_voices import MARGIN

Vector = NDArray[np.float64]

ROUNDS, ROUNDS_PER_CHUNK = 600, 25
# Numbers of pairs begin here, beyond all that panels have learned from.
FIRST = 500_000
BALLOTS = (0.0, 1.5, 3.0, 6.0)
_FLOOR = replace(RECIPE, trees=60, heeded=False, ballot=0.0)


def folder_of(world: int, folder: Path = FOLDER) -> Path:
    """Chunks of a world."""
    return folder / f"world-{world}"


def write_chunk(world: int, path: Path, rounds: range) -> None:
    """Voices of these rounds of a world, one pair of each of its families in a round."""
    names = [name for name in FAMILIES if world_of(name, list(FAMILIES)) == world]
    with inhabited(world):
        pairs = [simulated(name, FIRST + number) for number in rounds for name in names]
    write_pairs(path, pairs)


def make(options: argparse.Namespace) -> None:
    """Write the chunks of both worlds that are missing."""
    for world in WORLDS:
        there = argparse.Namespace(**vars(options) | {"folder": folder_of(world, options.folder)})
        there.folder.mkdir(parents=True, exist_ok=True)
        make_chunks("rounds", there, ROUNDS_PER_CHUNK, partial(write_chunk, world))


def foreign_odds(here: Examples, there: Examples) -> dict[str, Vector]:
    """Log-odds of the pairs of one world, by what has learned in the other one."""
    units = here.units(METHODS)
    trees = odd_model(here, HEADS["panel"], replace(RECIPE, ballot=0.0))
    scores = on_normal_scores(there)
    found = {
        "margins": learned(MARGIN, _FLOOR, here, None)(there),
        "relation": learned(HEADS["relation"], RECIPE, here, None)(there),
        "scales": learned(HEADS["scales"], RECIPE, here, None)(there),
        "vote": _vote(there, units),
        "vote, scores": _vote(scores, units),
    }
    for ballot in BALLOTS:
        name = f"trees and a vote of {ballot:g}" if ballot else "trees"
        found[name] = trees.direction(there) + ballot * found["vote"]
        found[f"{name}, scores"] = trees.direction(scores) + ballot * found["vote, scores"]
    return found


def _vote(examples: Examples, units: Vector) -> Vector:
    voices = squashed(examples.voices[:, examples.columns(METHODS)], units)
    votes: Vector = np.clip(voices, -1.0, 1.0).mean(axis=1)
    return votes


def judge(folder: Path) -> None:
    """Compare trees and votes, each in the world it does not know."""
    worlds = [read_examples(folder_of(world, folder)) for world in WORLDS]
    both = [foreign_odds(worlds[1 - world], worlds[world]) for world in WORLDS]
    weights = {
        "plain": np.concatenate([equal_families(examples) for examples in worlds]),
        "neutral": np.concatenate(
            [neutral_weights(worlds[world], both[world]["margins"]) for world in WORLDS]
        ),
    }
    odds = {name: np.concatenate([found[name] for found in both]) for name in both[0]}
    page = page_of(odds, weights)
    RESULTS.joinpath("panel_foreign.md").write_text(page, encoding="utf-8")
    print(page)


HEAD = (
    """# The panel where nothing is shared with what it has learned from

Made by `python benchmarks/panel/foreign.py`. Two worlds share no kind of cause, mechanism or
noise, and no family; what has learned in one is judged on the pairs of the other, both ways,
{pairs:,} in all, every family counting the same. Log-odds are multiplied by what loses least,
which is told; those of the last line by the factor of the shipped panel. "Neutral": pairs weighted
such that the margins alone tell nothing. "Scores": both columns as normal scores.
"""
    "\n| | right | surer half | claimed | ECE | loss | times "
    "| neutral: right | loss | scores: right | loss |\n" + "|---" * 11 + "|\n"
)


def page_of(odds: Mapping[str, Vector], weights: Mapping[str, Vector]) -> str:
    """The table."""
    rows = [
        _row(name, log_odds, odds.get(f"{name}, scores"), weights)
        for name, log_odds in odds.items()
        if not name.endswith(", scores")
    ]
    name = f"trees and a vote of {RECIPE.ballot:g}"
    rows.append(
        f"| {name}, as shipped | {_cells(odds[name], _shipped_factor(), weights)} | | | | |"
    )
    return HEAD.format(pairs=len(weights["plain"])) + "\n".join(rows) + "\n"


def _shipped_factor() -> float:
    stored = json.loads(RESULTS.joinpath("panel.json").read_text(encoding="utf-8"))
    return float(stored["shrinkage"])


def _cells(odds: Vector, factor: float, weights: Mapping[str, Vector]) -> str:
    found = judged(factor * odds, weights["plain"])
    numbers = (found.right, found.surer_half, found.claimed, found.error, found.loss)
    return " | ".join((*(f"{number:.3f}" for number in numbers), f"{factor:.2f}"))


def _row(name: str, odds: Vector, scores: Vector | None, weights: Mapping[str, Vector]) -> str:
    plain, neutral = weights["plain"], weights["neutral"]
    cells = [_cells(odds, best_factor(odds, plain), weights)]
    for log_odds, weight in ((odds, neutral), (scores, plain)):
        if log_odds is None:
            cells += ["", ""]
            continue
        found = judged(best_factor(log_odds, weight) * log_odds, weight)
        cells += [f"{found.right:.3f}", f"{found.loss:.3f}"]
    return f"| {name} | " + " | ".join(cells) + " |"


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
