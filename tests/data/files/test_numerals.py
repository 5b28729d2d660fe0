"""Which numbers are read, as what, and which have two readings."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bqcd.data.files.numerals import Context, marks_of_column, marks_of_words, numbers_of
from bqcd.data.files.switches import Reading
from bqcd.errors import InvalidTableError

READ = {
    "decimal points": (["1.5", "-0.25", "3"], [1.5, -0.25, 3.0]),
    "decimal commas": (["1,5", "-0,25", "3"], [1.5, -0.25, 3.0]),
    "many decimals": (["1.2345", "10.983"], [1.2345, 10.983]),
    "a nought before": (["0.983", "1.983"], [0.983, 1.983]),
    "groups of points": (["1.234.567", "1.983"], [1_234_567.0, 1983.0]),
    "groups of commas": (["1,234,567", "1,983"], [1_234_567.0, 1983.0]),
    "points and a comma": (["1.234,5", "1.983"], [1234.5, 1983.0]),
    "commas and a point": (["1,234.5", "1,983"], [1234.5, 1983.0]),
    "apostrophes": (["1'983", "12"], [1983.0, 12.0]),
    "narrow blanks": (["1\u202f983,5", "12"], [1983.5, 12.0]),
    "exponents": (["1,5e3", "2e-1"], [1500.0, 0.2]),
    "gaps": (["0.5", None], [0.5, None]),
    "infinite": (["inf", "1"], [float("inf"), 1.0]),
}


@pytest.mark.parametrize(("words", "expected"), READ.values(), ids=READ.keys())
def test_numbers_whose_signs_are_proven_are_read(words, expected):
    found = numbers_of(pa.array(words), "'t'", "a", Context(Reading()))
    assert found.to_pylist() == expected


WORDS = (
    ["1.5", "word"],
    ["1.23.4", "1"],
    ["1,2,3"],
    ["--1"],
    ["1'98"],
    ["1.234.56"],
    ["0.123.456"],
)


@pytest.mark.parametrize("words", WORDS)
def test_what_is_no_number_stays_a_word(words):
    assert numbers_of(pa.array(words), "'t'", "a", Context(Reading())) is None


@pytest.mark.parametrize(
    ("words", "piece"),
    [
        (["1.983", "2.120"], "is 1.983 with a decimal point and 1983 with one for thousands"),
        (["1,983", "12"], "is 1.983 with a decimal comma and 1983 with one for thousands"),
        (["1.983", "-0,68"], "'1.983', which is 1.983"),
        (["3,5", "4.5"], "has both '4.5' and '3,5'"),
    ],
)
def test_numbers_of_two_readings_are_refused_with_the_switch(words, piece):
    with pytest.raises(InvalidTableError) as caught:
        numbers_of(pa.array(words), "'t'", "a", Context(Reading()))
    assert piece in str(caught.value)
    assert "--decimal" in str(caught.value)


def test_what_other_columns_prove_settles_what_a_sign_means():
    words = pa.array(["1.983", "2.120"])
    decimal = Context(Reading(), ";", marks_of_words(["0.5"]))
    assert numbers_of(words, "'t'", "a", decimal).to_pylist() == [1.983, 2.12]
    grouped = Context(Reading(), ";", marks_of_words(["1.234,5"]))
    assert numbers_of(words, "'t'", "a", grouped).to_pylist() == [1983.0, 2120.0]
    both = Context(Reading(), ";", marks_of_words(["0.5", "0,5"]))
    with pytest.raises(InvalidTableError):
        numbers_of(words, "'t'", "a", both)


def test_files_of_plain_commas_and_blanks_have_decimal_points():
    words = pa.array(["1.983", "2.120"])
    assert numbers_of(words, "'t'", "a", Context(Reading(), ",", plain=True))[0].as_py() == 1.983


@pytest.mark.parametrize(
    ("said", "words", "expected"),
    [
        ({"decimal": ","}, ["1.983", "0,5"], [1983.0, 0.5]),
        ({"decimal": "."}, ["1.983", "1,250.5"], [1.983, 1250.5]),
        ({"thousands": "."}, ["1.983", "0,5"], [1983.0, 0.5]),
        ({"thousands": " "}, ["1 983", "0.5"], [1983.0, 0.5]),
        ({"thousands": "_"}, ["1_983", "2"], [1983.0, 2.0]),
        ({"decimal": ",", "thousands": " "}, ["1 983,5", "2"], [1983.5, 2.0]),
        ({"thousands": "."}, ["12.34", "1"], None),
        ({"decimal": ","}, ["4.5", "3,5"], None),
    ],
)
def test_what_is_said_of_signs_counts(said, words, expected):
    found = numbers_of(pa.array(words), "'t'", "a", Context(Reading(**said)))
    assert (found if found is None else found.to_pylist()) == expected


def test_columns_and_lists_prove_the_same():
    words = ["1.5", "1,5", "1.983", "1,983", "1.234.567", "1,234.5", "1'983.5", "x", "0.1"]
    for some in ([one] for one in words):
        assert marks_of_column(pa.array(some)) == marks_of_words(some)
    listed, column = marks_of_words(words), marks_of_column(pa.array(words))
    assert (listed.decimal, listed.groups) == (column.decimal, column.groups)
    # What is proven already need not be looked at again.
    assert listed.open.keys() <= column.open.keys()
