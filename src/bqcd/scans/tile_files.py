"""Finished tiles as Parquet files, each with a stamp that no other file has.

The stamp stands in the metadata of the file: a digest of the scan, the number of the tile and
every byte of the file, taken with zeros in the place of the stamp. Checksums of the format
itself cover the pages only, and a damaged head or foot makes other numbers or foreign errors
of good pages. So nothing is parsed before the stamp was found to fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bqcd.data.files.text import reason
from bqcd.errors import InvalidResultsError
from bqcd.scans.records import TileRows

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Mapping[str, str] = {
    "x": "word",
    "y": "word",
    "confidence": "float64",
    "n_rows": "int64",
    "spearman": "float64",
    "dependence": "float64",
    "p_value": "float64",
    "bound": "float64",
    "most": "float64",
    "limit": "word",
    "status": "word",
    "message": "string",
}
"""Columns of a tile; words are text that is stored once and pointed to."""

_STATUSES = ("done", "failed")
_REPEATED = ["x", "y", "n_rows", "limit", "status", "message"]
_KEY, _SIGN, _DIGITS = b"bqcd.stamp", b"blake2b:", 32
_BLANK = b"0" * _DIGITS


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
    said = [rows.messages.get(place) for place in range(len(judged))] if rows.messages else None
    columns = [
        _named(rows.first, names),
        _named(rows.second, names),
        pa.array(rows.confidence, from_pandas=True),
        pa.array(rows.n_rows),
        pa.array(rows.spearman, from_pandas=True),
        pa.array(rows.dependence, from_pandas=True),
        pa.array(rows.p_value, from_pandas=True),
        pa.array(rows.bound, from_pandas=True),
        *_held(rows),
        pa.DictionaryArray.from_arrays((~judged).astype(np.int32), list(_STATUSES)),
        pa.nulls(len(judged), pa.string()) if said is None else pa.array(said, pa.string()),
    ]
    return pa.table(columns, schema=schema())


def tile_bytes(table: pa.Table, scan: str, number: int) -> bytes:
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

    sink = pa.BufferOutputStream()
    blank = table.replace_schema_metadata({_KEY: _SIGN + _BLANK})
    pq.write_table(blank, sink, compression="zstd", use_dictionary=_REPEATED)
    before, _, after = _parted(sink.getvalue().to_pybytes())
    return before + _stamp(before, after, scan, number) + after


def is_tile(path: Path, scan: str, number: int) -> bool:
    """Whether a file is this tile of this scan, to the bit as it was written.

    Raises
    ------
    InvalidResultsError
        If the file cannot be read, which may pass.
    """
    return _fits(_content(path), scan, number)


def read_tile(path: Path, scan: str, number: int) -> pa.Table:
    """Rows of a finished tile.

    Raises
    ------
    InvalidResultsError
        If the file cannot be read, was damaged after it had been written, or is another tile.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = _content(path)
    if not _fits(data, scan, number):
        raise InvalidResultsError(
            f"{path} is damaged, or belongs to another scan: run the scan again, which makes "
            "this tile anew."
        )
    with pq.ParquetFile(pa.BufferReader(data)) as file:
        return file.read(use_threads=False).replace_schema_metadata(None).cast(schema())


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidResultsError(f"{path} cannot be read: {reason(error)}.") from error


def _fits(data: bytes, scan: str, number: int) -> bool:
    before, stamp, after = _parted(data)
    return stamp == _stamp(before, after, scan, number)


def _parted(data: bytes) -> tuple[bytes, bytes, bytes]:
    """What comes before the stamp of a file, the stamp, and what comes after."""
    # Names of columns, which may read like a stamp, stand before the metadata.
    start = data.rfind(_SIGN) + len(_SIGN)
    return data[:start], data[start : start + _DIGITS], data[start + _DIGITS :]


def _stamp(before: bytes, after: bytes, scan: str, number: int) -> bytes:
    digest = blake2b(f"{scan} {number} ".encode(), digest_size=_DIGITS // 2)
    for part in (before, _BLANK, after):
        digest.update(part)
    return digest.hexdigest().encode()


def _held(rows: TileRows) -> tuple[pa.Array, pa.Array]:
    """Largest probabilities that are left, and what leaves no more; null where nothing does."""
    import pyarrow as pa

    held = [rows.held.get(place) for place in range(len(rows.first))]
    most = pa.array([None if one is None else one.most for one in held], pa.float64())
    codes = pa.array([None if one is None else one.code or None for one in held], pa.string())
    return most, codes.dictionary_encode()


def _named(places: NDArray[np.int32], names: Sequence[str]) -> pa.DictionaryArray:
    """Names of the columns at some places, each name once."""
    import pyarrow as pa

    used, order = np.unique(places, return_inverse=True)
    words = pa.array([names[place] for place in used], pa.string())
    return pa.DictionaryArray.from_arrays(order.astype(np.int32), words)
