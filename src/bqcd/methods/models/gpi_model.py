r"""Description length of an effect with its noise as a hidden input, and its derivatives.

The effect is :math:`y = f(x, e)` with a value :math:`e_i \sim N(0, 1)` of the noise per row and
a Gaussian process f of covariance

.. math:: k = s^2 \exp(-(x - x')^2 / 2 \ell_x^2) \exp(-(e - e')^2 / 2 \ell_e^2),

seen with a jitter J of variance. A point is the vector of log s, log l_x, log l_e and e.
With :math:`\alpha = (K + J I)^{-1} y` and :math:`d_i = \partial f(x_i, e_i) / \partial e` of
the fitted f, the length in nats is the sum of

- the process: :math:`\frac12 y^T \alpha + \frac12 \log |K + J I| + \frac n2 \log 2 \pi`,
- the noise: :math:`\frac n2 \log 2 \pi + \frac12 \sum e_i^2`,
- the change of variables from noise to effect, smoothed near zero:
  :math:`\sum \frac12 \log(\delta_i^2 + \epsilon)` with :math:`\delta_i = d_i - \epsilon`, where
  what exceeds :math:`\frac12 \log \epsilon` counts 100 times more if :math:`\delta_i < 0`,
- the prior: :math:`-\log` of the gamma density of each of s, l_x and l_e.

The n x n matrix K is never formed. It is a product of two kernels on a line, and each is
one of features: Gaussian bells on a grid for the cause, turned to their principal axes, and
powers times a bell for the noise. Products of features whose squares sum to less than
``NEGLIGIBLE`` are left out, which changes the length by less than 0.01 nats. With
the r x n matrix :math:`\Phi` of the others, :math:`K = \Phi^T \Phi`, everything follows from
:math:`B = \Phi \Phi^T + J I` and the weights :math:`w = B^{-1} \Phi y` of the features:
:math:`f = \Phi^T w`, :math:`d = \Phi'^T w`. The gradient is analytic.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, lgamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.positive_matrices import cholesky, inverse, solved

JITTER = 1e-5
SMOOTHING = 1e-3
BARRIER = 100.0
PRIOR_SHAPE, PRIOR_SCALE = 30.0, 0.5
# Sum of squares below which a feature is left out; the jitter is 100,000 times as large.
NEGLIGIBLE = 1e-10
# Distance of the bells and how far they reach beyond the data, in length scales: the sum of
# products of bells differs from the kernel by less than 1e-12.
BELL_GAP, BELL_REACH = 0.36, 4.0
# Points that need more are out of reach.
MOST_BELLS, MOST_POWERS, MOST_FEATURES = 1_500, 80, 300


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Features of cause and noise, whose products are those of the process.

    ``cause`` and ``cause_slopes``, shape (a, n), are scaled by s; slopes are by log l_x.
    ``powers``, shape (3, b, n), are features of the noise and their first two derivatives.
    ``used``, shape (b, a), tells which products there are, for each power those with the
    first features of the cause.
    """

    cause: Matrix
    cause_slopes: Matrix
    powers: NDArray[np.float64]
    used: NDArray[np.bool_]

    def products(self) -> Matrix:
        """Features of the process, shape (r, n), by power and then by feature of the cause."""
        return np.concatenate(
            [
                self.cause[:size] * power
                for size, power in zip(self.used.sum(axis=1), self.powers[0], strict=True)
            ]
        )

    def sums(self, column: Vector, *, order: int) -> Vector:
        """Products of features with a column, the noise's derived ``order`` times, shape (r,)."""
        every: Matrix = (self.powers[order] * column) @ self.cause.T
        return every[self.used]

    def spread(self, weights: Vector) -> tuple[Matrix, Matrix]:
        """Weighted features and slopes of the cause, summed for each power, both (b, n)."""
        table = np.zeros(self.used.shape)
        table[self.used] = weights
        return table @ self.cause, table @ self.cause_slopes


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Everything known at one point: ``length`` is the description length.

    ``factor`` is the Cholesky factor of B, ``weights`` are w, ``slopes`` d.
    """

    point: Vector
    length: float
    basis: Basis
    features: Matrix
    factor: Matrix
    weights: Vector
    residuals: Vector
    slopes: Vector


def fit(point: Vector, cause: Vector, effect: Vector) -> Fit | None:
    """Fit of the process at a point, None where it is out of reach.

    Parameters
    ----------
    point : ndarray of shape (n + 3,)
        Logarithms of s, l_x and l_e, then the noise of each row.
    cause, effect : ndarray of shape (n,)
        Columns of mean 0 and variance 1.
    """
    basis = feature_basis(point, cause)
    if basis is None:
        return None
    features = basis.products()
    matrix = features @ features.T
    matrix[np.diag_indices_from(matrix)] += JITTER
    factor = cholesky(matrix)
    if factor is None:
        return None
    weights = solved(factor, basis.sums(effect, order=0))
    by_power = basis.spread(weights)[0]
    residuals = effect - _summed(by_power, basis.powers[0])
    slopes = _summed(by_power, basis.powers[1])
    log_determinant = 2.0 * float(np.log(np.diag(factor)).sum())
    log_determinant += (len(effect) - len(weights)) * log(JITTER)
    energy = float(residuals @ residuals) / JITTER + float(weights @ weights)
    length = 0.5 * (energy + log_determinant) + len(effect) * log(2.0 * pi)
    length += 0.5 * float(point[3:] @ point[3:]) + stretch(slopes) + surprise(point[:3])
    return Fit(point, length, basis, features, factor, weights, residuals, slopes)


def feature_basis(point: Vector, cause: Vector) -> Basis | None:
    """Features at a point, None if there were too many."""
    signal, reach, noise_reach = np.exp(point[:3]).tolist()
    least = NEGLIGIBLE / signal**2
    powers = _powers(point[3:], noise_reach, least / len(cause))
    bells = _bells(cause, reach, least)
    if powers is None or bells is None:
        return None
    features, slopes = bells
    squares = np.square(powers[0]) @ np.square(features).T
    # Each power takes the first features of the cause up to the last that matters to it.
    used = np.maximum.accumulate((squares > least)[:, ::-1], axis=1)[:, ::-1]
    if used.sum() > MOST_FEATURES:
        return None
    used = used[:, used.any(axis=0)]
    size = used.shape[1]
    return Basis(signal * features[:size], signal * slopes[:size], powers, used)


def _bells(cause: Vector, reach: float, least: float) -> tuple[Matrix, Matrix] | None:
    """Features of the cause and their slopes by log reach, the largest first.

    exp(-(a - b)² / 2) is the integral over c of sqrt(2 / pi) exp(-(a - c)²) exp(-(b - c)²),
    and that is its sum over a grid to twelve digits. Any rotation of the features will do.
    """
    places = cause / reach
    first = floor((float(places.min()) - BELL_REACH) / BELL_GAP)
    last = ceil((float(places.max()) + BELL_REACH) / BELL_GAP)
    if last - first >= MOST_BELLS:
        return None
    gaps = places - BELL_GAP * np.arange(first, last + 1)[:, None]
    bells = sqrt(BELL_GAP * sqrt(2.0 / pi)) * np.exp(-np.square(gaps))
    near = np.square(bells).sum(axis=1) > least
    bells = bells[near]
    squares, axes = np.linalg.eigh(bells @ bells.T)
    turn = axes[:, ::-1].T[squares[::-1] > 0.1 * least]
    return turn @ bells, turn @ (2.0 * places * gaps[near] * bells)


def _powers(noise: Vector, reach: float, least: float) -> NDArray[np.float64] | None:
    """Features b^k exp(-b² / 2) / sqrt(k!) of b = noise / reach, and two derivatives by noise.

    Their products sum to exp(-(b - b')² / 2), as exp(b b') is a series of powers.
    """
    places = noise / reach
    farthest = float(np.abs(places).max())
    terms = [np.exp(-0.5 * np.square(places))]
    while len(terms) <= farthest**2 or float(np.square(terms[-1]).max()) > least:
        if len(terms) == MOST_POWERS:
            return None
        terms.append(terms[-1] * places / sqrt(len(terms)))
    values = np.array(terms)
    roots = np.sqrt(np.arange(1.0, len(terms)))[:, None]
    first = -places * values
    first[1:] += roots * values[:-1]
    second = -values - places * first
    second[1:] += roots * first[:-1]
    return np.stack((values, first / reach, second / reach**2))


def _summed(by_power: Matrix, powers: Matrix) -> Vector:
    """Sum over powers of products, shape (n,)."""
    total: Vector = np.einsum("kn,kn->n", by_power, powers)
    return total


def stretch(slopes: Vector) -> float:
    """Change of variables from noise to effect, with a barrier against falling ones."""
    shifted = slopes - SMOOTHING
    logs = 0.5 * np.log(np.square(shifted) + SMOOTHING)
    falling = logs[shifted < 0.0] - 0.5 * log(SMOOTHING)
    return float(logs.sum()) + BARRIER * float(falling.sum())


def stretch_gradient(slopes: Vector) -> Vector:
    """Derivatives of :func:`stretch` by the slopes."""
    shifted = slopes - SMOOTHING
    factor = np.where(shifted < 0.0, 1.0 + BARRIER, 1.0)
    return factor * shifted / (np.square(shifted) + SMOOTHING)


def surprise(logs: Vector) -> float:
    """-log of the prior densities, from the logarithms of s, l_x and l_e."""
    constant = lgamma(PRIOR_SHAPE) + PRIOR_SHAPE * log(PRIOR_SCALE)
    densities = np.exp(logs) / PRIOR_SCALE - (PRIOR_SHAPE - 1.0) * logs
    return float(densities.sum()) + 3.0 * constant


def gradient(at: Fit) -> Vector:
    """Derivatives of the length by the entries of the point, shape (n + 3,).

    With h the derivatives of the stretch by d, residuals r, u = B⁻¹ Φ' h and
    c = r / J + Φᵀ u, changes dΦ of the features and dΦ' of their derivatives change the length
    by the sums of dΦ * (B⁻¹ Φ - w cᵀ + u rᵀ) and of dΦ' * w hᵀ.
    """
    basis, noise = at.basis, at.point[3:]
    push = stretch_gradient(at.slopes)
    pull = solved(at.factor, basis.sums(push, order=1))
    by_power, by_reach = basis.spread(at.weights)
    pulled, pulled_by_reach = basis.spread(pull)
    values, first, second = basis.powers
    along = _summed(pulled, values)
    back = at.residuals / JITTER + along
    leverage, reach_leverage = _leverages(at)
    features_by_noise = (
        _summed(leverage, first) - back * at.slopes + at.residuals * _summed(pulled, first)
    )
    bend = push * _summed(by_power, second)
    stretched = float(push @ at.slopes)
    logs = -(PRIOR_SHAPE - 1.0) + np.exp(at.point[:3]) / PRIOR_SCALE
    logs[0] += float((leverage * values).sum()) + float(at.residuals @ along) + stretched
    logs[0] -= float(back @ _summed(by_power, values))
    logs[1] += float((reach_leverage * values).sum()) + float(push @ _summed(by_reach, first))
    logs[1] += float(at.residuals @ _summed(pulled_by_reach, values))
    logs[1] -= float(back @ _summed(by_reach, values))
    logs[2] -= float(noise @ (features_by_noise + bend)) + stretched
    return np.concatenate((logs, features_by_noise + bend + noise))


def _leverages(at: Fit) -> tuple[Matrix, Matrix]:
    """Features of the cause times B⁻¹ Φ, summed for each power; and the same of its slopes."""
    rows = inverse(at.factor) @ at.features
    values, slopes, start = [], [], 0
    for size in at.basis.used.sum(axis=1).tolist():
        block = rows[start : start + size]
        values.append(np.einsum("kn,kn->n", block, at.basis.cause[:size]))
        slopes.append(np.einsum("kn,kn->n", block, at.basis.cause_slopes[:size]))
        start += size
    return np.array(values), np.array(slopes)


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Second derivatives of process, noise and prior, but for those of f: Gauss-Newton.

    With t the derivatives of f by the three logarithms and D = diag(d), the matrix is
    [tᵀ K⁻¹ t + prior, tᵀ K⁻¹ D; D K⁻¹ t, I + D K⁻¹ D], where K contains the jitter.
    """

    features: Matrix
    factor: Matrix
    slopes: Vector
    coupling: Matrix
    response: Matrix
    scales: Matrix

    def solve(self, change: Vector) -> Vector:
        """Step that changes the gradient so, shape (n + 3,)."""
        noise = noise_step(self.features, self.factor, self.slopes, change[3:, None])[:, 0]
        scales = np.linalg.solve(self.scales, change[:3] - self.coupling.T @ noise)
        return np.concatenate((scales, noise - self.response @ scales))


def curvature(at: Fit) -> Curvature | None:
    """Curvature at a fit, None where it is not positive."""
    moves = _moves_by_scales(at)
    pulls = _unsmoothed(at, moves)
    scaled = at.features / np.sqrt(JITTER + np.square(at.slopes))
    matrix = scaled @ scaled.T
    matrix[np.diag_indices_from(matrix)] += 1.0
    factor = cholesky(matrix)
    if factor is None:
        return None
    coupling = at.slopes[:, None] * pulls
    response = noise_step(at.features, factor, at.slopes, coupling)
    scales = moves.T @ pulls - coupling.T @ response + np.diag(_stiffness(at.point))
    return Curvature(at.features, factor, at.slopes, coupling, response, scales)


def scale_curvature(at: Fit) -> Matrix:
    """Curvature by the three logarithms alone, the noise held fast, shape (3, 3)."""
    moves = _moves_by_scales(at)
    return moves.T @ _unsmoothed(at, moves) + np.diag(_stiffness(at.point))


def _moves_by_scales(at: Fit) -> Matrix:
    """Derivatives t of f by the three logarithms, shape (n, 3)."""
    by_power, by_reach = at.basis.spread(at.weights)
    values = at.basis.powers[0]
    return np.column_stack(
        (_summed(by_power, values), _summed(by_reach, values), -at.point[3:] * at.slopes)
    )


def _unsmoothed(at: Fit, columns: Matrix) -> Matrix:
    """K⁻¹ times columns, K with the jitter."""
    smooth: Matrix = at.features.T @ solved(at.factor, at.features @ columns)
    return (columns - smooth) / JITTER


def _stiffness(point: Vector) -> Vector:
    """Second derivatives of the prior by the three logarithms, and 10 for the determinant."""
    return np.exp(point[:3]) / PRIOR_SCALE + 10.0


def noise_step(features: Matrix, factor: Matrix, slopes: Vector, change: Matrix) -> Matrix:
    """(I + D K⁻¹ D)⁻¹ times columns, from the factor of I + Φ (J I + D²)⁻¹ Φᵀ."""
    variances = (JITTER + np.square(slopes))[:, None]
    share = slopes[:, None] / variances
    inner = solved(factor, features @ (share * change))
    step: Matrix = JITTER * change / variances + share * (features.T @ inner)
    return step
