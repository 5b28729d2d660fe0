"""Draws of weighted rows: samples that look like the population the weights speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.data.weights import WeightedPair
from bqcd.discovery.ranks import ranks_of
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.seeds import seed_from

Order = NDArray[np.intp]


def drawn_pairs(
    weighted: WeightedPair, *, seed: int, draws: int | None = None
) -> Iterator[tuple[Pair, ...]]:
    """Draws one after the other, each as one pair, or as two where sides look the same.

    Draws in which a column is constant are left out.

    Parameters
    ----------
    weighted : WeightedPair
        Rows and weights.
    seed : int
        What decides which rows are drawn.
    draws : int, optional
        How many. Default: ``weighted.draws``.

    Examples
    --------
    >>> pair = Pair(np.arange(40.0), np.arange(40.0) * 7.0 % 40.0)
    >>> weighted = WeightedPair(pair, np.repeat([1.0, 2.0], 20))
    >>> [len(drawn) for (drawn,) in drawn_pairs(weighted, seed=0, draws=3)]
    [30, 30, 30]
    """
    orders = row_orders(weighted)
    for number in range(weighted.draws if draws is None else draws):
        key = seed_from(seed, "draw", number)
        rows = [
            order[_sampled(weighted.weights[order], weighted.draw_rows, np.random.default_rng(key))]
            for order in orders
        ]
        if all(_varies(weighted.pair, chosen) for chosen in rows):
            yield tuple(_part(weighted.pair, chosen) for chosen in rows)


def sampled_parts(
    weighted: WeightedPair, places: Iterable[Order]
) -> Iterator[tuple[WeightedPair, ...]]:
    """Rows at given places of :func:`row_orders`, with their weights: one or two pairs as above.

    Samples that cannot be judged are empty tuples: a column is constant, or too few rows have
    too much of the weight.

    Parameters
    ----------
    weighted : WeightedPair
        Rows and weights.
    places : iterable of ndarray
        Places of each sample.
    """
    orders = row_orders(weighted)
    for chosen in places:
        try:
            yield tuple(_weighted_part(weighted, order[chosen]) for order in orders)
        except InvalidPairError:
            yield ()


def row_orders(weighted: WeightedPair) -> tuple[Order, ...]:
    """Rows in an order that is the same however rows and columns were given.

    Both, by x and by y, where the ranks of the columns look the same from either side.
    """
    x, y = weighted.pair.x, weighted.pair.y
    sign = ranks_of(weighted.pair).sign
    by_x, by_y = (weighted.weights, y, x), (weighted.weights, x, y)
    if sign == 0:
        return np.lexsort(by_x), np.lexsort(by_y)
    return (np.lexsort(by_x if sign > 0 else by_y),)


def _sampled(weights: Vector, rows: int, rng: Generator) -> Order:
    """So many different places, in order, each with a chance in proportion to its weight."""
    shuffled = rng.permutation(len(weights))
    ends = np.cumsum(weights[shuffled])
    ends *= rows / ends[-1]
    # Steps of 1 along the weights laid end to end, none of which is longer than 1.
    steps = rng.random() + np.arange(rows)
    places = np.searchsorted(ends, steps, side="right")
    return np.sort(shuffled[np.minimum(places, len(weights) - 1)])


def _varies(pair: Pair, rows: Order) -> bool:
    return all(column.min() < column.max() for column in (pair.x[rows], pair.y[rows]))


def _part(pair: Pair, rows: Order) -> Pair:
    scales = pair.x_scale, pair.y_scale
    return Pair(pair.x[rows], pair.y[rows], pair.x_name, pair.y_name, pair.key, 0, *scales)


def _weighted_part(weighted: WeightedPair, rows: Order) -> WeightedPair:
    return WeightedPair(_part(weighted.pair, rows), weighted.weights[rows], weighted.name)
