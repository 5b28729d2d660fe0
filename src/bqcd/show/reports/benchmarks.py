"""What a page says of a benchmark: scores, curves, failures, and what can be told apart."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from bqcd.benchmark import Results, metrics
from bqcd.benchmark.running.contenders import label as spec_of
from bqcd.benchmark.summary import Answers, method_labels, value_or_reason
from bqcd.methods.table import METHODS
from bqcd.show.reports.colophon import Colophon, bibtex_of
from bqcd.show.reports.contents import Report
from bqcd.show.reports.curves import Points, thinned
from bqcd.show.words import counted
from bqcd.show.words.margins import margins_notes, margins_suffix
from bqcd.show.words.methods import counted_answers, table_notes

MOST_FAILURES = 200
"""Most failures that are listed one by one."""

_SETS_TOLD, _NAMES_TOLD = 6, 5
_DOUBT = 0.05
_RULE = "Abstentions, failures and timeouts count as wrong."
_CLAIMS = (
    "Some methods claim a probability of the direction they take. Calibration sets it beside how "
    "often the direction is right, in bars of width 0.1; the mean distance of the two (ECE) stands "
    "beside what it would be by chance, on average, if every probability were true."
)


@dataclass(frozen=True, slots=True)
class BenchmarkPart:
    """Scores and curves of every method on every benchmark, ready for JSON.

    Parameters
    ----------
    methods : tuple of str
        Labels of the methods, in the order of the results.
    datasets : tuple of (str, int)
        Names of the benchmarks and how many pairs they have.
    cells : mapping of (str, str) to mapping
        Scores by method and benchmark, as far as there are any.
    curves : tuple of mappings
        Decision-rate and ROC curve of each method on each benchmark.
    failures : tuple of mappings
        The first tasks without an answer.
    failures_total : int
        How many there are in all.
    calibration : tuple of mappings
        Of methods that claim probabilities: what they claim against what is right.
    coin_band : mapping of str to list
        Decision rate, and the middle 95 % of a fair coin's accuracies, by benchmark.
    """

    methods: tuple[str, ...]
    datasets: tuple[tuple[str, int], ...]
    cells: Mapping[tuple[str, str], Mapping[str, float | None]]
    curves: tuple[Mapping[str, object], ...] = ()
    failures: tuple[Mapping[str, str], ...] = ()
    failures_total: int = 0
    coin_band: Mapping[str, list[list[float]]] = field(default_factory=dict)
    calibration: tuple[Mapping[str, object], ...] = ()

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON."""
        absent = {"accuracy": None, "weighted": None, "auc": None, "failed": 0, "seconds": None}
        return {
            "methods": list(self.methods),
            "datasets": [{"name": name, "pairs": count} for name, count in self.datasets],
            "cells": [
                [dict(self.cells.get((method, name), absent)) for name, _ in self.datasets]
                for method in self.methods
            ],
            "curves": [dict(curve) for curve in self.curves],
            "failures": [dict(failure) for failure in self.failures],
            "failures_total": self.failures_total,
            "coin_band": dict(self.coin_band) or None,
            "calibration": [dict(told) for told in self.calibration],
        }


def benchmark_part(results: Results, *, drawn: bool = True) -> BenchmarkPart:
    """Scores, curves and failures of a benchmark.

    Curves are of the first repetition, everything else of all of them.

    Parameters
    ----------
    results : Results
        What came of it.
    drawn : bool, default=True
        Whether curves are to be drawn. For a table of accuracies neither they nor the areas
        under them are worked out.
    """
    found = counted_answers(results)
    weighted = any(one.weighted for one in found)
    bands, curves = {}, []
    for one in found if drawn else ():
        curve = metrics.decision_rate_curve(one.truth, one.confidence[0], weight=one.weight)
        if one.pairset not in bands:
            band = np.column_stack((curve.rate, curve.coin_low, curve.coin_high))
            bands[one.pairset] = _told(thinned(band))
        rates = _told(thinned(np.column_stack((curve.rate, curve.accuracy))))
        told = {"dataset": one.pairset, "method": one.label, "decision_rate": rates}
        curves.append({**told, "roc": _roc(one), "reliability": _reliability(one)})
    failures = [row for row in results.table.to_pylist() if row["status"] != "done"]
    names = method_labels(results)
    return BenchmarkPart(
        methods=tuple(dict.fromkeys(one.label for one in found)),
        datasets=tuple(_sizes(found).items()),
        cells={
            (one.label, one.pairset): _cell(one, weighted=weighted, drawn=drawn) for one in found
        },
        curves=tuple(curves),
        failures=tuple(_failure(row, names) for row in failures[:MOST_FAILURES]),
        failures_total=len(failures),
        coin_band=bands,
        calibration=tuple(_calibration(one) for one in found if one.claims),
    )


def _sizes(found: Sequence[Answers]) -> dict[str, int]:
    """Number of pairs of each benchmark that a method was asked about, at most."""
    sizes: dict[str, int] = {}
    for one in found:
        sizes[one.pairset] = max(len(one.truth), sizes.get(one.pairset, 0))
    return sizes


def _cell(one: Answers, *, weighted: bool, drawn: bool) -> dict[str, float | None]:
    area = value_or_reason(one, "roc_auc") if drawn else ""
    return {
        "accuracy": one.mean("accuracy", weighted=False),
        "weighted": one.mean("accuracy") if weighted else None,
        "auc": None if isinstance(area, str) else area,
        "failed": one.counts().failed,
        "seconds": float(one.seconds.sum()),
    }


def _roc(one: Answers) -> list[list[float]]:
    """Points of the ROC curve; none if all truths are alike."""
    if metrics.is_one_sided(one.truth, weight=one.weight):
        return []
    curve = metrics.roc_curve(one.truth, one.confidence[0], weight=one.weight)
    sides = (curve.false_positive_rate, curve.true_positive_rate)
    return _told(thinned(np.column_stack(sides)))


def _reliability(one: Answers) -> list[list[float]]:
    """Claimed probability and share of right directions of each bar; none without claims."""
    bars = one.reliability().bars if one.claims else ()
    return _told(np.array([(bar.claimed, bar.right) for bar in bars]))


def _calibration(one: Answers) -> dict[str, object]:
    told = one.reliability()
    return {
        "dataset": one.pairset,
        "method": one.label,
        "pairs": told.pairs,
        "claimed": told.claimed,
        "right": told.right,
        "error": told.error,
        "error_by_chance": told.error_by_chance,
        "surer_half": told.surer_half,
    }


def _failure(row: Mapping[str, str], names: Mapping[tuple[str, str], str]) -> dict[str, str]:
    return {
        "dataset": row["pairset"],
        "pair": row["pair"],
        "method": names[row["method"], row["settings"]],
        "status": row["status"],
        "message": row["message"],
    }


def _told(points: Points) -> list[list[float]]:
    return [[float(f"{value:.6g}") for value in point] for point in points.tolist()]


def results_fragment(results: Results) -> str:
    """Sentences and table of the accuracies, for notebooks."""
    return report_results(results, drawn=False).fragment()


def report_results(
    results: Results, *, folder: str = "results", page: str = "report.html", drawn: bool = True
) -> Report:
    """Report of a benchmark: who is right how often, and what can be told apart.

    Parameters
    ----------
    results : Results
        What came of it.
    folder : str, default="results"
        Folder of the benchmark, in the line that makes the report again.
    page : str, default="report.html"
        File of the report, in the same line.
    drawn : bool, default=True
        Whether curves are to be drawn.
    """
    part = benchmark_part(results, drawn=drawn)
    found = counted_answers(results)
    sets = list(part.datasets)
    size = f"{counted(len(part.methods), 'method')} on {counted(len(sets), 'benchmark')}"
    return Report(
        kind="benchmark",
        title=f"Benchmark of {size}{margins_suffix(results.margins)}",
        question="Which method finds the cause most often, on pairs whose cause is known?",
        answer=" ".join(_findings(found, sets)),
        notes=tuple(_notes(results, found, drawn=drawn)),
        facts=tuple(_facts(results, sets)),
        benchmark=part.as_dict(),
        colophon=_colophon(results, folder, page),
    )


def _findings(found: Sequence[Answers], sets: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Sentences: how much was judged, who is best on how many benchmarks, then on each."""
    methods = {one.label for one in found}
    if not found:
        yield "There are no answers yet."
        return
    total = sum(count for _, count in sets)
    yield (
        f"{counted(len(methods), 'method')} judged {counted(total, 'pair')} of "
        f"{counted(len(sets), 'benchmark')}."
    )
    leaders = {name: _leaders([one for one in found if one.pairset == name]) for name, _ in sets}
    if len(methods) > 1 and len(sets) > 1:
        wins = Counter(one.label for several in leaders.values() for one in several)
        most = max(wins.values())
        first = [name for name, count in wins.items() if count == most]
        verb = "has" if len(first) == 1 else "each have"
        yield f"{_listed(first)} {verb} the highest accuracy on {most} of the {len(sets)}."
    for name, _ in sets[:_SETS_TOLD]:
        yield _finding(leaders[name], [one for one in found if one.pairset == name])
    if len(sets) > _SETS_TOLD:
        yield f"The other {len(sets) - _SETS_TOLD} are in the table."


def _leaders(here: Sequence[Answers]) -> list[Answers]:
    """Methods of the highest accuracy on a benchmark; several if they are equal."""
    values = [one.mean("accuracy") for one in here]
    return [one for one, value in zip(here, values, strict=True) if value > max(values) - 1e-9]


def _finding(leaders: Sequence[Answers], here: Sequence[Answers]) -> str:
    best = leaders[0]
    value, interval = best.mean("accuracy"), best.accuracy_interval()
    word = "weighted accuracy" if best.weighted else "accuracy"
    who, verb = _listed([one.label for one in leaders]), "has" if len(leaders) == 1 else "have"
    article = "the highest" if len(here) > 1 else "a" if best.weighted else "an"
    words = (
        f"On {best.pairset} ({counted(len(best.truth), 'pair')}), {who} {verb} {article} {word}"
        f"{',' if len(here) > 1 else ' of'} {value:.3f} (95 % interval {interval.low:.3f} to "
        f"{interval.high:.3f})"
    )
    return f"{words}{_compared(leaders, here)}{_coin(best)}."


def _compared(leaders: Sequence[Answers], here: Sequence[Answers]) -> str:
    """Which other methods cannot be told apart from the best, for the end of a sentence."""
    best = leaders[0]
    same = [one for one in here if one not in leaders and one.pairs == best.pairs]
    if not same:
        return ""
    tests = [metrics.mcnemar(best.truth, best.confidence[0], one.confidence[0]) for one in same]
    close = [one.label for one, test in zip(same, tests, strict=True) if test.p_value >= _DOUBT]
    better = [
        one.label
        for one, test in zip(same, tests, strict=True)
        if test.p_value < _DOUBT and test.only_first < test.only_second
    ]
    words = ""
    if close:
        which = "it" if len(leaders) == 1 else "they"
        words = f"; on so many pairs {which} cannot be told apart from {_listed(close)}"
    elif not better:
        words = "; the others are right on fewer pairs, beyond chance"
    if better:
        words += f"; without weights, though, more pairs are right with {_listed(better)}"
    return words


def _coin(best: Answers) -> str:
    """That a fair coin does as well, if so."""
    curve = metrics.decision_rate_curve(best.truth, best.confidence[0], weight=best.weight)
    low, high = curve.coin_low[-1], curve.coin_high[-1]
    if not low <= best.mean("accuracy") <= high:
        return ""
    return f"; a fair coin does as well, with {low:.3f} to {high:.3f} in 95 % of cases"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_NAMES_TOLD])
    if len(names) > _NAMES_TOLD:
        shown.append(f"{len(names) - _NAMES_TOLD} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _notes(results: Results, found: Sequence[Answers], *, drawn: bool) -> Iterator[str]:
    if results.origin is not None and results.origin.missing:
        tasks = f"{counted(results.origin.missing, 'task')}"
        yield f"Unfinished: {tasks} still to be run; only pairs that all repetitions reached count."
    yield from margins_notes(results.margins)
    yield _RULE
    if weighted := dict.fromkeys(one.pairset for one in found if one.weighted):
        yield f"Pairs of {_listed(list(weighted))} have weights, by which the answer goes."
    if len({one.label for one in found}) > 1:
        yield (
            "Methods are told apart by McNemar's exact test on the pairs that only one of the two "
            f"got right in the first repetition, unweighted, at p < {_DOUBT:g}; with many "
            "methods, some differ by luck."
        )
    yield from table_notes((one.method, one.settings) for one in found)
    if drawn:
        yield "Curves are of the first repetition, and grey where a fair coin is in 95 % of cases."
        areas = ((one.pairset, value_or_reason(one, "roc_auc")) for one in found)
        yield from dict.fromkeys(f"{name}: {why}" for name, why in areas if isinstance(why, str))
    if any(one.claims for one in found):
        yield _CLAIMS
    if "timeout" in results.table["status"].to_pylist():
        yield "The limit of time is not kept with the results."


def _facts(results: Results, sets: Sequence[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    repeats = {int(repeat) for repeat in results.table["repeat"].unique().to_pylist()}
    yield "answers asked for", f"{len(results):,}"
    yield "repetitions", f"{len(repeats):,}"
    if results.margins != "as-is":
        yield "margins", results.margins
    origin = results.origin
    for name, count in sets:
        digest = "" if origin is None else origin.fingerprints.get(name, "")
        data = f" (data {digest[:8]})" if digest else ""
        yield name, f"{counted(count, 'pair')}{data}"


def _colophon(results: Results, folder: str, page: str) -> Colophon:
    keys = method_labels(results)
    names, origin = list(keys.values()), results.origin
    entries = dict.fromkeys(bibtex_of(method) for method, _ in keys)
    settings = tuple(
        (label, ", ".join(f"{name}={value}" for name, value in json.loads(text).items()) or "none")
        for (_, text), label in keys.items()
    )
    known = {} if origin is None else {"seed": origin.seed, "version": origin.version}
    return Colophon(
        _listed(names) if names else "no method",
        settings,
        fingerprint="" if origin is None else _fingerprint(origin.fingerprints),
        command=_command(results, folder, page),
        python=f"bqcd.read_results({folder!r}).to_html()",
        bibtex="\n\n".join(filter(None, entries)),
        **known,  # type: ignore[arg-type]
    )


def _fingerprint(digests: Mapping[str, str]) -> str:
    """Digest of the data of all benchmarks, that of the only one as it is."""
    several = sorted(digests.values())
    one = several[0] if len(several) == 1 else sha256("".join(several).encode()).hexdigest()
    return f"sha256:{one[:16]}"


def _command(results: Results, folder: str, page: str) -> str:
    """Line that runs the benchmark and writes the report; without methods from elsewhere."""
    report = shlex.join(["bqcd", "bench", "report", folder, "--html", page])
    keys = method_labels(results)
    if results.origin is None or not all(method in METHODS for method, _ in keys):
        return report
    repeats = max(results.table["repeat"].to_pylist(), default=0) + 1
    sets = dict.fromkeys(results.table["pairset"].to_pylist())
    asked = ["--methods", ",".join(spec_of(*key) for key in keys), "--datasets", ",".join(sets)]
    more = {"--repeats": repeats, "--seed": results.origin.seed, "--margins": results.margins}
    usual = {"--repeats": 1, "--seed": 0, "--margins": "as-is"}
    for option, value in more.items():
        asked += [option, str(value)] if value != usual[option] else []
    return f"{shlex.join(['bqcd', 'bench', *asked, '--out', folder])} && {report}"
