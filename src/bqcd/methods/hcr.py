"""Hidden compact representation: a cause of many levels acts through few hidden ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, log2
from typing import ClassVar

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.discrete import MAX_LEVELS, check_levels, equal_table, level_table, table_scores
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.settings import check_flag
from bqcd.statistics.discrete.codes import entropy_bits
from bqcd.statistics.discrete.merging import merged_rows
from bqcd.statistics.discrete.tables import Counts


@dataclass(frozen=True, kw_only=True)
class HCR:
    """Hidden compact representation [1]_.

    X -> Y' -> Y, where Y' = f(X) has few levels and Y depends on Y' alone. Of each direction, f is
    searched that makes the Bayesian information criterion

        n H(X) + n H(Y | Y') + ((|X| - 1) + |Y'| (|Y| - 1)) log₂(n) / 2

    small, in bits: levels of X are merged, those first that cost the least likelihood, as long as
    that pays, then levels change to the group under which their rows are most likely. The
    direction with the smaller one wins.

    Parameters
    ----------
    max_levels : int, default=20
        As in :class:`bqcd.methods.cisc.CISC`.
    equal_levels : bool, default=False
        Whether both columns get equally many levels first: of the finer one, the rarest levels
        are merged two by two, or values with an order cut into groups. As published, the finer
        column is nearly always taken for the cause where no direction exists; with as many
        levels, either column is as often.

    Notes
    -----
    The confidence is the difference in bits per row. The authors alternate between f and the
    likelihood for a growing number of hidden levels; merging from the finest f reaches functions
    of the same criterion without a start at random.

    References
    ----------
    .. [1] Cai, Qiao, Zhang, Zhang, Hao. Causal discovery from discrete data using hidden compact
       representation. NeurIPS 2018.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(10, size=2000)
    >>> shares = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4]])
    >>> y = (rng.random((2000, 1)) > shares.cumsum(axis=1)[x % 2]).sum(axis=1)
    >>> HCR().decide(Pair(x, y, "cause", "effect"), rng).confidence > 0.0
    True
    """

    takes_nominal: ClassVar[bool] = True
    tells: ClassVar[bool] = False

    max_levels: int = MAX_LEVELS
    equal_levels: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        check_levels("HCR", self.max_levels)
        check_flag("HCR", "equal_levels", self.equal_levels)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the criteria of the two directions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence, self)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        made = equal_table if self.equal_levels else level_table
        table = made(pair, self.max_levels)
        return table_scores(table, _bits, "information criterion in bits per row")


def _bits(table: Counts) -> float:
    margin, columns = table.sum(axis=1), table.shape[1]
    n = float(margin.sum())
    parameter = 0.5 * log2(n)
    hidden = merged_rows(table, parameter * (columns - 1))
    given = fsum(sum(row) * entropy_bits(row) for row in hidden.tolist())
    parameters = len(margin) - 1 + len(hidden) * (columns - 1)
    return float(n * entropy_bits(margin.tolist()) + given + parameters * parameter)


CARDS = (
    MethodCard(
        name="hcr",
        build=HCR,
        assumes="X acts on Y through a function of X with few levels",
        reference="Cai et al.: Causal discovery from discrete data using hidden compact "
        "representation, NeurIPS 2018",
        cost="n log n",
        seconds=0.0018,
        seconds_beyond=(0.0043, 0.035, 0.44),
        unchanged_by=frozenset({"shift and scale", "increasing maps", "relabelling"}),
        note="as published, the finer column is nearly always taken for the cause where no "
        "direction exists; equal_levels=True mends that",
        takes="levels",
    ),
)
"""One method, for columns of levels."""
