"""Gaussian kernels on a line: bandwidths from medians of distances, and low-rank factors.

The kernel is exp(-d² / 2b²) with bandwidth b throughout. What depends on the points alone is
computed on their distinct values in increasing order and does not know the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf, isfinite
from struct import pack, unpack

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_number

# Farther apart than this many bandwidths, points have a kernel below 5e-16: a gap in the data
# need not be wider.
WIDEST_GAP = 8.4
# Points of a long column from which the median distance is guessed.
THINNED = 256


def median_distance(points: Vector, *others: Vector, positive: bool = False) -> float:
    """Median of the distances between two points, over all pairs i < j.

    For an even number of pairs it is the mean of :func:`middle_distances`, as
    ``numpy.median`` has it.

    Parameters
    ----------
    points : ndarray of shape (n,)
        Points on a line, two or more, whose range is a finite number.
    *others : ndarray
        Further columns, whose distances are pooled with those of the first.
    positive : bool, default=False
        Whether distances of zero, between points of equal value, are left out. If there
        are no others, the median is zero.

    Examples
    --------
    >>> median_distance(np.array([0.0, 1.0, 3.0]))
    2.0
    >>> ties = np.array([0.0, 0.0, 0.0, 4.0])
    >>> median_distance(ties), median_distance(ties, positive=True)
    (2.0, 4.0)
    """
    lower, upper = middle_distances(points, *others, positive=positive)
    return 0.5 * (lower + upper)


def middle_distances(
    points: Vector, *others: Vector, positive: bool = False
) -> tuple[float, float]:
    """The one or two distances in the middle of all of them; one is told twice.

    Exact, in memory linear in the points. Parameters are those of :func:`median_distance`.

    Examples
    --------
    >>> middle_distances(np.array([0.0, 1.0, 3.0, 7.0]))
    (3.0, 4.0)
    """
    columns = [np.sort(np.asarray(column, dtype=np.float64)) for column in (points, *others)]
    return middle_distances_in_order(columns, positive=positive)


def middle_distances_in_order(
    columns: Sequence[Vector], *, positive: bool = False
) -> tuple[float, float]:
    """As :func:`middle_distances`, of columns in increasing order.

    Examples
    --------
    >>> middle_distances_in_order([np.array([0.0, 1.0, 3.0, 7.0])])
    (3.0, 4.0)
    """
    from bqcd.statistics.dependence.distance_kernels import distances_around

    values, starts, pairs = _end_to_end(columns)
    skipped = distances_around(values, starts, 0.0)[0] if positive else 0
    if pairs == skipped:
        return 0.0, 0.0
    rank = skipped + (pairs - skipped - 1) // 2
    near = _first_guesses(columns, rank / pairs)
    lower, within, following = _distance_of_rank(values, starts, rank, near)
    if (pairs - skipped) % 2 or within > rank + 1:
        return lower, lower
    return lower, following


def _end_to_end(columns: Sequence[Vector]) -> tuple[Vector, NDArray[np.int64], int]:
    """Columns one after the other, where each begins and the last ends, and pairs of points."""
    starts = np.array([0, *accumulate(map(len, columns))])
    pairs = sum(len(column) * (len(column) - 1) // 2 for column in columns)
    return np.concatenate(columns) if len(columns) > 1 else columns[0], starts, pairs


def _distance_of_rank(
    values: Vector, starts: NDArray[np.int64], rank: int, guesses: Sequence[float]
) -> tuple[float, int, float]:
    """Distance that ``rank`` others do not exceed, how many are within it, and the next one.

    Guesses are looked at first. Then the place where the count of distances passes the rank is
    sought along secants, after Illinois; every third step halves the bits between the ends
    instead. Ends are distances, so that equal ones are passed in one step.
    """
    from bqcd.statistics.dependence.distance_kernels import distances_around

    sizes = np.diff(starts).tolist()
    within, following = sum(size * (size - 1) // 2 for size in sizes), inf
    low, high = 0.0, float((values[starts[1:] - 1] - values[starts[:-1]]).max())
    # Distances short of the rank at the lower end, and in excess at the upper one; as long as
    # one end stays, its number is halved.
    short, excess = rank + 0.5, within - rank - 0.5
    step, last = 0, 0
    while low < high:
        step += 1
        reach = low + (high - low) * (short / (short + excess))
        if step <= len(guesses):
            reach = guesses[step - 1]
        elif step % 3 == 0:
            reach = _halfway(low, high)
        if not low <= reach < high:
            reach = low
        count, largest, larger = distances_around(values, starts, reach)
        if count > rank:
            high, within, following = largest, count, larger
            short, excess = short if last < 1 else 0.5 * short, count - rank - 0.5
            last = 1
        else:
            low = larger
            short, excess = rank + 0.5 - count, excess if last > -1 else 0.5 * excess
            last = -1
    return high, within, following


def _halfway(low: float, high: float) -> float:
    """The number with as many numbers between it and one end as between it and the other.

    The bits of doubles that are not negative, read as whole numbers, are in their order.
    """
    first, last = unpack("<qq", pack("<dd", low, high))
    return float(unpack("<d", pack("<q", first + (last - first) // 2))[0])


def _first_guesses(columns: Sequence[Vector], share: float) -> Sequence[float]:
    """Distances a little below and above the one of which a share is smaller, if it is worth it.

    They are those of a few hundred points of each column, evenly chosen.
    """
    step = min(map(len, columns)) // THINNED
    if step < 4:
        return ()
    thinned = [np.ascontiguousarray(column[step // 2 :: step]) for column in columns]
    values, starts, pairs = _end_to_end(thinned)
    found = _distance_of_rank(values, starts, int(share * pairs), ())[0]
    return found * (1.0 - 1.0 / THINNED), found * (1.0 + 1.0 / THINNED)


def gaussian_factor(points: Vector, bandwidth: float, *, tolerance: float = 1e-10) -> Matrix:
    """Factor G of shape (n, r) with G Gᵀ equal to the Gram matrix of the points, or nearly so.

    Incomplete Cholesky factor with pivots: the matrix left over, K - G Gᵀ, is positive
    semidefinite, and its diagonal does not exceed ``tolerance``, nor does any other entry.
    The rank r grows with the range of the points in bandwidths, by two or three for each, but
    does not exceed the number of distinct values; time is n r², memory n r.

    Parameters
    ----------
    points : ndarray of shape (n,)
        Points on a line. Points of equal value have equal rows in the factor.
    bandwidth : float
        Bandwidth b of the kernel exp(-d² / 2b²).
    tolerance : float, default=1e-10
        Largest entry of the matrix left over.

    Examples
    --------
    >>> points = np.linspace(0.0, 1.0, 500)
    >>> factor = gaussian_factor(points, 0.5)
    >>> gram = np.exp(-2.0 * (points[:, None] - points) ** 2)
    >>> factor.shape[1] < 12, bool(np.abs(gram - factor @ factor.T).max() < 2e-10)
    (True, True)
    """
    from bqcd.statistics.dependence.distance_kernels import pivoted_factor

    check_number("gaussian_factor", "bandwidth", bandwidth, above=0.0)
    check_number("gaussian_factor", "tolerance", tolerance, above=0.0)
    values, places = np.unique(points, return_inverse=True)
    rows = pivoted_factor(positions(values, bandwidth), float(tolerance))
    return np.ascontiguousarray(rows[:, places].T)


def positions(values: Vector, bandwidth: float) -> Vector:
    """Increasing values in units of the bandwidth, from zero on, with wide gaps narrowed.

    The kernel of two values is the same at their positions, but for entries below 5e-16.

    Examples
    --------
    >>> positions(np.array([3.0, 4.0, 1e300]), 0.5)
    array([ 0. ,  2. , 10.4])
    """
    if not isfinite(float(values[-1]) - float(values[0])):
        values, bandwidth = 0.5 * values, 0.5 * bandwidth
    with np.errstate(over="ignore"):
        gaps: Vector = (values[1:] - values[:-1]) / bandwidth
    if len(gaps) == 0 or gaps.max() <= WIDEST_GAP:
        scaled: Vector = (values - values[0]) / bandwidth
        return scaled
    return np.append(0.0, np.cumsum(np.minimum(gaps, WIDEST_GAP)))
