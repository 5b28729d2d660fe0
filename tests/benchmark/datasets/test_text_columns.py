from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bqcd.benchmark.datasets.records import LabelledPair, RefusedPair
from bqcd.benchmark.datasets.text_columns import (
    labelled_or_refused,
    numbers_of,
    text_lines,
    two_columns,
)
from bqcd.data.pair import Direction
from bqcd.errors import InvalidTableError


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n3 4\n",
        "1\t2\n3\t4",
        "  1.0e+00   2.0e+00\r\n  3.0e+000   4.0e+000\r\n",
        "\n1  2 \n\n3 \t 4\t\n\n",
        "\ufeff1 2\n3 4\n",
        "+1 2.\n3 .4e1\n",
    ],
)
def test_numbers_are_read_whatever_the_white_space(tmp_path, text) -> None:
    path = tmp_path / "pair.txt"
    path.write_text(text, encoding="utf-8", newline="")
    x, y = two_columns(path, 1, 2)
    assert x.tolist() == [1.0, 3.0]
    assert y.tolist() == [2.0, 4.0]


def test_columns_are_counted_from_one_and_come_in_the_order_asked_for(tmp_path) -> None:
    path = tmp_path / "pair.txt"
    path.write_text("1 2 NaN 4\n5 6 7 8\n")
    third, first = two_columns(path, 4, 1)
    assert third.tolist() == [4.0, 8.0]
    assert first.tolist() == [1.0, 5.0]
    assert first.flags.c_contiguous


def test_numbers_are_rounded_to_the_nearest_float(tmp_path) -> None:
    values = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    path = tmp_path / "pair.txt"
    path.write_text("".join(f"{value!r} 1\n" for value in values.tolist()))
    np.testing.assert_array_equal(two_columns(path, 1, 2)[0], values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n3 x\n", "line 2 column 2 must be a number, got 'x'"),
        ("1 2\n\n3 1_0\n", "line 3 column 2 must be a number, got '1_0'"),
        ("1,2\n3,4\n", "line 1 must have 2 columns or more, but has 1"),
        ("1 2\n3\n", "line 2 must have 2 columns like the first, but has 1"),
        ("1 2\n3 4 5\n", "line 2 must have 2 columns like the first, but has 3"),
        ("1\n2\n", "line 1 must have 2 columns or more, but has 1"),
        ("1 2\n3 nan\n", "line 2 column 2 must not be missing, got 'nan'"),
        ("1 2\n-inf 4\n", "line 2 column 1 must be finite, got '-inf'"),
        ("1 2\n1e999 4\n", "line 2 column 1 must be finite, got '1e999'"),
        ("# 1 2\n3 4\n", "line 1 column 1 must be a number, got '#'"),
        ("", "holds no numbers"),
        (" \n\n", "holds no numbers"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_by_line_rule_and_value(
    tmp_path, text, message
) -> None:
    path = tmp_path / "pair0007.txt"
    path.write_text(text)
    with pytest.raises(InvalidTableError) as caught:
        two_columns(path, 1, 2)
    assert str(caught.value).startswith(f"{path} ")
    assert message in str(caught.value)


def test_a_header_is_asked_for_where_one_belongs(tmp_path) -> None:
    path = tmp_path / "pair.txt"
    path.write_text('"1",1,2\n"2",3,4\n')
    with pytest.raises(InvalidTableError, match=r"line 1 must name the columns, but holds"):
        two_columns(path, 2, 3, delimiter=",", headed=True)
    path.write_text('"","a","b"\n"1",1,2\n"2",3,NA\n')
    with pytest.raises(InvalidTableError, match=r"line 3 column 3 must be a number, got 'NA'"):
        two_columns(path, 2, 3, delimiter=",", headed=True)


def test_a_missing_file_and_one_that_is_no_text_are_refused_by_name(tmp_path) -> None:
    with pytest.raises(InvalidTableError, match=r"pair\.txt is missing"):
        text_lines(tmp_path / "pair.txt")
    (tmp_path / "pair.txt").write_bytes(b"1 2\n\xff\xfe\n")
    with pytest.raises(InvalidTableError, match=r"must be UTF-8 text, but byte 4 is 0xff"):
        text_lines(tmp_path / "pair.txt")
    with pytest.raises(InvalidTableError, match=r"cannot be read"):
        text_lines(tmp_path)


def test_a_cell_of_numbers_is_read_as_one_column() -> None:
    assert numbers_of("  1 2.5\t-3e2 ", "here").tolist() == [1.0, 2.5, -300.0]
    assert numbers_of("7", "here").tolist() == [7.0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1 two 3", "here must hold finite numbers, but value 2 is 'two'"),
        ("1 2 inf", "here must hold finite numbers, but value 3 is 'inf'"),
        ("nan", "here must hold finite numbers, but value 1 is 'nan'"),
        ("  ", "here must hold numbers, but is empty"),
    ],
)
def test_a_cell_with_anything_else_is_refused(cell, message) -> None:
    with pytest.raises(InvalidTableError, match=message):
        numbers_of(cell, "here")


def test_columns_that_are_no_pair_are_listed_with_the_reason() -> None:
    varied, constant = np.arange(10.0), np.ones(10)
    assert isinstance(
        labelled_or_refused((varied, varied[::-1]), "a/1", Direction.X_TO_Y), LabelledPair
    )
    refused = labelled_or_refused((varied, constant), "a/2", Direction.X_TO_Y)
    assert isinstance(refused, RefusedPair)
    assert refused.key == "a/2"
    assert "it is constant" in refused.reason
    short = labelled_or_refused((varied[:4], varied[:4]), "a/3", Direction.X_TO_Y)
    assert isinstance(short, RefusedPair)
    assert "at least 10 are needed" in short.reason


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX systems")
def test_a_file_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("bqcd.benchmark.datasets.text_columns.MOST_BYTES", 2**20)
    (tmp_path / "pair0001.txt").symlink_to("/dev/zero")
    with pytest.raises(InvalidTableError, match=r"pair0001.txt cannot be read: it must have at"):
        text_lines(tmp_path / "pair0001.txt")
