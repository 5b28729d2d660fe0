"""Verdicts on the edges of a graph, each from the two columns it joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bqcd.data.pair import MIN_ROWS, Pair
from bqcd.errors import BqcdError, InvalidPairError
from bqcd.graphs.orienting.records import Judgement
from bqcd.graphs.partial import Edge, PartialGraph
from bqcd.methods.table import judged
from bqcd.methods.verdict import Method
from bqcd.runtime.seeds import seed_from
from bqcd.statistics.scaling import unit_variance
from bqcd.statistics.splines.additive_models import additive_residuals
from bqcd.statistics.subsampling import subsamples

Vector = NDArray[np.float64]


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
        Number of random halves of the rows on which each verdict is checked. Halves, for
        rows drawn with replacement would be full of ties that the data do not have.
    seed : int, default=0
        What an edge's own seed is made of, together with the names of its nodes.
    """

    method: Method
    name: str
    replicates: int = 0
    seed: int = 0

    def judgement(self, pair: Pair) -> Judgement:
        """Verdict on a pair whose columns have the names of the nodes, in alphabetical order.

        A method that fails on a pair says nothing about it, and the message why.
        """
        seed = seed_from(self.seed, pair.x_name, pair.y_name)
        try:
            confidence = judged(self.method, self.name, pair, seed).confidence
        except BqcdError as error:
            return Judgement(0.0, message=str(error).rstrip("."), n_rows=len(pair))
        if not self.replicates or confidence == 0.0:
            return Judgement(confidence, n_rows=len(pair))
        return Judgement(confidence, self._share(pair, seed, confidence), n_rows=len(pair))

    def _share(self, pair: Pair, seed: int, confidence: float) -> float:
        """Share of random halves with the same sign; those that cannot be judged disagree."""
        if len(pair) < 2 * MIN_ROWS:
            raise InvalidPairError(
                f"Halves of a pair must have at least {MIN_ROWS} rows to be judged, but "
                f"{pair.x_name!r} and {pair.y_name!r} have {len(pair)} rows in all; ask for no "
                "replicates."
            )
        halves = subsamples(
            pair.x,
            pair.y,
            max_rows=len(pair) // 2,
            draws=self.replicates,
            rng=np.random.default_rng(seed),
        )
        agree = 0
        for x, y in halves:
            try:
                half = Pair(x, y, pair.x_name, pair.y_name)
                agree += judged(self.method, self.name, half, seed).confidence * confidence > 0.0
            except BqcdError:
                continue
        return agree / self.replicates


def judge_edges(
    judge: Judge,
    edges: Iterable[Edge],
    pair_of: Callable[[str, str], Pair],
    *,
    report: Callable[[int, int], None] | None = None,
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
    pair_of : callable
        Gives the pair of two nodes.
    report : callable, optional
        Told how many edges of how many are judged.
    """
    pairs = {edge: pair_of(*edge) for edge in edges}
    judgements: dict[Edge, Judgement] = {}
    for edge, pair in pairs.items():
        judgements[edge] = judge.judgement(pair)
        if report is not None:
            report(len(judgements), len(pairs))
    return judgements


def given_parents(
    judge: Judge, pair_of: Callable[[str, str], Pair], column_of: Callable[[str], Vector]
) -> Callable[[Edge, PartialGraph], Judgement]:
    """Judge of edges that looks at what known parents leave of both columns.

    Of each column, an additive model of the parents that either node is known to have is taken
    off first. Without such parents, or if they leave nothing, the columns are judged as they are.

    Parameters
    ----------
    judge : Judge
        Who judges.
    pair_of : callable
        Gives the pair of two nodes.
    column_of : callable
        Gives the column of a node, with the same rows as the pairs.
    """

    def judgement(edge: Edge, graph: PartialGraph) -> Judgement:
        first, second = edge
        parents = sorted({*graph.parents(first), *graph.parents(second)} - set(edge))
        pair = pair_of(first, second)
        if parents:
            givens = [unit_variance(column_of(parent)) for parent in parents]
            x, y = _left_over(pair.x, givens), _left_over(pair.y, givens)
            if x.min() < x.max() and y.min() < y.max():
                pair = Pair(x, y, first, second)
        return judge.judgement(pair)

    return judgement


def _left_over(column: Vector, givens: list[Vector]) -> Vector:
    """Residuals of an additive model of a column."""
    order = np.lexsort((*givens, column))
    residuals = np.empty_like(column)
    residuals[order] = additive_residuals(
        [given[order] for given in givens], unit_variance(column)[order]
    )
    return residuals
