"""What is said of columns once they are read: which values are missing, which order they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bqcd.data.files.switches import Reading
from bqcd.data.places import column_position, name_or_position, name_places
from bqcd.errors import InvalidTableError


class Finisher:
    """What to make of columns, by their positions.

    Parameters
    ----------
    reading : Reading
        What is said of them.
    names : sequence of str
        Names of all columns.

    Raises
    ------
    InvalidTableError
        If something is said of a column that is not there.
    """

    def __init__(self, reading: Reading, names: Sequence[str]) -> None:
        self._reading, self._names = reading, names
        places = name_places(names) if reading.nominal or reading.order else {}

        def at(column: str) -> int:
            return column_position(names, name_or_position(places, column), places)

        self._nominal = {at(column) for column in reading.nominal}
        self._order = {at(column): levels for column, levels in reading.order}
        for place in self._nominal & self._order.keys():
            raise InvalidTableError(
                f"Column {names[place]!r} is said to be nominal and to have an order."
            )

    @property
    def nominal(self) -> frozenset[int]:
        """Positions of the columns without an order."""
        return frozenset(self._nominal)

    @property
    def idle(self) -> bool:
        """Whether columns stay as they are."""
        return not (self._reading.na or self._nominal or self._order)

    def column(self, column: Any, at: int, *, first_row: int = 1) -> Any:
        """Column of Arrow, or a piece of one, as it is said to be.

        Parameters
        ----------
        column : pyarrow.Array or pyarrow.ChunkedArray
            As it was read.
        at : int
            Its position.
        first_row : int, default=1
            Number of its first row, for messages.

        Raises
        ------
        InvalidTableError
            If a value is none of the levels it is said to have.
        """
        column = _without(column, self._reading.na)
        if at in self._nominal:
            return _text(column).dictionary_encode()
        if at in self._order:
            return self._ordered(_text(column), at, first_row)
        return column

    def _ordered(self, words: Any, at: int, first_row: int) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        levels = self._order[at]
        places = pc.index_in(pc.utf8_trim_whitespace(words), value_set=pa.array(levels))
        strange = pc.and_(pc.is_null(places), pc.is_valid(words))
        row = pc.index(strange, True).as_py()
        if row >= 0:
            raise InvalidTableError(
                f"Column {self._names[at]!r} must hold the levels {', '.join(levels)}, but row "
                f"{first_row + row} is {words[row].as_py()!r}."
            )
        chunks = places.chunks if isinstance(places, pa.ChunkedArray) else [places]
        coded = [
            pa.DictionaryArray.from_arrays(chunk, pa.array(levels), ordered=True)
            for chunk in chunks
        ]
        return pa.chunked_array(coded) if len(coded) != 1 else coded[0]


def _without(column: Any, absent: Sequence[str]) -> Any:
    """Column in which values that stand for a missing one are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if not absent:
        return column
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = [number for word in absent if (number := _number(word)) is not None]
        same = pc.is_in(
            column.cast(pa.float64(), safe=False), value_set=pa.array(numbers, pa.float64())
        )
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        same = pc.is_in(column, value_set=pa.array(absent, kind))
    else:
        return column
    return pc.if_else(same, pa.scalar(None, kind), column)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _text(column: Any) -> Any:
    """Values of a column as words; whole numbers without decimals."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        known = column.drop_null()
        if pc.all(pc.equal(pc.floor(known), known)).as_py():
            column = column.cast(pa.int64(), safe=False)
    return column if pa.types.is_string(column.type) else column.cast(pa.string())
