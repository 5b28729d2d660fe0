"""Discrete additive noise: residuals that are independent of the cause."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.acid import Support
from bqcd.methods.cards import MethodCard
from bqcd.methods.discrete import MAX_LEVELS, check_levels, whole_table
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.settings import check_choice, check_number
from bqcd.statistics.discrete.regression import (
    independence_p_value,
    residual_dependence,
    residual_table,
)
from bqcd.statistics.discrete.tables import Counts


@dataclass(frozen=True, kw_only=True)
class DiscreteANM:
    """Discrete additive noise models [1]_.

    Y = f(X) + N on whole numbers, or modulo the range of Y, with N independent of X. f starts at
    the most frequent value of Y at each level of X; level by level it gets the value that makes
    residuals and X look the most independent, until nothing changes or ten times. The model of
    a direction is accepted if the test of independence has a p-value of at least ``level``.

    Parameters
    ----------
    support : {"integers", "cyclic"}, default="integers"
        Whether residuals are differences, or differences modulo the range of the effect.
    level : float, default=0.05
        Of the tests.
    max_levels : int, default=20
        As in :class:`bqcd.methods.cisc.CISC`. Columns that are not of whole numbers are taken by
        the places of their values.

    Notes
    -----
    As published, a direction is told if it is accepted and the other one is rejected; the
    confidence is then the difference of the p-values, and 0 otherwise. The test is Pearson's, with
    exact moments for sparse tables where the authors take Fisher's test. During the search the
    statistic is compared in units of its standard deviation, as p-values of bad functions are all
    zero.

    References
    ----------
    .. [1] Peters, Janzing, Schölkopf. Causal inference on discrete data using additive noise
       models. IEEE TPAMI 33, 2011.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice(8, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05], size=1000)
    >>> y = np.array([0, 3, 1, 5, 2, 0, 6, 4])[x] + rng.choice(3, p=[0.6, 0.3, 0.1], size=1000)
    >>> DiscreteANM().decide(Pair(x, y, "cause", "effect"), rng).cause
    'cause'
    """

    support: Support = "integers"
    level: float = 0.05
    max_levels: int = MAX_LEVELS

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("DiscreteANM", "support", self.support, ("integers", "cyclic"))
        check_number("DiscreteANM", "level", self.level, above=0.0, at_most=0.5)
        check_levels("DiscreteANM", self.max_levels)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Tell the direction whose model alone is accepted."""
        evidence = self.evidence(pair)
        accepted, rejected = (
            1.0 - score >= self.level for score in (evidence.x_to_y, evidence.y_to_x)
        )
        confidence = evidence.y_to_x - evidence.x_to_y if accepted != rejected else 0.0
        return Verdict(confidence, pair, evidence)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        table = whole_table(pair, self.max_levels)
        return DirectedScores(
            x_to_y=1.0 - self._p_value(table),
            y_to_x=1.0 - self._p_value(np.ascontiguousarray(table.T)),
            measure="1 - p-value of cause and residual",
            n_rows=len(pair),
            facts={
                "x_levels": int((table.sum(axis=1) > 0).sum()),
                "y_levels": int((table.sum(axis=0) > 0).sum()),
            },
        )

    def _p_value(self, table: Counts) -> float:
        residuals = residual_table(table, residual_dependence, cyclic=self.support == "cyclic")
        return independence_p_value(residuals)


CARDS = (
    MethodCard(
        name="danm",
        build=DiscreteANM,
        assumes="Y = f(X) + noise on whole numbers, with noise independent of X",
        reference="Peters, Janzing, Schölkopf: Causal inference on discrete data using additive "
        "noise models, IEEE TPAMI 2011",
        cost="n log n",
        seconds=0.004,
        seconds_beyond=(0.008, 0.048, 0.56),
        note="tells a direction only if one model alone is accepted, which most data that are "
        "no additive noise never let it",
        takes="whole numbers",
    ),
)
"""One method, for columns of whole numbers or levels with an order."""
