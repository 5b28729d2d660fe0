"""Rows of the table of pairs, and what a page tells of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import copysign
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments.assessment import Assessment
from bqcd.assessments.dependence import NO_EVIDENCE, Dependence, dependence_of
from bqcd.assessments.notes import data_notes
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.errors import InvalidSettingError
from bqcd.methods.answers import ANSWERS, Answer
from bqcd.methods.table import ALL_METHODS
from bqcd.methods.verdict import Evidence, Verdict
from bqcd.runtime.settings import check_choice
from bqcd.show.reports.points import MOST_POINTS, Points, curves_of, points_of
from bqcd.show.reports.voices import voices_of
from bqcd.show.words import ASSUMPTIONS
from bqcd.show.words import assessments as words
from bqcd.show.words import verdicts as verdict_words

STATUSES = ("done", "skipped", "failed")
"""What may have become of a pair."""

_INDEPENDENT_ROWS = "The rows are taken to be independent of each other, and alike."


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """Row of the table of pairs.

    Parameters
    ----------
    number : int
        By which the row is known.
    x, y : str
        Names of the columns.
    confidence : float, default=0.0
        Positive for x -> y; zero if there is no verdict.
    n_rows : int, default=0
        Rows in use.
    dependence, dependence_p : float or None, default=None
        Strength of the dependence, and p-value of independence.
    probability, stability, p_bound : float or None, default=None
        What an assessment says of the verdict.
    answer : {"clear", "leaning", "cannot tell"}, default="cannot tell"
        What may be said of the direction.
    status : {"done", "skipped", "failed"}, default="done"
        What became of the pair.
    message : str, default=""
        Why there is no verdict, or what to know of it.

    Raises
    ------
    InvalidSettingError
        If a number is not finite, or the status is another.
    """

    number: int
    x: str
    y: str
    confidence: float = 0.0
    n_rows: int = 0
    dependence: float | None = None
    dependence_p: float | None = None
    probability: float | None = None
    stability: float | None = None
    p_bound: float | None = None
    answer: Answer = "cannot tell"
    status: str = "done"
    message: str = ""

    def __post_init__(self) -> None:
        """Refuse numbers that JSON has no word for."""
        check_choice("PairRow", "status", self.status, STATUSES)
        check_choice("PairRow", "answer", self.answer, ANSWERS)
        for name in ("confidence", "dependence", "dependence_p", "probability", "p_bound"):
            value = getattr(self, name)
            if value is not None and not np.isfinite(value):
                raise InvalidSettingError(f"{name} of PairRow must be finite, got {value!r}.")

    @property
    def cause(self) -> str | None:
        """Name of the cause; None if that cannot be told."""
        if self.confidence == 0.0 or self.answer == "cannot tell":
            return None
        return self.x if self.confidence > 0.0 else self.y

    @property
    def effect(self) -> str | None:
        """Name of the effect; None if that cannot be told."""
        if self.cause is None:
            return None
        return self.y if self.confidence > 0.0 else self.x

    def as_dict(self) -> dict[str, object]:
        """The row, ready for JSON."""
        return {
            "id": self.number,
            "x": self.x,
            "y": self.y,
            "cause": self.cause,
            "effect": self.effect,
            "answer": self.answer,
            "confidence": self.confidence,
            "n_rows": self.n_rows,
            "dependence": self.dependence,
            "dependence_p": self.dependence_p,
            "probability": self.probability,
            "stability": self.stability,
            "p_bound": self.p_bound,
            "status": self.status,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDetail:
    """What a page tells of one pair.

    Parameters
    ----------
    sentence : str
        What was found, in numbers.
    points : Points
        Its rows as they are drawn.
    curves, scores, assessment, voices : dict of str to object, optional
        Quantile curves both ways, scores by level, what the assessment says and what the methods
        of a panel say, ready for JSON.
    assumptions : tuple of str, default=()
        What is taken for granted.
    caveats : tuple of str, default=()
        What speaks against relying on it.
    problems : tuple of str, default=()
        Codes of what is known to mislead and was seen, see
        :data:`bqcd.show.words.scans.PROBLEMS`.
    """

    sentence: str
    points: Points
    curves: dict[str, object] | None = None
    scores: dict[str, object] | None = None
    assessment: dict[str, object] | None = None
    voices: dict[str, object] | None = None
    assumptions: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON."""
        return {
            "sentence": self.sentence,
            "points": self.points.as_dict(),
            "curves": self.curves,
            "scores": self.scores,
            "assessment": self.assessment,
            "voices": self.voices,
            "assumptions": list(self.assumptions),
            "caveats": list(self.caveats),
        }


def verdict_row(verdict: Verdict, *, number: int = 0) -> PairRow:
    """Row of a verdict.

    Parameters
    ----------
    verdict : Verdict
        What was found.
    number : int, default=0
        Of the row.
    """
    link = _link(verdict)
    return PairRow(
        number=number,
        x=verdict.pair.x_name,
        y=verdict.pair.y_name,
        confidence=verdict.confidence,
        n_rows=verdict.n_rows,
        dependence=link.strength,
        dependence_p=link.p_value,
        answer=verdict.answer,
    )


def assessment_row(found: Assessment, *, number: int = 0) -> PairRow:
    """Row of an assessment.

    Parameters
    ----------
    found : Assessment
        What was found.
    number : int, default=0
        Of the row.
    """
    pair = found.verdict.pair
    return PairRow(
        number=number,
        x=pair.x_name,
        y=pair.y_name,
        confidence=found.confidence,
        n_rows=found.verdict.n_rows,
        dependence=found.dependence.strength,
        dependence_p=found.dependence.p_value,
        probability=found.probability,
        stability=found.stability.agreeing,
        p_bound=found.p_bound,
        answer=found.answer,
        message=words.row_note(found),
    )


def scan_row(told: Mapping[str, Any], *, number: int) -> PairRow:
    """Row of a pair of a scan.

    Parameters
    ----------
    told : mapping of str to object
        Row of :attr:`bqcd.Scan.table`.
    number : int
        Of the row.
    """
    return PairRow(
        number=number,
        x=told["x"],
        y=told["y"],
        confidence=_leading(told),
        probability=told["probability"],
        answer=told["answer"] or "cannot tell",
        n_rows=told["n_rows"] or 0,
        dependence=told["dependence"],
        dependence_p=told["p_value"],
        status=told["status"],
        message=told["message"] or "",
    )


def _leading(told: Mapping[str, Any]) -> float:
    """Confidence of the first method, as all rows have it, with the sign of the second."""
    first, second = told["confidence"] or 0.0, told["then_confidence"] or 0.0
    return copysign(first, second) if first and second else first or second


def verdict_detail(
    verdict: Verdict, *, points: int = MOST_POINTS, answer: Answer | None = None
) -> PairDetail:
    """What a page tells of a verdict that was not assessed.

    Parameters
    ----------
    verdict : Verdict
        What was found.
    points : int, default=2000
        How many points are drawn, at most.
    answer : {"clear", "leaning", "cannot tell"} or None, default=None
        What may be said of it among other pairs; None for what it says by itself.
    """
    link = _link(verdict)
    caveats = [words.link(link)] if link.p_value > NO_EVIDENCE else []
    return _detail(
        verdict,
        verdict_words.statement(verdict, told=answer != "cannot tell"),
        points=points,
        caveats=(*caveats, *map(words.note_words, data_notes(verdict)), *_left_out(verdict)),
    )


def assessment_detail(found: Assessment, *, points: int = MOST_POINTS) -> PairDetail:
    """What a page tells of an assessment.

    Parameters
    ----------
    found : Assessment
        What was found.
    points : int, default=2000
        How many points are drawn, at most.
    """
    numbers: dict[str, object] = {
        "probability": found.probability,
        "p_bound": found.p_bound,
        "stability": found.stability.agreeing,
        "halves": found.stability.replicates,
        "interval": None if found.interval is None else [found.interval.low, found.interval.high],
        "level": None if found.interval is None else found.interval.level,
        "dependence": found.dependence.strength,
        "dependence_p": found.dependence.p_value,
    }
    detail = _detail(
        found.verdict,
        words.statement(found),
        points=points,
        assessment=numbers,
        caveats=(*words.caveats(found), *_left_out(found.verdict)),
    )
    return replace(detail, problems=found.problems)


def _detail(
    verdict: Verdict,
    sentence: str,
    *,
    points: int,
    caveats: tuple[str, ...],
    assessment: dict[str, object] | None = None,
) -> PairDetail:
    # Of weighted rows a draw is shown, which looks like the population.
    shown = verdict.seen_pair
    seen, drawn = replace(verdict, pair=shown), points_of(shown, most=points)
    return PairDetail(
        sentence=sentence,
        points=drawn,
        curves=curves_of(seen, drawn),
        scores=scores_of(verdict.evidence),
        assessment=assessment,
        voices=voices_of(verdict.evidence),
        assumptions=assumptions_of(verdict.name),
        caveats=caveats,
    )


def _link(verdict: Verdict) -> Dependence:
    """Dependence of the columns as they were judged."""
    vectors = isinstance(verdict.pair, VectorPair)
    return dependence_of(verdict.pair if vectors else verdict.seen_pair)


def _left_out(verdict: Verdict) -> tuple[str, ...]:
    if not verdict.dropped_rows:
        return ()
    whole = verdict.n_rows + verdict.dropped_rows
    return (
        f"Left out for missing values: {verdict.dropped_rows:,} of {whole:,} rows; if values are "
        "missing for a reason, the rest may mislead.",
    )


def assumptions_of(method: str) -> tuple[str, ...]:
    """What is taken for granted by a method, in sentences.

    Parameters
    ----------
    method : str
        Its name.

    Examples
    --------
    >>> assumptions_of("bqcd")[-1]
    'bqcd assumes: the shorter quantile code is the causal one (independent mechanisms).'
    """
    card = ALL_METHODS.get(method)
    own = () if card is None else (f"{card.name} assumes: {card.assumes}.",)
    return (ASSUMPTIONS, _INDEPENDENT_ROWS, *own)


def scores_of(evidence: Evidence | None) -> dict[str, object] | None:
    """Scores by level and in all, both ways; None if the method has no levels.

    Parameters
    ----------
    evidence : Evidence or None
        What a verdict rests on.
    """
    if not isinstance(evidence, QuantileEvidence):
        return None
    lengths = evidence.code_lengths
    return {
        "levels": _rounded(lengths.quadrature.levels),
        "x_to_y": {
            "marginal": _rounded(lengths.x),
            "conditional": _rounded(lengths.y_given_x),
        },
        "y_to_x": {
            "marginal": _rounded(lengths.y),
            "conditional": _rounded(lengths.x_given_y),
        },
        "total": {"x_to_y": lengths.x_to_y, "y_to_x": lengths.y_to_x},
    }


def _rounded(values: NDArray[np.float64]) -> list[float]:
    """Numbers with six digits that count: they are only drawn."""
    return [float(f"{value:.6g}") for value in values]
