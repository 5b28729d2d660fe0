"""Causal direction from distances between kernel embeddings.

The conditional of the effect given the cause is applied to a uniform input. In the causal
direction the joint distribution that comes out is near the one observed and near a uniform
one, more so than in the other direction: the sum of the two squared distances between
embeddings is the smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import MOST_DRAWS, check_integer, check_number
from bqcd.statistics.dependence.gaussian_kernels import gaussian_factor, median_distance
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range

# Integrals over [0, 1] are sums over so many Gauss-Legendre nodes in each of equal panels, of
# two bandwidths at most: exact to ten digits.
_NODES = 12
# Smallest bandwidth as a share of the range, reached only with values far from all others.
_LEAST_BANDWIDTH = 0.01


@dataclass(frozen=True, kw_only=True)
class EMD:
    """Embedding-based causal direction [1]_.

    Parameters
    ----------
    width : float, default=0.2
        Squared bandwidth of the Gaussian kernels over the median distance between values,
        of both columns together, with the columns scaled to run from 0 to 1. Bandwidths
        below 0.01 are raised to that.
    ridge : float, default=0.001
        Regularization of the conditional embedding, times the number of rows.
    draws : int, default=0
        As published, uniform inputs are drawn at random, one for each row; the answer is
        the mean over so many draws. With 0, it is the expectation over all of them, which
        has a closed form.

    References
    ----------
    .. [1] Chen, Zhang, Chan, Schölkopf. Causal discovery via reproducing kernel Hilbert
       space embeddings. Neural Computation 26, 2014.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=500)
    >>> y = x**3 + 0.05 * rng.normal(size=500)
    >>> EMD().decide(Pair(x, y, "side", "volume"), rng).cause
    'side'
    """

    width: float = 0.2
    ridge: float = 1e-3
    draws: int = 0

    def __post_init__(self) -> None:
        """Check the settings."""
        check_number("EMD", "width", self.width, above=0.0, at_most=1e6)
        check_number("EMD", "ridge", self.ridge, above=0.0, at_most=1e6)
        check_integer("EMD", "draws", self.draws, minimum=0, maximum=MOST_DRAWS)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the distances of the two directions."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    def evidence(self, pair: Pair, rng: Generator) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        x, y = unit_range(pair.x), unit_range(pair.y)
        bandwidth = sqrt(self.width * median_distance(x, y, positive=True))
        bandwidth = max(bandwidth, _LEAST_BANDWIDTH)
        drawn = [rng.uniform(size=(2, len(pair))) for _ in range(self.draws)]
        return DirectedScores(
            x_to_y=self._distances(x, y, bandwidth, drawn),
            y_to_x=self._distances(y, x, bandwidth, drawn),
            measure="squared distances of embeddings",
            n_rows=len(pair),
            facts={"bandwidth": bandwidth},
        )

    def _distances(
        self, cause: Vector, effect: Vector, bandwidth: float, drawn: list[Matrix]
    ) -> float:
        """Mean over the draws of uniform inputs, or expectation if there are none."""
        order = row_order(cause, effect)
        distances = partial(_squared_distances, cause[order], effect[order], bandwidth, self.ridge)
        if not drawn:
            return distances(None)
        return sum(distances(inputs) for inputs in drawn) / len(drawn)


def _squared_distances(
    cause: Vector, effect: Vector, bandwidth: float, ridge: float, inputs: Matrix | None
) -> float:
    """Squared distances from the observed to the transformed and on to the uniform embedding.

    Parameters
    ----------
    cause, effect : ndarray of shape (n,)
        Columns that run from 0 to 1.
    bandwidth, ridge : float
        Bandwidth of the kernels, and regularization.
    inputs : ndarray of shape (2, n) or None
        Uniform draws for cause and effect; None for the expectation over them.

    Notes
    -----
    With features φ of the cause, ψ of the effect, s and t for uniform inputs and
    A = (E φφᵀ + ridge)⁻¹ E φψᵀ, the embeddings are E φψᵀ, E φ(s)φ(s)ᵀ A and E φ(s)ψ(t)ᵀ.
    """
    n = len(cause)
    nodes, weights = _uniform_nodes(bandwidth)
    of_cause, of_effect = (nodes, nodes) if inputs is None else inputs
    given = gaussian_factor(np.concatenate((cause, of_cause)), bandwidth)
    target = gaussian_factor(np.concatenate((effect, of_effect)), bandwidth)
    if inputs is None:
        uniform = _expected_moments(given[n:], target[n:], weights, n)
    else:
        uniform = _drawn_moments(given[n:], target[n:])
    given, target = given[:n], target[:n]
    joint = given.T @ target / n
    spread = given.T @ given / n + ridge * np.eye(given.shape[1])
    conditional = np.linalg.solve(spread, joint)
    to_transformed = np.sum(joint * joint) - 2.0 * np.sum(uniform.once @ joint * conditional)
    to_uniform = uniform.joint_square - 2.0 * np.sum(uniform.with_joint * conditional)
    shared = 2.0 * np.sum(uniform.twice @ conditional * conditional)
    return float(to_transformed + shared + to_uniform)


@dataclass(frozen=True, slots=True)
class _UniformMoments:
    """Moments of the features φ, ψ of uniform inputs s and t, of which there are n.

    Parameters
    ----------
    once : ndarray of shape (r, r)
        M = mean of φ(s) φ(s)ᵀ.
    twice : ndarray of shape (r, r)
        M², or its expectation.
    with_joint : ndarray of shape (r, q)
        M times the mean of φ(s) ψ(t)ᵀ, or its expectation.
    joint_square : float
        Squared norm of that mean, or its expectation.
    """

    once: Matrix
    twice: Matrix
    with_joint: Matrix
    joint_square: float


def _drawn_moments(given: Matrix, target: Matrix) -> _UniformMoments:
    """Moments of inputs whose features are the rows."""
    once, joint = given.T @ given / len(given), given.T @ target / len(given)
    return _UniformMoments(once, once @ once, once @ joint, float(np.sum(joint * joint)))


def _expected_moments(given: Matrix, target: Matrix, weights: Vector, n: int) -> _UniformMoments:
    """Expectation of the moments of n inputs, by integrals over features at nodes.

    Features have norm 1. Of the n² products of two inputs, n are of one with itself: these
    are what the shares of 1 / n stand for.
    """
    once = given.T @ (weights[:, None] * given)
    cause, effect = weights @ given, weights @ target
    own = 1.0 / n
    joint_square = (1.0 - own) * float(cause @ cause) * float(effect @ effect) + own
    with_cause = (1.0 - own) * (once @ cause) + own * cause
    twice = (1.0 - own) * (once @ once) + own * once
    return _UniformMoments(once, twice, np.outer(with_cause, effect), joint_square)


def _uniform_nodes(bandwidth: float) -> tuple[Vector, Vector]:
    """Nodes and weights of integrals over [0, 1] of what varies by the bandwidth."""
    panels = ceil(0.5 / bandwidth)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    starts = np.arange(panels)[:, None]
    return (
        ((starts + 0.5 * (nodes + 1.0)) / panels).ravel(),
        np.tile(0.5 * weights / panels, panels),
    )


CARDS = (
    MethodCard(
        name="emd",
        build=EMD,
        assumes="Y given X, applied to uniform inputs, stays near the data and near uniform",
        reference="Chen et al.: Causal discovery via reproducing kernel Hilbert space "
        "embeddings, Neural Computation 2014",
        cost="n log n",
        seconds=0.003,
        seconds_beyond=(0.033, 0.48, 6.6),
        varies=5e-14,
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""The expectation over uniform inputs, which draws nothing."""
