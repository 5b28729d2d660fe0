r"""Regression by a Gaussian process with squared-exponential covariance and noise.

The target is a smooth function of the given column plus independent noise: its covariance is

.. math:: \sigma_f^2 \exp(-(x_i - x_j)^2 / 2 \ell^2) + \sigma_n^2 \delta_{ij},

with length scale :math:`\ell`, signal :math:`\sigma_f` and noise :math:`\sigma_n`, and its mean
is zero. The matrix is never formed: with the n x m matrix :math:`\Phi` of features of
``bell_kernels``, everything follows from the band matrix :math:`B = I + r \Phi^T \Phi`
with :math:`r = \sigma_f^2 / \sigma_n^2`, in time linear in the rows:

.. math::

   w = r B^{-1} \Phi^T y, \qquad
   y^T K^{-1} y = (|y - \Phi w|^2 + |w|^2 / r) / \sigma_n^2, \qquad
   |K| = \sigma_n^{2n} |B|.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidSettingError
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_number
from bqcd.statistics.dependence.gaussian_kernels import positions

# Where the search for the likeliest covariance looks first, and its bounds: length scales in
# standard deviations of the given column, and variances of the signal over that of the noise.
FIRST_LENGTHS = (0.1, 0.3, 1.0, 3.0)
FIRST_RATIOS = (1.0, 100.0)
LENGTHS = (0.01, 100.0)
RATIOS = (1e-6, 1e6)
# Steps of the search, in the logarithms of both.
FIRST_STEP = 0.3
LONGEST_STEP = 2.0
MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class Covariance:
    """Covariance of the target: smooth function plus noise.

    Parameters
    ----------
    length : float
        Length scale of the function, in units of the given column.
    signal, noise : float
        Standard deviations of function and noise, in units of the target.
    """

    length: float
    signal: float
    noise: float

    def __post_init__(self) -> None:
        """Check that all are positive."""
        for name in ("length", "signal", "noise"):
            check_number("Covariance", name, getattr(self, name), above=0.0)

    @property
    def ratio(self) -> float:
        """Variance of the function over that of the noise."""
        return (self.signal / self.noise) ** 2


def posterior_mean(given: Vector, target: Vector, covariance: Covariance) -> Vector:
    """Expected function values at the given rows once the target is known, shape (n,).

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns. The target is taken to have mean zero: subtract its mean first.
    covariance : Covariance
        Length scale, signal and noise.

    Examples
    --------
    >>> x = np.linspace(-3.0, 3.0, 100)
    >>> fit = posterior_mean(x, np.sin(x), Covariance(1.0, 1.0, 0.1))
    >>> bool(np.abs(fit - np.sin(x)).max() < 0.02)
    True
    """
    rows = _grouped(given, target)
    return _smoothed(rows, covariance.length, covariance.ratio).values[rows.places]


def log_likelihood(given: Vector, target: Vector, covariance: Covariance) -> tuple[float, Vector]:
    """Log density of the target given its covariance, and its gradient.

    The gradient is by the logarithms of length, signal and noise, shape (3,).

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns. The target is taken to have mean zero.
    covariance : Covariance
        Length scale, signal and noise.

    Examples
    --------
    >>> x, noise = np.arange(3.0), np.array([0.5, -1.0, 2.0])
    >>> value, gradient = log_likelihood(x, noise, Covariance(1.0, 1e-9, 1.0))
    >>> bool(np.isclose(value, -0.5 * (3 * np.log(2 * np.pi) + noise @ noise)))
    True
    """
    rows = _grouped(given, target)
    fit = _smoothed(rows, covariance.length, covariance.ratio)
    variance = covariance.noise**2
    value = -0.5 * (
        fit.energy / variance + fit.log_determinant + rows.size * log(2.0 * pi * variance)
    )
    slopes = _slopes(rows, fit)
    signal = fit.penalty / variance - slopes.degrees
    noise = fit.misfit / variance - (rows.size - slopes.degrees)
    return value, np.array([slopes.energy / variance - slopes.log_determinant, signal, noise])


def trained_covariance(given: Vector, target: Vector) -> Covariance:
    """Covariance under which the target is likeliest.

    The scale of signal and noise together follows in closed form. Length scale and ratio are
    found by quasi-Newton steps from the best of eight fixed starts; length scales are kept
    from 0.01 to 100 standard deviations of the given column, and signals from 0.001 to 1,000
    times the noise.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns, neither of them constant. The target is taken to have mean zero.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-3.0, 3.0, 500)
    >>> found = trained_covariance(x, np.sin(x) + 0.1 * rng.normal(size=500))
    >>> round(found.noise, 1)
    0.1
    """
    spread = float(np.std(given))
    if spread == 0.0 or not np.any(target):
        raise InvalidSettingError("Columns of a Gaussian process must vary, got a constant one.")
    rows = _grouped(given / spread, target)
    starts = [(log(length), log(ratio)) for length in FIRST_LENGTHS for ratio in FIRST_RATIOS]
    start = min(starts, key=lambda logs: _loss(_fit_at(logs, rows), rows))
    logs = _lowest(lambda logs: _loss_and_gradient(logs, rows), np.array(start))
    length, ratio = np.exp(logs).tolist()
    noise = sqrt(_fit_at(logs, rows).energy / rows.size)
    return Covariance(spread * length, sqrt(ratio) * noise, noise)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows by distinct values of the given column, in increasing order.

    ``places`` is the value of each row, ``counts`` and ``sums`` are rows and summed targets
    of each value.
    """

    target: Vector
    values: Vector
    places: NDArray[np.intp]
    counts: Vector
    sums: Vector

    @property
    def size(self) -> int:
        return len(self.target)


def _grouped(given: Vector, target: Vector) -> _Rows:
    values, places = np.unique(given, return_inverse=True)
    counts = np.bincount(places).astype(np.float64)
    return _Rows(target, values, places, counts, np.bincount(places, target).astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class _Smooth:
    """Posterior of one length scale and one ratio of signal to noise.

    ``values`` are those of the function at the distinct given values; ``misfit`` is
    |y - Φw|², ``penalty`` |w|² / r with the ratio r.
    """

    positions: Vector
    ratio: float
    factor: Matrix
    weights: Vector
    values: Vector
    log_determinant: float
    misfit: float
    penalty: float

    @property
    def energy(self) -> float:
        """Quadratic form yᵀ K⁻¹ y, times the variance of the noise."""
        return self.misfit + self.penalty


def _smoothed(rows: _Rows, length: float, ratio: float) -> _Smooth:
    from bqcd.statistics.bell_kernels import feature_band, feature_sums, smooth

    at = positions(rows.values, length)
    factor = feature_band(at, rows.counts)
    factor *= ratio
    factor[:, 0] += 1.0
    weights = ratio * feature_sums(at, rows.sums)
    values, log_determinant = smooth(factor, weights, at)
    misfit = float(np.square(rows.target - values[rows.places]).sum())
    penalty = float(np.square(weights).sum()) / ratio
    return _Smooth(at, ratio, factor, weights, values, log_determinant, misfit, penalty)


@dataclass(frozen=True, slots=True)
class _Slopes:
    """Half the derivatives by the logarithm of the length scale, and degrees of freedom."""

    energy: float
    log_determinant: float
    degrees: float


def _slopes(rows: _Rows, fit: _Smooth) -> _Slopes:
    """Derivatives of log |B| and, at fixed noise, of yᵀ K⁻¹ y.

    With Φ' the derivative of the features: tr(r B⁻¹ Φᵀ Φ') and -(y - Φw)ᵀ Φ' w, whose sign is
    turned. ``degrees`` is tr(r B⁻¹ Φᵀ Φ).
    """
    from bqcd.statistics.bell_kernels import inverse_band, slope_band, slope_values

    inverse = inverse_band(fit.factor)
    products = inverse * slope_band(fit.positions, rows.counts)
    trace = 2.0 * float(products.sum()) - float(products[:, 0].sum())
    left = rows.sums - rows.counts * fit.values
    return _Slopes(
        energy=float((left * slope_values(fit.positions, fit.weights)).sum()),
        log_determinant=0.5 * fit.ratio * trace,
        degrees=len(inverse) - float(inverse[:, 0].sum()),
    )


def _fit_at(logs: Sequence[float] | Vector, rows: _Rows) -> _Smooth:
    """Fit at the logarithms of length scale and ratio."""
    return _smoothed(rows, exp(logs[0]), exp(logs[1]))


def _loss(fit: _Smooth, rows: _Rows) -> float:
    """Negative log-likelihood a row at the likeliest scale, but for a constant."""
    return 0.5 * (log(fit.energy / rows.size) + fit.log_determinant / rows.size)


def _loss_and_gradient(logs: Vector, rows: _Rows) -> tuple[float, Vector]:
    fit = _fit_at(logs, rows)
    slopes = _slopes(rows, fit)
    by_length = slopes.log_determinant / rows.size - slopes.energy / fit.energy
    by_ratio = 0.5 * (slopes.degrees / rows.size - fit.penalty / fit.energy)
    return _loss(fit, rows), np.array([by_length, by_ratio])


def _lowest(loss_and_gradient: Callable[[Vector], tuple[float, Vector]], at: Vector) -> Vector:
    """Logarithms of least loss near the start, by BFGS within the bounds.

    Not by SciPy's L-BFGS-B, which for two numbers wakes all threads of the linear algebra
    at every step; that takes longer than the likelihood.
    """
    low, high = np.log([LENGTHS, RATIOS]).T
    loss, gradient = loss_and_gradient(at)
    inverse: Matrix | None = None
    for _ in range(MOST_STEPS):
        held = ((at <= low) & (gradient > 0.0)) | ((at >= high) & (gradient < 0.0))
        free = np.where(held, 0.0, gradient)
        if np.abs(free).max() < 1e-6:
            break
        step = _step(free, inverse, alone=bool(held.any()))
        while True:
            there = np.clip(at + step, low, high)
            next_loss, next_gradient = loss_and_gradient(there)
            if next_loss <= loss + 1e-4 * float(gradient @ (there - at)):
                break
            step *= 0.3
            if np.abs(step).max() < 1e-8:
                return at
        inverse = _updated(inverse, there - at, next_gradient - gradient)
        gain, at, loss, gradient = loss - next_loss, there, next_loss, next_gradient
        if gain < 1e-10:
            break
    return at


def _step(gradient: Vector, inverse: Matrix | None, *, alone: bool) -> Vector:
    """Newton step down, no longer than LONGEST_STEP; at first, one of length FIRST_STEP.

    ``alone`` says that one of the two is held at its bound, where the other steps for itself.
    """
    step: Vector
    if inverse is None:
        step = gradient * (-FIRST_STEP / float(np.abs(gradient).max()))
        return step
    step = -np.diag(inverse) * gradient if alone else -inverse @ gradient
    step *= min(1.0, LONGEST_STEP / float(np.abs(step).max()))
    return step


def _updated(inverse: Matrix | None, move: Vector, change: Vector) -> Matrix | None:
    """Inverse Hessian that maps the change of the gradient to the move, by the BFGS formula."""
    curvature = float(move @ change)
    if curvature <= 0.0:
        return inverse
    if inverse is None:
        inverse = np.eye(2) * curvature / float(change @ change)
    kept = np.eye(2) - np.outer(move, change) / curvature
    return kept @ inverse @ kept.T + np.outer(move, move) / curvature
