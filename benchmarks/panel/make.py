"""Voices of simulated pairs, written in chunks; goes on where it was stopped.

    python benchmarks/panel/make.py --rounds 1500

Each chunk is a file with the voices and levels of ten rounds. The folder is not in the
repository: the same command makes the same numbers again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from prior import Simulated, keys, simulated

from bqcd.data.pair import Pair
from bqcd.methods.panel_voices import Sounds, heard

FOLDER = Path(__file__).resolve().parent / "made"
ROUNDS_PER_CHUNK = 10


def sounds_of(pair: Simulated) -> Sounds:
    """Voices and levels of one simulated pair."""
    return heard(Pair(pair.x, pair.y))


def write_chunk(path: Path, rounds: range) -> None:
    """Voices of these rounds as one file."""
    pairs = [simulated(family, number) for family, number in keys(rounds)]
    sounds = [sounds_of(pair) for pair in pairs]
    names = sorted(sounds[0])
    stored = {
        "names": np.array(names),
        "voices": np.array([[found[name][0] for name in names] for found in sounds]),
        "levels": np.array([[found[name][1] for name in names] for found in sounds]),
        "families": np.array([pair.family for pair in pairs]),
        "numbers": np.array([pair.number for pair in pairs]),
        "kinds": np.array([pair.kind for pair in pairs]),
    }
    unfinished = path.with_suffix(".part.npz")
    np.savez_compressed(unfinished, **stored)
    unfinished.replace(path)


def main() -> None:
    """Make the chunks that are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1500)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for first in range(0, options.rounds, ROUNDS_PER_CHUNK):
        path = options.folder / f"rounds-{first:05d}.npz"
        if path.exists():
            continue
        start = perf_counter()
        write_chunk(path, range(first, first + ROUNDS_PER_CHUNK))
        print(f"{path.name}: {perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
