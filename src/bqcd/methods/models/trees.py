"""Sums of decision trees, evaluated in NumPy: what a learner has found, without the learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector

Places = NDArray[np.int64]

FIELDS = ("root", "feature", "threshold", "left", "right", "value")
"""What trees are stored as."""


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Trees whose leaves add up.

    Parameters
    ----------
    root : ndarray of shape (t,)
        Place of each tree's first node.
    feature, threshold, left, right, value : ndarray of shape (nodes,)
        An input at most the threshold goes to the left, any other to the right; both ways from
        a leaf lead back to it. Values count at leaves only.

    Examples
    --------
    >>> stump = {"feature": [0, 0, 0], "threshold": [0.5, 0, 0], "left": [1, 1, 2]}
    >>> trees = trees_of({"root": [0], "right": [2, 1, 2], "value": [0, -1.0, 3.0], **stump})
    >>> trees.total(np.array([0.4])), trees.total(np.array([0.6]))
    (-1.0, 3.0)
    """

    root: Places
    feature: Places
    threshold: Vector
    left: Places
    right: Places
    value: Vector

    def total(self, inputs: Vector) -> float:
        """Sum of the leaves that an input reaches, rounded once."""
        node = self.root
        while True:
            low = inputs[self.feature[node]] <= self.threshold[node]
            below = np.where(low, self.left[node], self.right[node])
            if np.array_equal(below, node):
                return fsum(self.value[node].tolist())
            node = below


def trees_of(stored: Mapping[str, Sequence[float]]) -> Trees:
    """Trees from what was stored of them under ``FIELDS``."""

    def places(name: str) -> Places:
        return np.array(stored[name], dtype=np.int64)

    def numbers(name: str) -> Vector:
        return np.array(stored[name], dtype=np.float64)

    return Trees(
        root=places("root"),
        feature=places("feature"),
        threshold=numbers("threshold"),
        left=places("left"),
        right=places("right"),
        value=numbers("value"),
    )
