"""Benchmark files read from disk, and checked against what was published."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from bqcd.benchmark.datasets.cards import PAIRSETS, PairSetCard
from bqcd.benchmark.datasets.formats import read_pair_folder
from bqcd.benchmark.datasets.homes import data_homes
from bqcd.benchmark.datasets.records import PairSet
from bqcd.data.files.text import bytes_up_to
from bqcd.errors import InvalidTableError, UnknownNameError
from bqcd.runtime.atomic import write_whole
from bqcd.runtime.settings import nearest_names

RECORD = "fetched.json"
"""File that a download leaves beside the data: address and fingerprints."""


def load_pairs(name: str | Path, *, data_home: str | Path | None = None) -> PairSet:
    """Benchmark of that name, or any folder of pairs, read from disk; nothing is downloaded.

    Parameters
    ----------
    name : str or path
        One of ``PAIRSETS``, or the path of a folder in one of the layouts ``FORMATS``.
    data_home : path, optional
        Folder with the benchmark folders. By default the one in the environment variable
        ``BQCD_DATA`` and then the cache folder of this user, where ``bqcd datasets fetch``
        puts them.

    Raises
    ------
    UnknownNameError
        If no benchmark is called ``name`` and it is no path.
    FileNotFoundError
        If the files are not there. The message names the folders looked for and the
        command that downloads them.
    InvalidTableError
        If a file breaks its layout, or a benchmark's files are not the published ones.

    Notes
    -----
    The files of a benchmark by name are compared with the published ones by
    :attr:`PairSet.fingerprint`, number by number; white space and line ends do not count.
    The published fingerprint of the CE sets is not known: the one seen at first download is
    kept beside the files, and the comparison is with that. A folder by path is read as it is.
    """
    if isinstance(name, str) and name in PAIRSETS:
        return _load_benchmark(PAIRSETS[name], data_home)
    if Path(name).expanduser().is_dir():
        return read_pair_folder(name)
    if isinstance(name, Path) or os.sep in name or "/" in name:
        raise FileNotFoundError(f"No folder {name}: pairs are read from a folder.")
    raise UnknownNameError(
        f"No benchmark is called {name!r}, and no folder either. {nearest_names(name, PAIRSETS)}"
    )


def _load_benchmark(card: PairSetCard, data_home: str | Path | None) -> PairSet:
    folder = existing_folder(card, data_home)
    try:
        return read_benchmark(card, folder)
    except InvalidTableError as error:
        raise InvalidTableError(
            f"{error} To download it again: bqcd datasets fetch {card.name} --replace"
        ) from error


def benchmark_folder(card: PairSetCard, data_home: str | Path | None = None) -> Path | None:
    """Folder with the files of a benchmark; None if they are not on disk."""
    folders = (home / card.folder for home in data_homes(data_home))
    return next((folder for folder in folders if card.layout.is_in(folder)), None)


def existing_folder(card: PairSetCard, data_home: str | Path | None = None) -> Path:
    """Folder with the files of a benchmark.

    Raises
    ------
    FileNotFoundError
        If the files are in none of the folders they may be in.
    """
    folder = benchmark_folder(card, data_home)
    if folder is None:
        places = " or ".join(str(home / card.folder) for home in data_homes(data_home))
        raise FileNotFoundError(
            f"The files of {card.name!r} are not on disk: looked for {card.layout.marker} in "
            f"{places}. To download them: bqcd datasets fetch {card.name}"
        )
    return folder


def read_benchmark(card: PairSetCard, folder: Path) -> PairSet:
    """Pairs of a benchmark from a folder, checked to be the published ones.

    Raises
    ------
    InvalidTableError
        If a file breaks its layout, or the pairs are others than the published ones.
    """
    pairs = read_pair_folder(folder, name=card.name, source=card.source, left_out=card.left_out)
    if card.unweighted:
        pairs = replace(pairs, items=tuple(replace(item, weight=1.0) for item in pairs))
    if len(pairs) != card.n_pairs:
        raise InvalidTableError(
            f"{card.name!r} must have {card.n_pairs} pairs, but {len(pairs)} were read from "
            f"{folder} and {len(pairs.refused)} refused."
        )
    expected = card.fingerprint or recorded_fingerprint(folder, card.name)
    if expected is not None and pairs.fingerprint != expected:
        known = "the published ones" if card.fingerprint else "those once downloaded"
        raise InvalidTableError(
            f"The pairs of {card.name!r} in {folder} must be {known}, with the fingerprint "
            f"{expected[:12]}..., but have {pairs.fingerprint[:12]}...; given by its path, the "
            "folder is read as it is."
        )
    return pairs


def recorded_fingerprint(folder: Path, name: str) -> str | None:
    """Fingerprint written down when the files were downloaded, None if there is none.

    Raises
    ------
    InvalidTableError
        If the record is there but cannot be read.
    """
    found = _fingerprints(folder / RECORD).get(name)
    return None if found is None else str(found)


def record_fingerprint(folder: Path, name: str, fingerprint: str, *, address: str) -> None:
    """Write down what was downloaded, and from where, beside the files."""
    known = _fingerprints(folder / RECORD)
    record = {"address": address, "fingerprints": known | {name: fingerprint}}
    write_whole(folder / RECORD, json.dumps(record, indent=2) + "\n")


def _fingerprints(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(bytes_up_to(path, 2**20))["fingerprints"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidTableError(f"{path} must be JSON with fingerprints, but is not.") from error
