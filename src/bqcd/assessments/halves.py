"""Random halves of a ranked pair, ranked anew and free of ties."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.assessments.units import drawn_places
from bqcd.discovery.ranks import RankedPair

Order = NDArray[np.int32]
Numbers = NDArray[np.int64]
Orders = NDArray[np.int32]

# Two rows have the same value this often at most where ties are called fine: their order then
# adds less than 5 % to the variance between halves.
_FINE_TIES = 0.07
# Up to so many times the rows of a half, counting is faster than sorting.
_COUNTED = 16


def orders_of_ties(ranked: RankedPair) -> int:
    """Number of orders of the ties of each half: one and its turn, two and theirs if it matters.

    Examples
    --------
    >>> from bqcd.discovery.ranks import rank_pair
    >>> x, y = np.arange(100.0), np.arange(100.0) ** 2
    >>> [orders_of_ties(rank_pair(x // size, -y)) for size in (1, 2, 50)]
    [1, 2, 4]
    """
    if ranked.ties is None:
        return 1
    n = len(ranked.ties.first)
    sizes = (
        np.diff(starts) / n for starts in (ranked.ties.first_starts, ranked.ties.second_starts)
    )
    return 2 if max(float(np.sum(size**2)) for size in sizes) <= _FINE_TIES else 4


class HalfDrawing:
    """Room to draw random halves of a ranked pair in, one after the other.

    Parameters
    ----------
    ranked : RankedPair
        Ranks of all rows.
    rows : int
        Rows of a half.
    units : ndarray of shape (n,), optional
        Unit of each row by its place in the order of the second variable: whole units are
        drawn. Default: each row is one.

    Examples
    --------
    >>> from bqcd.discovery.ranks import rank_pair
    >>> drawing = HalfDrawing(rank_pair(np.arange(20.0), -np.arange(20.0)), 5)
    >>> half = np.empty((1, 5), dtype=np.int32)
    >>> drawing.fill(half, np.random.default_rng(0)), half
    (0, array([[4, 3, 2, 1, 0]], dtype=int32))
    """

    def __init__(self, ranked: RankedPair, rows: int, units: Numbers | None = None) -> None:
        self._ties = ranked.ties
        self._units = units
        inverse = ranked.inverse if ranked.ties is None else ranked.ties.second
        assert inverse is not None
        self._inverse = inverse
        self._counts = len(inverse) <= _COUNTED * rows
        self._marks = np.zeros(len(inverse) if self._counts else 0, dtype=np.int32)
        self._room = np.empty((5, rows), dtype=np.int32)

    def fill(self, halves: Orders, rng: Generator) -> int:
        """Fill ``halves`` with the ranks of one half; 1, -1 or 0 for which variable is first.

        Parameters
        ----------
        halves : ndarray of shape (orders, rows)
            Rank of the first variable by the rank of the second, for each order of the ties;
            every other order is the one before it turned round.
        rng : Generator
            Source of randomness.
        """
        from bqcd.assessments import half_kernels as kernels

        places, rows, first_places, first_groups, second_groups = self._room
        self._draw(places, rows, first_places, rng)
        if self._ties is None:
            return kernels.fill_untied_half(rows, halves[0])
        kernels.fill_groups(first_places, self._ties.first_starts, first_groups)
        kernels.fill_groups(places, self._ties.second_starts, second_groups)
        uniforms = rng.random(halves.size)
        kernels.fill_tied_half(rows, first_groups, second_groups, uniforms, halves)
        return int(kernels.tells_apart(rows, first_groups, second_groups))

    def _draw(self, places: Order, rows: Order, first_places: Order, rng: Generator) -> None:
        """Places of the drawn rows by the second variable, and the same by the first."""
        from bqcd.assessments import half_kernels as kernels

        n = len(self._inverse)
        if self._units is not None:
            places[:] = drawn_places(self._units, len(places), rng)
        elif self._counts:
            kernels.fill_sample(rng.random(n), places)
        else:
            places[:] = _sparse_sample(n, len(places), rng)
        if self._counts:
            kernels.fill_rows_by_first(self._inverse, places, self._marks, rows, first_places)
            return
        firsts = self._inverse[places]
        rows[:] = np.argsort(firsts)
        first_places[:] = firsts[rows]


def _sparse_sample(n: int, size: int, rng: Generator) -> Order:
    """Random subset of the numbers below n, in increasing order: drawn until there are enough."""
    drawn = np.empty(0, dtype=np.int32)
    while len(drawn) < size:
        more = rng.integers(n, size=size - len(drawn), dtype=np.int32)
        drawn = np.sort(np.concatenate((drawn, more)))
        drawn = drawn[np.diff(drawn, prepend=np.int32(-1)) > 0]
    return drawn
