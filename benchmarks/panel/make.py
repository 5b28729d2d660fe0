"""Voices of simulated pairs, written in chunks; goes on where it was stopped.

    python benchmarks/panel/make.py --rounds 1410 --workers 2

Each chunk is a file with the voices and levels of ten rounds. The folder is not in the
repository: the same command makes the same numbers again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from prior import Simulated, keys, simulated

from bqcd.data.pair import Pair
from bqcd.methods.panel_voices import Sounds, heard

FOLDER = Path(__file__).resolve().parent / "made"
ROUNDS_PER_CHUNK = 10

Writer = Callable[[Path, range], None]


def sounds_of(pair: Simulated) -> Sounds:
    """Voices and levels of one simulated pair."""
    return heard(Pair(pair.x, pair.y))


def write_chunk(path: Path, rounds: range) -> None:
    """Voices of these rounds as one file."""
    write_pairs(path, [simulated(family, number) for family, number in keys(rounds)])


def write_pairs(path: Path, pairs: Sequence[Simulated]) -> None:
    """Voices of some pairs as one file."""
    sounds = [sounds_of(pair) for pair in pairs]
    names = sorted(sounds[0])
    arrays = {
        "names": np.array(names),
        "voices": np.array([[found[name][0] for name in names] for found in sounds]),
        "levels": np.array([[found[name][1] for name in names] for found in sounds]),
        "families": np.array([pair.family for pair in pairs]),
        "numbers": np.array([pair.number for pair in pairs]),
        "kinds": np.array([pair.kind for pair in pairs]),
    }
    store(path, arrays)


def chunk_options(rounds: int) -> argparse.ArgumentParser:
    """Options of every command that makes chunks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--workers", type=int, default=1)
    return parser


def chunk_paths(folder: Path, prefix: str) -> list[Path]:
    """Chunks that are there and whole, in their order."""
    return sorted(path for path in folder.glob(f"{prefix}-*.npz") if ".part" not in path.name)


def make_chunks(prefix: str, options: argparse.Namespace, each: int, write: Writer) -> None:
    """Write the chunks of so many rounds each that are missing."""
    options.folder.mkdir(exist_ok=True)
    starts = range(0, options.rounds, each)
    chunks = {options.folder / f"{prefix}-{at:05d}.npz": range(at, at + each) for at in starts}
    missing = [(path, rounds) for path, rounds in chunks.items() if not path.exists()]
    with ProcessPoolExecutor(options.workers) as pool:
        for told in pool.map(partial(_made, write), *zip(*missing, strict=True)):
            print(told, flush=True)


def _made(write: Writer, path: Path, rounds: range) -> str:
    start = process_time()
    write(path, rounds)
    return f"{path.name}: {process_time() - start:.0f} s"


def store(path: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write a chunk, which is there as a whole or not at all."""
    unfinished = path.with_suffix(".part.npz")
    np.savez_compressed(unfinished, **arrays)
    unfinished.replace(path)


if __name__ == "__main__":
    make_chunks("rounds", chunk_options(1410).parse_args(), ROUNDS_PER_CHUNK, write_chunk)
