"""Quantile scores of vectors: every column of one side with every column of the other.

Scores are taken along fixed directions, the axes of the rank-normal columns. A pair of columns has
the confidence of Algorithm 1; the confidence of two vectors is the mean over all pairs,

    C = 1 / (p q) sum_ij (S_{X_i | Y_j} - S_{Y_j | X_i}) / (S_{X_i} + S_{Y_j}).

Each term changes its sign when the sides are exchanged, and has mean zero where a column of one
side and one of the other look the same from either side. So has C, whatever p and q: that a side
has more columns decides nothing. Directions that mix columns do not have this property: a sum of
three columns is less noisy than one column. ``docs/mathematics.md`` tells what was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import fsum

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.runtime.arrays import Matrix

Codes = NDArray[np.int64]

ColumnJudge = Callable[[Pair, Generator], QuantileEvidence]
"""Evidence of one pair of columns."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorEvidence:
    """What a verdict of :class:`~bqcd.methods.bqcd.BQCD` on vectors rests on.

    Parameters
    ----------
    confidences : ndarray of shape (p, q)
        Confidence of each column of x with each of y.
    x_names, y_names : tuple of str
        Names of the columns.
    n_rows : int
        Rows used.
    regressor : str
        Name of the regressor's class.
    chance_bound : float or None
        Size that |confidence| rarely exceeds where the direction cannot be known: the mean of those
        of single pairs of columns, and more than enough. None where it was not measured.
    """

    confidences: Matrix
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    n_rows: int
    regressor: str
    chance_bound: float | None

    @property
    def confidence(self) -> float:
        """Mean over all pairs of columns: positive for x -> y."""
        # Rounded once, so that the order of the columns does not even change the last bit.
        return fsum(self.confidences.ravel()) / self.confidences.size

    @property
    def agreeing(self) -> int:
        """Pairs of columns whose confidence has the sign of their mean."""
        return int(np.count_nonzero(np.sign(self.confidences) == np.sign(self.confidence)))

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Confidences of all pairs of columns, and on how many rows."""
        return {
            "x_columns": list(self.x_names),
            "y_columns": list(self.y_names),
            "confidences": self.confidences.tolist(),
            "agreeing": self.agreeing,
            "n_rows": self.n_rows,
            "regressor": self.regressor,
            "chance_bound": self.chance_bound,
        }


def vector_evidence(pair: VectorPair, asked: ColumnJudge, rng: Generator) -> VectorEvidence:
    """Confidences of all pairs of columns.

    Exchanging the sides flips the signs; the order of columns, of rows, and the signs of columns
    change nothing.

    Parameters
    ----------
    pair : VectorPair
        Two groups of columns.
    asked : callable
        Evidence of a pair of columns, given a generator.
    rng : Generator
        For regressors that draw; every pair of columns gets a generator of the same seed.
    """
    seed = int(rng.integers(2**63))
    shape = len(pair.x_names), len(pair.y_names)
    found, every = np.zeros(shape), []
    for at, columns in zip(np.ndindex(*shape), pair.column_pairs(), strict=True):
        each = [asked(reading, default_rng(seed)) for reading in signed_readings(columns)]
        found[at] = fsum(one.code_lengths.confidence for one in each) / len(each)
        every.append(each[0])
    regressor, bound = every[0].regressor, _mean_bound(every, fsum(found.ravel()))
    return VectorEvidence(found, pair.x_names, pair.y_names, len(pair), regressor, bound)


def _mean_bound(each: Sequence[QuantileEvidence], confidence: float) -> float | None:
    """Mean of what a confidence of that sign rarely exceeds, over pairs of columns."""
    bounds = [one.chance_bound_of(confidence) for one in each]
    known = [bound for bound in bounds if bound is not None]
    return fsum(known) / len(known) if known else None


def signed_readings(pair: Pair) -> list[Pair]:
    """Pair with the signs of its columns chosen by the data: the same for all four of them.

    A rank and its mirror image differ in the eighth digit of a confidence, and in the third where
    ties are broken. Of the four readings of a pair, the one counts whose sorted rows come first,
    whichever column is sorted by; readings that cannot be told apart all count.

    Parameters
    ----------
    pair : Pair
        Two columns.

    Examples
    --------
    >>> pair = Pair(np.arange(12.0), np.arange(12.0) ** 2 % 7.0)
    >>> mirrored = replace(pair, x=-pair.x)
    >>> bool((signed_readings(pair)[0].x == signed_readings(mirrored)[0].x).all())
    True
    """
    codes = [np.unique(column, return_inverse=True)[1] for column in (pair.x, pair.y)]
    forms = {}
    for signs in product((1.0, -1.0), repeat=2):
        x, y = (
            code if sign > 0.0 else code.max() - code
            for code, sign in zip(codes, signs, strict=True)
        )
        forms[signs] = min(_sorted(x, y), _sorted(y, x))
    first = min(forms.values())
    return [
        replace(pair, x=x_sign * pair.x, y=y_sign * pair.y, x_scale=None, y_scale=None)
        for (x_sign, y_sign), form in forms.items()
        if form == first
    ]


def _sorted(first: Codes, second: Codes) -> bytes:
    """Rows in the order of both columns, in a form that can be compared."""
    order = np.lexsort((second, first))
    # Big-endian bytes of numbers that are not negative compare as the numbers do.
    return np.concatenate((first[order], second[order])).astype(">u4").tobytes()
