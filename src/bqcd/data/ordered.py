"""Columns that are not numbers and have an order: their numbers, and what these stand for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bqcd.data.scales import Ordered, Scale, ScaleKind

TRUTH = Scale("boolean", levels=("false", "true"))
"""Scale of booleans."""

_BOOLEANS = (
    Scale("boolean", levels=("no", "yes")),
    TRUTH,
    *(
        Scale("boolean", levels=levels)
        for levels in (("n", "y"), ("f", "t"), ("nein", "ja"), ("non", "oui"))
    ),
)

WORDS = {word: float(at) for scale in _BOOLEANS for at, word in enumerate(scale.levels)}
"""Words that have an order, in whatever case, beside the other one of their pair."""

# Units of NumPy that become one of ours without loss, as far as int64 goes.
_UNITS = {
    **dict.fromkeys(("Y", "M", "W", "D"), "D"),
    **dict.fromkeys(("h", "m", "s", "generic"), "s"),
    **{"ms": "ms", "us": "us"},
}


def ordered_booleans(array: NDArray[np.bool_]) -> Ordered:
    """Booleans as 0 and 1.

    Examples
    --------
    >>> ordered_booleans(np.array([True, False])).values
    array([1., 0.])
    """
    return Ordered(array.astype(np.float64), TRUTH)


def ordered_times(array: NDArray[Any]) -> Ordered:
    """Dates or durations of NumPy as numbers of their unit, NaN for NaT.

    Examples
    --------
    >>> found = ordered_times(np.array(["2020-01-01", "NaT"], "datetime64[D]"))
    >>> found.values, found.scale.label(found.values[0])
    (array([18262.,    nan]), '2020-01-01')
    """
    kind = array.dtype.kind
    unit = _UNITS.get(np.datetime_data(array.dtype)[0], "ns")
    # A length of months has no number of days.
    if kind == "m" and np.datetime_data(array.dtype)[0] in "YM":
        return Ordered(_with_gaps(array), None)
    values = _with_gaps(array.astype(f"{kind}8[{unit}]"))
    told: ScaleKind = "duration" if kind == "m" else ("date" if unit == "D" else "datetime")
    return Ordered(values, Scale(told, unit))


def _with_gaps(array: NDArray[Any]) -> NDArray[np.float64]:
    values = array.astype(np.int64).astype(np.float64)
    values[np.isnat(array)] = nan
    return values


def ordered_periods(series: Any) -> Ordered:
    """Periods of pandas as their ordinal numbers."""
    array = series.array if hasattr(series, "array") else series
    values = np.asarray(array.asi8, dtype=np.float64)
    values[np.asarray(array.isna())] = nan
    frequency = str(array.dtype).removeprefix("period[").removesuffix("]")
    return Ordered(values, Scale("period", frequency))


def ordered_arrow(pyarrow: Any, column: Any) -> Ordered | None:
    """Column of Arrow that has an order and is no number; None if it is another one.

    Parameters
    ----------
    pyarrow : module
        As it is loaded already.
    column : pyarrow.Array or pyarrow.ChunkedArray
        The column.
    """
    kind, types = column.type, pyarrow.types
    if types.is_boolean(kind):
        return Ordered(_floats(pyarrow, column), TRUTH)
    if types.is_dictionary(kind):
        return _dictionary(pyarrow, column)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _words(pyarrow, column)
    told = _time_kind(types, kind)
    if told is None:
        return None
    unit = "D" if types.is_date32(kind) else "ms" if types.is_date64(kind) else kind.unit
    width = pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()
    return Ordered(_floats(pyarrow, column.cast(width)), Scale(told, unit))


def _time_kind(types: Any, kind: Any) -> ScaleKind | None:
    tests: tuple[tuple[Any, ScaleKind], ...] = (
        (types.is_date, "date"),
        (types.is_timestamp, "datetime"),
        (types.is_time, "time"),
        (types.is_duration, "duration"),
    )
    return next((told for is_kind, told in tests if is_kind(kind)), None)


def _floats(pyarrow: Any, column: Any) -> NDArray[np.float64]:
    """Numbers of a column, NaN where it has none; without ``to_numpy``, which imports pandas."""
    column = column.cast(pyarrow.float64(), safe=False).fill_null(nan)
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return np.array(np.from_dlpack(column))


def _dictionary(pyarrow: Any, column: Any) -> Ordered | None:
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
        # Of several chunks, or none, it may still be a chunked array.
        if isinstance(column, pyarrow.ChunkedArray):
            column = column.chunk(0)
    words = [str(word) for word in column.dictionary.to_pylist()]
    places = _floats(pyarrow, column.indices)
    if column.type.ordered:
        return Ordered(places, Scale("category", levels=tuple(words)))
    return _yes_or_no(words, places)


def _yes_or_no(words: Sequence[str], places: NDArray[np.float64]) -> Ordered | None:
    """Column of the words yes and no, or another such pair, by places among these words."""
    plain = [word.strip().lower() for word in words]
    scale = _boolean(set(plain))
    if scale is None:
        return None
    known = ~np.isnan(places)
    values = np.full(len(places), nan)
    values[known] = np.array([WORDS[word] for word in plain])[places[known].astype(np.intp)]
    return Ordered(values, scale)


def _boolean(words: set[str]) -> Scale | None:
    """Scale of words that are all of one pair; yes and no may stand beside true and false."""
    if not words:
        return None
    for scale in _BOOLEANS:
        if words.issubset(scale.levels):
            return scale
    return TRUTH if words <= {"no", "yes", "false", "true"} else None


def _words(pyarrow: Any, column: Any) -> Ordered | None:
    """Column of text if it holds nothing but yes and no, or another such pair."""
    first = next((word.as_py() for word in column if word.is_valid), None)
    # Most text is told apart by its first word.
    if first is None or first.strip().lower() not in WORDS:
        return None
    coded = column.dictionary_encode()
    return _dictionary(pyarrow, coded)


def ordered_objects(values: NDArray[Any], missing: NDArray[np.bool_]) -> Ordered | None:
    """Column of Python objects that are all dates, times, durations, periods or such words.

    Parameters
    ----------
    values : ndarray of object, shape (n,)
        The column.
    missing : ndarray of bool, shape (n,)
        Where it has no value.
    """
    present = [value for value, gap in zip(values, missing, strict=True) if not gap]
    kinds = {_object_kind(value) for value in present}
    if len(kinds) != 1 or (kind := kinds.pop()) is None:
        return None
    if kind == "boolean":
        return _spread([float(value) for value in present], missing, TRUTH)
    if kind == "word":
        plain = [value.strip().lower() for value in present]
        scale = _boolean(set(plain))
        numbers = [WORDS[word] for word in plain]
        return None if scale is None else _spread(numbers, missing, scale)
    if kind == "period":
        frequencies = {str(value.freqstr) for value in present}
        scale = Scale("period", frequencies.pop())
        return None if frequencies else _spread([v.ordinal for v in present], missing, scale)
    return _spread_times(present, missing, kind)


def _object_kind(value: Any) -> str | None:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, str):
        return "word" if value.strip().lower() in WORDS else None
    if isinstance(value, datetime):
        return "datetime" if value.tzinfo is None else "datetime with zone"
    tests = ((date | np.datetime64, "datetime"), (time, "time"), (timedelta, "duration"))
    found = next((kind for types, kind in tests if isinstance(value, types)), None)
    if found is None and isinstance(value, np.timedelta64):
        return "duration"
    return "period" if found is None and type(value).__name__ == "Period" else found


def _spread(numbers: Sequence[float], missing: NDArray[np.bool_], scale: Scale) -> Ordered:
    values = np.full(len(missing), nan)
    values[~missing] = numbers
    return Ordered(values, scale)


def _spread_times(present: list[Any], missing: NDArray[np.bool_], kind: str) -> Ordered | None:
    if kind == "time":
        zero = datetime(1970, 1, 1)
        numbers = [_microseconds(datetime.combine(zero, v.replace(tzinfo=None)) - zero)
                   for v in present]  # fmt: skip
        return _spread(numbers, missing, Scale("time", "us"))
    plain = all(type(value) is date for value in present)
    if kind == "datetime with zone":
        present = [value.astimezone(_utc()).replace(tzinfo=None) for value in present]
    try:
        array = np.array(present, dtype="m8[us]" if kind == "duration" else "M8[us]")
    except (ValueError, TypeError, OverflowError):
        return None
    if plain:
        array = array.astype("M8[D]")
    found = ordered_times(array)
    return _spread(found.values.tolist(), missing, found.scale or Scale("datetime", "us"))


def _microseconds(length: timedelta) -> float:
    return float(length // timedelta(microseconds=1))


def _utc() -> Any:
    from datetime import UTC

    return UTC
