"""The report of groups of columns: each with every other, and with the columns beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from bqcd.assessments import Assessment, assess_pair
from bqcd.data.checks import constant_problem
from bqcd.data.pair import Missing, Pair
from bqcd.data.tables import open_table
from bqcd.data.vector_pair import VectorPair, vector_pair
from bqcd.errors import InvalidPairError, InvalidSettingError, counted
from bqcd.methods.decide import decide_pair
from bqcd.methods.verdict import Verdict
from bqcd.scans.skipping import identifier_problem
from bqcd.scans.sources import Source, open_source
from bqcd.show.reports.colophon import Colophon
from bqcd.show.reports.contents import Report
from bqcd.show.reports.findings import by_answer, report_assessment, report_verdict
from bqcd.show.reports.pairs import (
    PairDetail,
    PairRow,
    assessment_detail,
    assessment_row,
    verdict_detail,
    verdict_row,
)
from bqcd.show.reports.points import points_each
from bqcd.show.words.scans import outcome

Groups = Mapping[str, Sequence[str | int]]
"""Names of groups with their columns."""

_NOTE = (
    "A group of columns is judged as one: by bqcd, the confidence is the mean over all pairs of "
    "its columns with those of the other side."
)


def checked_groups(groups: object) -> dict[str, tuple[str | int, ...]]:
    """Groups by name, as they were given.

    Raises
    ------
    InvalidSettingError
        If they are no mapping from names to lists of columns.

    Examples
    --------
    >>> checked_groups({"size": ["length", "width"]})
    {'size': ('length', 'width')}
    """
    if not isinstance(groups, Mapping) or not groups:
        raise InvalidSettingError(
            f"groups of report must map names to lists of columns, got {groups!r}."
        )
    for name, columns in groups.items():
        if not isinstance(name, str) or not isinstance(columns, list | tuple) or not columns:
            raise InvalidSettingError(
                f"groups of report must map names to lists of columns, got {name!r}: {columns!r}."
            )
    return {name: tuple(columns) for name, columns in groups.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport:
    """Groups of columns of a table, and how they are judged.

    Parameters
    ----------
    table : object
        Whatever :func:`bqcd.read_table` takes, and can be opened twice.
    label : str
        What it is called.
    groups : mapping of str to sequence of str or int
        Columns of each group.
    pairs : sequence of (str, str) or None
        Pairs of groups or columns; None for each group with every other group, and with every
        column that is in none and that a scan would take.
    missing : {"raise", "drop"}
        What to do with missing values.
    replicates : int or None
        Random halves; 0 for no assessment.
    judging : mapping of str to object
        Method, seed, settings and workers.
    progress : callable
        Told how many pairs are done.
    """

    table: Any
    label: str
    groups: Groups
    pairs: Sequence[tuple[str, str]] | None
    missing: Missing
    replicates: int | None
    judging: Mapping[str, Any]
    progress: Callable[[str, int, int], None]

    def report(self, colophon: Callable[[Iterable[str]], Colophon]) -> Report:
        """Page of all pairs, or of the one there is.

        Parameters
        ----------
        colophon : callable
            How the page was made, given the columns in use.
        """
        pairs = self._built()
        found = []
        for done, pair in enumerate(pairs):
            self.progress("details", done, len(pairs))
            found.append(self._judged(pair))
        self.progress("details", len(pairs), len(pairs))
        names = sorted({name for pair in pairs for name in _names(pair)})
        if len(found) == 1:
            return self._of_one(found[0], colophon(names))
        return self._of_many(found, colophon(names))

    def _built(self) -> list[Pair | VectorPair]:
        pairs = self.pairs
        if pairs is None:
            pairs = list(self._all_pairs())
        if not pairs:
            raise InvalidPairError(
                "No pair can be judged: there is one group, and nothing beside it."
            )
        return [
            vector_pair(
                self._columns(x),
                self._columns(y),
                table=self.table,
                missing=self.missing,
                x_name=x if x in self.groups else "",
                y_name=y if y in self.groups else "",
            )
            for x, y in pairs
        ]

    def _columns(self, name: str) -> list[str | int]:
        return list(self.groups.get(name, [name]))

    def _all_pairs(self) -> Iterable[tuple[str, str]]:
        """Each group with every other, and with every column in none that a scan would take."""
        names, _ = open_table(self.table)
        held = {str(names[one]) if isinstance(one, int) else one
                for group in self.groups.values() for one in group}  # fmt: skip
        source = open_source(self.table)
        beside = [
            name
            for at, name in enumerate(source.names)
            if name not in held and not _problem(source, at)
        ]
        yield from combinations(self.groups, 2)
        for group in self.groups:
            for column in beside:
                yield group, column

    def _judged(self, pair: Pair | VectorPair) -> Assessment | Verdict:
        if self.replicates == 0:
            judging = {name: one for name, one in self.judging.items() if name not in _OF_HALVES}
            return decide_pair(pair, **judging)
        return assess_pair(pair, replicates=self.replicates, **self.judging)

    def _of_one(self, found: Assessment | Verdict, colophon: Colophon) -> Report:
        whole = report_assessment(found) if isinstance(found, Assessment) else report_verdict(found)
        facts = (("table", self.label), *_group_facts(self.groups), *whole.facts)
        return replace(whole, colophon=colophon, facts=facts)

    def _of_many(self, found: Sequence[Assessment | Verdict], colophon: Colophon) -> Report:
        rows, details, points = [], {}, points_each(len(found))
        for number, one in enumerate(found):
            row, detail = _shown(one, number, points)
            rows.append(row)
            details[number] = detail
        clear, leaning = (sum(row.answer == said for row in rows) for said in ("clear", "leaning"))
        return Report(
            kind="pairs",
            title=f"{counted(len(found), 'pair')} of groups of columns of {self.label}",
            question=f"Which side of each pair causes the other, in {self.label}?",
            answer=outcome(clear, leaning, len(found)),
            notes=(_NOTE,),
            facts=(("table", self.label), *_group_facts(self.groups)),
            pairs=tuple(by_answer(rows)),
            pairs_total=len(found),
            details=details,
            colophon=colophon,
        )


_OF_HALVES = ("abstain", "workers")


def _problem(source: Source, at: int) -> str:
    """Why a column that nobody asked for is left out; empty if it is not."""
    name = source.names[at]
    try:
        values = source.ordered(at).values
    except InvalidPairError as error:
        return str(error)
    known = values[~np.isnan(values)]
    different = len(np.unique(known))
    return constant_problem(values, name) or identifier_problem(known, name, different)


def _shown(found: Assessment | Verdict, number: int, points: int) -> tuple[PairRow, PairDetail]:
    if isinstance(found, Assessment):
        return assessment_row(found, number=number), assessment_detail(found, points=points)
    return verdict_row(found, number=number), verdict_detail(found, points=points)


def _group_facts(groups: Groups) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"group {name}", ", ".join(map(str, columns))) for name, columns in groups.items()
    )


def _names(pair: Pair | VectorPair) -> tuple[str, ...]:
    if isinstance(pair, Pair):
        return pair.x_name, pair.y_name
    return (*pair.x_names, *pair.y_names)
