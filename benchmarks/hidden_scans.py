"""Whole scans of tables with nothing but hidden common causes: no answer is right.

A table is scanned as ``bqcd scan`` does if nothing else is said: every pair by bqcd, then the
dependent ones of largest confidence by the panel. Answers are counted over all dependent pairs, of
which those beyond the budget have no probability and count as what the scan says of them, and over
the pairs that the panel was asked about. What bqcd alone would say is counted as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy.stats import binomtest, t

from benchmarks.hidden_causes import SHAPES, hidden
from bqcd import Scan, scan
from bqcd.scans.answering import DEPENDENT

KINDS = (*SHAPES, "mixed")
ROWS = (500, 20_000)
BUDGET = 200
"""Pairs that the command asks the panel about, at most."""

Record = Mapping[str, Any]


def measured(kind: str, rows: int, number: int) -> dict[str, Any]:
    """Answers of the scan of one table: how many there are of each, of which pairs."""
    rng = default_rng([crc32(f"scan, {kind}".encode()), rows, number])
    with np.errstate(all="ignore"):
        table = hidden(kind, rows, rng)
    found = scan(table, then="panel", then_pairs=BUDGET)
    dependent = found.numbers("q_value") <= DEPENDENT
    asked = ~np.isnan(found.numbers("probability"))
    told: dict[str, Any] = {"tables": kind, "rows": rows, "number": number}
    answers = _answers(found)
    told["alone_leaning"] = int((_answers(replace(found, then=None))[dependent] == "leaning").sum())
    for name, chosen in (("dependent", dependent), ("asked", dependent & asked)):
        counts = Counter(answers[chosen])
        told[name] = int(chosen.sum())
        told |= {f"{name}_{answer}": counts[answer] for answer in ("clear", "leaning")}
    return told


def _answers(found: Scan) -> NDArray[np.object_]:
    return np.array(found.table["answer"].to_pylist(), dtype=object)


def cells(tables: int) -> Iterator[tuple[str, int, int]]:
    """Kinds, rows and numbers of the tables: of long ones half as many, as they take longer."""
    for kind in KINDS:
        for rows, count in zip(ROWS, (tables, (tables + 1) // 2), strict=True):
            for number in range(count):
                yield kind, rows, number


def share_of(found: Sequence[Record], pairs: str, answer: str) -> tuple[float, float, float]:
    """Share of an answer among pairs of some tables, and its 95 % interval.

    Pairs of a table have columns in common. The interval is that of a ratio estimated by tables,
    with Student's quantile, or the exact binomial one where that is wider.
    """
    counts = np.array([[row[pairs], row[f"{pairs}_{answer}"]] for row in found], dtype=np.float64)
    total, told = counts.sum(axis=0)
    share = told / total
    exact = binomtest(int(told), int(total)).proportion_ci()
    if len(counts) < 2:
        return share, exact.low, exact.high
    apart = counts[:, 1] - share * counts[:, 0]
    error = sqrt(len(counts) / (len(counts) - 1) * float(apart @ apart)) / total
    reach = float(t.ppf(0.975, len(counts) - 1)) * error
    return share, min(exact.low, max(0.0, share - reach)), max(exact.high, share + reach)
