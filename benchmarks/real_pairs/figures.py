"""Numbers and the page of the real pairs, from the record of answers alone.

An answer is a confidence times the truth: positive where the method is right. Abstentions and
missing answers count as wrong, as in ``bqcd.benchmark.metrics.accuracy``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from benchmarks.real_pairs.load import Line
from bqcd.benchmark.metrics.intervals import clopper_pearson

Vector = NDArray[np.float64]
Record = Mapping[str, Any]

EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Share:
    """Share of right answers with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True, slots=True)
class Bar:
    """Pairs whose claimed probability lies between two edges."""

    low: float
    high: float
    pairs: int
    claimed: float
    right: Share


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """What one method answered to the pairs of the list.

    Parameters
    ----------
    lines : sequence of Line
        Pairs, in the order of the list.
    answers : ndarray of shape (k,)
        Confidence times truth; NaN where there is no answer.
    """

    lines: Sequence[Line]
    answers: Vector

    @property
    def right(self) -> Vector:
        """One where the answer is right, zero elsewhere."""
        return np.where(self.answers > 0.0, 1.0, 0.0)

    def only(self, kept: Sequence[bool] | NDArray[np.bool_]) -> Answered:
        """Answers to some of the pairs."""
        places = np.flatnonzero(kept)
        return Answered([self.lines[int(place)] for place in places], self.answers[places])

    def surer_half(self) -> Answered:
        """The half of the pairs with the largest confidences, rounded up."""
        size = np.nan_to_num(np.abs(self.answers))
        kept = np.zeros(len(size), dtype=bool)
        kept[np.argsort(-size, kind="stable")[: (len(size) + 1) // 2]] = True
        return self.only(kept)

    def share(self, *, by_source: bool) -> Share:
        """Share of right answers, interval by resampling whole tables.

        Parameters
        ----------
        by_source : bool
            Whether every table counts once, or every pair.
        """
        tables = sorted({line.table for line in self.lines})
        place = np.array([tables.index(line.table) for line in self.lines])
        # A table of which only some pairs are here counts once all the same.
        weight = 1.0 / np.bincount(place)[place] if by_source else np.ones(len(place))
        total = np.bincount(place, weight)
        hits = np.bincount(place, weight * self.right)
        draws = default_rng(0).integers(len(tables), size=(RESAMPLES, len(tables)))
        shares = hits[draws].sum(axis=1) / total[draws].sum(axis=1)
        low, high = np.quantile(shares, (0.025, 0.975))
        return Share(float(hits.sum() / total.sum()), float(low), float(high))

    def bars(self) -> Iterator[Bar]:
        """Claimed against right, of answers that are 2 p - 1; a bar holds its lower edge.

        Intervals are those of Clopper and Pearson, every pair counted once.
        """
        claimed = (1.0 + np.abs(self.answers)) / 2.0
        at = np.clip(np.searchsorted(EDGES, claimed, side="right") - 1, 0, len(EDGES) - 2)
        for number, (low, high) in enumerate(pairwise(EDGES)):
            held = (at == number) & ~np.isnan(claimed)
            count = int(held.sum())
            if count:
                hits = self.right[held].sum()
                ends = clopper_pearson(hits, count)
                share = Share(float(hits / count), *(float(end) for end in ends))
                yield Bar(low, high, count, float(claimed[held].mean()), share)


def answered(record: Record, method: str, lines: Sequence[Line]) -> Answered:
    """Answers of a method in the record; those not there are missing."""
    found = record["methods"][method]["answers"]
    values = [found.get(line.id) for line in lines]
    return Answered(lines, np.array([np.nan if v is None else v for v in values]))


# -- the page --------------------------------------------------------------------------------


def page(record: Record, lines: Sequence[Line]) -> str:
    """The page of the record, in Markdown."""
    found = {method: answered(record, method, lines) for method in record["methods"]}
    parts = [_head(lines), _accuracies(record, found), _kinds(found, lines)]
    parts += [
        _calibration(method, found[method])
        for method, told in record["methods"].items()
        if told["probability"]
    ]
    parts.append(_pairs(found, lines))
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(lines: Sequence[Line]) -> Iterator[str]:
    tables = len({line.table for line in lines})
    yield "# Real pairs of known direction"
    yield ""
    yield (
        f"{len(lines)} pairs of {tables} tables from packages on PyPI, listed with reasons in "
        "`benchmarks/real_pairs/pairs.csv` before any method saw them. Made by `make bench-real`. "
        "Intervals (95 %) come from resampling tables; abstentions and failures count as wrong. "
        "The surer half are the pairs with the largest confidences of the method; looks are how "
        "often it has been asked."
    )


def _accuracies(record: Record, found: Mapping[str, Answered]) -> Iterator[str]:
    yield "\n## Right answers\n"
    heads = ("method", "by pair", "by source", "surer half, by source", "no answer", "s", "looks")
    yield _row((*heads, "commit", "on"))
    yield "|:--|--:|--:|--:|--:|--:|--:|:--|:--|"
    for method, one in found.items():
        told = record["methods"][method]
        silent = int((np.isnan(one.answers) | (one.answers == 0.0)).sum())
        shares = (
            one.share(by_source=False),
            one.share(by_source=True),
            one.surer_half().share(by_source=True),
        )
        origin = (told["looks"], told["commit"], told["on"])
        yield _row((method, *shares, silent, told["seconds"], *origin))


def _kinds(found: Mapping[str, Answered], lines: Sequence[Line]) -> Iterator[str]:
    yield "\n## By kind of cause and of rows: right by pair\n"
    yield _row(("", "pairs", *found))
    yield "|:--|--:|" + "--:|" * len(found)
    for attribute in ("kind", "rows"):
        values = [getattr(line, attribute) for line in lines]
        for value in sorted(set(values), key=lambda one: (-values.count(one), one)):
            kept = [one == value for one in values]
            shares = (f"{one.only(kept).right.mean():.2f}" for one in found.values())
            yield _row((f"{attribute}: {value}", sum(kept), *shares))


def _calibration(method: str, one: Answered) -> Iterator[str]:
    known = one.only(~np.isnan(one.answers))
    claimed = (1.0 + np.abs(known.answers)) / 2.0
    yield f"\n## {method}: claimed against right\n"
    yield f"All pairs: claimed {claimed.mean():.2f}, right {known.right.mean():.2f}.\n"
    yield "| probability | pairs | claimed | right |"
    yield "|:--|--:|--:|--:|"
    for bar in known.bars():
        yield _row((f"{bar.low:.1f} to {bar.high:.1f}", bar.pairs, f"{bar.claimed:.2f}", bar.right))


def _pairs(found: Mapping[str, Answered], lines: Sequence[Line]) -> Iterator[str]:
    yield "\n## Pair by pair\n"
    yield "Confidences of the methods, signed by the truth: positive is right.\n"
    yield _row(("pair", "kind", "rows", "n", *found))
    yield "|:--|:--|:--|--:|" + "--:|" * len(found)
    for place, line in enumerate(lines):
        told = (_number(one.answers[place]) for one in found.values())
        yield _row((line.id, line.kind, line.rows, line.n, *told))


def _number(answer: float) -> str:
    return "none" if np.isnan(answer) else f"{answer:+.3g}"


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
