"""The answers of a scan as grades of a colour: what a matrix of them draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.methods.answers import ANSWERS
from bqcd.scans.pair_tables import is_word, places_of
from bqcd.scans.results import Scan

MOST_COLUMNS = 200
"""Columns of the largest matrix: those with the most directions, if there are more."""

STRONG = 0.9
"""Probability from which on a clear direction is drawn in the strongest shade."""

NOT_JUDGED, CANNOT_TELL = -1, 0
Levels = NDArray[np.int8]


def answer_levels(found: Scan) -> tuple[tuple[str, ...], Levels]:
    """Names of the judged columns, and what is known of each pair of them.

    Entry [i, j] is 1, 2 or 3 where column i is the cause: leaning, clear, or strong; -2, -3 or -4
    where it is the effect; 0 where that cannot be told, -1 where the pair was not judged.

    Parameters
    ----------
    found : Scan
        What was found.

    Examples
    --------
    >>> import bqcd
    >>> x = np.random.default_rng(1).normal(size=300)
    >>> answer_levels(bqcd.scan({"x": x, "y": x**2 + 0.1 * x[::-1]}))[1].tolist()
    [[-1, 1], [-2, -1]]
    """
    names = found.names
    levels = np.full((len(names), len(names)), NOT_JUDGED, dtype=np.int8)
    table, direction = found.table, found.table["direction"]
    judged = ~np.isnan(found.numbers("confidence"))
    x, y = (places_of(table[side], names)[judged] for side in ("x", "y"))
    signs = is_word(direction, "->").astype(int) - is_word(direction, "<-").astype(int)
    sizes = level_sizes(is_word(table["answer"], ANSWERS[0]), found.numbers("probability"))
    enter_levels(levels, x, y, (signs * sizes)[judged])
    return names, levels


def level_sizes(clear: NDArray[np.bool_], probability: NDArray[np.float64]) -> NDArray[np.int_]:
    """Grade of each direction: 1 if it leans, 2 if it is clear, 3 if it is strong.

    Parameters
    ----------
    clear : ndarray of bool, shape (k,)
        Whether the answer is clear.
    probability : ndarray of shape (k,)
        Of the direction; NaN where none is known.
    """
    sizes: NDArray[np.int_] = 1 + clear + (clear & (probability >= STRONG)).astype(int)
    return sizes


def enter_levels(
    levels: Levels, x: NDArray[np.intp], y: NDArray[np.intp], signed: NDArray[np.int_]
) -> None:
    """Write grades into both halves of a matrix.

    Parameters
    ----------
    levels : ndarray of shape (n, n)
        Written to.
    x, y : ndarray of shape (k,)
        Places of the columns of each pair.
    signed : ndarray of shape (k,)
        Grade, negative where y is the cause.
    """
    levels[x, y] = np.where(signed < 0, signed - 1, signed)
    levels[y, x] = np.where(signed > 0, -signed - 1, -signed)


def columns_with_most_directions(levels: Levels, most: int = MOST_COLUMNS) -> NDArray[np.intp]:
    """Places of the columns that a matrix shows, in their order.

    Parameters
    ----------
    levels : ndarray of shape (n, n)
        As :func:`answer_levels` gives them.
    most : int, default=200
        How many, at most.
    """
    told = np.count_nonzero((levels > CANNOT_TELL) | (levels < NOT_JUDGED), axis=0)
    kept: NDArray[np.intp] = np.sort(np.argsort(-told, kind="stable")[:most])
    return kept
