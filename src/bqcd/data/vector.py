"""One column of numbers, whatever it comes as.

Arrays, sequences and the columns of data frames end as float64 vectors in which NaN stands
for a missing value. What is no number is refused by column, row and value; rows are counted
from 1.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from math import inf, nan
from numbers import Real
from reprlib import repr as short_repr
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

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
    values : array-like of shape (n,)
        As in :meth:`bqcd.data.pair.Pair.from_arrays`.
    name : str
        Name of the column, for messages.
    first_row : int, default=1
        Number of the first row, for messages: the values may be a piece of a column.

    Raises
    ------
    InvalidPairError
        If the values are not one-dimensional, or one of them is no real number.

    Examples
    --------
    >>> as_vector([1, None, True], "age")
    array([ 1., nan,  1.])
    """
    if type(values) is np.ndarray and values.dtype == np.float64 and values.ndim == 1:
        return values
    array = _array(values, name, first_row)
    if array.ndim != 1:
        _refuse_shape(values, array.shape, name)
    if array.dtype == np.float64:
        return array
    kind = array.dtype.kind
    if kind in "biuf":
        # A long double beyond float64 becomes infinite and is refused as such.
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    if kind == "c" and len(array):
        raise InvalidPairError(
            f"Column {name!r} must hold real numbers, but its values are complex "
            f"(row {first_row} is {array[0]})."
        )
    if kind in "mM" and len(array):
        at = int(np.isnat(array).argmin())
        _refuse_times(array[at], first_row + at, name)
    return _vector_of_objects(array.astype(object, copy=False), name, first_row)


def _array(values: object, name: str, first_row: int) -> NDArray[Any]:
    """Values as an array of any shape and type."""
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(values)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if isinstance(values, list | tuple | range):
        return _array_of_sequence(values)
    return _array_of_column(values, name, first_row)


def _unmasked(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    plain = np.asarray(np.ma.getdata(values))
    if not np.ma.is_masked(values) or plain.dtype.kind not in "biufO":
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


def _array_of_column(values: Any, name: str, first_row: int) -> NDArray[Any]:
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(values, pyarrow.Array | pyarrow.ChunkedArray):
        return _array_of_arrow(pyarrow, values, name, first_row)
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(values)
    if series.dtype in (nw.Categorical, nw.Enum):
        _refuse_categories(name)
    # NumPy has no such type with gaps; the other types keep their own, so that large
    # integers are rounded and not refused as inexact.
    if series.dtype in (nw.Boolean, nw.Decimal, nw.Int128, nw.UInt128):
        series = series.cast(nw.Float64())
    return series.to_numpy()


def _array_of_arrow(pyarrow: Any, column: Any, name: str, first_row: int) -> NDArray[Any]:
    """Arrow column as an array, without ``to_numpy``: that imports pandas, 0.2 s."""
    kind, types = column.type, pyarrow.types
    if types.is_dictionary(kind):
        _refuse_categories(name)
    is_time = types.is_date(kind) or types.is_time(kind) or types.is_timestamp(kind)
    if is_time and len(column):
        at = next((at for at, value in enumerate(column) if value.is_valid), 0)
        _refuse_times(column.slice(at, 1).cast(pyarrow.string())[0], first_row + at, name)
    is_plain = types.is_integer(kind) or types.is_floating(kind)
    if not (is_plain or types.is_boolean(kind) or types.is_decimal(kind) or types.is_null(kind)):
        return np.fromiter(column.to_pylist(), dtype=object, count=len(column))
    # Casting loads the compute functions, 0.04 s, which plain numbers do without.
    if column.null_count or not is_plain:
        column = column.cast(pyarrow.float64(), safe=False).fill_null(nan)
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return np.from_dlpack(column)


def _vector_of_objects(values: NDArray[Any], name: str, first_row: int) -> Vector:
    vector = np.empty(len(values))
    for at, value in enumerate(values):
        number = _number(value)
        if number is None:
            _refuse_object(values, at, name, first_row)
        vector[at] = number
    return vector


def _number(value: Any) -> float | None:
    """Value as a float: NaN if it is missing, None if it is no number."""
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


def _refuse_object(values: NDArray[Any], at: int, name: str, first_row: int) -> NoReturn:
    value = values[at]
    if isinstance(value, date | time | timedelta | np.datetime64 | np.timedelta64):
        _refuse_times(value, first_row + at, name)
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
    advice = "; number its values first if they have an order" if isinstance(value, str) else ""
    raise InvalidPairError(
        f"Column {name!r} must hold numbers, but row {first_row + at} is {short_repr(value)} "
        f"({type(value).__name__}){advice}."
    )


def _reads_as_number(value: Any) -> bool:
    if not isinstance(value, str):
        return _number(value) is not None
    try:
        float(value)
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


def _refuse_times(value: object, row: int, name: str) -> NoReturn:
    raise InvalidPairError(
        f"Column {name!r} must hold numbers, but row {row} is the date or time {value}; "
        "convert it first, for example to days since the first row."
    )


def _refuse_categories(name: str) -> NoReturn:
    raise InvalidPairError(
        f"Column {name!r} is categorical, and categories have no distances to compare; "
        "convert it to numbers first if its categories are numbers."
    )
