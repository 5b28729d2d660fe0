"""Whether bound and interval of the page on trust hold: paragraphs and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from assess_coverage import CoverageRow
from assess_markdown import listed, markdown_table, paragraph, percent, span
from assess_nulls import GRIDS, TOGETHER, UNSEEN, NullsRow
from assess_records import Table
from assess_size import PowerRow, SizeRow
from scipy.stats import binom

Sections = tuple[list[str], dict[str, str]]
"""Blocks of Markdown, and pictures by the name of their file."""


def size_section(table: Table[SizeRow]) -> Sections:
    """How often the bound rejects where the direction cannot be known."""
    rows = table.rows
    worst = max(rows, key=lambda row: row.bound_05)
    raw = max(rows, key=lambda row: row.raw_05)
    beyond = [f"{row.kind} at {row.n_rows:,} rows" for row in rows if _too_many(row)]
    most = max(row.n_rows for row in rows)
    large = [row for row in rows if row.n_rows == most]
    pooled = [
        sum(getattr(row, name) * row.pairs for row in large) / sum(row.pairs for row in large)
        for name in ("bound_05", "bound_01")
    ]
    return [
        "## Significance: how often the bound rejects where it should not",
        paragraph(
            "Linear Gaussian pairs and independent columns look the same from both sides: nobody "
            "can know a direction, and a verdict on them is chance.",
            "`p_bound` must be at most 0.05 in no more than 5 % of them, and at most 0.01 in no "
            "more than 1 %, also if columns are rounded, which favours one side.",
            "Next to it is exp(-gap), the no-hypercompression inequality applied as if the codes "
            "had been fixed before the data were seen, which they are not.",
        ),
        paragraph(
            f"The largest share at 0.05 is {percent(worst.bound_05)} ({worst.kind}, "
            f"{worst.n_rows:,} rows, {round(worst.bound_05 * worst.pairs)} of {worst.pairs}).",
            f"Of all pairs of {most:,} rows, {percent(pooled[0])} are at most 0.05 and "
            f"{percent(pooled[1])} at most 0.01.",
            f"Too many, by more than chance: {listed(beyond)}." if beyond else
            "No share exceeds its level by more than chance (exact binomial test, 5 %).",
            "The bound is cautious: it is not a p-value, and calls less significant than one "
            "might.",
            "Taken alone, exp(-gap) would not hold: it is at most 0.05 in "
            f"{percent(raw.raw_05)} of the pairs {raw.kind} at {raw.n_rows:,} rows."
            if raw.raw_05 > 0.05 else "",
        ),
        *_size_table(rows),
    ], {}  # fmt: skip


def _too_many(row: SizeRow) -> bool:
    """Whether so many rejections, or more, would come about in fewer than 1 of 20 such lines."""
    counts = ((row.bound_05, 0.05), (row.bound_01, 0.01))
    return any(binom.sf(round(share * row.pairs) - 1, row.pairs, p) < 0.05 for share, p in counts)


def _size_table(rows: Sequence[SizeRow]) -> list[str]:
    sizes = list(dict.fromkeys(row.n_rows for row in rows))
    shown = {"p_bound ≤ 0.05": "bound_05", "≤ 0.01": "bound_01", "exp(-gap) ≤ 0.05": "raw_05"}
    found = {(row.kind, row.n_rows): row for row in rows}
    return [
        paragraph(
            f"Numbers of pairs drawn: {span([row.pairs for row in rows if not row.ties], 0)} a "
            f"line as they are, {span([row.pairs for row in rows if row.ties], 0)} rounded, fewer "
            "with more rows. Coarse is rounding to a standard deviation, fine or rounded to half "
            "of one, cut at 0 means half of the rows are 0. Columns: share at most 0.05 or 0.01 by "
            "number of rows.",
        ),
        markdown_table(
            ("pairs", *(f"{name}: {n:,}" for name in shown for n in sizes)),
            [
                (
                    kind,
                    *(percent(getattr(found[kind, n], at)) for at in shown.values() for n in sizes),
                )
                for kind in dict.fromkeys(row.kind for row in rows)
            ],
        ),
    ]


def nulls_section(table: Table[NullsRow]) -> Sections:
    """Bound and interval where grids and dependent rows break their premises."""
    held = [row for row in table.rows if row.group != UNSEEN]
    beyond = [f"{row.kind} at {row.n_rows:,} rows" for row in held if _null_too_often(row)]
    worst, least = max(held, key=lambda row: row.bound), min(held, key=lambda row: row.covered)
    blocks = [
        "### Grids, copies, units, series",
        paragraph(
            "Pairs that look the same from both sides before their columns are put into grades or "
            "their rows are repeated, most of other shapes than linear Gaussian: no direction "
            "exists.",
            "A column that is coarser than the other favours one direction, so both are brought to "
            "one grid before they are asked; rows that depend on each other are drawn together.",
            f"The largest share at 0.05 is {percent(worst.bound)} ({worst.kind}, "
            f"{worst.n_rows:,} rows, {round(worst.bound * worst.pairs)} of {worst.pairs}).",
            f"Too many, by more than chance: {listed(beyond)}." if beyond else
            "No share exceeds its level by more than chance (exact binomial test, 5 %).",
            f"Intervals contain the mean score of their line in {percent(least.covered)} of the "
            f"pairs at least ({least.kind}, {least.n_rows:,} rows).",
        ),
        _nulls_table([row for row in held if row.group == GRIDS], units=False),
        paragraph(
            "Rows that belong together, told by `units=` or found: copies, rows that lie beside "
            "each other, rows that depend on the rows before them. Units is the share of pairs in "
            "which some were known; worth is the median number of independent rows that tell the "
            "confidence as well.",
        ),
        _nulls_table([row for row in held if row.group == TOGETHER], units=True),
        paragraph(
            "**What cannot be seen.** Units that overlap, in no order, look like a smooth "
            "distribution of single rows: twenty groups of width 0.2 have one to six peaks that "
            "stand out, two in the median. The bound does not hold for them unless `units=`, "
            "`--units` or another column of the table tells which rows belong together:",
        ),
        _nulls_table([row for row in table.rows if row.group == UNSEEN], units=True),
    ]  # fmt: skip
    return blocks, {}


def _null_too_often(row: NullsRow) -> bool:
    return bool(binom.sf(round(row.bound * row.pairs) - 1, row.pairs, 0.05) < 0.05)


def _nulls_table(rows: Sequence[NullsRow], *, units: bool) -> str:
    sizes = list(dict.fromkeys(row.n_rows for row in rows))
    found = {(row.kind, row.n_rows): row for row in rows}
    words = {"p_bound ≤ 0.05": "bound", "covered": "covered"}
    if units:
        words |= {"units": "noticed"}
    lines = []
    for kind in dict.fromkeys(row.kind for row in rows):
        of_it = [found[kind, n] for n in sizes]
        shares = (percent(getattr(row, name)) for name in words.values() for row in of_it)
        worth = (f"{row.worth:,.0f}" for row in of_it) if units else ()
        lines.append((kind, *shares, *worth))
    head = [f"{word}: {n:,}" for word in (*words, *(["worth"] if units else [])) for n in sizes]
    return markdown_table(("pairs", *head), lines)


def power_section(table: Table[PowerRow]) -> Sections:
    """How often the bound rejects where the direction is known, and is wrong then."""
    rows = table.rows
    wrong: dict[str, list[int]] = {}
    for row in rows:
        counts = wrong.setdefault(row.scenario, [0, 0])
        counts[0] += row.wrong_05
        counts[1] += row.significant_05
    bad = max(wrong, key=lambda name: wrong[name][0] / max(1, wrong[name][1]))
    return [
        "### What significance finds, and what it cannot rule out",
        paragraph(
            "The same bound on simulated pairs with a known direction.",
            "More rows make more of them significant.",
            "Significance rules out chance, not a mechanism that bQCD misreads: of "
            f"{bad} pairs, {wrong[bad][0]} of {wrong[bad][1]} significant directions are wrong, "
            "all numbers of rows together.",
            "Columns of counts give the number significant, and how many of these are wrong.",
        ),
        markdown_table(
            ("pairs", "rows", "drawn", "right", "p_bound ≤ 0.05", "wrong", "≤ 0.01", "wrong"),
            [
                (
                    row.scenario, f"{row.n_rows:,}", str(row.pairs), percent(row.accuracy),
                    str(row.significant_05), str(row.wrong_05),
                    str(row.significant_01), str(row.wrong_01),
                )
                for row in rows
            ],
        ),
    ], {}  # fmt: skip


def coverage_section(table: Table[CoverageRow]) -> Sections:
    """How often the interval contains the expected score."""
    rows, samples = table.rows, table.plan["samples"]
    told = []
    for ties, name in ((False, "without ties"), (True, "with ties")):
        shares = [row.covered for row in rows if row.ties is ties]
        told.append(
            f"{name}, {percent(float(np.mean(shares)))} on average and {percent(min(shares))} "
            "at least"
        )
    least = min(rows, key=lambda row: row.covered)
    error = np.sqrt(0.95 * 0.05 / samples)
    wide = float(np.median([row.width for row in rows]))
    return [
        "## Interval: how often it contains the expected score",
        paragraph(
            "Fresh samples of each mechanism give the score expected at so many rows; others give "
            "intervals at level 0.95. Covered is the share of these that contain it, with a "
            f"standard error of {percent(float(error))}.",
            "Width is that of the interval in units of the right one, which is 2 x 1.96 standard "
            "deviations of the score.",
        ),
        paragraph(
            f"Covered are, {'; '.join(told)}.",
            f"The least is for {least.mechanism} at {least.n_rows:,} rows.",
            f"In the middle of all lines an interval is {wide:.2f} times as wide as it should be.",
            "Intervals are for the score, not the direction: a steady score may be steadily wrong.",
        ),
        _coverage_table(rows),
    ], {}


def _coverage_table(rows: Sequence[CoverageRow]) -> str:
    sizes = list(dict.fromkeys(row.n_rows for row in rows))
    found = {(row.mechanism, row.n_rows): row for row in rows}
    lines = []
    for name in dict.fromkeys(row.mechanism for row in rows):
        of_it = [found[name, n] for n in sizes]
        covered = (percent(row.covered) for row in of_it)
        lines.append((name, *covered, *(f"{row.width:.2f}" for row in of_it)))
    head = (f"{word}, {n:,} rows" for word in ("covered", "width") for n in sizes)
    return markdown_table(("mechanism", *head), lines)
