"""A scan for reading: its foremost pairs, and what could not be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bqcd.errors import printable
from bqcd.scans.answering import DEPENDENT, NO_PROBABILITY
from bqcd.scans.forms import cause_and_effect
from bqcd.scans.results import Scan
from bqcd.scans.rows import PairRows
from bqcd.scans.views import Order
from bqcd.show.chances import LEAST, probability_percent
from bqcd.show.sheets.sheet import Cell, Sheet, as_terminal
from bqcd.show.words import shown_name

_WITHOUT = (
    "Pairs that lean by the first method are not told where the second, which claims "
    "probabilities, was not asked."
)

_FEWER = {"probability": 2, "dependence": 2, "q": 3, "spearman": 2}

_LEAST = {"confidence": 0.0001, "q": LEAST}

SHORT_HEADS = {"probability": "prob.", "confidence": "conf.", "dependence": "dep."}
"""Heads of columns where there is little room."""


def pairs_sheet(scan: Scan, k: int, by: Order) -> Sheet:
    """The foremost pairs, the cause at the left.

    Parameters
    ----------
    scan : Scan
        What they are of.
    k : int
        How many, at most.
    by : {"probability", "confidence", "dependence", "p_value"}
        What they are ranked by.
    """
    return rows_sheet(scan.top(k, by=by))


def rows_sheet(found: PairRows) -> Sheet:
    """Rows of pairs, the cause at the left.

    Parameters
    ----------
    found : PairRows
        Rows of a scan.
    """
    rows = found.to_pylist()
    known = any(row["probability"] is not None for row in rows)
    unasked = any(row["limit"] == NO_PROBABILITY for row in rows)
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        cause, effect = map(shown_name, cause_and_effect(row))
        arrow = "--" if row["direction"] == "--" else "->"
        sure = (_told(row["probability"]),) if known else ()
        others = (row[name] for name in ("dependence", "q_value", "spearman", "n_rows"))
        cells.append((cause, arrow, effect, row["answer"], *sure, abs(row["confidence"]), *others))
    head = ["cause", "", "effect", "answer", *["probability"] * known]
    head += ["confidence", "dependence", "q", "spearman", "rows"]
    notes = (_bars_note(rows, found.least), *[_WITHOUT] * unasked) if rows else ()
    return Sheet(found.title, tuple(head), tuple(cells), notes, 4, _FEWER, _LEAST)


def _bars_note(rows: Sequence[Mapping[str, Any]], least: float) -> str:
    """Where a direction cannot be told: by probability, or by size where none is claimed."""
    claimed = any(row["probability"] is not None for row in rows)
    dependent = [row for row in rows if (row["q_value"] or 0.0) <= DEPENDENT]
    sizes = any(row["probability"] is None and row["limit"] != NO_PROBABILITY for row in dependent)
    bars = [f"where its probability is below {least:.0%}"] * claimed
    bars += ["where the confidence is within chance"] * (sizes or not claimed)
    return (
        f"The direction cannot be told {', '.join(bars)}, or where q, the share of false "
        "discoveries, leaves open whether the columns depend on each other at all."
    )


def _told(probability: float | None) -> float | None:
    return None if probability is None else probability_percent(probability) / 100.0


def rows_text(found: PairRows) -> str:
    """Rows of pairs as a terminal shows them, without colours.

    Parameters
    ----------
    found : PairRows
        Rows of a scan.
    """
    from io import StringIO

    from rich.console import Console

    width = 100
    console = Console(file=StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(as_terminal(rows_sheet(found), width))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


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
    rows = tuple((shown_name(one.name), printable(one.problem)) for one in listed)
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
        (shown_name(row["x"]), shown_name(row["y"]), printable(row["message"] or ""))
        for row in listed
    )
    left = _left(failed.num_rows - len(listed))
    return Sheet("Pairs that could not be judged", ("x", "y", "problem"), rows, left)


def _left(number: int) -> tuple[str, ...]:
    return (f"And {number:,} more.",) if number else ()
