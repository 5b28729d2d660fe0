"""Rows drawn where a method's cost demands fewer, and directed scores averaged over the draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.methods.verdict import DirectedScores
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_DRAWS, MOST_ROWS, check_integer
from bqcd.statistics.scaling import unit_range
from bqcd.statistics.subsampling import subsamples

Columns = tuple[Vector, Vector]


def check_draws(owner: str, max_rows: int, draws: int) -> None:
    """Refuse draws of fewer rows than a pair must have, but for 0, and less than one draw."""
    least = MIN_ROWS if max_rows else 0
    check_integer(owner, "max_rows", max_rows, minimum=least, maximum=MOST_ROWS)
    check_integer(owner, "draws", draws, minimum=1, maximum=MOST_DRAWS)


def drawn_columns(pair: Pair, rng: Generator, *, max_rows: int, draws: int) -> list[Columns]:
    """Columns of each draw, scaled such that those of all rows run from 0 to 1.

    Parameters
    ----------
    pair : Pair
        The pair to draw rows of.
    rng : Generator
        Source of randomness; untouched if all rows are taken.
    max_rows : int
        Most rows of a draw; 0 takes all rows, once.
    draws : int
        Number of draws if there are more rows. Those in which a column is constant are left
        out, which may be all.

    Examples
    --------
    >>> pair = Pair(np.arange(30.0), np.arange(30.0) ** 2)
    >>> drawn = drawn_columns(pair, np.random.default_rng(0), max_rows=20, draws=2)
    >>> [(len(x), len(y)) for x, y in drawn]
    [(20, 20), (20, 20)]
    """
    x, y = unit_range(pair.x), unit_range(pair.y)
    return subsamples(x, y, max_rows=max_rows, draws=draws, rng=rng)


def mean_scores(
    drawn: Sequence[Columns], scores: Callable[[Vector, Vector], tuple[float, float]], measure: str
) -> DirectedScores:
    """Means of both scores over the draws, zeros if there are none.

    Parameters
    ----------
    drawn : sequence of (ndarray, ndarray)
        Columns x and y of each draw.
    scores : callable
        Returns the scores of x -> y and of y -> x from the columns of a draw.
    measure : str
        What the scores are.

    Examples
    --------
    >>> drawn = [(np.ones(10), np.zeros(10)), (np.zeros(10), np.zeros(10))]
    >>> found = mean_scores(drawn, lambda x, y: (x.sum(), y.sum()), "sum of the cause")
    >>> found.x_to_y, found.y_to_x, found.facts
    (5.0, 0.0, {'draws': 2})
    """
    found = [scores(x, y) for x, y in drawn] or [(0.0, 0.0)]
    x_to_y, y_to_x = np.mean(found, axis=0).tolist()
    return DirectedScores(
        x_to_y=x_to_y,
        y_to_x=y_to_x,
        measure=measure,
        n_rows=len(drawn[0][0]) if drawn else 0,
        facts={"draws": len(drawn)},
    )


def mean_lengths(
    drawn: Sequence[Columns], lengths: Sequence[Sequence[float]], measure: str
) -> DirectedScores:
    """Means over the draws of the lengths of either cause and of its effect given it.

    Parameters
    ----------
    drawn : sequence of (ndarray, ndarray)
        Columns x and y of each draw.
    lengths : sequence of four floats each
        Of each draw: of x, of y given x, of y, and of x given y. Draws of which one is not finite
        are left out; without any other, all means are 0.
    measure : str
        What the lengths are.

    Examples
    --------
    >>> drawn = [(np.ones(10), np.zeros(10))] * 2
    >>> found = mean_lengths(drawn, [(1.0, 2.0, 3.0, 4.0), (np.inf, 2.0, 3.0, 4.0)], "nats")
    >>> found.x_to_y, found.y_to_x, found.facts["draws"], found.facts["y_to_x_effect"]
    (3.0, 7.0, 1, 4.0)
    """
    finite = [found for found in lengths if all(map(isfinite, found))]
    means = np.mean(finite, axis=0).tolist() if finite else [0.0] * 4
    return DirectedScores(
        x_to_y=means[0] + means[1],
        y_to_x=means[2] + means[3],
        measure=measure,
        n_rows=len(drawn[0][0]) if drawn else 0,
        facts={
            "draws": len(finite),
            "x_to_y_cause": means[0],
            "x_to_y_effect": means[1],
            "y_to_x_cause": means[2],
            "y_to_x_effect": means[3],
        },
    )
