"""Slow voices of simulated pairs, written in chunks; goes on where it was stopped.

    python benchmarks/panel/deep_voices.py --rounds 160 --workers 2

Chunks stand beside those of make.py, with the same pairs: of the first rounds, and of families
with a direction only. A pair takes half a second or so.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import FAMILIES
from make import chunk_options, make_chunks, store
from prior import simulated

from bqcd.data.pair import Pair
from bqcd.methods.panel_deep import deep_sounds

ROUNDS_PER_CHUNK = 2


def write_chunk(path: Path, rounds: range) -> None:
    """Slow voices of these rounds as one file."""
    keys = [(family, number) for number in rounds for family in FAMILIES]
    pairs = [simulated(*key) for key in keys]
    sounds = [deep_sounds(Pair(pair.x, pair.y)) for pair in pairs]
    names = sorted(sounds[0])
    arrays = {
        "names": np.array(names),
        "voices": np.array([[found[name][0] for name in names] for found in sounds]),
        "families": np.array([family for family, _ in keys]),
        "numbers": np.array([number for _, number in keys]),
    }
    store(path, arrays)


if __name__ == "__main__":
    make_chunks("deep", chunk_options(160).parse_args(), ROUNDS_PER_CHUNK, write_chunk)
