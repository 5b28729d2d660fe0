"""The one way to a table, whatever it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from bqcd.data.files.finishing import Finisher
from bqcd.data.files.reading import UnreadTable
from bqcd.data.files.switches import MISSING_WORDS, Reading
from bqcd.data.places import name_or_position, positions_of, side_columns
from bqcd.data.tables import held_table, open_table
from bqcd.errors import BqcdError, InvalidTableError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MISSING_WORDS", "beside", "read_table"]


def read_table(
    source: object,
    columns: Sequence[str | int] | None = None,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    na: str | Sequence[str] = (),
    comment: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    table: str | None = None,
    query: str | None = None,
    nominal: str | Sequence[str] = (),
    order: Mapping[str, Sequence[str]] | Sequence[str] = (),
) -> pa.Table:
    r"""Table of a file, an address, or anything in memory that is one.

    Parameters
    ----------
    source : str, Path or table
        Delimited text, Parquet (a file, a folder, partitions, a pattern), Arrow, Feather, NumPy,
        JSON and JSON lines, Excel, Stata, SAS, SPSS, SQLite or DuckDB; text and JSON also
        compressed. An address of http, https or what fsspec opens; ``"-"`` for standard input.
        Or a frame of pandas, polars or Spark, an Arrow table, dataset or reader, a relation of
        DuckDB, a mapping from names to columns, a two-dimensional array.
    columns : sequence of str or int, optional
        Columns to read, in this order: names, or positions counted from 0. Default: all.
    delimiter : str, optional
        Between fields of a text. Default: found from the first rows.
    decimal, thousands : str, optional
        Decimal sign of numbers, and the sign between thousands. Default: found where words prove
        it; a number with two readings is an error.
    encoding : str, optional
        Of a text. Default: UTF-8, or UTF-16 and UTF-32 with their marks, or else Latin-1.
    na : str or sequence of str, default=()
        Words or numbers that stand for a missing value, beside ``MISSING_WORDS``.
    comment : str, optional
        What lines begin with that are none of the table. Default: ``"#"``, if the first line
        begins with it.
    header : bool, optional
        Whether the first row has the names. Default: if it is not all numbers.
    sheet : str or int, optional
        Sheet of a workbook, by name, or by number from 0. Default: the only one.
    table, query : str, optional
        Table of a database, or a query that reads from it. Default: the only table.
    nominal : str or sequence of str, default=()
        Columns whose numbers are names and have no order.
    order : mapping of str to sequence of str, default=()
        Levels of columns of words, lowest first: ``{"grade": ["I", "II", "III"]}``.

    Returns
    -------
    pyarrow.Table
        Numbers as numbers, dates as dates, columns with any other word as text.

    Raises
    ------
    InvalidTableError
        If the table is absent, empty, damaged or none; a column is absent or ambiguous; or a
        number can be read in two ways.
    InvalidPairError
        If a column is asked for twice.
    MissingPackageError
        If the format needs a package that is not installed: ``pip install 'bqcd[files]'``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "houses.csv")
    ...     _ = path.write_text("area;price;sold\n80,5;210;2020-01-31\n95;NA;2020-02-01\n")
    ...     read_table(path, ["price", "area"]).to_pydict()
    {'price': [210, None], 'area': [80.5, 95.0]}
    """
    reading = Reading(
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        na=na,
        comment=comment,
        header=header,
        sheet=sheet,
        table=table,
        query=query,
        nominal=nominal,
        order=order,
    )
    if isinstance(source, str | PathLike):
        return UnreadTable(source, reading).read(columns)
    if isinstance(source, UnreadTable):
        return source.read(columns)
    reading.check_used("a table in memory", ())
    return _read_held(source, columns, reading)


def _read_held(source: Any, columns: Sequence[str | int] | None, reading: Reading) -> pa.Table:
    """Arrow table of a table in memory."""
    import pyarrow as pa

    names, columns_at = open_table(held_table(source))
    told = [str(name) for name in names]
    finisher = Finisher(reading, told)
    positions = positions_of(told, columns)
    arrays = [
        finisher.column(_arrow(column, told[at]), at)
        for column, at in zip(columns_at(*positions) if positions else (), positions, strict=True)
    ]
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise InvalidTableError("Columns of a table must have the same length.")
    if lengths == {0} or not arrays:
        raise InvalidTableError("The table has no rows." if arrays else "The table has no columns.")
    return pa.Table.from_arrays(arrays, names=[told[at] for at in positions])


def _arrow(column: Any, name: str) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    to_arrow = getattr(column, "to_arrow", None)
    try:
        if callable(to_arrow):
            return to_arrow()
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InvalidTableError(
            f"Column {name!r} holds values of several kinds, or of one that no table has."
        ) from error


def beside(table: object, columns: Sequence[object], *, groups: int = 0) -> tuple[Any, list[Any]]:
    """Table in memory with the columns asked for, and what these are called in it.

    Of a small file all columns are read: the others may tell which rows belong together. Of a
    large one no others are.

    Parameters
    ----------
    table : object
        Whatever :func:`bqcd.read_table` takes, or None.
    columns : sequence of object
        Names or positions; anything else, such as None or an array, is passed through.
    groups : int, default=0
        How many of them, the first ones, may be lists of names or positions.
    """
    if table is None or not isinstance(table, str | PathLike | UnreadTable):
        return held_table(table) if table is not None else None, list(columns)
    unread = UnreadTable.of(table)
    if unread.is_small or not unread.is_file:
        try:
            whole = unread.read()
            names = whole.column_names
            return whole, [
                [_asked(names, one) for one in column] if is_group else _asked(names, column)
                for column, is_group in _marked(columns, groups)
            ]
        except BqcdError:
            if not unread.is_file:
                raise
    flat = [
        one
        for column, is_group in _marked(columns, groups)
        for one in (column if is_group else [column])
        if isinstance(one, str | int)
    ]
    chosen, numbers = unread.read(flat), iter(range(len(flat)))
    return chosen, [
        [_numbered(one, numbers) for one in column] if is_group else _numbered(column, numbers)
        for column, is_group in _marked(columns, groups)
    ]


def asked_sides(
    unread: UnreadTable, x: str, y: str
) -> tuple[Any, str | int | list[str | int], str | int | list[str | int]]:
    """Table, and the columns of both sides of a pair: single ones or, with commas, groups.

    Parameters
    ----------
    unread : UnreadTable
        Where the columns are.
    x, y : str
        Names or positions, several of them separated by commas.
    """
    if "," not in f"{x}{y}":
        return unread, x, y
    table: Any = unread if unread.is_file else unread.read()
    names = unread.open().names if unread.is_file else table.column_names
    return table, side_columns(names, x), side_columns(names, y)


def _marked(columns: Sequence[Any], groups: int) -> list[tuple[Any, bool]]:
    """Columns, and whether each is a list of them."""
    return [
        (column, at < groups and isinstance(column, list | tuple))
        for at, column in enumerate(columns)
    ]


def _asked(names: Sequence[str], column: Any) -> Any:
    return name_or_position(names, column) if isinstance(column, str) else column


def _numbered(column: Any, numbers: Iterator[int]) -> Any:
    """Position at which a column was read; what is no column as it is."""
    return next(numbers) if isinstance(column, str | int) else column
