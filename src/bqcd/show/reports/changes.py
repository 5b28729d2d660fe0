"""Two reports compared: which answers are others now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bqcd.errors import InvalidTableError
from bqcd.methods.answers import ANSWERS
from bqcd.scans.pair_tables import full_schema
from bqcd.scans.sources import Source
from bqcd.show.reports.contents import Report
from bqcd.show.reports.pairs import PairRow
from bqcd.show.words import joined
from bqcd.show.words.changes import CHANGES, changes_told, unmatched_told

MOST_LISTED = 500
"""Changes that a page lists, at most."""


def compared(now: Report, before: Sequence[PairRow], label: str) -> Report:
    """Report with what has changed against the pairs of another.

    Parameters
    ----------
    now : Report
        Of pairs.
    before : sequence of PairRow
        Pairs of the other.
    label : str
        Name of the other's table.
    """
    part = changes_part(now.pairs or (), before, label)
    return replace(now, changes=part, answer=joined(now.answer, str(part["says"])))


def changes_part(
    now: Iterable[PairRow], before: Iterable[PairRow], label: str
) -> dict[str, object]:
    """Answers that differ, ready for JSON; pairs are the same whichever column is x.

    Parameters
    ----------
    now, before : iterable of PairRow
        Pairs of both reports.
    label : str
        Name of the other table.

    Examples
    --------
    >>> one = PairRow(number=0, x="a", y="b", confidence=0.2, answer="leaning")
    >>> other = PairRow(number=0, x="b", y="a", confidence=0.3, answer="leaning")
    >>> changes_part([one], [other], "old.csv")["rows"][0]["change"]
    'turned'
    """
    here, there = ({frozenset((r.x, r.y)): r for r in rows if r.status == "done"}
                   for rows in (now, before))  # fmt: skip
    both = [(row, there[key]) for key, row in here.items() if key in there]
    found = [(kind_of_change(row, other), row, other) for row, other in both]
    counts = Counter(kind for kind, _, _ in found if kind)
    order = list(CHANGES)
    changed = sorted((one for one in found if one[0]), key=lambda one: order.index(one[0]))
    only = len(here.keys() - there.keys()), len(there.keys() - here.keys())
    return {
        "label": label,
        "says": joined(
            changes_told(counts, len(both) - len(changed), label), unmatched_told(*only, label)
        ),
        "rows": [
            {
                "pair": row.number,
                "x": row.x,
                "y": row.y,
                "change": kind,
                "means": CHANGES[kind],
                "before": _told(other),
                "now": _told(row),
            }
            for kind, row, other in changed[:MOST_LISTED]
        ],
        "total": len(changed),
        "same": len(both) - len(changed),
    }


def kind_of_change(now: PairRow, before: PairRow) -> str:
    """How an answer differs from the one before; empty if it does not.

    Parameters
    ----------
    now, before : PairRow
        Of the same columns.
    """
    if now.cause != before.cause:
        if before.cause is None:
            return "new"
        return "gone" if now.cause is None else "turned"
    if now.answer == before.answer:
        return ""
    surer = ANSWERS.index(now.answer) < ANSWERS.index(before.answer)
    return "surer" if surer else "less sure"


def _told(row: PairRow) -> dict[str, object]:
    return {
        "cause": row.cause,
        "effect": row.effect,
        "answer": row.answer,
        "probability": row.probability,
    }


def is_saved_scan(source: Source) -> bool:
    """Whether a table is one of pairs and their answers, as :meth:`bqcd.Scan.save` writes it."""
    return bool(list(source.names) == full_schema().names)


def saved_rows(table: Any, label: str) -> list[PairRow]:
    """Rows of the pairs that were saved.

    Parameters
    ----------
    table : pyarrow.Table
        As :meth:`bqcd.Scan.save` writes it.
    label : str
        What it is called.

    Raises
    ------
    InvalidTableError
        If an answer is none.
    """
    rows = []
    for number, told in enumerate(table.to_pylist()):
        sign = {"->": 1.0, "<-": -1.0}.get(str(told["direction"]), 0.0)
        answer = told["answer"] or "cannot tell"
        if answer not in ANSWERS:
            raise InvalidTableError(
                f"answer of row {number + 1} of {label!r} must be one of {', '.join(ANSWERS)}, "
                f"got {answer!r}."
            )
        status = "done" if told["confidence"] is not None else "failed"
        size, sure = abs(told["confidence"] or 0.0), told["probability"]
        rows.append(
            PairRow(number=number, x=str(told["x"]), y=str(told["y"]), confidence=sign * size,
                    probability=sure, answer=answer, status=status)
        )  # fmt: skip
    return rows
