"""A pair on one grid: both columns as coarse as the coarser one, whichever comes first."""

from __future__ import annotations

from bqcd.data.pair import Pair
from bqcd.discovery.ranks import rank_pair
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.once import once_for_each
from bqcd.statistics.common_grid import on_common_grid


@once_for_each
def pair_on_one_grid(pair: Pair) -> Pair | None:
    """Numbers of the cells of a grid that both columns can tell; None if there is none.

    Parameters
    ----------
    pair : Pair
        Two columns.

    Examples
    --------
    >>> import numpy as np
    >>> graded = pair_on_one_grid(Pair(np.repeat([1.0, 2.0, 4.0], 5), np.arange(15.0)))
    >>> np.unique(graded.y)
    array([0., 1., 2.])
    """
    alike = columns_alike(pair.x, pair.y)
    try:
        return None if alike is None else Pair(*alike, pair.x_name, pair.y_name, pair.key)
    except InvalidPairError:
        return None


def columns_alike(x: Vector, y: Vector) -> tuple[Vector, Vector] | None:
    """Both columns on one grid, whichever comes first; None if there is none."""
    if rank_pair(x, y).sign >= 0:
        return on_common_grid(x, y)
    turned = on_common_grid(y, x)
    return None if turned is None else (turned[1], turned[0])
