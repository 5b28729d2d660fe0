"""The report of a table: its pairs judged, or the edges of a graph, the foremost ones shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from bqcd.assessments import Assessment, assess_pair
from bqcd.assessments.assessing import DEFAULT, OF_GROUPS
from bqcd.assessments.assessment import Abstention
from bqcd.assessments.unit_columns import repeated_units
from bqcd.data.nominal import declared_table
from bqcd.data.pair import Missing
from bqcd.errors import InvalidPairError
from bqcd.methods.decide import decide_pair
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Method, Verdict, settings_of
from bqcd.runtime.notebook import bar_in_notebook
from bqcd.scans import Scan, scan
from bqcd.scans.answering import DEPENDENT
from bqcd.scans.progress import ScanProgress
from bqcd.scans.selection import chosen_columns, read_pairs
from bqcd.scans.sources import open_source
from bqcd.show.reports.asking import Asked, is_path, opened
from bqcd.show.reports.changes import compared, is_saved_scan, saved_rows
from bqcd.show.reports.colophon import Colophon, bibtex_of, fingerprint_of, recipe, setting_words
from bqcd.show.reports.columns import TableColumns
from bqcd.show.reports.contents import Report
from bqcd.show.reports.findings import (
    MOST_ROWS,
    by_answer,
    ranked_rows,
    report_assessment,
    report_verdict,
    scan_report,
)
from bqcd.show.reports.groups import GroupReport, checked_groups
from bqcd.show.reports.overview import columns_part, derived_columns
from bqcd.show.reports.pairs import (
    PairDetail,
    PairRow,
    assessment_detail,
    assessment_row,
    verdict_detail,
)
from bqcd.show.reports.points import points_each

Progress = Callable[[str, int, int], None]
"""Told what a report is at, and how much of how much of it is done."""

OnPair = Callable[[PairRow], None]
"""Told every pair as soon as it is assessed."""

# Pairs that the panel judges, at most: less than half a minute with 1,000 rows.
_PANEL_PAIRS = 500


def report(
    table: object,
    pairs: str | Path | Iterable[Any] | None = None,
    *,
    graph: object = None,
    columns: str | int | Sequence[str | int] | None = None,
    groups: Mapping[str, Sequence[str | int]] | None = None,
    method: str | Method = DEFAULT,
    missing: Missing = "raise",
    seed: int = 0,
    details: int = 200,
    replicates: int | None = None,
    abstain: float | None = None,
    by: str | int | None = None,
    given: str | int | Sequence[str | int] | None = None,
    against: object = None,
    workers: int = 1,
    progress: Progress | None = None,
    on_pair: OnPair | None = None,
    nominal: str | Sequence[str] = (),
    **settings: object,
) -> Report:
    """Report of a table: its pairs judged, the foremost ones assessed and shown.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        As in :func:`bqcd.scan`.
    pairs : path or iterable of pairs, optional
        Pairs to judge: names or positions, or a file with two columns. Default: all pairs
        of the numeric columns.
    graph : path or graph, optional
        Graph whose edges are oriented instead, as in :func:`bqcd.orient`.
    columns : str, int or sequence of them, optional
        Columns to take: names, positions or patterns such as ``"gene_*"``. Default: all.
    groups : mapping of str to sequence of str or int, optional
        Groups of columns by name, each judged as one: with every other group and every numeric
        column in none of them, or as ``pairs`` say. The panel does not take groups; in its place
        bqcd judges.
    method : str or Method, default="panel"
        As in :func:`bqcd.assess`. With the panel, bqcd judges all pairs first, as it is so much
        faster, and the panel those that depend, the foremost first.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value of a pair is missing.
    seed : int, default=0
        As in :func:`bqcd.decide`.
    details : int, default=200
        How many pairs are assessed and shown, at most: those of the largest confidence
        among dependent ones, then the others.
    replicates : int, optional
        Random halves of the rows in an assessment, as in :func:`bqcd.assess`; with 0 nothing is
        assessed, which takes less time.
    abstain : float, optional
        Least probability of a direction that is told, as in :func:`bqcd.assess`; pairs that are
        not assessed have none. Not with a graph.
    by, given : str, int or sequence of them, optional
        Third columns that link and direction shall survive, as in :func:`bqcd.assess`; a pair
        that holds one of them is judged without. Not with a graph.
    against : path or table, optional
        Another table with columns of the same names, or what :meth:`bqcd.Scan.save` wrote: the
        page tells which answers differ from its own. Not with a graph.
    workers : int, default=1
        Processes or threads; the numbers do not depend on it.
    progress : callable, optional
        Told what is done: ``"columns"``, ``"pairs"`` or ``"details"``, how many, of how many.
        Default: a bar if this is a notebook.
    on_pair : callable, optional
        Told every pair as soon as it is assessed, as a row of the table.
    nominal : str or sequence of str, default=()
        As in :func:`bqcd.scan`.
    **settings
        Settings of the method, if it is given by name.

    Returns
    -------
    Report

    Raises
    ------
    InvalidSettingError
        If what is asked for contradicts itself.
    InvalidTableError
        If the table cannot be read, or has no such column.
    InvalidPairError
        If values are missing and must not be, or no pair can be judged.

    Notes
    -----
    Points are a sample in the picture; every number is of all rows, to the bit that of
    :func:`bqcd.decide` and :func:`bqcd.assess`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=300)
    >>> found = report({"x": x, "y": x**2 + 0.3 * rng.normal(size=300)}, replicates=20)
    >>> found.title, found.pairs[0].cause
    ('x and y', 'x')
    """
    asked = Asked(
        pairs=list(pairs) if isinstance(pairs, Iterable) and not is_path(pairs) else pairs,
        graph=graph,
        columns=columns,
        groups=None if groups is None else checked_groups(groups),
        method=method,
        missing=missing,
        seed=seed,
        details=details,
        replicates=replicates,
        abstain=abstain,
        nominal=() if is_path(table) else nominal,
        by=by,
        given=given,
        against=against,
    )
    with bar_in_notebook(progress) as shown:
        job = _Job(declared_table(table, nominal), asked, settings, workers, shown, on_pair)
        if groups is not None:
            return job.of_groups()
        if graph is not None:
            return job.of_graph()
        found = job.of_pairs()
        return found if against is None else job.against(found)


class _Job:
    """A table, and what was asked of it."""

    def __init__(
        self,
        table: object,
        asked: Asked,
        settings: Mapping[str, Any],
        workers: int,
        progress: Progress,
        on_pair: OnPair | None = None,
    ) -> None:
        self._on_pair = on_pair or (lambda row: None)
        self._asked = asked
        self._settings = settings
        self._workers = workers
        self._progress = progress
        # The panel takes no groups of columns.
        of_groups = asked.groups is not None and asked.method == DEFAULT
        self._judge = OF_GROUPS if of_groups else asked.method
        self._name, self._method = named_method("report", self._judge, settings)
        self._recipe = recipe(table, asked.unusual(), settings)
        self._label, self._table = opened(table, whole=asked.graph is not None)
        self._doubtful: Mapping[tuple[str, str], float] = {}

    def of_pairs(self) -> Report:
        """Report of pairs: of one, assessed; of several, judged by a scan."""
        asked = self._asked
        alone = self._one_pair() if asked.details else None
        if alone is not None:
            return self._of_one(*alone)
        found = scan(
            self._table,
            columns=asked.columns,
            pairs=asked.pairs,
            missing=asked.missing,
            seed=asked.seed,
            workers=self._workers,
            progress=self._tell,
            **self._judges(),
        )
        rows = ranked_rows(found, MOST_ROWS)
        if not found.n_judged:
            raise InvalidPairError(f"No pair can be judged. {_reason(found, rows)}")
        if len(found) == 1 and asked.details:
            return self._of_one(rows[0].x, rows[0].y)
        found = replace(found, label=self._label)
        columns = TableColumns(self._table, asked.missing)
        colophon = self._colophon(columns, found.names)
        self._doubtful = _q_values(found, above=DEPENDENT)
        rows, details = self._examined(rows, columns, lambda row: asked.seed)
        if asked.abstain is not None:
            # Without a probability none is reached.
            rows = [replace(one, answer="cannot tell") if one.probability is None else one
                    for one in rows]  # fmt: skip
        page = scan_report(found, by_answer(rows), details, colophon)
        return replace(page, columns=columns_part(open_source(self._table), derived_columns(found)))

    def against(self, now: Report) -> Report:
        """Report with what differs from another table, of which the same is asked."""
        asked = replace(self._asked, against=None)
        label, table = opened(self._asked.against, whole=False)
        source = open_source(table)
        if is_saved_scan(source):
            return compared(
                now, saved_rows(opened(self._asked.against, whole=True)[1], label), label
            )
        other = _Job(table, asked, self._settings, self._workers, self._progress)
        return compared(now, other.of_pairs().pairs or (), label)

    def _judges(self) -> dict[str, Any]:
        """What judges in a scan: the panel only those pairs that bqcd finds worth its time."""
        if self._name != "panel":
            return {"method": self._asked.method, **self._settings}
        panel = self._method if self._settings else self._asked.method
        return {"method": "bqcd", "then": panel, "then_pairs": _PANEL_PAIRS}

    def of_graph(self) -> Report:
        """Report of a graph, its judged edges shown."""
        from bqcd.graphs import edge_seed, orient
        from bqcd.show.reports.graph_lines import graph_line
        from bqcd.show.reports.orientations import report_orientation

        asked = self._asked
        found = orient(
            self._table,
            asked.graph,
            method=asked.method,
            missing=asked.missing,
            seed=asked.seed,
            progress=lambda done, total: self._progress("pairs", done, total),
            **self._settings,
        )
        base = report_orientation(found)
        columns = TableColumns(self._table, asked.missing, found.labels)
        rows, details = self._examined(
            list(base.pairs or ()), columns, lambda row: edge_seed(asked.seed, row.x, row.y)
        )
        colophon = self._colophon(columns, found.graph.nodes)
        if not is_path(asked.graph):
            # A graph in memory is written out.
            call = colophon.python.removeprefix("import bqcd\n\n")
            lines = f"import bqcd\nfrom bqcd.graphs import PartialGraph\n\n{graph_line(found)}\n"
            colophon = replace(colophon, python=f"{lines}{call}")
        facts = (("table", self._label), *base.facts)
        return replace(base, pairs=tuple(rows), details=details, colophon=colophon, facts=facts)

    def of_groups(self) -> Report:
        """Report of groups of columns."""
        asked = self._asked
        judging = {"method": self._judge, "seed": asked.seed, "abstain": asked.abstain}
        found = GroupReport(
            table=self._table,
            label=self._label,
            groups=asked.groups,
            pairs=asked.pairs,
            missing=asked.missing,
            replicates=asked.replicates,
            judging={**judging, "workers": self._workers, **self._settings},
            progress=self._progress,
        )
        columns = TableColumns(self._table, asked.missing)
        return found.report(lambda names: self._colophon(columns, names))

    def _one_pair(self) -> tuple[str, str] | None:
        """Names of the columns if a single pair is asked for."""
        source, asked = open_source(self._table), self._asked
        if asked.pairs is not None:
            pairs = read_pairs(asked.pairs, source.names)
        else:
            chosen = chosen_columns(source.names, source.kinds, asked.columns)
            pairs = list(combinations(chosen, 2)) if len(chosen) == 2 else []
        if len(pairs) != 1:
            return None
        x, y = pairs[0]
        return source.names[x], source.names[y]

    def _of_one(self, x: str, y: str) -> Report:
        columns = TableColumns(self._table, self._asked.missing)
        self._progress("details", 0, 1)
        found = self._judged(x, y, columns, self._asked.seed)
        self._progress("details", 1, 1)
        whole = report_assessment(found) if isinstance(found, Assessment) else report_verdict(found)
        colophon = self._colophon(columns, (x, y))
        return replace(whole, colophon=colophon, facts=(("table", self._label), *whole.facts))

    def _examined(
        self, rows: list[PairRow], columns: TableColumns, seed_of: Callable[[PairRow], int]
    ) -> tuple[list[PairRow], dict[int, PairDetail]]:
        """Rows of which the first judged ones are assessed, with details of these."""
        judged = [at for at, row in enumerate(rows) if row.status == "done"]
        if self._asked.graph is not None:
            judged.sort(key=lambda at: -abs(rows[at].confidence))
        chosen = judged[: self._asked.details]
        points, details = points_each(len(chosen)), {}
        for done, at in enumerate(chosen):
            self._progress("details", done, len(chosen))
            row = rows[at]
            found = self._judged(row.x, row.y, columns, seed_of(row))
            if isinstance(found, Assessment):
                found = self._among_many(found, row)
                rows[at] = assessment_row(found, number=row.number)
                details[row.number] = assessment_detail(found, points=points)
                self._on_pair(rows[at])
            else:
                told = row.answer if self._asked.graph is None else found.answer
                details[row.number] = verdict_detail(found, points=points, answer=told)
        self._progress("details", len(chosen), len(chosen))
        return rows, details

    def _among_many(self, found: Assessment, row: PairRow) -> Assessment:
        """Assessment that tells no direction if the columns may be independent, as one of many."""
        q_value = self._doubtful.get((row.x, row.y))
        if q_value is None or found.answer == "cannot tell":
            return found
        return replace(found, abstention=Abstention("q-value", DEPENDENT, q_value))

    def _judged(self, x: str, y: str, columns: TableColumns, seed: int) -> Assessment | Verdict:
        asked, pair = self._asked, columns.pair(x, y)
        method: dict[str, Any] = {"method": asked.method, "seed": seed, **self._settings}
        if asked.replicates == 0:
            return decide_pair(pair, **method)
        beside = () if pair.nominal else columns.unit_columns(x, y)
        return assess_pair(
            pair,
            units=repeated_units(beside),
            unit_columns=beside,
            asked=columns.asked(pair, asked.by, asked.given),
            beside=None if pair.nominal else columns.neighbours(pair),
            replicates=asked.replicates,
            abstain=asked.abstain,
            workers=self._workers,
            **method,
        )

    def _colophon(self, columns: TableColumns, names: Iterable[str]) -> Colophon:
        command, python = self._recipe
        return Colophon(
            self._name,
            setting_words(settings_of(self._method)),
            self._asked.seed,
            fingerprint_of((name, columns.column(name)) for name in names),
            command,
            python,
            bibtex_of(self._name),
        )

    def _tell(self, now: ScanProgress) -> None:
        self._progress(now.stage, now.done, now.total)


def _q_values(found: Scan, *, above: float) -> dict[tuple[str, str], float]:
    """Q-values of the pairs whose columns may be independent."""
    rows = found.table.select(["x", "y", "q_value"]).to_pylist()
    return {
        (row["x"], row["y"]): row["q_value"]
        for row in rows
        if row["q_value"] is not None and row["q_value"] > above
    }


def _reason(found: Scan, rows: Sequence[PairRow]) -> str:
    """Why there is no verdict at all."""
    reasons = [row.message for row in rows if row.message]
    reasons += [one.problem for one in found.skipped]
    return reasons[0] if reasons else f"{len(found.names)} column is too few."
