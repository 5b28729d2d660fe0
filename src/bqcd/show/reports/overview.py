"""The columns of a table at a glance: a histogram of each, what it holds, what to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import Any

import numpy as np

from bqcd.data.scales import Scale
from bqcd.errors import InvalidPairError
from bqcd.methods.coarseness import coarseness
from bqcd.runtime.arrays import Vector
from bqcd.scans.problems import SAME_ORDER, is_serial, order_of_rows
from bqcd.scans.results import Scan
from bqcd.scans.skipping import identifier_problem
from bqcd.scans.sources import Source
from bqcd.show.words.columns import ALERTS, alerts_told, derived_text

MOST_COLUMNS = 200
"""Columns that are shown, at most: those of the table's beginning."""

BINS = 24
_FEW = 20
_MANY_MISSING = 0.1
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
# Of a column of words so many rows are looked at; and so many numbers in all.
_LOOKED_AT = 1_000_000
_MOST_NUMBERS, _FEWEST_COLUMNS = 50_000_000, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCard:
    """One column at a glance.

    Parameters
    ----------
    name, kind : str
        Of the column.
    n_missing, n_distinct : int
        Missing values, and different ones among the others.
    counts : tuple of int, default=()
        Heights of the histogram; empty where there is none.
    ends : (str, str), default=("", "")
        First and last value of the histogram.
    alerts : tuple of (str, str), default=()
        Code of what is to be looked at, and what it means.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    counts: tuple[int, ...] = ()
    ends: tuple[str, str] = ("", "")
    alerts: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The card, ready for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "missing": self.n_missing,
            "distinct": self.n_distinct,
            "counts": list(self.counts),
            "ends": list(self.ends),
            "alerts": [
                {"code": code, "word": ALERTS[code][0], "says": says} for code, says in self.alerts
            ],
        }


def columns_part(
    source: Source,
    derived: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    most: int = MOST_COLUMNS,
) -> dict[str, object]:
    """The columns of a table, ready for JSON.

    Parameters
    ----------
    source : Source
        The table.
    derived : mapping of str to sequence of str, default={}
        Columns that have the same order, by name.
    most : int, default=200
        How many columns are shown, at most; of a very long table fewer.

    Examples
    --------
    >>> from bqcd.scans.sources import open_source
    >>> part = columns_part(open_source({"day": [1, 2, 3], "flat": [5, 5, 5]}))
    >>> [[alert["code"] for alert in card["alerts"]] for card in part["cards"]]
    [['sorted'], ['constant']]
    """
    most = min(most, len(source.names), max(_FEWEST_COLUMNS, _MOST_NUMBERS // source.n_rows))
    cards = [column_card(source, at, derived) for at in range(most)]
    return {
        "cards": [card.as_dict() for card in cards],
        "total": len(source.names),
        "rows": source.n_rows,
        "says": alerts_told(sum(bool(card.alerts) for card in cards), len(cards)),
    }


def derived_columns(found: Scan) -> dict[str, list[str]]:
    """Columns of a scan that have the same order as another, or the opposite one."""
    same = np.abs(found.numbers("spearman")) >= SAME_ORDER
    others: dict[str, list[str]] = {}
    for row in found.table.select(["x", "y"]).filter(same).to_pylist():
        others.setdefault(row["x"], []).append(row["y"])
        others.setdefault(row["y"], []).append(row["x"])
    return others


def column_card(source: Source, at: int, derived: Mapping[str, Sequence[str]]) -> ColumnCard:
    """One column at a glance.

    Parameters
    ----------
    source : Source
        The table.
    at : int
        Position of the column.
    derived : mapping of str to sequence of str
        Columns with the same order, by name.
    """
    name, kind = source.names[at], source.kinds[at]
    try:
        column = source.ordered(at)
    except InvalidPairError:
        return _of_words(source, at)
    values = column.values[np.isfinite(column.values)]
    n_missing, n_distinct = len(column) - len(values), len(np.unique(values))
    codes = list(_codes(name, kind, values, n_distinct, n_missing / len(column)))
    told = [(code, ALERTS[code][1]) for code in codes]
    if others := derived.get(name):
        told.append(("derived", derived_text(others)))
    order = list(ALERTS)
    counts, ends = _histogram(values, column.scale)
    return ColumnCard(
        name=name,
        kind=kind,
        n_missing=n_missing,
        n_distinct=n_distinct,
        counts=counts,
        ends=ends,
        alerts=tuple(sorted(told, key=lambda alert: order.index(alert[0]))),
    )


def _codes(
    name: str, kind: str, values: Vector, n_distinct: int, share_missing: float
) -> Iterator[str]:
    """What is to be looked at in a column of numbers, without others beside it."""
    if share_missing > _MANY_MISSING:
        yield "missing"
    if n_distinct <= 1:
        yield "constant"
        return
    if identifier_problem(values, name, n_distinct):
        yield "identifier"
    if kind == "date":
        yield "time"
    ranks = np.unique(values, return_inverse=True)[1].astype(np.float64)
    autocorrelation, is_sorted = order_of_rows(ranks)
    if is_sorted:
        yield "sorted"
    elif is_serial(autocorrelation, len(values)):
        yield "serial"
    # Most real columns repeat values; only where one sees it in a table is it worth a look.
    found = coarseness(values)
    if found == "heap" or (found is not None and n_distinct <= _FEW):
        yield "few values"


def _histogram(values: Vector, scale: Scale | None) -> tuple[tuple[int, ...], tuple[str, str]]:
    """Counts of values of equal width, and the first and last value."""
    if not len(values):
        return (), ("", "")
    low, high = float(values.min()), float(values.max())
    if not isfinite(high - low):
        return (), ("", "")
    levels = np.unique(values)
    if len(levels) <= BINS and (scale is not None or len(levels) < len(values)):
        counts = np.unique(values, return_counts=True)[1]
    else:
        counts, _ = np.histogram(values, bins=BINS, range=(low, high if high > low else low + 1))
    return tuple(counts.tolist()), (_value_text(low, scale), _value_text(high, scale))


def _value_text(value: float, scale: Scale | None) -> str:
    if scale is not None:
        return scale.label(value)
    # Powers of ten only where nobody could count the digits; four of them may be a year.
    if 1e4 <= abs(value) < 1e9:
        return f"{float(f'{value:.4g}'):,.0f}"
    digits, _, power = f"{value:.4g}".partition("e")
    raised = str(int(power or 0)).translate(_RAISED)
    return f"{digits} \N{MULTIPLICATION SIGN} 10{raised}" if power else digits


def _of_words(source: Source, at: int) -> ColumnCard:
    """Card of a column that has no order: how many different entries it has."""
    held = list(_entries(source.parts(at)))
    known = [one for one in held if one is not None]
    n_distinct = len(set(known))
    code = "not judged"
    if n_distinct <= 1:
        code = "constant"
    elif n_distinct == len(known) and source.kinds[at] == "text":
        code = "identifier"
    counts = sorted(Counter(known).values(), reverse=True)
    return ColumnCard(
        name=source.names[at],
        kind=source.kinds[at],
        n_missing=len(held) - len(known),
        n_distinct=n_distinct,
        counts=tuple(counts) if 1 < len(counts) <= BINS else (),
        alerts=((code, ALERTS[code][1]),),
    )


def _entries(parts: Iterator[Any]) -> Iterator[str | None]:
    left = _LOOKED_AT
    for part in parts:
        piece = part[:left]
        for value in piece.to_pylist() if hasattr(piece, "to_pylist") else list(piece):
            yield None if value is None or value != value else str(value)
        left -= len(piece)
        if left <= 0:
            return
