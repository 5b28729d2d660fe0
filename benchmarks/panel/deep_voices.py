"""Slow voices of simulated pairs, written in chunks; goes on where it was stopped.

    python benchmarks/panel/deep_voices.py --rounds 400 --workers 2
    python benchmarks/panel/deep_voices.py --rounds 75 --workers 2 --worlds

Chunks stand beside those of make.py, or of ``foreign.py make`` for worlds, and are of the same
pairs: of the first rounds, and of families with a direction only. A pair takes 0.07 s or so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import FAMILIES
from foreign import DRAWS, folder_of, world_pairs
from foreign import ROUNDS_PER_CHUNK as ROUNDS_PER_WORLD_CHUNK
from make import ROUNDS_PER_CHUNK, chunk_options, make_chunks, store
from prior import Simulated, simulated
from worlds import HALVES, World

from bqcd.data.pair import Pair
from bqcd.methods.panel_deep import SLOW, deep_sounds


def write_pairs(path: Path, pairs: Sequence[Simulated]) -> None:
    """Slow voices of some pairs as one file."""
    sounds = [deep_sounds(Pair(pair.x, pair.y)) for pair in pairs]
    arrays = {
        "names": np.array(SLOW),
        "voices": np.array([[found[name][0] for name in SLOW] for found in sounds]),
        "families": np.array([pair.family for pair in pairs]),
        "numbers": np.array([pair.number for pair in pairs]),
    }
    store(path, arrays)


def write_chunk(path: Path, rounds: range) -> None:
    """Slow voices of these rounds as one file."""
    write_pairs(path, [simulated(family, number) for number in rounds for family in FAMILIES])


def write_world(world: World, path: Path, rounds: range) -> None:
    """Slow voices of these rounds of a world as one file."""
    write_pairs(path, world_pairs(world, rounds))


def make(options: argparse.Namespace) -> None:
    """Write the chunks that are missing."""
    if not options.worlds:
        make_chunks("deep", options, ROUNDS_PER_CHUNK, write_chunk)
        return
    for world in (World(draw, half) for draw in range(DRAWS) for half in HALVES):
        folder = folder_of(world, options.folder)
        there = argparse.Namespace(**vars(options) | {"folder": folder})
        make_chunks("deep", there, ROUNDS_PER_WORLD_CHUNK, partial(write_world, world))


if __name__ == "__main__":
    parser = chunk_options(400)
    parser.add_argument("--worlds", action="store_true")
    make(parser.parse_args())
