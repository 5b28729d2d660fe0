"""Pictures of simulated pairs for the network, written in chunks; goes on where it was stopped.

    python benchmarks/panel/pictures.py --rounds 10000

A picture takes a hundredth of the time of the voices, so the network learns from many more pairs
than the trees, and from none that they learn from.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import FAMILIES
from make import FOLDER, make_chunks, store
from prior import simulated

from bqcd.methods.models.panel_picture import picture_of

ROUNDS_PER_CHUNK = 500
# Numbers of the pairs begin here, beyond those that voices are made of.
FIRST = 100_000


def write_chunk(path: Path, rounds: range) -> None:
    """Pictures of these rounds, one pair of each family in a round, as one file."""
    pairs = [simulated(family, FIRST + number) for number in rounds for family in FAMILIES]
    with np.errstate(all="ignore"):
        pictures = np.array([picture_of(pair.x, pair.y) for pair in pairs], dtype=np.float32)
    families = np.array([pair.family for pair in pairs])
    store(path, {"pictures": pictures, "families": families})


def read_pictures(folder: Path = FOLDER) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
    """Pictures and families of every chunk in a folder."""
    paths = sorted(path for path in folder.glob("pictures-*.npz") if ".part" not in path.name)
    chunks = [np.load(path) for path in paths]
    pictures, families = (
        np.concatenate([chunk[part] for chunk in chunks]) for part in ("pictures", "families")
    )
    return pictures, families


if __name__ == "__main__":
    make_chunks("pictures", 10_000, ROUNDS_PER_CHUNK, write_chunk)
