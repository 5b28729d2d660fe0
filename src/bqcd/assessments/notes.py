"""What a reader should know of the data behind a verdict, as codes and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bqcd.assessments.unit_columns import UnitColumn
from bqcd.assessments.units import Kind, Units
from bqcd.data.vector_pair import VectorPair
from bqcd.discovery.evidence import QuantileEvidence
from bqcd.methods.verdict import Verdict
from bqcd.runtime.shown import CodedNote
from bqcd.statistics.dependence.autocorrelation import serial_dependence

Code = Literal[
    "few rows",
    "rows together",
    "ties",
    "order of ties",
    "sorted rows",
    "serial dependence",
    "units",
]

# From this share of repeated values on, a reader should be told.
_MANY_TIES = 0.5
_FEW_ROWS = 200
# Rows that were found to belong together, and are worth so much, are not worth a word.
_NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True)
class Note(CodedNote):
    """One thing to know of the data behind a verdict."""

    code: Code


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


def data_notes(
    verdict: Verdict,
    together: RowsTogether | None = None,
    *,
    columns: Sequence[UnitColumn] = (),
    drawn: Units | None = None,
) -> tuple[Note, ...]:
    """Few rows, rows that belong together, ties, dependent rows, columns that look like units.

    Parameters
    ----------
    verdict : Verdict
        On the rows.
    together : RowsTogether, optional
        Units by which halves were drawn.
    columns : sequence of UnitColumn
        Columns beside the pair in which rows are alike.
    drawn : Units, optional
        Units by which halves were drawn, row by row.
    """
    return (
        *_few_rows(verdict),
        *_rows_together(verdict, together),
        *_ties(verdict, together),
        *_serial(verdict, together),
        *_unit_columns(columns, drawn),
    )


def _few_rows(verdict: Verdict) -> Iterator[Note]:
    weighting = verdict.weighting
    rows = verdict.n_rows if weighting is None else round(weighting.effective_rows)
    if rows < _FEW_ROWS:
        yield Note("few rows", {"n_rows": rows})


def _rows_together(verdict: Verdict, together: RowsTogether | None) -> Iterator[Note]:
    if together is not None and together.matters(verdict.n_rows):
        yield Note(
            "rows together",
            {
                "kind": together.kind,
                "name": together.name,
                "count": together.count,
                "n_rows": verdict.n_rows,
                "effective_rows": together.effective_rows,
            },
        )


def _ties(verdict: Verdict, together: RowsTogether | None) -> Iterator[Note]:
    evidence, pair = verdict.evidence, verdict.pair
    if not isinstance(evidence, QuantileEvidence):
        return
    if evidence.sign_hangs_on_ties:
        facts = {"orders": evidence.tie_orders, "error": evidence.tie_error}
        yield Note("order of ties", facts)
    # Copies of rows repeat all values, which says nothing of the columns.
    if together is not None and together.kind == "copies":
        return
    for name, ties in ((pair.x_name, evidence.x_ties), (pair.y_name, evidence.y_ties)):
        if ties > _MANY_TIES * evidence.n_rows:
            yield Note("ties", {"column": name, "share": ties / evidence.n_rows})


def _serial(verdict: Verdict, together: RowsTogether | None) -> Iterator[Note]:
    if verdict.pair.nominal:
        return
    pair = verdict.seen_pair if isinstance(verdict.pair, VectorPair) else verdict.pair
    serial = serial_dependence(pair.x, pair.y)
    if serial.strong and serial.is_sorted:
        yield Note("sorted rows")
    elif serial.strong and together is None:
        yield Note("serial dependence", {"effective_rows": serial.effective_rows})


def _unit_columns(columns: Sequence[UnitColumn], drawn: Units | None) -> Iterator[Note]:
    """Columns that look like units and are not those drawn by, nor the same in other words."""
    for column in columns:
        if drawn is None or not _same_units(column.units, drawn):
            yield Note("units", {"column": column.units.name})


def _same_units(units: Units, other: Units) -> bool:
    pairs = np.unique(np.column_stack((units.numbers, other.numbers)), axis=0)
    return len(pairs) == units.count == other.count
