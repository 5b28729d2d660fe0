"""A benchmark for reading: tables of scores, differences and failures, and their pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bqcd.benchmark import metrics
from bqcd.benchmark.results import Results
from bqcd.benchmark.summary import Answers, method_labels, value_or_reason
from bqcd.errors import MissingPackageError
from bqcd.runtime.arrays import Vector
from bqcd.show.chances import LEAST
from bqcd.show.sheets import Cell, Sheet, write_sheet
from bqcd.show.words.margins import margins_notes, margins_suffix
from bqcd.show.words.methods import counted_answers, table_notes, ties_label

_RANKED = ("roc_auc", "average_precision", "decision_rate_area")


def sheets(results: Results) -> Iterator[Sheet]:
    """Sheets of a report: accuracy matrix, scores, calibration, differences, failures.

    The last three only where there is something to tell.
    """
    found = counted_answers(results)
    yield accuracy_sheet(found)
    yield scores_sheet(found)
    if any(one.claims for one in found):
        yield from calibration_sheets(found)
    if len({(one.method, one.settings) for one in found}) > 1:
        yield differences_sheet(found)
    failures = failures_sheet(results)
    if failures.rows:
        yield failures


def accuracy_sheet(found: Sequence[Answers]) -> Sheet:
    """Forced-decision accuracy, one row per method and one column per benchmark."""
    columns = list(dict.fromkeys(one.pairset for one in found))
    cells = {(one.label, one.pairset): one.mean("accuracy") for one in found}
    rows = tuple(
        (name, *(cells.get((name, column)) for column in columns))
        for name in dict.fromkeys(one.label for one in found)
    )
    notes = ("Weighted by the weights of the pairs. " + _RULE, *_method_notes(found))
    title = f"Accuracy of forced decisions{_suffix(found)}"
    return Sheet(title, ("method", *columns), rows, notes)


_RULE = "Abstentions, failures and timeouts count as wrong."


def scores_sheet(found: Sequence[Answers]) -> Sheet:
    """Every metric of each method on each benchmark, with counts and times."""
    columns = (
        "benchmark",
        "method",
        "pairs",
        "accuracy",
        "weighted",
        "low",
        "high",
        "ROC",
        "PR",
        "area",
        "undecided",
        "failed",
        "timeout",
        "ms/pair",
        "seconds",
    )
    rows: list[tuple[Cell, ...]] = []
    reasons: dict[str, None] = {}
    for one in found:
        ranked: list[Cell] = []
        for metric in _RANKED:
            value = value_or_reason(one, metric)
            if isinstance(value, str):
                reasons[f"{one.pairset}: {value}"] = None
            ranked.append(None if isinstance(value, str) else value)
        rows.append((one.pairset, one.label, *_accuracies(one), *ranked, *_costs(one)))
    notes = (
        f"{_RULE} low, high: 95 % interval of the weighted accuracy; area: under the curve of "
        "accuracy against decision rate; counts are over all repetitions.",
        *_method_notes(found),
        *reasons,
    )
    return Sheet(f"Scores{_suffix(found)}", columns, tuple(rows), notes, digits=3)


def calibration_sheets(found: Sequence[Answers]) -> Iterator[Sheet]:
    """Of methods that claim a probability: what they claim against what is right, and by bars."""
    rows: list[tuple[Cell, ...]] = []
    bars: list[tuple[Cell, ...]] = []
    for one in found:
        if not one.claims:
            continue
        told = one.reliability()
        numbers = (told.claimed, told.right, told.error, told.error_by_chance, told.surer_half)
        rows.append((one.pairset, one.label, told.pairs, *numbers))
        for bar in told.bars:
            range_of = f"{bar.above:.1f} to {bar.up_to:.1f}"
            shares = (bar.claimed, bar.right, bar.low, bar.high)
            bars.append((one.pairset, one.label, range_of, bar.pairs, *shares))
    notes = (
        "Claimed probability of the direction taken against how often it is right, weighted; pairs "
        "without a claim are left out. ECE: mean distance of the two over bars of width 0.1, by "
        "weight; by chance: what it would be on average if every probability were true. Surer "
        "half: share of right directions among the half of the pairs with the largest "
        "probabilities.",
        *_method_notes(found),
    )
    columns = ("benchmark", "method", "pairs", "claimed", "right", "ECE", "by chance", "surer half")
    yield Sheet(f"Calibration{_suffix(found)}", columns, tuple(rows), notes, digits=3)
    heads = ("benchmark", "method", "probability", "pairs", "claimed", "right", "low", "high")
    note = "low, high: 95 % interval of the share of right directions."
    title = f"Reliability by bars{_suffix(found)}"
    yield Sheet(title, heads, tuple(bars), (note, *notes[1:]), digits=3)


def _method_notes(found: Sequence[Answers]) -> Iterator[str]:
    yield from margins_notes(_margins(found))
    yield from table_notes((one.method, one.settings) for one in found)


def _margins(found: Sequence[Answers]) -> str:
    return found[0].margins if found else "as-is"


def _suffix(found: Sequence[Answers]) -> str:
    return margins_suffix(_margins(found))


def _accuracies(one: Answers) -> tuple[Cell, ...]:
    interval = one.accuracy_interval()
    return (
        len(one.truth),
        one.mean("accuracy", weighted=False),
        one.mean("accuracy"),
        interval.low,
        interval.high,
    )


def _costs(one: Answers) -> tuple[Cell, ...]:
    counts = one.counts()
    return (
        counts.undecided,
        counts.failed - one.timeouts,
        one.timeouts,
        1000.0 * float(np.median(one.seconds)),
        float(one.seconds.sum()),
    )


def differences_sheet(found: Sequence[Answers]) -> Sheet:
    """Each method against the first one on the same pairs of each benchmark."""
    rows: list[tuple[Cell, ...]] = []
    first: dict[str, Answers] = {}
    for one in found:
        other = first.setdefault(one.pairset, one)
        if other is one or one.pairs != other.pairs:
            continue
        test = metrics.mcnemar(one.truth, one.confidence[0], other.confidence[0])
        difference = one.mean("accuracy", weighted=False) - other.mean("accuracy", weighted=False)
        counts = (test.only_first, test.only_second)
        rows.append((one.pairset, one.label, other.label, difference, *counts, test.p_value))
    columns = ("benchmark", "method", "against", "difference", "only it", "only other", "p")
    note = (
        "Difference of the unweighted accuracies; pairs of the first repetition that only one of "
        "the two got right; exact p-value of McNemar's test."
    )
    notes = (note, *_method_notes(found))
    title = f"Differences{_suffix(found)}"
    return Sheet(title, columns, tuple(rows), notes, digits=3, least={"p": LEAST})


def failures_sheet(results: Results) -> Sheet:
    """Tasks without an answer, with the reason, counted by what was said."""
    names = method_labels(results)
    counted: dict[tuple[str, str, str, str], list[str]] = {}
    for row in results.table.to_pylist():
        if row["status"] != "done":
            name = names[row["method"], row["settings"]]
            key = (row["pairset"], name, row["status"], row["message"])
            counted.setdefault(key, []).append(row["pair"])
    rows = tuple(
        (pairset, name, status, len(pairs), pairs[0], message)
        for (pairset, name, status, message), pairs in counted.items()
    )
    columns = ("benchmark", "method", "status", "tasks", "first pair", "message")
    return Sheet("Failures", columns, rows)


def write_report(results: Results, folder: Path) -> list[Path]:
    """Files written to ``folder``: every sheet in every format, and the pictures.

    Without matplotlib there are no pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for sheet in sheets(results):
        stem = folder / sheet.title.split()[0].rstrip(",").lower()
        written += write_sheet(sheet, stem)
    try:
        written += _write_pictures(results, folder)
    except MissingPackageError:
        return written
    return written


def _write_pictures(results: Results, folder: Path) -> list[Path]:
    """Decision-rate and ROC curves of each benchmark, the first repetition of each method."""
    from bqcd.show import plots

    written = []
    found = counted_answers(results)
    first = found[0].label if found else None
    for pairset in dict.fromkeys(one.pairset for one in found):
        here = [one for one in found if one.pairset == pairset]
        curves = {one.label: _decisions(one) for one in here}
        coin, title = curves[here[0].label], _title(here)
        path = folder / f"decision-rates-{_file_name(pairset)}.png"
        plots.plot_decision_rates(
            {name: (curve.rate, curve.accuracy, curve.pairs) for name, curve in curves.items()},
            (coin.rate, coin.coin_low, coin.coin_high),
            emphasised=first,
            title=title,
            path=path,
        )
        written.append(path)
        if not metrics.is_one_sided(here[0].truth):
            path = folder / f"roc-{_file_name(pairset)}.png"
            rocs = {one.label: _roc(one) for one in here}
            plots.plot_roc(rocs, emphasised=first, title=title, path=path)
            written.append(path)
    return written


def _title(here: Sequence[Answers]) -> str:
    """Benchmark of a picture, its margins, and the order in which bQCD breaks ties."""
    orders = ties_label((one.method, one.settings) for one in here)
    return f"{here[0].pairset}{_suffix(here)}" + (f" ({orders})" if orders else "")


def _decisions(one: Answers) -> metrics.DecisionRateCurve:
    return metrics.decision_rate_curve(one.truth, one.confidence[0], weight=one.weight)


def _roc(one: Answers) -> tuple[Vector, Vector, float]:
    curve = metrics.roc_curve(one.truth, one.confidence[0], weight=one.weight)
    area = metrics.roc_auc(one.truth, one.confidence[0], weight=one.weight)
    return curve.false_positive_rate, curve.true_positive_rate, area


def _file_name(text: str) -> str:
    """Name of a benchmark without what a file name cannot hold."""
    return re.sub(r"[^\w.~+-]+", "_", text)
