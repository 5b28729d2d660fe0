"""What a fair coin would score on the same weighted pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector

# More different sums than this are merged with their neighbours.
MOST_SUMS = 2**13
# Sums that differ by rounding only, relative to their range.
ROUNDING = 1e-12
# Sums rarer than this cannot move a quantile.
NEGLIGIBLE = 1e-18


def coin_band(
    weight: Vector, ends: NDArray[np.intp], *, level: float = 0.95
) -> tuple[Vector, Vector]:
    """Lower and upper end of the middle of a fair coin's accuracies.

    For each count in ``ends``, the coin judges the first so many pairs. An accuracy below
    the lower end has probability < (1 - level) / 2, and so has one above the upper end.

    Parameters
    ----------
    weight : ndarray of shape (k,)
        Positive weights in the order in which the pairs are judged.
    ends : ndarray of shape (m,)
        Increasing numbers of pairs, from 1 to k.
    level : float, default=0.95
        Probability of the middle.

    Notes
    -----
    The possible sums of the weights of right answers are listed with their probabilities,
    one pair after the other. With equal weights this is the binomial distribution. With
    others it is exact until there are 8192 different sums; from then on, sums within
    1/8192 of the range are replaced by their mean.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = coin_band(np.ones(20), np.array([1, 20]))
    >>> low.round(6), high.round(6)
    (array([0. , 0.3]), array([1. , 0.7]))
    """
    tail = (1.0 - level) / 2.0
    totals = np.cumsum(weight)
    sums, chance = np.zeros(1), np.ones(1)
    low = []
    for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
        for judged in weight[start:end]:
            sums, chance = _merged(
                np.concatenate((sums, sums + judged)), np.concatenate((chance, chance)) / 2.0
            )
        at = int(np.searchsorted(np.cumsum(chance), tail))
        low.append(sums[at] / totals[end - 1])
    # A fair coin is as often right as wrong: its accuracies are symmetric about one half.
    lower = np.minimum(low, 0.5)
    return lower, 1.0 - lower


def _merged(sums: Vector, chance: Vector) -> tuple[Vector, Vector]:
    """Different sums in increasing order, each with its probability."""
    order = np.argsort(sums, kind="stable")
    order = order[chance[order] > NEGLIGIBLE]
    sums, chance = sums[order], chance[order]
    relative = 1.0 / MOST_SUMS if len(sums) > MOST_SUMS else ROUNDING
    cell = np.rint(sums / (relative * sums[-1]))
    starts = np.append(0, np.flatnonzero(cell[1:] != cell[:-1]) + 1)
    together = np.add.reduceat(chance, starts)
    return np.add.reduceat(sums * chance, starts) / together, together
