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
same from both sides, whatever the direction. Both columns are then brought to one grid that both
can tell, and judged again: all that can be said against ranks that looked the same before they were
rounded is in there (:mod:`bqcd.statistics.common_grid`). Where there is no such grid, as with two
values against many, or the grid says the other direction, the bound is 1. Halves are brought to
grids of their own, as the values at which columns are cut vary from sample to sample too.

**Rows that belong together.** Where rows depend on each other, halves are drawn by unit, and so
is the standard error. Few units know it badly: exp(-t^2 / 2) becomes (1 + t^2 / d)^(-d / 2) for
t standard errors and d + 1 units. The code lengths count the rows at what they are worth.

References
----------
.. [1] Grünwald. The minimum description length principle. MIT Press, 2007, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf, log1p, sqrt

import numpy as np

from bqcd.assessments.stability import HalfSamples, half_samples
from bqcd.assessments.units import Units
from bqcd.data.pair import Direction, Pair
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.methods.asking import judged
from bqcd.methods.bqcd import BQCD
from bqcd.methods.one_grid import columns_alike, pair_on_one_grid
from bqcd.methods.verdict import Verdict
from bqcd.statistics.common_grid import has_ties, same_cells

# Halves of columns on one grid, and orders of their ties: they are judged one by one.
_HALVES, _TIE_ORDERS = 100, 4


@dataclass(frozen=True, slots=True)
class Significance:
    """How rarely a verdict of bQCD would come about where the direction cannot be known.

    Parameters
    ----------
    gap : float
        What the chosen direction's code is shorter by, in nats.
    counted_gap : float
        What of it counts: that of both columns on one grid, by what the rows are worth; 0 if that
        is in favour of the other direction.
    standard_error : float
        Standard deviation of the confidence that counts, from halves of the rows.
    hypercompression : float
        ``exp(-counted_gap)``.
    sampling : float
        Bound by the standard error.
    grid : int or None, default=None
        Cells of the grid that both columns were brought to: 1 if there is none, None if they were
        left as they are.
    """

    gap: float
    counted_gap: float
    standard_error: float
    hypercompression: float
    sampling: float
    grid: int | None = None

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


def sampling_bound(excess: float, standard_error: float, units: float = inf) -> float:
    """Largest chance that a normal variable of mean 0 is at least ``excess`` in size.

    Parameters
    ----------
    excess : float
        Size to be reached.
    standard_error : float
        Standard deviation of the variable; if it is 0, so is the variable.
    units : float, optional
        From how many independent parts the standard deviation was estimated. Default: infinite,
        it is known.

    Examples
    --------
    >>> round(sampling_bound(2.0, 1.0), 4), round(sampling_bound(2.0, 1.0, units=6), 4)
    (0.1353, 0.23)
    """
    if excess <= 0.0:
        return 1.0
    if standard_error <= 0.0:
        return 0.0
    square = (excess / standard_error) * (excess / standard_error)
    if units == inf:
        return exp(-0.5 * square)
    freedom = max(1.0, units - 1.0)
    return exp(-0.5 * freedom * log1p(square / freedom))


def significance(
    verdict: Verdict,
    halves: HalfSamples,
    *,
    seed: int = 0,
    units: Units | None = None,
    effective_rows: float | None = None,
    workers: int = 1,
) -> Significance | None:
    """Both bounds for a verdict of bQCD; None for methods that have no code lengths.

    Parameters
    ----------
    verdict : Verdict
        What all rows say.
    halves : HalfSamples
        What random halves of the same rows say, drawn by unit if there are units.
    seed : int, default=0
        Of the halves of columns that had to be brought to one grid.
    units : Units, optional
        Rows that belong together, for those halves.
    effective_rows : float, optional
        How many independent rows the rows are worth. Default: all of them.
    workers : int, default=1
        Processes for those halves.

    Examples
    --------
    >>> import bqcd
    >>> from bqcd.assessments.stability import half_samples
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
    worth = 1.0 if effective_rows is None else effective_rows / evidence.n_rows
    counted, grid, cells = verdict.confidence, halves, None
    if _rounded_differently(verdict.seen_pair):
        counted, grid, cells = _on_one_grid(
            verdict.seen_pair, method, seed=seed, units=units, workers=workers
        )
    excess = max(0.0, counted * Direction.of(verdict.confidence).sign)
    error = standard_error(grid)
    return Significance(
        gap=nats * abs(verdict.confidence),
        counted_gap=nats * worth * excess,
        standard_error=error,
        hypercompression=hypercompression_bound(nats * worth * excess),
        sampling=sampling_bound(excess, error, grid.units),
        grid=cells,
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
    return float(np.std(halves.confidences)) * sqrt(halves.widening * shrinking)


def _rounded_differently(pair: Pair) -> bool:
    """Whether ties alone could tell the columns apart."""
    tied = has_ties(pair.x) or has_ties(pair.y)
    return tied and not same_cells(pair.x, pair.y)


def _on_one_grid(
    pair: Pair, method: BQCD, *, seed: int, units: Units | None, workers: int
) -> tuple[float, HalfSamples, int]:
    """Confidence on both columns brought to one grid, that of halves, and the cells of the grid."""
    method = replace(method, published_ties=False, jitters=None)
    alike = pair_on_one_grid(pair)
    confidence, cells = 0.0, 1
    if alike is not None:
        confidence = judged(method, "bqcd", alike, seed).confidence
        cells = int(alike.x.max()) + 1
    halves = half_samples(
        pair,
        replace(method, tie_orders=_TIE_ORDERS),
        replicates=_HALVES,
        seed=seed,
        workers=workers,
        units=units,
        changed=columns_alike,
    )
    return confidence, halves, cells
