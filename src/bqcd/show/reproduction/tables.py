"""The paper's tables, computed anew and set beside the printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bqcd.benchmark import contender
from bqcd.benchmark.summary import Answers
from bqcd.methods.table import COMPARED
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.differences import DIFFERENCES
from bqcd.show.reproduction.products import Key, Product, beside, differences
from bqcd.show.reproduction.rows import (
    BQCD_ROW,
    Row,
    accuracy_rows,
    level_rows,
    spec_of,
    specs_by_repeats,
    tie_draws,
)
from bqcd.show.reproduction.workshop import MAIN, Workshop, is_costly
from bqcd.show.sheets import Cell, Sheet, duration
from bqcd.show.words.methods import table_notes

COLUMNS = (*paper.BENCHMARKS, paper.WEIGHTED)


def accuracies(workshop: Workshop, rows: Sequence[Row]) -> dict[Key, float]:
    """Accuracy of each row on each benchmark, on the Tübingen pairs also weighted.

    Parameters
    ----------
    workshop : Workshop
        Where answers come from.
    rows : sequence of Row
        Who answers.
    """
    found: dict[tuple[str, str], Answers] = {}
    for repeats, specs in specs_by_repeats(rows, real=False).items():
        found |= workshop.on_simulated(specs, repeats=repeats)
    for repeats, specs in specs_by_repeats(rows, real=True).items():
        found |= workshop.on_real(specs, repeats=repeats)
    cells: dict[Key, float] = {}
    for row in rows:
        for column in paper.SIMULATED:
            cells[row.label, column] = found[row.simulated, column].mean("accuracy")
        pairs = found[row.real, "tuebingen"]
        cells[row.label, "tuebingen"] = pairs.mean("accuracy", weighted=False)
        cells[row.label, paper.WEIGHTED] = pairs.mean("accuracy")
    return cells


def accuracy_table(workshop: Workshop) -> Product:
    """Accuracy of all methods on all benchmarks."""
    rows = accuracy_rows(workshop)
    ours = accuracies(workshop, rows)
    sheet = beside(
        "Accuracy on simulated and real data",
        COLUMNS,
        ours,
        _printed(rows),
        _reasons(rows, COLUMNS),
        _origins(rows),
    )
    notes = [ties_note(ours, tie_draws(workshop)), *method_notes(rows)]
    costly = [row.method for row in rows if is_costly(row.method)]
    if workshop.pairs is not None and costly:
        notes.append(f"On {workshop.pairs} pairs of each simulated benchmark: {', '.join(costly)}.")
    return Product((_with_left_out(_noted(sheet, *notes), workshop),))


def ties_note(ours: Mapping[Key, float], draws: int, column: str = paper.WEIGHTED) -> str:
    """Why bQCD has three weighted accuracies on the Tübingen pairs."""
    own, published, drawn = (
        ours[f"{BQCD_ROW}{order}", column]
        for order in ("", ", ties as published", f", mean of {draws} random orders of ties")
    )
    return (
        "Most Tübingen pairs have ties, and bQCD's weighted accuracy there depends on their order: "
        f"{own:.2f} as it comes, from confidences averaged over fixed orders; {drawn:.2f} on "
        f"average over {draws} random orders (0.75 over 30 in the main text); {published:.2f} in "
        "the one order behind the paper's large table (0.77), R's generator with seed 0."
    )


def method_notes(rows: Sequence[Row]) -> Iterator[str]:
    """Which defaults were chosen on benchmark files."""
    found = [contender(row.simulated) for row in rows if row.method != "bqcd"]
    return table_notes((one.name, one.settings) for one in found)


def ties_notes(specs: Sequence[str]) -> Iterator[str]:
    """In what order bQCD breaks ties in each of these, and which defaults are marked."""
    found = [contender(spec) for spec in dict.fromkeys(specs)]
    return table_notes((one.name, one.settings) for one in found)


def _origins(rows: Sequence[Row]) -> dict[str, str]:
    return {row.label: row.origin for row in rows if row.origin != "paper"}


def _reasons(rows: Sequence[Row], columns: Sequence[str]) -> dict[Key, str]:
    """Why numbers differ from the printed ones, by label and column."""
    return {
        (row.label, at): DIFFERENCES[row.name, at].reason
        for row in rows
        for at in columns
        if (row.name, at) in DIFFERENCES
    }


def _printed(rows: Sequence[Row]) -> dict[Key, float | None]:
    return {(row.label, at): row.printed.get(at) for row in rows for at in COLUMNS}


def level_choice_table(workshop: Workshop) -> Product:
    """Accuracy of bQCD for outer and for inner quantile levels."""
    rows = level_rows(workshop)
    title = "Accuracy of bQCD by choice of quantile levels"
    reasons = _reasons(rows, COLUMNS)
    sheet = beside(title, COLUMNS, accuracies(workshop, rows), _printed(rows), reasons)
    note = (
        "The levels printed as 0.1, 0.5, 0.9 are those of the Gauss-Legendre rule, "
        "0.113, 0.5, 0.887 with weights 5, 8, 5."
    )
    return Product((_noted(sheet, note, *ties_notes([row.real for row in rows])),))


def area_table(workshop: Workshop) -> Product:
    """Areas under the ROC and precision-recall curves of bQCD."""
    spec = spec_of(paper.ACCURACY[1])
    found = workshop.answers(MAIN, [spec], workshop.pairsets(paper.SIMULATED))
    ours: dict[Key, float] = {}
    printed: dict[Key, float | None] = {}
    for title, metric, numbers in (
        ("ROC", "roc_auc", paper.ROC_AREA),
        ("PR", "pr_auc", paper.PR_AREA),
    ):
        for name in paper.SIMULATED:
            ours[title, name] = found[spec, name].mean(metric)
            printed[title, name] = numbers[name]
    title = "Area under the ROC and precision-recall curves of bQCD"
    reasons = {key: one.reason for key, one in DIFFERENCES.items()}
    return Product((beside(title, paper.SIMULATED, ours, printed, reasons),))


def tuebingen_table(workshop: Workshop) -> Product:
    """Accuracy, weighted accuracy, ROC area and time of every method on the Tübingen pairs."""
    rows = [row for row in accuracy_rows(workshop) if _in_main_text(row)]
    found = {
        row.label: workshop.on_real([row.real], repeats=row.repeats)[row.real, "tuebingen"]
        for row in rows
    }
    ours = {
        (label, column): one.mean(metric, weighted=weighted)
        for label, one in found.items()
        for column, (metric, weighted) in _MAIN_TEXT.items()
    }
    printed = {
        (row.label, column): value
        for row in rows
        for column, value in zip(_MAIN_TEXT, _printed_tuebingen(row), strict=True)
    }
    lines = [
        line for row in rows for line in _tuebingen_lines(row, found[row.label], ours, printed)
    ]
    whole = sum(float(one.seconds.sum()) for one in found.values())
    notes = (
        *differences(ours, printed, _reasons(rows, tuple(_MAIN_TEXT)), _origins(rows)),
        ties_note(ours, tie_draws(workshop), "weighted"),
        "The paper does not say whether its ROC areas are weighted; here are both.",
        "Times are of one run over all pairs on one core, as measured beside other work; the "
        f"paper's are of its authors' computer of 2015. All of it took {duration(whole)} of "
        "one core.",
        *method_notes(rows),
    )
    columns = ("", "", "accuracy", "weighted", "ROC", "ROC weighted", "time")
    sheet = Sheet("Results on the Tübingen pairs", columns, tuple(lines), notes)
    return Product((_with_left_out(sheet, workshop),))


_MAIN_TEXT: Mapping[str, tuple[str, bool]] = {
    "accuracy": ("accuracy", False),
    "weighted": ("accuracy", True),
    "ROC": ("roc_auc", False),
}


def _in_main_text(row: Row) -> bool:
    """Whether the table of the main text has this row: bQCD with three levels, RECI once."""
    other = row.method == "bqcd" and not row.name.startswith(BQCD_ROW)
    return not other and row.name != "RECI with pp"


def _tuebingen_lines(
    row: Row, one: Answers, ours: Mapping[Key, float], printed: Mapping[Key, float | None]
) -> list[tuple[Cell, ...]]:
    """Numbers found here, the printed ones, and the differences."""
    keys = [(row.label, column) for column in _MAIN_TEXT]
    seconds = float(one.seconds.sum()) / len(one.seconds)
    numbers: list[Cell] = [ours[key] for key in keys]
    here = (row.label, "here", *numbers, one.mean("roc_auc"), duration(seconds))
    there = [printed[key] for key in keys]
    if not any(value is not None for value in there):
        return [here]
    time = next((one.time for one in paper.TUEBINGEN if one.method == row.method), None)
    gaps = [
        None if value is None else f"{ours[key] - value:+.2f}"
        for key, value in zip(keys, there, strict=True)
    ]
    return [here, ("", row.origin, *there, None, time), ("", "+/-", *gaps, None, None)]


def _printed_tuebingen(row: Row) -> tuple[float | None, float | None, float | None]:
    """What is printed of a method on the Tübingen pairs; of bQCD a mean over orders of ties."""
    if row.other_ties and row.repeats == 1:
        return None, None, None
    for one in paper.TUEBINGEN:
        if one.method == row.method:
            return one.accuracy, one.weighted, one.roc_area
    return row.printed.get("tuebingen"), row.printed.get(paper.WEIGHTED), None


def _with_left_out(sheet: Sheet, workshop: Workshop) -> Sheet:
    """Sheet that says which methods a quick run leaves out."""
    left_out = workshop.left_out(list(COMPARED))
    if not left_out:
        return sheet
    return _noted(sheet, f"Left out of the quick run for their cost: {', '.join(left_out)}.")


def _noted(sheet: Sheet, *notes: str) -> Sheet:
    return replace(sheet, notes=(*sheet.notes, *notes))
