"""What a verdict claims: the probability of its direction, before anything limits it."""

from __future__ import annotations

import numpy as np

from bqcd.assessments.dependence import Dependence
from bqcd.assessments.probability import probability_of
from bqcd.assessments.regions import most_probable
from bqcd.assessments.stability import Stability
from bqcd.data.pair import MIN_ROWS, Direction, Pair
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.methods.bqcd import BQCD
from bqcd.methods.verdict import Verdict
from bqcd.statistics.subsampling import subsamples

# Draws of as many rows as dependent ones are worth, over which a claimed probability is averaged.
_WORTH_DRAWS = 5


def judged_rows(worth: float | None, link: Dependence) -> float | None:
    """Rows that a probability rests on: no more than the link does, however steady halves are."""
    return worth if worth is None or link.rows is None else min(worth, link.rows)


def claimed_probability(
    verdict: Verdict, stability: Stability, dependence: Dependence, worth: float | None
) -> float | None:
    """Calibrated probability of the direction; None where it was not learned.

    Parameters
    ----------
    verdict : Verdict
        On a pair.
    stability : Stability
        How often halves agree.
    dependence : Dependence
        Of the columns.
    worth : float or None
        Independent rows that the rows are worth; None for all of them.
    """
    evidence, method = verdict.evidence, verdict.method
    if verdict.probability is not None:
        return claimed_by_method(verdict, worth)
    usual = (
        isinstance(evidence, QuantileEvidence)
        and isinstance(method, BQCD)
        and evidence.chance_bound is not None
    )
    if not usual:
        return None
    assert isinstance(evidence, QuantileEvidence)
    probability = probability_of(
        confidence=verdict.confidence,
        agreement=stability.agreeing,
        n_rows=evidence.n_rows if worth is None else max(MIN_ROWS, round(worth)),
        tie_share=(evidence.x_ties + evidence.y_ties) / (2 * evidence.n_rows),
        dependence=dependence.strength,
        one_level=len(evidence.code_lengths.quadrature) == 1,
    )
    return min(probability, most_probable(verdict.seen_pair, verdict.confidence))


def claimed_by_method(verdict: Verdict, worth: float | None) -> float:
    """Probability of the direction that the method claims, on no more rows than they are worth.

    Where rows belong together, the method judges that many of them, drawn several times, and is
    never taken to be surer than on all rows.

    Parameters
    ----------
    verdict : Verdict
        Of a method that claims probabilities.
    worth : float or None
        As in :func:`claimed_probability`.
    """
    confidence = verdict.confidence
    if worth is not None and worth < len(verdict.pair) and verdict.weighting is None:
        # A row and its mirror image are drawn together or not at all: one may be lacking.
        rows, rng = max(MIN_ROWS + 1, round(worth)), np.random.default_rng(verdict.seed)
        assert verdict.method is not None
        drawn = subsamples(
            verdict.pair.x, verdict.pair.y, max_rows=rows, draws=_WORTH_DRAWS, rng=rng
        )
        said = [verdict.method.decide(Pair(x, y), rng).confidence for x, y in drawn]
        mean = float(np.mean(said)) if said else 0.0
        # The direction is that of all rows.
        fewer = max(0.0, mean * Direction.of(confidence).sign)
        confidence = min(abs(confidence), fewer)
    return 0.5 * (1.0 + abs(confidence))
