"""Whether weighted columns depend on each other."""

from __future__ import annotations

import numpy as np

from bqcd.assessments.dependence import Dependence, dependence_of
from bqcd.data.weights import WeightedPair
from bqcd.methods.weighted_draws import drawn_pairs
from bqcd.runtime.arrays import Vector

_DRAWS = 9


def weighted_dependence(weighted: WeightedPair, *, seed: int = 0) -> Dependence:
    """Dependence of weighted columns: mean strength over draws, and twice the median p-value.

    Parameters
    ----------
    weighted : WeightedPair
        Rows and weights.
    seed : int, default=0
        Of the draws: those that a verdict of the same seed rests on, the first nine.

    Examples
    --------
    >>> from bqcd.data.pair import Pair
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 400))
    >>> weighted_dependence(WeightedPair(Pair(x, x + noise), 2.0 + np.sin(x))).p_value < 1e-6
    True
    """
    found = [
        [dependence_of(pair) for pair in sides]
        for sides in drawn_pairs(weighted, seed=seed, draws=_DRAWS)
    ]
    if not found:
        return Dependence(0.0, 0.0, 1.0)

    def means(name: str) -> Vector:
        numbers = [[float(getattr(one, name)) for one in sides] for sides in found]
        return np.array([sum(sides) / len(sides) for sides in numbers])

    p_value = min(1.0, 2.0 * float(np.median(means("p_value"))))
    return Dependence(float(means("spearman").mean()), float(means("strength").mean()), p_value)
