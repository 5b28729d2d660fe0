"""A scan in words."""

from __future__ import annotations

import numpy as np

from bqcd.scans.results import Scan
from bqcd.show.words import counted, shown_name

DISCOVERED = 0.05
"""Share of false discoveries at which pairs count as dependent in a summary."""


def summary(scan: Scan) -> str:
    """What was judged and how much of it is dependent, in two sentences or three."""
    dependent = scan.numbers("q_value") <= DISCOVERED
    directed = dependent & (np.abs(scan.numbers("confidence")) > 0.0)
    judged = (
        f"{method_words(scan)} judged {scan.n_judged:,} of {counted(len(scan), 'pair')} of "
        f"{counted(len(scan.names), 'column')} of {shown_name(scan.label)} ({_rows_told(scan)})"
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


def method_words(scan: Scan) -> str:
    """What judged, with the settings that are not the usual ones."""
    listed = ", ".join(f"{name}={value!r}" for name, value in scan.settings.items())
    return f"{scan.method}({listed})" if listed else scan.method
