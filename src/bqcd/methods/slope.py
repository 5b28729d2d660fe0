"""Slope: the direction in which simple regressions describe the data in fewer bits.

A column costs as many bits as its values have at their resolution. The effect is cheaper:
it is told by a curve in the cause and its residuals; and where values of the cause repeat,
also by curves of their own for the effects of one value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_choice, check_flag, check_number
from bqcd.statistics.codes.description_length import (
    choice_bits,
    line_codes,
    residual_bits,
    smallest_step,
)
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range

Library = Literal["published", "corrected", "extended"]

FUNCTIONS = ("x", "x^2", "x^3", "exp(x)", "1/x", "1/x^2", "1/x^3", "log(x)")
LIBRARIES: Mapping[Library, int] = MappingProxyType({"published": 5, "corrected": 6, "extended": 8})
# Values are told in steps of their smallest distance, or in these where that is larger.
COARSEST = 0.01
# Values of the cause are the same if they are in steps of this, and worth a curve of their
# own from so many rows on.
CELLS = 1e5
FEWEST_ROWS = 5


@dataclass(frozen=True, kw_only=True)
class Slope:
    """Slope: regression by minimum description length [1]_.

    Parameters
    ----------
    library : {"published", "corrected", "extended"}, default="published"
        Functions of the cause, each with intercept and slope. The code of the paper has x,
        x², x³, exp(x) and 1/x, with 1/x once more where 1/x² was meant. "corrected" has
        1/x², "extended" also 1/x³ and log(x).
    local : bool, default=True
        Whether effects of a repeated value of the cause may have a curve of their own.
    alpha : float, default=1.0
        Largest p-value with which a direction is decided. The authors of the method
        propose 0.001; 1 decides always, as the bQCD paper does.

    Notes
    -----
    Columns with two distinct values or fewer leave the pair undecided.

    References
    ----------
    .. [1] Marx, Vreeken. Telling cause from effect using MDL-based local and global
       regression. ICDM 2017.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=500)
    >>> y = x**3 + 0.05 * rng.uniform(-1.0, 1.0, size=500)
    >>> Slope().decide(Pair(x, y, "side", "volume"), rng).cause
    'side'
    """

    library: Library = "published"
    local: bool = True
    alpha: float = 1.0

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("Slope", "library", self.library, get_args(Library))
        check_flag("Slope", "local", self.local)
        check_number("Slope", "alpha", self.alpha, above=0.0, at_most=1.0)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the bits of both directions, relative to those of the columns alone."""
        evidence = self.evidence(pair)
        confidence = evidence.saving if evidence.p_value <= self.alpha else 0.0
        return Verdict(confidence, pair, evidence)

    def evidence(self, pair: Pair) -> SlopeEvidence:
        """The numbers behind :meth:`decide`."""
        x, y = unit_range(pair.x), unit_range(pair.y)
        step_x, step_y = smallest_step(x, most=COARSEST), smallest_step(y, most=COARSEST)
        bits_x, bits_y = -len(x) * log2(step_x), -len(y) * log2(step_y)
        if min(_n_cells(x), _n_cells(y)) <= 2:
            alone = Description(bits_y, None, 0), Description(bits_x, None, 0)
            return SlopeEvidence(bits_x, bits_y, *alone, len(pair))
        given_x = self._description(x, y, step_y)
        given_y = self._description(y, x, step_x)
        return SlopeEvidence(bits_x, bits_y, given_x, given_y, len(pair))

    def _description(self, cause: Vector, effect: Vector, step: float) -> Description:
        """Cheapest description of the effect given the cause."""
        order = row_order(cause, effect)
        cause, effect = cause[order], effect[order]
        features = _features(cause, LIBRARIES[self.library], step)
        codes = line_codes(features, effect, resolution=step, through_zero=True)
        best = int(np.argmin(codes.residuals + codes.parameters))
        left = effect - codes.intercepts[best] - codes.slopes[best] * features[best]
        cells = np.rint(cause * CELLS)
        starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
        pieces = _Pieces(len(cause), len(features), float(codes.residuals[best]))
        sizes = np.diff(np.append(starts, len(cause)))
        for cell in np.flatnonzero(sizes >= FEWEST_ROWS) if self.local else ():
            rows = slice(starts[cell], starts[cell] + sizes[cell])
            pieces.add(np.sort(effect[rows]), left[rows], step)
        bits, chosen, count = pieces.cheapest(len(starts))
        return Description(bits, FUNCTIONS[chosen if count else best], count)


class _Pieces:
    """Running description length of each function, as values of the cause get their own curves.

    The bits of the curve for all rows are those of its residuals: its parameters do not
    count, in the published code as here.
    """

    def __init__(self, n_rows: int, n_functions: int, bits: float) -> None:
        self._n_rows = n_rows
        self._totals = np.full(n_functions, bits)
        self._bins = np.ones(n_functions, dtype=np.int64)
        self._prices = np.full(n_functions, self._price(1))
        self._known: dict[int, Matrix] = {}

    def add(self, effects: Vector, left: Vector, step: float) -> None:
        """Give one value of the cause, with its effects in order, a curve where that is shorter."""
        m = len(effects)
        if m not in self._known:
            spaced = 10.0 * (np.arange(m) / (m - 1)) - 5.0
            self._known[m] = _features(spaced, len(self._totals), step)
        codes = line_codes(self._known[m], effects, resolution=step, through_zero=True)
        before = residual_bits(float(np.square(left).sum()), m, step)
        changes = codes.residuals + codes.parameters - before + self._prices
        for function in np.flatnonzero(changes < 0.0):
            self._totals[function] += changes[function]
            self._bins[function] += 1
            self._prices[function] = self._price(int(self._bins[function]))

    def _price(self, bins: int) -> float:
        """Bits of one more bin."""
        cuts = _cut_bits(self._n_rows - 1, bins + 1) - _cut_bits(self._n_rows - 1, bins)
        return cuts + log2(bins + 1) - log2(bins)

    def cheapest(self, n_cells: int) -> tuple[float, int, int]:
        """Bits of the best function, its number, and how many values have their own curve."""
        cuts = np.where(self._bins > n_cells, self._bins - 1, self._bins) - 1
        totals = self._totals + [1.0 + _cut_bits(self._n_rows - 1, int(cut)) for cut in cuts]
        best = int(np.argmin(totals))
        return float(totals[best]), best, int(self._bins[best]) - 1


@dataclass(frozen=True, slots=True)
class Description:
    """How one column is told given the other.

    Parameters
    ----------
    bits : float
        Length of the description.
    function : str or None
        Function of the other column; None if there is none.
    local_curves : int
        Values of the other column with a curve of their own.
    """

    bits: float
    function: str | None
    local_curves: int


@dataclass(frozen=True, slots=True)
class SlopeEvidence:
    """Bits of the columns alone and of each given the other; the smaller sum wins.

    Parameters
    ----------
    x, y : float
        Bits of the columns alone.
    y_given_x, x_given_y : Description
        What the other column brings.
    n_rows : int
        Rows used.
    """

    x: float
    y: float
    y_given_x: Description
    x_given_y: Description
    n_rows: int

    @property
    def difference(self) -> float:
        """Bits by which x -> y is the shorter description."""
        return (self.y + self.x_given_y.bits) - (self.x + self.y_given_x.bits)

    @property
    def saving(self) -> float:
        """The difference relative to the bits of both columns alone: the confidence."""
        return self.difference / (self.x + self.y)

    @property
    def p_value(self) -> float:
        """Bound on the chance of so large a difference if neither direction is the shorter.

        No-hypercompression: k bits are saved by chance with probability 2^-k at most; half
        the difference is saved against the description that lies in the middle.
        """
        return float(2.0 ** (-0.5 * abs(self.difference)))

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Bits, functions, local curves and p-value."""
        return {
            "bits_x": self.x,
            "bits_y": self.y,
            "bits_y_given_x": self.y_given_x.bits,
            "bits_x_given_y": self.x_given_y.bits,
            "function_y_given_x": self.y_given_x.function,
            "function_x_given_y": self.x_given_y.function,
            "local_curves_y_given_x": self.y_given_x.local_curves,
            "local_curves_x_given_y": self.x_given_y.local_curves,
            "p_value": self.p_value,
            "n_rows": self.n_rows,
        }


def _n_cells(column: Vector) -> int:
    return len(np.unique(np.rint(column * CELLS)))


def _features(column: Vector, count: int, step: float) -> Matrix:
    """The first so many functions at the column; where they divide, ``step`` stands for zero."""
    apart = np.where(column == 0.0, step, column)
    found = np.empty((count, len(column)))
    # Overflows and logarithms of negative numbers are left out when lines are fitted.
    with np.errstate(all="ignore"):
        found[:5] = column, column**2, column**3, np.exp(column), 1.0 / apart
        if count > 5:
            found[5] = found[4] ** 2
        if count > 6:
            found[6:] = found[4] ** 3, np.log(apart)
    return found


def _cut_bits(n: int, k: int) -> float:
    """Bits of k cuts at n places as the published code counts them: log2 0! = log2 1! = 1."""
    if k == 0 or k > n:
        return 0.0
    return choice_bits(n, k) - (k == 1) - (n - k <= 1)


CARDS = (
    MethodCard(
        name="slope",
        build=Slope,
        assumes="Y is a simple function of X with noise, shorter to describe than X from Y",
        reference="Marx, Vreeken: Telling cause from effect using MDL-based local and global "
        "regression, ICDM 2017",
        cost="n log n",
        seconds=0.001,
        seconds_beyond=(0.0071, 0.35, 3.6),
        unchanged_by=frozenset({"shift and scale"}),
    ),
)
"""Slope as the bQCD paper runs it: it always decides."""
