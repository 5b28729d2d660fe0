"""Resampling of pairs with replacement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.errors import InvalidSettingError, UndefinedMetricError
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_STEPS, check_integer

Rows = NDArray[np.intp]


def resampled_values(
    value_on: Callable[[Rows], float],
    n_pairs: int,
    *,
    n_resamples: int,
    rng: Generator,
    owner: str,
) -> Vector:
    """Value on each resample of the pairs; those on which it is undefined are left out.

    Parameters
    ----------
    value_on : callable
        Takes the positions of the drawn pairs.
    n_pairs : int
        Pairs to draw from, and to draw.
    n_resamples : int
        Number of resamples.
    rng : Generator
        Draws the pairs.
    owner : str
        Who asks, for messages.

    Raises
    ------
    UndefinedMetricError
        If the value is undefined on more than half of the resamples.
    """
    check_integer(owner, "n_resamples", n_resamples, minimum=1, maximum=MOST_STEPS)
    if not isinstance(rng, Generator):
        raise InvalidSettingError(f"rng of {owner} must be a numpy Generator, got {rng!r}.")
    values = []
    for _ in range(n_resamples):
        try:
            values.append(value_on(rng.integers(n_pairs, size=n_pairs)))
        except UndefinedMetricError:
            continue
    if 2 * len(values) < n_resamples:
        raise UndefinedMetricError(
            f"{owner} has no value: the statistic is undefined on "
            f"{n_resamples - len(values)} of {n_resamples} resamples of {n_pairs} pairs."
        )
    return np.array(values)
