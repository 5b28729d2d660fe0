"""The paper's benchmark files, read from a folder on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from bqcd.datasets.records import LabelledPair, PairSet, Source
from bqcd.errors import UnknownNameError
from bqcd.pair import Direction, Pair
from bqcd.settings import nearest_names

DATA_VARIABLE = "BQCD_DATA"

MOOIJ = Source(
    "Mooij, Peters, Janzing, Zscheischler, Schölkopf: Distinguishing cause from effect using "
    "observational data: methods and benchmarks. JMLR 17(32), 2016",
    "free for research, cite the paper",
)
TAGASOVSKA = Source(
    "Tagasovska, Chavez-Demoulin, Vatter: Distinguishing cause from effect using quantiles: "
    "bivariate quantile causal discovery. ICML 2020",
    "published with the authors' code",
)

# Pairs of vectors, and four the paper leaves out.
_NOT_IN_PAPER = frozenset({47, 52, 53, 54, 55, 70, 71, 105, 107})


def load_pairs(name: str, *, data_home: str | Path | None = None) -> PairSet:
    """Benchmark of that name, read from disk; nothing is downloaded.

    Parameters
    ----------
    name : str
        One of ``PAIRSETS``.
    data_home : path, optional
        Folder with the benchmark folders; by default the environment variable
        ``BQCD_DATA``.

    Raises
    ------
    UnknownNameError
        If no benchmark is called ``name``.
    FileNotFoundError
        If the files are not there. The message names the folder looked for.
    """
    if name not in PAIRSETS:
        raise UnknownNameError(f"No benchmark is called {name!r}. {nearest_names(name, PAIRSETS)}")
    home = data_home or os.environ.get(DATA_VARIABLE)
    if home is None:
        raise FileNotFoundError(
            f"Where the files of {name!r} are must be said: pass data_home or set {DATA_VARIABLE}."
        )
    return PAIRSETS[name](Path(home))


def _read_tuebingen(home: Path) -> PairSet:
    folder = _existing(home / "tuebingen")
    wanted = (line for line in _meta_lines(folder) if int(line[0]) not in _NOT_IN_PAPER)
    return PairSet("tuebingen", tuple(_from_meta(folder, "tuebingen", wanted)), MOOIJ)


def _read_sim(home: Path, *, name: str) -> PairSet:
    folder = _existing(home / "SIM_pairs" / name)
    return PairSet(name, tuple(_from_meta(folder, name, _meta_lines(folder))), MOOIJ)


def _read_anlsmn(home: Path, *, name: str) -> PairSet:
    folder = _existing(home / "ANLSMN_pairs" / name)
    labels = (folder / "pairs_gt.txt").read_text().split()
    items = []
    for number, label in enumerate(labels, start=1):
        columns = np.loadtxt(
            folder / f"pair_{number}.txt", delimiter=",", skiprows=1, usecols=(1, 2)
        )
        truth = Direction.X_TO_Y if label == "1" else Direction.Y_TO_X
        items.append(LabelledPair(_pair(columns, f"{name}/{number:04d}"), truth))
    return PairSet(name, tuple(items), TAGASOVSKA)


def _meta_lines(folder: Path) -> Iterator[list[str]]:
    for line in (folder / "pairmeta.txt").read_text().splitlines():
        if line.strip():
            yield line.split()


def _from_meta(folder: Path, name: str, lines: Iterator[list[str]]) -> Iterator[LabelledPair]:
    """Pairs of scalars: first and last column of the cause, of the effect, then the weight."""
    for number, cause, _, effect, _, weight in lines:
        columns = np.loadtxt(folder / f"pair{number}.txt")[:, :2]
        truth = Direction.X_TO_Y if int(cause) < int(effect) else Direction.Y_TO_X
        yield LabelledPair(_pair(columns, f"{name}/{number}"), truth, float(weight))


def _pair(columns: np.ndarray[tuple[int, int], np.dtype[np.float64]], key: str) -> Pair:
    return Pair(np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1]), key=key)


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise FileNotFoundError(f"No folder {folder}: the benchmark's files are looked for there.")
    return folder


PAIRSETS: Mapping[str, Callable[[Path], PairSet]] = MappingProxyType(
    {
        "SIM": partial(_read_sim, name="SIM"),
        "SIM-c": partial(_read_sim, name="SIM-c"),
        "SIM-ln": partial(_read_sim, name="SIM-ln"),
        "SIM-G": partial(_read_sim, name="SIM-G"),
        "AN": partial(_read_anlsmn, name="AN"),
        "AN-s": partial(_read_anlsmn, name="AN-s"),
        "LS": partial(_read_anlsmn, name="LS"),
        "LS-s": partial(_read_anlsmn, name="LS-s"),
        "MN-U": partial(_read_anlsmn, name="MN-U"),
        "tuebingen": _read_tuebingen,
    }
)
"""Benchmarks by name, in the order of the paper's table."""
