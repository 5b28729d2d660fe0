"""Tables of every kind give the same columns; what is no table is refused in clear words."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import os
import sys
from collections import OrderedDict
from decimal import Decimal
from threading import Thread

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc

import bqcd
from bqcd.data.reading import read_table
from bqcd.errors import BqcdError, InvalidPairError, InvalidTableError
from bqcd.scans.sources import open_source

N = 50
NAMES = ("width", "n.1", "n", "größe in m", "*")


def numbers() -> dict[str, np.ndarray]:
    """Columns with awkward names; the first has missing values."""
    rng = np.random.default_rng(7)
    values = [rng.normal(size=N), *(rng.integers(-9, 9, N).astype(float) for _ in NAMES[1:])]
    values[0][[0, 17]] = np.nan
    return dict(zip(NAMES, values, strict=True))


def arrow_table() -> pa.Table:
    return pa.table({name: pa.array(v, from_pandas=True) for name, v in numbers().items()})


def save_stream(table: pa.Table, path) -> None:
    with ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table, max_chunksize=7)


def save_text(path, delimiter: str, *, compressed: bool = False) -> None:
    lines = [delimiter.join(NAMES)]
    for row in zip(*numbers().values(), strict=True):
        lines.append(delimiter.join("NA" if v != v else repr(float(v)) for v in row))
    text = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(text) if compressed else text)


FILES = {
    "t.csv": lambda path: save_text(path, ","),
    "t.tsv": lambda path: save_text(path, "\t"),
    "t.csv.gz": lambda path: save_text(path, ";", compressed=True),
    "t.parquet": lambda path: pq.write_table(arrow_table(), path, row_group_size=7),
    "parquet by content": lambda path: pq.write_table(arrow_table(), path),
    "t.feather": lambda path: feather.write_feather(arrow_table(), path, chunksize=7),
    "arrow by content": lambda path: feather.write_feather(arrow_table(), path),
    "stream.arrow": lambda path: save_stream(arrow_table(), path),
}

TABLES = {
    "ordered mapping": (lambda: OrderedDict(numbers()), "collections OrderedDict"),
    "mapping": (numbers, "dict"),
    "mapping of lists": (lambda: {k: v.tolist() for k, v in numbers().items()}, "dict"),
    "pandas": (lambda: pd.DataFrame(numbers()), "pandas DataFrame"),
    "pandas nullable": (lambda: arrow_table().to_pandas().convert_dtypes(), "pandas DataFrame"),
    "polars": (lambda: pl.DataFrame(arrow_table()), "polars DataFrame"),
    "polars lazy": (lambda: pl.DataFrame(arrow_table()).lazy(), "polars DataFrame"),
    "pyarrow": (arrow_table, "pyarrow Table"),
}


def assert_holds_the_numbers(source) -> None:
    assert source.names == NAMES
    assert source.n_rows == N
    assert set(source.kinds) <= {"float", "integer"}
    for at, (name, expected) in enumerate(numbers().items()):
        column = source.column(at)
        assert column.dtype == np.float64
        assert column.flags.c_contiguous
        np.testing.assert_array_equal(column, expected, err_msg=name)


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_the_same_columns(tmp_path, name):
    FILES[name](tmp_path / name)
    source = open_source(tmp_path / name)
    assert_holds_the_numbers(source)
    assert source.label == name
    assert_holds_the_numbers(open_source(str(tmp_path / name)))


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_in_memory_gives_the_same_columns(name):
    make, label = TABLES[name]
    source = open_source(make())
    assert_holds_the_numbers(source)
    assert source.label == label


def test_tables_in_memory_with_the_same_numbers_have_the_same_fingerprint():
    prints = {open_source(make()).fingerprint() for make, _ in TABLES.values()}
    assert len(prints) == 1
    changed = numbers()
    changed["*"][3] += 1e-9
    renamed = {name.upper(): column for name, column in numbers().items()}
    moved = {name: np.roll(column, 1) for name, column in numbers().items()}
    prints |= {open_source(other).fingerprint() for other in (changed, renamed, moved)}
    assert len(prints) == 4


def test_the_fingerprint_of_a_file_is_that_of_its_bytes(tmp_path):
    paths = [tmp_path / name for name in ("t.csv", "same.csv", "other.csv")]
    for path in paths:
        save_text(path, ",")
    paths[2].write_bytes(paths[2].read_bytes() + b"\n")
    first, same, other = (open_source(path).fingerprint() for path in paths)
    assert first == same
    assert first != other


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float64", "float32", ">f8", "int64", "bool"])
def test_arrays_are_read_from_memory_and_from_numpy_files(tmp_path, order, dtype):
    array = np.asarray(np.arange(60).reshape(20, 3) % 11, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", array)
    for table in (array, tmp_path / "a.npy"):
        source = open_source(table)
        assert source.names == ("column 0", "column 1", "column 2")
        for at in range(3):
            np.testing.assert_array_equal(source.column(at), array[:, at].astype(float))
    assert open_source(tmp_path / "a.npy").label == "a.npy"
    assert isinstance(next(source.parts(0)), np.memmap)


def test_masked_entries_of_an_array_are_missing():
    array = np.ma.masked_equal(np.arange(6.0).reshape(3, 2), 2.0)
    np.testing.assert_array_equal(open_source(array).column(0), [0.0, np.nan, 4.0])


def test_standard_input_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2.5\n3,\n")))
    source = open_source("-")
    assert (source.label, source.names) == ("standard input", ("a", "b"))
    np.testing.assert_array_equal(source.column(1), [2.5, np.nan])
    assert source.fingerprint() == open_source({"a": [1, 3], "b": [2.5, None]}).fingerprint()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_text, args=("a,b\n1,2\n3,4\n",))
    writer.start()
    source = open_source(tmp_path / "pipe")
    writer.join()
    assert source.column(1).tolist() == [2.0, 4.0]
    assert source.fingerprint() == open_source({"a": [1, 3], "b": [2, 4]}).fingerprint()


def test_parquet_files_in_a_folder_are_one_table_in_the_order_of_their_names(tmp_path):
    table = arrow_table()
    for name, rows in (("part-1.parquet", table[30:]), ("part-0.parquet", table[:30])):
        pq.write_table(rows, tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-0.parquet.crc").touch()
    source = open_source(tmp_path)
    assert_holds_the_numbers(source)
    assert source.label == tmp_path.name
    before = source.fingerprint()
    pq.write_table(table[:31], tmp_path / "part-0.parquet")
    assert open_source(tmp_path).fingerprint() != before
    pq.write_table(table.drop_columns(["n"]), tmp_path / "part-2.parquet")
    with pytest.raises(InvalidTableError, match=r"same columns.*'part-0.parquet' and 'part-2"):
        open_source(tmp_path)


def test_a_folder_without_parquet_files_is_refused(tmp_path):
    with pytest.raises(InvalidTableError, match="is a folder without Parquet files"):
        open_source(tmp_path)


# -- names and kinds --


def test_repeated_names_are_told_apart_by_position(tmp_path):
    table = pa.table([[1.0], [2.0], [3.0], [4.0]], names=["a", "b", "a", "a (column 0)"])
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    frame = pd.DataFrame([[1.0, 2.0, 3.0, 4.0]], columns=table.column_names)
    for source in map(open_source, (table, tmp_path / "t.parquet", tmp_path / "t.feather", frame)):
        assert source.names == (
            "a (column 0) (column 0)",
            "b",
            "a (column 2)",
            "a (column 0) (column 3)",
        )
        assert [source.column(at).tolist() for at in range(4)] == [[1.0], [2.0], [3.0], [4.0]]


def test_names_that_are_no_text_become_text():
    assert open_source(pd.DataFrame({1: [0.5], "1": [1.5], ("a", 2): [2.5]})).names == (
        "1 (column 0)",
        "1 (column 1)",
        "('a', 2)",
    )


def columns_of_all_kinds() -> pa.Table:
    return pa.table(
        {
            "float": pa.array([0.5, None], pa.float32()),
            "integer": pa.array([2**62 + 1, -3]),
            "decimal": pa.array([Decimal("1.25"), None]),
            "boolean": [True, None],
            "text": ["1", "2"],
            "struct": [{"u": 1, "v": 2}, None],
            "date": [dt.date(2020, 1, 1), None],
            "category": pa.array(["u", "v"]).dictionary_encode(),
            "empty": pa.nulls(2),
            "list": [[1, 2], [3]],
            "last": pa.array([7, 8], pa.uint8()),
        }
    )


KINDS = ("float", "integer", "decimal", "boolean", "text", "other", "date", "category", "empty")


@pytest.mark.parametrize("save", [pq.write_table, feather.write_feather, None])
def test_the_kind_of_each_column_is_told_and_numbers_are_read_around_nested_ones(tmp_path, save):
    table = columns_of_all_kinds()
    if save is not None:
        save(table, tmp_path / f"t.{save.__name__.replace('write_table', 'parquet')[-7:]}")
    source = open_source(table if save is None else next(tmp_path.iterdir()))
    assert source.kinds == (*KINDS, "other", "integer")
    kinds = dict(zip(source.names, range(11), strict=True))
    for name, expected in {
        "float": [0.5, np.nan],
        "integer": [float(2**62), -3.0],
        "decimal": [1.25, np.nan],
        "boolean": [1.0, np.nan],
        "date": [18_262.0, np.nan],
        "empty": [np.nan, np.nan],
        "last": [7.0, 8.0],
    }.items():
        np.testing.assert_array_equal(source.column(kinds[name]), expected, err_msg=name)
    for name in ("text", "struct", "category", "list"):
        with pytest.raises(InvalidPairError, match=f"Column '{name}'"):
            source.column(kinds[name])


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_the_kinds_of_frames_are_told(package):
    table = columns_of_all_kinds().drop_columns(["struct", "list", "empty"])
    frame = table.to_pandas() if package == "pandas" else pl.DataFrame(table)
    kinds = dict(zip(table.column_names, open_source(frame).kinds, strict=True))
    told_as = {"last": "integer"}
    if package == "pandas":
        # pandas keeps these three as Python objects.
        told_as |= {"decimal": "other", "boolean": "other", "date": "other"}
    assert kinds == {name: told_as.get(name, name) for name in table.column_names}


def test_text_behind_a_first_piece_of_missing_values_is_refused_by_its_row(tmp_path):
    table = pa.table({"a": pa.array([None] * 100_000 + ["word"])})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=50_000)
    with pytest.raises(InvalidPairError, match="'a' must hold numbers, but row 100001 is 'word'"):
        open_source(tmp_path / "t.parquet").column(0)


def test_a_column_is_read_alone_though_others_begin_with_its_name(tmp_path):
    table = pa.table({"a": [1.0, 2.0], "a.b": [3.0, 4.0], "a.b.c": [5.0, 6.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    source = open_source(tmp_path / "t.parquet")
    assert [source.column(at).tolist() for at in range(3)] == [[1, 2], [3, 4], [5, 6]]


# -- refusals --


def refusal(table) -> str:
    with pytest.raises(InvalidTableError) as caught:
        open_source(table)
    return str(caught.value)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.npy"])
def test_an_absent_or_damaged_file_is_refused_by_name(tmp_path, name):
    assert name in refusal(tmp_path / name)
    (tmp_path / name).write_bytes(b"\0\1\2nonsense" * 100)
    assert name in refusal(tmp_path / name)


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.npy"])
def test_a_file_cut_short_is_refused(tmp_path, name):
    np.save(tmp_path / "t.npy", np.zeros((100, 3)))
    if name != "t.npy":
        FILES[name](tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    assert f"{name!r} cannot be read as" in refusal(tmp_path / name)


def test_pages_damaged_behind_a_sound_header_are_refused_when_read(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(arrow_table(), path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[4:400] = b"\xff" * 396
    path.write_bytes(content)
    with pytest.raises(InvalidTableError, match=r"'t\.parquet' cannot be read as Parquet"):
        open_source(path).column(0)


@pytest.mark.parametrize("table", [{}, np.empty((5, 0)), pd.DataFrame(), pl.DataFrame()])
def test_a_table_without_columns_is_refused(table):
    assert "has no columns" in refusal(table)


@pytest.mark.parametrize("table", [{"a": []}, np.empty((0, 5)), pl.DataFrame({"a": []})])
def test_a_table_without_rows_is_refused(table):
    assert "has column names but no rows" in refusal(table)


def test_columns_of_different_lengths_are_refused():
    assert "'a' has 2 rows and 'c' has 3" in refusal({"a": [1, 2], "b": [1, 2], "c": [1, 2, 3]})


@pytest.mark.parametrize("table", [np.zeros(3), [1, 2], 5, None])
def test_what_is_no_table_is_refused(table):
    assert "table" in refusal(table)


def test_an_array_of_one_dimension_in_a_file_is_refused(tmp_path):
    np.save(tmp_path / "t.npy", np.zeros(3))
    assert "two-dimensional" in refusal(tmp_path / "t.npy")


def test_a_column_that_is_no_sequence_is_refused_when_read():
    source = open_source({"a": [1, 2], "b": 5})
    with pytest.raises(InvalidPairError, match="'b' must be a one-dimensional sequence"):
        source.column(1)


@pytest.mark.parametrize("header", [b"{'descr': (", b"{'descr': '<f8', 'shape': (3, 2)}", b"x\0"])
def test_an_array_file_with_a_damaged_header_is_refused_by_name(tmp_path, header):
    path = tmp_path / "t.npy"
    length = len(header) + 1
    path.write_bytes(b"\x93NUMPY\x01\x00" + bytes([length, 0]) + header + b"\n" + bytes(48))
    with pytest.raises(InvalidTableError, match=r"'t\.npy' cannot be read as NumPy"):
        open_source(path)


def test_archives_called_like_an_array_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", a=np.ones((12, 2)))
    (tmp_path / "t.npz").rename(tmp_path / "t.npy")
    with pytest.raises(InvalidTableError, match="cannot be read as NumPy"):
        open_source(tmp_path / "t.npy")


@pytest.mark.parametrize("name", ["t.arrow", "t.parquet"])
def test_text_that_is_no_utf_8_is_refused_when_read(tmp_path, name):
    ends, letters = pa.py_buffer(bytes([0, 0, 0, 0, 1, 0, 0, 0])), pa.py_buffer(b"\xff")
    table = pa.table({"word": pa.Array.from_buffers(pa.string(), 1, [None, ends, letters])})
    path = tmp_path / name
    if name == "t.parquet":
        pq.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(InvalidTableError, match="cannot be read as"):
        open_source(path).column(0)


def test_an_array_file_written_by_python_2_is_read_without_a_warning(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }\n"
    content = b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header + np.arange(6.0).tobytes()
    path = tmp_path / "t.npy"
    path.write_bytes(content)
    assert open_source(path).column(1).tolist() == [1.0, 3.0, 5.0]


def damaged_arrays(content):
    """Every bit of the first 128 bytes turned, and the file cut at every length."""
    for at in range(128):
        for bit in range(8):
            yield content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]
    for length in range(len(content)):
        yield content[:length]


def every_column(path):
    source = open_source(path)
    return [source.column(at) for at in range(len(source.names))]


@pytest.mark.filterwarnings("error")
def test_a_damaged_array_is_a_table_or_refused_in_one_line(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.arange(24.0).reshape(12, 2))
    told = []
    for number, content in enumerate(damaged_arrays(path.read_bytes())):
        path.write_bytes(content)
        for read in (read_table, every_column, *([] if number % 16 else [bqcd.scan])):
            try:
                read(path)
            except BqcdError as error:
                told.append(str(error))
    assert len(told) > 2000
    assert [one for one in told if "\n" in one or "t.npy" not in one] == []


@pytest.mark.parametrize(
    ("shape", "dtype", "why"),
    [
        ("(0, 1000000000000)", "<f8", "'t.npy' has column names but no rows"),
        ("(12, 1000000000000)", "|S0", "'t.npy' must hold numbers, but its values are "),
        ("(1000000000000, 0)", "<f8", "'t.npy' does not fit in the memory that is free"),
        ("(12, 2)", "<U4", "'t.npy' must hold numbers, but its values are <U4"),
        ("(12, 2)", "|O", "'t.npy' cannot be read as NumPy"),
        ("(12,)", "<f8", r"'t.npy' must be two-dimensional to be a table, got shape \(12,\)"),
        ("(-12, 2)", "<f8", "'t.npy' cannot be read as NumPy"),
        (f"({'9' * 30}, 2)", "<f8", "'t.npy' cannot be read as NumPy"),
    ],
)
def test_an_array_that_is_no_table_of_numbers_is_refused(tmp_path, shape, dtype, why):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    path = tmp_path / "t.npy"
    # Letters that no text has.
    body = b"\xff" * 400
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body)
    with pytest.raises(InvalidTableError, match=why):
        bqcd.scan(path)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_is_a_table_like_an_array():
    table = np.arange(6.0).reshape(3, 2)
    source = open_source(np.matrix(table))
    assert np.array_equal(np.column_stack([source.column(0), source.column(1)]), table)


@pytest.mark.parametrize("value", [np.array(3.0), np.ma.masked, np.ndarray])
def test_a_value_without_length_among_columns_is_refused_as_a_column(value):
    source = open_source({"x": [1.0, 2.0, 3.0], "odd": value})
    assert source.n_rows == 3
    with pytest.raises(InvalidPairError, match="'odd' must be a one-dimensional sequence"):
        source.column(1)


def test_masked_values_in_a_list_are_missing():
    source = open_source({"x": [np.ma.masked, 2.0], "none": [np.ma.masked] * 2})
    assert source.kinds == ("float", "empty")
    assert np.isnan(source.column(0)).tolist() == [True, False]
