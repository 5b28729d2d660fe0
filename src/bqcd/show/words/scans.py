"""A scan in words."""

from __future__ import annotations

import numpy as np

from bqcd.scans.answering import DEPENDENT
from bqcd.scans.results import Scan
from bqcd.show.words import counted, joined, shown_name

DISCOVERED = DEPENDENT
"""Share of false discoveries at which pairs count as dependent in a summary."""


def summary(scan: Scan) -> str:
    """How many pairs have a direction worth a look, and what was judged."""
    told = outcome(scan.count("clear"), scan.count("leaning"), scan.n_judged)
    return joined(told, judged(scan))


def outcome(clear: int, leaning: int, of: int) -> str:
    """How many pairs have which answer.

    Parameters
    ----------
    clear, leaning : int
        Pairs with these answers.
    of : int
        Pairs in all.

    Examples
    --------
    >>> outcome(3, 4, 15)
    '3 of 15 pairs have a clear direction, 4 lean, 8 cannot be told.'
    """
    if not of:
        return "No pair was judged."
    whole, lean = counted(of, "pair"), "leans" if leaning == 1 else "lean"
    if clear:
        have = "has" if clear == 1 else "have"
        start = f"{clear:,} of {whole} {have} a clear direction, {leaning:,} {lean}"
    elif leaning:
        start = f"{leaning:,} of {whole} {lean} towards a direction, none is clear"
    else:
        return f"None of {whole} has a direction that can be told."
    return f"{start}, {of - clear - leaning:,} cannot be told."


def judged(scan: Scan) -> str:
    """What was judged, by whom, and how much of it is dependent."""
    unfinished = "" if scan.complete else " The scan is not finished."
    dependent = int(np.count_nonzero(scan.numbers("q_value") <= DISCOVERED))
    skipped = f"; {counted(len(scan.skipped), 'column')} could not be judged" * bool(scan.skipped)
    second = "" if scan.then is None else f", then {method_words(scan.then)} on {len(scan.then):,}"
    return (
        f"Judged by {method_words(scan)}{second}: {scan.n_judged:,} of "
        f"{counted(len(scan), 'pair')} of {counted(len(scan.names), 'column')} of "
        f"{shown_name(scan.label)} ({_rows_told(scan)}), {dependent:,} dependent at q <= "
        f"{DISCOVERED:g}{skipped}.{unfinished}"
    )


def _rows_told(scan: Scan) -> str:
    judged = ~np.isnan(scan.numbers("confidence"))
    counts = scan.numbers("n_rows")[judged].astype(np.int64)
    told = counted(scan.n_rows, "row")
    if not len(counts) or counts.min() == scan.n_rows:
        return told
    least, most = int(counts.min()), int(counts.max())
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{told}, of which a pair has {span}"


def method_words(scan: Scan) -> str:
    """What judged, with the settings that are not the usual ones."""
    listed = ", ".join(f"{name}={value!r}" for name, value in scan.settings.items())
    return f"{scan.method}({listed})" if listed else scan.method
