"""Verdicts on the edges of a graph, each from the two columns it joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isinf

import numpy as np

from bqcd.assessments.assessing import assess_pair
from bqcd.assessments.stability import half_samples
from bqcd.assessments.units import Units
from bqcd.data.pair import Pair
from bqcd.errors import BqcdError
from bqcd.graphs.orienting.records import Judgement
from bqcd.graphs.orienting.table import NodeColumns
from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.methods.asking import judged
from bqcd.methods.verdict import Method, Verdict
from bqcd.runtime.arrays import Vector
from bqcd.runtime.seeds import seed_from
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.splines.additive_models import additive_residuals


@dataclass(frozen=True, slots=True)
class Judge:
    """A method, and how often it is asked.

    Parameters
    ----------
    method : Method
        Judges pairs.
    name : str
        Its name.
    replicates : int, default=0
        Number of random halves of the rows on which each verdict is checked.
    seed : int, default=0
        What the seeds of edges are made of, see :func:`edge_seed`.
    force : bool, default=False
        Whether the sign of a confidence counts though the direction cannot be told.
    assessed : bool, default=False
        Whether each pair is assessed, which gives its probability.
    """

    method: Method
    name: str
    replicates: int = 0
    seed: int = 0
    force: bool = False
    assessed: bool = False

    def judgement(self, pair: Pair, units_of: Callable[[Pair], Units | None]) -> Judgement:
        """Verdict on a pair whose columns have the names of the nodes, in alphabetical order.

        A method that fails on a pair says nothing about it, and the message why. Its stability
        is that of :func:`bqcd.assess` with the seed of the edge.

        Parameters
        ----------
        pair : Pair
            Two columns.
        units_of : callable
            Gives the rows of a pair that belong together, which halves are drawn by.
        """
        seed = edge_seed(self.seed, pair.x_name, pair.y_name)
        rows = len(pair)
        try:
            if self.assessed:
                return self._assessment(pair, seed, units_of(pair))
            verdict = judged(self.method, self.name, pair, seed)
        except BqcdError as error:
            return Judgement(0.0, message=str(error).rstrip("."), n_rows=rows, seed=seed)
        share = None
        if self.replicates:
            # That which was picked for all rows.
            asked = verdict.method or self.method
            halves = half_samples(
                pair, asked, replicates=self.replicates, seed=seed, units=units_of(pair)
            )
            share = halves.stability(verdict.confidence).agreeing
        return Judgement(
            verdict.confidence,
            share,
            n_rows=rows,
            seed=seed,
            answer=verdict.answer,
            forced=self.force,
            probability=_likelier(verdict.probability),
            limit=_limit(verdict),
            choice=verdict.choice,
        )

    def _assessment(self, pair: Pair, seed: int, units: Units | None) -> Judgement:
        """Verdict with the probability and the answer of :func:`bqcd.assess`."""
        found = assess_pair(
            pair,
            method=self.method,
            seed=seed,
            units=units,
            find_units=False,
            replicates=self.replicates or None,
        )
        return Judgement(
            found.verdict.confidence,
            found.stability.agreeing,
            n_rows=len(pair),
            seed=seed,
            answer=found.answer,
            forced=self.force,
            probability=found.probability,
            limit=None if found.probability is not None else _limit(found.verdict),
            choice=found.verdict.choice,
        )


def _likelier(probability: float | None) -> float | None:
    """Probability of the direction, from that of X -> Y."""
    return None if probability is None else max(probability, 1.0 - probability)


def _limit(verdict: Verdict) -> float | None:
    """What the confidence must exceed; None if that is not known, or no size would do."""
    limit = verdict.limit
    return None if limit is None or isinf(limit) else limit


def edge_seed(seed: int, first: str, second: str) -> int:
    """Seed of an edge: it follows from that of the whole and the names of its nodes.

    With it, :func:`bqcd.decide` and :func:`bqcd.assess` give the pair the confidence and the
    stability that :func:`bqcd.orient` gives the edge.

    Parameters
    ----------
    seed : int
        Seed that ``orient`` is called with.
    first, second : str
        The nodes, in either order.

    Examples
    --------
    >>> edge_seed(0, "rain", "harvest") == edge_seed(0, "harvest", "rain")
    True
    """
    return seed_from(seed, *sorted((first, second)))


def judge_edges(
    judge: Judge,
    edges: Iterable[Edge],
    columns: NodeColumns,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Edge, Judgement]:
    """Verdict on each edge, by its nodes in alphabetical order.

    All pairs are made before the first one is judged, so that a column that cannot be used
    is told before any work is done.

    Parameters
    ----------
    judge : Judge
        Who judges.
    edges : iterable of (str, str)
        Edges, their nodes in alphabetical order.
    columns : NodeColumns
        Columns of the nodes.
    progress : callable, optional
        Told how many edges of how many are judged.
    """
    pairs = {edge: columns.pair(*edge) for edge in edges}
    judgements: dict[Edge, Judgement] = {}
    for edge, pair in pairs.items():
        judgements[edge] = judge.judgement(pair, columns.units)
        if progress is not None:
            progress(len(judgements), len(pairs))
    return judgements


def given_parents(judge: Judge, columns: NodeColumns) -> Callable[[Edge, PartialGraph], Judgement]:
    """Judge of edges that looks at what known parents leave of both columns.

    Of each column, an additive model of the parents that either node is known to have is taken
    off first. Without such parents, or if they leave nothing, the columns are judged as they are.

    Parameters
    ----------
    judge : Judge
        Who judges.
    columns : NodeColumns
        Columns of the nodes, in complete rows.
    """

    def judgement(edge: Edge, graph: PartialGraph) -> Judgement:
        first, second = edge
        parents = sorted({*graph.parents(first), *graph.parents(second)} - set(edge))
        pair = columns.pair(first, second)
        if parents:
            givens = [unit_variance(columns.column(parent)) for parent in parents]
            x, y = _left_over(pair.x, givens), _left_over(pair.y, givens)
            if x.min() < x.max() and y.min() < y.max():
                pair = Pair(x, y, first, second)
        return judge.judgement(pair, columns.units)

    return judgement


def _left_over(column: Vector, givens: list[Vector]) -> Vector:
    """Residuals of an additive model of a column."""
    order = np.lexsort((*givens, column))
    residuals = np.empty_like(column)
    residuals[order] = additive_residuals(
        [given[order] for given in givens], unit_variance(column)[order]
    )
    return residuals
