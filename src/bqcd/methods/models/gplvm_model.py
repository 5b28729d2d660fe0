r"""Evidence of an effect whose noise is a hidden input of a smooth function, averaged over both.

The effect is :math:`y = f(x, w) + e` with a hidden :math:`w \sim N(0, 1)` and an error
:math:`e \sim N(0, \sigma^2)` per row. With features :math:`\phi_j` of the cause and polynomials
:math:`\psi_k` of the hidden noise, orthonormal under its distribution,

.. math:: f(x, w) = \sum_{jk} \beta_{jk} \phi_j(x) \psi_k(w), \quad \beta_{jk} \sim N(0, v_{jk}).

The first features are 1 and x, the others the principal axes of a kernel of Gaussian bells, of
variances :math:`\lambda_j`; :math:`v_{jk} = s \lambda_j^a \exp(-b k)`, where larger a and b make
smoother functions, and a variance of their own for 1, x, w and x w. Without a cause the only
feature is 1.

The logarithm of the evidence is bounded from below by variational Bayes: f and the hidden noise
are taken for independent given the data, f as a Gaussian, the noise of a row as any distribution
on a grid. Both are found in turn, with the error and the variances between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.positive_matrices import cholesky, inverse, solved

# Of the hidden noise: places of the grid, how far it reaches, and powers from 0 on.
PLACES, REACH, POWERS = 21, 3.0, 7
# Principal axes of the cause at most, width of the bells in deviations, their distance in widths.
MOST_AXES, WIDTH, GAP = 14, 0.5, 0.5
MOST_BELLS, LEAST_VARIANCE = 400, 1e-7
# Width in normal scores of the neighbourhood in which rows are ranked for a start.
NEIGHBOURHOOD, LEAST_RANK, FIRST_SPREAD = 0.3, 0.003, 0.3
FIRST_ERROR, LEAST_ERROR = 0.05, 1e-4
# log s, a and log b: where they start, what they are held near, and how firmly.
START = np.array([log(0.3), 1.0, -1.0])
CENTRE, FIRMNESS = np.array([log(0.3), 1.0, log(0.7)]), np.array([0.05, 1.0, 1.0])
LONGEST_STEP, SMOOTHEST, ROUGHEST = 0.5, 4.0, 0.1
LEAST_LOUD, MOST_LOUD = 1e-4, 1e4


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Places of the hidden noise, logarithms of their weights, and polynomials there."""

    places: Vector
    log_weights: Vector
    powers: Matrix


@lru_cache(maxsize=1)
def noise_grid() -> Grid:
    """Grid of a standard Gaussian, with polynomials that are orthonormal on it."""
    places = np.linspace(-REACH, REACH, PLACES)
    weights = np.exp(-0.5 * np.square(places))
    weights /= weights.sum()
    roots = np.sqrt(weights)[:, None]
    axes, turn = np.linalg.qr(roots * np.polynomial.hermite_e.hermevander(places, POWERS - 1))
    return Grid(places, np.log(weights), axes * np.sign(np.diag(turn)) / roots)


def log_evidence(target: Vector, given: Vector | None = None, *, steps: int = 40) -> float:
    """Bound on the logarithm of the density of a column, given another one or by itself.

    Parameters
    ----------
    target : ndarray of shape (n,)
        Column of mean 0 and variance 1.
    given : ndarray of shape (n,), optional
        Its cause, of mean 0 and variance 1.
    steps : int, default=40
        Times that function, noise and scales are found in turn.

    Returns
    -------
    float
        In nats; minus infinity if the arithmetic fails.

    Examples
    --------
    >>> x = np.linspace(-1.7, 1.7, 60)
    >>> y = np.sin(2.0 * x) + 0.3 * np.cos(50.0 * x)
    >>> log_evidence(y, x) > log_evidence(y)
    True
    """
    features, decays = (np.ones((len(target), 1)), np.zeros(1)) if given is None else axes_of(given)
    model = Model(target, features, decays)
    share = first_share(target, given)
    error, scales = FIRST_ERROR, START
    log_prior = model.log_prior(scales, np.ones((features.shape[1], POWERS)))
    bound = -np.inf
    for _ in range(steps):
        found = model.function(share, error, log_prior)
        if found is None:
            return -np.inf
        squares = model.expected_squares(found)
        share, log_sums = model.shares(squares, error)
        bound = log_sums - 0.5 * len(target) * log(2.0 * pi * error) - found.divergence(log_prior)
        error = max(float((share * squares).sum()) / len(target), LEAST_ERROR)
        scales = model.smoother(scales, found.second_moments)
        log_prior = model.log_prior(scales, found.second_moments)
    return bound


def axes_of(given: Vector) -> tuple[Matrix, Vector]:
    """Features of the cause, shape (n, j), and logarithms of their variances over the largest."""
    line = np.column_stack((np.ones(len(given)), given))
    span = float(given.min()) - 3.0 * WIDTH, float(given.max()) + 3.0 * WIDTH
    count = min(int((span[1] - span[0]) / (GAP * WIDTH)) + 2, MOST_BELLS)
    bells = np.exp(-np.square((given[:, None] - np.linspace(*span, count)) / WIDTH))
    bells /= np.sqrt(np.square(bells).sum(axis=1).mean())
    plain = np.linalg.qr(line)[0]
    bells -= plain @ (plain.T @ bells)
    variances, axes = np.linalg.eigh(bells.T @ bells / len(given))
    last = np.flatnonzero(variances > LEAST_VARIANCE)[::-1][:MOST_AXES]
    kept = variances[last]
    decays = np.log(kept / kept[0]) if len(kept) else kept
    return (
        np.column_stack((line, bells @ axes[:, last] / np.sqrt(kept))),
        np.concatenate((np.zeros(2), decays)),
    )


def first_share(target: Vector, given: Vector | None) -> Matrix:
    """Where on the grid the noise of each row starts, shape (n, places): near its rank.

    Given a cause, it is the rank of a row among its neighbours.
    """
    lower = (target[None, :] < target[:, None]) + 0.5 * (target[None, :] == target[:, None])
    near = np.ones_like(lower)
    if given is not None:
        ranks = np.argsort(np.argsort(given, kind="stable"), kind="stable")
        scores = ndtri((ranks + 0.5) / len(given))
        near = np.exp(-0.5 * np.square((scores[:, None] - scores) / NEIGHBOURHOOD))
    rank = (near * lower).sum(axis=1) / near.sum(axis=1)
    noise = ndtri(rank.clip(LEAST_RANK, 1.0 - LEAST_RANK))
    gaps = (noise_grid().places - noise[:, None]) / FIRST_SPREAD
    share = np.exp(-0.5 * np.square(gaps))
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(share, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """The function given the noise: a Gaussian for its coefficients, in rows of features."""

    mean: Matrix
    covariance: Matrix
    log_precision: float

    @property
    def second_moments(self) -> Matrix:
        """Expected squares of the coefficients, shape (j, k)."""
        moments: Matrix = np.square(self.mean) + np.diag(self.covariance).reshape(self.mean.shape)
        return moments

    def divergence(self, log_prior: Matrix) -> float:
        """Nats from the prior of the coefficients to this."""
        weighed = float((self.second_moments * np.exp(-log_prior)).sum())
        return 0.5 * (float(log_prior.sum()) + self.log_precision - log_prior.size + weighed)


class Model:
    """A column, features of its cause, and products of features by which sums are taken.

    ``products`` has each product of two features once, ``crossed`` where both orders stand.
    """

    def __init__(self, target: Vector, features: Matrix, decays: Vector) -> None:
        self.target, self.features, self.decays = target, features, decays
        self.grid, count = noise_grid(), features.shape[1]
        self.free = np.zeros((count, POWERS), dtype=bool)
        self.free[:2, :2] = True
        by_feature, by_power = Upper.of(count), Upper.of(POWERS)
        self.products = by_feature.products(features)
        self.power_products = by_power.products(self.grid.powers)
        self.crossed = Crossed.of(by_feature, by_power)

    def function(self, share: Matrix, error: float, log_prior: Matrix) -> Function | None:
        """Coefficients given the noise, None if the arithmetic fails."""
        sums = self.products.T @ (share @ self.power_products)
        precision = sums.ravel()[self.crossed.whole] / error
        precision[np.diag_indices_from(precision)] += np.exp(-log_prior).ravel()
        factor = cholesky(precision)
        if factor is None:
            return None
        drift = self.features.T @ ((share @ self.grid.powers) * self.target[:, None]) / error
        mean = solved(factor, drift.ravel()).reshape(drift.shape)
        return Function(mean, inverse(factor), 2.0 * float(np.log(np.diag(factor)).sum()))

    def expected_squares(self, found: Function) -> Matrix:
        """Squared distances to the function, on average, for each place of the noise."""
        distances = self.target[:, None] - (self.features @ found.mean) @ self.grid.powers.T
        spreads = self.products @ self.crossed.folded(found.covariance)
        squares: Matrix = np.square(distances) + spreads @ self.power_products.T
        return squares

    def shares(self, squares: Matrix, error: float) -> tuple[Matrix, float]:
        """Distribution of the noise of each row, and the sum of logarithms of their sums."""
        logs = self.grid.log_weights - 0.5 * squares / error
        largest = logs.max(axis=1, keepdims=True)
        share = np.exp(logs - largest)
        sums = share.sum(axis=1, keepdims=True)
        return share / sums, float((largest + np.log(sums)).sum())

    def log_prior(self, scales: Vector, moments: Matrix) -> Matrix:
        """Logarithms of the variances of the coefficients; those of a line are as they came."""
        logs = self._smooth(scales)
        logs[self.free] = np.log(moments[self.free].clip(LEAST_LOUD, MOST_LOUD))
        return logs

    def _smooth(self, scales: Vector) -> Matrix:
        fading = np.exp(scales[2]) * np.arange(POWERS)
        logs: Matrix = scales[0] + scales[1] * self.decays[:, None] - fading
        return logs

    def smoother(self, scales: Vector, moments: Matrix) -> Vector:
        """Scales that suit the coefficients better, by a step of Newton's method."""
        loud = moments * np.exp(-self._smooth(scales))
        slopes = np.where(self.free, 0.0, 0.5 * loud - 0.5)
        bends = np.where(self.free, 0.0, 0.5 * loud.clip(0.3))
        fading = -np.exp(scales[2]) * np.arange(POWERS)
        line, edge = np.vstack((np.ones_like(self.decays), self.decays)), np.ones(POWERS)
        # Moves by log s and a follow the features, those by log b the powers.
        gradient = np.append(line @ slopes @ edge, slopes.sum(axis=0) @ fading)
        gradient -= FIRMNESS * (scales - CENTRE)
        curvature = np.diag(FIRMNESS + 0.5)
        curvature[:2, :2] += (line * bends.sum(axis=1)) @ line.T
        curvature[:2, 2] = curvature[2, :2] = line @ bends @ fading
        curvature[2, 2] += bends.sum(axis=0) @ np.square(fading)
        step = np.linalg.solve(curvature, gradient).clip(-LONGEST_STEP, LONGEST_STEP)
        moved: Vector = scales + step
        moved[1] = min(max(moved[1], ROUGHEST), SMOOTHEST)
        return moved


@dataclass(frozen=True, slots=True, eq=False)
class Upper:
    """Pairs of so many things, either order once."""

    count: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    @classmethod
    def of(cls, count: int) -> Upper:
        """Pairs on and above the diagonal."""
        return cls(count, *np.triu_indices(count))

    @property
    def table(self) -> NDArray[np.intp]:
        """Place of each pair, shape (count, count)."""
        places = np.empty((self.count, self.count), dtype=np.intp)
        places[self.first, self.second] = places[self.second, self.first] = np.arange(
            len(self.first)
        )
        return places

    @property
    def times(self) -> Vector:
        """How often each stands in a whole table."""
        return np.where(self.first == self.second, 1.0, 2.0)

    def products(self, columns: Matrix) -> Matrix:
        """Products of the columns of each pair."""
        found: Matrix = columns[:, self.first] * columns[:, self.second]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Crossed:
    """Pairs of features crossed with pairs of powers, and the whole table that they stand for."""

    whole: NDArray[np.intp]
    straight: tuple[NDArray[np.intp], NDArray[np.intp]]
    turned: tuple[NDArray[np.intp], NDArray[np.intp]]
    times: Matrix

    @classmethod
    def of(cls, features: Upper, powers: Upper) -> Crossed:
        """Places of all products."""
        size = features.count * powers.count
        whole = features.table[:, None, :, None] * len(powers.first)
        whole = (whole + powers.table[None, :, None, :]).reshape(size, size)
        rows, columns = (part[:, None] * powers.count for part in (features.first, features.second))
        return cls(
            whole,
            (rows + powers.first, columns + powers.second),
            (rows + powers.second, columns + powers.first),
            0.5 * features.times[:, None] * powers.times,
        )

    def folded(self, table: Matrix) -> Matrix:
        """Entries of a symmetric table, summed for each pair of features and of powers."""
        found: Matrix = self.times * (table[self.straight] + table[self.turned])
        return found
