"""Causal inference from how the shape of a conditional distribution varies.

If y = f(x) + s(x) noise, the effect within narrow bins of the cause has one and the same
distribution up to place and spread. The other way round its shape changes from bin to bin,
and the direction with the smaller change wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_choice, check_integer
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_variance

Divergence = Literal[
    "total variation", "kullback-leibler", "kolmogorov", "hellinger", "chi-squared"
]

# Bins are half a standard deviation wide, and one of the cause needs more rows than this.
_BINS_PER_DEVIATION = 2
_FEW_ROWS = 12
# Keeps standard deviations and probabilities away from zero.
_TINY = 1e-8


@dataclass(frozen=True, kw_only=True)
class CDCI:
    """Conditional divergence based causal inference [1]_.

    Parameters
    ----------
    divergence : {"total variation", "kullback-leibler", "kolmogorov", "hellinger", \
"chi-squared"}, default="total variation"
        How far the effect's distribution in a bin of the cause, freed of place and spread,
        is from the mean over all bins: CTV, CKL, CKM, CHD or CCS of [1]_.
    max_deviation : int, default=3
        Values beyond so many standard deviations fall into the outermost bins.

    Notes
    -----
    Bins are half a standard deviation wide, and those of the cause with 12 rows or fewer are
    left out. The mean and deviation of the cause are those of the values within the largest
    deviation. If no bin of either column is left, the verdict is undecided. The confidence
    is the difference of the two mean divergences.

    References
    ----------
    .. [1] Duong, Nguyen. Bivariate causal discovery via conditional divergence. CLeaR 2022.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = x**2 + 0.3 * rng.normal(size=500)
    >>> CDCI().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    divergence: Divergence = "total variation"
    max_deviation: int = 3

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("CDCI", "divergence", self.divergence, get_args(Divergence))
        check_integer("CDCI", "max_deviation", self.max_deviation, minimum=1, maximum=100)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the divergences of the two conditional distributions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        x, y = unit_variance(pair.x), unit_variance(pair.y)
        y_shapes = conditional_shapes(x, y, max_deviation=self.max_deviation)
        x_shapes = conditional_shapes(y, x, max_deviation=self.max_deviation)
        return DirectedScores(
            x_to_y=self._variation(y_shapes),
            y_to_x=self._variation(x_shapes),
            measure=f"mean {self.divergence} of conditional shapes",
            n_rows=len(pair),
            facts={"x_bins": len(y_shapes), "y_bins": len(x_shapes)},
        )

    def _variation(self, shapes: Matrix) -> float:
        """Mean divergence of the shapes from their mean; 0 if there is none."""
        if len(shapes) == 0:
            return 0.0
        return float(DIVERGENCES[self.divergence](shapes, shapes.mean(axis=0)).mean())


def conditional_shapes(cause: Vector, effect: Vector, *, max_deviation: int) -> Matrix:
    """Distribution of the effect, standardised, in every bin of the cause with enough rows.

    Parameters
    ----------
    cause, effect : ndarray of shape (n,)
        Columns of variance 1.
    max_deviation : int
        Values beyond so many standard deviations fall into the outermost bins.

    Returns
    -------
    ndarray of shape (bins of the cause, 4 * max_deviation + 1)
        One distribution over the effect's bins in each row.

    Examples
    --------
    >>> x, y = np.tile([-1.0, 1.0], 50), np.repeat([-1.0, 1.0], 50)
    >>> shapes = conditional_shapes(x, y, max_deviation=1)
    >>> shapes.tolist()
    [[0.5, 0.0, 0.0, 0.0, 0.5], [0.5, 0.0, 0.0, 0.0, 0.5]]
    """
    order = row_order(cause, effect)
    given, target = _standardised(cause[order]), effect[order]
    given = _standardised(given, given[np.abs(given) < max_deviation])
    bins = _binned(given, max_deviation)
    firsts = np.flatnonzero(np.diff(bins, prepend=-1))
    groups = [
        np.bincount(_binned(_standardised(rows), max_deviation), minlength=_n_bins(max_deviation))
        for rows in np.split(target, firsts[1:])
        if len(rows) > _FEW_ROWS
    ]
    counts = np.array(groups, dtype=np.float64).reshape(len(groups), _n_bins(max_deviation))
    shapes: Matrix = counts / counts.sum(axis=1, keepdims=True)
    return shapes


def _n_bins(max_deviation: int) -> int:
    return 2 * _BINS_PER_DEVIATION * max_deviation + 1


def _standardised(column: Vector, typical: Vector | None = None) -> Vector:
    """Column less the mean of the typical values, divided by their standard deviation."""
    typical = column if typical is None else typical
    mean = typical.sum() / len(typical)
    deviation = np.sqrt(np.square(typical - mean).sum() / len(typical))
    standardised: Vector = (column - mean) / (deviation + _TINY)
    return standardised


def _binned(column: Vector, max_deviation: int) -> NDArray[np.int64]:
    """Bin of every value, 0 for the lowest."""
    farthest = _BINS_PER_DEVIATION * max_deviation
    nearest = np.rint(_BINS_PER_DEVIATION * column)
    return (np.minimum(np.maximum(nearest, -farthest), farthest) + farthest).astype(np.int64)


def _total_variation(shapes: Matrix, mean: Vector) -> Vector:
    distances: Vector = 0.5 * np.abs(shapes - mean).sum(axis=1)
    return distances


def _kullback_leibler(shapes: Matrix, mean: Vector) -> Vector:
    terms = shapes * np.log((shapes + _TINY) / (mean + _TINY))
    distances: Vector = terms.sum(axis=1)
    return distances


def _kolmogorov(shapes: Matrix, mean: Vector) -> Vector:
    distances: Vector = np.abs(shapes.cumsum(axis=1) - mean.cumsum()).max(axis=1)
    return distances


def _hellinger(shapes: Matrix, mean: Vector) -> Vector:
    """Without the factor √½ of the usual definition."""
    squares = np.square(np.sqrt(shapes) - np.sqrt(mean))
    distances: Vector = np.sqrt(squares.sum(axis=1))
    return distances


def _chi_squared(shapes: Matrix, mean: Vector) -> Vector:
    distances: Vector = (np.square(shapes - mean) / (mean + _TINY)).sum(axis=1)
    return distances


DIVERGENCES: Mapping[Divergence, Callable[[Matrix, Vector], Vector]] = MappingProxyType(
    {
        "total variation": _total_variation,
        "kullback-leibler": _kullback_leibler,
        "kolmogorov": _kolmogorov,
        "hellinger": _hellinger,
        "chi-squared": _chi_squared,
    }
)
"""Divergence of each row of probabilities from one distribution, by name."""

CARDS = (
    MethodCard(
        name="cdci",
        build=CDCI,
        assumes="Y given X = x has one shape for all x, up to place and spread",
        reference="Duong, Nguyen: Bivariate causal discovery via conditional divergence, "
        "CLeaR 2022",
        cost="n log n",
        seconds=0.001,
        seconds_beyond=(0.0019, 0.028, 0.29),
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""Total variation is what later comparisons ran; the other divergences are a setting."""
