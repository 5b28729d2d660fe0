"""Code lengths in bits: of integers, real numbers, residuals, choices and straight lines.

The shorter of two descriptions of the same data is the better model of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector


def integer_bits(value: float, *, through_zero: bool = False) -> float:
    """Length of the universal code of a positive integer: log2 c + log2 z + log2 log2 z + ...

    Parameters
    ----------
    value : float
        Rounded up; below 1 it costs nothing.
    through_zero : bool, default=False
        Whether the first term that is not positive is added as well. Rissanen's code stops
        before it; the published code of Slope does not.

    Examples
    --------
    >>> round(integer_bits(1), 4), round(integer_bits(16), 4)
    (1.5186, 8.5186)
    """
    from bqcd.statistics.codes import description_length_kernels as kernels

    return kernels.integer_bits(float(value), through_zero)


def real_bits(value: float, *, through_zero: bool = False) -> float:
    """Length of the code of a real number told to three digits or more; 0 costs nothing.

    The number is multiplied by 10 until it has four digits before the point. Its digits, the
    number of places and the sign are told.

    Parameters
    ----------
    value : float
        Finite number.
    through_zero : bool, default=False
        As in :func:`integer_bits`.

    Examples
    --------
    >>> real_bits(0.5) == integer_bits(5000) + integer_bits(5) + 1
    True
    """
    from bqcd.statistics.codes import description_length_kernels as kernels

    return kernels.real_bits(float(value), through_zero)


def residual_bits(squares: float, n: int, resolution: float) -> float:
    """Length of the code of n residuals under the normal distribution that suits them best.

    Parameters
    ----------
    squares : float
        Their sum of squares. Zero costs nothing.
    n : int
        Number of residuals.
    resolution : float
        Width of the cells in which they are told.

    Examples
    --------
    >>> round(residual_bits(100.0, 100, 0.01), 3)  # 100 (log2(2πe) / 2 + log2(100))
    869.095
    """
    from bqcd.statistics.codes import description_length_kernels as kernels

    return kernels.residual_bits(float(squares), n, resolution)


def choice_bits(n: int, k: int) -> float:
    """Length of the code of a choice of k things out of n: log2 of the number of choices.

    Examples
    --------
    >>> round(choice_bits(10, 3), 9)  # log2(120)
    6.906890596
    """
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2.0)


def smallest_step(column: Vector, *, most: float) -> float:
    """Smallest non-zero distance between two values of a column, or ``most`` if that is less.

    Examples
    --------
    >>> smallest_step(np.array([3.0, 1.0, 1.0, 1.5]), most=10.0)
    0.5
    """
    steps = np.diff(np.sort(column))
    return float(min(most, steps[steps > 0.0].min(initial=most)))


@dataclass(frozen=True, slots=True)
class LineCodes:
    """Straight lines of one target on several features, each fitted by least squares.

    Parameters
    ----------
    residuals, parameters : ndarray of shape (p,)
        Bits of what each line leaves, and of its intercept and slope; infinite for features
        too large to square.
    intercepts, slopes : ndarray of shape (p,)
        The lines.
    """

    residuals: Vector
    parameters: Vector
    intercepts: Vector
    slopes: Vector


def line_codes(
    features: Matrix, target: Vector, *, resolution: float, through_zero: bool = False
) -> LineCodes:
    """Code lengths of a target described by a straight line in each of several features.

    Parameters
    ----------
    features : ndarray of shape (p, n)
        One feature a row. Those that hardly vary get a slope of zero.
    target : ndarray of shape (n,)
        What is described.
    resolution : float
        Width of the cells in which residuals are told.
    through_zero : bool, default=False
        As in :func:`integer_bits`.

    Examples
    --------
    >>> x = np.arange(10.0)
    >>> codes = line_codes(np.stack((x, x**2)), 3.0 + 2.0 * x, resolution=0.01)
    >>> codes.intercepts[0], codes.slopes[0], codes.residuals[0]
    (np.float64(3.0), np.float64(2.0), np.float64(0.0))
    """
    from bqcd.statistics.codes import description_length_kernels as kernels

    bits, lines = kernels.line_bits(features, target, resolution, through_zero)
    return LineCodes(bits[:, 0], bits[:, 1], lines[:, 0], lines[:, 1])
