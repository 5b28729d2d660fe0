"""Greedy search for a causal order: additive models of each node on the nodes before it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.additive_models import AdditiveFit, fitted
from bqcd.statistics.splines.additive_screening import residual_sums_with
from bqcd.statistics.splines.boosting import selection_counts
from bqcd.statistics.splines.smooth_terms import SmoothTerms, dimension_for, smooth_terms

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]

# Gains that differ by less are equal: the first in alphabetical order is taken.
ROUNDING = 1e-9
# Edges that seem to gain this share of the best one, or more, are looked at closely.
LEADING = 0.9


@dataclass(frozen=True, slots=True)
class Step:
    """An edge that the search added.

    Parameters
    ----------
    tail, head : int
        Its nodes.
    gain : float
        By how much the score of the head fell: with CAM the logarithm of its residual variance.
    """

    tail: int
    head: int
    gain: float


class NodeScores(Protocol):
    """What the search asks of models of columns on each other."""

    @property
    def n_nodes(self) -> int:
        """Number of columns."""

    def left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """Scores that models with one more parent leave, of each other; less is better."""

    def roughly_left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """The same, quickly; there are parents."""


class AdditiveScores:
    """Additive models of columns on each other, with all that they share.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
        Columns with mean 0 and variance 1.
    n_basis : int
        Dimension of the splines where there are enough rows.
    """

    def __init__(self, columns: Sequence[Vector], n_basis: int) -> None:
        self._columns = columns
        self._n_basis = n_basis
        self._bases: dict[int, tuple[SmoothTerms, Matrix]] = {}
        self._log_penalties: dict[tuple[int, tuple[int, ...], int], Vector] = {}

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._columns[0])

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self._columns)

    def fit(self, node: int, parents: Sequence[int]) -> AdditiveFit:
        """Additive model of a node on its parents, of which there is at least one."""
        return self._fit(node, parents, self._dimension(len(parents)))

    def _fit(self, node: int, parents: Sequence[int], n_basis: int) -> AdditiveFit:
        terms, products = self._basis(n_basis)
        key = node, tuple(parents), n_basis
        fit = fitted(
            terms,
            parents,
            products[:, node],
            total=self.n_rows - 1.0,
            log_penalties=self._log_penalties.get(key),
        )
        self._log_penalties[key] = fit.log_penalties
        return fit

    def left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """Logarithms of the variances that models with one more parent leave, of each other."""
        sums = [self.fit(node, sorted([*parents, other])).residual_sum for other in others]
        return np.asarray(np.log(np.array(sums) / (self.n_rows - 1.0)))

    def roughly_left_with(self, node: int, parents: Sequence[int], others: Sequence[int]) -> Vector:
        """The same with the penalties of the parents so far held; there must be some."""
        n_basis = self._dimension(len(parents) + 1)
        terms, products = self._basis(n_basis)
        given, total = products[:, node], self.n_rows - 1.0
        fit = self._fit(node, parents, n_basis)
        sums = residual_sums_with(terms, fit, parents, others, given, total=total)
        return np.asarray(np.log(sums / total))

    def selection_counts(self, node: int, others: Sequence[int]) -> Counts:
        """How often boosting of a node chooses each of the others."""
        terms, products = self._basis(self._dimension(1))
        return selection_counts(terms, others, products[:, node])

    def _dimension(self, n_terms: int) -> int:
        """Dimension of the splines in models of so many terms."""
        return dimension_for(self.n_rows, n_terms, n_basis=self._n_basis)

    def _basis(self, n_basis: int) -> tuple[SmoothTerms, Matrix]:
        """Terms of all columns, and their products with the columns."""
        if n_basis not in self._bases:
            terms = smooth_terms(self._columns, n_basis=n_basis)
            products = np.stack([terms.products(column) for column in self._columns], axis=1)
            self._bases[n_basis] = terms, products
        return self._bases[n_basis]


def candidate_parents(scores: AdditiveScores, *, min_share: float, most: int) -> Flags:
    """Which nodes may be parents of which, by boosting: entry (i, j) for i -> j.

    Parameters
    ----------
    scores : AdditiveScores
        Columns.
    min_share : float
        Candidates are chosen in more than this share of the boosting steps.
    most : int
        Number of candidates, at most. Of more, those are left that are chosen more often than
        the first one too many.
    """
    allowed = np.zeros((scores.n_nodes, scores.n_nodes), dtype=np.bool_)
    for node in range(scores.n_nodes):
        others = [other for other in range(scores.n_nodes) if other != node]
        counts = scores.selection_counts(node, others)
        least = min_share * counts.sum()
        if (counts > least).sum() > most:
            least = np.sort(counts)[-(most + 1)]
        allowed[np.array(others)[counts > least], node] = True
    return allowed


def ordered_edges(
    scores: NodeScores,
    allowed: Flags,
    *,
    max_parents: int,
    exact: bool,
    before: Flags | None = None,
    start: Sequence[float] | None = None,
    min_gain: float = ROUNDING,
    parents: Sequence[Collection[int]] = (),
) -> list[Step]:
    """Edges of a DAG, the one that gains most first, until none gains enough.

    Parameters
    ----------
    scores : NodeScores
        Columns.
    allowed : ndarray of shape (k, k)
        Which edges are tried.
    max_parents : int
        Parents of a node, at most.
    exact : bool
        Whether the gain of every edge is found exactly, or of those only that lead.
    before : ndarray of shape (k, k), optional
        Which nodes come before which, known beforehand.
    start : sequence of float, optional
        Scores of the nodes with the parents they have. Default: 0.
    min_gain : float, optional
        Edges that gain no more are not added. Default: what is rounding.
    parents : sequence of collection of int, optional
        Parents that nodes have to begin with. Default: none.
    """
    if before is None:
        before = np.zeros_like(allowed)
    left = [0.0] * scores.n_nodes if start is None else list(start)
    search = _Search(scores, allowed & ~before.T, max_parents, exact, before, left, parents)
    while True:
        step = search.best_step(min_gain)
        if step is None:
            return search.steps
        search.add(step)


class _Search:
    """A DAG under way, with the gains of all edges that may still be added.

    Where not all gains are found exactly, they are first found with the penalties of the model
    so far held, and then exactly of the leading edges, one of which is added.
    """

    def __init__(
        self,
        scores: NodeScores,
        allowed: Flags,
        max_parents: int,
        exact: bool,
        before: Flags,
        left: list[float],
        parents: Sequence[Collection[int]],
    ) -> None:
        self.steps: list[Step] = []
        self._scores = scores
        self._max_parents = max_parents
        self._all_exact = exact
        size = scores.n_nodes
        self._parents: list[list[int]] = [[] for _ in range(size)]
        self._left = left
        self._reaches = np.eye(size, dtype=np.bool_) | before
        self._gains = np.where(allowed, 0.0, -inf)
        self._exact = np.zeros((size, size), dtype=np.bool_)
        for head, own in enumerate(parents):
            for tail in sorted(own):
                self._join(tail, head)
        for node in range(size):
            self._rescore(node)

    def _rescore(self, node: int) -> None:
        parents = self._parents[node]
        exact = self._all_exact or not parents
        if len(parents) >= self._max_parents:
            self._gains[:, node] = -inf
        others = np.flatnonzero(self._gains[:, node] > -inf)
        if len(others):
            models = self._scores.left_with if exact else self._scores.roughly_left_with
            left = models(node, sorted(parents), others.tolist())
            self._gains[others, node] = self._left[node] - left
        self._exact[:, node] = exact

    def _refine(self, tail: int, head: int) -> None:
        left = self._scores.left_with(head, self._parents[head], [tail])
        self._gains[tail, head] = self._left[head] - left[0]
        self._exact[tail, head] = True

    def best_step(self, min_gain: float) -> Step | None:
        """The edge that gains most; None if none gains more than asked."""
        while True:
            best = float(self._gains.max(initial=-inf))
            if best <= min_gain:
                return None
            rough = np.argwhere((self._gains >= LEADING * best) & ~self._exact)
            if len(rough) == 0:
                break
            for tail, head in rough.tolist():
                self._refine(tail, head)
        tail, head = np.argwhere(self._gains >= best - ROUNDING)[0].tolist()
        return Step(tail, head, float(self._gains[tail, head]))

    def add(self, step: Step) -> None:
        """Add an edge, and find the gains of what its head may still have as parents."""
        self.steps.append(step)
        self._left[step.head] -= step.gain
        self._join(step.tail, step.head)
        self._rescore(step.head)

    def _join(self, tail: int, head: int) -> None:
        self._parents[head].append(tail)
        self._reaches |= np.outer(self._reaches[:, tail], self._reaches[head])
        # What is reached from a node must not become its parent.
        self._gains[self._reaches.T] = -inf
        self._gains[tail, head] = -inf
