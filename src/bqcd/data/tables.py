"""Tables of any kind opened: names of the columns, and the columns at given positions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from bqcd.data.files.reading import UnreadTable
from bqcd.errors import InvalidTableError

Columns = Callable[..., tuple[object, ...]]
"""From positions, counted from 0, to columns."""


def open_table(table: Any) -> tuple[Sequence[object], Columns]:
    """Column names of a table, and a function from positions to columns.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        Whatever :func:`bqcd.read_table` takes. Of files, lazy frames and Arrow datasets only the
        columns asked for are read, each time they are asked for; see :func:`held_table`.

    Raises
    ------
    InvalidTableError
        If it is none of these.

    Examples
    --------
    >>> names, columns_at = open_table({"age": [3, 4], "height": [95, 102]})
    >>> names, columns_at(1)
    (['age', 'height'], ([95, 102],))
    """
    if isinstance(table, str | PathLike | UnreadTable):
        return _open_unread(table)
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise InvalidTableError(
                f"An array must be two-dimensional to be a table, got shape {table.shape}."
            )
        # A column of a matrix would have two dimensions; one of a masked array keeps its mask.
        table = np.asarray(table) if isinstance(table, np.matrix) else table
        names: Sequence[object] = [f"column {position}" for position in range(table.shape[1])]
        return names, lambda *places: tuple(table[:, place] for place in places)
    if isinstance(table, Mapping):
        names = list(table)
        return names, lambda *places: tuple(table[names[place]] for place in places)
    return _open_frame(table)


def _open_unread(table: Any) -> tuple[Sequence[object], Columns]:
    unread = UnreadTable.of(table)
    opened = unread.open()
    return opened.names, lambda *places: tuple(unread.finished(opened, places).columns)


def held_table(table: Any) -> Any:
    """Table that can be opened again and again at no cost, and gives the same rows.

    Files, lazy frames, datasets, readers of batches and relations of databases are read once;
    anything else comes back as it is.

    Parameters
    ----------
    table : object
        Whatever :func:`open_table` takes.
    """
    if isinstance(table, str | PathLike | UnreadTable):
        return UnreadTable.of(table).read()
    if isinstance(table, np.ndarray | Mapping):
        return table
    pyarrow = _arrow_of(table)
    if pyarrow is not None:
        return pyarrow.to_table() if hasattr(pyarrow, "to_table") else pyarrow
    import narwhals as nw
    from narwhals.dependencies import is_pandas_like_dataframe

    if is_pandas_like_dataframe(table):  # never lazy, and names may be repeated
        return table
    frame = nw.from_native(table, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else table


def _arrow_of(table: Any) -> Any:
    """Arrow table or dataset of what pyarrow has, and of any other stream of Arrow; else None."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None:
        return None
    if isinstance(table, pyarrow.Table):
        return table
    if isinstance(table, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([table])
    if isinstance(table, pyarrow.RecordBatchReader):
        return table.read_all()
    datasets = sys.modules.get("pyarrow.dataset")
    if datasets is not None and isinstance(table, datasets.Dataset):
        return table
    return None


def _open_frame(table: Any) -> tuple[Sequence[object], Columns]:
    arrow = _arrow_of(table)
    if arrow is not None and hasattr(arrow, "to_table"):
        return arrow.schema.names, lambda *places: _of_dataset(arrow, places)
    if arrow is not None:
        return arrow.column_names, lambda *places: tuple(arrow.column(place) for place in places)
    import narwhals as nw
    from narwhals.dependencies import is_pandas_like_dataframe

    # narwhals refuses frames with repeated names even when they are not asked for.
    if is_pandas_like_dataframe(table):
        return list(table.columns), lambda *places: tuple(table.iloc[:, at] for at in places)
    frame = nw.from_native(table, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        streamed = _streamed(table)
        if streamed is not None:
            return _open_frame(streamed)
        raise InvalidTableError(
            "A table must be a file, a data frame, a mapping from names to columns or a "
            f"two-dimensional array, got {type(table).__name__}."
        )
    names = frame.collect_schema().names()

    def columns_at(*places: int) -> tuple[object, ...]:
        # By position: polars takes names such as "*" for patterns where columns are selected.
        held = frame
        if isinstance(held, nw.LazyFrame):
            held = held.select(nw.nth(*sorted({*places}))).collect()
        return tuple(held.get_column(names[place]).to_native() for place in places)

    return names, columns_at


def _streamed(table: Any) -> Any:
    """Arrow table of anything else that gives its rows as Arrow has them; None if it does not."""
    if not hasattr(table, "__arrow_c_stream__"):
        return None
    import pyarrow as pa

    try:
        return pa.table(table)
    except (pa.ArrowException, TypeError, ValueError):  # a column alone, for example
        return None


def _of_dataset(dataset: Any, places: Sequence[int]) -> tuple[object, ...]:
    names = dataset.schema.names
    if len(set(names)) < len(names):
        raise InvalidTableError("Columns of a dataset must have different names.")
    read = dataset.to_table(columns=sorted({names[place] for place in places}))
    return tuple(read.column(names[place]) for place in places)


def columns_of_rows(rows: Sequence[object]) -> dict[str, list[object]]:
    """Columns of a table given row by row, called by their positions.

    Raises
    ------
    InvalidTableError
        If a row is no sequence of values, or has more or fewer than the first.

    Examples
    --------
    >>> columns_of_rows([[1, 2.5], [3, None]])
    {'column 0': [1, 3], 'column 1': [2.5, None]}
    """
    held = [_row(row, number) for number, row in enumerate(rows, 1)]
    for number, row in enumerate(held, 1):
        if len(row) != len(held[0]):
            raise InvalidTableError(
                "Rows of a table must have equally many values, but row 1 has "
                f"{len(held[0])} and row {number} has {len(row)}."
            )
    return {f"column {at}": list(column) for at, column in enumerate(zip(*held, strict=True))}


def _row(row: object, number: int) -> list[object]:
    is_row = isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes)
    if not (is_row or hasattr(row, "iloc")) or getattr(row, "ndim", 1) != 1:
        raise InvalidTableError(
            "A table given row by row must hold sequences of values, but row "
            f"{number} is {short_repr(row)} ({type(row).__name__})."
        )
    return list(row)  # type: ignore[call-overload, no-any-return]
