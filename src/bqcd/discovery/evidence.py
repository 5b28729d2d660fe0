"""What a verdict of bQCD rests on: code lengths, curves, ties."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, isfinite, sqrt
from typing import overload

import numpy as np

from bqcd.data.pair import Pair
from bqcd.discovery.quantiles import ConditionalQuantiles
from bqcd.discovery.scores import Quadrature, gauss_legendre
from bqcd.runtime.arrays import Matrix, Vector

# Where the evidence reports the fitted curves: at these quantiles of the given variable.
PROBES = (0.1, 0.25, 0.5, 0.75, 0.9)

# Deciles of |confidence| of BQCD() on the 99 scalar Tübingen pairs, computed with this code.
TUEBINGEN_DECILES = (0.0006, 0.0011, 0.0019, 0.0028, 0.0034, 0.0055, 0.0075, 0.0095, 0.0136)
# On linear Gaussian pairs, whose direction no method can know, |confidence| times the root
# of the rows stays below this in 95 of 100 cases: with the median alone, with more levels.
CHANCE_WITH_ONE_LEVEL = 0.23
CHANCE_WITH_MORE_LEVELS = 0.12
# What coarse columns add to it, for the roots of shares of ``lost_to_ties``: whichever way the
# confidence points, and more if it points from the coarser column (``benchmarks/coarse_limit.py``).
COARSE_EITHER_WAY = 0.005
COARSE_FROM_THE_COARSER = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class CodeLengths:
    """Mean quantile scores of both factorizations, level by level.

    Parameters
    ----------
    quadrature : Quadrature
        Levels and weights the scores belong to.
    x, y : ndarray of shape (m,)
        Scores of the marginal quantiles.
    y_given_x, x_given_y : ndarray of shape (m,)
        Scores of the conditional quantiles.
    """

    quadrature: Quadrature
    x: Vector
    y: Vector
    y_given_x: Vector
    x_given_y: Vector

    @property
    def x_to_y(self) -> float:
        """S_X + S_{Y|X}, integrated over the levels."""
        return self.quadrature.integrate(self.x + self.y_given_x)

    @property
    def y_to_x(self) -> float:
        """S_Y + S_{X|Y}, integrated over the levels."""
        return self.quadrature.integrate(self.y + self.x_given_y)

    @property
    def confidence(self) -> float:
        """(S_{Y->X} - S_{X->Y}) / (S_X + S_Y): positive if X -> Y is the shorter code."""
        gap = (self.y + self.x_given_y) - (self.x + self.y_given_x)
        return self.quadrature.integrate(gap) / self.quadrature.integrate(self.x + self.y)


@dataclass(frozen=True, slots=True, eq=False)
class QuantileEvidence:
    """What a verdict of :class:`BQCD` rests on.

    Parameters
    ----------
    code_lengths : CodeLengths
        Scores by level, averaged over the orders of the ties.
    y_model, x_model : ConditionalQuantiles
        Fitted quantiles of y given x and of x given y, on the normal scale; with ties, of
        the first of their orders.
    n_rows : int
        Rows used; their effective number where they are weighted.
    x_ties, y_ties : int
        Values that repeat an earlier one in their column.
    x_coarse, y_coarse : float
        Share of the variance of the ranks that ties take: 1/k² for k grades of equal size.
    tie_orders : int
        Orders of the ties fitted; 1 without ties.
    tie_spread : float
        Standard deviation of the confidence between these orders.
    tie_error : float or None
        Standard error left in the confidence, as not all orders of the ties were fitted; 0
        without ties, None if a single order was taken.
    regressor : str
        Name of the regressor's class.
    """

    code_lengths: CodeLengths
    y_model: ConditionalQuantiles
    x_model: ConditionalQuantiles
    n_rows: int
    x_ties: int
    y_ties: int
    x_coarse: float
    y_coarse: float
    tie_orders: int
    tie_spread: float
    tie_error: float | None
    regressor: str

    @property
    def chance_bound(self) -> float | None:
        """Size that |confidence| rarely exceeds where the direction cannot be known.

        That of linear Gaussian data with as many rows, recorded as coarsely as these columns are.
        Measured for the copula regressor with Gauss-Legendre levels; None for others.
        """
        return self.chance_bound_of(self.code_lengths.confidence)

    def chance_bound_of(self, confidence: float) -> float | None:
        """Size that a confidence of that sign rarely exceeds; see :attr:`chance_bound`."""
        fine = chance_bound(self.code_lengths.quadrature, self.regressor, self.n_rows)
        if fine is None:
            return None
        return fine + float(coarse_allowance(confidence, self.x_coarse, self.y_coarse))

    @property
    def is_coarse(self) -> bool:
        """Whether columns are so coarse that it is a tenth of the chance bound, or more."""
        added = coarse_allowance(self.code_lengths.confidence, self.x_coarse, self.y_coarse)
        return bool(added >= 0.1 * (self.chance_bound or 0.0) and added > 0.0)

    @property
    def sign_hangs_on_ties(self) -> bool:
        """Whether other orders of the ties may well turn the verdict: below two errors."""
        size = abs(self.code_lengths.confidence)
        return self.tie_error is not None and 0.0 < size < 2.0 * self.tie_error

    @property
    def real_sizes(self) -> tuple[float, ...]:
        """Deciles of |confidence| on real pairs with a known answer, of the default settings."""
        return TUEBINGEN_DECILES

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Scores by level, curves in the units of the data, rows and ties."""
        lengths = self.code_lengths
        scores = {
            "levels": lengths.quadrature.levels.tolist(),
            "weights": lengths.quadrature.weights.tolist(),
            "x": lengths.x.tolist(),
            "y": lengths.y.tolist(),
            "y_given_x": lengths.y_given_x.tolist(),
            "x_given_y": lengths.x_given_y.tolist(),
        }
        curves = {
            "given_quantiles": list(PROBES),
            "y_given_x": _at_probes(self.y_model, pair.y).tolist(),
            "x_given_y": _at_probes(self.x_model, pair.x).tolist(),
        }
        return {
            "code_length_x_to_y": lengths.x_to_y,
            "code_length_y_to_x": lengths.y_to_x,
            "scores": scores,
            "curves": curves,
            "n_rows": self.n_rows,
            "ties": {"x": self.x_ties, "y": self.y_ties},
            "coarse": {"x": self.x_coarse, "y": self.y_coarse},
            "tie_orders": self.tie_orders,
            "tie_spread": self.tie_spread,
            "tie_error": self.tie_error,
            "sign_hangs_on_ties": self.sign_hangs_on_ties,
            "regressor": self.regressor,
            "chance_bound": self.chance_bound,
        }


def chance_bound(rule: Quadrature, regressor: str, n_rows: float) -> float | None:
    """Size that |confidence| rarely exceeds where the direction cannot be known, without ties.

    Parameters
    ----------
    rule : Quadrature
        Levels and weights.
    regressor : str
        Name of the regressor's class.
    n_rows : float
        Rows of the pair.

    Returns
    -------
    float or None
        None where it was not measured: it was for the copula with Gauss-Legendre levels.
    """
    if regressor != "Copula" or not _is_gauss_legendre(rule):
        return None
    common = CHANCE_WITH_MORE_LEVELS if len(rule) > 1 else CHANCE_WITH_ONE_LEVEL
    return common / sqrt(n_rows)


@overload
def coarse_allowance(confidence: float, x_coarse: float, y_coarse: float) -> np.float64: ...
@overload
def coarse_allowance(confidence: Vector, x_coarse: Vector, y_coarse: Vector) -> Vector: ...
def coarse_allowance(
    confidence: float | Vector, x_coarse: float | Vector, y_coarse: float | Vector
) -> np.float64 | Vector:
    """What coarse columns add to the size that is common where the direction cannot be known.

    Of linear Gaussian columns the coarser one looks like the cause, the more so the more they
    differ, and no more rows make that go away. Coarseness alone does little.

    Parameters
    ----------
    confidence : float or ndarray of shape (k,)
        Whose sign tells which way is asked about.
    x_coarse, y_coarse : float or ndarray of shape (k,)
        Share of the variance of the ranks that ties take, by column.

    Examples
    --------
    >>> [round(float(coarse_allowance(sign, 1 / 4, 0.0)), 4) for sign in (1.0, -1.0)]
    [0.0275, 0.0025]
    """
    lead = np.maximum(np.sign(confidence) * (np.asarray(x_coarse) - y_coarse), 0.0)
    most = np.maximum(x_coarse, y_coarse)
    added: np.float64 | Vector
    added = COARSE_EITHER_WAY * np.sqrt(most) + COARSE_FROM_THE_COARSER * np.sqrt(lead)
    return added


def _at_probes(model: ConditionalQuantiles, target: Vector) -> Matrix:
    """Quantiles where the given variable is at its ``PROBES``, in the units of the target."""
    from bqcd.discovery.ranking_kernels import normal_quantile

    curves = model(np.array([normal_quantile(p) for p in PROBES]))
    shares = [[0.5 * (1.0 + erf(z / sqrt(2.0))) for z in row] for row in curves]
    low, high = float(target.min()), float(target.max())
    if isfinite(high - low):
        return np.asarray(np.quantile(target, shares))
    # Halves, as differences of the column itself are beyond the largest number.
    return 2.0 * np.asarray(np.quantile(0.5 * target, shares))


def _is_gauss_legendre(rule: Quadrature) -> bool:
    return np.array_equal(rule.levels, gauss_legendre(len(rule)).levels)
