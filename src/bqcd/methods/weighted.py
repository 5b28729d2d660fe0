"""One verdict on weighted rows: the mean of those on several draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from bqcd.data.weights import WeightedPair, Weighting
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.methods.asking import judged
from bqcd.methods.bqcd import with_levels_of
from bqcd.methods.verdict import (
    ClaimedProbability,
    DirectedScores,
    Evidence,
    Method,
    Verdict,
)
from bqcd.methods.weighted_draws import drawn_pairs
from bqcd.runtime.arrays import Vector
from bqcd.runtime.seeds import seed_from

Drawn = TypeVar("Drawn")


def judged_by_weight(
    method: Method, name: str, weighted: WeightedPair, seed: int, *, draws: int | None = None
) -> Verdict:
    """What a method says of draws of weighted rows, on average.

    bQCD uses the levels it would use on as many rows as the weighted ones are worth.

    Parameters
    ----------
    method : Method
        Who judges.
    name : str
        What it is called, for messages.
    weighted : WeightedPair
        Rows and weights.
    seed : int
        Of the draws, and of the generators handed to the method.
    draws : int, optional
        How many. Default: as many as the weights demand.

    Raises
    ------
    InvalidVerdictError
        If the method gives back no verdict.
    """
    judge = with_levels_of(method, weighted.effective_rows)
    found = [
        tuple(judged(judge, name, pair, seed_from(seed, "judge", at)) for pair in sides)
        for at, sides in enumerate(drawn_pairs(weighted, seed=seed, draws=draws))
    ]
    return replace(averaged_verdict(found, weighted), method=method, name=name, seed=seed)


def averaged_verdict(found: Sequence[tuple[Verdict, ...]], weighted: WeightedPair) -> Verdict:
    """Verdict with the mean of the confidences and of the evidence.

    Undecided if there was nothing to judge: a column is constant in every draw.

    Parameters
    ----------
    found : sequence of tuples of Verdict
        Verdicts on the draws; those of one tuple come from either side of one draw.
    weighted : WeightedPair
        What was drawn from.
    """
    confidences = _means_of_draws(found, lambda verdict: verdict.confidence)
    weighting = Weighting(
        weighted.name,
        weighted.effective_rows,
        weighted.draw_rows,
        len(found),
        float(np.std(confidences)) if found else 0.0,
        found[0][0].seen_pair if found else weighted.pair,
    )
    return Verdict(
        float(np.mean(confidences)) if found else 0.0,
        weighted.pair,
        _averaged_evidence(found, weighted) if found else None,
        weighting=weighting,
    )


def _means_of_draws(
    found: Sequence[tuple[Drawn, ...]], number: Callable[[Drawn], float | Vector]
) -> Vector:
    """Numbers of the draws. Of both sides first: a sum of two is the same in either order."""
    return np.array([sum(map(number, sides)) / len(sides) for sides in found])


def _averaged_evidence(
    found: Sequence[tuple[Verdict, ...]], weighted: WeightedPair
) -> Evidence | None:
    """Evidence of the draws in one, None if its kind has no mean, such as a chosen curve."""
    evidence = [tuple(verdict.evidence for verdict in sides) for sides in found]
    quantile = [tuple(e for e in sides if isinstance(e, QuantileEvidence)) for sides in evidence]
    if all(quantile):
        return _averaged_quantiles(quantile, int(weighted.effective_rows))
    if all(verdict.probability is not None for sides in found for verdict in sides):
        # The confidence is 2p - 1, so that their means belong together.
        mean = _means_of_draws(found, lambda verdict: verdict.confidence).mean()
        return ClaimedProbability(0.5 + 0.5 * float(mean))
    directed = [tuple(e for e in sides if isinstance(e, DirectedScores)) for sides in evidence]
    return _averaged_scores(directed) if all(directed) else None


def _averaged_quantiles(
    found: Sequence[tuple[QuantileEvidence, ...]], n_rows: int
) -> QuantileEvidence:
    """Mean scores by level; models are those of the first draw, ties as many as in so many rows."""
    first = found[0][0]

    def mean(number: Callable[[QuantileEvidence], float | Vector]) -> Vector:
        return np.asarray(_means_of_draws(found, number).mean(axis=0))

    share = n_rows / first.n_rows
    return replace(
        first,
        code_lengths=replace(
            first.code_lengths,
            y_given_x=mean(lambda one: one.code_lengths.y_given_x),
            x_given_y=mean(lambda one: one.code_lengths.x_given_y),
        ),
        n_rows=n_rows,
        x_ties=min(n_rows, round(share * float(mean(lambda one: one.x_ties)))),
        y_ties=min(n_rows, round(share * float(mean(lambda one: one.y_ties)))),
        x_coarse=float(mean(lambda one: one.x_coarse)),
        y_coarse=float(mean(lambda one: one.y_coarse)),
        tie_spread=float(mean(lambda one: one.tie_spread)),
        tie_error=float(mean(lambda one: one.tie_error or 0.0)),
    )


def _averaged_scores(found: Sequence[tuple[DirectedScores, ...]]) -> DirectedScores:
    """Mean scores; of the facts, those that all draws share."""
    first = found[0][0]
    every = [one for sides in found for one in sides]
    facts = {
        key: value
        for key, value in first.facts.items()
        if all(key in one.facts and one.facts[key] == value for one in every)
    }
    return replace(
        first,
        x_to_y=float(_means_of_draws(found, lambda one: one.x_to_y).mean()),
        y_to_x=float(_means_of_draws(found, lambda one: one.y_to_x).mean()),
        facts=facts,
    )
