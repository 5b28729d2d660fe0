"""One column of numbers, whatever it comes as.

Arrays, sequences and the columns of data frames end as float64 vectors in which NaN stands
for a missing value. What is no number but has an order becomes numbers of that order, with the
scale that tells what they stand for. Anything else is refused by column, row and value; rows are
counted from 1.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import nan
from reprlib import repr as short_repr
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bqcd.data.nominal import nominal_column
from bqcd.data.ordered import (
    TRUTH,
    ordered_arrow,
    ordered_booleans,
    ordered_objects,
    ordered_periods,
    ordered_times,
)
from bqcd.data.scales import DECLARE, Ordered, number_of
from bqcd.errors import InvalidPairError
from bqcd.runtime.arrays import Vector


def series_name(values: object) -> str:
    """Name of a series; empty if it has none, or one that is not text.

    Examples
    --------
    >>> series_name([1, 2, 3])
    ''
    """
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else ""


def as_vector(values: object, name: str, *, first_row: int = 1) -> Vector:
    """Column as float64 with NaN for missing; the same memory where it is float64 already.

    Parameters
    ----------
    values, name, first_row
        As in :func:`as_column`.

    Raises
    ------
    InvalidPairError
        If the values are not one-dimensional, or one of them is no real number.

    Examples
    --------
    >>> as_vector([1, None, True], "age")
    array([ 1., nan,  1.])
    """
    return as_column(values, name, first_row=first_row).values


def as_column(values: object, name: str, *, first_row: int = 1, nominal: bool = False) -> Ordered:
    """Column as float64 with NaN for missing, and what its numbers stand for.

    Parameters
    ----------
    values : array-like of shape (n,)
        As in :meth:`bqcd.data.pair.Pair.from_arrays`.
    name : str
        Name of the column, for messages.
    first_row : int, default=1
        Number of the first row, for messages: the values may be a piece of a column.
    nominal : bool, default=False
        Whether text and categories without an order become numbers of their levels, with a
        nominal scale.

    Raises
    ------
    InvalidPairError
        If the values are not one-dimensional, or one of them is neither a real number nor of a
        kind that has an order.

    Examples
    --------
    >>> found = as_column(["yes", "no", None], "smoker")
    >>> found.values, found.scale.levels
    (array([ 1.,  0., nan]), ('no', 'yes'))
    """
    if nominal and not isinstance(values, Ordered):
        try:
            return as_column(values, name, first_row=first_row)
        except InvalidPairError:
            found = nominal_column(values)
            if found is None:
                raise
            return found
    if isinstance(values, Ordered):
        return values
    if type(values) is np.ndarray and values.dtype == np.float64 and values.ndim == 1:
        return Ordered(values, None)
    array = _array(values, name)
    if isinstance(array, Ordered):
        return array
    if array.ndim != 1:
        _refuse_shape(values, array.shape, name)
    kind = array.dtype.kind
    if array.dtype == np.float64:
        return Ordered(array, None)
    if kind == "b":
        return ordered_booleans(array)
    if kind in "iuf":
        # A long double beyond float64 becomes infinite and is refused as such.
        with np.errstate(over="ignore"):
            return Ordered(array.astype(np.float64), None)
    if kind == "c" and len(array):
        raise InvalidPairError(
            f"Column {name!r} must hold real numbers, but its values are complex "
            f"(row {first_row} is {array[0]})."
        )
    if kind in "mM":
        return ordered_times(array)
    return _column_of_objects(array.astype(object, copy=False), name, first_row)


def _array(values: object, name: str) -> NDArray[Any] | Ordered:
    """Values as an array of any shape and type, or as a column with an order."""
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(values)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if isinstance(values, list | tuple | range):
        return _array_of_sequence(values)
    return _array_of_column(values, name)


def _unmasked(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    plain = np.asarray(np.ma.getdata(values))
    if not np.ma.is_masked(values) or plain.dtype.kind not in "biufmMO":
        return plain
    if plain.dtype.kind in "mM":
        plain = plain.copy()
        plain[np.ma.getmaskarray(values)] = np.array("NaT", dtype=plain.dtype)
        return plain
    plain = plain.astype(object if plain.dtype.kind == "O" else np.float64)
    plain[np.ma.getmaskarray(values)] = nan
    return plain


def _array_of_sequence(values: Sequence[object]) -> NDArray[Any]:
    # NumPy warns of masked entries outside masked arrays.
    if type(np.ma.masked) in map(type, values):
        return np.fromiter(values, dtype=object, count=len(values))
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):
        array = np.empty(0, dtype=object)
    # Text turns its neighbours into text, so the values are looked at one by one.
    if array.ndim == 1 and array.dtype.kind not in "biufcmM":
        return np.fromiter(values, dtype=object, count=len(values))
    return array


def _array_of_column(values: Any, name: str) -> NDArray[Any] | Ordered:
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(values, pyarrow.Array | pyarrow.ChunkedArray):
        return _array_of_arrow(pyarrow, values, name)
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(values)
    if str(getattr(values, "dtype", "")).startswith("period["):
        return ordered_periods(values)
    with_order = (nw.Categorical, nw.Enum, nw.Date, nw.Datetime, nw.Duration, nw.Time)
    if isinstance(series.dtype, with_order):
        import pyarrow as loaded

        return _array_of_arrow(loaded, series.to_arrow(), name)
    if series.dtype == nw.Boolean:
        numbers = series.cast(nw.Float64()).to_numpy()
        return Ordered(np.array(numbers, dtype=np.float64), TRUTH)
    # NumPy has no such type with gaps; the other types keep their own, so that large
    # integers are rounded and not refused as inexact.
    if series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        series = series.cast(nw.Float64())
    return series.to_numpy()


def _array_of_arrow(pyarrow: Any, column: Any, name: str) -> NDArray[Any] | Ordered:
    """Arrow column as an array, without ``to_numpy``: that imports pandas, 0.2 s."""
    kind, types = column.type, pyarrow.types
    is_plain = types.is_integer(kind) or types.is_floating(kind)
    if not is_plain:
        found = ordered_arrow(pyarrow, column)
        if found is not None:
            return found
    if types.is_dictionary(kind):
        _refuse_categories(name)
    if not (is_plain or types.is_decimal(kind) or types.is_null(kind)):
        return np.fromiter(column.to_pylist(), dtype=object, count=len(column))
    # Casting loads the compute functions, 0.04 s, which plain numbers do without.
    if column.null_count or not is_plain:
        column = column.cast(pyarrow.float64(), safe=False).fill_null(nan)
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return np.from_dlpack(column)


def _column_of_objects(values: NDArray[Any], name: str, first_row: int) -> Ordered:
    vector = np.empty(len(values))
    numbers = map(number_of, values)
    for at, number in enumerate(numbers):
        if number is None:
            return _ordered_objects(values, at, name, first_row)
        vector[at] = number
    truth = all(isinstance(value, bool | np.bool_) for value in values[~np.isnan(vector)])
    if truth and not np.isnan(vector).all():
        return Ordered(vector, TRUTH)
    return Ordered(vector, None)


def _ordered_objects(values: NDArray[Any], at: int, name: str, first_row: int) -> Ordered:
    """Column of objects, one of which is no number; refused if they have no order."""
    known = [number_of(value) for value in values]
    missing = np.array([number is not None and number != number for number in known])
    found = ordered_objects(values, missing)
    if found is None:
        _refuse_object(values, at, name, first_row)
    return found


def _refuse_object(values: NDArray[Any], at: int, name: str, first_row: int) -> NoReturn:
    value = values[at]
    if isinstance(value, str):
        # The value that made the column text says more than the first number in it.
        words = (i for i in range(at, len(values)) if not _reads_as_number(values[i]))
        word_at = next(words, None)
        if word_at is None:
            raise InvalidPairError(
                f"Column {name!r} must hold numbers, but row {first_row + at} is the text "
                f"{short_repr(value)}; convert the column to numbers first."
            )
        at, value = word_at, values[word_at]
    advice = f"; if such words have an order, {DECLARE}" if isinstance(value, str) else ""
    raise InvalidPairError(
        f"Column {name!r} must hold numbers, but row {first_row + at} is {short_repr(value)} "
        f"({type(value).__name__}){advice}."
    )


def _reads_as_number(value: Any) -> bool:
    if not isinstance(value, str):
        return number_of(value) is not None
    try:
        float(value.replace(",", "."))
    except ValueError:
        return False
    return True


def _refuse_shape(values: object, shape: tuple[int, ...], name: str) -> NoReturn:
    if shape:
        raise InvalidPairError(f"Column {name!r} must be one-dimensional, got shape {shape}.")
    raise InvalidPairError(
        f"Column {name!r} must be a one-dimensional sequence of numbers, "
        f"got {short_repr(values)} ({type(values).__name__})."
    )


def _refuse_categories(name: str) -> NoReturn:
    raise InvalidPairError(
        f"Column {name!r} is categorical without an order; if there is one, {DECLARE}."
    )
