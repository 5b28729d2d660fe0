r"""Points of the plane that lie closer together than independent ones would.

Let C(r) be the mean number of points within a distance r of a point, and C'(r) that within r of
its mirror image, with the coordinates exchanged. If the points are independent and look the same
from both sides, both are the same on average, whatever the density: D(r) = C(r) - C'(r) has mean 0.
If every point has E companions right beside it, D(r) is E. If the density looks different from
both sides, D(r) is not 0 either, but shrinks with r: like r^2 where the density is smooth, like r
along a curve without width. What is left of D(r) if it shrinks like r^d on the way from 2r to 0,

.. math:: E = D(r) - \frac{D(2r) - D(r)}{2^d - 1},

is then at most 0 for any d up to 1. Taken is d = 0.7, as curves that turn shrink more slowly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Numbers, Vector

Points = NDArray[np.float64]

# Points whose neighbours are counted, in so many parts for the jackknife.
_ASKED, _PARTS = 1000, 10
_FEWEST = 50
# Radii in the unit square in half octaves, the largest one included. Wider ones would see more
# units that overlap, and take ordinary pairs with a direction for such: at 0.24 the bound finds
# 14 of 100 directions of the benchmark MN-U, at 0.12 58, without looking for clumps 61.
_LARGEST_RADIUS, _OCTAVES = 0.12, 8
_SHRINKING = 0.7
# Companions beyond chance: so many standard errors above this number.
_ERRORS, _BESIDE_NOTHING = 3.0, 0.3


def companions(points: Points) -> float:
    """Mean number of points right beside each point, if it is beyond chance, else 0.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Pairs of ranks in the unit square, in an order that has nothing to do with who belongs
        together: of many points, some are asked for their neighbours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> companions(rng.random((500, 2)))
    0.0
    >>> repeated = np.repeat(rng.random((100, 2)), 5, axis=0) + 1e-4 * rng.random((500, 2))
    >>> 3 < companions(rng.permutation(repeated)) < 6
    True
    """
    if len(points) < _FEWEST:
        return 0.0
    radii = _LARGEST_RADIUS * 2.0 ** np.arange(-_OCTAVES, 0.25, 0.5)
    excess = _excess(points, radii)
    found = _extrapolated(excess.mean(axis=0))
    rest = (excess.sum(axis=0) - excess) / (_PARTS - 1)
    error = np.sqrt((_PARTS - 1) * np.var([_extrapolated(each) for each in rest], axis=0))
    low = found - _ERRORS * error
    best = int(np.argmax(low))
    return float(found[best]) if low[best] > _BESIDE_NOTHING else 0.0


def clump_numbers(points: Points, most: int) -> Numbers:
    """Number of the clump of each point: neighbours, at most so many, parted at wide gaps.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Points of the plane.
    most : int
        Largest clump.

    Examples
    --------
    >>> points = np.array([[0.1, 0.1], [0.9, 0.9], [0.11, 0.1], [0.9, 0.91]])
    >>> clump_numbers(points, 2).tolist()
    [0, 1, 0, 1]
    """
    numbers = np.empty(len(points), dtype=np.int64)
    waiting, made = [np.arange(len(points))], 0
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            numbers[rows] = made
            made += 1
        else:
            waiting.extend(reversed(_parted(points, rows)))
    return numbers


def _excess(points: Points, radii: Vector) -> Matrix:
    """Others near a point less those near its mirror image, by part of the points and radius."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    asked = points[:: max(1, len(points) // _ASKED)]
    found = np.empty((_PARTS, len(radii)))
    for part in range(_PARTS):
        some = asked[part::_PARTS]
        near = tree.count_neighbors(cKDTree(some), radii) - len(some)
        mirrored = tree.count_neighbors(cKDTree(some[:, ::-1]), radii)
        # A point near the diagonal is near its own image, and no other for that.
        from_own_image = np.sqrt(2.0) * np.abs(some[:, 0] - some[:, 1])
        own = np.count_nonzero(from_own_image[:, None] <= radii, axis=0)
        found[part] = (near - (mirrored - own)) / len(some)
    return found


def _extrapolated(excess: Vector) -> Vector:
    near, far = excess[:-2], excess[2:]
    left: Vector = near - (far - near) / (2.0**_SHRINKING - 1.0)
    return left


def _parted(points: Points, rows: Numbers) -> list[Numbers]:
    """Two parts of some rows, along the wider side, at the widest gap of the middle rows."""
    wider = int(np.argmax(np.ptp(points[rows], axis=0)))
    rows = rows[np.argsort(points[rows, wider], kind="stable")]
    first, last = 3 * len(rows) // 10, 7 * len(rows) // 10 + 1
    gaps = np.diff(points[rows[first : last + 1], wider])
    at = first + 1 + int(np.argmax(gaps)) if len(gaps) else len(rows) // 2
    return [rows[:at], rows[at:]]
