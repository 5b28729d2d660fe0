"""Causal inference with noise whose mean and spread are functions of the cause.

If y = f(x) + s(x) noise, what is left of y after taking off f and dividing by s is independent
of x. The other way round something about the cause remains in it, measured as mutual
information.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.draws import check_draws, mean_scores
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_flag, check_integer
from bqcd.statistics.dependence.mutual_information import neighbour_information
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.splines.linear import best_linear_spline
from bqcd.statistics.subsampling import subsamples

# Least spread of the noise, in standard deviations of the absolute errors.
_LEAST_SPREAD = 0.05
# Errors below this share of the effect's deviation are rounding or the ridge's: no noise.
_ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True)
class GRCI:
    """Generalized root causal inference, for the direction of one pair [1]_.

    Parameters
    ----------
    neighbours : int, default=10
        Which nearest neighbour sets the reach in the estimate of mutual information.
    published_shift : bool, default=False
        Leave the effect where it is before the regression, as the authors' code does. Where
        rows are isolated, its ridge draws the spline towards zero, and the confidence
        depends a little on where that is.
    max_rows : int, default=20_000
        Longer pairs are judged on that many rows drawn at random; 0 takes all rows.
    draws : int, default=3
        Times rows are drawn, the numbers of which are averaged.

    Notes
    -----
    Columns are scaled to variance 1. Mean and spread are linear splines, with as many evenly
    spaced knots as predict best the rows left out, one at a time; the spread is that of the
    absolute errors on them, and at least 0.05 standard deviations. The confidence is the
    difference of the mutual informations of each supposed cause with what is left of the
    effect, in nats.

    References
    ----------
    .. [1] Strobl, Lasko. Identifying patient-specific root causes with the heteroscedastic
       noise model. Journal of Computational Science 72, 2023.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2.0, 2.0, 500)
    >>> y = x + x**3 / 3.0 + (1.0 + 0.5 * x) * rng.uniform(-1.0, 1.0, 500)
    >>> GRCI().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    neighbours: int = 10
    published_shift: bool = False
    max_rows: int = 20_000
    draws: int = 3

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("GRCI", "neighbours", self.neighbours, minimum=1, maximum=1_000)
        check_flag("GRCI", "published_shift", self.published_shift)
        check_draws("GRCI", self.max_rows, self.draws)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the dependence of the noise on the cause in the two directions."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence)

    def evidence(self, pair: Pair, rng: Generator) -> DirectedScores:
        """The numbers behind :meth:`decide`, means over the draws; zeros if none varies."""
        drawn = subsamples(pair.x, pair.y, max_rows=self.max_rows, draws=self.draws, rng=rng)
        measure = "mutual information of cause and noise in nats"
        return mean_scores(drawn, self._both_ways, measure)

    def _both_ways(self, x: Vector, y: Vector) -> tuple[float, float]:
        return self._information(x, y), self._information(y, x)

    def _information(self, cause: Vector, effect: Vector) -> float:
        """Mutual information of the cause and the noise of the effect."""
        order = row_order(cause, effect)
        scaled = _unit_deviation if self.published_shift else unit_variance
        given, target = unit_variance(cause)[order], scaled(effect)[order]
        return neighbour_information(given, _noise(given, target), neighbours=self.neighbours)


def _unit_deviation(column: Vector) -> Vector:
    """Column divided by its standard deviation."""
    # A power of two first, which loses no digit and keeps squares within the numbers.
    near_one = np.ldexp(column, -int(np.frexp(np.abs(column).max())[1]))
    # Sorted, so that the last bit does not know the order of the rows.
    return near_one / float(np.sort(near_one).std(ddof=1))


def _noise(given: Vector, target: Vector) -> Vector:
    """Target less its mean and divided by its spread given the cause, of variance 1."""
    mean = best_linear_spline(given, target)
    errors = target - mean.fitted
    if float(errors.std(ddof=1)) < _ROUNDING:
        return np.zeros_like(target)
    spread = best_linear_spline(given, np.abs(target - mean.left_out), least=_LEAST_SPREAD)
    noise = errors / spread.fitted
    return noise / float(noise.std(ddof=1))


CARDS = (
    MethodCard(
        name="grci",
        build=GRCI,
        assumes="Y = f(X) + s(X) noise independent of X",
        reference="Strobl, Lasko: Identifying patient-specific root causes with the "
        "heteroscedastic noise model, Journal of Computational Science 2023",
        cost="n^2",
        seconds=0.02,
        seconds_beyond=(0.27, 2.4, 5.1),
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""Splines and neighbours as in the authors' code."""
