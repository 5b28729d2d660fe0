"""Mean and spread of one column given another: y = f(x) + g(x) noise, by maximum likelihood.

Both functions come from one fit: splines of the natural parameters of a Gaussian, which is a
convex problem, or a small network with a Gaussian or Student's noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Literal

import numpy as np
from numpy.random import Generator

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.dependence.independence import embedded, embedded_hsic
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range, unit_variance

Noise = Literal["gaussian", "student"]

# Points at which a network is evaluated, at most; outputs are straight lines in between.
MOST_NODES = 128
# Rows whose hidden layer is held at a time.
MOST_ROWS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class LocationScale:
    """Model of one column given another, row by row.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        The two columns, scaled, in increasing order of ``given``.
    location, scale : ndarray of shape (n,)
        Mean and standard deviation of ``target`` given ``given``.
    loss : float
        Mean over the rows of -log density, in nats.
    """

    given: Vector
    target: Vector
    location: Vector
    scale: Vector
    loss: float

    @property
    def residuals(self) -> Vector:
        """Deviations from the location in units of the scale."""
        return (self.target - self.location) / self.scale

    @property
    def dependence(self) -> float:
        """HSIC of ``given`` and the residuals, bandwidths from medians of distances not 0."""
        columns = self.given, self.residuals
        return embedded_hsic(*(embedded(column, positive=True) for column in columns))


def scaled_rows(cause: Vector, effect: Vector) -> tuple[Vector, Vector]:
    """Columns of mean 0 and variance 1, with n below the squares, in increasing order.

    Examples
    --------
    >>> given, target = scaled_rows(np.array([3.0, 1.0, 2.0]), np.array([5.0, 9.0, 7.0]))
    >>> given.round(3), target.round(3)
    (array([-1.225,  0.   ,  1.225]), array([ 1.225,  0.   , -1.225]))
    """
    order, factor = row_order(cause, effect), sqrt(len(cause) / (len(cause) - 1))
    return factor * unit_variance(cause)[order], factor * unit_variance(effect)[order]


def spline_model(
    given: Vector, target: Vector, *, n_knots: int = 25, ridge: float = 1e-5
) -> LocationScale:
    """Gaussian noise, natural parameters quintic splines of ``given`` [1]_.

    With mean m and variance v, m / v is a spline, and 1 / 2v is one whose weights are not
    negative. The likelihood less a ridge is concave in the weights of both; its maximum is
    found by Newton's method behind a barrier, with derivatives as formulas.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns of variance about 1, in increasing order of ``given``, which varies.
    n_knots : int, default=25
        Knots, evenly spaced over the range of ``given``; four splines more than those.
    ridge : float, default=1e-5
        Half of it times the sum of the squared weights is added to -log likelihood.

    References
    ----------
    .. [1] Immer, Schultheiss, Vogt, Schölkopf, Bühlmann, Marx. On the identifiability and
       estimation of causal location-scale noise models. ICML 2023.

    Examples
    --------
    >>> x = np.linspace(-2.0, 2.0, 200)
    >>> model = spline_model(x, np.sin(x) + np.tile([-0.5, 0.5], 100))
    >>> bool(np.abs(model.scale - 0.5).max() < 0.1)
    True
    """
    from bqcd.statistics.location_scale.spline_kernels import spline_fit

    lifted, precision, total = spline_fit(unit_range(given), target, n_knots - 1, ridge)
    loss = total / len(target) + 0.5 * log(pi)
    return LocationScale(given, target, 0.5 * lifted / precision, np.sqrt(0.5 / precision), loss)


def network_start(rng: Generator, *, noise: Noise = "gaussian") -> Vector:
    """Random parameters of a network: uniform, within one over the root of a layer's inputs.

    Heads of exponents, the last parameters, are zero: the scale is the same everywhere.

    Examples
    --------
    >>> network_start(np.random.default_rng(0)).shape
    (404,)
    """
    from bqcd.statistics.location_scale.network_kernels import HIDDEN

    n_outputs = 2 if noise == "gaussian" else 3
    width = 1.0 / sqrt(HIDDEN)
    return np.concatenate(
        (
            rng.uniform(-1.0, 1.0, 2 * HIDDEN),
            rng.uniform(-width, width, n_outputs * (HIDDEN + 1)),
            rng.uniform(-1.0, 1.0, 1),
            np.zeros(n_outputs - 1),
        )
    )


def network_model(
    given: Vector, target: Vector, *, start: Vector, steps: int = 5000
) -> LocationScale:
    """Network with one layer of 100 hyperbolic tangents, for Gaussian or Student's noise.

    Outputs of Gaussian noise are its natural parameters [1]_, those of Student's noise its
    location and the logarithms of a - 1 and b, with 2a degrees of freedom and squared scale
    b / a [2]_. Adam takes steps on all rows at once, with gradients by back-propagation
    written out, and a rate that falls from 0.01 to 1e-6 along half a cosine. Where there are
    more than 128 distinct values, it sees the network on straight lines between nodes, half
    of them evenly spaced over the rows and half over the range.

    Parameters
    ----------
    given, target : ndarray of shape (n,)
        Columns of variance about 1, in increasing order of ``given``, which varies.
    start : ndarray
        Parameters to start from, and which noise: see :func:`network_start`.
    steps : int, default=5000
        Steps of Adam.

    References
    ----------
    .. [1] Immer, Schultheiss, Vogt, Schölkopf, Bühlmann, Marx. On the identifiability and
       estimation of causal location-scale noise models. ICML 2023.
    .. [2] Tran, Duong, Nguyen, Nguyen. Robust estimation of causal heteroscedastic noise
       models. SDM 2024.

    Examples
    --------
    >>> x = np.linspace(-2.0, 2.0, 200)
    >>> start = network_start(np.random.default_rng(0))
    >>> y = np.sin(x) + np.tile([-0.5, 0.5], 100)
    >>> model = network_model(x, y, start=start, steps=500)
    >>> bool(np.abs(model.scale - 0.5).max() < 0.1)
    True
    """
    from bqcd.statistics.location_scale import network_kernels as kernels

    nodes = _nodes(given)
    below = np.clip(np.searchsorted(nodes, given, side="right") - 1, 0, len(nodes) - 2)
    shares = (given - nodes[below]) / np.diff(nodes)[below]
    starts = np.searchsorted(below, np.arange(len(nodes)))
    parameters = start.copy()
    kernels.train(nodes, target, starts, shares, parameters, steps)
    outputs = _outputs(given, parameters)
    return (_gaussian if len(outputs) == 2 else _student)(given, target, outputs)


def _nodes(given: Vector) -> Vector:
    """Distinct values, or fewer points spread over rows and range, the ends among them."""
    values = np.unique(given)
    if len(values) <= MOST_NODES:
        return values
    half = MOST_NODES // 2
    by_row = given[np.linspace(0, len(given) - 1, half).astype(np.intp)]
    by_range = np.linspace(values[0], values[-1], half)
    return np.unique(np.concatenate((by_row, by_range)))


def _outputs(given: Vector, parameters: Vector) -> Matrix:
    """Outputs of a network in every row, exponents kept within bounds, one output a row."""
    from bqcd.statistics.location_scale import network_kernels as kernels

    n_outputs = (len(parameters) - 2 * kernels.HIDDEN) // (kernels.HIDDEN + 2)
    # Blocks bound the memory for the hidden layer.
    blocks = np.array_split(given, -(-len(given) // MOST_ROWS))
    rows = [kernels.network_outputs(block, parameters, n_outputs)[0] for block in blocks]
    outputs = np.concatenate(rows).T * parameters[-n_outputs:, None]
    outputs[1:] = np.clip(outputs[1:], -kernels.STEEPEST, kernels.STEEPEST)
    return outputs


def _gaussian(given: Vector, target: Vector, outputs: Matrix) -> LocationScale:
    lifted, log_precision = outputs
    scale = np.exp(-0.5 * log_precision)
    location = lifted * np.square(scale)
    far = np.square((target - location) / scale)
    loss = 0.5 * float(np.mean(far - log_precision + np.log(2.0 * np.pi)))
    return LocationScale(given, target, location, scale, loss)


def _student(given: Vector, target: Vector, outputs: Matrix) -> LocationScale:
    from scipy.special import gammaln

    location, log_excess, log_beta = outputs
    alpha, beta = 1.0 + np.exp(log_excess), np.exp(log_beta)
    far = np.log1p(0.5 * np.square(target - location) / beta)
    loss = gammaln(alpha) - gammaln(alpha + 0.5) + (alpha + 0.5) * far
    loss += 0.5 * (log_beta + np.log(2.0 * np.pi))
    scale = np.exp(0.5 * (log_beta - log_excess))
    return LocationScale(given, target, location, scale, float(np.mean(loss)))
