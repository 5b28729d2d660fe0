"""Records of labelled data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bqcd.pair import Direction, Pair


@dataclass(frozen=True, slots=True)
class Source:
    """Where data come from: citation and terms of use."""

    citation: str
    licence: str


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair with its true direction and its weight in the benchmark."""

    pair: Pair
    truth: Direction
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class PairSet:
    """A named collection of labelled pairs.

    Parameters
    ----------
    name : str
        Name in results and on the command line, e.g. ``"tuebingen"``, ``"LS-s"``.
    items : tuple of LabelledPair
        In the order of the original files.
    source : Source
        Provenance.
    """

    name: str
    items: tuple[LabelledPair, ...]
    source: Source

    def __iter__(self) -> Iterator[LabelledPair]:
        """Labelled pairs in the order of the files."""
        return iter(self.items)

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.items)
