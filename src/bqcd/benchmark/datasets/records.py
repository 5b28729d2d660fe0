"""Records of labelled data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite

from numpy.random import Generator

from bqcd.data.pair import Direction, Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_integer


@dataclass(frozen=True, slots=True)
class Source:
    """Where data come from: citation and terms of use."""

    citation: str
    licence: str

    @property
    def label(self) -> str:
        """First author and year, e.g. ``Mooij et al. 2016``, as far as the citation has them."""
        authors, colon, _ = self.citation.partition(":")
        first, *others = authors.split(",")
        years = re.findall(r"\b(?:19|20)[0-9]{2}\b", self.citation)
        if not colon or not years:
            return self.citation
        return f"{first}{' et al.' if others else ''} {years[0]}"


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair with its true direction and its weight in the benchmark.

    Parameters
    ----------
    pair : Pair or VectorPair
        All that a method gets to see.
    truth : Direction
        ``X_TO_Y`` or ``Y_TO_X``.
    weight : float, default=1.0
        Share in a weighted accuracy; zero or more.

    Raises
    ------
    InvalidPairError
        If the truth is no direction or the weight is negative or not finite.
    """

    pair: Pair | VectorPair
    truth: Direction
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a truth that decides nothing and a weight that cannot be averaged with."""
        if self.truth not in (Direction.X_TO_Y, Direction.Y_TO_X):
            raise InvalidPairError(
                f"truth of {self.pair.key!r} must be Direction.X_TO_Y or Direction.Y_TO_X, "
                f"got {self.truth!r}."
            )
        if not isfinite(self.weight) or self.weight < 0.0:
            raise InvalidPairError(
                f"weight of {self.pair.key!r} must be a finite number >= 0, got {self.weight!r}."
            )

    def exchanged(self) -> LabelledPair:
        """The same pair with its columns exchanged and the truth turned round."""
        pair = self.pair.swapped()
        if isinstance(pair, VectorPair):
            pair = placed_pair(pair.x, pair.y, key=pair.key)
            return LabelledPair(pair, self.truth.flipped(), self.weight)
        if (self.pair.x_name, self.pair.y_name) == ("x", "y"):
            # Names that only tell the place stay in place, or they would tell the exchange.
            pair = replace(pair, x_name="x", y_name="y")
        return LabelledPair(pair, self.truth.flipped(), self.weight)


def placed_pair(x: Matrix, y: Matrix, *, key: str) -> VectorPair:
    """Groups of columns with names that only tell the place of side and column.

    Parameters
    ----------
    x, y : ndarray of shape (n, d)
        The columns of each side.
    key : str
        Of the pair.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(20, 3))
    >>> placed_pair(x[:, :1], x[:, 1:], key="example/1").y_names
    ('y1', 'y2')
    """
    x_names, y_names = (
        tuple(f"{side}{at + 1}" for at in range(columns.shape[1]))
        for side, columns in (("x", x), ("y", y))
    )
    return VectorPair(x, y, x_names, y_names, "x", "y", key)


@dataclass(frozen=True, slots=True)
class RefusedPair:
    """A pair of the files that no method can be asked about, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class PairSet:
    """A named collection of labelled pairs.

    Parameters
    ----------
    name : str
        Name in results and on the command line, e.g. ``"tuebingen"``, ``"LS-s"``.
    items : tuple of LabelledPair
        In the order of the original files. Their keys differ.
    source : Source
        Provenance.
    refused : tuple of RefusedPair, optional
        Pairs that stand in the files but not in ``items``.

    Raises
    ------
    InvalidPairError
        If two pairs have the same key.

    Examples
    --------
    >>> import numpy as np
    >>> side = np.arange(10.0)
    >>> item = LabelledPair(Pair(side, side**2, key="squares/1"), Direction.X_TO_Y)
    >>> squares = PairSet("squares", (item,), Source("own", "free"))
    >>> len(squares), squares.fingerprint[:8]
    (1, 'c18c83bc')
    """

    name: str
    items: tuple[LabelledPair, ...]
    source: Source
    refused: tuple[RefusedPair, ...] = ()

    def __post_init__(self) -> None:
        """Refuse two pairs of one key: results are stored under it."""
        seen: set[str] = set()
        for item in self.items:
            if item.pair.key in seen:
                raise InvalidPairError(
                    f"Keys of the pairs of {self.name!r} must differ, "
                    f"but {item.pair.key!r} comes twice."
                )
            seen.add(item.pair.key)

    @property
    def fingerprint(self) -> str:
        """Hex digest of all columns, their names, truths and weights, the same on every machine.

        The order of the pairs counts; the name of the set, the keys that begin with it, and
        the layout of the files do not.
        """
        digest = sha256()
        for item in self.items:
            pair = item.pair
            weight = float(item.weight).hex()
            names: tuple[str, ...] = (pair.x_name, pair.y_name)
            columns: tuple[Vector, ...] = (pair.x, pair.y)
            if isinstance(pair, VectorPair):
                names, columns = (*pair.x_names, "|", *pair.y_names), (*pair.x.T, *pair.y.T)
            head = (len(pair), *names, item.truth.value, weight)
            digest.update(repr(head).encode())
            for column in columns:
                digest.update(column.astype("<f8", copy=False).tobytes())
        return digest.hexdigest()

    def with_random_order(self, rng: Generator) -> PairSet:
        """The same pairs, the columns of each exchanged on a coin flip, truth included."""
        flips = rng.integers(2, size=len(self.items))
        items = (
            item.exchanged() if flip else item for item, flip in zip(self.items, flips, strict=True)
        )
        return replace(self, items=tuple(items))

    def head(self, count: int) -> PairSet:
        """The first ``count`` pairs, or all if there are fewer."""
        check_integer("PairSet.head", "count", count, minimum=0)
        return replace(self, items=self.items[:count])

    def __iter__(self) -> Iterator[LabelledPair]:
        """Labelled pairs in the order of the files."""
        return iter(self.items)

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.items)
