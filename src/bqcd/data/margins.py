"""Columns with equal margins: all that is left of a pair is its relation.

Ranks, and whatever follows from ranks, are the same for every increasing map of a column. So a
method that sees mapped columns cannot use how the values themselves are distributed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import numpy as np

from bqcd.data.pair import Pair
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_choice

if TYPE_CHECKING:
    from bqcd.data.vector_pair import VectorPair

Margins = Literal["as-is", "normal", "uniform"]
"""Columns as they come, as normal scores, or as ranks between 0 and 1."""

MARGINS: tuple[Margins, ...] = get_args(Margins)
"""Every kind of margins, columns as they come first."""


AnyPair = TypeVar("AnyPair", bound="Pair | VectorPair")


def with_margins(pair: AnyPair, margins: Margins) -> AnyPair:
    """Pair whose columns all have the margins asked for; names and key stay.

    Parameters
    ----------
    pair : Pair or VectorPair
        Two columns, or groups of them.
    margins : {"as-is", "normal", "uniform"}
        ``"as-is"`` gives back the pair itself, ``"uniform"`` the ranks divided by n + 1,
        ``"normal"`` the standard normal quantiles at these. Values that repeat share the mean
        of their ranks.

    Raises
    ------
    InvalidSettingError
        If ``margins`` is none of these.

    Examples
    --------
    >>> pair = Pair(np.arange(10.0) ** 3, np.repeat([1.0, 5.0], 5))
    >>> uniform = with_margins(pair, "uniform")
    >>> (11 * uniform.x[:4]).round(6), (11 * uniform.y[4:6]).round(6)
    (array([1., 2., 3., 4.]), array([3., 8.]))
    """
    check_choice("with_margins", "margins", margins, MARGINS)
    if margins == "as-is":
        return pair
    mapped = mapped_to_normal if margins == "normal" else mapped_to_uniform
    if pair.x.ndim == 1:
        return replace(pair, x=mapped(pair.x), y=mapped(pair.y))
    x, y = (np.stack([mapped(column) for column in side.T], axis=1) for side in (pair.x, pair.y))
    return replace(pair, x=x, y=y)


def mapped_to_uniform(column: Vector) -> Vector:
    """Average ranks of a column divided by n + 1.

    Examples
    --------
    >>> mapped_to_uniform(np.array([7.0, 2.0, 7.0]))
    array([0.625, 0.25 , 0.625])
    """
    _, places, counts = np.unique(column, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * (counts - 1.0)
    mapped: Vector = (ranks / (len(column) + 1.0))[places]
    return mapped


def mapped_to_normal(column: Vector) -> Vector:
    """Standard normal quantiles at the average ranks of a column divided by n + 1.

    Examples
    --------
    >>> mapped_to_normal(np.array([9.0, 1.0, 5.0])).round(4)
    array([ 0.6745, -0.6745,  0.    ])
    """
    from scipy.special import ndtri

    scores: Vector = ndtri(mapped_to_uniform(column))
    return scores
