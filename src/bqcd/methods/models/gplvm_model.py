r"""Evidence of an effect whose noise is a hidden input of a smooth function, averaged over both.

The effect is :math:`y = f(x, w) + e` with a hidden :math:`w \sim N(0, 1)` and an error
:math:`e \sim N(0, \sigma^2)` per row. With features :math:`\phi_j` of the cause and
:math:`\psi_k` of the hidden noise,

.. math:: f(x, w) = \sum_{jk} \beta_{jk} \phi_j(x) \psi_k(w), \quad
          \beta_{jk} \sim N(0, s_{g(j,k)} \lambda_j \mu_k).

On either side the features are 1, the input itself, and the principal axes of a Gaussian kernel
under the distribution of the input, of variances :math:`\lambda_j` and :math:`\mu_k`: all smooth
functions, as rough as the length of the kernel allows. Coefficients are in nine groups by what
both features are, each with a scale s of its own. So noise that is added, that grows with the
cause, and that enters anywhere are one model with other scales, and a cause that tells nothing
is as good as none. Without a cause its only feature is 1.

The logarithm of the evidence is bounded from below by variational Bayes: f and the hidden noise
are taken for independent given the data, f as a Gaussian, the noise of a row as any distribution
on a grid. Both are found in turn, with the error and the scales between them; lengths are tried
from time to time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from bqcd.methods.models.gplvm_axes import (
    CAUSE_AXES,
    KINDS,
    Axes,
    bell_axes,
    constant,
    noise_axes,
    noise_grid,
)
from bqcd.methods.models.gplvm_products import Crossed
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.positive_matrices import cholesky, inverse, solved

# Lengths of the kernels that are tried, in deviations, each a neighbour of the next.
CAUSE_LENGTHS = tuple(0.25 * 2.0 ** (0.5 * step) for step in range(9))
NOISE_LENGTHS = tuple(0.7 * 2.0 ** (0.5 * step) for step in range(7))
# Steps from one trial of lengths to the next, and nats that a step gains at least until the end.
TRIALS_EVERY, LEAST_GAIN = 4, 0.01
# Width in normal scores of the neighbourhood in which rows are ranked for a start.
NEIGHBOURHOOD, LEAST_RANK, FIRST_SPREAD = 0.3, 0.003, 0.3
FIRST_ERROR, LEAST_ERROR = 0.05, 1e-4
# Scales of the groups: where they start, their ends, and the longest step of their logarithms.
FIRST_SCALE, LEAST_SCALE, MOST_SCALE, LONGEST_STEP = 0.3, 1e-6, 1e3, 1.5
LEAST_FREE = 1e-3


class Lengths(NamedTuple):
    """Places of the two lengths among those that are tried."""

    cause: int
    noise: int


FIRST_LENGTHS = Lengths(4, 2)


def log_evidence(target: Vector, given: Vector | None = None, *, steps: int = 40) -> float:
    """Bound on the logarithm of the density of a column, given another one or by itself.

    Parameters
    ----------
    target : ndarray of shape (n,)
        Column of mean 0 and variance 1.
    given : ndarray of shape (n,), optional
        Its cause, of mean 0 and variance 1.
    steps : int, default=40
        Times that function, noise and scales are found in turn, at most.

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
    search, bound = Search(target, given), -np.inf
    for step in range(steps):
        before, found = bound, search.fit()
        if found is None:
            return -np.inf
        bound = found.value + search.spread
        if step and step % TRIALS_EVERY == 0:
            best = search.try_lengths(found)
            if best is found and bound - before < LEAST_GAIN:
                break
            found, bound = best, best.value + search.spread
        search.follow(found)
    return bound


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """The function given the noise: a Gaussian for its coefficients, in rows of features.

    ``value`` is the logarithm of what the data are expected to be worth, averaged over functions.
    """

    mean: Matrix
    factor: Matrix
    value: float

    @property
    def covariance(self) -> Matrix:
        """Covariance of the coefficients."""
        return inverse(self.factor)


class Model:
    """A column, features of its cause and of its noise, and products of them."""

    def __init__(self, target: Vector, cause: Axes, noise: Axes) -> None:
        self.target, self.cause, self.noise = target, cause.features, noise.features
        self.log_variances = cause.log_variances[:, None] + noise.log_variances
        self.groups = KINDS * cause.kinds[:, None] + noise.kinds
        self.crossed = Crossed.of(self.cause.shape[1], self.noise.shape[1])
        self.cause_products = self.crossed.rows.products(self.cause)
        self.noise_products = self.crossed.columns.products(self.noise)

    def log_prior(self, log_scales: Vector) -> Matrix:
        """Logarithms of the variances of the coefficients."""
        logs: Matrix = self.log_variances + log_scales[self.groups]
        return logs

    def function(self, share: Matrix, error: float, log_scales: Vector) -> Function | None:
        """Coefficients given the noise, None if the arithmetic fails."""
        log_prior = self.log_prior(log_scales)
        sums = self.cause_products.T @ (share @ self.noise_products)
        precision = sums.ravel()[self.crossed.whole] / error
        precision[np.diag_indices_from(precision)] += np.exp(-log_prior).ravel()
        factor = cholesky(precision)
        if factor is None:
            return None
        drift = self.cause.T @ ((share @ self.noise) * self.target[:, None]) / error
        mean = solved(factor, drift.ravel()).reshape(drift.shape)
        size = len(self.target) * log(2.0 * pi * error) + float(self.target @ self.target) / error
        width = 2.0 * float(np.log(np.diag(factor)).sum()) + float(log_prior.sum())
        return Function(mean, factor, 0.5 * (float((mean * drift).sum()) - size - width))

    def expected_squares(self, found: Function, covariance: Matrix) -> Matrix:
        """Squared distances to the function, on average, for each place of the noise."""
        distances = self.target[:, None] - (self.cause @ found.mean) @ self.noise.T
        spreads = self.cause_products @ self.crossed.folded(covariance)
        squares: Matrix = np.square(distances) + spreads @ self.noise_products.T
        return squares

    def better_scales(self, log_scales: Vector, found: Function, covariance: Matrix) -> Vector:
        """Scales of the groups that suit the coefficients better.

        A scale is the mean square of coefficients, of which as many count as the data determine.
        """
        spreads = np.diag(covariance).reshape(found.mean.shape)
        free = 1.0 - spreads * np.exp(-self.log_prior(log_scales))
        squares = np.square(found.mean) * np.exp(-self.log_variances)
        counts, frees, sums = (
            np.bincount(self.groups.ravel(), part.ravel(), minlength=len(log_scales))
            for part in (np.ones_like(free), free, squares)
        )
        scales = sums / np.maximum(frees, LEAST_FREE * np.maximum(counts, 1.0))
        logs = np.log(scales.clip(LEAST_SCALE, MOST_SCALE))
        return np.where(
            counts > 0, logs.clip(log_scales - LONGEST_STEP, log_scales + LONGEST_STEP), log_scales
        )


class Search:
    """What has been found so far: lengths, function, noise, error and scales."""

    def __init__(self, target: Vector, given: Vector | None) -> None:
        self.target, self.given = target, given
        self.lengths, self.error = FIRST_LENGTHS, FIRST_ERROR
        self.log_scales = np.full(KINDS * KINDS, log(FIRST_SCALE))
        self.share = first_share(target, given)
        self.spread = _entropy(self.share)
        self._causes: dict[int, Axes] = {}
        self.model = self._model(self.lengths)

    def fit(self) -> Function | None:
        """The function given all else, None if the arithmetic fails."""
        return self.model.function(self.share, self.error, self.log_scales)

    def follow(self, found: Function) -> None:
        """Find noise, error and scales given the function."""
        covariance = found.covariance
        squares = self.model.expected_squares(found, covariance)
        self.share = shares(squares, self.error)
        self.spread = _entropy(self.share)
        self.error = max(float((self.share * squares).sum()) / len(self.target), LEAST_ERROR)
        self.log_scales = self.model.better_scales(self.log_scales, found, covariance)

    def try_lengths(self, found: Function) -> Function:
        """Take a neighbouring length of either kernel where the data are worth more by it."""
        for side in ("noise",) if self.given is None else ("cause", "noise"):
            for step in (-1, 1):
                lengths = self.lengths._replace(**{side: getattr(self.lengths, side) + step})
                other = self._with(lengths)
                if other is not None and other[1].value - found.value >= LEAST_GAIN:
                    (self.model, found), self.lengths = other, lengths
                    break
        return found

    def _with(self, lengths: Lengths) -> tuple[Model, Function] | None:
        """Model and function of other lengths, None if there are no such."""
        tried = lengths.cause in range(len(CAUSE_LENGTHS)) and lengths.noise in range(
            len(NOISE_LENGTHS)
        )
        if not tried:
            return None
        model = self._model(lengths)
        found = model.function(self.share, self.error, self.log_scales)
        return None if found is None else (model, found)

    def _model(self, lengths: Lengths) -> Model:
        noise = noise_axes(NOISE_LENGTHS[lengths.noise])
        return Model(self.target, self._cause(lengths.cause), noise)

    def _cause(self, place: int) -> Axes:
        """Axes of the cause, made once for each length."""
        n = len(self.target)
        if self.given is None:
            return constant(n)
        if place not in self._causes:
            weights, length = np.full(n, 1.0 / n), CAUSE_LENGTHS[place]
            self._causes[place] = bell_axes(self.given, weights, length, CAUSE_AXES)
        return self._causes[place]


def shares(squares: Matrix, error: float) -> Matrix:
    """Distribution of the noise of each row on its grid, given squared distances."""
    logs = noise_grid().log_weights - 0.5 * squares / error
    return _distributions(logs - logs.max(axis=1, keepdims=True))


def _distributions(logs: Matrix) -> Matrix:
    """Shares of the places in each row, from their logarithms up to a constant."""
    share = np.exp(logs)
    found: Matrix = share / share.sum(axis=1, keepdims=True)
    return found


def _entropy(share: Matrix) -> float:
    """Nats from the distributions of the noise to what it is before anything is seen, negative."""
    logs = np.log(np.maximum(share, np.finfo(np.float64).tiny))
    return float((share * (noise_grid().log_weights - logs)).sum())


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
    return _distributions(-0.5 * np.square(gaps))
