"""Cubic smoothing splines of one variable on another.

They have a knot at (nearly) every point and meet a wanted number of degrees of freedom, as R's
``smooth.spline(x, y, df)`` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, log, nan

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.pooling import SplineFit, pooled_rows

# Distinct points below which there is no such spline.
FEWEST_POINTS = 4
# The mean square of the numbers from 0 to 1, as R's `smooth.spline` has it.
THIRD = 0.333


@dataclass(frozen=True, eq=False)
class SmoothingSpline:
    """Cubic smoothing splines of one target on one variable, for any penalty.

    Minimises Σ (y - f(x))² + λ ∫ f''², with x scaled to [0, 1]. All that depends on the rows
    is summed up once, in bands of matrices over at most a few hundred B-splines.

    Parameters
    ----------
    gram, curvature : ndarray of shape (4, p)
        Bands of the products of B-splines at the data, and of their curvatures.
    moments : ndarray of shape (p,)
        Products of the B-splines with the centred target.
    total, scatter : float
        Sum of squares of the target about its mean, and the part of it that no function of
        the distinct points can explain.
    n_points : int
        Distinct points.
    """

    gram: Matrix
    curvature: Matrix
    moments: Vector
    total: float
    scatter: float
    n_points: int

    @property
    def penalty_range(self) -> tuple[float, float]:
        """Logarithms of the smallest and the largest penalty that are tried.

        Those of R: r 256^(3s - 1) with s from -1.5 to 1.5, where r is the ratio of the traces
        of the two matrices, without the first two and the last three B-splines.
        """
        inner = slice(2, self.gram.shape[1] - 3)
        scale = log(float(self.gram[0, inner].sum()) / float(self.curvature[0, inner].sum()))
        return scale - 5.5 * log(256.0), scale + 3.5 * log(256.0)

    def at_penalty(self, log_penalty: float) -> SplineFit:
        """Fit at a penalty, given by its logarithm."""
        from bqcd.statistics.splines.b_spline_kernels import smoothed

        degrees, explained = smoothed(self.gram, self.curvature, self.moments, log_penalty)
        return SplineFit(max(self.total - explained, self.scatter), degrees, log_penalty)

    def at_degrees(self, degrees: float) -> SplineFit:
        """Fit with so many degrees of freedom, or as many as the range of penalties allows."""
        if degrees >= self.roughest.degrees:
            return self.roughest
        if degrees <= self.smoothest.degrees:
            return self.smoothest
        ends = self.roughest.log_penalty, self.smoothest.log_penalty
        return self.at_penalty(self._matched_penalty(float(degrees), *ends))

    def _matched_penalty(self, degrees: float, low: float, high: float) -> float:
        """Logarithm of the penalty between two others at which the fit has so many degrees.

        They fall with the penalty, and the fit at one end has more, at the other one fewer.
        Secants of log-degrees, which fall by about a fourth of the penalty's, in a bracket.
        """
        from bqcd.statistics.splines.b_spline_kernels import smoothed

        matrices = self.gram, self.curvature, self.moments

        def excess(log_penalty: float) -> float:
            ratio = smoothed(*matrices, log_penalty)[0] / degrees
            return log(ratio) if ratio > 0.0 else nan

        before, value_before = high, excess(high)
        guess = high + 4.0 * value_before
        for _ in range(100):
            if not low < guess < high:
                guess = 0.5 * (low + high)
            value = excess(guess)
            if value < 0.0:
                high = guess
            else:
                low = guess
            if abs(value) < 1e-10 or high - low < 1e-10 or value == value_before:
                break
            step = value * (guess - before) / (value - value_before)
            before, value_before = guess, value
            guess -= step
        return guess

    @cached_property
    def roughest(self) -> SplineFit:
        """Fit at the smallest penalty with which the equations can be solved."""
        log_penalty, high = self.penalty_range
        while log_penalty < high:
            fit = self.at_penalty(log_penalty)
            if self.smoothest.degrees <= fit.degrees < self.n_points + 0.5:
                return fit
            log_penalty += log(10.0)
        return self.smoothest

    @cached_property
    def smoothest(self) -> SplineFit:
        """Fit at the largest penalty."""
        return self.at_penalty(self.penalty_range[1])


def smoothing_spline(given: Vector, target: Vector) -> SmoothingSpline | None:
    """Smoothing splines of ``target`` on ``given``, or None where there are none.

    That is the case where fewer than four points are distinct, or some are so much closer
    than others that the equations cannot be solved even at the largest penalty.

    Knots are those of R's ``smooth.spline``: each distinct point below 50 of them, evenly
    chosen ones of more. Points in one cell of a grid are not distinct; its width is a millionth
    of the distance between the quartiles, but no less than 1e-10 of the range.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Numbers of moderate size; ``given`` is not constant.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 100)
    >>> splines = smoothing_spline(x, x**2)
    >>> round(splines.at_degrees(5.0).degrees, 6)
    5.0
    >>> splines.at_degrees(20.0).residual_sum < splines.at_degrees(5.0).residual_sum
    True
    """
    from bqcd.statistics.splines import b_spline_kernels as kernels

    low, lower, upper, high = np.quantile(given, (0.0, 0.25, 0.75, 1.0))
    pooled = pooled_rows(given, target, max(1e-6 * (upper - lower), 1e-10 * (high - low)))
    if len(pooled.points) < FEWEST_POINTS:
        return None
    points = pooled.points - pooled.points[0]
    points /= points[-1]
    places = np.linspace(0, len(points) - 1, knot_count(len(points)))
    knots = np.concatenate((np.zeros(3), points[places.astype(np.int64)], np.ones(3)))
    gram, moments = kernels.data_bands(knots, points, pooled.means, pooled.counts)
    between = float((pooled.counts * np.square(pooled.means)).sum())
    splines = SmoothingSpline(
        gram=gram,
        curvature=curvature_bands(knots),
        moments=moments,
        total=between + pooled.scatter,
        scatter=pooled.scatter,
        n_points=len(points),
    )
    return splines if isfinite(splines.smoothest.degrees) else None


def curvature_bands(knots: Vector) -> Matrix:
    """Bands of the integrals of products of second derivatives of the cubic B-splines.

    On an interval, all four splines that live there have derivatives which are straight lines.

    Examples
    --------
    >>> bands = curvature_bands(np.repeat([0.0, 1.0], 4))
    >>> (bands[0] / 12.0).round(1)  # of (1 - x)³, 3x (1 - x)², 3x² (1 - x) and x³
    array([1., 3., 3., 1.])
    """
    start, end = _second_derivatives(knots)
    rise, width = end - start, knots[4:-3] - knots[3:-4]
    bands = np.zeros((4, len(knots) - 4))
    for d in range(4):
        a, b = slice(4 - d), slice(d, 4)
        mixed = start[a] * start[b] + 0.5 * (start[a] * rise[b] + rise[a] * start[b])
        shares = width * (mixed + THIRD * rise[a] * rise[b])
        for first in range(3 - d, -1, -1):
            bands[d, first : first + len(width)] += shares[first]
    return bands


def _second_derivatives(knots: Vector) -> tuple[Matrix, Matrix]:
    """Those of the four cubic B-splines at the left and at the right end of each interval, as rows.

    One of the two linear B-splines is 1 there and the other one 0; a derivative of degree p is
    p times the difference of the splines one degree below, each over the width of its support.
    """
    two_before, before, here = knots[1:-6], knots[2:-5], knots[3:-4]
    after, two_after, three_after = knots[4:-3], knots[5:-2], knots[6:-1]
    start, end = np.zeros((4, len(here))), np.zeros((4, len(here)))
    left = 2.0 * (1.0 / (after - before))
    right = 2.0 * (1.0 / (two_after - here))
    first, middle = -left / (after - two_before), left / (two_after - before)
    start[0], start[1], start[2] = -3.0 * first, 3.0 * (first - middle), 3.0 * middle
    middle, last = -right / (two_after - before), right / (three_after - here)
    end[1], end[2], end[3] = -3.0 * middle, 3.0 * (middle - last), 3.0 * last
    return start, end


def knot_count(n_points: int) -> int:
    """Knots that R gives a smoothing spline with so many distinct points.

    All up to 49; from there 50, 100, 140 and 200 at 50, 200, 800 and 3200 points, straight
    in the logarithm between them, and 200 + (points - 3200)^0.2 beyond.

    Examples
    --------
    >>> [knot_count(n) for n in (20, 49, 125, 1000, 16000)]
    [20, 49, 70, 144, 206]
    """
    if n_points < 50:
        return n_points
    if n_points >= 3200:
        return int(200 + (n_points - 3200) ** 0.2)
    return int(2.0 ** np.interp(n_points, (50, 200, 800, 3200), np.log2((50, 100, 140, 200))))
