"""Finished tiles as Parquet files, each stamped with the scan and the tile it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import InvalidResultsError
from bqcd.scans.records import TileRows

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Mapping[str, str] = {
    "x": "word",
    "y": "word",
    "direction": "word",
    "confidence": "float64",
    "n_rows": "int64",
    "spearman": "float64",
    "dependence": "float64",
    "p_value": "float64",
    "status": "word",
    "message": "string",
}
"""Columns of the table of a scan; words are text that is stored once and pointed to."""

_DIRECTIONS = ("<-", "--", "->")
_STATUSES = ("done", "failed")
_REPEATED = ["x", "y", "direction", "n_rows", "status", "message"]
_SCAN, _TILE = b"bqcd.scan", b"bqcd.tile"


def schema() -> pa.Schema:
    """Columns and types of a tile."""
    import pyarrow as pa

    types = {"word": pa.dictionary(pa.int32(), pa.string())}
    return pa.schema(
        [(name, types.get(kind) or getattr(pa, kind)()) for name, kind in COLUMNS.items()]
    )


def tile_table(rows: TileRows, names: Sequence[str]) -> pa.Table:
    """Rows of a tile as a table; what is not known of a pair is null.

    Parameters
    ----------
    rows : TileRows
        What became of the pairs.
    names : sequence of str
        Names of all columns of the store.
    """
    import pyarrow as pa

    judged = ~np.isnan(rows.confidence)
    sign = np.sign(np.where(judged, rows.confidence, 0.0)).astype(np.int32)
    said = [rows.messages.get(place) for place in range(len(judged))] if rows.messages else None
    columns = [
        _named(rows.first, names),
        _named(rows.second, names),
        pa.DictionaryArray.from_arrays(pa.array(sign + 1, mask=~judged), list(_DIRECTIONS)),
        pa.array(rows.confidence, from_pandas=True),
        pa.array(rows.n_rows),
        pa.array(rows.spearman, from_pandas=True),
        pa.array(rows.dependence, from_pandas=True),
        pa.array(rows.p_value, from_pandas=True),
        pa.DictionaryArray.from_arrays((~judged).astype(np.int32), list(_STATUSES)),
        pa.nulls(len(judged), pa.string()) if said is None else pa.array(said, pa.string()),
    ]
    return pa.table(columns, schema=schema())


def tile_bytes(table: pa.Table, scan: str, number: int) -> memoryview:
    """Parquet file of a tile.

    Parameters
    ----------
    table : pyarrow.Table
        Rows of the tile.
    scan : str
        Digest of the manifest of the scan.
    number : int
        Of the tile.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    stamped = table.replace_schema_metadata({_SCAN: scan, _TILE: str(number)})
    sink = pa.BufferOutputStream()
    pq.write_table(
        stamped, sink, compression="zstd", use_dictionary=_REPEATED, write_page_checksum=True
    )
    return memoryview(sink.getvalue())


def is_whole(path: Path, scan: str, number: int) -> bool:
    """Whether a file is this tile of this scan, with all its parts in place."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        stamp = pq.read_metadata(path).metadata or {}
    except (pa.ArrowException, OSError):
        return False
    return stamp.get(_SCAN) == scan.encode() and stamp.get(_TILE) == str(number).encode()


def read_tile(path: Path) -> pa.Table:
    """Rows of a finished tile.

    Raises
    ------
    InvalidResultsError
        If the file was damaged after it had been written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read(use_threads=False).replace_schema_metadata(None).cast(schema())
    except (pa.ArrowException, OSError) as error:
        raise InvalidResultsError(
            f"{path} is damaged ({error}): remove it and run the scan again, "
            "which makes this tile anew."
        ) from error


def _named(places: NDArray[np.int32], names: Sequence[str]) -> pa.DictionaryArray:
    """Names of the columns at some places, each name once."""
    import pyarrow as pa

    used, order = np.unique(places, return_inverse=True)
    words = pa.array([names[place] for place in used], pa.string())
    return pa.DictionaryArray.from_arrays(order.astype(np.int32), words)
