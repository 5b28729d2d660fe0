"""A pair judged, and the judgement judged."""

from __future__ import annotations

from dataclasses import replace

from bqcd.assessments.assessment import AbstainBy, Abstention, Assessment, Dependence
from bqcd.assessments.probability import probability_of
from bqcd.assessments.resampling import Stability, half_samples
from bqcd.assessments.significance import significance
from bqcd.assessments.weighted import weighted_dependence, weighted_halves
from bqcd.contract import Method, Verdict
from bqcd.dependence import pair_dependence
from bqcd.discovery import BQCD
from bqcd.errors import InvalidSettingError
from bqcd.evidence import QuantileEvidence
from bqcd.methods import decide_pair
from bqcd.normal_scores import rank_pair
from bqcd.pair import Missing, Pair
from bqcd.settings import MOST_REPEATS, check_choice, check_integer, check_number
from bqcd.statistics.autocorrelation import serial_dependence
from bqcd.weighting import WeightedPair, observed_pair

# From this share of repeated values on, a reader should be told.
_MANY_TIES = 0.5
_FEW_ROWS = 200


def assess(
    x: object,
    y: object,
    *,
    table: object = None,
    method: str | Method = "bqcd",
    seed: int = 0,
    missing: Missing = "raise",
    weights: object = None,
    replicates: int = 200,
    level: float = 0.95,
    abstain: float | None = None,
    by: AbstainBy = "probability",
    workers: int = 1,
    **settings: object,
) -> Assessment:
    """Say which of two columns causes the other, and how far that may be trusted.

    Parameters
    ----------
    x, y, table, method, seed, missing, weights
        As in :func:`bqcd.decide`.
    replicates : int, default=200
        Random halves of the rows on which the method is asked again.
    level : float, default=0.95
        Of the confidence interval.
    abstain : float, optional
        What the verdict must reach, else the direction is undecided: the least probability or
        share of halves that agree, or the largest bound. Default: nothing is asked.
    by : {"probability", "stability", "significance"}, default="probability"
        What ``abstain`` is about.
    workers : int, default=1
        Processes or threads for the replicates; the numbers do not depend on it.
    **settings
        Settings of the method, if it is given by name.

    Returns
    -------
    Assessment

    Notes
    -----
    With weights, halves are random halves of the rows whatever their weights, which are then
    weighted as all rows are: how heavy rows fall is part of what is uncertain. Bound and
    probability count as many rows as the weighted ones are worth; the dependence is that of the
    draws, with twice the median of their p-values, which is a p-value again [1]_.

    References
    ----------
    .. [1] Rüger. Das maximale Signifikanzniveau des Tests: "Lehne H0 ab, wenn k unter n gegebenen
       Tests zur Ablehnung führen". Metrika 25, 1978.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=1000)
    >>> found = assess(x, x**2 + 0.3 * rng.normal(size=1000))
    >>> found.direction.value, found.stability.agreeing > 0.9
    ('->', True)
    """
    return assess_pair(
        observed_pair(x, y, table=table, missing=missing, weights=weights),
        method=method,
        seed=seed,
        replicates=replicates,
        level=level,
        abstain=abstain,
        by=by,
        workers=workers,
        **settings,
    )


def assess_pair(
    pair: Pair | WeightedPair,
    /,
    *,
    method: str | Method = "bqcd",
    seed: int = 0,
    replicates: int = 200,
    level: float = 0.95,
    abstain: float | None = None,
    by: AbstainBy = "probability",
    workers: int = 1,
    **settings: object,
) -> Assessment:
    """Assessment of a pair that was built before; see :func:`assess`."""
    check_integer("assess", "replicates", replicates, minimum=10, maximum=MOST_REPEATS)
    check_number("assess", "level", level, above=0.0, at_most=0.999)
    _check_abstention(abstain, by)
    verdict = decide_pair(pair, method=method, seed=seed, **settings)
    assert verdict.method is not None
    judge = verdict.method
    if isinstance(pair, WeightedPair):
        dependence = weighted_dependence(pair, seed=seed)
        halves = weighted_halves(pair, judge, replicates=replicates, seed=seed, workers=workers)
    else:
        dependence = _dependence(pair)
        halves = half_samples(pair, judge, replicates=replicates, seed=seed, workers=workers)
    stability = halves.stability(verdict.confidence)
    found = Assessment(
        verdict,
        stability,
        halves.interval(verdict.confidence, level=level),
        dependence,
        significance(verdict, halves, seed=seed),
        _probability(verdict, stability, dependence),
        notes=tuple(data_notes(verdict)),
    )
    return found if abstain is None else replace(found, abstention=_abstention(found, abstain, by))


def _check_abstention(abstain: float | None, by: str) -> None:
    check_choice("assess", "by", by, ("probability", "stability", "significance"))
    if abstain is not None:
        check_number("assess", "abstain", abstain, above=0.0, at_most=1.0)


def _abstention(found: Assessment, abstain: float, by: AbstainBy) -> Abstention:
    numbers = {
        "probability": found.probability,
        "stability": found.stability.agreeing,
        "significance": found.p_bound,
    }
    number = numbers[by]
    if number is None:
        raise InvalidSettingError(
            f"by of assess must be 'stability' for {found.verdict.name!r} with these settings, as "
            f"nothing else is known of it, got {by!r}."
        )
    return Abstention(by, abstain, number)


def _dependence(pair: Pair) -> Dependence:
    found = pair_dependence(rank_pair(pair.x, pair.y))
    return Dependence(float(found.spearman[0]), float(found.strength[0]), float(found.p_value[0]))


def _probability(verdict: Verdict, stability: Stability, dependence: Dependence) -> float | None:
    """Calibrated probability of the direction; None where it was not learned."""
    evidence, method = verdict.evidence, verdict.method
    usual = (
        isinstance(evidence, QuantileEvidence)
        and isinstance(method, BQCD)
        and evidence.chance_bound is not None
    )
    if not usual:
        return None
    assert isinstance(evidence, QuantileEvidence)
    return probability_of(
        confidence=verdict.confidence,
        agreement=stability.agreeing,
        n_rows=evidence.n_rows,
        tie_share=(evidence.x_ties + evidence.y_ties) / (2 * evidence.n_rows),
        dependence=dependence.strength,
        one_level=len(evidence.code_lengths.quadrature) == 1,
    )


def data_notes(verdict: Verdict) -> list[str]:
    """What a reader should know of the data behind a verdict: few rows, ties, a time series."""
    notes = []
    weighting = verdict.weighting
    rows = verdict.n_rows if weighting is None else round(weighting.effective_rows)
    if rows < _FEW_ROWS:
        notes.append(f"With {rows} rows little can be told of any pair.")
    evidence = verdict.evidence
    if isinstance(evidence, QuantileEvidence):
        pair = verdict.pair
        for name, ties in ((pair.x_name, evidence.x_ties), (pair.y_name, evidence.y_ties)):
            if ties > _MANY_TIES * evidence.n_rows:
                notes.append(
                    f"{ties / evidence.n_rows:.0%} of the values of {name!r} repeat others: it is "
                    "discrete or rounded, and ranks of ties are drawn by lot."
                )
    serial = serial_dependence(verdict.pair.x, verdict.pair.y)
    if serial.strong and serial.is_sorted:
        notes.append(
            "The rows are sorted by a column, so that nobody can see whether they depend on each "
            "other, as they would in a time series."
        )
    elif serial.strong:
        notes.append(
            "Both columns depend strongly on the row before, as in a time series: rows are not "
            f"independent, and these are worth about {serial.effective_rows:,.0f} rows. All "
            "shares and bounds here are too optimistic."
        )
    return notes
