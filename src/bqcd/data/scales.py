"""What the numbers of a column stand for, where it came as something else with an order.

Dates, times, durations, booleans, ordered categories and words such as yes and no are taken as
numbers of the same order: days or seconds since 1970, or places among the levels. A scale turns
such a number back into the label it had.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, inf, isfinite, nan
from numbers import Real
from typing import Any, Literal

import numpy as np

from bqcd.runtime.arrays import Vector

ScaleKind = Literal[
    "boolean", "category", "nominal", "date", "datetime", "time", "duration", "period"
]

DECLARE = "declare it (order of bqcd.read_table, --order)"
"""What to do about words that have an order."""

Tick = tuple[float, str]
"""Place on an axis, and what is written there."""

_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_DAY = 86_400.0
# Seconds between ticks, and how many letters of an ISO date and time then tell them apart.
_STEPS = (
    (1.0, 19), (5.0, 19), (15.0, 19), (60.0, 16), (300.0, 16), (900.0, 16), (3_600.0, 16),
    (10_800.0, 16), (21_600.0, 16), (43_200.0, 16), (_DAY, 10), (2 * _DAY, 10), (7 * _DAY, 10),
    (14 * _DAY, 10),
)  # fmt: skip
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000, 12_000)
_MONTH = 30.436875 * _DAY


@dataclass(frozen=True, slots=True)
class Scale:
    """How numbers of a column are shown.

    Parameters
    ----------
    kind : str
        What the column held: "boolean", "category", "nominal" (categories without an order, whose
        numbers are places among the levels and nothing more), "date", "datetime", "time",
        "duration" or "period".
    unit : str, default=""
        Of times: "D", "s", "ms", "us" or "ns"; of periods, their frequency in pandas.
    levels : tuple of str, default=()
        Labels of the numbers 0, 1, 2, ... of booleans and categories, with an order or without.

    Examples
    --------
    >>> Scale("category", levels=("low", "high")).label(1.0)
    'high'
    >>> Scale("date", "D").label(18_262.0)
    '2020-01-01'
    """

    kind: ScaleKind
    unit: str = ""
    levels: tuple[str, ...] = ()

    @property
    def is_nominal(self) -> bool:
        """Whether the numbers are names, and their order means nothing."""
        return self.kind == "nominal"

    def label(self, value: float) -> str:
        """Number as it was in the table; the number itself where it stands for nothing."""
        if not isfinite(value):
            return "missing"
        if self.levels:
            at = round(value)
            return self.levels[at] if 0 <= at < len(self.levels) else f"{value:g}"
        if self.kind == "period":
            return _period(round(value), self.unit)
        if self.kind == "duration":
            return _duration(self._seconds(value))
        return self._moment(value)

    def ticks(self, low: float, high: float, most: int = 6) -> list[Tick]:
        """Places on an axis between two numbers, with labels; at most so many, or nearly.

        Examples
        --------
        >>> Scale("boolean", levels=("no", "yes")).ticks(-0.1, 1.1)
        [(0.0, 'no'), (1.0, 'yes')]
        >>> [label for _, label in Scale("date", "D").ticks(18_200, 18_700, 4)]
        ['2020-01', '2020-07', '2021-01']
        """
        if not isfinite(low) or not isfinite(high) or low >= high:
            return []
        if self.levels or self.kind == "period":
            step = max(1, ceil((floor(high) - ceil(low) + 1) / most))
            places = range(ceil(low), floor(high) + 1, step)
            known = [at for at in places if not self.levels or 0 <= at < len(self.levels)]
            return [(float(at), self.label(at)) for at in known]
        if self.kind == "duration":
            return self._duration_ticks(low, high, most)
        return self._moment_ticks(low, high, most)

    @property
    def _per_second(self) -> float:
        return 1.0 / _DAY if self.unit == "D" else _PER_SECOND[self.unit]

    def _seconds(self, value: float) -> float:
        return value / self._per_second

    def _moment(self, value: float) -> str:
        """Date, date and time, or time of the day."""
        try:
            moment = np.array(round(value)).astype(f"M8[{self.unit}]")
            text = str(moment)
        except (OverflowError, ValueError):
            return f"{value:g}"
        if self.kind == "date":
            return text.removesuffix("T00:00:00.000").removesuffix("T00:00:00")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        if self.kind == "time":
            return text.partition("T")[2]
        return text.removesuffix("T00:00:00").replace("T", " ")

    def _moment_ticks(self, low: float, high: float, most: int) -> list[Tick]:
        first, last = self._seconds(low), self._seconds(high)
        if max(abs(first), abs(last)) > 1e14:  # beyond any calendar
            return []
        rough = (last - first) / most
        for step, letters in _STEPS:
            if step >= rough:
                places = np.arange(ceil(first / step), floor(last / step) + 1) * step
                return [(s * self._per_second, self._cut(s, letters)) for s in places.tolist()]
        months = next((m for m in _MONTHS if m * _MONTH >= rough), _MONTHS[-1])
        start = np.datetime64(floor(first), "s").astype("datetime64[M]").astype(np.int64)
        end = np.datetime64(floor(last), "s").astype("datetime64[M]").astype(np.int64)
        count = np.arange(-(-start // months) * months, end + 1, months)
        moments = count.astype("datetime64[M]")
        seconds = moments.astype("datetime64[s]").astype(np.int64).tolist()
        words = np.datetime_as_string(moments, unit="Y" if months >= 12 else "M")
        pairs = zip(seconds, words.tolist(), strict=True)
        return [(s * self._per_second, word) for s, word in pairs if first <= s <= last]

    def _cut(self, seconds: float, letters: int) -> str:
        text = str(np.datetime64(round(seconds), "s"))
        if self.kind == "time":
            return text.partition("T")[2][: max(5, letters - 11)]
        return text[: len(text) - 19 + letters].replace("T", " ")

    def _duration_ticks(self, low: float, high: float, most: int) -> list[Tick]:
        first, last = self._seconds(low), self._seconds(high)
        size, unit = _duration_unit(max(abs(first), abs(last)))
        rough = (last - first) / size / most
        power = 10.0 ** floor(np.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
        places = np.arange(ceil(first / size / step), floor(last / size / step) + 1) * step
        return [(at * size * self._per_second, f"{at:.6g} {unit}") for at in places.tolist()]


def _duration_unit(seconds: float) -> tuple[float, str]:
    for size, unit in ((_DAY, "d"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return size, unit
    return 1.0, "s"


def _duration(seconds: float) -> str:
    size, unit = _duration_unit(abs(seconds))
    return f"{seconds / size:.6g} {unit}"


def _period(ordinal: int, frequency: str) -> str:
    from bqcd.runtime.optional import require

    pandas = require("pandas", extra="pandas", needed_by="A label of a period")
    try:
        return str(pandas.Period(ordinal=ordinal, freq=frequency))
    except (ValueError, OverflowError):
        return str(ordinal)


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Numbers of a column with the scale they have.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers, NaN where a value is missing.
    scale : Scale or None
        What they stand for; None for numbers as such.
    """

    values: Vector
    scale: Scale | None

    def __len__(self) -> int:
        return len(self.values)


def number_of(value: Any) -> float | None:
    """Value as a float: NaN if it is missing, None if it is no number.

    Examples
    --------
    >>> number_of(Decimal("1.5")), number_of(Decimal("sNaN")), number_of("1.5")
    (1.5, nan, None)
    """
    if isinstance(value, Real | Decimal | np.bool_):
        try:
            return float(value)
        except OverflowError:
            return inf if value > 0 else -inf  # type: ignore[operator]
        except ValueError:  # a signalling NaN of decimal
            return nan
    # By name, so that pandas need not be imported.
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return nan
    if isinstance(value, np.datetime64 | np.timedelta64) and np.isnat(value):
        return nan
    return None
