"""Boosting of additive models: which terms are chosen, and how often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.statistics.splines.smooth_terms import SmoothTerm, SmoothTerms

Counts = NDArray[np.int64]

# Degrees of freedom of each weak spline, the constant included: tr(2A - A²).
WEAK_DEGREES = 4.0


def selection_counts(
    terms: SmoothTerms,
    which: Sequence[int],
    products: Vector,
    *,
    steps: int = 100,
    rate: float = 0.1,
) -> Counts:
    """How often each of some terms is chosen by boosting of squared errors.

    In each step the residuals are smoothed over each term alone, with four degrees of freedom,
    and a tenth of what explains most of them is taken away: what ``gamboost`` of the R package
    mboost does with its defaults, but for the kind of splines.

    Parameters
    ----------
    terms : SmoothTerms
        Terms to choose from.
    which : sequence of int
        Those that take part.
    products : ndarray of shape (m,)
        Products of the functions of all terms with the target.
    steps : int, default=100
        Number of steps.
    rate : float, default=0.1
        Share of a fit that is taken away.

    Examples
    --------
    >>> from bqcd.statistics.splines.smooth_terms import smooth_terms
    >>> rng = np.random.default_rng(0)
    >>> x, z, noise = rng.normal(size=(3, 400))
    >>> terms = smooth_terms([x, z])
    >>> selection_counts(terms, [0, 1], terms.products(x**2 + 0.5 * noise))
    array([100,   0])
    """
    places, widths = terms.places(which), terms.widths(which)
    starts = np.cumsum(widths) - widths
    kept = np.concatenate([_kept(terms.terms[i]) for i in which])
    gram = terms.gram[np.ix_(places, places)]
    left = products[places].copy()
    counts = np.zeros(len(which), dtype=np.int64)
    for _ in range(steps):
        gains = np.add.reduceat(kept * (2.0 - kept) * np.square(left), starts)
        best = int(gains.argmax())
        chosen = slice(starts[best], starts[best] + widths[best])
        left -= rate * (gram[:, chosen] @ (kept[chosen] * left[chosen]))
        counts[best] += 1
    return counts


def _kept(term: SmoothTerm) -> Vector:
    """Share of each coefficient that a spline with four degrees of freedom keeps."""
    from scipy.optimize import brentq

    def excess(log_penalty: float) -> float:
        kept = 1.0 / (1.0 + np.exp(log_penalty) * term.stiffness)
        return 1.0 + float((kept * (2.0 - kept)).sum()) - WEAK_DEGREES

    if 1.0 + len(term.stiffness) <= WEAK_DEGREES:
        return np.ones(len(term.stiffness))
    log_penalty = float(brentq(excess, -np.log(term.stiffness.max()) - 30.0, 30.0))
    return np.asarray(1.0 / (1.0 + np.exp(log_penalty) * term.stiffness))
