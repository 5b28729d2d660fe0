"""Which files are read, how, and in which words others are refused."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc

from bqcd.data.files.opened import arranged
from bqcd.data.files.parquet import places_in
from bqcd.data.places import positions_of
from bqcd.data.reading import read_table
from bqcd.errors import InvalidPairError, InvalidTableError
from tests.counting import CountedName, counted_names


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes, name: str = "t.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(path, columns=None, error=InvalidTableError) -> str:
    with pytest.raises(error) as caught:
        read_table(path, columns)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


AB = {"a": [1, 3], "b": [2.5, 4.5]}

# -- standard input --


def test_standard_input_is_read_for_a_dash(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a;b\n1;2,5\n3;4,5\n")))
    assert read_table("-", ["a", "1"]).to_pydict() == AB


def test_empty_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "Standard input" in refusal("-")


# -- Parquet and Arrow --


def save_stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table)


SAVERS = {
    "Parquet": (pq.write_table, "t.parquet"),
    "Parquet by content": (pq.write_table, "t.table"),
    "Feather": (feather.write_feather, "t.feather"),
    "Feather by content": (feather.write_feather, "t"),
    "Arrow stream": (save_stream, "t.arrow"),
}


@pytest.mark.parametrize(("save", "name"), SAVERS.values(), ids=SAVERS.keys())
def test_columns_of_binary_tables_are_read_in_the_order_asked_for(tmp_path, save, name):
    path = tmp_path / name
    table = pa.table({"a": [1, None], "b": [2.5, 4.5], "c": ["x", "y"]})
    save(table, path)
    assert read_table(path).equals(table)
    assert read_table(path, ["b", "0"]).equals(table.select(["b", "a"]))
    assert "no column 'aa'" in refusal(path, ["aa", "b"])


@pytest.mark.parametrize(("save", "name"), SAVERS.values(), ids=SAVERS.keys())
def test_a_binary_table_without_rows_is_refused(tmp_path, save, name):
    save(pa.table({"a": pa.array([], pa.int64())}), tmp_path / name)
    assert f"{name!r} has column names but no rows" in refusal(tmp_path / name)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_repeated_names_are_told_apart_by_position(tmp_path, name):
    table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
    if name.endswith("parquet"):
        pq.write_table(table, tmp_path / name)
    else:
        save_stream(table, tmp_path / name)
    chosen = read_table(tmp_path / name, ["2", "b", 0])
    assert [column.to_pylist() for column in chosen.columns] == [[3], [2], [1]]
    assert "'a' is ambiguous: the columns at positions 0, 2" in refusal(tmp_path / name, ["a", "b"])


@pytest.mark.parametrize(("name", "kind"), [("t.parquet", "Parquet"), ("t.feather", "Arrow")])
def test_a_damaged_binary_table_is_refused(tmp_path, name, kind):
    path = tmp_path / name
    SAVERS["Parquet" if kind == "Parquet" else "Feather"][0](pa.table(AB), path)
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], b"nonsense", content[:-20] + bytes(20)):
        path.write_bytes(damaged)
        assert f"{name!r} cannot be read as {kind}; it is damaged" in refusal(path)


# -- columns --


def test_text_of_digits_is_a_name_first_and_a_position_otherwise(written):
    path = written("1,0,x\na,b,c\n")
    assert read_table(path, ["1", "2"]).to_pydict() == {"1": ["a"], "x": ["c"]}
    assert read_table(path, [1, 2]).to_pydict() == {"0": ["b"], "x": ["c"]}


def test_an_unknown_column_is_refused_with_nearest_names_andpositions_of(written):
    message = refusal(written("age,height\n1,2\n"), ["agee", "height"])
    assert "no column 'agee'" in message
    assert "positions run from 0 to 1" in message
    assert "Nearest: 'age'" in message


@pytest.mark.parametrize("column", ["2", 2, -1])
def test_a_position_out_of_range_is_refused(written, column):
    message = refusal(written("age,height\n1,2\n"), ["age", column])
    assert f"position {column} is out of range: positions run from 0 to 1" in message


def test_a_repeated_header_is_refused_when_asked_for(written):
    path = written("a,a,b\n1,2,3\n")
    assert "'a' is ambiguous: the columns at positions 0, 1" in refusal(path, ["a", "b"])
    assert read_table(path, ["1", "b"]).to_pydict() == {"a": [2], "b": [3]}


@pytest.mark.parametrize("columns", [["a", "a"], ["a", "0"], [0, 0]])
def test_the_same_column_twice_is_refused(written, columns):
    path = written("a,b\n1,2\n")
    assert "'a' is asked for twice" in refusal(path, columns, error=InvalidPairError)


# -- files that are refused --


def test_an_absent_file_is_refused_with_the_nearest_names(written):
    path = written("a,b\n1,2\n", "houses.csv")
    message = refusal(path.with_name("house.csv"))
    assert message.startswith("There is no file ")
    assert "Nearest: 'houses.csv'" in message


def test_an_absent_folder_and_an_empty_one_are_named(tmp_path):
    assert "There is no folder" in refusal(tmp_path / "no" / "t.csv")
    assert "The folder holds no files" in refusal(tmp_path / "t.csv")


def test_a_folder_without_tables_is_refused(tmp_path):
    assert "is a folder without Parquet files, not a table" in refusal(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_without_permission_is_refused(written):
    path = written("a,b\n1,2\n")
    path.chmod(0)
    assert "Permission denied" in refusal(path)


REFUSED = {
    "empty": (b"", "t.csv", "is an empty file"),
    "empty Parquet": (b"", "t.parquet", "is an empty file"),
    "header alone": (b"a,b\n", "t.csv", "has column names but no rows"),
    "spreadsheet": (b"PK\x03\x04\x00\x00", "t.xlsx", "cannot be read as Excel; it is damaged"),
    "old spreadsheet": (b"\xd0\xcf\x11\xe0\x00\x00", "t.xls", "has an unknown format; save it as"),
    "HTML": (b"<html></html>", "t.html", "has an unknown format"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "name", "piece"), REFUSED.values(), ids=REFUSED.keys())
def test_a_file_is_refused_by_name_and_reason(written, content, name, piece):
    message = refusal(written(content, name))
    assert message.startswith(repr(name))
    assert piece in message


# -- cost --


def test_importing_the_module_loads_no_table_library():
    code = (
        "import sys, bqcd.data.reading; "
        "print({'narwhals', 'pandas', 'polars', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_reading_a_pair_loads_pyarrow_alone(written):
    path = written("a,b\n" + "".join(f"{i},{i * i}.5\n" for i in range(1000)))
    code = (
        "import sys; from bqcd.data.reading import read_table; "
        "from bqcd.data.pair import Pair; "
        f"Pair.from_table(read_table({str(path)!r}, ['a', 'b']), 0, 1); "
        "print({'narwhals', 'pandas', 'polars', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'pyarrow'}"


# -- found by fuzzing --


def test_digits_beyond_any_position_are_a_name(written):
    path = written("a,b\n1,2\n")
    assert "has no column '999" in refusal(path, ["9" * 5000])
    assert read_table(written(f"a,{'9' * 5000}\n1,2\n"), ["9" * 5000]).num_rows == 1


@pytest.mark.parametrize("name", ["a\0b.csv", "n" * 3000, "\udcff.csv"])
def test_a_name_that_no_file_can_have_is_refused(name):
    assert "There can be no file" in refusal(name)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_text_that_is_no_utf_8_is_refused(tmp_path, name):
    words = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")]
    )
    table = pa.table({"word": words, "n": [1, 2]})
    path = tmp_path / name
    if name == "t.parquet":
        pq.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    assert "cannot be read as" in refusal(path)
    assert read_table(path, ["n"]).num_rows == 2


def test_names_of_columns_that_are_no_utf_8_are_refused(tmp_path):
    path = tmp_path / "t.arrow"
    table = pa.table({"height": [1.0, 2.0]})
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    path.write_bytes(path.read_bytes().replace(b"height", b"hei\xffht"))
    assert "cannot be read as Arrow" in refusal(path)


def test_a_claim_of_more_memory_than_there_is_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(AB), path)

    def fail(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 547599908736 failed")

    monkeypatch.setattr(pq.ParquetFile, "read", fail)
    assert "needs more memory than there is, or is damaged" in refusal(path)


@pytest.mark.parametrize("asked", [list, lambda names: list(range(len(names)))])
def test_looking_up_all_columns_grows_like_their_number(asked):
    names = counted_names(2000)
    assert positions_of(names, asked(names)) == list(range(2000))
    assert CountedName.compared <= 10 * 2000


@pytest.mark.parametrize("different", [1, 7, 2000])
def test_finding_columns_among_those_read_grows_like_their_number(different):
    names = counted_names(different) * (2000 // different)
    places = places_in(sorted(names), names)
    assert [sorted(names)[places[at]] for at in range(len(names))] == names
    assert CountedName.compared <= 10 * 2000


def test_names_of_a_table_are_asked_for_once_not_for_every_column():
    class Counted:
        asked = 0
        table = pa.table({f"c{at}": [at] for at in range(50)})

        @property
        def column_names(self) -> list[str]:
            self.asked += 1
            return self.table.column_names

        def column(self, place: int) -> pa.ChunkedArray:
            return self.table.column(place)

    counted = Counted()
    found = arranged(counted, range(49, -1, -1))
    assert found.column_names == counted.table.column_names[::-1]
    assert counted.asked == 1


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_repeated_names_among_many_keep_their_order(tmp_path, name):
    names = ["b", "a", "b", "c", "a", "b"]
    table = pa.Table.from_arrays([pa.array([float(at)]) for at in range(6)], names=names)
    (pq.write_table if name.endswith("parquet") else feather.write_feather)(table, tmp_path / name)
    assert [column[0].as_py() for column in read_table(tmp_path / name).columns] == list(range(6))
    some = read_table(tmp_path / name, [5, 1, 0, 4])
    assert [column[0].as_py() for column in some.columns] == [5, 1, 0, 4]
    assert some.column_names == ["b", "a", "b", "a"]
