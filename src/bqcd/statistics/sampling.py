"""Samples of a density from Markov chains, and whether the chains agree.

The chains are Hamiltonian [1]_: a state moves along a few steps of the motion of a particle
in the landscape of the log density, and where it arrives is accepted or not such that the
density stays as it is, whatever the error of the steps. The size of the steps is fitted while
the chains warm up [2]_ and is fixed afterwards. Whether chains agree, and how many
independent draws they are worth, is told from the ranks of a quantity along halves of each
chain [3]_.

References
----------
.. [1] Neal. MCMC using Hamiltonian dynamics. Handbook of Markov Chain Monte Carlo, 2011.
.. [2] Hoffman, Gelman. The No-U-Turn sampler: adaptively setting path lengths in Hamiltonian
   Monte Carlo. JMLR 15, 2014.
.. [3] Vehtari, Gelman, Simpson, Carpenter, Bürkner. Rank-normalization, folding, and
   localization: an improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16, 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp, inf, isfinite, log, log10, pi, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector

# Share of proposals to accept, first step, and constants of the search for the step that does
# so: dual averaging with the published ones.
TARGET = 0.8
FIRST_STEP = 0.3
GAIN, DELAY, FORGETTING = 0.05, 10.0, 0.75
# Longest trajectory, of which a random share from a half to all is travelled: 0.4 of the period
# of a particle whose covariance is as told. And most steps along it.
LENGTH = 0.8 * pi
MOST_STEPS = 24
# A trajectory along which the log density falls so far is given up.
HOPELESS = 1000.0
# Shares of the warm-up after which the covariance is fitted anew.
REFITS = (0.15, 0.4, 0.8)


@dataclass(frozen=True, slots=True)
class Target:
    """Density to sample from, and how to move about.

    Parameters
    ----------
    log_density : callable
        Returns the log density, but for a constant, and its gradient at a state of shape (d,).
    root : callable, optional
        Returns a matrix R of shape (d, k), k <= d, with R Rᵀ about the covariance of the
        states near a state. Trajectories move along its columns, and it may depend on those
        coordinates only that they leave alone. By default it is fitted to all chains while
        they warm up, each about its own mean, from the identity on.
    refresh : callable, optional
        Returns the state to go to from a state, given a Generator, by a move that leaves the
        density as it is. Made after each trajectory.
    """

    log_density: Callable[[Vector], tuple[float, Vector]]
    root: Callable[[Vector], Matrix] | None = None
    refresh: Callable[[Vector, Generator], Vector] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Chains after their warm-up.

    Parameters
    ----------
    states : ndarray of shape (n_chains, n_kept, d)
        Visited states.
    log_densities : ndarray of shape (n_chains, n_kept)
        Log density of each, but for a constant.
    accepted : float
        Mean acceptance probability of the trajectories.
    """

    states: NDArray[np.float64]
    log_densities: Matrix
    accepted: float


def hamiltonian_chains(
    target: Target, starts: Matrix, *, warmup: int, kept: int, rngs: Sequence[Generator]
) -> Chains:
    """Chains that visit states as often as the target's density says.

    Parameters
    ----------
    target : Target
        Log density with its gradient.
    starts : ndarray of shape (n_chains, d)
        First state of each chain. Chains that start far apart and yet agree are the best
        sign that they have forgotten where they came from.
    warmup, kept : int
        States of each chain that are left out, and that are kept.
    rngs : sequence of Generator
        Source of randomness of each chain.

    Examples
    --------
    >>> normal = Target(lambda state: (-0.5 * float(state @ state), -state))
    >>> rngs = np.random.default_rng(0).spawn(4)
    >>> chains = hamiltonian_chains(normal, np.ones((4, 2)), warmup=100, kept=200, rngs=rngs)
    >>> chains.states.shape
    (4, 200, 2)
    """
    particles = [_Particle(target, start, rng) for start, rng in zip(starts, rngs, strict=True)]
    root = np.eye(starts.shape[1])
    ends = [*(round(share * warmup) for share in REFITS), warmup]
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        runs = [particle.run(end - begin, root, adapt=True) for particle in particles]
        if target.root is None and begin < end < warmup:
            root = _fitted_root(np.stack([run.states for run in runs]), root)
    runs = [particle.run(kept, root, adapt=False) for particle in particles]
    return Chains(
        states=np.stack([run.states for run in runs]),
        log_densities=np.stack([run.log_densities for run in runs]),
        accepted=float(np.mean([run.accepted for run in runs])),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """States one after the other, their log densities, and the mean acceptance probability."""

    states: Matrix
    log_densities: Vector
    accepted: float


class _Particle:
    """Where one chain is, and the step it moves by."""

    def __init__(self, target: Target, start: Vector, rng: Generator) -> None:
        self._target = target
        self._rng = rng
        self._step = FIRST_STEP
        self._go_to(start)

    def run(self, n: int, root: Matrix, *, adapt: bool) -> _Run:
        """The next n states.

        To ``adapt`` is to search for the step on the way and to keep the one that is found.
        """
        states, values = np.empty((n, len(self._state))), np.empty(n)
        search, accepted = _StepSearch(self._step), 0.0
        for at in range(n):
            local = root if self._target.root is None else self._target.root(self._state)
            probability = self._travel(local)
            accepted += probability
            if adapt:
                self._step = search.next_step(probability)
            if self._target.refresh is not None:
                self._go_to(self._target.refresh(self._state, self._rng))
            states[at], values[at] = self._state, self._value
        if adapt and n > 0:
            self._step = search.settled
        return _Run(states, values, accepted / max(n, 1))

    def _go_to(self, state: Vector) -> None:
        self._state = state
        self._value, self._slope = self._target.log_density(state)

    def _travel(self, root: Matrix) -> float:
        """Propose the end of a trajectory and go there or stay; probability to go."""
        speed = self._rng.standard_normal((root.shape[1],))
        share, chance = self._rng.uniform(size=2)
        n_steps = ceil(0.5 * (1.0 + share) * LENGTH / self._step)
        energy = 0.5 * float(speed @ speed) - self._value
        state, value, slope = self._state, self._value, self._slope
        for _ in range(min(n_steps, MOST_STEPS)):
            speed = speed + (0.5 * self._step) * (slope @ root)
            state = state + self._step * (root @ speed)
            value, slope = self._target.log_density(state)
            if not value > self._value - HOPELESS:
                return 0.0
            speed = speed + (0.5 * self._step) * (slope @ root)
        gain = energy - (0.5 * float(speed @ speed) - value)
        probability = exp(min(gain, 0.0)) if isfinite(gain) else 0.0
        if chance < probability:
            self._state, self._value, self._slope = state, value, slope
        return probability


class _StepSearch:
    """Steps whose mean acceptance probability tends to the target."""

    def __init__(self, first: float) -> None:
        self._centre = log(10.0 * first)
        self._error, self._mean, self._count = 0.0, log(first), 0

    def next_step(self, probability: float) -> float:
        """Step to try after one with this acceptance probability."""
        self._count += 1
        self._error += (TARGET - probability - self._error) / (self._count + DELAY)
        logarithm = self._centre - sqrt(self._count) / GAIN * self._error
        self._mean += self._count**-FORGETTING * (logarithm - self._mean)
        return exp(logarithm)

    @property
    def settled(self) -> float:
        """Mean of the steps tried, of which late ones count more."""
        return exp(self._mean)


def _fitted_root(visited: NDArray[np.float64], root: Matrix) -> Matrix:
    """Root of the covariance of states about the mean of their chain, from the later half.

    Correlations are shrunk as if five uncorrelated states had been seen as well; a trace of
    the former covariance stands in where no chain has moved.
    """
    later = visited[:, visited.shape[1] // 2 :]
    apart = (later - later.mean(axis=1, keepdims=True)).reshape(-1, visited.shape[2])
    squares = apart.T @ apart
    shrunk = squares + 5.0 * np.diag(np.diag(squares)) / len(apart)
    fitted: Matrix = np.linalg.cholesky(shrunk / (len(apart) + 5.0) + 1e-10 * root @ root.T)
    return fitted


def split_rhat(draws: Matrix) -> float:
    """Rank-normalised split R-hat of one quantity: 1 if the chains agree, more if not.

    The larger one of two: of the values, which sees chains in different places, and of their
    distances from the median, which sees chains of different spread. Below 1.01 is good. It is
    infinite if no chain moves and they are not all in one place.

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n)
        Values along each chain, at least four. Each half of a chain counts as a chain.

    Examples
    --------
    >>> agreeing = np.random.default_rng(0).normal(size=(4, 500))
    >>> apart = agreeing + np.array([[0.0], [0.0], [0.0], [3.0]])
    >>> split_rhat(agreeing) < 1.01, split_rhat(apart) > 1.2
    (True, True)
    """
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_rhat(_normal_ranks(halves)), _rhat(_normal_ranks(folded)))


def effective_sample_size(draws: Matrix) -> float:
    """Number of independent draws that would tell the mean as precisely.

    Of the values' normal scores, so that it exists for any distribution ("bulk").

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n)
        Values along each chain, at least four. Each half of a chain counts as a chain.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(4, 500))
    >>> 1700 < effective_sample_size(draws) < 2400
    True
    """
    scores = _normal_ranks(_split(draws))
    n_chains, n = scores.shape
    within = float(scores.var(axis=1, ddof=1).mean())
    if within == 0.0:
        return float(n_chains)
    total = within * (n - 1) / n + float(scores.mean(axis=1).var(ddof=1))
    covariances = _autocovariances(scores).mean(axis=0)
    time = _correlation_time(1.0 - (within - covariances) / total)
    return float(scores.size / max(time, 1.0 / log10(scores.size)))


def _correlation_time(correlations: Vector) -> float:
    """Sum of correlations at all lags, from sums of neighbours while these are positive."""
    correlations[0] = 1.0
    n = len(correlations)
    pairs = correlations[: n - n % 2].reshape(-1, 2).sum(axis=1)
    # The last lags, of which few pairs of values tell, are left out.
    last = max((n - 3) // 2, 0)
    negative = np.flatnonzero(pairs[:last] <= 0.0)
    end = int(negative[0]) if len(negative) else last
    time = -1.0 + 2.0 * float(np.minimum.accumulate(pairs[:end]).sum())
    return time + max(float(correlations[2 * end]), 0.0)


def _split(draws: Matrix) -> Matrix:
    """First and second halves of the chains as chains; the middle of an odd number is left out."""
    half = draws.shape[1] // 2
    return np.concatenate((draws[:, :half], draws[:, draws.shape[1] - half :]))


def _normal_ranks(draws: Matrix) -> Matrix:
    """Normal scores of the ranks among all values; equal values share their mean rank."""
    from scipy.special import ndtri

    _, places, counts = np.unique(draws, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - 0.5 * (counts - 1.0))[places].reshape(draws.shape)
    scores: Matrix = ndtri((ranks - 0.375) / (draws.size + 0.25))
    return scores


def _rhat(draws: Matrix) -> float:
    """Root of total over within-chain variance; 1 if nothing varies."""
    n = draws.shape[1]
    within = float(draws.var(axis=1, ddof=1).mean())
    between = float(draws.mean(axis=1).var(ddof=1))
    if within == 0.0:
        return 1.0 if between == 0.0 else inf
    return sqrt((n - 1) / n + between / within)


def _autocovariances(draws: Matrix) -> Matrix:
    """Autocovariances of each chain at lags 0 to n - 1, sums divided by n."""
    n = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=1)
    covariances: Matrix = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n, axis=1)[:, :n] / n
    return covariances
