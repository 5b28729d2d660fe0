"""The paper's tables, computed anew and set beside the printed numbers."""

from __future__ import annotations

from collections.abc import Mapping

from bqcd.benchmark.summary import Answers
from bqcd.methods import METHODS
from bqcd.reproduction import paper
from bqcd.reproduction.products import Key, Product, beside
from bqcd.reproduction.workshop import Workshop, spec_of
from bqcd.sheets import Cell, Sheet

MAIN = "main"
"""Shelf of the results that several tables and figures share."""

COLUMNS = (*paper.BENCHMARKS, paper.WEIGHTED)


def accuracy_rows(workshop: Workshop, *, real: bool = False) -> dict[str, str]:
    """Name of each row of the accuracy table, and the method behind its simulated or real cells.

    The rows of the paper whose method exists, then every other method of the table.
    """
    rows = {
        row.label: spec_of(row, real=real)
        for row in paper.ACCURACY
        if workshop.affordable(row.method)
    }
    printed = {row.method for row in paper.ACCURACY}
    others = [name for name in METHODS if name not in printed and workshop.affordable(name)]
    return rows | {name: name for name in others}


def accuracies(
    workshop: Workshop, simulated: Mapping[str, str], real: Mapping[str, str]
) -> dict[Key, float]:
    """Accuracy of each row on each benchmark, on the Tübingen pairs also weighted.

    Parameters
    ----------
    workshop : Workshop
        Where answers come from.
    simulated, real : mapping of str to str
        The method of each row on simulated and on real pairs.
    """
    found = workshop.answers(MAIN, list(simulated.values()), workshop.pairsets(paper.SIMULATED))
    found |= workshop.answers(MAIN, list(real.values()), [workshop.pairset("tuebingen")])
    cells: dict[Key, float] = {}
    for name in simulated:
        for column in paper.SIMULATED:
            cells[name, column] = found[simulated[name], column].mean("accuracy")
        pairs = found[real[name], "tuebingen"]
        cells[name, "tuebingen"] = pairs.mean("accuracy", weighted=False)
        cells[name, paper.WEIGHTED] = pairs.mean("accuracy")
    return cells


def accuracy_table(workshop: Workshop) -> Product:
    """Accuracy of all methods on all benchmarks."""
    ours = accuracies(workshop, accuracy_rows(workshop), accuracy_rows(workshop, real=True))
    printed = {(row.label, at): row.on(at) for row in paper.ACCURACY for at in COLUMNS}
    doubts = {
        (row.label, at): paper.DOUBTS[row.method, at].reason
        for row in paper.ACCURACY
        for at in COLUMNS
        if (row.method, at) in paper.DOUBTS and row.label not in ("bQCD m = 1", "bQCD m = 7")
    }
    sheet = beside("Accuracy on simulated and real data", COLUMNS, ours, printed, doubts)
    return Product((_with_left_out(sheet, workshop, [row.method for row in paper.ACCURACY]),))


def level_choice_table(workshop: Workshop) -> Product:
    """Accuracy of bQCD for outer and for inner quantile levels."""
    rows = {row.label: spec_of(row) for row in paper.LEVEL_CHOICES}
    rows["0.1, 0.5, 0.9, equal weights"] = "bqcd:levels=[0.1,0.5,0.9]:published_ties=true"
    ours = accuracies(workshop, rows, rows)
    printed = {(row.label, at): row.on(at) for row in paper.LEVEL_CHOICES for at in COLUMNS}
    sheet = beside("Accuracy of bQCD by choice of quantile levels", COLUMNS, ours, printed)
    note = (
        "The levels printed as 0.1, 0.5, 0.9 are those of the Gauss-Legendre rule, "
        "0.113, 0.5, 0.887 with weights 5, 8, 5."
    )
    return Product((_noted(sheet, note),))


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
    return Product((beside(title, paper.SIMULATED, ours, printed),))


def tuebingen_table(workshop: Workshop) -> Product:
    """Accuracy, weighted accuracy, ROC area and time of every method on the Tübingen pairs."""
    rows: list[tuple[Cell, ...]] = []
    pairset = workshop.pairset("tuebingen")
    specs = {row.method: spec_of(row, real=True) for row in paper.ACCURACY}
    for row in paper.TUEBINGEN:
        if not workshop.affordable(row.method):
            continue
        drawn = row.method == "bqcd"
        spec = "bqcd:jitters=1" if drawn else specs.get(row.method, row.method)
        repeats = _TIE_DRAWS[workshop.quick] if drawn else 1
        shelf = "ties" if drawn else MAIN
        one = workshop.answers(shelf, [spec], [pairset], repeats=repeats)[spec, "tuebingen"]
        rows += _tuebingen_rows(one, row)
    notes = (
        f"bQCD: mean of {_TIE_DRAWS[workshop.quick]} random orders of the ties, as in the paper "
        "(30 there).",
        "The paper does not say whether its ROC areas are weighted; here are both.",
        "Times are of one run over all pairs on one core; the paper's are of its authors' "
        "computer of 2015.",
    )
    columns = ("", "", "accuracy", "weighted", "ROC", "ROC weighted", "time")
    sheet = Sheet("Results on the Tübingen pairs", columns, tuple(rows), notes)
    return Product((_with_left_out(sheet, workshop, [row.method for row in paper.TUEBINGEN]),))


_TIE_DRAWS = {True: 5, False: 30}


def _tuebingen_rows(one: Answers, row: paper.TuebingenRow) -> list[tuple[Cell, ...]]:
    seconds = float(one.seconds.sum()) / len(one.seconds)
    plain, weighted = one.mean("accuracy", weighted=False), one.mean("accuracy")
    area = one.mean("roc_auc", weighted=False)
    here = (row.label, "here", plain, weighted, area, one.mean("roc_auc"), f"{seconds:.2g} s")
    there = ("", "paper", row.accuracy, row.weighted, row.roc_area, None, row.time)
    gaps = [f"{plain - row.accuracy:+.2f}", f"{weighted - row.weighted:+.2f}", None]
    if row.roc_area is not None:
        gaps[2] = f"{area - row.roc_area:+.2f}"
    return [here, there, ("", "+/-", *gaps, None, None)]


def _with_left_out(sheet: Sheet, workshop: Workshop, methods: list[str]) -> Sheet:
    """Sheet that says which methods a quick run leaves out."""
    others = [name for name in METHODS if name not in methods]
    left_out = workshop.left_out([*methods, *others])
    if not left_out:
        return sheet
    return _noted(sheet, f"Left out of the quick run for their cost: {', '.join(left_out)}.")


def _noted(sheet: Sheet, note: str) -> Sheet:
    return Sheet(sheet.title, sheet.columns, sheet.rows, (*sheet.notes, note), sheet.digits)
