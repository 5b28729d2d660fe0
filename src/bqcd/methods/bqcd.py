"""The method of the paper: settings, checked, and the verdict of Algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.bqcd import TieBreaking, confidences_of, quantile_evidence
from bqcd.discovery.evidence import QuantileEvidence, chance_bound, coarse_allowance
from bqcd.discovery.quantiles import (
    QUANTILE_REGRESSORS,
    Copula,
    QuantileRegressor,
    is_regressor,
)
from bqcd.discovery.quantiles.copula import Room
from bqcd.discovery.ranks import RankedPair, normal_scores
from bqcd.discovery.scores import (
    MOST_LEVELS,
    Quadrature,
    checked_levels,
    equal_weights,
    gauss_legendre,
)
from bqcd.discovery.tie_averages import MOST_ROWS as MOST_AVERAGED
from bqcd.discovery.tie_averages import average_over_ties
from bqcd.discovery.vectors import vector_evidence
from bqcd.errors import InvalidSettingError, UnknownNameError
from bqcd.methods.verdict import Method, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.settings import MOST_REPEATS, MOST_ROWS, check_flag, check_integer, nearest_names

Orders = NDArray[np.int32]
Signs = NDArray[np.int8]


@dataclass(frozen=True, kw_only=True)
class BQCD:
    """Bivariate quantile causal discovery [1]_.

    The direction whose marginal and conditional quantiles leave the smaller total
    pinball score is taken as causal.

    Parameters
    ----------
    regressor : QuantileRegressor or str, default="copula"
        Conditional quantile model, or its name in ``QUANTILE_REGRESSORS``.
    n_levels : int, default=3
        Number of quantile levels, at most 99: those of the Gauss-Legendre rule.
    small_n : int, default=200
        Below this many rows only the median is used, as in the paper. On simulated pairs of
        50 rows and more, 0 (never) is right more often.
    jitters : int or None, default=None
        Random orders in which ties are broken and averaged over. None breaks them in
        fixed orders instead: the same for the same data, whatever the order of rows and
        columns.
    tie_orders : int or None, default=None
        Number of those fixed orders, even, at most 100,000. None: for the copula, 4 to 32 up to
        20,000 rows, until the mean over all orders is known about as well as by 32 plain ones: as
        well on real pairs, with up to twice the error where columns have few grades. With more
        rows 16 and fewer, as the order of ties matters less. 4 for other regressors.
    published_ties : bool, default=False
        Break ties once, in the order the paper's published results were computed with,
        to compare with those. The verdict then depends on the order of the rows.
    levels : sequence of float or None, default=None
        Quantile levels of equal weight to use instead of ``n_levels``, increasing within
        (0, 1), e.g. ``(0.4, 0.5, 0.6)``. Below ``small_n`` rows the median alone is used
        all the same.

    References
    ----------
    .. [1] Tagasovska, Chavez-Demoulin, Vatter. Distinguishing cause from effect using
       quantiles: bivariate quantile causal discovery. ICML 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> pair = Pair(x, x**2 + 0.3 * rng.normal(size=500), "dose", "response")
    >>> BQCD().decide(pair, rng).direction
    <Direction.X_TO_Y: '->'>
    """

    regressor: QuantileRegressor | str = "copula"
    n_levels: int = 3
    small_n: int = 200
    jitters: int | None = None
    tie_orders: int | None = None
    published_ties: bool = False
    levels: Sequence[float] | None = None

    def __post_init__(self) -> None:
        """Check the settings."""
        check_integer("BQCD", "n_levels", self.n_levels, minimum=1, maximum=MOST_LEVELS)
        self._check_levels()
        check_integer("BQCD", "small_n", self.small_n, minimum=0, maximum=MOST_ROWS)
        check_flag("BQCD", "published_ties", self.published_ties)
        if self.jitters is not None:
            check_integer("BQCD", "jitters", self.jitters, minimum=1, maximum=MOST_REPEATS)
        if self.jitters is not None and self.published_ties:
            raise InvalidSettingError(
                f"jitters of BQCD must be None with published_ties, got {self.jitters!r}."
            )
        if self.tie_orders is not None:
            check_integer("BQCD", "tie_orders", self.tie_orders, minimum=2, maximum=MOST_REPEATS)
            if self.tie_orders % 2:
                raise InvalidSettingError(
                    f"tie_orders of BQCD must be even, got {self.tie_orders!r}."
                )
        self.quantile_regressor()

    def _check_levels(self) -> None:
        if self.levels is None:
            return
        object.__setattr__(self, "levels", checked_levels("BQCD", self.levels))
        if self.n_levels != BQCD.n_levels:
            raise InvalidSettingError(
                f"n_levels of BQCD must be left out where levels are given, got {self.n_levels!r}."
            )

    def quantile_regressor(self) -> QuantileRegressor:
        """The regressor itself, also where it was asked for by name."""
        if isinstance(self.regressor, str):
            if self.regressor not in QUANTILE_REGRESSORS:
                hint = nearest_names(self.regressor, QUANTILE_REGRESSORS)
                raise UnknownNameError(f"No regressor is called {self.regressor!r}. {hint}")
            return QUANTILE_REGRESSORS[self.regressor]()
        if not is_regressor(self.regressor):
            raise InvalidSettingError(
                "regressor of BQCD must be a name or have a method "
                f"fit(given, target, levels, rng), got {self.regressor!r}."
            )
        return self.regressor

    def quadrature(self, n_rows: int) -> Quadrature:
        """Levels and weights used on this many rows."""
        if n_rows < self.small_n:
            return gauss_legendre(1)
        if self.levels is None:
            return gauss_legendre(self.n_levels)
        return equal_weights(tuple(self.levels))

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the two code lengths of one pair."""
        evidence = self.evidence(pair, rng)
        return Verdict(evidence.code_lengths.confidence, pair, evidence)

    def decide_vectors(self, pair: VectorPair, rng: Generator) -> Verdict:
        """Compare the code lengths of every column of one side with every column of the other.

        The confidence is the mean over all pairs of columns, see :mod:`bqcd.discovery.vectors`.
        """
        evidence = vector_evidence(pair, self.evidence, rng)
        return Verdict(evidence.confidence, pair, evidence)

    def evidence(self, pair: Pair, rng: Generator) -> QuantileEvidence:
        """The numbers behind :meth:`decide`."""
        regressor, n = self.quantile_regressor(), len(pair)
        ties = TieBreaking(self._fixed_orders(regressor, n), self.jitters, self.published_ties)
        return quantile_evidence(pair, regressor, self.quadrature(n), ties, rng)

    def chance_bounds(
        self, confidences: Vector, x_coarse: Vector, y_coarse: Vector, n_rows: int
    ) -> Vector:
        """Sizes that confidences rarely exceed where no direction exists: those of their evidence.

        Parameters
        ----------
        confidences : ndarray of shape (k,)
            Of pairs with equally many rows.
        x_coarse, y_coarse : ndarray of shape (k,)
            Share of the variance of the ranks of their columns that ties take.
        n_rows : int
            Rows of each pair.

        Returns
        -------
        ndarray of shape (k,)
            NaN where it was not measured.
        """
        regressor = type(self.quantile_regressor()).__name__
        fine = chance_bound(self.quadrature(n_rows), regressor, n_rows)
        added = coarse_allowance(confidences, x_coarse, y_coarse)
        return (np.nan if fine is None else fine) + added

    def judges_untied_ranks(self) -> bool:
        """Whether :meth:`untied_confidences` may be asked: the copula judges many at once."""
        return isinstance(self.quantile_regressor(), Copula)

    def room(self, n_pairs: int, n_rows: int) -> Room:
        """Memory for :meth:`untied_confidences` of so many pairs, or of fewer."""
        regressor = self.quantile_regressor()
        assert isinstance(regressor, Copula)
        return regressor.room(n_pairs, n_rows)

    def untied_confidences(
        self, inverses: Orders, signs: Signs, room: Room | None = None
    ) -> Vector:
        """Confidences of many pairs without ties, to the bit those of :meth:`decide`.

        Parameters
        ----------
        inverses : ndarray of shape (k, n)
            The ranks of each pair, as in :class:`bqcd.discovery.ranks.RankedPair`.
        signs : ndarray of shape (k,)
            1 where the first variable is x, -1 where it is y, 0 where none can tell.
        room : Room, optional
            Memory for at least k pairs, from :meth:`room`. Default: fresh memory.
        """
        regressor, n = self.quantile_regressor(), inverses.shape[1]
        assert isinstance(regressor, Copula)
        rule = self.quadrature(n)
        scores = regressor.scores_both_ways(normal_scores(n), inverses, rule.levels, room)
        return confidences_of(scores, signs, rule, n)

    def judges_tied_ranks(self, n_rows: int) -> bool:
        """Whether :meth:`tied_confidences` may be asked of pairs of so many rows."""
        regressor = self.quantile_regressor()
        plain = self.jitters is None and not self.published_ties
        return plain and self._fixed_orders(regressor, n_rows) is None

    def tied_confidences(self, pairs: Sequence[RankedPair]) -> Vector:
        """Confidences of pairs with ties and equally many rows: to the bit those of :meth:`decide`.

        Parameters
        ----------
        pairs : sequence of RankedPair
            The ranks of each pair, all with ties.
        """
        regressor, n = self.quantile_regressor(), pairs[0].n_rows
        assert isinstance(regressor, Copula)
        rule = self.quadrature(n)
        scores = np.empty((len(pairs), 2, len(rule)))
        for at, pair in enumerate(pairs):
            assert pair.ties is not None
            scores[at] = average_over_ties(pair.ties, regressor, rule).scores
        signs = np.array([pair.sign for pair in pairs], dtype=np.int8)
        return confidences_of(scores, signs, rule, n)

    def _fixed_orders(self, regressor: QuantileRegressor, n_rows: int) -> int | None:
        if self.tie_orders is not None:
            return self.tie_orders
        if not isinstance(regressor, Copula):
            return 4
        return None if n_rows <= MOST_AVERAGED else 2 * min(16, -(-320_000 // n_rows))


def with_levels_of(method: Method, rows: float) -> Method:
    """Method with the levels it uses on so many rows, also where it is given fewer.

    Examples
    --------
    >>> with_levels_of(BQCD(), 250).quadrature(125).levels.size
    3
    """
    if isinstance(method, BQCD) and rows >= method.small_n:
        return replace(method, small_n=0)
    return method
