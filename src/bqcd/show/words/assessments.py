"""An assessment in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bqcd.assessments.assessment import Assessment
from bqcd.assessments.dependence import NO_EVIDENCE, Dependence
from bqcd.assessments.limits import Limit
from bqcd.assessments.notes import Note
from bqcd.methods.answers import answer_by_probability
from bqcd.methods.panel import REAL_PAIRS, Depth
from bqcd.show.chances import LEAST, p_text, probability_text, whole_percent
from bqcd.show.words import ASSUMPTIONS, joined, shown_name
from bqcd.show.words.third_columns import aside, outcome_words, separators_told
from bqcd.show.words.verdicts import answer_sentence, choice_words, rows_used, weighted_rows


def headline(assessment: Assessment) -> str:
    """The answer in one line."""
    pair, probability = assessment.verdict.pair, assessment.probability
    x, y = shown_name(pair.x_name), shown_name(pair.y_name)
    sure = (
        f"confidence {assessment.confidence:+.4g}"
        if probability is None
        else f"probability {probability_text(probability)}"
    )
    return f"{x} {assessment.direction.value} {y} ({assessment.answer}, {sure})"


def explanation(assessment: Assessment) -> str:
    """A paragraph that could stand in a supplement: finding, numbers, assumptions."""
    notes = map(note_words, assessment.notes)
    return joined(statement(assessment), *_limits(assessment), *notes, ASSUMPTIONS)


def statement(assessment: Assessment) -> str:
    """What was found, in numbers, without notes on the data and without assumptions."""
    return joined(
        _finding(assessment),
        choice_words(assessment.verdict.choice),
        aside(assessment),
        weighted_rows(assessment.verdict.weighting),
        _steadiness(assessment),
        link(assessment.dependence),
        _significance(assessment),
        _abstained(assessment),
    )


def finding(assessment: Assessment) -> str:
    """The answer and how sure one may be of it, in two sentences or three."""
    unlinked = "independent" in assessment.doubts
    sure = link(assessment.dependence) if unlinked else _steadiness(assessment)
    return joined(_finding(assessment), aside(assessment), sure, _abstained(assessment))


def brief(assessment: Assessment) -> str:
    """The answer and how sure one may be of it, where the numbers stand beside it."""
    name = assessment.verdict.name or "method"
    sentence = answer_sentence(assessment, assessment.verdict.pair, f"({name})")
    choice = choice_words(assessment.verdict.choice)
    return joined(sentence, choice, _chances(assessment), _abstained(assessment))


def share_text(share: float) -> str:
    """A share in percent, rounded down: 100 % means all of them.

    Examples
    --------
    >>> share_text(0.999)
    '99%'
    """
    return f"{whole_percent(share)}%"


def caveats(assessment: Assessment) -> tuple[str, ...]:
    """What speaks against relying on the verdict; empty if nothing does."""
    doubts, stable, found = assessment.doubts, assessment.stability, []
    if "independent" in doubts:
        found.append(link(assessment.dependence))
    if "unstable" in doubts:
        share = f"{share_text(stable.agreeing)} of {stable.replicates}"
        found.append(f"Only {share} random halves of the rows agree.")
    if "by chance" in doubts:
        found.append(_significance(assessment))
    return (*found, *_limits(assessment), *map(note_words, assessment.notes))


def link(found: Dependence) -> str:
    """Whether two columns depend on each other.

    Examples
    --------
    >>> link(Dependence(spearman=0.3, strength=0.41, p_value=1e-9))
    'The columns depend on each other (strength 0.41, p < 0.001).'
    """
    numbers = f"strength {found.strength:.2f}, p {p_text(found.p_value)}"
    if found.rows is not None:
        numbers += f"; for the link, the rows are worth {found.rows:,.0f} independent ones"
    if found.p_value > NO_EVIDENCE:
        return (
            f"There is no evidence that the columns depend on each other ({numbers}). Independent "
            "columns also get a direction; ignore it."
        )
    return f"The columns depend on each other ({numbers})."


def bound_text(bound: float) -> str:
    """A bound on a p-value for reading, never smaller than what can be relied on.

    Examples
    --------
    >>> bound_text(9.6e-153), bound_text(0.0312)
    ('0.001', '0.031')
    """
    return f"{max(bound, LEAST):.2g}"


def note_words(note: Note) -> str:
    """A note on the data.

    Examples
    --------
    >>> note_words(Note("few rows", {"n_rows": 133}))
    '133 rows are too few for a reliable verdict.'
    """
    return NOTES[note.code](note.facts)


def row_note(assessment: Assessment) -> str:
    """What stands beside the answer in a table, in a few words: what its page tells whole."""
    other = assessment.survival or assessment.separation
    if other is not None:
        return outcome_words(other)
    limits = (limit.code for limit in assessment.limits)
    return next((LIMITS_IN_SHORT[code] for code in limits if code in LIMITS_IN_SHORT), "")


def _limits(assessment: Assessment) -> list[str]:
    """What limits the probability, but for a link that is not there, which is told elsewhere."""
    return [limit_words(limit) for limit in assessment.limits if limit.code != "no link"]


def limit_words(limit: Limit) -> str:
    """Why a probability is no larger than it is.

    Examples
    --------
    >>> limit_words(Limit(code="derived", most=0.5, facts={"exactly": True}))
    'Each column follows from the other: one may be made from the other, and no direction shows.'
    """
    return LIMITS[limit.code](limit.facts, f"{limit.most:.2f}")


def _finding(assessment: Assessment) -> str:
    verdict, interval = assessment.verdict, assessment.interval
    told = [verdict.name or "method", f"confidence {assessment.confidence:+.4g}"]
    if interval is not None:
        span = f"{interval.low:+.4g} to {interval.high:+.4g}"
        told.append(f"{interval.level:.0%} interval {span}")
    numbers = f"({', '.join([*told, rows_used(verdict)])})"
    return answer_sentence(assessment, verdict.pair, numbers)


def _steadiness(assessment: Assessment) -> str:
    stable = assessment.stability
    share = share_text(stable.agreeing)
    agree = f"Of {stable.replicates} random halves of the rows {share} agree."
    return joined(agree, _chances(assessment))


def _chances(assessment: Assessment) -> str:
    """How often a direction like this one is right."""
    probability, claimed = assessment.probability, assessment.claimed
    if probability is None:
        return ""
    before = probability_text(probability if claimed is None else claimed)
    left, less = probability_text(probability), _on_real_pairs(assessment)
    if before != left:
        less = f"what is known of these data leaves {left}"
    return (
        "Of simulated pairs with numbers like these, the direction is right with probability "
        f"{before}; {less}."
    )


def _on_real_pairs(assessment: Assessment) -> str:
    """What an answer of the method was worth on real pairs of known direction, if that is known."""
    if assessment.verdict.name != "panel" or assessment.probability is None:
        return "expect less on real data"
    answer = answer_by_probability(assessment.probability)
    depth: Depth = "quick" if assessment.verdict.settings.get("depth") == "quick" else "deep"
    pairs, right = REAL_PAIRS[depth][answer]
    told = "whose direction could not be told" if answer == "cannot tell" else f"as {answer}"
    return f"of {pairs} real pairs {told}, {right} were right"


def _significance(assessment: Assessment) -> str:
    if assessment.p_bound is None:
        return ""
    return (
        "Where no direction exists, code lengths that differ like these have a p-value of at "
        f"most {bound_text(assessment.p_bound)}."
    )


def _abstained(assessment: Assessment) -> str:
    asked = assessment.abstention
    if asked is None or asked.met:
        return ""
    if asked.by == "q-value":
        return (
            "Among the pairs of the table these columns may be independent: q is "
            f"{asked.found:.2g}, above {asked.limit:g}."
        )
    side = "at most" if asked.by == "significance" else "at least"
    return (
        f"The rule that was set asks for {asked.by} {side} {asked.limit:g}; found "
        f"{asked.found:.2g}."
    )


def _rows_together(facts: Mapping[str, Any]) -> str:
    name, count = facts["name"], f"{facts['count']:,}"
    who = {
        "given": f"The rows are of {count} units ({name!r})",
        "column": (
            f"Rows with the same {name!r} repeat each other, so that it is taken as {count} units "
            "(--independent-rows would not)"
        ),
        "blocks": (
            "Rows depend on the rows before them, as in a time series or where groups stand "
            "together"
        ),
        "copies": f"Only {count} of the rows are distinct, the others copies",
        "clumps": (
            "Rows lie in clumps, as where units are measured repeatedly or along a sharp curve; "
            "units= or --units would tell which belong together"
        ),
    }[facts["kind"]]
    return (
        f"{who}: shares and bounds count it, and {facts['n_rows']:,} rows are worth about "
        f"{facts['effective_rows']:,.0f} for the confidence."
    )


NOTES: Mapping[str, Callable[[Mapping[str, Any]], str]] = MappingProxyType(
    {
        "few rows": lambda facts: f"{facts['n_rows']:,} rows are too few for a reliable verdict.",
        "rows together": _rows_together,
        "ties": lambda facts: (
            f"{facts['share']:.0%} of the values of {facts['column']!r} repeat others: it is "
            "discrete or rounded, and ties are broken at random."
        ),
        "order of ties": lambda facts: (
            "The direction hangs on how ties are broken: the mean confidence over their orders "
            f"has a standard error of {facts['error']:.1g}."
        ),
        "sorted rows": lambda facts: (
            "The rows are sorted by a column; serial dependence is looked for in what that column "
            "does not explain of the other."
        ),
        "serial dependence": lambda facts: (
            "Both columns depend strongly on the row before, as in a time series: rows are not "
            f"independent, and these are worth about {facts['effective_rows']:,.0f} rows. All "
            "shares and bounds here are too optimistic."
        ),
        "units": lambda facts: (
            f"Rows with the same {facts['column']!r} are alike in both columns: if they belong "
            f"together, units={facts['column']!r} (--units on the command line) draws them "
            "together."
        ),
    }
)
"""What to say of each note, by its code."""

COARSE: Mapping[str, str] = MappingProxyType(
    {
        "grades": "has {values:,} values, each in as many rows, as grades do",
        "heap": "has many rows at one value",
        "steps": "has {values:,} different values",
    }
)
"""What to say of a coarse column, by its kind."""

LIMITS: Mapping[str, Callable[[Mapping[str, Any], str], str]] = MappingProxyType(
    {
        "no link": lambda facts, most: (
            "Where nothing shows that the columns depend on each other, no direction does."
        ),
        "few rows": lambda facts, most: (
            f"For the link of the columns, the rows are worth {facts['rows']:,.0f} independent "
            "ones: too few for a direction."
        ),
        "clock": lambda facts, most: (
            f"The rows are in the order of {facts['column']!r}, and the other column is a series "
            "along it: two series over time look like this whatever causes them."
        ),
        "jumps": lambda facts, most: (
            f"The rows are in the order of {facts['column']!r}, and the other column jumps from "
            "value to value rather than follow a curve, as a series over time does: the "
            f"probability is at most {most}."
        ),
        "derived": lambda facts, most: (
            f"Each column follows from the other{'' if facts['exactly'] else ', nearly'}: one may "
            "be made from the other, and no direction shows."
        ),
        "few values": lambda facts, most: (
            f"{facts['column']!r} {COARSE[facts['kind']].format(values=facts['values'])}, which "
            "favours a direction: with both columns equally coarse, the probability is at most "
            f"{most}."
        ),
        "edge": lambda facts, most: (
            f"The values of {facts['column']!r} end sharply, as where rows were selected by it: "
            f"by the order of the values alone, the probability is at most {most}."
        ),
        "hidden cause": lambda facts, most: (
            f"Both columns and {separators_told(facts['columns'])} look like effects of one hidden "
            "cause that none of them is: no direction shows."
        ),
        "no order": lambda facts, most: (
            f"How often a direction is right has not been measured for columns without an order "
            f"({', '.join(map(repr, facts['columns']))}), so that none is told."
        ),
        "groups": lambda facts, most: (
            f"The sides have {facts['x']} and {facts['y']} columns: how often verdicts on groups "
            "of columns are right on real data has not been measured, so that no direction is told."
        ),
        "separated": lambda facts, most: (
            f"As {separators_told(facts['columns'])} may explain the link, the probability of a "
            f"direction is at most {most}."
        ),
    }
)
"""What to say of each limit, by its code."""

LIMITS_IN_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "few rows": "too few rows",
        "clock": "a series over time",
        "jumps": "maybe a series over time",
        "derived": "one follows from the other",
        "few values": "few different values",
        "edge": "values end sharply",
        "separated": "another column explains it",
    }
)
"""The same in a few words; a link that is not there shows in a column of its own."""
