"""Pictures of simulated pairs for the network, written in chunks; goes on where it was stopped.

    python benchmarks/panel/pictures.py --rounds 23000 --workers 2
    python benchmarks/panel/pictures.py --rounds 1000 --heard

A picture takes a hundredth of the time of the voices, so the network learns from many more pairs
than the trees, and from none that they learn from. With ``--heard`` these are shown instead: the
pairs of make.py, of which every network says what it thinks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import COMMON, FAMILIES
from make import FOLDER, chunk_options, chunk_paths, make_chunks, store
from prior import Simulated, keys, simulated

from bqcd.methods.models.panel_picture import pictures_of

ROUNDS_PER_CHUNK = 250
# Numbers of the pairs begin here, beyond those that voices are made of.
FIRST = 100_000


def write_chunk(path: Path, rounds: range) -> None:
    """Pictures of these rounds, one pair of each linked family in a round, as one file."""
    names = (*FAMILIES, *COMMON)
    write_pictures(path, [simulated(name, FIRST + at) for at in rounds for name in names])


def write_heard(path: Path, rounds: range) -> None:
    """Pictures of the pairs that voices are made of."""
    write_pictures(path, [simulated(*key) for key in keys(rounds)])


def write_pictures(path: Path, pairs: Sequence[Simulated]) -> None:
    """Pictures of some pairs as one file."""
    with np.errstate(all="ignore"):
        pictures = np.array([pictures_of(pair.x, pair.y) for pair in pairs], dtype=np.float32)
    families = np.array([pair.family for pair in pairs])
    store(path, {"pictures": pictures, "families": families})


def read_pictures(
    folder: Path = FOLDER, prefix: str = "pictures"
) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
    """Pictures, as they come and as normal scores, and families of every chunk in a folder."""
    chunks = [np.load(path) for path in chunk_paths(folder, prefix)]
    pictures, families = (
        np.concatenate([chunk[part] for chunk in chunks]) for part in ("pictures", "families")
    )
    return pictures, families


if __name__ == "__main__":
    parser = chunk_options(23_000)
    parser.add_argument("--heard", action="store_true", help="the pairs of make.py")
    options = parser.parse_args()
    if options.heard:
        make_chunks("seen", options, ROUNDS_PER_CHUNK, write_heard)
    else:
        make_chunks("pictures", options, ROUNDS_PER_CHUNK, write_chunk)
