"""Random halves of a pair: how many rows, which ones, with which seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.assessments.units import Units, drawn_places, numbers_of_sorted, sorted_rows
from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.ranks import RankedPair, ranks_of
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Numbers, Vector
from bqcd.runtime.seeds import seed_from
from bqcd.statistics.subsampling import subsamples

Order = NDArray[np.int32]
Places = NDArray[np.intp]
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


def half_places(n: int, rows: int, rng: Generator, units: Numbers | None = None) -> Places:
    """Places of so many of n rows, in increasing order: any rows, or those of whole units.

    Parameters
    ----------
    n, rows : int
        Rows there are, and rows to draw.
    rng : Generator
        Source of randomness.
    units : ndarray of shape (n,), optional
        Unit of each row. Default: each row is one.

    Examples
    --------
    >>> half_places(6, 3, np.random.default_rng(0))
    array([3, 4, 5])
    """
    if units is not None:
        return drawn_places(units, rows, rng)
    return np.sort(rng.choice(n, size=rows, replace=False, shuffle=False))


def rows_of_half(n: int) -> int:
    """Rows of a half of n rows; at least ``MIN_ROWS``, if there are as many and one more.

    Examples
    --------
    >>> [rows_of_half(n) for n in (10, 15, 21, 400)]
    [9, 10, 10, 200]
    """
    return max(n // 2, min(MIN_ROWS, n - 1))


def seeds_of_halves(seed: int, replicates: int) -> list[int]:
    """Seed of each half."""
    return [seed_from(seed, "half", at) for at in range(replicates)]


def random_halves(
    pair: Pair, rows: int, seeds: Sequence[int], *, units: Units | None = None
) -> Iterator[Pair | None]:
    """Random halves, whatever the order of rows and columns; None for one that is no pair.

    Parameters
    ----------
    pair : Pair
        Two columns.
    rows : int
        Rows of a half.
    seeds : sequence of int
        One for each half.
    units : Units, optional
        Rows that belong together and are drawn together. Default: each row alone.

    Examples
    --------
    >>> pair = Pair(np.arange(40.0), np.arange(40.0) ** 2)
    >>> [len(half) for half in random_halves(pair, 20, seeds_of_halves(0, 3))]
    [20, 20, 20]
    """
    ranked = ranks_of(pair)
    if ranked.sign == 0:
        # Columns that cannot be told apart by their ranks: rows go with their mirror images.
        for seed in seeds:
            rng = np.random.default_rng(seed)
            drawn = subsamples(pair.x, pair.y, max_rows=rows, draws=1, rng=rng)
            yield pair_like(pair, *drawn[0]) if drawn else None
        return
    order = sorted_rows(pair, ranked)
    numbers = None if units is None else numbers_of_sorted(units, pair, ranked)
    for seed in seeds:
        chosen = order[half_places(len(pair), rows, np.random.default_rng(seed), numbers)]
        yield pair_like(pair, pair.x[chosen], pair.y[chosen])


def random_vector_halves(
    pair: VectorPair, rows: int, seeds: Sequence[int], *, units: Units | None = None
) -> Iterator[VectorPair | None]:
    """Random halves of groups of columns; None for one that is no pair.

    Neither the order of rows, of sides nor of columns changes what is drawn.

    Parameters
    ----------
    pair : VectorPair
        Two groups of columns.
    rows, seeds, units
        As in :func:`random_halves`.
    """
    columns = sorted(zip((*pair.x_names, *pair.y_names), (*pair.x.T, *pair.y.T), strict=True),
                     key=lambda named: named[0])  # fmt: skip
    order = np.lexsort([column for _, column in reversed(columns)])
    numbers = None
    if units is not None:
        _, first, number = np.unique(units.numbers[order], return_index=True, return_inverse=True)
        numbers = np.argsort(np.argsort(first))[number]
    for seed in seeds:
        chosen = order[half_places(len(pair), rows, np.random.default_rng(seed), numbers)]
        try:
            yield pair.taken(chosen)
        except InvalidPairError:
            yield None


def pair_like(pair: Pair, x: Vector, y: Vector) -> Pair | None:
    """Other rows of a pair; None if they are no pair."""
    try:
        scales = pair.x_scale, pair.y_scale
        return Pair(x, y, pair.x_name, pair.y_name, pair.key, 0, *scales)
    except InvalidPairError:
        return None


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
