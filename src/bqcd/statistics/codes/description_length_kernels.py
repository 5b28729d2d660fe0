"""Code lengths of numbers and of straight-line fits, compiled."""

from __future__ import annotations

from math import ceil, isfinite, log, log2, pi

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

# So that the lengths of all integers from 1 are those of a prefix code (Rissanen 1983).
NORMALISER = 2.865064
# Parameters are told to at least this many units of their last digit.
LEAST_DIGITS = 1000.0
# A feature that varies less than this, relative to its size, is taken for constant.
COLLINEAR = 1e-7


@kernel
def integer_bits(value: float, through_zero: bool) -> float:
    """Universal code length of the next larger integer."""
    whole = ceil(value)
    if whole < 1.0:
        return 0.0
    total, term = log2(NORMALISER), log2(whole)
    while term > 0.0:
        total += term
        term = log2(term)
    return total + term if through_zero else total


@kernel
def real_bits(value: float, through_zero: bool) -> float:
    """Code length of a real number: digits, places they are moved, and sign; 0 is free."""
    digits, places = abs(value), 1
    if digits == 0.0:
        return 0.0
    while digits < LEAST_DIGITS:
        digits *= 10.0
        places += 1
    return integer_bits(digits, through_zero) + integer_bits(float(places), through_zero) + 1.0


@kernel
def residual_bits(squares: float, n: int, resolution: float) -> float:
    """Code length of Gaussian residuals with this sum of squares; never below zero."""
    if squares / n == 0.0:
        return 0.0
    bits = 0.5 * n * (1.0 / log(2.0) + log2(2.0 * pi * squares / n)) - n * log2(resolution)
    return max(bits, 0.0)


@kernel
def fit_line(feature: Vector, target: Vector) -> tuple[float, float, float]:
    """Intercept and slope of least squares, and the sum of squared residuals.

    NaN where the squares of the feature are beyond the largest number.
    """
    n = len(feature)
    feature_mean, target_mean, size = 0.0, 0.0, 0.0
    for i in range(n):
        feature_mean += feature[i]
        target_mean += target[i]
        size += feature[i] * feature[i]
    feature_mean /= n
    target_mean /= n
    spread, shared = 0.0, 0.0
    for i in range(n):
        away = feature[i] - feature_mean
        spread += away * away
        shared += away * (target[i] - target_mean)
    if not isfinite(size):
        return np.nan, np.nan, np.nan
    slope = shared / spread if spread > COLLINEAR**2 * size else 0.0
    squares = 0.0
    for i in range(n):
        left = target[i] - target_mean - slope * (feature[i] - feature_mean)
        squares += left * left
    return target_mean - slope * feature_mean, slope, squares


@kernel
def line_bits(
    features: Matrix, target: Vector, resolution: float, through_zero: bool
) -> tuple[Matrix, Matrix]:
    """Lines of the target on each feature: code lengths and coefficients, a row each.

    The lengths are those of residuals and parameters; both are infinite where a feature is
    too large for its squares to be numbers.
    """
    bits, lines = np.empty((len(features), 2)), np.empty((len(features), 2))
    for f in range(len(features)):
        intercept, slope, squares = fit_line(features[f], target)
        lines[f, 0], lines[f, 1] = intercept, slope
        if isfinite(squares) and isfinite(intercept) and isfinite(slope):
            bits[f, 0] = residual_bits(squares, len(target), resolution)
            bits[f, 1] = real_bits(intercept, through_zero) + real_bits(slope, through_zero)
        else:
            bits[f, 0] = bits[f, 1] = np.inf
    return bits, lines
