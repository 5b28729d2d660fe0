"""Discrete additive noise judged by entropy: small residuals in the causal direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.discrete import MAX_LEVELS, check_levels, table_scores, whole_table
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.settings import check_choice
from bqcd.statistics.discrete.codes import entropy_bits
from bqcd.statistics.discrete.regression import residual_entropy, residual_table
from bqcd.statistics.discrete.tables import Counts

Support = Literal["integers", "cyclic"]


@dataclass(frozen=True, kw_only=True)
class ACID:
    """Accurate causal inference on discrete data [1]_.

    Y = f(X) + N on whole numbers. f is searched that makes the Shannon entropy H(N) small, level
    by level from the most frequent values on, and X -> Y if H(X) + H(N_Y) < H(Y) + H(N_X).

    Parameters
    ----------
    support : {"integers", "cyclic"}, default="integers"
        Whether residuals are differences, or differences modulo the range of the effect.
    max_levels : int, default=20
        As in :class:`bqcd.methods.cisc.CISC`. Columns that are not of whole numbers are taken by
        the places of their values.

    Notes
    -----
    The confidence is the difference in bits.

    References
    ----------
    .. [1] Budhathoki, Vreeken. Accurate causal inference on discrete data. ICDM 2018.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice(8, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05], size=1000)
    >>> y = np.array([0, 3, 1, 5, 2, 0, 6, 4])[x] + rng.integers(3, size=1000)
    >>> ACID().decide(Pair(x, y, "cause", "effect"), rng).confidence > 0.0
    True
    """

    tells: ClassVar[bool] = False

    support: Support = "integers"
    max_levels: int = MAX_LEVELS

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("ACID", "support", self.support, ("integers", "cyclic"))
        check_levels("ACID", self.max_levels)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the entropies of cause and residual of the two directions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence, self)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        table = whole_table(pair, self.max_levels)
        measure = "entropy of cause and residual in bits"
        return table_scores(table, self._bits, measure, reordered=False)

    def _bits(self, table: Counts) -> float:
        residuals = residual_table(table, residual_entropy, cyclic=self.support == "cyclic")
        margin = table.sum(axis=1)
        entropy = entropy_bits(margin.tolist()) + entropy_bits(residuals.sum(axis=0).tolist())
        return float(margin.sum()) * entropy


CARDS = (
    MethodCard(
        name="acid",
        build=ACID,
        assumes="Y = f(X) + noise on whole numbers, with residuals of little entropy",
        reference="Budhathoki, Vreeken: Accurate causal inference on discrete data, ICDM 2018",
        cost="n log n",
        seconds=0.002,
        seconds_beyond=(0.0073, 0.048, 0.56),
        note="wrong on nearly all simulated counts with many zeros, whose noise is not additive",
        takes="whole numbers",
    ),
)
"""One method, for columns of whole numbers or levels with an order."""
