"""What can be told of one column alone: shape, tails, ties, in numbers free of units.

Nothing here sees two columns together. Columns are sorted first, so that the order of the rows
changes no bit, and scaled to run from 0 to 1, so that units do not either.
"""

from __future__ import annotations

from math import log, pi

import numpy as np

from bqcd.runtime.arrays import Vector
from bqcd.statistics.scaling import unit_range

MARGIN_FEATURES = (
    "skewness",
    "size of skewness",
    "kurtosis",
    "L-skewness",
    "size of L-skewness",
    "L-kurtosis",
    "distance from normal",
    "distance from uniform",
    "spacing entropy",
    "histogram entropy",
    "unique values",
    "unique values on a log scale",
    "largest tie",
    "values at an end",
    "even steps",
    "tail weight",
    "far tails",
    "tail asymmetry",
    "size of tail asymmetry",
    "reach of the extremes",
    "two peaks",
    "crowding at an end",
)
"""What the numbers of :func:`margin_features` are, in order."""

_GAUSSIAN_ENTROPY = 0.5 * log(2.0 * pi) + 0.5
_BARS = 20
_EDGE = 0.05
# Keeps logarithms and ratios finite.
_TINY = 1e-3
_NEARLY_NONE = 1e-6
_LARGEST_LOG = 5.0
_LEVELS = np.array([0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])


def margin_features(column: Vector) -> Vector:
    """Numbers that describe the distribution of a column that varies.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Finite values, not all the same.

    Returns
    -------
    ndarray of shape (22,)
        Named by ``MARGIN_FEATURES``; the same for any order of the rows, any shift and any
        positive scale that lose no digits.

    Examples
    --------
    >>> described = margin_features(np.arange(5.0)).tolist()
    >>> found = dict(zip(MARGIN_FEATURES, described, strict=True))
    >>> found["unique values"], found["even steps"], round(found["skewness"], 6)
    (1.0, 1.0, 0.0)
    """
    values = np.sort(unit_range(column))
    found = (*_moments(values), *_l_moments(values), *_entropies(values), *_ties(values))
    return np.array((*found, *_quantiles(values), *_ends(values)))


def _standardised(values: Vector) -> Vector:
    centred = values - values.sum() / len(values)
    scaled: Vector = centred / np.sqrt(np.square(centred).sum() / len(values))
    return scaled


def _moments(values: Vector) -> tuple[float, float, float]:
    """Skewness and its size, on a scale on which outliers do not drown the rest; kurtosis."""
    scaled = _standardised(values)
    squares = np.square(scaled)
    skewness = float(np.arcsinh((squares * scaled).sum() / len(values)))
    kurtosis = float(np.log(np.square(squares).sum() / len(values)))
    return skewness, abs(skewness), kurtosis


def _l_moments(values: Vector) -> tuple[float, float, float]:
    """Ratios of L-moments (Hosking, 1990): skewness, its size, kurtosis; all within -1 and 1."""
    n = len(values)
    at = np.arange(n)
    first = at / (n - 1.0)
    second = first * (at - 1.0) / (n - 2.0)
    third = second * (at - 2.0) / (n - 3.0)
    b0, b1, b2, b3 = (
        float((weights * values).sum() / n) for weights in (1.0, first, second, third)
    )
    spread = 2.0 * b1 - b0
    skewness = (6.0 * b2 - 6.0 * b1 + b0) / spread
    return skewness, abs(skewness), (20.0 * b3 - 30.0 * b2 + 12.0 * b1 - b0) / spread


def _entropies(values: Vector) -> tuple[float, float, float, float]:
    """How far from normal and from uniform; entropy by spacings and by a histogram."""
    from scipy.special import ndtri

    n, scaled = len(values), _standardised(values)
    even = (np.arange(n) + 0.5) / n
    bars = np.bincount(np.minimum((_BARS * values).astype(np.int64), _BARS - 1), minlength=_BARS)
    shares = bars[bars > 0] / n
    return (
        _log_distance(scaled, _standardised(ndtri(even))),
        _log_distance(scaled, _standardised(even)),
        _spacing_entropy(scaled) - _GAUSSIAN_ENTROPY,
        float(-(shares * np.log(shares)).sum()) / log(_BARS),
    )


def _log_distance(scaled: Vector, reference: Vector) -> float:
    """Log of the share of variance that a distribution does not explain, as Shapiro and Francia."""
    correlation = float((scaled * reference).sum()) / len(scaled)
    return log(max(1.0 - correlation**2, _NEARLY_NONE))


def _spacing_entropy(scaled: Vector) -> float:
    """Entropy from the distances of values that are √n places apart, after Vasicek (1976)."""
    n = len(scaled)
    step = max(1, round(0.5 * n**0.5))
    at = np.arange(n)
    high, low = np.minimum(at + step, n - 1), np.maximum(at - step, 0)
    sparsity = (scaled[high] - scaled[low]) * n / (high - low)
    return float(np.log(sparsity + _TINY).sum()) / n


def _ties(values: Vector) -> tuple[float, float, float, float, float]:
    """How many values repeat, how often one does, at an end too; how even steps are."""
    n = len(values)
    gaps = np.diff(values)
    starts = np.flatnonzero(gaps > 0.0) + 1
    counts = np.diff(starts, prepend=0, append=n)
    steps = gaps[gaps > 0.0]
    return (
        len(counts) / n,
        log(len(counts)) / log(n),
        float(counts.max()) / n,
        float(max(counts[0], counts[-1])) / n,
        float(np.count_nonzero(steps < 1.5 * steps.min())) / len(steps),
    )


def _quantiles(values: Vector) -> tuple[float, float, float, float, float]:
    """Weight of the tails beside the middle, their asymmetry and its size, and the extremes."""
    places = _LEVELS * (len(values) - 1.0)
    below = places.astype(np.int64)
    above = np.minimum(below + 1, len(values) - 1)
    between = values[below] + (places - below) * (values[above] - values[below])
    q01, q05, q25, q50, q75, q95, q99 = map(float, between)
    asymmetry = _log_ratio(q95 - q50, q50 - q05)
    return (
        _log_ratio(q95 - q05, q75 - q25),
        _log_ratio(q99 - q01, q75 - q25),
        asymmetry,
        abs(asymmetry),
        _log_ratio(1.0, q95 - q05),
    )


def _log_ratio(first: float, second: float) -> float:
    ratio = log((first + _NEARLY_NONE) / (second + _NEARLY_NONE))
    return min(max(ratio, -_LARGEST_LOG), _LARGEST_LOG)


def _ends(values: Vector) -> tuple[float, float]:
    """Sarle's coefficient of two peaks, and the share of the values close to one of the ends."""
    scaled = _standardised(values)
    squares = np.square(scaled)
    n = len(values)
    skewness = float((squares * scaled).sum()) / n
    kurtosis = float(np.square(squares).sum()) / n
    low, high = np.searchsorted(values, [_EDGE, 1.0 - _EDGE])
    return (skewness**2 + 1.0) / kurtosis, float(max(low, n - high)) / n
