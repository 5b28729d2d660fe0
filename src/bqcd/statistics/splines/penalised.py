"""Penalised splines of one variable on another: how much they leave, with how many degrees.

Thin-plate regression splines keep the leading eigenvectors of the kernel |x - x'|³ and find
their penalty by generalised cross-validation, as ``gam(y ~ s(x, k))`` of the R package mgcv
does. Cubic smoothing splines have a knot at (nearly) every point and meet a wanted number of
degrees of freedom, as R's ``smooth.spline(x, y, df)`` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite, log, nan, sqrt

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.ordering import row_order

# Knots of thin plates, at most: evenly chosen from the distinct points where there are more.
MOST_KNOTS = 2000
# Distinct points below which there is no cubic smoothing spline.
FEWEST_POINTS = 4
# The mean square of the numbers from 0 to 1, as R's `smooth.spline` has it.
THIRD = 0.333
# What is left of a vector, relative to it, when those before it make it up.
DEPENDENT = 1e-10


@dataclass(frozen=True, slots=True)
class SplineFit:
    """What a penalised spline left and what it took.

    Parameters
    ----------
    residual_sum : float
        Sum of squared residuals.
    degrees : float
        Effective degrees of freedom: trace of the smoother matrix.
    log_penalty : float
        Logarithm of the penalty, in units of the basis.
    """

    residual_sum: float
    degrees: float
    log_penalty: float


@dataclass(frozen=True, slots=True)
class _Pooled:
    """Distinct points in increasing order with means, counts, and scatter about the means."""

    points: Vector
    means: Vector
    counts: Vector
    scatter: float


def _pooled(points: Vector, target: Vector, tolerance: float = 0.0) -> _Pooled:
    """Rows with the same point, or the same to within a tolerance, taken together.

    Rows are ordered first, so that sums do not know their order.
    """
    order = row_order(points, target)
    points, target = points[order], target[order]
    target = target - target.mean()
    cells = points if tolerance == 0.0 else np.round((points - points.mean()) / tolerance)
    starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    if len(starts) == len(points):
        return _Pooled(points, target, np.ones(len(points)), 0.0)
    counts = np.diff(np.append(starts, len(points)))
    means = np.add.reduceat(target, starts) / counts
    scatter = float(np.square(target - np.repeat(means, counts)).sum())
    return _Pooled(points[starts], means, counts.astype(np.float64), scatter)


def thin_plate_fit(given: Vector, target: Vector, *, n_basis: int = 10) -> SplineFit:
    """Thin-plate regression spline of ``target`` on ``given``, its penalty found by GCV.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Numbers of moderate size; ``given`` is not constant.
    n_basis : int, default=10
        Dimension of the basis, a constant and a straight line included. Fewer where the
        distinct values of ``given`` are.

    Returns
    -------
    SplineFit
        The least GCV = n RSS / (n - degrees)² over all penalties.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 200)
    >>> fit = thin_plate_fit(x, np.sin(6.0 * x))
    >>> fit.residual_sum < 1e-3, round(fit.degrees, 1)
    (True, 10.0)
    """
    from bqcd.runtime.sum_kernels import inner_product
    from bqcd.statistics.splines import thin_plate_kernels as kernels

    pooled = _pooled(given, target)
    roots = np.sqrt(pooled.counts)
    rows, bending = thin_plate_rows(pooled.points, n_basis)
    rows *= roots
    lower = orthonormalise(rows)
    means = roots * pooled.means
    shares = np.array([inner_product(row, means) for row in rows])
    kernels.orthogonalise(means, rows, len(rows), np.zeros(len(rows)))
    rest = inner_product(means, means) + pooled.scatter
    new = np.flatnonzero(np.diag(lower)[2:])
    if len(new) == 0:
        return SplineFit(rest, 2.0, 0.0)
    lower, bending = lower[2:, 2:][np.ix_(new, new)], bending[np.ix_(new, new)]
    half = np.linalg.solve(lower, bending)
    stiffness, turn = np.linalg.eigh(np.linalg.solve(lower, half.T))
    # Positive but for rounding, to which it is left in degenerate columns.
    stiffness = np.maximum(np.abs(stiffness), 1e-14 * np.abs(stiffness).max())
    energy = np.square(turn.T @ shares[2:][new])
    grid = np.arange(-log(stiffness.max()) - 15.0, -log(stiffness.min()) + 15.0, 0.25)
    log_penalty, left, used = kernels.least_gcv(stiffness, energy, rest, len(given), 2, grid)
    return SplineFit(rest + left, 2.0 + used, log_penalty)


def thin_plate_rows(points: Vector, n_basis: int) -> tuple[Matrix, Matrix]:
    """Basis functions at increasing points, one a row, and the penalty of all but the first two.

    A constant, a straight line, and functions of the ``n_basis`` leading eigenvectors of
    |k - k'|³ / 12 over the knots, less the two combinations that are not orthogonal to lines.
    """
    from bqcd.statistics.splines import thin_plate_kernels as kernels

    line = points - points.mean()
    rows = np.stack((np.ones_like(points), line))
    if min(len(points), n_basis) <= 2:
        return rows, np.empty((0, 0))
    knots = points
    if len(points) > MOST_KNOTS:
        knots = points[np.linspace(0, len(points) - 1, MOST_KNOTS).astype(np.int64)]
    values, vectors = _kept_eigenvectors(knots.tobytes(), n_basis)
    straight = np.stack((vectors.sum(axis=1), np.einsum("ij,j->i", vectors, knots - knots.mean())))
    rest = np.linalg.qr(straight.T, mode="complete")[0][:, 2:]
    weights = kernels.combined_rows(vectors, np.ascontiguousarray(rest))
    curved = np.empty((len(weights), len(points)))
    for row, weight in zip(curved, weights, strict=True):
        kernels.cubed_distance_sums(knots, weight, points, row)
    return np.concatenate((rows, curved)), rest.T @ (values[:, None] * rest)


@lru_cache(maxsize=4)
def _kept_eigenvectors(knots: bytes, count: int) -> tuple[Vector, Matrix]:
    """Those of the last few sets of knots: on ranks, all columns without ties share one."""
    # A copy: kernels would be compiled once more for arrays that are read only.
    return _leading_eigenvectors(np.frombuffer(knots).copy(), count)


def _leading_eigenvectors(knots: Vector, count: int) -> tuple[Vector, Matrix]:
    """The eigenvalues of |k - k'|³ / 12 that are largest in size, and their vectors as rows.

    Lanczos' method: the values fall with the fourth power of their number, so that a few
    dozen products with the matrix are enough, none of which needs the matrix.
    """
    from bqcd.statistics.splines import thin_plate_kernels as kernels

    size = len(knots)
    most = min(size, 30 * count)
    basis = np.empty((most + 1, size))
    # Any start will do that no symmetry of the knots makes orthogonal to an eigenvector.
    start = np.modf(np.arange(1, size + 1) * 0.6180339887498949)[0]
    basis[0] = start / np.sqrt(np.square(start).sum())
    diagonal, beside = np.zeros(most), np.zeros(most)
    done, planned = 0, min(3 * count, most)
    while True:
        reached = _lanczos_steps(knots, basis, (diagonal, beside), done, planned)
        inner = diagonal[:reached], beside[: reached - 1]
        values, mixing = kernels.tridiagonal_eigenvectors(*inner)
        leading = np.argsort(-np.abs(values), kind="stable")[:count]
        missed = beside[reached - 1] * np.abs(mixing[-1, leading])
        settled = bool((missed <= 1e-9 * abs(values[leading[-1]])).all())
        if settled or reached < planned or planned == most:
            break
        done, planned = reached, min(planned + count, most)
    mixed = np.ascontiguousarray(mixing[:, leading])
    return values[leading], kernels.combined_rows(basis[:reached], mixed)


def _lanczos_steps(
    knots: Vector, basis: Matrix, entries: tuple[Vector, Vector], first: int, last: int
) -> int:
    """Lanczos steps ``first`` to ``last`` with the matrix |k - k'|³ / 12; steps done.

    Row j of ``basis`` is the j-th vector, row 0 the start. ``entries`` are those on and beside
    the diagonal of the tridiagonal matrix. Fewer steps are done where the vectors run out.
    """
    from bqcd.runtime.sum_kernels import inner_product
    from bqcd.statistics.splines.thin_plate_kernels import cubed_distance_sums, orthogonalise

    diagonal, beside = entries
    moved, shares = np.empty(len(knots)), np.zeros(last)
    for j in range(first, last):
        vector = basis[j]
        cubed_distance_sums(knots, vector, knots, moved)
        diagonal[j] = inner_product(vector, moved)
        # Twice, for the largest values are found first and would come back.
        orthogonalise(moved, basis, j + 1, shares)
        orthogonalise(moved, basis, j + 1, shares)
        length = sqrt(inner_product(moved, moved))
        if length <= 1e-14 * abs(diagonal[0]):
            beside[j] = 0.0
            return j + 1
        beside[j] = length
        np.divide(moved, length, out=basis[j + 1])
    return last


def orthonormalise(rows: Matrix) -> Matrix:
    """Orthonormal rows in place; returns the lower triangle L with old = L @ new.

    A row that those before it make up, but for rounding, becomes zero, as does its end of L.

    Examples
    --------
    >>> rows = np.array([[3.0, 4.0], [6.0, 8.0], [1.0, 0.0]])
    >>> orthonormalise(rows).round(3)
    array([[ 5. ,  0. ,  0. ],
           [10. ,  0. ,  0. ],
           [ 0.6,  0. ,  0.8]])
    """
    from bqcd.runtime.sum_kernels import inner_product
    from bqcd.statistics.splines.thin_plate_kernels import orthogonalise

    lower = np.zeros((len(rows), len(rows)))
    for r, row in enumerate(rows):
        size = sqrt(inner_product(row, row))
        # Twice, for rounding in the first pass.
        orthogonalise(row, rows, r, lower[r])
        orthogonalise(row, rows, r, lower[r])
        left = sqrt(inner_product(row, row))
        if left > DEPENDENT * size:
            lower[r, r] = left
            row /= left
        else:
            row[:] = 0.0
    return lower


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
    pooled = _pooled(given, target, max(1e-6 * (upper - lower), 1e-10 * (high - low)))
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
