"""Scores and tests of nodes by their conditional quantiles, for searches and pruning."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.statistics.codes.entropy import quantile_entropy
from bqcd.statistics.level_tests import LevelTest, chosen_inputs, level_test
from bqcd.statistics.splines.level_models import LevelModel, LevelModels

Flags = NDArray[np.bool_]

# Location and scale each have a straight line, at least.
_LINES = 2


class LevelScores:
    """Models of conditional quantiles of columns on each other, scored at the levels of bQCD.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
        Finite columns, none of them constant.
    n_basis : int
        Dimension of the splines where there are enough rows.
    n_levels : int
        Levels of the Gauss-Legendre rule.
    """

    def __init__(self, columns: Sequence[Vector], n_basis: int, n_levels: int) -> None:
        self.models = LevelModels(columns, n_basis)
        nodes, weights = np.polynomial.legendre.leggauss(n_levels)
        self._at, self._weights = (nodes + 1.0) / 2.0, weights / 2.0
        self._fits: dict[tuple[int, tuple[int, ...]], LevelModel] = {}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.models.n_rows

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return self.models.n_nodes

    @property
    def least_gain(self) -> float:
        """Gain that pays, by BIC, for a straight line in location and one in scale."""
        return 0.5 * _LINES * log(self.n_rows) / self.n_rows

    def score(self, model: LevelModel) -> float:
        """Pinball scores of a model; less is better."""
        return model.score(self._at, self._weights)

    def alone(self) -> list[float]:
        """Scores of all columns without parents."""
        return [self.score(self.models.fit(node, [])) for node in range(self.n_nodes)]

    def left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """Scores that models with one more parent leave, of each other."""
        fits = [self.models.fit(node, sorted([*parents, other])) for other in others]
        return np.array([self.score(fit) for fit in fits])

    def roughly_left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """The same with what the parents so far explain held."""
        model = self.fit(node, parents)
        return np.array([self.score(self.models.refined(model, other)) for other in others])

    def candidates(self, *, most: int, cutoff: float) -> Flags:
        """Which nodes levels of which depend on, given each other: entry (i, j) for i of j.

        Parameters
        ----------
        most : int
            Candidates of a node, at most.
        cutoff : float
            They are added as long as the p-value is smaller, times the number of those tried.
        """
        found = np.zeros((self.n_nodes, self.n_nodes), dtype=np.bool_)
        for node in range(self.n_nodes):
            others = [other for other in range(self.n_nodes) if other != node]
            found[chosen_inputs(self.models, node, others, most=most, cutoff=cutoff), node] = True
        return found

    def fit(self, node: int, parents: Sequence[int]) -> LevelModel:
        """Model of a node on its parents, kept for the next time."""
        key = node, tuple(sorted(parents))
        if key not in self._fits:
            self._fits[key] = self.models.fit(node, key[1])
        return self._fits[key]

    def test(self, node: int, parents: Sequence[int], tried: int) -> LevelTest:
        """Test whether levels of a node, given parents, depend on one more column."""
        return level_test(self.fit(node, parents), self.models.functions(tried))


class CodeLengths:
    """Code lengths of columns given each other: entropies of what models of quantiles leave.

    In units of the scale, as the mean of the logarithm of that is 0, the entropy of the noise is
    the mean code length of a column given others in nats, but for a constant; where noise and
    inputs are not independent it is too long by what the one tells of the other. So over all DAGs
    the sum is least for those that the columns came from, whatever the shape of their noise.

    Parameters
    ----------
    scores : LevelScores
        Columns.
    """

    def __init__(self, scores: LevelScores) -> None:
        self._models = scores.models
        self._known: dict[tuple[int, frozenset[int]], float] = {}
        self._rough: dict[tuple[int, frozenset[int], int], float] = {}

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return self._models.n_nodes

    def length(self, node: int, parents: Collection[int]) -> float:
        """Code length of a column given some others."""
        key = node, frozenset(parents)
        if key not in self._known:
            self._known[key] = quantile_entropy(self._model(node, parents).noise)
        return self._known[key]

    def _model(self, node: int, parents: Collection[int]) -> LevelModel:
        """Model of a column on others, as near to its noise as may be."""
        return self._models.fit(node, sorted(parents), following=True).sharpened()

    def left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """Code lengths with one more parent, of each other."""
        return np.array([self.length(node, {*parents, other}) for other in others])

    def roughly_left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """The same with what the parents so far explain held."""
        given = frozenset(parents)
        if any((node, given, other) not in self._rough for other in others):
            model = self._model(node, parents)
            for other in others:
                left = self._models.refined(model, other).noise
                self._rough[node, given, other] = quantile_entropy(left)
        return np.array([self._rough[node, given, other] for other in others])


def pruned(
    scores: LevelScores, parents: Mapping[int, Sequence[int]], *, cutoff: float
) -> dict[tuple[int, int], float]:
    """P-value of each edge; those that stay are smaller than the cutoff.

    Of each node that parent goes first whose p-value, given the others, is the largest, until all
    that are left are smaller than the cutoff: of two that say the same, one stays.

    Parameters
    ----------
    scores : LevelScores
        Columns.
    parents : mapping of int to sequence of int
        Parents of each node.
    cutoff : float
        Parents stay whose p-value is smaller.
    """
    found: dict[tuple[int, int], float] = {}
    for node, own in parents.items():
        left = sorted(own)
        while left:
            given = {one: [other for other in left if other != one] for one in left}
            p_values = {one: scores.test(node, given[one], one).p_value for one in left}
            worst = max(left, key=lambda one: p_values[one])
            if p_values[worst] < cutoff:
                found |= {(one, node): p_values[one] for one in left}
                break
            found[worst, node] = p_values[worst]
            left.remove(worst)
    return found
