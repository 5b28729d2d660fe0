"""Methods that learn nothing from the data: the floor that every comparison should show."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Vector


@dataclass(frozen=True, kw_only=True)
class Coin:
    """A fair coin, tossed anew for each pair and each generator.

    Either column draws a lot, and the higher lot is the cause. The lot is a hash of the
    rows as seen from that column, with a key from the generator: so exchanging the columns
    exchanges the lots, the order of the rows does not matter, and two pairs judged with one
    seed still have lots of their own. Rows that look the same from either side, such as two
    identical columns, draw the same lot and leave the pair undecided.

    Examples
    --------
    >>> x = np.arange(10.0)
    >>> verdict = Coin().decide(Pair(x, x**2), np.random.default_rng(0))
    >>> swapped = Coin().decide(Pair(x**2, x), np.random.default_rng(0))
    >>> verdict.confidence == -swapped.confidence
    True
    """

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Toss for one pair; the confidence is 1 or -1, whatever the lots."""
        key = rng.bytes(16)
        lots = Lots(_lot(pair.x, pair.y, key), _lot(pair.y, pair.x, key))
        return Verdict(float(np.sign(lots.x - lots.y)), pair, lots)


@dataclass(frozen=True, slots=True)
class Lots:
    """What the columns drew.

    Parameters
    ----------
    x, y : float
        Numbers from 0 to 1; the higher one is taken for the cause.
    """

    x: float
    y: float

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """The two lots."""
        return {"lot_x": self.x, "lot_y": self.y}


def _lot(first: Vector, second: Vector, key: bytes) -> float:
    """Number from 0 to 1 out of the rows in increasing order, whatever theirs was."""
    order = np.lexsort((second, first))
    # Adding zero turns -0.0, which equals 0.0 but has other bytes, into it.
    rows = np.stack((first[order], second[order])) + 0.0
    digest = blake2b(rows.astype("<f8").tobytes(), key=key, digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53


@dataclass(frozen=True, kw_only=True)
class AlwaysFirst:
    """The first column is the cause, whatever it holds.

    Its accuracy is the share of pairs whose label says so: a benchmark on which it does
    better than a coin tells something about the order of its columns. It breaks the promise
    that exchanging the columns flips the sign and is therefore no method of the table; pass
    the object, as in ``bqcd.decide(x, y, method=AlwaysFirst())``.

    Examples
    --------
    >>> x = np.arange(10.0)
    >>> AlwaysFirst().decide(Pair(x, x**2), np.random.default_rng(0)).cause
    'x'
    """

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Confidence 1, for any pair."""
        return Verdict(1.0, pair)


CARDS = (
    MethodCard(
        name="coin",
        build=Coin,
        assumes="nothing: drawn at random, the floor of every comparison",
        reference="none",
        cost="n log n",
        seconds=0.0002,
        seconds_beyond=(0.0048, 0.064, 1.2),
        uses_chance=True,
    ),
)
"""The coin alone: what always answers the same has no place in the table."""
