"""Sections of the page on trust: what was recorded, told in paragraphs, tables and pictures.

All sentences with figures are made from the recorded rows, so that they hold for other runs too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from assess_bounds import (
    Sections,
    coverage_section,
    nulls_section,
    power_section,
    size_section,
)
from assess_claims_page import claims_section, panel_calibration_section
from assess_inputs import InputsRow
from assess_kept import kept_section
from assess_markdown import listed, markdown_table, paragraph, percent, span
from assess_records import Table
from assess_reliability import calibration_section, decision_section, held_out_section
from assess_series import SeriesRow
from assess_time import TimeRow
from contamination import METHODS, ContaminationRow


def page_of(tables: Mapping[str, Table[Any] | None]) -> tuple[str, dict[str, str]]:
    """Page and pictures; parts that were not recorded are left out."""
    recorded = {name: table for name, table in tables.items() if table is not None}
    blocks = _opening()
    pictures: dict[str, str] = {}
    for name, section in SECTIONS.items():
        if name in recorded:
            more, drawn = section(recorded[name])
            blocks += more
            pictures |= drawn
    return "\n\n".join([*blocks, *_runs(recorded)]) + "\n", pictures


def _opening() -> list[str]:
    return [
        "<!-- Made by benchmarks/assess_page.py from benchmarks/results/assess_*.json: "
        "change those, not this page. -->",
        "# How far an answer may be trusted: the figures",
        paragraph(
            "`bqcd.assess` says how steady, how significant and how likely right a direction is.",
            "This page measures whether these numbers mean what they say: on simulated pairs, "
            "whose truth is known, and on the published benchmarks.",
            "It says as well where they do not.",
        ),
        paragraph(
            "All figures come from this package and one command,",
            "`python benchmarks/assess_page.py --out docs/trust.md`.",
            "Seeds and numbers of samples are [at the end](#what-was-run).",
            "Shares have the errors of their samples: of 100 pairs, up to 10 percentage points "
            "either way (95 %).",
        ),
    ]


def _contamination(table: Table[ContaminationRow]) -> Sections:
    plan = table.plan
    worst = min((row for row in table.rows if row.method == "bqcd"), key=lambda row: row.accuracy)
    blocks = [
        "## Gross errors in some rows",
        paragraph(
            "Some rows get errors of "
            f"{plan['size']:g} standard deviations; the rest is left alone. The same "
            f"{plan['pairs']} simulated pairs of {plan['rows']} rows for each mechanism, share and "
            "method, all methods with their defaults. An undecided pair counts one half, which is "
            "what a coin would get.",
        ),
        paragraph(
            "A gross error can move a rank only so far, but it blurs the column it is in: "
            f"with {percent(worst.share)} of errors, bQCD has {_by_columns(table.rows, worst)}.",
            f"Its worst is {worst.pairs} with errors in the {worst.columns}: "
            f"{worst.accuracy:.2f} right"
            + (", less than a coin's half." if worst.accuracy < 0.5 else "."),
            "IGCI and LiNGAM look at the shape of the columns, and tend to take one with outliers "
            "for the effect: compare errors in the effect with errors in the cause before reading "
            "their figures as robustness.",
        ),
    ]
    for columns, cells in groupby(table.rows, lambda row: row.columns):
        words = "in both columns" if columns == "both" else f"in the {columns} only"
        blocks += [f"### Errors {words}", *_contamination_table(list(cells))]
    return blocks, {}


def _by_columns(rows: Sequence[ContaminationRow], like: ContaminationRow) -> str:
    """Mean accuracy of a method at one share of errors, by where they are."""
    told = []
    for columns, cells in groupby(rows, lambda row: row.columns):
        found = [c.accuracy for c in cells if (c.method, c.share) == (like.method, like.share)]
        where = "both columns" if columns == "both" else f"the {columns}"
        told.append(f"{np.mean(found):.2f} right if they are in {where}")
    return listed(told)


def _contamination_table(rows: Sequence[ContaminationRow]) -> list[str]:
    found = {(row.pairs, row.share, row.method): row.accuracy for row in rows}
    bases = list(dict.fromkeys(row.pairs for row in rows))
    shares = list(dict.fromkeys(row.share for row in rows))
    for share in shares:
        for method in METHODS:
            figures = [found[base, share, method] for base in bases]
            found["mean", share, method] = float(np.mean(figures))
    most = shares[-1]
    told = [
        f"{each} {found['mean', 0.0, each]:.2f} and {found['mean', most, each]:.2f}"
        for each in METHODS
    ]
    lines = [
        (base, percent(share), *(f"{found[base, share, method]:.2f}" for method in METHODS))
        for base in (*bases, "mean")
        for share in shares
    ]
    return [
        paragraph(f"Mean accuracy without errors and with {percent(most)}: {'; '.join(told)}."),
        markdown_table(("pairs", "rows with errors", *METHODS), lines, texts=2),
    ]


def _inputs(table: Table[InputsRow]) -> Sections:
    kinds = {
        name.replace("%", " %"): list(rows)
        for name, rows in groupby(table.rows, lambda row: row.kind)
    }
    return [
        "## Columns as they come",
        paragraph(
            f"The same {table.plan['pairs']} simulated pairs of {table.plan['rows']} rows for each "
            "of three mechanisms, clean and with cause, effect or both made ordinal (grades with "
            "equally many rows), zero-inflated (all below a quantile set to it), rounded, or "
            "heaped (seven values of ten rounded to a standard deviation).",
            "Share right by mechanism; mean over all of them; the probability claimed on average; "
            "how many are significant at 0.05, and how many of these are wrong.",
        ),
        paragraph(*_inputs_findings(kinds)),
        markdown_table(
            ("columns", *(row.pairs for row in kinds["clean"]), "mean", "claimed", "significant",
             "wrong"),
            [_inputs_line(name, rows) for name, rows in kinds.items()],
        ),
    ], {}  # fmt: skip


def _inputs_findings(kinds: Mapping[str, Sequence[InputsRow]]) -> list[str]:
    mean = {name: float(np.mean([row.accuracy for row in rows])) for name, rows in kinds.items()}
    claimed = {name: float(np.mean([row.claimed for row in rows])) for name, rows in kinds.items()}
    parts = {
        part: float(np.mean([mean[name] for name in kinds if name.endswith(part)]))
        for part in ("cause", "effect", "both")
    }
    worst = min(kinds, key=lambda name: min(row.accuracy for row in kinds[name]))
    cell = min(kinds[worst], key=lambda row: row.accuracy)
    over = [f"{name} ({claimed[name]:.2f})" for name in kinds if claimed[name] - mean[name] > 0.05]
    wrong = {name: sum(row.wrong for row in rows) for name, rows in kinds.items()}
    told = [
        f"{name} ({count} of {sum(row.significant for row in kinds[name])})"
        for name, count in wrong.items()
        if count
    ]
    return [
        f"Right are {mean['clean']:.2f} of the clean pairs, {parts['cause']:.2f} where only the "
        f"cause was changed, {parts['effect']:.2f} where only the effect was, and "
        f"{parts['both']:.2f} where both were.",
        f'Worst is "{worst}" for {cell.pairs}: {cell.accuracy:.2f} right'
        + (", less than a coin's half." if cell.accuracy < 0.5 else "."),
        f"Significant directions are wrong in: {listed(told)}." if told else "",
        f"The probability promises too much, by more than 0.05, for {listed(over)}."
        if over
        else "The probability promises too much, by more than 0.05, for none of these.",
        "`assess` says in its notes if more than half of the values of a column are ties.",
    ]


def _inputs_line(name: str, rows: Sequence[InputsRow]) -> tuple[str, ...]:
    accuracies = [row.accuracy for row in rows]
    return (
        name,
        *(f"{each:.2f}" for each in accuracies),
        f"{np.mean(accuracies):.2f}",
        f"{np.mean([row.claimed for row in rows]):.2f}",
        str(sum(row.significant for row in rows)),
        str(sum(row.wrong for row in rows)),
    )


def _series(table: Table[SeriesRow]) -> Sections:
    rows = table.rows
    unrelated = [row for row in rows if row.kind == "unrelated"]
    strong = [row for row in rows if row.autocorrelation > 0.5]
    weak = [row for row in rows if row.autocorrelation < 0.5]
    return [
        "## Rows that depend on the row before",
        paragraph(
            f"Gaussian series of {table.plan['rows']:,} rows, {table.plan['pairs']} pairs a line: "
            "each row is r times the row before, plus noise. Unrelated series do not depend on "
            "each other; linear ones do, without a direction that could be known; the curve has "
            "one, and its right share tells how often it is found.",
        ),
        paragraph(
            "The test of dependence counts the rows that these are worth. It rejects "
            f"{percent(unrelated[0].dependent)} of unrelated columns with independent rows, and "
            f"{percent(unrelated[-1].dependent)} with r = {unrelated[-1].autocorrelation:g}.",
            f"`assess` warns of {span([100 * row.warned for row in strong], 0)} % of the pairs "
            f"with r above 0.5, and of {span([100 * row.warned for row in weak], 0)} % of those "
            "with r below; rows worth is the median of the effective number it tells.",
        ),
        markdown_table(
            ("pairs", "r", "warned", "rows worth", "dependent, 0.05", "p_bound ≤ 0.05", "right"),
            [
                (
                    row.kind, f"{row.autocorrelation:g}", percent(row.warned),
                    f"{row.effective_rows:,.0f}", percent(row.dependent), percent(row.significant),
                    percent(row.right) if row.kind == "curve" else "",
                )
                for row in rows
            ],
        ),
    ], {}  # fmt: skip


def _time(table: Table[TimeRow]) -> Sections:
    rows = table.rows
    usual = [row.assess for row in rows if row.n_rows == 1000]
    return [
        "## Time",
        paragraph(
            f"CPU time of one verdict and of one assessment by bQCD with {table.plan['halves']} "
            "halves, on one core; the shortest of some rounds. The panel is asked on 20 halves, "
            "which takes a second or two.",
            "Compare the ratios: times are those of the machine of the run.",
            f"At 1,000 rows an assessment takes {span(usual)} s." if usual else "",
            "With ties the verdict itself is a mean over orders of the ties, so that the ratio is "
            "lower.",
            "A half has 20,000 rows at most, so that from 40,000 rows on only verdict, ranks and "
            "the test of dependence take longer.",
        ),
        markdown_table(
            ("rows", "ties", "verdict, ms", "assessment, ms", "ratio"),
            [
                (
                    f"{row.n_rows:,}", row.ties, f"{1e3 * row.decide:.1f}",
                    f"{1e3 * row.assess:,.0f}", f"{row.assess / row.decide:.0f}",
                )
                for row in rows
            ],
            texts=2,
        ),
    ], {}  # fmt: skip


def _runs(recorded: Mapping[str, Table[Any]]) -> list[str]:
    lines = []
    for name, table in recorded.items():
        plan = "; ".join(f"{key} {_told(key, value)}" for key, value in table.plan.items())
        lines.append((f"`assess_{name}.json`", table.version, plan, f"{table.seconds:,.0f}"))
    total = sum(table.seconds for table in recorded.values())
    return [
        "## What was run",
        paragraph(
            "Each file in `benchmarks/results` is one run, with the version of bqcd, the plan it "
            "followed and its CPU seconds on one core,",
            f"{total / 60:.0f} minutes in all.",
            "Coverage seeds its samples by their number, the probability was learned from pairs of "
            "seed 1.",
        ),
        markdown_table(("file", "version", "plan", "CPU s"), lines, texts=3),
    ]


def _told(key: str, value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "all" if key == "pairs" and value == 0 else str(value)


SECTIONS: Mapping[str, Callable[[Table[Any]], Sections]] = {
    "claims": claims_section,
    "calibration": panel_calibration_section,
    "kept": kept_section,
    "size": size_section,
    "nulls": nulls_section,
    "power": power_section,
    "coverage": coverage_section,
    "held_out": held_out_section,
    "benchmarks": lambda table: _joined(calibration_section(table), decision_section(table)),
    "contamination": _contamination,
    "inputs": _inputs,
    "series": _series,
    "time": _time,
}


def _joined(first: Sections, second: Sections) -> Sections:
    return first[0] + second[0], first[1] | second[1]
