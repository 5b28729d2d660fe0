"""A verdict in words."""

from __future__ import annotations

from bqcd.data.weights import Weighting
from bqcd.errors import shortened
from bqcd.methods.verdict import Verdict
from bqcd.show.words import ASSUMPTIONS, joined, shown_name
from bqcd.show.words.strengths import strength


def headline(verdict: Verdict) -> str:
    """The answer in one line, e.g. ``income -> food (confidence +0.0123)``."""
    x, y = shown_name(verdict.pair.x_name), shown_name(verdict.pair.y_name)
    return f"{x} {verdict.direction.value} {y} (confidence {verdict.confidence:+.4g})"


def explanation(verdict: Verdict) -> str:
    """What was found, how strong it is, and what it assumes."""
    return joined(statement(verdict), ASSUMPTIONS)


def statement(verdict: Verdict) -> str:
    """What was found and how strong it is, without assumptions."""
    return joined(
        _finding(verdict),
        weighted_rows(verdict.weighting),
        strength_of(verdict),
    )


def strength_of(verdict: Verdict) -> str:
    """How strong the confidence is; nothing if that is not known."""
    return strength(verdict.evidence, verdict.confidence)


def rows_used(verdict: Verdict) -> str:
    """Rows that were judged and left out, for a sentence."""
    rows = f"{verdict.n_rows:,} rows"
    if verdict.dropped_rows:
        rows += f", {verdict.dropped_rows:,} more left out for missing values"
    return rows


def weighted_rows(weighting: Weighting | None) -> str:
    """How rows were weighted; nothing if all count the same."""
    if weighting is None:
        return ""
    return (
        f"The rows are weighted by {weighting.name!r}, which makes them worth about "
        f"{weighting.effective_rows:,.0f} equally weighted ones: {weighting.draws} draws of "
        f"{weighting.draw_rows:,} rows, with chances in proportion to the weights, were judged "
        "and averaged."
    )


def _finding(verdict: Verdict) -> str:
    rows, name = rows_used(verdict), verdict.name or "the method"
    if verdict.cause is None or verdict.effect is None:
        x, y = shortened(verdict.pair.x_name), shortened(verdict.pair.y_name)
        return f"The {rows} do not tell {x!r} and {y!r} apart: {name} is undecided."
    cause, effect = shortened(verdict.cause), shortened(verdict.effect)
    return (
        f"{cause!r} looks like the cause of {effect!r} ({verdict.name or 'method'}, "
        f"confidence {verdict.confidence:+.4g} on {rows})."
    )
