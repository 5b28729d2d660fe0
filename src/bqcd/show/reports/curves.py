"""Curves with as few points as tell their shape."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

MOST_POINTS = 60
"""Most points of a curve."""

_ROUNDING = 1e-12


def thinned(points: Points, most: int = MOST_POINTS) -> Points:
    """Points of a curve that tell its shape, first and last among them.

    Again and again the point is added that is farthest from the curve so far, as in the
    algorithm of Ramer, Douglas and Peucker.

    Parameters
    ----------
    points : ndarray of shape (m, d)
        A curve, from its first to its last point.
    most : int, default=60
        How many points are kept, at most; at least two.

    Examples
    --------
    >>> curve = np.array([[0.0, 0.0], [0.25, 0.0], [0.5, 1.0], [0.75, 0.5], [1.0, 0.0]])
    >>> thinned(curve, 3).tolist()
    [[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]]
    """
    if len(points) <= most:
        return points
    kept = [0, len(points) - 1]
    open_pieces = [_farthest(points, *kept)]
    while len(kept) < most and open_pieces and open_pieces[0][0] < -_ROUNDING:
        _, start, middle, end = heappop(open_pieces)
        kept.append(middle)
        for piece in ((start, middle), (middle, end)):
            if piece[1] - piece[0] > 1:
                heappush(open_pieces, _farthest(points, *piece))
    return points[sorted(kept)]


def _farthest(points: Points, start: int, end: int) -> tuple[float, int, int, int]:
    """Negative distance of the point farthest from the line between two; its place between."""
    chord = points[end] - points[start]
    away = points[start + 1 : end] - points[start]
    length = float(chord @ chord)
    if length:
        along = np.clip(away @ chord / length, 0.0, 1.0)
        away = away - along[:, None] * chord
    far = np.sqrt((away**2).sum(axis=1))
    at = int(np.argmax(far))
    return -float(far[at]), start, start + 1 + at, end
