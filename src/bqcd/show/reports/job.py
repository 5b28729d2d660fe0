"""The work of a report: pairs, a graph or groups judged, the foremost ones shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from bqcd.assessments import Assessment, assess_pair
from bqcd.assessments.assessing import DEFAULT, OF_GROUPS
from bqcd.assessments.assessment import Abstention
from bqcd.assessments.unit_columns import repeated_units
from bqcd.errors import InvalidPairError
from bqcd.methods.decide import decide_pair
from bqcd.methods.table import named_method
from bqcd.methods.verdict import Verdict, settings_of
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
from bqcd.show.reports.groups import GroupReport
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

# Pairs that the panel judges, at most: about a minute with 1,000 rows.
_PANEL_PAIRS = 500


class ReportJob:
    """A table, and what was asked of it.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        What is reported on.
    asked : Asked
        What of it.
    settings : mapping of str to object
        Of the method, if it is given by name.
    workers : int
        Processes or threads.
    progress : callable
        Told what is done.
    on_pair : callable, optional
        Told every pair as soon as it is assessed.
    """

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
        other = ReportJob(table, asked, self._settings, self._workers, self._progress)
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
            # What is said of an edge is no surer than the page of its pair.
            assessed=asked.replicates != 0 and asked.details > 0,
            replicates=asked.replicates or 0,
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
