"""GPI: the noise as a hidden input of a smooth function, by description length.

Any effect is a function of its cause and of a noise that knows nothing of the cause. The
direction in which cause, noise and function together are described in fewer nats is taken for
the causal one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf, log, sqrt

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.draws import check_draws, drawn_columns, mean_lengths
from bqcd.methods.models.gpi_model import (
    Curvature,
    Fit,
    curvature,
    fit,
    gradient,
    scale_curvature,
)
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_STEPS, check_flag, check_integer
from bqcd.runtime.threads import one_blas_thread
from bqcd.statistics.codes.mixtures import shortest_mixture
from bqcd.statistics.gaussian_process import posterior_mean, trained_covariance
from bqcd.statistics.scaling import unit_variance

Columns = tuple[Vector, Vector]

FIRST_SCALES = (10.0, 10.0, 100.0)
"""Signal and length scales of cause and noise where the search starts."""
# With curvature, steps that change the scales alone, before those that change the noise too.
SCALE_STEPS = 20
# Longest step in a logarithm of a scale and in the noise of a row.
LONGEST_LOG, LONGEST_NOISE = 0.5, 1.0
# Shortest share of a step that is tried.
SHORTEST = 1e-8
# Steps remembered, and steps between two curvatures.
MEMORY, RENEWAL = 20, 5
# The search ends after so many steps in a row that gain less, in nats.
MOST_IDLE, LEAST_GAIN = 5, 0.02


@dataclass(frozen=True, kw_only=True)
class GPI:
    """Probabilistic latent variable model with minimum message length: GPI-MML [1]_.

    Parameters
    ----------
    max_rows : int, default=1000
        Most rows used at once, 10 or more, drawn by chance; 0 takes all. Time grows in
        proportion.
    draws : int, default=3
        Subsets of rows if there are more; lengths are averaged.
    max_steps : int, default=200
        Most steps of the search for noise and scales, in each direction.
    preconditioned : bool, default=False
        Whether the search knows the curvature of the model. It then gets farther in as many
        steps, which is not for the better; see the notes.
    max_components : int, default=50
        Gaussians that the mixture for the cause starts with.

    Notes
    -----
    Columns are scaled to mean 0 and variance 1. The cause is described by a mixture of
    Gaussians of least message length [2]_. The effect is y = f(x, e): the noise e has a value
    for each row, a standard Gaussian one, and f is a Gaussian process that rises with e. Noise
    and scales of the process are searched for together, with analytic gradients (L-BFGS), from
    the residuals of a regression; ``gpi_model`` has the formulas. If the arithmetic fails, the
    method abstains. The confidence is the difference of the two lengths in nats, which grows
    with the rows.

    The published search, 500 evaluations by conjugate gradients, ends before the bottom of
    the valley, and the accuracies rest on that: the wrong direction is often the harder one to
    search. The plain search is like it. With ``preconditioned=True`` lengths are shorter, by
    tens of nats, but on data of the SIM-G kind fewer answers are right.

    References
    ----------
    .. [1] Mooij, Stegle, Janzing, Zhang, Schölkopf. Probabilistic latent variable models for
       distinguishing between cause and effect. NIPS 2010.
    .. [2] Figueiredo, Jain. Unsupervised learning of finite mixture models. IEEE Transactions
       on Pattern Analysis and Machine Intelligence, 2002.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 300)
    >>> y = (x + x**3) * np.exp(0.3 * rng.normal(size=300))
    >>> GPI(max_rows=100, max_steps=50).decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    max_rows: int = 1000
    draws: int = 3
    max_steps: int = 200
    preconditioned: bool = False
    max_components: int = 50

    def __post_init__(self) -> None:
        """Check the settings."""
        check_draws("GPI", self.max_rows, self.draws)
        check_integer("GPI", "max_steps", self.max_steps, minimum=0, maximum=MOST_STEPS)
        check_flag("GPI", "preconditioned", self.preconditioned)
        check_integer("GPI", "max_components", self.max_components, minimum=1, maximum=1_000)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the lengths of the two directions."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    @one_blas_thread()
    def evidence(self, pair: Pair, rng: Generator) -> DirectedScores:
        """The numbers behind :meth:`decide`; both are 0 if one could not be computed."""
        drawn = drawn_columns(pair, rng, max_rows=self.max_rows, draws=self.draws)
        seeds = rng.integers(2**32, size=len(drawn)).tolist()
        lengths = [
            (*self._lengths(a, b, seed), *self._lengths(b, a, seed))
            for (a, b), seed in zip(drawn, seeds, strict=True)
        ]
        return mean_lengths(drawn, lengths, "description length in nats")

    def _lengths(self, cause: Vector, effect: Vector, seed: int) -> tuple[float, float]:
        """Description lengths of the cause and of the effect given the cause."""
        order = np.lexsort((effect, cause))
        given, target = unit_variance(cause)[order], unit_variance(effect)[order]
        rng = np.random.default_rng(seed)
        return (
            shortest_mixture(given, max_components=self.max_components, rng=rng).length,
            conditional_length(
                given, target, max_steps=self.max_steps, preconditioned=self.preconditioned
            ),
        )


def conditional_length(
    cause: Vector, effect: Vector, *, max_steps: int = 200, preconditioned: bool = False
) -> float:
    """Nats for the effect given the cause, infinite if the arithmetic fails.

    Parameters
    ----------
    cause, effect : ndarray of shape (n,)
        Columns of mean 0 and variance 1.
    max_steps : int, default=200
        Most steps of the search for noise and scales.
    preconditioned : bool, default=False
        Whether the search knows the curvature of the model.

    Examples
    --------
    >>> x = np.linspace(-1.7, 1.7, 50)
    >>> curve, zigzag = x**3 - 2.0 * x, np.cos(40.0 * x)
    >>> conditional_length(x, curve) < conditional_length(x, zigzag)
    True
    """
    covariance = trained_covariance(cause, effect)
    residuals = effect - posterior_mean(cause, effect, covariance)
    spread = float(np.std(residuals, ddof=1))
    noise = residuals / spread if spread > 0.0 else residuals
    columns = cause, effect
    at = fit(np.concatenate((np.log(FIRST_SCALES), noise)), *columns)
    if at is None:
        return inf
    if preconditioned:
        near = at.point.copy()
        near[1] = min(near[1], log(covariance.length))
        at = _with_scales(fit(near, *columns) or at, columns)
    return _with_noise(at, columns, max_steps, preconditioned=preconditioned).length


def _with_scales(at: Fit, columns: Columns) -> Fit:
    """Fit with the scales searched for, the noise as it is."""
    for _ in range(SCALE_STEPS):
        slopes = gradient(at)
        step = np.zeros_like(slopes)
        step[:3] = -np.linalg.solve(scale_curvature(at), slopes[:3])
        there = _lower(at, slopes, step, columns)
        if there is None:
            break
        gain, at = at.length - there.length, there
        if gain < 1.0:
            break
    return at


def _with_noise(at: Fit, columns: Columns, max_steps: int, *, preconditioned: bool) -> Fit:
    """Fit with noise and scales searched for together."""
    slopes, path, idle = gradient(at), _Path(), 0
    for taken in range(max_steps):
        if preconditioned and taken % RENEWAL == 0:
            path.curvature = curvature(at)
        there = _lower(at, slopes, -path.solve(slopes), columns)
        if there is None:
            if not path.moves:
                break
            # What was remembered led nowhere.
            path.moves.clear()
            continue
        next_slopes = gradient(there)
        path.remember(there.point - at.point, next_slopes - slopes)
        idle = idle + 1 if at.length - there.length < LEAST_GAIN else 0
        at, slopes = there, next_slopes
        if idle == MOST_IDLE:
            break
    return at


class _Path:
    """Steps taken and what they changed: L-BFGS, on top of a curvature if there is one."""

    def __init__(self) -> None:
        self.curvature: Curvature | None = None
        self.moves: deque[tuple[Vector, Vector, float]] = deque(maxlen=MEMORY)

    def remember(self, move: Vector, change: Vector) -> None:
        """Keep a step and its change of the gradient, if the slope rose along it."""
        product = float(move @ change)
        if product > 1e-10 * sqrt(float(move @ move) * float(change @ change)):
            self.moves.append((move, change, product))

    def solve(self, slopes: Vector) -> Vector:
        """Step that would raise the gradient by ``slopes``."""
        left, shares = slopes.copy(), []
        for move, change, product in reversed(self.moves):
            shares.append(float(move @ left) / product)
            left -= shares[-1] * change
        step = self._first(left)
        for (move, change, product), share in zip(self.moves, reversed(shares), strict=True):
            step += (share - float(change @ step) / product) * move
        return step

    def _first(self, slopes: Vector) -> Vector:
        """The same before anything is remembered, but for the scale."""
        if self.curvature is not None:
            return self.curvature.solve(slopes)
        if not self.moves:
            return slopes / max(1.0, sqrt(float(slopes @ slopes)))
        _, change, product = self.moves[-1]
        return slopes * (product / float(change @ change))


def _lower(at: Fit, slopes: Vector, step: Vector, columns: Columns) -> Fit | None:
    """Fit farther down along a step, None if there is none."""
    descent = float(slopes @ step)
    if not descent < 0.0:
        return None
    longest = np.abs(step[:3]).max() / LONGEST_LOG, np.abs(step[3:]).max() / LONGEST_NOISE
    share = 1.0 / max(1.0, *longest)
    while share > SHORTEST:
        there = fit(at.point + share * step, *columns)
        gap = inf if there is None else there.length - at.length
        if there is not None and gap <= 1e-4 * share * descent:
            return there
        # Where the parabola through both lengths and the slope is lowest.
        best = -0.5 * descent * share**2 / (gap - descent * share)
        share = min(max(best, 0.1 * share), 0.5 * share)
    return None


CARDS = (
    MethodCard(
        name="gpi",
        build=GPI,
        assumes="Y = f(X, noise), f smooth and rising with a Gaussian noise",
        reference="Mooij et al.: Probabilistic latent variable models for distinguishing between "
        "cause and effect, NIPS 2010",
        cost="n log n",
        unchanged_by=frozenset({"shift and scale"}),
        uses_chance=True,
        seconds=2.5,
        seconds_beyond=(4.6, 4.3, 7.4),
        varies=0.3,
        note="Fails on AN-s as published (0.11 there, 0.10 here). MN-U is .99 on 100 pairs, .90 in "
        "print, and the Tübingen pairs .68, .60 in print: above it, for reasons not found.",
        chosen={
            "max_steps": "where the search stops was chosen on the pairs 1 to 25 of SIM-G and AN-s",
            "preconditioned": "the plain search, as it comes nearer to the published "
            "accuracies on the same pairs",
        },
    ),
)
"""As published, but for the search."""
