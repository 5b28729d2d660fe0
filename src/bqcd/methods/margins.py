"""A floor: what the two margins give away by themselves, without a look at the relation.

Boosted trees on what either column is described by (skewness, kurtosis, entropies, ties, tails,
see :mod:`bqcd.statistics.margins`), learned from simulated pairs by
``benchmarks/panel/train_margins.py``. They see the difference and the sum of these numbers and that
of rows, and answer by half of what they say of the columns in one order less what they say in the
other. They never see which values come together: any order of the rows of one column gives the same
answer. Where this is right more often than a coin, the benchmark tells the direction to whoever
looks at the columns one by one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import log10, tanh

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.models.trees import Trees, trees_of
from bqcd.methods.verdict import Verdict
from bqcd.runtime.arrays import Vector
from bqcd.statistics.margins import MARGIN_FEATURES, margin_features


@dataclass(frozen=True, kw_only=True)
class Margins:
    """The floor of the margins: a direction from each column by itself.

    Notes
    -----
    The confidence is 2p - 1, where p is the probability of X -> Y. It is calibrated on simulated
    pairs and is no reason to believe a direction: use it as a row of a comparison, next to the
    coin. Columns with the same margins leave the pair undecided.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = np.arange(200.0), rng.gamma(2.0, size=200)
    >>> one = Margins().decide(Pair(x, y), rng)
    >>> other = Margins().decide(Pair(x, rng.permutation(y)), rng)
    >>> one.confidence == other.confidence
    True
    """

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the two margins."""
        evidence = margins_evidence(pair)
        return Verdict(evidence.x_to_y - evidence.y_to_x, pair, evidence)


@dataclass(frozen=True, slots=True, eq=False)
class MarginsEvidence:
    """What the margins are described by, and what follows.

    Parameters
    ----------
    x_to_y, y_to_x : float
        Probabilities of the two directions; they sum to 1.
    x, y : ndarray of shape (22,)
        What each column is described by, named by ``MARGIN_FEATURES``.
    """

    x_to_y: float
    y_to_x: float
    x: Vector
    y: Vector

    @property
    def probability(self) -> float:
        """Probability of X -> Y."""
        return self.x_to_y

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Both probabilities, and what each column is described by."""
        x, y = (dict(zip(MARGIN_FEATURES, one.tolist(), strict=True)) for one in (self.x, self.y))
        return {"x_to_y": self.x_to_y, "y_to_x": self.y_to_x, "x_margin": x, "y_margin": y}


def margins_evidence(pair: Pair) -> MarginsEvidence:
    """The numbers behind :class:`Margins`."""
    x, y = margin_features(pair.x), margin_features(pair.y)
    log_odds = shipped_model().log_odds(x, y, len(pair))
    half = 0.5 * tanh(0.5 * abs(log_odds))
    lean = half if log_odds > 0.0 else -half
    return MarginsEvidence(0.5 + lean, 0.5 - lean, x, y)


@dataclass(frozen=True, slots=True, eq=False)
class MarginsModel:
    """Trees, made to change sign when the columns are exchanged.

    Parameters
    ----------
    trees : Trees
        Their inputs are those of :func:`margins_inputs`.
    shrinkage : float
        Factor of the log-odds.
    """

    trees: Trees
    shrinkage: float

    def log_odds(self, x: Vector, y: Vector, n_rows: int) -> float:
        """Log-odds of X -> Y from what the columns are described by."""
        forward, backward = (
            self.trees.total(margins_inputs(*columns, n_rows)) for columns in ((x, y), (y, x))
        )
        return 0.5 * self.shrinkage * (forward - backward)


def margins_inputs(x: Vector, y: Vector, n_rows: int) -> Vector:
    """What trees see of a pair: differences and sums of features, and the number of rows.

    Examples
    --------
    >>> margins_inputs(np.array([3.0]), np.array([1.0]), 100)
    array([2., 4., 2.])
    """
    return np.concatenate((x - y, x + y, [log10(n_rows)]))


@lru_cache(maxsize=1)
def shipped_model() -> MarginsModel:
    """The model that comes with the package."""
    text = files("bqcd.methods").joinpath("margins.json").read_text(encoding="utf-8")
    stored = json.loads(text)
    return MarginsModel(trees_of(stored["trees"]), float(stored["shrinkage"]))


__all__ = [
    "CARDS",
    "MARGIN_FEATURES",
    "Margins",
    "MarginsEvidence",
    "MarginsModel",
    "margins_evidence",
    "margins_inputs",
    "shipped_model",
]

CARDS = (
    MethodCard(
        name="margins",
        build=Margins,
        assumes="nothing of the relation: margins one by one, a floor of comparisons",
        reference="none",
        cost="n log n",
        seconds=0.0005,
        seconds_beyond=(0.0017, 0.032, 0.28),
        unchanged_by=frozenset({"shift and scale"}),
        probabilistic=True,
    ),
)
"""Next to the coin at the end of the table."""
