"""Ranks, ties and normal scores: all that the method sees of a pair.

A pair is first brought into a form that knows neither the order of its rows nor which
column came first. What follows may then treat the two columns differently without
breaking the promise that exchanging them flips the sign and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.discovery.sorting import stable_order, untied_form
from bqcd.runtime.arrays import Vector
from bqcd.runtime.once import once_for_each

Order = NDArray[np.int32]
Sign = Literal[-1, 0, 1]

# The orders in which ties are broken by default are the same for everyone and ever.
_TIE_SEED = 2020
_LARGEST_CACHED = 1 << 20


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
        return self._joined(*self._shuffled(rng))

    def broken_both_ways(self, rng: Generator) -> Iterator[Order]:
        """Two inverse permutations: a random breaking of ties, and all of it turned round.

        The leading term of what the order of ties does to a score changes its sign under
        the turn, so that two such orders are worth about seven random ones.
        """
        from bqcd.discovery.ranking_kernels import reversed_within_groups

        first, second = self._shuffled(rng)
        yield self._joined(first, second)
        yield self._joined(
            reversed_within_groups(first, self.first_starts),
            reversed_within_groups(second, self.second_starts),
        )

    def _shuffled(self, rng: Generator) -> tuple[Order, Order]:
        from bqcd.discovery.ranking_kernels import shuffled_within_groups

        n = len(self.first)
        first = shuffled_within_groups(self.first, self.first_starts, rng.random(n))
        second = shuffled_within_groups(self.second, self.second_starts, rng.random(n))
        return first, second

    @staticmethod
    def _joined(first: Order, second: Order) -> Order:
        from bqcd.discovery.ranking_kernels import fill_inverse

        ranks = np.empty_like(first)
        fill_inverse(first, ranks)
        return np.asarray(ranks[second])


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
            same_for_all = np.random.default_rng(_TIE_SEED)
            for _ in range(fixed // 2):
                yield from self.ties.broken_both_ways(same_for_all)


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
    return ranked if ranked.inverse is not None else _with_ties(x, y, ranked)


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


def _with_ties(x: Vector, y: Vector, ranked: RankedPair) -> RankedPair:
    from bqcd.discovery.ranking_kernels import group_starts, lexicographic_sign

    x_numbers, y_numbers = _group_numbers(x), _group_numbers(y)
    keys, others = _sorted_keys(x_numbers, y_numbers), _sorted_keys(y_numbers, x_numbers)
    del x_numbers, y_numbers
    sign = lexicographic_sign(keys, others)
    if sign < 0:
        keys = others
    del others
    first_order = np.arange(len(x), dtype=np.int32)
    first_starts = group_starts(keys // len(x), first_order)
    keys %= len(x)
    second_order, _ = stable_order(keys)
    ties = Ties(first_order, first_starts, second_order, group_starts(keys, second_order))
    return replace(ranked, sign=sign, ties=ties)


def _sorted_keys(major: Order, minor: Order) -> Vector:
    """One number for two, in increasing order: exact in a double while n^2 < 2^53."""
    keys = np.multiply(major, len(major), dtype=np.float64)
    keys += minor
    keys.sort()
    return keys


def _group_numbers(values: Vector) -> Order:
    from bqcd.discovery.ranking_kernels import group_numbers, group_starts

    order, _ = stable_order(values)
    return group_numbers(order, group_starts(values, order))
