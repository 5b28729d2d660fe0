"""What files would take is told before it is taken; what fits is read as it is in the file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from bqcd.data.files import arrow as arrow_files
from bqcd.data.files.arrow import arrow_batches, check_room
from bqcd.data.reading import read_table
from bqcd.errors import InvalidTableError
from bqcd.scans.sources import open_source

N = 1000
WORDS = ["long " * 10_000, "b"]
TABLE = pa.table(
    {
        "a": np.zeros(N),
        "words": pa.array(WORDS * (N // 2)).dictionary_encode(),
        "lists": [[1, 2]] * N,
        "nothing": pa.nulls(N),
        "text": ["x" * 10] * N,
        "b": np.arange(N),
    }
)


def write_arrow(path, table, compression="zstd", rows=400):
    stream = path.suffix == ".ipc"
    options = ipc.IpcWriteOptions(compression=compression)
    new = ipc.new_stream if stream else ipc.new_file
    with new(str(path), table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


@pytest.fixture
def room(monkeypatch):
    """Set how much memory is free."""
    return lambda n_bytes: monkeypatch.setattr(arrow_files, "free_bytes", lambda: n_bytes)


@pytest.mark.parametrize("suffix", [".arrow", ".ipc"])
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_sizes_of_compressed_buffers_are_those_they_will_have(tmp_path, suffix, compression):
    path = write_arrow(tmp_path / f"t{suffix}", TABLE, compression)
    batches = [batch for batch in arrow_batches(path) if batch.n_rows]
    assert [batch.n_rows for batch in batches] == [400, 400, 200]
    for place, batch in enumerate(batches):
        part = TABLE.slice(400 * place, batch.n_rows)
        for at, dtype in enumerate(TABLE.schema.types):
            if not pa.types.is_dictionary(dtype):
                assert batch.bytes_of(TABLE.schema, [at]) == pytest.approx(
                    part.column(at).nbytes, abs=70
                )


@pytest.mark.parametrize("suffix", [".arrow", ".ipc"])
def test_what_is_read_in_place_takes_nothing(tmp_path, suffix):
    path = write_arrow(tmp_path / f"t{suffix}", TABLE, None)
    assert [batch.sizes for batch in arrow_batches(path)] == [()] * 4
    assert sum(batch.n_rows for batch in arrow_batches(path)) == N


def bombs(folder):
    """Small files that would take 80 MB or more."""
    zeros = pa.table({"a": np.zeros(5_000_000), "b": np.zeros(5_000_000)})
    words = pa.DictionaryArray.from_arrays(np.zeros(N, np.int32), ["x" * 100_000])
    text = pa.table({"a": words, "b": np.arange(N)})
    pq.write_table(zeros, folder / "rows.parquet")
    pq.write_table(text, folder / "text.parquet", store_schema=False)
    write_arrow(folder / "rows.arrow", zeros, rows=None)
    write_arrow(folder / "rows.ipc", zeros, rows=None)
    return folder


@pytest.mark.parametrize("name", ["rows.parquet", "text.parquet", "rows.arrow", "rows.ipc"])
def test_a_small_file_that_would_take_all_memory_is_refused(tmp_path, room, name):
    path = bombs(tmp_path) / name
    assert path.stat().st_size < 1_000_000
    before = pa.total_allocated_bytes()
    room(30e6)
    with pytest.raises(InvalidTableError, match=rf"'{name}' does not fit .* of 0.0 GB") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidTableError, match=rf"'{name}' does not fit"):
        open_source(path).column(0)
    assert pa.total_allocated_bytes() - before < 30e6


def test_a_buffer_that_says_it_is_huge_is_refused_before_it_is_made(tmp_path):
    path = write_arrow(tmp_path / "t.arrow", pa.table({"a": np.zeros(N)}), rows=None)
    content, told = path.read_bytes(), (8 * N).to_bytes(8, "little")
    assert content.count(told) == 1
    path.write_bytes(content.replace(told, (1 << 50).to_bytes(8, "little")))
    for read in (read_table, open_source):
        with pytest.raises(InvalidTableError, match=r"take (1,125,899.9|2,251,799.8) GB"):
            read(path)


def test_an_array_of_more_rows_than_memory_is_refused(tmp_path, room):
    path = tmp_path / "t.npy"
    np.lib.format.open_memmap(path, mode="w+", shape=(10_000_000, 2), dtype=np.int8)
    room(30e6)
    with pytest.raises(InvalidTableError, match=r"'t.npy' does not fit .* 10,000,000 rows of 1 c"):
        open_source(path)


def test_only_the_columns_asked_for_count(tmp_path, room):
    room(100_000)
    pq.write_table(TABLE.select(["a", "b", "words"]), tmp_path / "t.parquet")
    write_arrow(tmp_path / "t.arrow", TABLE.drop_columns(["words"]))
    for name in ("t.parquet", "t.arrow"):
        assert read_table(tmp_path / name, ["b", "a"]).num_columns == 2
    with pytest.raises(InvalidTableError, match="does not fit"):
        check_room("t", N, 20)


@pytest.mark.parametrize("use_dictionary", [True, False])
def test_text_of_parquet_is_what_was_written(tmp_path, use_dictionary):
    words = ["a", None, "", "ä" * 100] * 5
    columns = {
        "text": pa.array(words),
        "large": pa.array(words, pa.large_string()),
        "bytes": pa.array([None if word is None else word.encode() for word in words]),
        "kinds": pa.array(words).dictionary_encode(),
        "number": pa.array(range(20)),
    }
    table = pa.table(columns)
    twice = pa.Table.from_arrays(list(columns.values())[::-1], list(columns))
    for number, one in enumerate((table, twice)):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(one, path, use_dictionary=use_dictionary, row_group_size=7)
        assert read_table(path).equals(one)
    repeated = pa.Table.from_arrays([columns["text"], columns["number"]], ["a", "a"])
    pq.write_table(repeated, path, use_dictionary=use_dictionary)
    assert read_table(path).equals(repeated)
