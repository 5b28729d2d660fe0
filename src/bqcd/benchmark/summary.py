"""All numbers of a benchmark's report, from the table of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bqcd.benchmark import metrics
from bqcd.benchmark.metrics import METRICS, Counts, Interval, Reliability
from bqcd.benchmark.metrics.intervals import clopper_pearson
from bqcd.benchmark.results import Results
from bqcd.benchmark.running.contenders import labels
from bqcd.errors import UndefinedMetricError
from bqcd.runtime.arrays import Vector

_Key = tuple[str, str, str]
_KEY = ("pairset", "method", "settings")


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What one method answered on one benchmark.

    Parameters
    ----------
    pairset, method, settings : str
        Whose answers to what.
    label : str
        Name of the method, with what tells it from others of that name.
    pairs : tuple of str
        Keys of the pairs.
    truth, weight : ndarray of shape (k,)
        One entry per pair.
    confidence : ndarray of shape (r, k)
        One row per repetition; NaN where there is no answer.
    seconds : ndarray of shape (r, k)
        Time spent in the method.
    timeouts : int
        How many of the missing answers ran out of time.
    probability : ndarray of shape (r, k)
        Claimed probabilities of the first column being the cause; NaN where nothing is claimed.
    margins : str
        What the method saw of the columns.
    """

    pairset: str
    method: str
    settings: str
    label: str
    pairs: tuple[str, ...]
    truth: Vector
    weight: Vector
    confidence: Vector
    seconds: Vector
    timeouts: int
    probability: Vector
    margins: str

    @property
    def weighted(self) -> bool:
        """Whether pairs differ in weight."""
        return bool(np.ptp(self.weight) > 0.0)

    def mean(self, metric: str, *, weighted: bool = True) -> float:
        """Mean over the repetitions of a metric of the table of metrics.

        Raises
        ------
        UndefinedMetricError
            If the metric has no value on this benchmark.
        """
        weight = self.weight if weighted else None
        compute = METRICS[metric].compute
        return float(np.mean([compute(self.truth, row, weight) for row in self.confidence]))

    @property
    def claims(self) -> bool:
        """Whether the method claims a probability other than 1/2 of a pair that has weight."""
        if not self.pairs:
            return False
        first = self.probability[0]
        return bool((np.isfinite(first) & (first != 0.5) & (self.weight > 0.0)).any())

    def reliability(self) -> Reliability:
        """Claimed probabilities against how often they came true, in the first repetition.

        Raises
        ------
        UndefinedMetricError
            If nothing is claimed of any pair that has weight.
        """
        return metrics.reliability(self.truth, self.probability[0], weight=self.weight)

    def counts(self) -> Counts:
        """Right and wrong answers, abstentions and failures over all repetitions."""
        return metrics.counts(np.tile(self.truth, len(self.confidence)), self.confidence.ravel())

    def accuracy_interval(self) -> Interval:
        """95 % interval of the weighted accuracy.

        Exact for one repetition on pairs of equal weight; else with the number of equal
        pairs that would vary as much, after Korn and Graubard (1998). Repetitions on one
        pair are not taken for independent.
        """
        total = self.weight.sum() ** 2 / (self.weight**2).sum()
        low, high = clopper_pearson(self.mean("accuracy") * total, total)
        return Interval(float(low), float(high), 0.95)


def answers(results: Results) -> Iterator[Answers]:
    """Answers of each method on each benchmark, in the order of the table.

    Only pairs that every repetition has reached are among them, so an unfinished
    benchmark gives the answers there are.
    """
    columns: Mapping[str, list[object]] = results.table.to_pydict()
    groups: dict[_Key, dict[tuple[object, object], int]] = {}
    for row in range(len(results)):
        pairset, method, settings = (str(columns[name][row]) for name in _KEY)
        group = groups.setdefault((pairset, method, settings), {})
        group[columns["repeat"][row], columns["pair"][row]] = row
    names = method_labels(results)
    for key, rows in groups.items():
        yield _answers(columns, key, names[key[1:]], rows)


def method_labels(results: Results) -> dict[tuple[str, str], str]:
    """Label of each method with its settings, in the order of the table."""
    columns = (results.table[name].to_pylist() for name in ("method", "settings"))
    methods = list(dict.fromkeys(zip(*columns, strict=True)))
    return dict(zip(methods, labels(methods), strict=True))


def _answers(
    columns: Mapping[str, list[object]],
    key: _Key,
    label: str,
    rows: Mapping[tuple[object, object], int],
) -> Answers:
    repeats = list(dict.fromkeys(repeat for repeat, _ in rows))
    pairs = dict.fromkeys(pair for _, pair in rows)
    complete = [pair for pair in pairs if all((repeat, pair) in rows for repeat in repeats)]
    grid = [[rows[repeat, pair] for pair in complete] for repeat in repeats]

    def values(name: str) -> Vector:
        column = columns[name]
        return np.array([[column[row] for row in line] for line in grid], dtype=float)

    statuses = [columns["status"][row] for line in grid for row in line]
    return Answers(
        *key,
        label=label,
        pairs=tuple(map(str, complete)),
        truth=values("truth")[0],
        weight=values("weight")[0],
        confidence=values("confidence"),
        seconds=values("seconds"),
        timeouts=statuses.count("timeout"),
        probability=values("probability"),
        margins=str(columns["margins"][next(iter(rows.values()))]),
    )


def value_or_reason(one: Answers, metric: str, *, weighted: bool = True) -> float | str:
    """Mean of a metric, or why it has none."""
    try:
        return one.mean(metric, weighted=weighted)
    except UndefinedMetricError as error:
        return str(error)
