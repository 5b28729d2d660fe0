"""Entropic causal inference: the direction whose hidden noise needs less entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.discrete import MAX_LEVELS, check_levels, level_table, table_scores
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.statistics.discrete.codes import entropy_bits
from bqcd.statistics.discrete.couplings import greedy_coupling
from bqcd.statistics.discrete.tables import Counts


@dataclass(frozen=True, kw_only=True)
class Entropic:
    """Entropic causal inference [1]_ with the greedy coupling [2]_.

    If Y = f(X, E) with E independent of X, E couples the conditional distributions of Y given
    each level of X. The least entropy H(E) of such a coupling is approximated greedily, and X -> Y
    if H(X) + H(E) is smaller than the same the other way round.

    Parameters
    ----------
    max_levels : int, default=20
        As in :class:`bqcd.methods.cisc.CISC`.

    Notes
    -----
    The confidence is the difference in bits. The greedy coupling of k distributions is found in
    at most as many steps as there are cells in the table.

    References
    ----------
    .. [1] Kocaoglu, Dimakis, Vishwanath, Hassibi. Entropic causal inference. AAAI 2017.
    .. [2] Kocaoglu, Dimakis, Vishwanath, Hassibi. Entropic causality and greedy minimum entropy
       coupling. ISIT 2017.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, e = rng.integers(8, size=2000), rng.choice(3, p=[0.8, 0.1, 0.1], size=2000)
    >>> y = rng.integers(8, size=(8, 3))[x, e]
    >>> Entropic().decide(Pair(x, y, "cause", "effect"), rng).confidence > 0.0
    True
    """

    takes_nominal: ClassVar[bool] = True
    tells: ClassVar[bool] = False

    max_levels: int = MAX_LEVELS

    def __post_init__(self) -> None:
        """Check the settings."""
        check_levels("Entropic", self.max_levels)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the entropies of cause and noise of the two directions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence, self)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        table = level_table(pair, self.max_levels)
        return table_scores(table, _bits, "entropy of cause and noise in bits")


def _bits(table: Counts) -> float:
    """Bits of all rows, as scores are told per row."""
    margin = table.sum(axis=1)
    shares = table / margin[:, None]
    entropy = entropy_bits(margin.tolist()) + entropy_bits(greedy_coupling(shares).tolist())
    return float(margin.sum()) * entropy


CARDS = (
    MethodCard(
        name="entropic",
        build=Entropic,
        assumes="the noise of Y = f(X, E) needs little entropy in the causal direction",
        reference="Kocaoglu et al.: Entropic causal inference, AAAI 2017",
        cost="n log n",
        seconds=0.001,
        seconds_beyond=(0.0035, 0.035, 0.46),
        unchanged_by=frozenset({"shift and scale", "increasing maps", "relabelling"}),
        note="where no direction exists, the coarser column is nearly always taken for the "
        "cause; auto does not ask it",
        takes="levels",
    ),
)
"""The rule on the sum of both entropies, without a threshold."""
