"""What is learned in one world, judged in another: how far a network may count beside the trees.

    python benchmarks/panel/foreign.py make --workers 2
    python benchmarks/panel/foreign.py judge

Worlds share no kind of cause, mechanism or noise, and no family (``worlds.py``). ``make`` writes
voices and pictures of pairs of either in chunks and goes on where it was stopped; ``judge`` learns
trees and a network in each, judges both and their sums in the other one, and writes
``benchmarks/results/panel_foreign.md``.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

import prior
from families import COMMON, FAMILIES
from learning import (
    Examples,
    Recipe,
    best_factor,
    equal_families,
    judged,
    odd_model,
    on_normal_scores,
    read_examples,
)
from make import FOLDER, chunk_options, make_chunks
from make import write_pairs as write_voices
from networks import Course, learned, many_said
from pictures import read_pictures, write_pictures
from train import PANEL, RESULTS, majority, neutral_weights
from train import learned as model_of
from worlds import WORLDS, inhabited, world_of

from bqcd.methods.panel_voices import AS_THEY_COME, MARGIN, ON_RANKS, RELATION, TIES

Vector = NDArray[np.float64]

VOICE_ROUNDS, PICTURE_ROUNDS = 600, 12_000
READINGS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
COURSE = Course(steps=10_000)
_FLOOR = Recipe(trees=60, heeded=False, ballot=0.0)
# Numbers of pairs begin here, beyond all that panels have learned from.
FIRST = 500_000


def families_of(world: int, kinds: dict[str, object]) -> list[str]:
    """Families of a world."""
    return [name for name in kinds if world_of(name, list(kinds)) == world]


def write_heard(world: int, path: Path, rounds: range) -> None:
    """Voices of pairs of a world, and their pictures beside them."""
    wanted = [(name, FIRST + at) for at in rounds for name in families_of(world, dict(FAMILIES))]
    with inhabited(world):
        pairs = [prior.simulated(*key) for key in wanted]
    write_voices(path, pairs)
    write_pictures(path.with_name(path.name.replace("rounds", "seen")), pairs)


def write_shown(world: int, path: Path, rounds: range) -> None:
    """Pictures of pairs of a world for the network."""
    names = [name for side in (FAMILIES, COMMON) for name in families_of(world, dict(side))]
    wanted = [(name, 2 * FIRST + at) for at in rounds for name in names]
    with inhabited(world):
        pairs = [prior.simulated(*key) for key in wanted]
    write_pictures(path, pairs)


def folder_of(world: int) -> Path:
    """Chunks of a world."""
    return FOLDER / f"world-{world}"


def make(options: object) -> None:
    """Write what is missing."""
    for world in WORLDS:
        options.folder = folder_of(world)
        options.folder.mkdir(parents=True, exist_ok=True)
        options.rounds = VOICE_ROUNDS
        make_chunks("rounds", options, 25, partial(write_heard, world))
        options.rounds = PICTURE_ROUNDS
        make_chunks("pictures", options, 250, partial(write_shown, world))


class World:
    """Pairs of a world: voices with what the other world's models say of them."""

    def __init__(self, world: int) -> None:
        self.folder = folder_of(world)
        self.examples: Examples = read_examples(self.folder)
        self.seen, families = read_pictures(self.folder, "seen")
        assert np.array_equal(families, self.examples.families)
        self.weight = equal_families(self.examples)

    def network(self):
        """Network that has learned here."""
        pictures, families = read_pictures(self.folder)
        common = np.isin(families, list(COMMON))
        return learned(pictures[~common], pictures[common], COURSE)


def judge() -> None:
    """Compare trees, networks and their sums, each in the world it does not know."""
    worlds = [World(at) for at in WORLDS]
    parts: dict[str, list[Vector]] = {}

    def add(name: str, odds: Vector) -> None:
        parts.setdefault(name, []).append(odds)

    for at, there in enumerate(worlds):
        here = worlds[1 - at]
        network = here.network()
        trees = odd_model(here.examples, PANEL, Recipe())
        ranks = odd_model(here.examples, (*RELATION, *TIES), Recipe())
        add("margins", model_of(MARGIN, _FLOOR, here.examples, None)(there.examples))
        add("majority", majority(there.examples, (*ON_RANKS, *AS_THEY_COME)))
        add("trees", trees.direction(there.examples))
        add("trees, scores", trees.direction(on_normal_scores(there.examples)))
        add("relation", ranks.direction(there.examples))
        add("network", many_said(network, there.seen[:, 0])[0])
        add("network, scores", many_said(network, there.seen[:, 1])[0])
        print(f"learned in world {1 - at}, judged in world {at}", flush=True)
    odds = {name: np.concatenate(both) for name, both in parts.items()}
    plain = np.concatenate([world.weight for world in worlds])
    neutral = np.concatenate(
        [neutral_weights(w.examples, parts["margins"][at]) for at, w in enumerate(worlds)]
    )
    page = _page(odds, plain, neutral, sum(len(w.weight) for w in worlds))
    RESULTS.joinpath("panel_foreign.md").write_text(page, encoding="utf-8")
    print(page)


HEAD = """# What is learned in one world, judged in another

Made by `python benchmarks/panel/foreign.py`. Two worlds share no kind of cause, mechanism or
noise, and no family; what has learned in one is judged on {pairs:,} pairs of the other, both ways,
every family counting the same. Log-odds are multiplied by what loses least. "Neutral": pairs
weighted such that the margins alone tell nothing. "Scores": both columns as normal scores.

| | right | surer half | ECE | loss | neutral: right | loss | scores: right | loss |
|---|---|---|---|---|---|---|---|---|
"""


def _page(odds: dict[str, Vector], plain: Vector, neutral: Vector, pairs: int) -> str:
    rows = []
    for name in ("majority", "margins", "trees", "network", "relation"):
        scores = odds.get(f"{name}, scores", odds[name])
        rows.append(_row(name, odds[name], scores, plain, neutral))
    for reading in READINGS[1:]:
        both = [odds[f"trees{of}"] + reading * odds[f"network{of}"] for of in ("", ", scores")]
        rows.append(_row(f"trees and {reading:g} network", *both, plain, neutral))
    return HEAD.format(pairs=pairs) + "\n".join(rows) + "\n"


def _row(name: str, odds: Vector, scores: Vector, plain: Vector, neutral: Vector) -> str:
    found = [
        judged(best_factor(log_odds, weight) * log_odds, weight)
        for log_odds, weight in ((odds, plain), (odds, neutral), (scores, plain))
    ]
    drawn = found[0]
    first = f"{drawn.right:.3f} | {drawn.surer_half:.3f} | {drawn.error:.3f} | {drawn.loss:.4f}"
    rest = " | ".join(f"{one.right:.3f} | {one.loss:.4f}" for one in found[1:])
    return f"| {name} | {first} | {rest} |"


if __name__ == "__main__":
    parser = chunk_options(0)
    parser.add_argument("what", choices=("make", "judge"))
    options = parser.parse_args()
    make(options) if options.what == "make" else judge()
