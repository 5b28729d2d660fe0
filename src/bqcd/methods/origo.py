"""Causal inference by compression with decision trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.discrete import MAX_LEVELS, check_levels, level_table, table_scores
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.statistics.discrete.packing import packed_bits


@dataclass(frozen=True, kw_only=True)
class Origo:
    """Causal inference by compression [1]_.

    Levels become binary attributes, and Pack compresses these with one decision tree each. For
    X -> Y the trees of X ask attributes of X only, those of Y any; the direction with fewer bits
    wins.

    Parameters
    ----------
    max_levels : int, default=20
        As in :class:`bqcd.methods.cisc.CISC`.

    Notes
    -----
    The confidence is the difference in bits per row. Leaves are coded by normalised maximum
    likelihood; a question costs 1 bit and the logarithm of the number of attributes, a leaf 1
    bit.

    References
    ----------
    .. [1] Budhathoki, Vreeken. Origo: causal inference by compression. Knowledge and Information
       Systems 56, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice(6, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05], size=500)
    >>> verdict = Origo().decide(Pair(x, x // 2), rng)
    >>> verdict.evidence.measure
    'packed bits per row'
    """

    takes_nominal: ClassVar[bool] = True
    tells: ClassVar[bool] = False

    max_levels: int = MAX_LEVELS

    def __post_init__(self) -> None:
        """Check the settings."""
        check_levels("Origo", self.max_levels)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the packed bits of the two directions."""
        evidence = self.evidence(pair)
        return Verdict(evidence.y_to_x - evidence.x_to_y, pair, evidence, self)

    def evidence(self, pair: Pair) -> DirectedScores:
        """The numbers behind :meth:`decide`."""
        return table_scores(level_table(pair, self.max_levels), packed_bits, "packed bits per row")


CARDS = (
    MethodCard(
        name="origo",
        build=Origo,
        assumes="trees of the effect that ask the cause compress better than the other way round",
        reference="Budhathoki, Vreeken: Origo: causal inference by compression, KAIS 2018",
        cost="n log n",
        seconds=0.016,
        seconds_beyond=(0.55, 1.8, 1.5),
        varies=2e-14,
        unchanged_by=frozenset({"shift and scale", "increasing maps", "relabelling"}),
        note="where no direction exists but a link, the finer column is mostly taken for the "
        "cause; auto does not ask it",
        takes="levels",
    ),
)
"""One method, for columns of levels."""
