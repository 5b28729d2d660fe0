"""The table of file layouts, and the reader of any folder in one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bqcd.benchmark.datasets.kaggle import PAIRS, read_kaggle
from bqcd.benchmark.datasets.numbered import LABELS, read_numbered
from bqcd.benchmark.datasets.pairmeta import META, read_pairmeta
from bqcd.benchmark.datasets.records import LabelledPair, PairSet, RefusedPair, Source
from bqcd.errors import InvalidTableError

Reader = Callable[[Path, str, Mapping[str, str]], Iterator[LabelledPair | RefusedPair]]

UNKNOWN_SOURCE = Source("not known: read from a folder", "not known")


@dataclass(frozen=True, slots=True)
class Layout:
    """How pairs, labels and weights are laid out in the files of a folder.

    Parameters
    ----------
    name : str
        Name in the table.
    marker : str
        Name, or pattern of the name, of the file by which a folder is known.
    about : str
        The files, in one line.
    read : callable
        Pairs of a folder, read one after the other.
    """

    name: str
    marker: str
    about: str
    read: Reader

    def is_in(self, folder: Path) -> bool:
        """Whether a folder holds files of this layout."""
        return folder.is_dir() and any(folder.glob(self.marker))


FORMATS: Mapping[str, Layout] = MappingProxyType(
    {
        layout.name: layout
        for layout in (
            Layout(
                "pairmeta",
                META,
                "pair0001.txt ... of numbers, pairmeta.txt with columns and weights",
                read_pairmeta,
            ),
            Layout(
                "numbered",
                LABELS,
                "pair_1.txt ... as tables with a header, pairs_gt.txt with labels 0 and 1",
                read_numbered,
            ),
            Layout(
                "kaggle",
                PAIRS,
                "NAME_pairs.csv with a cell of numbers for each column, NAME_targets.csv",
                read_kaggle,
            ),
        )
    }
)
"""Layouts by name."""


def read_pair_folder(
    folder: str | Path,
    *,
    name: str = "",
    source: Source = UNKNOWN_SOURCE,
    left_out: Mapping[str, str] | None = None,
) -> PairSet:
    """Labelled pairs of a folder in any of the layouts ``FORMATS``.

    Parameters
    ----------
    folder : path
        Folder with the files of one set.
    name : str, default=""
        Name of the set and beginning of the keys. Empty stands for the folder's own name.
    source : Source, optional
        Provenance.
    left_out : mapping from str to str, optional
        Numbers of pairs to refuse unread, and the reasons.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    InvalidTableError
        If the folder is in no known layout, or a file breaks it. The message names file,
        line, rule and value.
    """
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise FileNotFoundError(f"No folder {folder}: pairs are read from a folder.")
    layout = next((layout for layout in FORMATS.values() if layout.is_in(path)), None)
    if layout is None:
        markers = ", ".join(layout.marker for layout in FORMATS.values())
        raise InvalidTableError(f"{folder} must hold one of the files {markers}, found none.")
    name = name or path.resolve().name
    found = list(layout.read(path, name, left_out or {}))
    return PairSet(
        name,
        tuple(item for item in found if isinstance(item, LabelledPair)),
        source,
        tuple(item for item in found if isinstance(item, RefusedPair)),
    )
