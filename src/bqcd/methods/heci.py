"""Causal inference with noise whose spread depends on the cause.

The effect is described by polynomials in a few ranges of the cause, each with a spread of its
own. The direction with the shorter description, in bits, wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.draws import check_draws
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_ROWS, check_integer
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range
from bqcd.statistics.subsampling import subsamples


@dataclass(frozen=True, kw_only=True)
class HECI:
    """Heteroscedastic noise based causal inference [1]_.

    Parameters
    ----------
    n_bins : int, default=20
        Number of bins of equal width that the cause is first divided into.
    min_values : int, default=10
        Least number of distinct values of the cause in a bin; a bin with fewer is joined
        to the next one.
    max_rows : int, default=50_000
        Longer pairs are judged on that many rows drawn at random; 0 takes all rows.
    draws : int, default=3
        Times rows are drawn, the numbers of which are averaged.

    Notes
    -----
    Columns are scaled to run from 0 to 1. A polynomial of degree d from 1 to 3 in m of n rows
    costs m log2((squares + 0.0001) / m) + (d + 2) log2 n bits, where squares are what it
    leaves. Neighbouring bins are merged so that the total is least, over all ways to merge
    them. The confidence is the difference of the two totals.

    References
    ----------
    .. [1] Xu, Mian, Marx, Vreeken. Inferring cause and effect in the presence of
       heteroscedastic noise. ICML 2022.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = x**2 + (0.2 + 0.3 * np.abs(x)) * rng.normal(size=500)
    >>> HECI().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    n_bins: int = 20
    min_values: int = 10
    max_rows: int = 50_000
    draws: int = 3

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("HECI", "n_bins", self.n_bins, minimum=1, maximum=100)
        check_integer("HECI", "min_values", self.min_values, minimum=2, maximum=MOST_ROWS)
        check_draws("HECI", self.max_rows, self.draws)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the bits of the two descriptions."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    def evidence(self, pair: Pair, rng: Generator) -> DirectedScores:
        """The numbers behind :meth:`decide`, means over the draws; zeros if none varies."""
        drawn = subsamples(pair.x, pair.y, max_rows=self.max_rows, draws=self.draws, rng=rng)
        found = [self._both_ways(unit_range(x), unit_range(y)) for x, y in drawn] or [(0.0,) * 4]
        forward, x_ranges, backward, y_ranges = np.mean(found, axis=0).tolist()
        return DirectedScores(
            x_to_y=forward,
            y_to_x=backward,
            measure="bits of the effect given the cause",
            n_rows=len(drawn[0][0]) if drawn else 0,
            facts={"draws": len(drawn), "x_ranges": x_ranges, "y_ranges": y_ranges},
        )

    def _both_ways(self, x: Vector, y: Vector) -> tuple[float, ...]:
        return *self._description(x, y), *self._description(y, x)

    def _description(self, cause: Vector, effect: Vector) -> tuple[float, int]:
        """Bits of the effect given the cause, and in how many ranges of it."""
        from bqcd.methods.models.heci_kernels import cheapest_runs

        order = row_order(cause, effect)
        given, target = cause[order], effect[order]
        edges = bin_edges(given, self.n_bins, self.min_values)
        bits, ranges = cheapest_runs(given, target, edges)
        return float(bits), int(ranges)


def bin_edges(given: Vector, n_bins: int, min_values: int) -> NDArray[np.int64]:
    """First rows of the bins, and the number of rows at the end.

    The limit of the current bin moves up by one width whenever a row exceeds it; there a new
    bin starts if the last one has enough distinct values. After a gap of several widths the
    limit lags behind, a width per row.

    Parameters
    ----------
    given : ndarray of shape (n,)
        Predictor from 0 to 1, sorted.
    n_bins : int
        Largest number of bins, all of one width.
    min_values : int
        Least number of distinct values in a bin.

    Examples
    --------
    >>> bin_edges(np.linspace(0.0, 1.0, 12), 3, 2)
    array([ 0,  4,  8, 12])
    """
    n = len(given)
    # Where a value differs from the one before; their number up to a row.
    new = np.cumsum(given[1:] > given[:-1], dtype=np.int64)
    limits = np.cumsum(np.full(n_bins - 1, 1.0 / n_bins))
    edges, row = [0], -1
    for beyond in np.searchsorted(given, limits, side="right").tolist():
        row = max(beyond, row + 1)
        if row >= n:
            break
        if _distinct(new, edges[-1], row) >= min_values:
            edges.append(row)
    if len(edges) > 1 and _distinct(new, edges[-1], n) < min_values:
        edges.pop()
    return np.array([*edges, n], dtype=np.int64)


def _distinct(new: NDArray[np.int64], start: int, stop: int) -> int:
    """Distinct values in the rows from ``start`` to before ``stop``."""
    if stop <= start + 1:
        return stop - start
    return 1 + int(new[stop - 2]) - (int(new[start - 1]) if start else 0)


CARDS = (
    MethodCard(
        name="heci",
        build=HECI,
        assumes="Y = f(X) + s(X) Gaussian noise, f and s piecewise simple",
        reference="Xu et al.: Inferring cause and effect in the presence of heteroscedastic "
        "noise, ICML 2022",
        cost="n log n",
        seconds=0.003,
        seconds_beyond=(0.029, 0.69, 3.5),
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""Bins and support as in the paper."""
