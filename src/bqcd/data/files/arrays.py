"""Two-dimensional arrays in NumPy's format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bqcd.data.files.arrow import check_room
from bqcd.data.files.opened import Opened, reading_as
from bqcd.errors import InvalidTableError


def mapped_array(path: Path, label: str) -> np.ndarray[Any, Any]:
    """Array in a file, mapped as a whole.

    Raises
    ------
    InvalidTableError
        If it is damaged, or no table of numbers.
    """
    from tokenize import TokenError
    from warnings import catch_warnings, simplefilter

    with reading_as(label, "NumPy"):
        try:
            with catch_warnings():
                # That a header was written by Python 2 is nothing to the user.
                simplefilter("ignore")
                # Not np.load, which would open what is no array at all.
                array = np.lib.format.open_memmap(path, mode="r")
        except (SyntaxError, TokenError, TypeError, OverflowError) as error:
            # The header is read as Python, and some errors of that come through.
            raise ValueError(f"header: {error}") from error
    _check_array(label, array)
    return array


def _check_array(label: str, array: np.ndarray[Any, Any]) -> None:
    """Refuse what is no table of numbers before its columns are counted: there may be no end."""
    if array.ndim != 2:
        raise InvalidTableError(
            f"{label} must be two-dimensional to be a table, got shape {array.shape}."
        )
    if array.dtype.kind not in "biufc":
        raise InvalidTableError(f"{label} must hold numbers, but its values are {array.dtype}.")
    if not len(array):
        raise InvalidTableError(f"{label} has column names but no rows.")
    check_room(label, len(array), 1)


def open_array(path: Path, label: str) -> Opened:
    """Array of real numbers whose columns are called by their positions."""
    import pyarrow as pa

    array = mapped_array(path, label)
    if array.dtype.kind == "c":
        raise InvalidTableError(f"{label} must hold real numbers, but its values are complex.")
    check_room(label, *array.shape)
    names = [f"column {at}" for at in range(array.shape[1])]

    def read(positions: Sequence[int]) -> Any:
        # In the byte order of this machine, which Arrow insists on.
        columns = [array[:, at].astype(array.dtype.newbyteorder("=")) for at in positions]
        numbers = [c.astype(np.float64) if c.dtype.kind == "f" else c for c in columns]
        return pa.Table.from_arrays(
            [pa.array(column) for column in numbers], names=[names[at] for at in positions]
        )

    return Opened(label, names, read)
