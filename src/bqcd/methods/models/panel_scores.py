"""Quick numbers about one direction of a pair, for the panel: how a target follows a given.

Each is computed for both directions by the same function, so that the difference of the two
changes its sign, and nothing else, when the columns are exchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.statistics.codes.entropy import moment_entropy
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range, unit_variance

SCORES = (
    *("unexplained", "spread-varies", "skew-varies", "tails-vary", "log-spread"),
    *("noise-skew", "noise-tails", "turns", "bends", "neighbours"),
    *("tanh", "skew", "third", "square", "noise-entropy", "scaled-entropy"),
    *("kinks-up", "even"),
)
"""Names of the numbers of :func:`directed_scores`."""

_ROWS_PER_BIN, _FEWEST_BINS, _MOST_BINS = 25, 3, 14
# Least spread in a bin, in deviations of the target: rounding leaves bins without any.
_LEAST_SPREAD = 0.02
_GOLDEN = 0.6180339887498949

Places = NDArray[np.intp]
Sounds = dict[str, tuple[float, float]]
"""What the panel hears: voice and level by name."""


def directed_scores(given: Vector, target: Vector) -> Vector:
    """Numbers about how the target follows the given, named by ``SCORES``.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns of mean 0 and variance 1.

    Returns
    -------
    ndarray of shape (len(SCORES),)
        Finite numbers, the same to the bit for any order of the rows.

    Examples
    --------
    >>> x = np.linspace(-1.7, 1.7, 200)
    >>> y = x**2
    >>> y = (y - y.mean()) / y.std()
    >>> scores = dict(zip(SCORES, directed_scores(x, y).tolist()))
    >>> scores["unexplained"] < 0.1
    True
    """
    order = row_order(given, target)
    given, target = given[order], target[order]
    bins = _bins(given)
    found = (*_bin_scores(given, target, bins), *_moment_scores(given, target))
    scores = dict(found)
    scores["neighbours"] = _neighbours(given, target)
    vector = np.array([scores[name] for name in SCORES])
    return np.where(np.isfinite(vector), vector, 0.0)


def _bins(given: Vector) -> Places:
    """First row of every bin of about equal size; rows with one value share a bin."""
    n = len(given)
    count = min(max(n // _ROWS_PER_BIN, _FEWEST_BINS), _MOST_BINS)
    wanted = np.linspace(0, n, count + 1)[:-1].astype(np.intp)
    # A bin begins where its first value does.
    starts = np.searchsorted(given, given[wanted], side="left")
    return np.unique(starts)


def _bin_scores(given: Vector, target: Vector, starts: Places) -> list[tuple[str, float]]:
    """What differs between the bins of the given, and what is left within them."""
    sizes = np.diff(starts, append=len(given)).astype(np.float64)
    weights = sizes / len(given)
    mean, middle = _by_bin(target, starts, sizes), _by_bin(given, starts, sizes)
    # Lines through the middles of the bins, so that a slope within a bin is no noise.
    errors = target - np.interp(given, middle, mean)
    spread = np.sqrt(_by_bin(errors * errors, starts, sizes)) + _LEAST_SPREAD
    scaled = (errors - np.repeat(_by_bin(errors, starts, sizes), sizes.astype(np.intp))) / (
        np.repeat(spread, sizes.astype(np.intp))
    )
    skews, tails = _by_bin(scaled**3, starts, sizes), _by_bin(scaled**4, starts, sizes)
    steps = np.diff(mean)
    total = float(np.abs(steps).sum()) + 1e-3
    left = float(np.square(errors).mean())
    return [
        ("unexplained", left),
        ("spread-varies", _deviation(np.log(spread), weights)),
        ("skew-varies", _deviation(skews, weights)),
        ("tails-vary", _deviation(np.sqrt(tails), weights)),
        ("log-spread", float(weights @ np.log(spread))),
        ("noise-skew", abs(float(weights @ skews))),
        ("noise-tails", float(np.sqrt(weights @ tails))),
        ("turns", 1.0 - abs(float(steps.sum())) / total),
        ("bends", float(np.abs(np.diff(steps)).sum()) / total),
        ("kinks-up", abs(float(np.diff(steps).sum())) / total),
        ("noise-entropy", _entropy(errors) + 0.5 * float(np.log(left + _LEAST_SPREAD**2))),
        ("scaled-entropy", _entropy(scaled) + float(weights @ np.log(spread))),
    ]


def _moment_scores(given: Vector, target: Vector) -> list[tuple[str, float]]:
    """Cross moments, which know the direction of lines with noise that is not Gaussian."""
    line = float((given * target).mean())
    side = np.sign(float((given**3).mean())) * np.sign(float((target**3).mean()))
    return [
        ("tanh", line * float((given * np.tanh(target)).mean())),
        ("skew", line * side * np.sign(float((target**3).mean())) * _mean(given**2 * target)),
        ("third", line * _mean(given.clip(-4.0, 4.0) ** 3 * target)),
        ("square", abs(_mean(given**2 * target))),
        ("even", abs(_mean(np.abs(given) * target))),
    ]


def _neighbours(given: Vector, target: Vector) -> float:
    """Mean step of the target's rank between neighbours in the given, 1 without a link.

    Rows with one value of the given follow each other in an order that knows nothing of the
    target's size.
    """
    n = len(given)
    ranks = np.searchsorted(np.sort(target), target, side="left").astype(np.float64)
    ranks += np.searchsorted(np.sort(target), target, side="right")
    mixed = np.mod(_GOLDEN * np.arange(n), 1.0)
    order = np.lexsort((mixed, given))
    return 1.5 * float(np.abs(np.diff(ranks[order])).sum()) / (n * n)


def _by_bin(column: Vector, starts: Places, sizes: Vector) -> Vector:
    means: Vector = np.add.reduceat(column, starts) / sizes
    return means


def _deviation(values: Vector, weights: Vector) -> float:
    centre = float(weights @ values)
    return float(np.sqrt(weights @ np.square(values - centre)))


def _mean(column: Vector) -> float:
    return float(column.mean())


def _entropy(column: Vector) -> float:
    """Entropy of a column's shape, whatever its spread."""
    deviation = float(column.std())
    if deviation < 1e-6:
        return 0.0
    return moment_entropy((column - column.mean()) / deviation)


MARGINS = ("skewness", "tails", "entropy", "range-entropy", "unique", "heaped", "even-gaps")
"""Names of the numbers of :func:`margin_scores`."""


def margin_scores(column: Vector) -> Vector:
    """Numbers about one column by itself, named by ``MARGINS``.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Values in any order; they vary.

    Examples
    --------
    >>> scores = dict(zip(MARGINS, margin_scores(np.arange(100.0))))
    >>> round(float(scores["skewness"]), 6), float(scores["unique"])
    (0.0, 1.0)
    """
    values = np.sort(unit_variance(column))
    n = len(values)
    distinct, counts = np.unique(values, return_counts=True)
    histogram = np.bincount(np.minimum((unit_range(values) * 12.0).astype(np.intp), 11))
    shares = histogram[histogram > 0] / n
    gaps = np.diff(distinct)
    scores = np.array(
        [
            abs(float((values**3).mean())) ** 0.5,
            np.log(float((values**4).mean())),
            _entropy(values),
            -float((shares * np.log(shares)).sum()),
            len(distinct) / n,
            float(counts.max()) / n,
            float(np.median(gaps) / gaps.max()),
        ]
    )
    return np.where(np.isfinite(scores), scores, 0.0)
