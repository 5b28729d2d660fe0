"""Verdicts on the edges of a graph, each from the two columns it joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from bqcd.contract import Method
from bqcd.errors import BqcdError
from bqcd.graphs.partial import Edge
from bqcd.graphs.records import Judgement
from bqcd.methods import judged
from bqcd.pair import Pair
from bqcd.seeding import seed_from, seeded_generator
from bqcd.statistics.subsampling import subsamples


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
            return Judgement(0.0, message=str(error).rstrip("."))
        if not self.replicates or confidence == 0.0:
            return Judgement(confidence)
        return Judgement(confidence, self._share(pair, seed, confidence))

    def _share(self, pair: Pair, seed: int, confidence: float) -> float:
        """Share of random halves with the same sign; those that cannot be judged disagree."""
        halves = subsamples(
            pair.x,
            pair.y,
            max_rows=len(pair) // 2,
            draws=self.replicates,
            rng=seeded_generator(seed),
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


def columns_as_pairs(
    columns: Mapping[str, np.ndarray],
) -> Callable[[str, str], Pair]:
    """Pairs of columns by the names of both."""
    return lambda first, second: Pair(columns[first], columns[second], first, second)
