"""Causal inference by stochastic complexity: the shorter multinomial code is the causal one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.discrete import MAX_LEVELS, check_levels, level_table, table_scores
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.statistics.discrete.codes import code_bits, conditional_code_bits
from bqcd.statistics.discrete.tables import Counts


@dataclass(frozen=True, kw_only=True)
class CISC:
    """Causal inference by stochastic complexity [1]_.

    X -> Y if S(X) + S(Y | X) < S(Y) + S(X | Y), where S(X) = n H(X) + log₂ C(n, |X|) is the
    stochastic complexity of a multinomial variable and S(Y | X) the sum of those of Y among the
    rows of each level of X, with |Y| levels each. As n H(X) + n H(Y | X) is the same both ways,
    the regrets alone decide.

    Parameters
    ----------
    max_levels : int, default=20
        A column with an order and more values is cut into so many groups of about equal counts,
        fewer where two such columns would have less than 5 rows for a pair of groups.

    Notes
    -----
    The confidence is the difference in bits per row. Levels may be called anything.

    References
    ----------
    .. [1] Budhathoki, Vreeken. MDL for causal inference on discrete data. ICDM 2017.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice(6, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05], size=2000)
    >>> y = (x + rng.choice(6, p=[0.8, 0.1, 0.1, 0, 0, 0], size=2000)) % 6
    >>> verdict = CISC().decide(Pair(x, y), rng)
    >>> verdict.evidence.facts
    {'x_levels': 6, 'y_levels': 6}
    """

    takes_nominal: ClassVar[bool] = True
    tells: ClassVar[bool] = False

    max_levels: int = MAX_LEVELS

    def __post_init__(self) -> None:
        """Check the settings."""
        check_levels("CISC", self.max_levels)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the stochastic complexities of the two directions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence, self)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        table = level_table(pair, self.max_levels)
        return table_scores(table, _bits, "stochastic complexity in bits per row")


def _bits(table: Counts) -> float:
    margin = table.sum(axis=1)
    return code_bits(margin.tolist(), len(margin)) + conditional_code_bits(table)


CARDS = (
    MethodCard(
        name="cisc",
        build=CISC,
        assumes="the shorter multinomial code of cause, then effect given cause, is the causal one",
        reference="Budhathoki, Vreeken: MDL for causal inference on discrete data, ICDM 2017",
        cost="n log n",
        seconds=0.0007,
        seconds_beyond=(0.003, 0.033, 0.43),
        unchanged_by=frozenset({"shift and scale", "increasing maps", "relabelling"}),
        note="where no direction exists, the coarser column is nearly always taken for the "
        "cause; auto does not ask it",
        takes="levels",
    ),
)
"""One method, for columns of levels."""
