"""The paper's tables, computed anew and set beside the printed numbers."""

from __future__ import annotations

from collections.abc import Mapping

from bqcd.benchmark.summary import Answers
from bqcd.methods.table import METHODS
from bqcd.show.reproduction import paper
from bqcd.show.reproduction.later import LATER
from bqcd.show.reproduction.products import Key, Product, beside
from bqcd.show.reproduction.workshop import MAIN, Workshop, is_costly, spec_of
from bqcd.show.sheets import Cell, Sheet, duration

COLUMNS = (*paper.BENCHMARKS, paper.WEIGHTED)


def accuracy_rows(workshop: Workshop, *, real: bool = False) -> dict[str, str]:
    """Name of each row of the accuracy table, and the method behind its simulated or real cells.

    The rows of the paper whose method exists, those of later methods, then every other
    method of the table. CURE, which the paper has on real pairs only, is among these there.
    """
    published = (*paper.ACCURACY, *LATER)
    rows = {
        row.label: spec_of(row, real=real) for row in published if workshop.affordable(row.method)
    }
    printed = {row.method for row in published}
    if not real:
        printed |= {row.method for row in paper.TUEBINGEN}
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
    found = workshop.on_simulated(list(simulated.values()))
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
    published = (*paper.ACCURACY, *LATER)
    printed = {(row.label, at): row.on(at) for row in published for at in COLUMNS}
    doubts = {
        (row.label, at): paper.DOUBTS[row.method, at].reason
        for row in published
        for at in COLUMNS
        if (row.method, at) in paper.DOUBTS and row.label not in ("bQCD m = 1", "bQCD m = 7")
    }
    origins = {row.label: "published" for row in LATER}
    sheet = beside("Accuracy on simulated and real data", COLUMNS, ours, printed, doubts, origins)
    sheet = _with_left_out(sheet, workshop, [row.method for row in published])
    costly = [row.method for row in published if is_costly(row.method)]
    if workshop.pairs is not None and not workshop.quick and costly:
        note = f"On {workshop.pairs} pairs of each simulated benchmark: {', '.join(costly)}."
        sheet = _noted(sheet, note)
    return Product((sheet,))


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
    whole = 0.0
    for row in _tuebingen_published():
        if workshop.affordable(row.method):
            one = _tuebingen_answers(workshop, row.method)
            whole += float(one.seconds.sum())
            rows += _tuebingen_rows(one, row)
    notes = (
        f"bQCD: mean of {_TIE_DRAWS[workshop.quick]} random orders of the ties, as in the paper "
        "(30 there).",
        "The paper does not say whether its ROC areas are weighted; here are both.",
        "Times are of one run over all pairs on one core, as measured beside other work; the "
        f"paper's are of its authors' computer of 2015. All of it took {duration(whole)} of "
        "one core.",
    )
    columns = ("", "", "accuracy", "weighted", "ROC", "ROC weighted", "time")
    sheet = Sheet("Results on the Tübingen pairs", columns, tuple(rows), notes)
    return Product((_with_left_out(sheet, workshop, [row.method for row in paper.TUEBINGEN]),))


_TIE_DRAWS = {True: 5, False: 30}


def _tuebingen_published() -> list[paper.TuebingenRow]:
    """Rows of the paper, of later methods, and of those nobody printed numbers of."""
    later = [
        paper.TuebingenRow(row.label, row.method, row.on("tuebingen"), row.weighted, None, "", None)
        for row in LATER
    ]
    named = {row.method for row in (*paper.TUEBINGEN, *later)}
    others = [
        paper.TuebingenRow(name, name, None, None, None, "", None)
        for name in METHODS
        if name not in named
    ]
    return [*paper.TUEBINGEN, *later, *others]


def _tuebingen_answers(workshop: Workshop, method: str) -> Answers:
    specs = {row.method: spec_of(row, real=True) for row in paper.ACCURACY}
    drawn = method == "bqcd"
    spec = "bqcd:jitters=1" if drawn else specs.get(method, method)
    repeats = _TIE_DRAWS[workshop.quick] if drawn else 1
    shelf = "ties" if drawn else MAIN
    pairset = workshop.pairset("tuebingen")
    return workshop.answers(shelf, [spec], [pairset], repeats=repeats)[spec, "tuebingen"]


def _tuebingen_rows(one: Answers, row: paper.TuebingenRow) -> list[tuple[Cell, ...]]:
    seconds = float(one.seconds.sum()) / len(one.seconds)
    plain, weighted = one.mean("accuracy", weighted=False), one.mean("accuracy")
    area = one.mean("roc_auc", weighted=False)
    here = (row.label, "here", plain, weighted, area, one.mean("roc_auc"), duration(seconds))
    if row.accuracy is None:
        return [here]
    origin = "published" if any(row.method == one.method for one in LATER) else "paper"
    there = ("", origin, row.accuracy, row.weighted, row.roc_area, None, row.time or None)
    gaps = [
        None if printed is None else f"{found - printed:+.2f}"
        for found, printed in (
            (plain, row.accuracy),
            (weighted, row.weighted),
            (area, row.roc_area),
        )
    ]
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
