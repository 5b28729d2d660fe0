r"""How rarely a direction that nobody can know would compress this much better.

**The inequality.** Let P be a distribution of the data and L any code length in nats that was
fixed before the data were seen (the sum of exp(-L) is at most 1). Under P the chance that L is
at least K nats shorter than -log P is at most exp(-K): the no-hypercompression inequality
[1]_. It is Markov's inequality for exp(-L) / P, whose mean is at most 1, and holds for any
number of rows.

**The codes.** The pinball score of a quantile q at level t is the code length of the asymmetric
Laplace density t (1 - t) exp(-score) of scale 1, less its constant -log(t (1 - t)). A direction
therefore needs n S nats and a constant, where S is its mean score, and a mean over levels is a
code length too: a weighted geometric mean of densities has a total mass of at most 1. What is
taken here:

* the scale is 1 on the scale of the normal scores, not fitted, so that the constants are the
  same for both directions and cancel; so do the marginal scores, as both columns have the same
  normal scores;
* model code lengths are left out: with the copula both directions read their quantiles off one
  fitted density, whose cost is the same for both, and other regressors are of one kind and size
  in both directions. The gap is therefore n times the difference of the two mean scores.

``exp(-gap)`` bounds the chance of such a gap *if the data followed the losing direction's code*.
That is a theorem for codes fixed beforehand. It is not one here, for two reasons: the quantiles
are fitted to the same rows, and real data follow neither of the two codes. Where the direction
cannot be known, as in linear Gaussian pairs, the gap grows like the root of n, and with
10,000 rows ``exp(-gap)`` falls below 0.05 in three to four of ten such pairs.

**What makes it hold.** Where the ranks look the same from both sides in distribution, as those
of linear Gaussian pairs and of independent columns do, the confidence has mean 0, whatever the
number of rows: exchanging the columns flips its sign. If it is normal too, then

.. math:: P(|C| \ge c) \le \exp(-c^2 / 2 v),

where v is its variance: Chernoff's bound for one side, which in a normal variable has room for
both. The variance is taken from random halves of the rows:
the mean of n/2 of n rows drawn without replacement has, around the mean of all n, the variance
of the latter. That the confidence is nearly normal and its variance well estimated is an
approximation, checked by simulation (``benchmarks/assess_size.py``); the bound leaves room for
it, as 0.05 corresponds to 2.45 standard deviations and not to 1.96. The ``p_bound`` is the larger
one of both bounds, so that neither theorem nor approximation is relied on alone.

**What it does not say.** A small ``p_bound`` rules out that chance alone made one direction
shorter in ranks that look the same from both sides. It does not say that the shorter direction
is the causal one: of pairs like SIM, whose mechanisms bQCD fits less well, up to a third of the
significant directions are wrong, and a hidden common cause can be significant in either.

**Ties.** If one column is rounded more coarsely than the other, the ranks no longer look the
same from both sides, and rounding alone shifts the confidence. How far is found by asking the
method about linear Gaussian pairs with the same rank correlation, rounded to groups of the same
sizes. Only what lies beyond this shift counts, in either bound.

References
----------
.. [1] Grünwald. The minimum description length principle. MIT Press, 2007, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.contract import Verdict
from bqcd.discovery import BQCD
from bqcd.evidence import QuantileEvidence
from bqcd.normal_scores import Ties, rank_pair
from bqcd.pair import Pair
from bqcd.seeding import seed_from, seeded_generator
from bqcd.settings import MOST_REPEATS, check_integer

if TYPE_CHECKING:
    from bqcd.assessments.resampling import HalfSamples

Vector = NDArray[np.float64]
Order = NDArray[np.int32]

# Terms of the correlation's power series; the coefficients of coarse groups fall slowest.
_TERMS = 60
_LARGEST_CORRELATION = 0.999
# Gaussian pairs that tell what ties do.
_REFERENCES = 4


@dataclass(frozen=True, slots=True)
class Significance:
    """How rarely a verdict of bQCD would come about where the direction cannot be known.

    Parameters
    ----------
    gap : float
        What the chosen direction's code is shorter by, in nats.
    counted_gap : float
        What of it lies beyond the shift by ties: all of it without ties.
    tie_shift : float
        Confidence that ties alone bring about; 0 without ties.
    standard_error : float
        Standard deviation of the confidence, from halves of the rows.
    hypercompression : float
        ``exp(-counted_gap)``.
    sampling : float
        Bound by the standard errors of confidence and tie shift.
    tie_shift_error : float, default=0.0
        Standard error of the shift by ties.
    """

    gap: float
    counted_gap: float
    tie_shift: float
    standard_error: float
    hypercompression: float
    sampling: float
    tie_shift_error: float = 0.0

    @property
    def p_bound(self) -> float:
        """The larger one of both bounds, from 0 to 1."""
        return max(self.hypercompression, self.sampling)


def hypercompression_bound(gap: float) -> float:
    """Largest chance of a code that is ``gap`` nats shorter than that of the truth.

    Parameters
    ----------
    gap : float
        Difference of the code lengths in nats; from 0 downwards nothing is bounded.

    Examples
    --------
    >>> round(hypercompression_bound(3.0), 4)
    0.0498
    """
    return exp(-max(0.0, gap))


def sampling_bound(excess: float, standard_error: float) -> float:
    """Largest chance that a normal variable of mean 0 is at least ``excess`` in size.

    Parameters
    ----------
    excess : float
        Size to be reached.
    standard_error : float
        Standard deviation of the variable; if it is 0, so is the variable.

    Examples
    --------
    >>> round(sampling_bound(2.0, 1.0), 4)
    0.1353
    """
    if excess <= 0.0:
        return 1.0
    if standard_error <= 0.0:
        return 0.0
    ratio = excess / standard_error
    return exp(-0.5 * ratio * ratio)


def significance(verdict: Verdict, halves: HalfSamples, *, seed: int = 0) -> Significance | None:
    """Both bounds for a verdict of bQCD; None for methods that have no code lengths.

    Parameters
    ----------
    verdict : Verdict
        What all rows say.
    halves : HalfSamples
        What random halves of the same rows say.
    seed : int, default=0
        Of the rounded linear Gaussian pairs that tell what ties do. Without ties nothing is
        drawn.

    Examples
    --------
    >>> import bqcd
    >>> from bqcd.assessments.resampling import half_samples
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> verdict = bqcd.decide(x, x**2 + np.random.default_rng(1).normal(size=300))
    >>> found = significance(verdict, half_samples(verdict.pair, verdict.method))
    >>> found.p_bound < 0.001
    True
    """
    evidence, method = verdict.evidence, verdict.method
    if not isinstance(evidence, QuantileEvidence) or not isinstance(method, BQCD):
        return None
    lengths = evidence.code_lengths
    nats = evidence.n_rows * lengths.quadrature.integrate(lengths.x + lengths.y)
    scores = _tied_scores(verdict.seen_pair, method, _REFERENCES, seed)
    shift, shift_error = float(scores.mean()), float(scores.std(ddof=1)) / sqrt(len(scores))
    excess = _beyond(verdict.confidence, shift)
    error = standard_error(halves)
    return Significance(
        gap=nats * abs(verdict.confidence),
        counted_gap=nats * excess,
        tie_shift=shift,
        standard_error=error,
        hypercompression=hypercompression_bound(nats * excess),
        sampling=sampling_bound(excess, hypot(error, shift_error)),
        tie_shift_error=shift_error,
    )


def standard_error(halves: HalfSamples) -> float:
    """Standard deviation of the confidence of all rows, from sub-samples of fewer rows.

    The mean of m of n rows drawn without replacement varies around the mean of all with
    (n - m) / m times the variance of the latter.

    Unlike the interval of the score, what the random order of ties adds to the spread of the halves
    stays in, which can only enlarge the bound, and nothing is added for smoothing, as the
    confidence has mean 0 at any number of rows where the direction cannot be known. With ties,
    taking off the one or adding the other changed the verdict at 0.05 in no such pair of 640
    and in 1 of 150 with a direction.
    """
    shrinking = halves.rows / max(1, halves.n_rows - halves.rows)
    return float(np.std(halves.confidences)) * sqrt(shrinking)


def tie_shift(pair: Pair, method: BQCD, *, references: int = _REFERENCES, seed: int = 0) -> float:
    """Mean confidence on linear Gaussian pairs with the ties and rank correlation of a pair.

    Parameters
    ----------
    pair : Pair
        Its order of rows does not matter; exchanging its columns flips the sign.
    method : BQCD
        Judges the Gaussian pairs, with two orders of their ties each.
    references : int, default=4
        Gaussian pairs drawn. Each is used twice, with its columns exchanged before they are
        rounded, so that only the rounding tells them apart.
    seed : int, default=0
        Of the Gaussian pairs.

    Examples
    --------
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 2000))
    >>> tie_shift(Pair(x, x + noise), BQCD())
    0.0
    >>> 0.001 < tie_shift(Pair(x.round(), x + 0.5 * noise), BQCD()) < 0.02
    True
    """
    check_integer("tie_shift", "references", references, minimum=1, maximum=MOST_REPEATS)
    check_integer("tie_shift", "seed", seed, minimum=0)
    return float(_tied_scores(pair, method, references, seed).mean())


def _tied_scores(pair: Pair, method: BQCD, references: int, seed: int) -> Vector:
    """Confidences on Gaussian pairs rounded like a pair; zeros if rounding favours no column."""
    ranked = rank_pair(pair.x, pair.y)
    ties = ranked.ties
    found = np.zeros((references, 2))
    if ties is None or ranked.sign == 0 or _same_groups(ties):
        return np.zeros(references)
    method = replace(method, published_ties=False, jitters=None, tie_orders=2)
    correlation = _latent_correlation(ties)
    rng = seeded_generator(seed_from(seed, "ties"))
    for at in range(references):
        first, noise = rng.normal(size=(2, len(pair)))
        second = correlation * first + sqrt(1.0 - correlation**2) * noise
        for exchanged, columns in enumerate(((first, second), (second, first))):
            rounded = Pair(*_rounded(ties, *columns))
            found[at, exchanged] = method.evidence(rounded, rng).code_lengths.confidence
    return np.asarray(ranked.sign * found.mean(axis=1))


def _beyond(confidence: float, shift: float) -> float:
    """Distance of a confidence from all that lies between 0 and the shift."""
    return max(0.0, confidence - max(0.0, shift), min(0.0, shift) - confidence)


def _same_groups(ties: Ties) -> bool:
    """Whether both columns are rounded alike, so that rounding favours none of them."""
    return np.array_equal(ties.first_starts, ties.second_starts)


def _rounded(ties: Ties, first: Vector, second: Vector) -> tuple[Vector, Vector]:
    """Columns with values replaced by their group's number; groups have the sizes of ``ties``."""
    columns = (first, ties.first_starts), (second, ties.second_starts)
    rounded = []
    for values, starts in columns:
        numbers = np.empty(len(values))
        numbers[np.argsort(values)] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        rounded.append(numbers)
    return rounded[0], rounded[1]


def _latent_correlation(ties: Ties) -> float:
    """Correlation of normal variables whose ranks, rounded like these, correlate like these.

    The correlation of two functions of correlated normal variables is a power series in their
    correlation, whose coefficients are products of those in Hermite polynomials.
    """
    from scipy.optimize import brentq

    first, second = _middle_ranks(ties.first_starts), _middle_ranks(ties.second_starts)
    products = np.zeros(_TERMS + 1)
    products[1:] = _hermite_coefficients(first, ties.first_starts)
    products[1:] *= _hermite_coefficients(second, ties.second_starts)
    wanted = _rank_covariance(ties, first, second) / len(ties.first)

    def missing(correlation: float) -> float:
        return float(np.polynomial.polynomial.polyval(correlation, products)) - wanted

    low, high = -_LARGEST_CORRELATION, _LARGEST_CORRELATION
    if missing(low) * missing(high) >= 0.0:
        return high if wanted > 0.0 else low
    return float(brentq(missing, low, high, xtol=1e-6))


def _middle_ranks(starts: Order) -> NDArray[np.int64]:
    """Twice the middle rank of each group, less that of all rows: whole numbers."""
    ends = starts.astype(np.int64)
    doubled: NDArray[np.int64] = ends[:-1] + ends[1:] - ends[-1]
    return doubled


def _rank_covariance(ties: Ties, first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Sum over rows of the products of both middle ranks, exact whatever their order."""
    n = len(ties.first)
    by_row = np.empty((2, n), dtype=np.int64)
    by_row[0, ties.first] = np.repeat(first, np.diff(ties.first_starts))
    by_row[1, ties.second] = np.repeat(second, np.diff(ties.second_starts))
    products = by_row[0] * by_row[1]
    low = (1 << 20) - 1
    return float((int((products >> 20).sum()) << 20) + int((products & low).sum()))


def _hermite_coefficients(values: NDArray[np.int64], starts: Order) -> Vector:
    """Coefficients 1, 2, ... in normalised Hermite polynomials of a step function.

    The integral of He_k times the normal density from a to b is He_(k-1) times the density at
    a, less that at b.
    """
    from scipy.special import ndtri

    edges = ndtri(starts[1:-1] / starts[-1])
    density = np.exp(-0.5 * edges**2) / sqrt(2.0 * np.pi)
    jumps = np.diff(values).astype(np.float64)
    before, now = np.zeros_like(edges), density
    found = np.empty(_TERMS)
    for k in range(1, _TERMS + 1):
        found[k - 1] = float(jumps @ now) / sqrt(k)
        before, now = now, (edges * now - sqrt(k - 1) * before) / sqrt(k)
    return found
