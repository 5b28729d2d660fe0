"""A verdict with all that tells how far it may be trusted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal

from bqcd.assessments.dependence import NO_EVIDENCE, Dependence
from bqcd.assessments.limits import Limit
from bqcd.assessments.notes import Note, RowsTogether
from bqcd.assessments.sensitivity import SensitivityRow, sensitivity_rows
from bqcd.assessments.separation import Looked
from bqcd.assessments.significance import Significance
from bqcd.assessments.stability import Interval, Stability
from bqcd.assessments.survival import Survival
from bqcd.data.pair import Direction
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidSettingError
from bqcd.methods.answers import BARS, Answer, answer_by_probability, weaker_answer
from bqcd.methods.verdict import Verdict
from bqcd.runtime.shown import Tabled, Told, shown

Doubt = Literal["independent", "unstable", "by chance"]
"""Columns may be independent; few halves agree; chance does as much where no direction exists."""

AbstainBy = Literal["probability", "stability", "significance", "q-value"]
"""What a verdict must reach: a probability, a share of halves that agree, or a small bound."""

# A verdict that fewer halves share, or that chance makes more often, is not to be relied on.
_FEW_AGREE, _OFTEN_BY_CHANCE = 0.9, 0.05


@dataclass(frozen=True, slots=True)
class Abstention:
    """What a verdict had to reach, and whether it did.

    Parameters
    ----------
    by : {"probability", "stability", "significance", "q-value"}
        What was asked of it; the q-value is that of independence, among many pairs.
    limit : float
        Least probability or share, or largest bound or q-value.
    found : float
        What it has.
    """

    by: AbstainBy
    limit: float
    found: float

    @property
    def met(self) -> bool:
        """Whether the verdict stands."""
        most = self.by in ("significance", "q-value")
        return self.found <= self.limit if most else self.found >= self.limit


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Told, Tabled):
    """A verdict, and how far it may be trusted.

    Parameters
    ----------
    verdict : Verdict
        What the method says of all rows.
    stability : Stability
        How often random halves of the rows agree.
    interval : Interval or None
        Of the confidence; None where that stands for a probability.
    dependence : Dependence
        Whether the columns depend on each other.
    significance : Significance or None
        How rarely code lengths would differ by so much where the direction cannot be known; None
        for other methods than bQCD.
    probability : float or None
        Calibrated probability that the direction is right, learned from simulated pairs: what the
        method claims or, for bQCD, what verdicts like this one are worth; less where that is
        known to mislead, see ``limits``. None for other methods and settings than those it was
        learned for.
    abstention : Abstention or None, default=None
        What was asked of the verdict.
    notes : tuple of Note, default=()
        What a reader should know of the data.
    together : RowsTogether or None, default=None
        Units by which halves were drawn; None if row by row.
    limits : tuple of Limit, default=()
        What the probability is limited by.
    claimed : float or None, default=None
        The probability before that.
    survival : Survival or None, default=None
        What becomes of link and direction within the groups, or given the columns, asked for.
    looked : Looked or None, default=None
        What was looked at beside the pair in its table; None if nothing was.
    """

    verdict: Verdict
    stability: Stability
    interval: Interval | None
    dependence: Dependence
    significance: Significance | None
    probability: float | None
    abstention: Abstention | None = None
    notes: tuple[Note, ...] = ()
    together: RowsTogether | None = None
    limits: tuple[Limit, ...] = ()
    claimed: float | None = None
    survival: Survival | None = None
    looked: Looked | None = None

    @property
    def separation(self) -> Survival | None:
        """The column that explains the link, asked for or found; None if none does."""
        asked = self.survival
        if asked is not None and asked.separates:
            return asked
        return None if self.looked is None else self.looked.separator

    @property
    def problems(self) -> tuple[str, ...]:
        """Codes of what is known to mislead and was seen: of notes and limits, each once."""
        together = () if self.together is None else (self.together.kind,)
        seen = (note.code for note in self.notes if note.code != "rows together")
        codes = (*together, *seen, *(limit.code for limit in self.limits))
        return tuple(dict.fromkeys(codes))

    @property
    def aside(self) -> str:
        """Second line of the headline: what other columns make of it; empty if nothing is known."""
        return str(shown(self, "aside"))

    @property
    def confidence(self) -> float:
        """Confidence of the verdict: positive for x -> y."""
        return self.verdict.confidence

    @property
    def answer(self) -> Answer:
        """What may be said of the direction: "clear", "leaning" or "cannot tell".

        By the probability; where none is known, what the verdict by itself allows. It cannot be
        told where nothing shows that the columns depend on each other, nor where the verdict does
        not reach what was asked of it.
        """
        asked = self.abstention
        if "independent" in self.doubts or (asked is not None and not asked.met):
            return "cannot tell"
        if self.probability is None:
            most = min((limit.most for limit in self.limits), default=1.0)
            return weaker_answer(self.verdict.answer, answer_by_probability(most))
        least = asked.limit if asked is not None and asked.by == "probability" else None
        return answer_by_probability(self.probability, BARS.raised(least))

    @property
    def direction(self) -> Direction:
        """Direction of the answer: undecided where it cannot be told."""
        undecided = self.answer == "cannot tell"
        return Direction.UNDECIDED if undecided else Direction.of(self.confidence)

    @property
    def cause(self) -> str | None:
        """Name of the column taken for the cause, None when it cannot be told."""
        return self.verdict.pair.cause_by(self.direction)

    @property
    def effect(self) -> str | None:
        """Name of the column taken for the effect, None when it cannot be told."""
        return self.verdict.pair.effect_by(self.direction)

    @property
    def p_bound(self) -> float | None:
        """Upper bound on how often a verdict like this comes about where none is right.

        After the no-hypercompression inequality, and by the spread over halves of the rows; see
        :mod:`bqcd.assessments.significance`.
        """
        return None if self.significance is None else self.significance.p_bound

    @cached_property
    def table(self) -> tuple[SensitivityRow, ...]:
        """The verdict across regressors, levels, seeds and halves of the rows.

        Computed when first asked for: some seconds at 1,000 rows. Of weighted rows, the first
        draw stands for all.

        Raises
        ------
        InvalidSettingError
            If a side is a group of columns.
        """
        verdict = self.verdict
        if isinstance(verdict.pair, VectorPair):
            raise InvalidSettingError(
                "A table of settings needs two columns, but a side is a group of them."
            )
        assert verdict.method is not None
        return sensitivity_rows(
            verdict.seen_pair, verdict.method, verdict.name, seed=verdict.seed or 0
        )

    @property
    def doubts(self) -> frozenset[Doubt]:
        """What speaks against relying on the verdict, notes on the data aside."""
        found: set[Doubt] = set()
        if self.dependence.p_value > NO_EVIDENCE:
            found.add("independent")
        if self.stability.agreeing < _FEW_AGREE and self.confidence != 0.0:
            found.add("unstable")
        if self.p_bound is not None and self.p_bound > _OFTEN_BY_CHANCE:
            found.add("by chance")
        return frozenset(found)

    def as_dict(self) -> dict[str, object]:
        """Everything but the data and the table of settings, ready for JSON."""
        abstained = self.abstention
        return {
            **self.verdict.as_dict(),
            "answer": self.answer,
            "direction": self.direction.value,
            "cause": self.cause,
            "effect": self.effect,
            "probability": self.probability,
            "p_bound": self.p_bound,
            "significance": None if self.significance is None else asdict(self.significance),
            "stability": asdict(self.stability),
            "interval": None if self.interval is None else asdict(self.interval),
            "dependence": asdict(self.dependence),
            "units": None if self.together is None else asdict(self.together),
            "abstain": None
            if abstained is None
            else {"by": abstained.by, "limit": abstained.limit, "met": abstained.met},
            "notes": [note.as_dict() for note in self.notes],
            "claimed": self.claimed,
            "limits": [limit.as_dict() for limit in self.limits],
            "survival": None if self.survival is None else self.survival.as_dict(),
            "beside": None if self.looked is None else self.looked.as_dict(),
            "aside": self.aside or None,
        }
