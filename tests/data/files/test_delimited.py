"""Which delimited text is read, how, and in which words other text is refused."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bqcd.data.files import delimited, layout
from bqcd.data.files.delimited import read_text
from bqcd.data.files.layout import lay_out, sniffed_delimiter
from bqcd.data.files.switches import MISSING_WORDS, Reading
from bqcd.data.files.text import Text, is_binary
from bqcd.data.pair import Pair
from bqcd.data.reading import read_table
from bqcd.errors import InvalidPairError, InvalidTableError


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes, name: str = "t.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(path) -> str:
    with pytest.raises(InvalidTableError) as caught:
        read_table(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


# -- text that is read --

AB = {"a": [1, 3], "b": [2.5, 4.5]}
TEXTS = {
    "comma": ("a,b\n1,2.5\n3,4.5\n", "t.csv"),
    "semicolon": ("a;b\n1;2.5\n3;4.5\n", "t.csv"),
    "bar": ("a|b\n1|2.5\n3|4.5\n", "t.csv"),
    "tab": ("a\tb\n1\t2.5\n3\t4.5\n", "t.tsv"),
    "tab in a csv": ("a\tb\n1\t2.5\n3\t4.5\n", "t.csv"),
    "blanks": ("  a   b \n  1   2.5\n  3   4.5  \n", "t.txt"),
    "blanks and tabs": ("a b\n1\t 2.5\n3  4.5\t\n", "t.txt"),
    "blanks and CRLF": ("a b \r\n 1  2.5 \r\n3 4.5\r\n", "t.dat"),
    "CRLF": ("a,b\r\n1,2.5\r\n3,4.5\r\n", "t.csv"),
    "CR": ("a,b\r1,2.5\r3,4.5\r", "t.csv"),
    "no final line end": ("a,b\n1,2.5\n3,4.5", "t.csv"),
    "blank lines": ("\n\na,b\n1,2.5\n\n3,4.5\n\n", "t.csv"),
    "quoted": ('"a","b"\n"1","2.5"\n"3","4.5"\n', "t.csv"),
    "blanks around": (" a , b \n 1 , 2.5 \n3 , 4.5\n", "t.csv"),
    "blanks before quotes": ('"a", "b"\n1, "2.5"\n3, "4.5"\n', "t.csv"),
    "plus signs": ("a,b\n+1,+2.5\n3,4.5\n", "t.csv"),
    "decimal comma": ("a;b\n1;2,5\n3;4,5\n", "t.csv"),
    "decimal comma after tabs": ("a\tb\n1\t2,5\n3\t4,5\n", "t.tsv"),
    "byte order mark": ("\ufeffa,b\n1,2.5\n3,4.5\n", "t.csv"),
    "UTF-16": ("a,b\n1,2.5\n3,4.5\n".encode("utf-16"), "t.csv"),
    "UTF-16, big end first": (b"\xfe\xff" + "a,b\n1,2.5\n3,4.5\n".encode("utf-16-be"), "t.csv"),
    "UTF-16 and blanks": ("a b\n1 2.5\n3 4.5\n".encode("utf-16"), "t.txt"),
    "gzip": (gzip.compress(b"a,b\n1,2.5\n3,4.5\n"), "t.csv.gz"),
    "gzip of tabs": (gzip.compress(b"a\tb\n1\t2.5\n3\t4.5\n"), "t.tsv.gz"),
    "gzip without its suffix": (gzip.compress(b"a,b\n1,2.5\n3,4.5\n"), "t.csv"),
    "unknown suffix": ("a,b\n1,2.5\n3,4.5\n", "t.data"),
    "no suffix": ("a,b\n1,2.5\n3,4.5\n", "t"),
    "upper-case suffix": ("a\tb\n1\t2.5\n3\t4.5\n", "T.TSV"),
}


@pytest.mark.parametrize(("content", "name"), TEXTS.values(), ids=TEXTS.keys())
def test_every_way_of_writing_a_table_reads_the_same(written, content, name):
    path = written(content, name)
    assert read_table(path).to_pydict() == AB
    assert read_table(path, ["b", "a"]).to_pydict() == AB
    assert read_table(path, ["b", "a"]).column_names == ["b", "a"]


@pytest.mark.parametrize("word", [*MISSING_WORDS, " NA ", '""', "   "])
def test_words_for_missing_values_are_null(written, word):
    table = read_table(written(f"a,b\n1,2\n{word},3\n"))
    assert table["a"].to_pylist() == [1, None]
    assert pa.types.is_integer(table["b"].type)


def test_a_column_of_missing_values_reaches_the_pair_as_missing(written):
    path = written("a,b\n" + "".join(f"NA,{i}\n" for i in range(12)))
    with pytest.raises(InvalidPairError, match="'a' has 12 missing values, the first in row 1"):
        Pair.from_table(read_table(path, ["a", "b"]), 0, 1)


def test_infinite_values_reach_the_pair_as_infinite(written):
    rows = ["1,0", "inf,1", "-Infinity,2", "Inf,3", *(f"{i},{i}" for i in range(12))]
    table = read_table(written("a,b\n" + "\n".join(rows)), ["a", "b"])
    assert table["a"].to_pylist()[1:4] == [np.inf, -np.inf, np.inf]
    with pytest.raises(InvalidPairError, match=r"'a' .* 3 infinite values, the first in row 2"):
        Pair.from_table(table, 0, 1)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_word_reaches_the_pair_which_names_it_and_its_row(written, delimiter):
    number = "1.5" if delimiter == "," else "1,5"
    rows = [number, "NA", "2", "n.a. (lost)", *map(str, range(12))]
    text = "".join(f"{word}{delimiter}{i}\n" for i, word in enumerate(rows))
    table = read_table(written(f"a{delimiter}b\n{text}"), ["a", "b"])
    with pytest.raises(InvalidPairError, match=r"'a' .* row 4 is 'n\.a\. \(lost\)'"):
        Pair.from_table(table, 0, 1, missing="drop")


def test_dates_reach_the_pair_in_their_order_and_with_their_labels(written):
    text = "".join(f"2020-01-{i:02d},{i}\n" for i in range(1, 13))
    pair = Pair.from_table(read_table(written(f"day,b\n{text}")), 0, 1)
    assert np.diff(pair.x).tolist() == [1.0] * 11
    assert pair.x_scale.label(pair.x[0]) == "2020-01-01"
    assert pair.y_scale is None


def test_decimal_commas_far_down_are_found(written):
    table = read_table(written("a;b\n" + "1;2\n" * 5000 + "3,5;1\n4,5;-,5\n"))
    assert table["a"].to_pylist()[-3:] == [1, 3.5, 4.5]
    assert table["b"].to_pylist()[-2:] == [1, -0.5]


def test_a_comma_in_a_comma_file_is_never_a_decimal_comma(written):
    table = read_table(written('a,b\n"3,14",1\n"2,5",2\n'))
    assert table["a"].to_pylist() == ["3,14", "2,5"]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("1,2.5\n3,4.5\n", "t.csv"),
        ("1;2,5\n3;4,5\n", "t.csv"),
        ("  1.0e+00   2.5\n  3.0e+00   4.5\n", "t.txt"),
        ("1\t 2.5 \n3\t 4.5 \n", "t.txt"),
        ("1\t\t2.5\n3\t\t4.5\n", "t.txt"),
        ("1 2.5\t\n3 4.5\t\n", "t.txt"),
    ],
)
def test_a_first_row_of_numbers_is_data(written, content, name):
    path = written(content, name)
    assert read_table(path).to_pydict() == {"column 0": [1, 3], "column 1": [2.5, 4.5]}
    assert read_table(path, ["1", "0"]).column_names == ["column 1", "column 0"]


def test_numbers_aligned_by_blanks_and_tabs_are_as_many_as_there_are_words(written):
    table = read_table(written("1 2 3\t4 5\n6 7 8\t9 10\n", "t.txt"))
    assert table.num_columns == 5
    assert table["column 4"].to_pylist() == [5, 10]


def test_column_numbers_above_decimals_are_a_header(written):
    assert read_table(written("0,1\n0.5,1.5\n")).to_pydict() == {"0": [0.5], "1": [1.5]}
    assert read_table(written(",0,1\n0,0.5,1.5\n")).column_names == ["column 0", "0", "1"]
    assert read_table(written("0,1\n1,2\n")).num_rows == 2


def test_values_with_delimiters_and_line_ends_in_quotes_are_one_field(written):
    table = read_table(written('"a\nb",c\n"x, y",1\n"z\nw",2\n'))
    assert table.to_pydict() == {"a\nb": ["x, y", "z\nw"], "c": [1, 2]}


def test_only_the_columns_asked_for_must_be_readable(written):
    path = written(b"a,b,name\n" + b"1,2,Zurich\n" * 200_000 + b"1,2,Z\x81rich\n")
    assert read_table(path, ["a", "b"]).num_rows == 200_001
    assert "in line 200002, is 0x81; nor is it Latin-1" in refusal(path)


def test_numbers_are_read_exactly(written):
    values = np.random.default_rng(0).normal(size=(200, 2)) * 10.0 ** np.arange(-100, 100)[:, None]
    text = "".join(f"{x!r},{y!r}\n" for x, y in values.tolist())
    pair = Pair.from_table(read_table(written("a,b\n" + text)), "a", "b")
    np.testing.assert_array_equal(np.column_stack([pair.x, pair.y]), values)


def test_rows_beyond_the_first_block_are_read(written):
    n = 300_000
    text = "a,b\n" + "".join(f"{i},word {i}\n" for i in range(n)) + "0.5,x\n"
    column = read_table(written(text), ["a"])["a"].to_numpy()
    assert column[-1] == 0.5
    np.testing.assert_array_equal(column[:-1], np.arange(n))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("a,b\n1,2.5\n3,4.5\n",))
    writer.start()
    table = read_table(path)
    writer.join()
    assert table.to_pydict() == AB


# -- layouts --


def test_the_layout_is_found_from_the_head():
    head = b'\n\n"a";b;a\n1;2,5;x\n'
    text, layout = lay_out(Text("t", head), head, Reading())
    assert (layout.delimiter, layout.names) == (";", ("a", "b", "a"))
    assert (layout.has_header, layout.quoted, layout.blank_lines) == (True, True, 2)
    assert (layout.encoding, layout.decimal_point) == ("utf-8", ",")
    table = read_text(text, layout, [2, 1, 0])
    assert table.column_names == ["a", "b", "a"]
    assert [column.to_pylist() for column in table.columns] == [["x"], [2.5], [1]]


def test_zeros_are_binary_but_not_in_utf_16():
    assert is_binary(b"a\0b")
    assert not is_binary("a,b".encode("utf-16"))
    assert not is_binary(b"a,b")


# -- text that is refused --

REFUSED = {
    "white space": (b"\n \n\t", "t.csv", "holds nothing but white space"),
    "byte order mark alone": (b"\xef\xbb\xbf", "t.csv", "holds nothing but white space"),
    "binary": (b"a,b\n\x00\x01", "t.csv", "is not a text table: byte 4 is binary"),
    "row too long": (b"a,b\n1,2\n1,2,3\n", "t.csv", "line 3 has 3 fields, but the first line"),
    "row too short": (b"a,b\n1,2\n\n1\n", "t.csv", "line 4 has 1 field, but the first line has 2"),
    "row too long after a quoted line end": (b'a,b\n"x\ny",2\n1,2,3\n', "t.csv", "line 4 has 3"),
    "quote without end": (b'a,b\n1,"2' + b"\n3,4" * 99_999, "t.csv", "a quoted field does not end"),
    "words too many": (b"a b\n1  2\n1 2 3\n", "t.txt", "line 3 has 3 fields"),
    "long row far down": (b"a,b\n" + b"1,2\n" * 400_000 + b"1,2,3\n", "t.csv", "line 400002 has 3"),
    "no encoding, value": (b"a,b\n1,2\n\x90,3\n", "t.csv", "is not UTF-8 text: byte 8, in line 3"),
    "no encoding, header": (b"\x81,b\n1,2\n", "t.csv", "byte 0, in line 1, is 0x81; nor is it Lat"),
    "UTF-16 cut short": ("a,b\n1,2\n".encode("utf-16")[:-1], "t.csv", "not UTF-16 text: byte 16"),
    "gzip cut short": (gzip.compress(b"a,b\n1,2\n" * 999)[:40], "t.csv.gz", "cannot be read: Comp"),
    "no gzip": (b"a,b\n1,2\n", "t.csv.gz", "cannot be read: Not a gzipped file"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "name", "piece"), REFUSED.values(), ids=REFUSED.keys())
def test_a_file_is_refused_by_name_and_reason(written, content, name, piece):
    message = refusal(written(content, name))
    assert message.startswith(repr(name))
    assert piece in message


def test_a_gzip_file_damaged_far_down_is_refused(written):
    noise = np.random.default_rng(0).normal(size=(200_000, 2))
    content = gzip.compress(b"a,b\n" + b"\n".join(b"%r,%r" % (x, y) for x, y in noise), 1)
    assert "cannot be read" in refusal(written(content[:-1_000_000], "t.csv.gz"))


def test_a_truncated_gzip_file_is_refused_whatever_its_delimiter(tmp_path):
    rows = "".join(f"{i}   {i * i}\n" for i in range(400_000)).encode()
    whole = gzip.compress(rows, compresslevel=1)
    path = tmp_path / "pair.txt.gz"
    path.write_bytes(whole[: len(whole) - 5000])
    with pytest.raises(InvalidTableError, match=r"'pair.txt.gz' cannot be read"):
        read_table(path, [0, 1])


# -- large text, parsed piece by piece --


@pytest.fixture
def all_is_large(monkeypatch):
    monkeypatch.setattr(delimited, "_LARGE_BYTES", 0)


def rows(*values: object, n: int = 400_000) -> str:
    """More than one block of rows, the last of them as given."""
    return "a,b\n" + "1234,0.125\n" * n + ",".join(map(str, values)) + "\n"


@pytest.mark.usefixtures("all_is_large")
@pytest.mark.parametrize("last", [(1.5, 2), (1, "x"), ("", ""), (7, 0.5)])
def test_large_text_has_the_columns_and_types_of_small_text(written, monkeypatch, last):
    path = written(rows(*last))
    assert path.stat().st_size > 4 << 20
    large = read_table(path), read_table(path, ["b"])
    monkeypatch.undo()
    assert large == (read_table(path), read_table(path, ["b"]))


@pytest.mark.usefixtures("all_is_large")
def test_a_ragged_row_far_down_in_large_text_is_named(written):
    assert "line 400002 has 3 fields" in refusal(written(rows(1, 2, 3)))


@pytest.mark.usefixtures("all_is_large")
def test_large_text_beyond_the_memory_that_is_free_is_refused_with_advice(written, monkeypatch):
    path = written(rows(1, 2))
    monkeypatch.setattr(delimited, "free_bytes", lambda: 4e6)
    assert "does not fit in the memory that is free" in refusal(path)
    assert "Parquet" in refusal(path)
    # One column of numbers takes 3.2 MB.
    assert read_table(path, [1]).num_rows == 400_001


@pytest.mark.usefixtures("all_is_large")
def test_large_text_that_must_be_read_as_a_whole_is_refused_if_it_does_not_fit(
    written, monkeypatch
):
    path = written(rows(1.5, 2))
    monkeypatch.setattr(delimited, "free_bytes", lambda: 8e6)
    assert "does not fit in the memory that is free (" in refusal(path)


def test_gaps_are_closed_across_pieces_of_text(written, monkeypatch):
    content = "  1   2.5\n 3\t 4.5 \n" * 50
    expected = {"column 0": [1, 3] * 50, "column 1": [2.5, 4.5] * 50}
    for size in (1, 7, 1 << 23):
        monkeypatch.setattr(layout, "_PIECE_BYTES", size)
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            assert read_table(written(content.encode(encoding), "t.txt")).to_pydict() == expected


@pytest.mark.parametrize(
    ("sample", "signs", "n_fields", "sign"),
    [
        ("a;b\n1,5;2,5\n", ";,", None, ";"),
        ('"a;b",c\n"d;e;f",g\n', ";,", None, ","),
        ("a;b,c,d\nonly one\n", ";,", None, ","),
        ("only one\n", ";,", None, None),
        ("Smith, J\tage", "\t,;", 2, "\t"),
        ("a,b,c", "\t,;", 2, None),
    ],
)
def test_one_sign_splits_rows_evenly(sample, signs, n_fields, sign):
    assert sniffed_delimiter(sample, signs, n_fields=n_fields) == sign
