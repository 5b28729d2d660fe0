"""A verdict with all that tells how far it may be trusted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bqcd.assessments.sensitivity import SensitivityRow, sensitivity_rows
from bqcd.assessments.significance import Significance
from bqcd.assessments.stability import Interval, Stability
from bqcd.assessments.units import Kind
from bqcd.data.pair import Direction
from bqcd.errors import shortened
from bqcd.methods.verdict import ASSUMPTIONS, Verdict
from bqcd.show.sheets import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.panel import Panel

AbstainBy = Literal["probability", "stability", "significance"]
"""What a verdict must reach: a probability, a share of halves that agree, or a small bound."""

# A p-value above this is no evidence of a link.
NO_EVIDENCE = 0.05
# Rows that were found to belong together, and are worth so much, are not worth a word.
_NEARLY_ALL = 0.9
# A verdict that fewer halves share, or that chance makes more often, is not to be relied on.
_FEW_AGREE, _OFTEN_BY_CHANCE = 0.9, 0.05
# Smaller bounds end as a zero, which no bound is.
_LEAST_TOLD = 1e-300


@dataclass(frozen=True, slots=True)
class Dependence:
    """Whether there is a link at all.

    Parameters
    ----------
    spearman : float
        Rank correlation.
    strength : float
        Largest correlation between cubic polynomials of the ranks, from 0 to 1.
    p_value : float
        Of independence, by the correlations of polynomials of the ranks.
    """

    spearman: float
    strength: float
    p_value: float


@dataclass(frozen=True, slots=True)
class RowsTogether:
    """Rows that belong together, and what that makes them worth.

    Parameters
    ----------
    kind : {"given", "column", "blocks", "copies", "clumps"}
        Units told by the caller, entries of a column beside the pair, blocks of neighbouring
        rows, equal rows, or rows that lie beside each other.
    name : str
        Column of the units; empty if there is none.
    count : int
        Number of units.
    largest : int
        Rows of the largest one.
    effective_rows : float
        How many independent rows would tell the confidence as well.
    """

    kind: Kind
    name: str
    count: int
    largest: int
    effective_rows: float

    def matters(self, n_rows: int) -> bool:
        """Whether a reader should be told: units were given, or the rows are worth much fewer."""
        return self.kind in ("given", "column") or self.effective_rows < _NEARLY_ALL * n_rows

    def told(self, n_rows: int) -> str:
        """Who belongs together, and what follows, in two sentences."""
        worth = (
            f"shares and bounds count it, and {n_rows:,} rows are worth about "
            f"{self.effective_rows:,.0f}."
        )
        if self.kind == "given":
            return f"The rows are of {self.count:,} units ({self.name!r}): {worth}"
        if self.kind == "column":
            return (
                f"Rows with the same {self.name!r} repeat each other, so that it is taken as "
                f"{self.count:,} units (--independent-rows would not): {worth}"
            )
        if self.kind == "blocks":
            return (
                "Rows depend on the rows before them, as in a time series or where groups stand "
                f"together: {worth}"
            )
        if self.kind == "copies":
            return f"Only {self.count:,} of the rows are distinct, the others copies: {worth}"
        return (
            "Rows lie in clumps, as where units are measured repeatedly or along a sharp curve; "
            f"units= or --units would tell which belong together: {worth}"
        )


@dataclass(frozen=True, slots=True)
class Abstention:
    """What a verdict had to reach, and whether it did.

    Parameters
    ----------
    by : {"probability", "stability", "significance"}
        What was asked of it.
    limit : float
        Least probability or share, or largest bound.
    found : float
        What it has.
    """

    by: AbstainBy
    limit: float
    found: float

    @property
    def met(self) -> bool:
        """Whether the verdict stands."""
        return self.found <= self.limit if self.by == "significance" else self.found >= self.limit


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """A verdict, and how far it may be trusted.

    Parameters
    ----------
    verdict : Verdict
        What the method says of all rows.
    stability : Stability
        How often random halves of the rows agree.
    interval : Interval
        Of the confidence.
    dependence : Dependence
        Whether the columns depend on each other.
    significance : Significance or None
        How rarely code lengths would differ by so much where the direction cannot be known; None
        for other methods than bQCD.
    probability : float or None
        Calibrated probability that the direction is right, learned from simulated pairs; None for
        other methods and settings than those it was learned for.
    abstention : Abstention or None, default=None
        What was asked of the verdict.
    notes : tuple of str, default=()
        What a reader should know of the data.
    together : RowsTogether or None, default=None
        Units by which halves were drawn; None if row by row.
    """

    verdict: Verdict
    stability: Stability
    interval: Interval
    dependence: Dependence
    significance: Significance | None
    probability: float | None
    abstention: Abstention | None = None
    notes: tuple[str, ...] = field(default=())
    together: RowsTogether | None = None

    @property
    def confidence(self) -> float:
        """Confidence of the verdict: positive for x -> y."""
        return self.verdict.confidence

    @property
    def direction(self) -> Direction:
        """Direction of the verdict, or undecided if it does not reach what was asked of it."""
        if self.abstention is not None and not self.abstention.met:
            return Direction.UNDECIDED
        return self.verdict.direction

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
        """
        verdict = self.verdict
        assert verdict.method is not None
        return sensitivity_rows(
            verdict.seen_pair, verdict.method, verdict.name, seed=verdict.seed or 0
        )

    @property
    def sheet(self) -> Sheet:
        """The table of settings for people to read."""
        x, y = self.verdict.shown_names
        rows = tuple(
            (row.regressor, row.levels, row.seed, row.sample, row.n_rows, row.confidence,
             row.direction.value)
            for row in self.table
        )  # fmt: skip
        agree = sum(row.direction is self.verdict.direction for row in self.table)
        return Sheet(
            f"{x} and {y} with other settings",
            ("regressor", "levels", "seed", "rows", "number", "confidence", "direction"),
            rows,
            (f"{agree} of {len(rows)} agree with the verdict on all rows.",),
            digits=5,
        )

    @property
    def headline(self) -> str:
        """The answer in one line."""
        x, y = self.verdict.shown_names
        sure = "" if self.probability is None else f", probability {self.probability:.2f}"
        return f"{x} {self.direction.value} {y} (confidence {self.confidence:+.4g}{sure})"

    def explain(self) -> str:
        """A paragraph that could stand in a supplement: finding, numbers, assumptions."""
        return " ".join((self.statement, *self.notes, ASSUMPTIONS))

    @property
    def statement(self) -> str:
        """What was found, in numbers, without notes on the data and without assumptions."""
        weighting = self.verdict.weighting
        parts = (
            self._finding(),
            "" if weighting is None else weighting.told(),
            self._steadiness(),
            link_told(self.dependence),
            self._significance(),
            self._abstained(),
        )
        return " ".join(part for part in parts if part)

    @property
    def finding(self) -> str:
        """The answer and how sure one may be of it, in two sentences or three."""
        doubt = link_told(self.dependence) if self.dependence.p_value > NO_EVIDENCE else ""
        parts = (self._finding(), doubt or self._steadiness(), self._abstained())
        return " ".join(part for part in parts if part)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What speaks against relying on the verdict, in sentences; empty if nothing does."""
        stable, found = self.stability, []
        if self.dependence.p_value > NO_EVIDENCE:
            found.append(link_told(self.dependence))
        if stable.agreeing < _FEW_AGREE and self.confidence != 0.0:
            share = f"{stable.agreeing:.0%} of {stable.replicates}"
            found.append(f"Only {share} random halves of the rows agree.")
        if self.p_bound is not None and self.p_bound > _OFTEN_BY_CHANCE:
            found.append(self._significance())
        return (*found, *self.notes)

    def as_dict(self) -> dict[str, object]:
        """Everything but the data and the table of settings, ready for JSON."""
        abstained = self.abstention
        return {
            **self.verdict.as_dict(),
            "direction": self.direction.value,
            "verdict": self.verdict.direction.value,
            "probability": self.probability,
            "p_bound": self.p_bound,
            "significance": None if self.significance is None else asdict(self.significance),
            "stability": asdict(self.stability),
            "interval": asdict(self.interval),
            "dependence": asdict(self.dependence),
            "units": None if self.together is None else asdict(self.together),
            "abstain": None
            if abstained is None
            else {"by": abstained.by, "limit": abstained.limit, "met": abstained.met},
            "notes": list(self.notes),
        }

    def plot(self, path: str | Path | None = None) -> Figure:
        """Picture of the verdict across settings; saved if a path is given."""
        from bqcd.show.plots import plot_sensitivity

        dots: dict[str, list[tuple[float, bool]]] = {}
        for row in self.table:
            levels = "" if row.levels is None else f", {row.levels} level{'s' * (row.levels > 1)}"
            dots.setdefault(f"{row.regressor}{levels}", []).append(
                (row.confidence, row.sample == "all")
            )
        pair = self.verdict.pair
        return plot_sensitivity(
            dots, title=self.headline, x_name=pair.x_name, y_name=pair.y_name, path=path
        )

    def to_html(self) -> str:
        """Page with the pair, its curves, scores and caveats: one file that needs no network.

        Raises
        ------
        MissingPackageError
            If jinja2 is not installed.
        """
        from bqcd.show.reports import report_assessment

        return report_assessment(self).to_html()

    def _repr_html_(self) -> str:
        """Sentence and table for notebooks."""
        from bqcd.show.reports import report_assessment

        return report_assessment(self).fragment()

    def __repr__(self) -> str:
        return f"<Assessment {self.headline}>"

    def __rich__(self) -> Panel:
        """Panel for the terminal."""
        from rich.panel import Panel
        from rich.text import Text

        return Panel(
            Text(self.explain()), title=Text(self.headline, style="bold"), title_align="left",
            padding=(1, 2),
        )  # fmt: skip

    def _finding(self) -> str:
        verdict, interval = self.verdict, self.interval
        rows = f"{verdict.n_rows:,} rows"
        if verdict.dropped_rows:
            rows += f", {verdict.dropped_rows:,} more left out for missing values"
        numbers = (
            f"({verdict.name or 'method'}, confidence {self.confidence:+.4g}, {interval.level:.0%} "
            f"interval {interval.low:+.4g} to {interval.high:+.4g}, {rows})"
        )
        if verdict.cause is None or verdict.effect is None:
            x, y = shortened(verdict.pair.x_name), shortened(verdict.pair.y_name)
            return f"The data do not tell {x!r} and {y!r} apart {numbers}."
        cause, effect = shortened(verdict.cause), shortened(verdict.effect)
        return f"{cause!r} looks like the cause of {effect!r} {numbers}."

    def _steadiness(self) -> str:
        stable = self.stability
        # Rounded down: 100 % means all of them.
        share = floor(100.0 * stable.agreeing + 1e-9)
        said = f"Of {stable.replicates} random halves of the rows {share}% agree."
        if self.probability is not None:
            said += (
                f" Of simulated pairs with numbers like these, the direction is right with "
                f"probability {self.probability:.2f}; real data are often less kind."
            )
        return said

    def _significance(self) -> str:
        if self.p_bound is None:
            return ""
        return (
            "Where the direction cannot be known, code lengths that differ like these have a "
            f"p-value of at most {max(self.p_bound, _LEAST_TOLD):.2g}."
        )

    def _abstained(self) -> str:
        asked = self.abstention
        if asked is None or asked.met:
            return ""
        side = "at most" if asked.by == "significance" else "at least"
        return (
            f"That is undecided by the rule that was set: {asked.by} {side} {asked.limit:g}, "
            f"found {asked.found:.2g}."
        )


def link_told(found: Dependence) -> str:
    """Whether two columns depend on each other, in one sentence.

    Parameters
    ----------
    found : Dependence
        Of the two.

    Examples
    --------
    >>> link_told(Dependence(spearman=0.3, strength=0.41, p_value=1e-9))
    'The columns depend on each other (strength 0.41, p < 0.0001).'
    """
    numbers = f"strength {found.strength:.2f}, p {_told(found.p_value)}"
    if found.p_value > NO_EVIDENCE:
        return (
            f"There is no evidence that the columns depend on each other at all ({numbers}), "
            "without which a direction means nothing."
        )
    return f"The columns depend on each other ({numbers})."


def _told(p_value: float) -> str:
    return "< 0.0001" if p_value < 1e-4 else f"= {p_value:.2g}"
