"""What other columns make of a link, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from bqcd.assessments.dependence import Dependence
from bqcd.assessments.survival import GroupVerdict, Survival
from bqcd.data.pair import Pair
from bqcd.errors import shortened
from bqcd.show.chances import probability_text
from bqcd.show.words import counted, joined, shown_name

if TYPE_CHECKING:
    from bqcd.assessments import Assessment


def aside(assessment: Assessment) -> str:
    """What the columns asked for, or one found beside the pair, make of it; else nothing."""
    told = []
    asked, looked = assessment.survival, assessment.looked
    if asked is not None:
        told.append(survival_words(asked, assessment))
    found = None if looked is None else looked.separator
    if found is not None and (asked is None or not set(found.columns) <= set(asked.columns)):
        told.append(survival_words(found, assessment))
    return joined(*told)


def survival_words(survival: Survival, assessment: Assessment) -> str:
    """Whether link and direction survive, in one sentence, and what that may mean.

    Parameters
    ----------
    survival : Survival
        What becomes of the link.
    assessment : Assessment
        Of the pair as it is.
    """
    where, numbers = _where(survival), _numbers(survival)
    outcome = survival.outcome
    if outcome == "vanishes":
        return f"{where} the link all but vanishes ({numbers}): {_explained(survival)}."
    if outcome == "reverses":
        return f"{where} the link has the opposite sign ({numbers}){_or_effect(survival)}."
    if outcome == "turns":
        turned = f"{_cause(survival, assessment)!r} looks like the cause ({_sure(survival)})"
        return f"{where} {turned}{_or_effect(survival)}."
    if outcome == "appears":
        return f"{where} a link appears ({numbers}), as it would if that were an effect of both."
    if outcome == "absent":
        return f"{where} there is no evidence of a link either ({numbers})."
    if outcome == "open":
        return f"{where} the link survives ({numbers}), but no direction shows."
    if outcome == "hidden":
        return f"{where} too little is left of the columns to see whether a link survives."
    much = "survives" if outcome == "survives" else "survives in part"
    return f"{where} the link {much} ({numbers}), and {_direction(survival, assessment)}."


def outcome_words(survival: Survival) -> str:
    """What becomes of a link, in a few words for a table.

    Parameters
    ----------
    survival : Survival
        What becomes of it.
    """
    where = _where(survival)
    return f"{where[:1].lower()}{where[1:]}: {OUTCOMES[survival.outcome]}"


OUTCOMES: Mapping[str, str] = MappingProxyType(
    {
        "survives": "link stays",
        "weaker": "link weaker",
        "vanishes": "link vanishes",
        "reverses": "opposite sign",
        "turns": "direction turns",
        "open": "no direction shows",
        "appears": "a link appears",
        "absent": "no link either",
        "hidden": "too little left",
    }
)
"""What becomes of a link, in a few words."""


def group_text(found: Survival | GroupVerdict, link: Dependence, pair: Pair) -> str:
    """Answer, rank correlation and rows of a group, or of all groups together, in one line.

    Parameters
    ----------
    found : Survival or GroupVerdict
        What has an answer.
    link : Dependence
        Of the columns in it.
    pair : Pair
        Whose names are told.
    """
    told: str = found.answer
    if found.answer != "cannot tell":
        arrow = "->" if found.confidence > 0.0 else "<-"
        told = f"{shown_name(pair.x_name)} {arrow} {shown_name(pair.y_name)} ({told})"
    return f"{told}, rank correlation {link.spearman:+.2f}, {counted(found.n_rows, 'row')}"


def separators_told(columns: Sequence[str]) -> str:
    """Names of columns for a sentence.

    Examples
    --------
    >>> separators_told(["age", "sex"])
    "'age' and 'sex'"
    """
    names = [repr(shortened(name)) for name in columns]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _where(survival: Survival) -> str:
    names = separators_told(survival.columns)
    return f"Within groups of {names}" if survival.grouping else f"Given {names}"


def _numbers(survival: Survival) -> str:
    before, after = survival.before, survival.after
    then = "within them" if survival.grouping else "then"
    if survival.outcome == "reverses":
        return f"rank correlation {before.spearman:+.2f} in all, {after.spearman:+.2f} {then}"
    return f"strength {before.strength:.2f} in all, {after.strength:.2f} {then}"


def _explained(survival: Survival) -> str:
    names = separators_told(survival.columns)
    together = "" if len(survival.columns) == 1 else "together "
    return f"{names} may {together}cause both, or lie between them"


def _or_effect(survival: Survival) -> str:
    """What else turns a sign: an effect of both."""
    names = separators_told(survival.columns)
    if survival.grouping:
        return f": they must not be thrown together, unless {names} is an effect of both"
    return f"; so it would be if {names} were an effect of both, and then that misleads"


def _sure(survival: Survival) -> str:
    if survival.probability is None:
        return f"{survival.answer}, confidence {survival.confidence:+.4g}"
    return f"{survival.answer}, probability {probability_text(survival.probability)}"


def _direction(survival: Survival, assessment: Assessment) -> str:
    """What may be said of the direction then."""
    if survival.answer == "cannot tell":
        return "which column is the cause cannot be told then"
    cause = _cause(survival, assessment)
    verb = "still looks" if assessment.direction.sign * survival.confidence > 0.0 else "looks"
    return f"{cause!r} {verb} like the cause ({_sure(survival)})"


def _cause(survival: Survival, assessment: Assessment) -> str:
    pair = assessment.verdict.pair
    return shortened(pair.x_name if survival.confidence > 0.0 else pair.y_name)
