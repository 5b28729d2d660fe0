"""Reports of what was found before: a verdict, an assessment, a scan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bqcd.assessments import Assessment
from bqcd.assessments.assessing import DEFAULT as ASSESSED_BY
from bqcd.assessments.dependence import NO_EVIDENCE
from bqcd.data.pair import Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import shortened
from bqcd.methods.answers import ANSWERS
from bqcd.methods.table import ALL_METHODS
from bqcd.methods.verdict import Verdict, settings_of
from bqcd.runtime.arrays import Vector
from bqcd.scans import Scan
from bqcd.scans.pair_tables import foremost, is_word, places_of
from bqcd.scans.rows import PairRows
from bqcd.show.chances import probability_text
from bqcd.show.pages.fragments import table_fragment
from bqcd.show.pages.sketches import pair_sketches
from bqcd.show.reports.colophon import Colophon, bibtex_of, fingerprint_of, setting_words
from bqcd.show.reports.contents import Report
from bqcd.show.reports.matrices import matrix_part
from bqcd.show.reports.pairs import (
    PairDetail,
    PairRow,
    assessment_detail,
    assessment_row,
    scan_row,
    verdict_detail,
    verdict_row,
)
from bqcd.show.terminal import Facts, assessment_rows, verdict_html, verdict_rows
from bqcd.show.words import counted
from bqcd.show.words.assessments import finding
from bqcd.show.words.compatibility import FEW
from bqcd.show.words.scans import (
    DISCOVERED,
    columns_told,
    method_words,
    problems_told,
    told_to_people,
)

MOST_ROWS = 5_000
"""Rows of the longest table of pairs on a page."""

_SKIPPED_TOLD = 5
_ROWS_IN_A_NOTEBOOK = 20
# Pairs up to which it is worked out how far the verdicts fit together.
_MOST_FITTED = 50_000
_ONE_BY_ONE = (
    "Pairs are judged one by one: columns that merely share a cause look like cause and effect "
    "too, so that the arrows taken together are no causal graph."
)
_DOUBTFUL_LAST = (
    f"Pairs that may be independent (q > {DISCOVERED:g}, by Benjamini and Hochberg over all "
    "pairs) come last; of these no direction is told."
)


def report_verdict(verdict: Verdict) -> Report:
    """Report of a verdict, which was not assessed.

    Parameters
    ----------
    verdict : Verdict
        What was found.

    Examples
    --------
    >>> import bqcd
    >>> x = np.linspace(-1.0, 1.0, 50)
    >>> report_verdict(bqcd.decide(x, x**2 + 0.1 * np.sin(50.0 * x))).title
    'x and y'
    """
    row, detail = verdict_row(verdict), verdict_detail(verdict)
    # The first caveat of columns that may be independent is that.
    doubt = detail.caveats[:1] if (row.dependence_p or 0.0) > NO_EVIDENCE else ()
    told = " ".join((detail.sentence, *doubt)), "decide"
    facts = _shown(verdict_rows(verdict, verbose=False))
    return replace(_of_one(verdict, row, detail, told), facts=facts)


def report_assessment(found: Assessment) -> Report:
    """Report of an assessment.

    Parameters
    ----------
    found : Assessment
        What was found.
    """
    told = finding(found), "assess"
    report = _of_one(found.verdict, assessment_row(found), assessment_detail(found), told)
    return replace(report, facts=_shown(assessment_rows(found)))


def _shown(rows: Facts) -> tuple[tuple[str, str], ...]:
    """Facts for a page, which tells of the method elsewhere."""
    return tuple(fact for fact in rows if fact[0] != "method")


def _of_one(verdict: Verdict, row: PairRow, detail: PairDetail, told: tuple[str, str]) -> Report:
    """Report of one pair, given the answer and the function of bqcd that gave it."""
    pair, (answer, function) = verdict.pair, told
    x, y = shortened(pair.x_name), shortened(pair.y_name)
    return Report(
        kind="pairs",
        title=f"{x} and {y}",
        question=f"Which of {x!r} and {y!r} causes the other?",
        answer=answer,
        pairs=(row,),
        pairs_total=1,
        details={row.number: detail},
        colophon=Colophon(
            verdict.name or "method",
            setting_words(verdict.settings),
            verdict.seed,
            fingerprint_of(_columns(pair)),
            python=_call(function, verdict),
            bibtex=bibtex_of(verdict.name),
        ),
    )


def _columns(pair: Pair | VectorPair) -> list[tuple[str, Vector]]:
    """All columns by name."""
    if isinstance(pair, Pair):
        return [(pair.x_name, pair.x), (pair.y_name, pair.y)]
    names, columns = (*pair.x_names, *pair.y_names), (*pair.x.T, *pair.y.T)
    return list(zip(names, columns, strict=True))


_USUAL = {"assess": ASSESSED_BY, "decide": "bqcd"}


def _call(function: str, verdict: Verdict) -> str:
    """Line of Python that gives the same verdict."""
    usual: Mapping[str, object] = {"method": _USUAL[function], "seed": 0}
    told: dict[str, object] = {"method": verdict.name, "seed": verdict.seed}
    if verdict.name in ALL_METHODS:
        usual = {**usual, **settings_of(ALL_METHODS[verdict.name].build())}
        told |= verdict.settings
    else:
        told["method"] = verdict.method
    others = (f", {name}={told[name]!r}" for name in told if told[name] != usual.get(name))
    weights = "" if verdict.weighting is None else ", weights=weights"
    return f"bqcd.{function}(x, y{weights}{''.join(others)}).to_html()"


def report_scan(found: Scan, *, rows: int = MOST_ROWS) -> Report:
    """Report of a scan: the table of its pairs, the foremost of them if there are many.

    Parameters
    ----------
    found : Scan
        What was found.
    rows : int, default=5000
        How many pairs are listed, at most.
    """
    python = "" if found.folder is None else f"bqcd.read_scan({str(found.folder)!r}).to_html()"
    method, bibtex = method_words(found), bibtex_of(found.method)
    colophon = Colophon(method, python=python, bibtex=bibtex, **_kept(found))
    return scan_report(found, ranked_rows(found, rows), {}, colophon)


def scan_fragment(found: Scan) -> str:
    """Sentence and table of the foremost pairs, for notebooks."""
    return report_scan(found, rows=_ROWS_IN_A_NOTEBOOK).fragment()


def verdict_fragment(found: Verdict) -> str:
    """Pictures both ways and the facts, for notebooks."""
    content = report_verdict(found).as_dict()
    pair, detail = content["pairs"][0], content["details"]["0"]  # type: ignore[index]
    return pair_sketches(pair, detail) + verdict_html(found)


def rows_fragment(found: PairRows) -> str:
    """Table of some pairs of a scan, for notebooks."""
    rows = [scan_row(row, number=at) for at, row in enumerate(found.to_pylist())]
    return table_fragment(found.title, [row.as_dict() for row in rows])


def assessment_fragment(found: Assessment) -> str:
    """Sentence and table, for notebooks."""
    return report_assessment(found).fragment()


def _kept(found: Scan) -> dict[str, Any]:
    """What the folder of a scan, if it has one, tells of how it was made."""
    from bqcd.scans.folder import ScanFolder

    if found.folder is None:
        return {}
    manifest = ScanFolder(found.folder).manifest()
    return {
        "settings": setting_words(manifest["settings"]),
        "seed": manifest["seed"],
        "fingerprint": f"blake2b:{manifest['input']['fingerprint'][:16]}",
    }


def ranked_rows(found: Scan, most: int) -> list[PairRow]:
    """Rows of the foremost pairs: by answer, then dependent ones, then by size of the confidence.

    Parameters
    ----------
    found : Scan
        What was found.
    most : int
        How many, at most.
    """
    confidence = found.numbers("confidence")
    known, dependent = ~np.isnan(confidence), found.numbers("q_value") <= DISCOVERED
    alphabet = sorted(one.name for one in found.columns)
    x, y = (places_of(found.table[side], alphabet) for side in ("x", "y"))
    # Equals go by name, whichever of the two is x.
    first, second = np.minimum(x, y), np.maximum(x, y)
    order: list[NDArray[np.intp]] = []
    groups = [is_word(found.table["answer"], one) for one in ANSWERS[:2]]
    told = groups[0] | groups[1]
    for group in (*groups, known & dependent & ~told, known & ~dependent, ~known):
        at = np.flatnonzero(group)
        order.append(at[foremost(np.abs(confidence[at]), most, [first[at], second[at]])])
    listed = found.table.take(np.concatenate(order)[:most]).to_pylist()
    return [scan_row(row, number=number) for number, row in enumerate(listed)]


def by_answer(rows: Iterable[PairRow]) -> list[PairRow]:
    """Rows with the surest answer first, then by probability and size of the confidence."""

    def rank(row: PairRow) -> tuple[bool, int, float, float]:
        place = ANSWERS.index(row.answer)
        return row.status != "done", place, -(row.probability or 0.0), -abs(row.confidence)

    return sorted(rows, key=rank)


def scan_report(
    found: Scan, rows: Sequence[PairRow], details: Mapping[int, PairDetail], colophon: Colophon
) -> Report:
    """Report of a scan whose rows are ranked.

    Parameters
    ----------
    found : Scan
        What was found.
    rows : sequence of PairRow
        Rows of the table, in its order.
    details : mapping of int to PairDetail
        More of some of them.
    colophon : Colophon
        How it was made.
    """
    return Report(
        kind="pairs",
        title=f"{counted(len(found), 'pair')} of columns of {found.label}",
        question=f"Which column of each pair causes the other, in {found.label}?",
        answer=_answer(found, rows),
        notes=tuple(_notes(found, rows, details)),
        facts=tuple(_facts(found)),
        pairs=tuple(rows),
        pairs_total=len(found),
        details=details,
        matrix=matrix_part(found, rows),
        colophon=colophon,
    )


def _answer(found: Scan, rows: Sequence[PairRow]) -> str:
    """What was found, as one would say it; what was judged is among the facts."""
    clear, leaning = (sum(row.answer == one for row in rows) for one in ANSWERS[:2])
    return told_to_people(clear, leaning, found.n_judged, found.label, _foremost_told(rows))


def _foremost_told(rows: Sequence[PairRow]) -> str:
    """The surest of the answers, if there is one."""
    row = rows[0] if rows else None
    if row is None or row.cause is None:
        return ""
    effect = shortened(row.effect or "")
    sure = f"confidence {abs(row.confidence):.4g}"
    if row.probability is not None:
        sure = f"probability {probability_text(row.probability)}"
    return f"{shortened(row.cause)!r} as the cause of {effect!r} ({sure})"


def _notes(
    found: Scan, rows: Sequence[PairRow], details: Mapping[int, PairDetail]
) -> Iterable[str]:
    yield _ONE_BY_ONE
    yield _DOUBTFUL_LAST
    yield from columns_told(found.problems(), len(found.names))
    yield from problems_told([one.problems for one in details.values() if one.assessment])
    yield from _fit_told(found)
    if not found.complete:
        yield "The scan is not finished: pairs are missing."
    if found.skipped:
        told = " ".join(one.problem for one in found.skipped[:_SKIPPED_TOLD])
        yield f"Not judged: {counted(len(found.skipped), 'column')}. {told}"
    if len(rows) < len(found):
        yield f"The table holds the first {len(rows):,} of {len(found):,} pairs."
    if details and len(details) < found.n_judged:
        assessed = any(detail.assessment for detail in details.values())
        told = "assessed and shown" if assessed else "shown"
        yield f"The first {len(details):,} pairs are {told} in detail."


def _fit_told(found: Scan) -> Iterable[str]:
    """How far the verdicts fit together, if there is enough to tell by."""
    if len(found) <= _MOST_FITTED:
        fit = found.compatibility()
        if fit.demands >= FEW:
            yield fit.sentence


def _facts(found: Scan) -> Iterable[tuple[str, str]]:
    yield "table", found.label
    yield "rows", f"{found.n_rows:,}"
    yield "columns judged", f"{len(found.names):,}"
    yield "pairs judged", f"{found.n_judged:,} of {len(found):,}"
    dependent = int(np.count_nonzero(found.numbers("q_value") <= DISCOVERED))
    yield f"dependent (q ≤ {DISCOVERED:g})", f"{dependent:,}"
    then = "" if found.then is None else f", then {method_words(found.then)}"
    yield "method", method_words(found) + then
