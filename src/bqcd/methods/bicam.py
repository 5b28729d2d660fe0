"""Causal additive models of two variables: the direction whose spline leaves less.

If y = f(x) + noise with everything Gaussian but for the curve f, the likelihood of a
direction falls with the variance of the cause times that of the effect's residuals. Of two
penalised splines, y on x and x on y, the one that explains the larger share is causal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import check_integer
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.splines.thin_plates import thin_plate_fit

# Rows for each basis function, at least; with fewer rows the basis shrinks.
ROWS_PER_FUNCTION = 3
# Shares of the variance that are no larger than this are rounding: the fit is exact.
EXACT = 1e-24
# Logarithms of shares that differ by less than this are equal, e.g. those of two lines.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class BiCAM:
    """Causal additive model of a pair, by penalised splines [1]_.

    Parameters
    ----------
    n_basis : int, default=10
        Dimension of the thin-plate regression splines; a third of the rows if there are
        fewer than three rows to one, and never more than the distinct values of the cause.
        The penalty is found by generalised cross-validation.

    Notes
    -----
    These are the splines of ``gam(y ~ s(x, k=10))`` of the R package mgcv, which the R
    package CAM fits. Where cross-validation has several minima, the deepest one is taken;
    mgcv may stay in another. If both splines are exact the pair is undecided.

    References
    ----------
    .. [1] Bühlmann, Peters, Ernest. CAM: Causal additive models, high-dimensional order
       search and penalized regression. Annals of Statistics 2014.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = np.tanh(2.0 * x) + 0.3 * rng.normal(size=500)
    >>> BiCAM().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    n_basis: int = 10

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("BiCAM", "n_basis", self.n_basis, minimum=3, maximum=1_000)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the logarithms of the shares of variance that the splines leave."""
        evidence = self.evidence(pair)
        return Verdict(evidence.gain, pair, evidence)

    def evidence(self, pair: Pair) -> BiCAMEvidence:
        """The numbers behind :meth:`decide`."""
        x, y = unit_variance(pair.x), unit_variance(pair.y)
        return BiCAMEvidence(self._unexplained(x, y), self._unexplained(y, x), len(pair))

    def _unexplained(self, cause: Vector, effect: Vector) -> Unexplained:
        """What a spline of the effect on the cause leaves of a variance of 1."""
        n = len(cause)
        fit = thin_plate_fit(cause, effect, n_basis=min(self.n_basis, ceil(n / ROWS_PER_FUNCTION)))
        return Unexplained(max(fit.residual_sum / (n - 1), EXACT), fit.degrees)


@dataclass(frozen=True, slots=True)
class Unexplained:
    """What the spline of one column on the other leaves.

    Parameters
    ----------
    share : float
        Share of the variance.
    degrees : float
        Effective degrees of freedom of the spline; 2 is a straight line.
    """

    share: float
    degrees: float


@dataclass(frozen=True, slots=True)
class BiCAMEvidence:
    """Shares of variance left by the two splines; the smaller one is causal.

    Parameters
    ----------
    y_given_x, x_given_y : Unexplained
        What is left of each column.
    n_rows : int
        Rows used.
    """

    y_given_x: Unexplained
    x_given_y: Unexplained
    n_rows: int

    @property
    def gain(self) -> float:
        """Logarithm of the ratio of the shares, positive if x -> y leaves less."""
        gain = log(self.x_given_y.share) - log(self.y_given_x.share)
        return gain if abs(gain) > ROUNDING else 0.0

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Shares of variance and degrees of freedom."""
        return {
            "unexplained_y_given_x": self.y_given_x.share,
            "unexplained_x_given_y": self.x_given_y.share,
            "degrees_y_given_x": self.y_given_x.degrees,
            "degrees_x_given_y": self.x_given_y.degrees,
            "n_rows": self.n_rows,
        }


CARDS = (
    MethodCard(
        name="bicam",
        build=BiCAM,
        assumes="Y = f(X) + noise, f curved, X and noise Gaussian",
        reference="Bühlmann, Peters, Ernest: CAM, causal additive models, Annals of "
        "Statistics 2014",
        cost="n log n",
        seconds=0.004,
        seconds_beyond=(0.011, 0.1, 1.8),
        varies=5e-9,
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""The additive model with ten basis functions, as the paper runs it."""
