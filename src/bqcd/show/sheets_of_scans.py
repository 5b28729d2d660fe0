"""A scan for reading: its foremost pairs, what it skipped, what it found in two sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bqcd.errors import printable, shortened
from bqcd.show.sheets import Cell, Sheet

if TYPE_CHECKING:
    from bqcd.scans.results import Order, Scan

DISCOVERED = 0.05
"""Share of false discoveries at which pairs count as dependent in a summary."""

_INDEPENDENT = (
    "Where q, the share of false discoveries, is not small, the two columns may be independent; "
    "their direction then means nothing."
)


def pairs_sheet(scan: Scan, k: int, by: Order) -> Sheet:
    """The foremost pairs, the cause at the left.

    Parameters
    ----------
    scan : Scan
        What they are of.
    k : int
        How many, at most.
    by : {"confidence", "dependence", "p_value"}
        What they are ranked by.
    """
    rows = scan.top(k, by=by).to_pylist()
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        cause, effect = map(_shown, cause_and_effect(row))
        arrow = "->" if row["confidence"] else "--"
        others = (row[name] for name in ("dependence", "spearman", "q_value", "n_rows"))
        cells.append((cause, arrow, effect, abs(row["confidence"]), *others))
    head = ("cause", "", "effect", "confidence", "dependence", "spearman", "q", "rows")
    title = f"{counted(len(rows), 'pair')} of {len(scan):,} by {by.replace('_', '-')}"
    return Sheet(title, head, tuple(cells), (_INDEPENDENT,) if rows else (), digits=4)


def skipped_sheet(scan: Scan, k: int | None = None) -> Sheet:
    """Columns that could not be judged, with the reason.

    Parameters
    ----------
    scan : Scan
        What they are of.
    k : int or None, default=None
        How many are listed, at most. Default: all.
    """
    listed = scan.skipped[:k]
    rows = tuple((_shown(one.name), printable(one.problem)) for one in listed)
    left = _left(len(scan.skipped) - len(listed))
    return Sheet("Columns that were skipped", ("column", "problem"), rows, left)


def failed_sheet(scan: Scan, k: int | None = None) -> Sheet:
    """Pairs that could not be judged, with the reason.

    Parameters
    ----------
    scan : Scan
        What they are of.
    k : int or None, default=None
        How many are listed, at most. Default: all.
    """
    import pyarrow as pa

    failed = scan.pairs.filter(pa.array(np.isnan(scan.numbers("confidence"))))
    listed = failed.select(["x", "y", "message"]).slice(0, k).to_pylist()
    rows = tuple(
        (_shown(row["x"]), _shown(row["y"]), printable(row["message"] or "")) for row in listed
    )
    left = _left(failed.num_rows - len(listed))
    return Sheet("Pairs that could not be judged", ("x", "y", "problem"), rows, left)


def _shown(name: str) -> str:
    return printable(shortened(name))


def _left(number: int) -> tuple[str, ...]:
    return (f"And {number:,} more.",) if number else ()


def summary(scan: Scan) -> str:
    """What was judged and how much of it is dependent, in two sentences or three."""
    dependent = scan.numbers("q_value") <= DISCOVERED
    directed = dependent & (np.abs(scan.numbers("confidence")) > 0.0)
    judged = (
        f"{scan.method} judged {scan.n_judged:,} of {counted(len(scan), 'pair')} of "
        f"{counted(len(scan.names), 'column')} of {_shown(scan.label)} ({_rows_told(scan)})"
    )
    skipped = f"; {counted(len(scan.skipped), 'column')} could not be judged" * bool(scan.skipped)
    unfinished = "" if scan.complete else " The scan is not finished."
    return (
        f"{judged}{skipped}. At q <= {DISCOVERED:g}, "
        f"{counted(int(np.count_nonzero(dependent)), 'pair')} are dependent, "
        f"{int(np.count_nonzero(directed)):,} with a direction.{unfinished}"
    ).replace(" 1 pair are ", " 1 pair is ")


def _rows_told(scan: Scan) -> str:
    judged = ~np.isnan(scan.numbers("confidence"))
    counts = scan.numbers("n_rows")[judged].astype(np.int64)
    told = counted(scan.n_rows, "row")
    if not len(counts) or counts.min() == scan.n_rows:
        return told
    least, most = int(counts.min()), int(counts.max())
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{told}, of which a pair has {span}"


def facts_of(scan: Scan) -> dict[str, object]:
    """What is known of a scan as a whole, ready for JSON."""
    skipped = [
        {"name": one.name, "position": one.position, "problem": one.problem} for one in scan.skipped
    ]
    return {
        "summary": summary(scan),
        "table": scan.label,
        "method": scan.method,
        "n_rows": scan.n_rows,
        "n_columns": len(scan.names),
        "n_pairs": len(scan),
        "n_judged": scan.n_judged,
        "complete": scan.complete,
        "folder": None if scan.folder is None else str(scan.folder),
        "skipped": skipped,
    }


def cause_and_effect(row: Mapping[str, Any]) -> tuple[str, str]:
    """Names of a judged pair, the cause first; x first if it is undecided."""
    return (row["y"], row["x"]) if row["confidence"] < 0.0 else (row["x"], row["y"])


def counted(number: int, noun: str) -> str:
    """A number of things in words.

    Examples
    --------
    >>> counted(1, "pair"), counted(1000, "pair")
    ('1 pair', '1,000 pairs')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
