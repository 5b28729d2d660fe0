"""What a reader gives back: the names of the columns, and a way to read some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bqcd.data.files.text import reason
from bqcd.errors import BqcdError, InvalidTableError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A table of which nothing but the names need be read.

    Parameters
    ----------
    label : str
        What it is called in messages.
    names : sequence of str
        Names of the columns.
    read : callable
        From positions of columns to a table of these, in that order.
    """

    label: str
    names: Sequence[str]
    read: Callable[[Sequence[int]], pa.Table]

    @classmethod
    def of_table(cls, label: str, table: pa.Table) -> Opened:
        """A table that is read already."""
        return cls(label, table.column_names, lambda positions: arranged(table, positions))


def arranged(table: pa.Table, places: Sequence[int]) -> pa.Table:
    """Columns at ``places``, without what the file says beside names and values."""
    import pyarrow as pa

    # Asked for once: the table makes the list anew every time.
    names = table.column_names
    columns = [table.column(place) for place in places]
    return pa.Table.from_arrays(columns, names=[names[place] for place in places])


@contextmanager
def reading_as(label: str, file_format: str, *errors: type[BaseException]) -> Iterator[None]:
    """Turn errors of reading a file into one that names it.

    Parameters
    ----------
    label : str
        What it is called in messages.
    file_format : str
        What it is read as.
    *errors : type
        What else its library raises of a damaged file.
    """
    from pyarrow import ArrowException

    try:
        yield
    except BqcdError:
        raise
    except MemoryError as error:
        raise InvalidTableError(
            f"{label} needs more memory than there is, or is damaged ({reason(error)})."
        ) from error
    except (ArrowException, OSError, ValueError, *errors) as error:
        raise InvalidTableError(
            f"{label} cannot be read as {file_format}; it is damaged or of another format "
            f"({reason(error)})."
        ) from error


def values_table(label: str, columns: dict[str, Any] | list[tuple[str, Any]]) -> pa.Table:
    """Table of Arrow columns; refused if it has none."""
    import pyarrow as pa

    items = list(columns.items()) if isinstance(columns, dict) else columns
    if not items:
        raise InvalidTableError(f"{label} has no columns.")
    return pa.Table.from_arrays([column for _, column in items], names=[name for name, _ in items])
