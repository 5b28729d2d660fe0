"""Bumps along a variable at which gains over fixed curves are measured.

They follow from the number of rows and of knots alone, so that all pairs of a table share them.
What is done with them is compiled: :mod:`bqcd.discovery.tie_gain_kernels`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bqcd.discovery.ranks import normal_scores
from bqcd.runtime.arrays import Vector

# Half the width of a bump, in steps of the knots; and how many shares it is high.
HALF_WIDTH = 1.75
SHARES = 256


class Bumps(NamedTuple):
    """Triangles of whole numbers about equally distant knots.

    ``reach`` has the first place of a bump, the place after its last, where its ``shares`` begin
    and their sum; where the last of them end stands behind. ``places`` are the ranks at the knots.
    ``counts`` turn the square of a sum into the square of a mean times the rows of a knot.
    """

    reach: NDArray[np.int32]
    shares: NDArray[np.int32]
    places: NDArray[np.int32]
    counts: Vector


@lru_cache(maxsize=32)
def bumps_along(n: int, steps: int) -> Bumps:
    """Bumps over n normal scores, about knots that are so many steps apart from end to end.

    Examples
    --------
    >>> bumps = bumps_along(100, 8)
    >>> bumps.places
    array([ 0,  4, 12, 28, 50, 72, 88, 96, 99], dtype=int32)
    >>> int(bumps.shares.max()) <= SHARES
    True
    """
    scores = normal_scores(n)
    knots = scores[-1] * (np.arange(steps + 1) * (2.0 / steps) - 1.0)
    wide = HALF_WIDTH * (knots[1] - knots[0])
    first = np.minimum(np.searchsorted(scores, knots - wide, side="right"), n - 1)
    stop = np.maximum(np.searchsorted(scores, knots + wide), first)
    each = [
        np.rint((1.0 - np.abs(scores[a:b] - knot) / wide) * SHARES)
        for a, b, knot in zip(first, stop, knots, strict=True)
    ]
    reach = np.zeros((4, steps + 2), dtype=np.int32)
    reach[0, :-1], reach[1, :-1] = first, stop
    reach[2, 1:] = np.cumsum(stop - first)
    reach[3, :-1] = [bump.sum() for bump in each]
    places = np.minimum(np.searchsorted(scores, knots), n - 1).astype(np.int32)
    counts = 1.0 / (HALF_WIDTH * SHARES * np.maximum(reach[3, :-1], 1) * n)
    return Bumps(reach, np.concatenate(each).astype(np.int32), places, counts)
