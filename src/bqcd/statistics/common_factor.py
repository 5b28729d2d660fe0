"""Whether columns fit one hidden cause that none of them is: tetrads of their correlations.

If all that links columns is one hidden cause, correlations are products of loadings, and all
three products r_xy r_zw, r_xz r_yw, r_xw r_yz of four columns agree [1]_. If one column of a pair
is the cause, or carries it without error, other columns tell nothing of the second one once the
first is known, and the other way round. So two columns look like effects of a hidden cause if
others tell of each of them beside the other one, and the products agree.

References
----------
.. [1] Spearman. "General intelligence," objectively determined and measured. American Journal of
   Psychology 15(2), 1904.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector

# Share of tables in which a column that tells nothing of the pair takes part.
_BY_CHANCE = 0.05
# Columns that take part, at most; those that both depend on most.
_MOST = 8
# Products agree if they differ by no more than this share of their mean and so many errors.
_SHARE, _ERRORS = 0.15, 2.0
# Rows of a bin, about, and the most bins, within which a straight line is taken off.
_BIN_ROWS, _MOST_BINS = 40, 25


class Tetrads(NamedTuple):
    """Sets of two columns and the pair: how many there are, and how many of them fit one cause."""

    columns: tuple[int, ...]
    fitting: int
    sets: int


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Standardised ranks of columns, and in which bin of each column a row is."""

    ranks: Matrix
    bins: NDArray[np.intp]
    count: int

    @classmethod
    def of(cls, columns: Sequence[Vector]) -> _Ranked:
        from scipy.stats import rankdata

        n = len(columns[0])
        count = min(_MOST_BINS, max(2, n // _BIN_ROWS))
        ranks = np.vstack([rankdata(column) for column in columns])
        bins = np.minimum((ranks - 0.5) * count / n, count - 1).astype(np.intp)
        ranks -= ranks.mean(axis=1, keepdims=True)
        return cls(ranks / np.maximum(ranks.std(axis=1, keepdims=True), 1e-300), bins, count)

    def left(self, given: int, target: int) -> Vector:
        """What a column does not explain of another: a line within each bin is taken off."""
        x, y = (self._centred(given, self.ranks[at]) for at in (given, target))
        squares, products = (self._sums(given, x * one) for one in (x, y))
        slopes = products / np.maximum(squares, 1e-12)
        rest: Vector = y - slopes[self.bins[given]] * x
        return rest

    def _sums(self, given: int, values: Vector) -> Vector:
        sums = np.bincount(self.bins[given], weights=values, minlength=self.count)
        return sums.astype(np.float64, copy=False)

    def _centred(self, given: int, values: Vector) -> Vector:
        sizes = np.maximum(np.bincount(self.bins[given], minlength=self.count), 1)
        centred: Vector = values - (self._sums(given, values) / sizes)[self.bins[given]]
        return centred


def hidden_cause_tetrads(x: Vector, y: Vector, others: Sequence[Vector]) -> Tetrads:
    """Sets of two other columns that fit one hidden cause together with a pair.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        The pair, which depend on each other.
    others : sequence of ndarray of shape (n,)
        Finite numbers.

    Returns
    -------
    Tetrads
        Places of the other columns that take part, those that tell of each column of the pair
        beside the other one; sets of two of them that fit, and all such sets.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.normal(size=1000)
    >>> x, y, *others = hidden + 0.6 * rng.normal(size=(6, 1000))
    >>> hidden_cause_tetrads(x, y, others)
    Tetrads(columns=(3, 1, 0, 2), fitting=6, sets=6)
    >>> hidden_cause_tetrads(hidden, y, others)
    Tetrads(columns=(), fitting=0, sets=0)
    """
    if not others:
        return Tetrads((), 0, 0)
    ranked = _Ranked.of([x, y, *others])
    n = len(x)
    least = _two_sided(_BY_CHANCE / len(others)) / sqrt(n)
    known = ranked.ranks @ ranked.ranks[:2].T / n
    strength = np.abs(known[2:]).min(axis=1)
    order = [int(at) for at in np.argsort(-strength, kind="stable") if strength[at] >= least]
    chosen = tuple(at for at in order[:_MOST] if _tells(ranked, at + 2, least))
    places = [0, 1, *(at + 2 for at in chosen)]
    correlations = ranked.ranks[places] @ ranked.ranks[places].T / n
    fits = [_fits(correlations, *pair, least, n) for pair in combinations(range(2, len(places)), 2)]
    return Tetrads(chosen, sum(fits), len(fits))


def _tells(ranked: _Ranked, place: int, least: float) -> bool:
    """Whether a column tells of each column of the pair beside the other one."""
    return all(
        abs(_correlation(ranked.left(given, other), ranked.left(given, place))) >= least
        for given, other in ((0, 1), (1, 0))
    )


def _fits(r: Matrix, z: int, w: int, least: float, n: int) -> bool:
    products = np.array([r[0, 1] * r[z, w], r[0, z] * r[1, w], r[0, w] * r[1, z]])
    if abs(r[z, w]) < least or np.abs(np.sign(products).sum()) < 3.0:
        return False
    error = sqrt(r[0, 1] ** 2 + r[z, w] ** 2 + r[0, z] ** 2 + r[1, w] ** 2) / sqrt(n)
    room = _SHARE * float(np.abs(products).mean()) + _ERRORS * error
    return float(products.max() - products.min()) <= room


def _correlation(one: Vector, other: Vector) -> float:
    size = sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / size if size > 0.0 else 0.0


def _two_sided(level: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(0.5 * level))
