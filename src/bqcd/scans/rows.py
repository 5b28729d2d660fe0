"""Some pairs of a scan, for people to read and for programs to take further."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bqcd.methods.answers import BARS
from bqcd.runtime.shown import shown

if TYPE_CHECKING:
    import pyarrow as pa

    from bqcd.runtime.shown import Sheet


class PairRows:
    """Rows of pairs: an Arrow table that shows itself as one can read it.

    Whatever a ``pyarrow.Table`` has, such as ``to_pylist``, ``to_pandas`` and ``num_rows``, this
    has as well; :attr:`table` is the table itself.

    Parameters
    ----------
    table : pyarrow.Table
        Rows of :attr:`bqcd.Scan.table`.
    title : str
        What they are.
    least : float, default=0.65
        Least probability of a direction that is told.
    """

    def __init__(self, table: pa.Table, title: str, least: float = BARS.leaning) -> None:
        self.table, self.title, self.least = table, title, least

    def __getattr__(self, name: str) -> Any:
        # Whatever is copied or unpickled has no table yet.
        if name in ("table", "title", "least") or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.table, name)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __getitem__(self, key: Any) -> Any:
        return self.table[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairRows) and bool(self.table.equals(other.table))

    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for other libraries that read Arrow."""
        return self.table.__arrow_c_stream__(requested_schema)

    def sheet(self) -> Sheet:
        """The rows for reading, the cause at the left."""
        sheet: Sheet = shown(self, "sheet")
        return sheet

    def __repr__(self) -> str:
        return str(shown(self, "text"))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return str(shown(self, "fragment"))
