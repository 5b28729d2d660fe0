"""Files of the results of a scan: whole or not at all."""

from __future__ import annotations

import csv
import json
from codecs import getwriter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bqcd.data.files.cells import guarded, guarded_text
from bqcd.runtime.atomic import whole_file
from bqcd.runtime.settings import check_choice

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 1 << 16

MATRIX_SUFFIXES = (".csv", ".npy")
"""Suffixes of files of a matrix."""


def write_pairs(pairs: pa.Table, facts: Mapping[str, object], path: Path) -> None:
    """Write a table of pairs, in the format that the suffix tells.

    Parameters
    ----------
    pairs : pyarrow.Table
        One row per pair.
    facts : mapping of str to object
        What is known of the scan, ready for JSON; other formats have no place for it.
    path : Path
        Ends in one of ``PAIR_SUFFIXES``.

    Raises
    ------
    InvalidSettingError
        If the suffix is another.
    """
    check_choice("a file of pairs", "suffix", path.suffix.lower(), PAIR_SUFFIXES)
    with whole_file(path) as file:
        _WRITERS[path.suffix.lower()](pairs, facts, file)


def write_matrix(names: Sequence[str], values: NDArray[np.float64], path: Path) -> None:
    """Write a matrix: ``.csv`` with names above and at the left, or ``.npy`` without.

    Parameters
    ----------
    names : sequence of str
        Names of rows and columns.
    values : ndarray of shape (d, d)
        NaN is an empty cell of a ``.csv`` file.
    path : Path
        Ends in one of ``MATRIX_SUFFIXES``.

    Raises
    ------
    InvalidSettingError
        If the suffix is another.
    """
    check_choice("a file of a matrix", "suffix", path.suffix.lower(), MATRIX_SUFFIXES)
    with whole_file(path) as file:
        if path.suffix.lower() == ".npy":
            # Given a file, NumPy writes past Python and does not notice that the disk is full.
            np.lib.format.write_array(SimpleNamespace(write=file.write), values)
            return
        writer = csv.writer(getwriter("utf-8")(file), lineterminator="\n")
        words = [guarded(name) for name in names]
        writer.writerow(["", *words])
        for name, row in zip(words, values.tolist(), strict=True):
            writer.writerow([name, *("" if cell != cell else cell for cell in row)])


def _write_delimited(pairs: pa.Table, file: BinaryIO, delimiter: str) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # Words are written out piece by piece: all at once they may be more than memory holds.
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in pairs.schema
    ]
    options = arrow_csv.WriteOptions(delimiter=delimiter)
    with arrow_csv.CSVWriter(file, pa.schema(fields), write_options=options) as writer:
        for batch in pairs.to_batches(max_chunksize=_BATCH_ROWS):
            part = guarded_text(pa.Table.from_batches([batch]))
            writer.write_table(part.cast(pa.schema(fields)))


def _write_csv(pairs: pa.Table, facts: Mapping[str, object], file: BinaryIO) -> None:
    _write_delimited(pairs, file, ",")


def _write_tsv(pairs: pa.Table, facts: Mapping[str, object], file: BinaryIO) -> None:
    _write_delimited(pairs, file, "\t")


def _write_parquet(pairs: pa.Table, facts: Mapping[str, object], file: BinaryIO) -> None:
    import pyarrow.parquet as pq

    pq.write_table(pairs, file, compression="zstd")


def _write_json(pairs: pa.Table, facts: Mapping[str, object], file: BinaryIO) -> None:
    """One object: the facts, then ``pairs`` with one line per pair."""
    batches = pairs.to_batches(max_chunksize=_BATCH_ROWS)
    rows: Iterator[dict[str, Any]] = chain.from_iterable(batch.to_pylist() for batch in batches)
    text = getwriter("utf-8")(file)
    text.write("{\n")
    for name, value in facts.items():
        text.write(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n")
    text.write('"pairs": [')
    for place, row in enumerate(rows):
        text.write((",\n" if place else "\n") + json.dumps(row, ensure_ascii=False))
    text.write("\n]\n}\n")


_Writer = Callable[["pa.Table", Mapping[str, object], BinaryIO], None]
_WRITERS: Mapping[str, _Writer] = MappingProxyType(
    {".csv": _write_csv, ".tsv": _write_tsv, ".parquet": _write_parquet, ".json": _write_json}
)
PAIR_SUFFIXES = tuple(_WRITERS)
"""Suffixes of files of pairs."""
