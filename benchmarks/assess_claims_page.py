"""The section on what the panel claims: by bars, by set, and where there is nothing to find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assess_claims import COMMON, EDGES, CalibrationRow, ClaimsRow
from assess_markdown import markdown_table, paragraph, percent
from assess_records import Table

from bqcd.methods.answers import BARS

Sections = tuple[list[str], dict[str, str]]


def claims_section(table: Table[ClaimsRow]) -> Sections:
    """Claimed against right, the gain of abstaining, and pairs without a direction."""
    rows = table.rows
    known = [row for row in rows if row.right >= 0.0]
    absent = [row for row in rows if row.right < 0.0]
    return [
        "## The panel: claimed and right",
        paragraph(
            "`assess`, `report` and `explore` ask the panel, whose probability is learned from "
            "simulated pairs alone.",
            "Below, directions are gathered by what was claimed of them. The benchmark files were "
            "looked at once with these weights, which is written down in `benchmarks/panel/"
            "LOOKS.md`; the real pairs were chosen before any method saw them.",
        ),
        _bar_table(known),
        paragraph(*_told_sentence(known)),
        "### What abstaining gains",
        paragraph(
            f"An answer is clear from a probability of {BARS.clear:g} on, leaning from "
            f"{BARS.leaning:g}; below, it cannot be told. Shares of all pairs, and right among "
            "those.",
        ),
        _answer_table(known),
        "### Where there is nothing to find",
        paragraph(
            "Pairs that share hidden causes and nothing else, and pairs without any link. The "
            "first are of families that the panel knows as such, under numbers it has not learned "
            f"from; of the tables with {table.plan['causes']} hidden causes and "
            f"{table.plan['columns']} columns, {table.plan['dependent']} dependent pairs are drawn "
            "(q ≤ 0.05). No direction is right there, so that none should be told.",
        ),
        _absent_table(absent),
        paragraph(
            "Columns without a link are refused by the test of dependence before their direction "
            "is asked for.",
            "A hidden common cause is not: two columns cannot rule it out. Other columns of the "
            "table can, where they have the cause in common: what `assess` and `scan` leave of "
            "such claims is [measured too](problems.md#hidden-common-causes).",
        ),
    ], {}


def panel_calibration_section(table: Table[CalibrationRow]) -> Sections:
    """Error of calibration of each set beside what chance makes of it."""
    lines = [
        (
            row.source,
            str(row.pairs),
            f"{row.claimed:.2f}",
            f"{row.right:.2f}",
            f"{row.error:.3f}",
            f"{row.error_by_chance:.3f}",
            f"{row.surer_half:.2f}",
        )
        for row in table.rows
    ]
    return [
        "## The panel: calibration",
        paragraph(
            "The expected calibration error (ECE) is the mean distance between claimed and right "
            "in bars of 0.1. It cannot be 0 where pairs are few: beside it is what it would be on "
            "average if every probability were exactly true. An error above that by far is one of "
            "the panel; on the simulated sets it comes from claiming too little, as claimed and "
            "right show. Pairs of more than 2,000 rows are judged on rows drawn at random, and "
            "what is told of Tübingen depends on the draw; `Panel(draws=…)` takes the mean of "
            "several. These were kind ones: [](panel.md#evidence) has twenty.",
        ),
        markdown_table(
            ("", "pairs", "claimed", "right", "ECE", "ECE by chance", "surer half right"), lines
        ),
    ], {}


def _sources(rows: Iterable[ClaimsRow]) -> dict[str, list[ClaimsRow]]:
    found: dict[str, list[ClaimsRow]] = {}
    for row in rows:
        found.setdefault(row.source, []).append(row)
    return found


def _bar_table(rows: Sequence[ClaimsRow]) -> str:
    """Share right in every bar, and of how many pairs."""
    highs = (*(f"{edge:g}" for edge in EDGES[1:]), "1")
    head = ("", *(f"{low:g} to {high}" for low, high in zip(EDGES, highs, strict=True)))
    lines = []
    for source, bars in _sources(rows).items():
        by_low = {row.low: row for row in bars}
        cells = [
            f"{by_low[low].right:.2f} of {by_low[low].pairs}" if low in by_low else ""
            for low in EDGES
        ]
        lines.append((source, *cells))
    return markdown_table(head, lines)


def _share(rows: Sequence[ClaimsRow]) -> float:
    return sum(row.weight * row.right for row in rows) / sum(row.weight for row in rows)


def _told_sentence(rows: Sequence[ClaimsRow]) -> Iterable[str]:
    """What each answer was worth on real data, in a sentence."""
    for source in ("tuebingen", "real pairs"):
        mine = [row for row in rows if row.source == source]
        for answer, low, high in (
            ("clear", BARS.clear, 1.0),
            ("leaning", BARS.leaning, BARS.clear),
        ):
            bars = [row for row in mine if low <= row.low < high]
            if bars:
                count = sum(row.pairs for row in bars)
                yield f"{source}: {count} {answer}, {percent(_share(bars))} of them right."


def _answer_table(rows: Sequence[ClaimsRow]) -> str:
    lines = []
    for source, bars in _sources(rows).items():
        total = sum(row.weight for row in bars)
        cells = [f"{_share(bars):.2f}"]
        for low in (BARS.leaning, BARS.clear):
            told = [row for row in bars if row.low >= low]
            share = sum(row.weight for row in told) / total
            cells += [percent(share), f"{_share(told):.2f}" if told else ""]
        lines.append((source, *cells))
    head = ("", "all, right", "leaning or clear", "right", "clear", "right")
    return markdown_table(head, lines)


def _absent_table(rows: Sequence[ClaimsRow]) -> str:
    lines = []
    for source, bars in _sources(rows).items():
        total = sum(row.pairs for row in bars)
        leaning = sum(row.pairs for row in bars if BARS.leaning <= row.low < BARS.clear)
        clear = sum(row.pairs for row in bars if row.low >= BARS.clear)
        mean = sum(row.pairs * row.claimed for row in bars) / total
        kind = "common cause" if bars[0].kind == COMMON else "no link"
        lines.append(
            (source, kind, f"{total}", f"{mean:.2f}", percent(leaning / total),
             percent(clear / total))
        )  # fmt: skip
    head = ("pairs", "linked by", "number", "mean claimed", "leaning", "clear")
    return markdown_table(head, lines, texts=2)
