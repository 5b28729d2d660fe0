"""Ranks, ties and normal scores: all that the method sees of a pair.

A pair is first brought into a form that knows neither the order of its rows nor which
column came first. What follows may then treat the two columns differently without
breaking the promise that exchanging them flips the sign and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.discovery.sorting import stable_order, untied_form
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.once import once_for_each

Order = NDArray[np.int32]
Orders = NDArray[np.int32]
Sign = Literal[-1, 0, 1]

# The orders in which ties are broken by default are the same for everyone and ever.
_TIE_SEED = 2020
_LARGEST_CACHED = 1 << 20


def tie_generator() -> Generator:
    """What the fixed orders of ties are drawn from."""
    return np.random.default_rng(_TIE_SEED)


def normal_scores(n: int) -> Vector:
    """Standard normal quantiles at 1/(n+1), ..., n/(n+1), increasing and read-only.

    Examples
    --------
    >>> normal_scores(3).round(4)
    array([-0.6745,  0.    ,  0.6745])
    """
    return _cached_scores(n) if n <= _LARGEST_CACHED else _fresh_scores(n)


def _fresh_scores(n: int) -> Vector:
    from bqcd.discovery.ranking_kernels import fill_normal_scores

    scores = np.empty(n)
    fill_normal_scores(scores)
    scores.setflags(write=False)
    return scores


_cached_scores = lru_cache(maxsize=8)(_fresh_scores)


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """Rows of a pair with ties, grouped by each of its variables.

    Parameters
    ----------
    first, second : ndarray of shape (n,)
        Rows in increasing order of the variable.
    first_starts, second_starts : ndarray
        Places at which a new value begins, and n.
    """

    first: Order
    first_starts: Order
    second: Order
    second_starts: Order

    def broken(self, rng: Generator) -> Order:
        """Inverse permutation of the ranks with ties broken at random."""
        return np.asarray(self.broken_by(rng.random((2, len(self.second))))[0])

    def broken_both_ways(self, rng: Generator) -> Iterator[Order]:
        """Two inverse permutations: a random breaking of ties, and all of it turned round.

        The leading term of what the order of ties does to a score changes its sign under
        the turn, so that two such orders are worth about seven random ones.
        """
        broken = self.broken(rng)
        yield broken
        first, second = self.turns()
        yield first[broken[second]]

    def broken_by(self, uniforms: Matrix) -> Orders:
        """Inverse permutations of the ranks: one for two rows of numbers from 0 to 1."""
        from bqcd.discovery.tie_kernels import fill_broken

        broken = np.empty((len(uniforms) // 2, len(self.second)), dtype=np.int32)
        fill_broken(self.second, self.first_starts, self.second_starts, uniforms, broken)
        return broken

    def codes(self) -> Orders:
        """Number of the value of each row, from 0: of the first variable, and of the second."""
        from bqcd.discovery.tie_kernels import fill_codes

        codes = np.empty((2, len(self.second)), dtype=np.int32)
        fill_codes(self.second, self.first_starts, self.second_starts, codes)
        return codes

    def turns(self) -> Orders:
        """Place each place goes to if the groups of the first, or the second, are turned round."""
        from bqcd.discovery.tie_kernels import fill_turns

        turns = np.empty((2, len(self.second)), dtype=np.int32)
        fill_turns(self.first_starts, self.second_starts, turns)
        return turns


@dataclass(frozen=True, slots=True, eq=False)
class RankedPair:
    """The ranks of a pair, whatever the order of its rows and of its columns.

    Parameters
    ----------
    sign : {-1, 0, 1}
        1 if the first variable is x, -1 if it is y, 0 if the ranks look the same from
        either side, so that no method of ranks can tell the columns apart.
    x_ties, y_ties : int
        Number of values that repeat an earlier one.
    inverse : ndarray of shape (n,) or None
        Rank of the first variable in the row where the second has rank s, from 0; only
        without ties.
    ties : Ties or None
        What to break at random; only with ties.
    """

    sign: Sign
    x_ties: int
    y_ties: int
    inverse: Order | None
    ties: Ties | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        held = self.inverse if self.ties is None else self.ties.second
        assert held is not None
        return len(held)

    @property
    def has_ties(self) -> bool:
        """Whether a value repeats, also where its ties are broken already."""
        return self.x_ties + self.y_ties > 0

    def coarse(self) -> tuple[float, float]:
        """Share of the variance of the ranks that ties take, of x and of y."""
        if self.ties is None:
            return 0.0, 0.0
        first, second = map(lost_to_ties, (self.ties.first_starts, self.ties.second_starts))
        return (second, first) if self.sign < 0 else (first, second)

    def orders(self, *, jitters: int | None, fixed: int, rng: Generator) -> Iterator[Order]:
        """Tie-free inverse permutations to average over: a single one without ties.

        Parameters
        ----------
        jitters : int or None
            Number of random orders drawn from ``rng``; None for the fixed ones.
        fixed : int
            Number of fixed orders, even: each comes with its turn.
        """
        if self.inverse is not None:
            yield self.inverse
        elif self.ties is not None and jitters is not None:
            for _ in range(jitters):
                yield self.ties.broken(rng)
        elif self.ties is not None:
            same_for_all = tie_generator()
            for _ in range(fixed // 2):
                yield from self.ties.broken_both_ways(same_for_all)


def lost_to_ties(starts: Order) -> float:
    """Share of the variance of ranks that is lost if tied values have their mean rank.

    It is 0 without ties, 1/k² for k grades of equal size and 1 for a constant.

    Parameters
    ----------
    starts : ndarray
        Places at which a new value begins in increasing order, and n.

    Examples
    --------
    >>> lost_to_ties(np.arange(9)), round(lost_to_ties(np.array([0, 500, 1000])), 4)
    (0.0, 0.25)
    """
    # In order of size: the sum does not know which values are tied.
    sizes = np.sort(starts[1:] - starts[:-1]).astype(np.float64)
    n = float(starts[-1])
    return float((sizes * (sizes * sizes - 1.0)).sum()) / (n * (n * n - 1.0))


def rank_pair(x: Vector, y: Vector) -> RankedPair:
    """Ranks of two columns in a form free of row order and column order.

    Examples
    --------
    >>> import numpy as np
    >>> ranked = rank_pair(np.array([5.0, 1.0, 3.0]), np.array([2.0, 2.0, 9.0]))
    >>> ranked.x_ties, ranked.y_ties
    (0, 1)
    """
    # Kernels take contiguous columns only; any other kind would be compiled for anew.
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    ranked = _without_ties(x, y)
    return ranked if ranked.inverse is not None else _with_ties(x, y)


@once_for_each
def ranks_of(pair: Pair) -> RankedPair:
    """Ranks of a pair: the same object whoever asks, so that a pair is ranked once.

    Examples
    --------
    >>> pair = Pair(np.arange(10.0), -np.arange(10.0))
    >>> ranks_of(pair) is ranks_of(pair)
    True
    """
    return rank_pair(pair.x, pair.y)


def _without_ties(x: Vector, y: Vector) -> RankedPair:
    """Ranks of two columns; if there are ties, only their numbers are told."""
    return RankedPair(*untied_form(x, y), ties=None)


def tied_ranks(x: Order, y: Order, x_starts: Order, y_starts: Order) -> RankedPair:
    """Ranks of two columns of which at least one has ties.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Number of the value of each row, counted from 0 in increasing order of value.
    x_starts, y_starts : ndarray
        Places at which a new value begins in increasing order, and n.

    Examples
    --------
    >>> x, y = np.array([[1, 0, 0], [0, 2, 1]], dtype=np.int32)
    >>> starts = [np.array(s, dtype=np.int32) for s in ([0, 2, 3], [0, 1, 2, 3])]
    >>> ranked = tied_ranks(x, y, *starts)
    >>> ranked.sign, ranked.x_ties, ranked.y_ties
    (1, 1, 0)
    """
    from bqcd.discovery.tie_kernels import fill_tied_form

    n = len(x)
    orders = np.empty((4, n), dtype=np.int32)
    sign = fill_tied_form(x, y, x_starts, y_starts, orders)
    starts = (y_starts, x_starts) if sign < 0 else (x_starts, y_starts)
    rows = np.arange(n, dtype=np.int32)
    ties = Ties(rows, starts[0], orders[0].copy(), starts[1])
    return RankedPair(sign, n + 1 - len(x_starts), n + 1 - len(y_starts), None, ties)


def _with_ties(x: Vector, y: Vector) -> RankedPair:
    (x_numbers, x_starts), (y_numbers, y_starts) = _grouped(x), _grouped(y)
    return tied_ranks(x_numbers, y_numbers, x_starts, y_starts)


def _grouped(values: Vector) -> tuple[Order, Order]:
    """Number of the value of each row, and the places at which a new value begins."""
    from bqcd.discovery.ranking_kernels import group_numbers, group_starts

    order, _ = stable_order(values)
    starts = group_starts(values, order)
    return group_numbers(order, starts), starts
