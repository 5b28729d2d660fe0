"""The table of results, and the three formats it survives unchanged."""

from __future__ import annotations

import json
import os
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import bqcd
from bqcd.benchmark import FORMATS, Results, read_results
from bqcd.benchmark.results import COLUMNS, table_of
from bqcd.benchmark.running.journal import Outcome
from bqcd.benchmark.running.tasks import TaskKey
from bqcd.errors import InvalidResultsError, InvalidSettingError

ISSUE = (
    "pairset, pair, method, settings, repeat, truth, weight, confidence, seconds, status, message"
)
# What came later stands at the end.
LATER = ["probability", "margins"]

NASTY = [
    "",
    "plain",
    "commas, and; semicolons",
    'quotes " and \' and ""',
    "line\nbreak\r\nand\rreturn",
    "größe \N{SNOWMAN} \U0001f600",
    "null",
    "NaN",
    " spaces around ",
    "tab\tand\\backslash",
    "separators \u2028 \u2029 \x85 \x0b \x0c \x1c",
    "=1+1",
    "1e5",
    "#comment",
]
FLOATS = [0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308, -1 / 3, 1e-310, 1e22, 123456789.0]


def table(texts=NASTY, confidences=(None, *FLOATS)) -> Results:
    rows = []
    for number, text in enumerate(texts):
        confidence = confidences[number % len(confidences)]
        key = TaskKey(f"set {text}", f"{text}/{number}", text, f'{{"a": "{text}"}}', number)
        status = "failed" if confidence is None else "done"
        probability = None if number % 3 else FLOATS[number % len(FLOATS)]
        outcome = Outcome(key, confidence, FLOATS[number % len(FLOATS)], status, text, probability)
        rows.append((outcome, 1 - 2 * (number % 2), 1.0 / (number + 3)))
    return Results(table_of(rows))


def bits(values: list[float | None]) -> list[bytes | None]:
    return [None if value is None else struct.pack("d", value) for value in values]


def test_the_columns_are_those_of_every_benchmark():
    assert table().table.column_names == [*ISSUE.split(", "), *LATER]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_table_comes_back_bit_by_bit_from_every_format(tmp_path, suffix):
    results = table()
    results.save(tmp_path / f"t.{suffix}")
    again = read_results(tmp_path / f"t.{suffix}").table
    assert again.schema == results.table.schema
    for name in COLUMNS:
        ours, theirs = results.table[name].to_pylist(), again[name].to_pylist()
        if COLUMNS[name] == "float64":
            ours, theirs = bits(ours), bits(theirs)
        assert theirs == ours, name


@pytest.mark.parametrize("suffix", FORMATS)
@given(
    texts=st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))),
    confidences=st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1),
)
@settings(max_examples=25, deadline=None)
def test_any_text_and_any_number_comes_back(tmp_path_factory, suffix, texts, confidences):
    results = table(texts, confidences)
    path = tmp_path_factory.mktemp("formats") / f"t.{suffix}"
    results.save(path)
    again = read_results(path)
    assert again.table.equals(results.table)
    values = [one.table["confidence"].to_pylist() for one in (results, again)]
    assert bits(values[0]) == bits(values[1])


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_answer_is_null_and_never_nan(tmp_path, suffix):
    results = table(["a", "b"], [None])
    results.save(tmp_path / f"t.{suffix}")
    again = read_results(tmp_path / f"t.{suffix}").table
    assert again["confidence"].null_count == 2
    assert again["message"].null_count == 0
    assert again["message"].to_pylist() == ["a", "b"]
    assert b"nan" not in (tmp_path / f"t.{suffix}").read_bytes().lower()


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_empty_table_comes_back_empty(tmp_path, suffix):
    empty = Results(table_of([]))
    empty.save(tmp_path / f"t.{suffix}")
    again = read_results(tmp_path / f"t.{suffix}")
    assert len(again) == 0
    assert again.table.schema == empty.table.schema


def test_saving_over_a_table_is_done_in_one_step(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    table().save(path)
    before = path.read_bytes()

    def interrupted(source: object, target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table(["other"]).save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.json"])
def test_an_unknown_format_is_refused_by_its_suffix(tmp_path, name):
    with pytest.raises(InvalidSettingError, match=r"suffix of path .* '\.parquet', '\.csv'"):
        table().save(tmp_path / name)
    (tmp_path / name).write_text("")
    with pytest.raises(InvalidSettingError, match="suffix of path"):
        read_results(tmp_path / name)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidResultsError, match=r"no results at .*t\.csv"):
        read_results(tmp_path / "t.csv")


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("content", [b"rubbish\n", b"a,b\n1,2\n", b'{"a": 1}\n', b"\xff\xfe\x00"])
def test_a_file_of_other_things_is_refused(tmp_path, suffix, content):
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidResultsError):
        read_results(path)


def test_numbers_in_a_parquet_file_that_was_damaged_are_not_believed(tmp_path):
    path, results = tmp_path / "t.parquet", table()
    results.save(path)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for bit in np.random.default_rng(5).integers(32, 8 * footer, size=200):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << int(bit % 8)
        path.write_bytes(damaged)
        try:
            assert read_results(path).table.equals(results.table), bit
        except InvalidResultsError as error:
            assert str(path) in str(error)  # noqa: PT017


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_letters_that_are_no_text_are_refused(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    table(["plain"]).save(path)
    path.write_bytes(path.read_bytes().replace(b"pairset", b"p\xffirset"))
    with pytest.raises(InvalidResultsError, match=f"t.{suffix}"):
        read_results(path)


def test_a_table_with_other_columns_is_refused():
    with pytest.raises(InvalidResultsError, match="has the columns pairset, pair"):
        Results(pa.table({"pairset": ["a"]}))
    with pytest.raises(InvalidResultsError, match="has the columns pairset, pair"):
        Results(table().table.select(list(COLUMNS)[::-1]))


def test_a_table_with_other_types_is_refused():
    wrong = table().table.set_column(5, "truth", pa.array(["left"] * len(NASTY)))
    with pytest.raises(InvalidResultsError, match="'left'"):
        Results(wrong)


def test_only_confidences_may_be_missing():
    holes = table().table.set_column(5, "truth", pa.nulls(len(NASTY), pa.int64()))
    with pytest.raises(InvalidResultsError, match="gaps in truth"):
        Results(holes)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_from_before_there_were_margins_holds_columns_as_they_came(tmp_path, suffix):
    path, old = tmp_path / f"t.{suffix}", table(["a", "b"]).table.drop_columns(LATER)
    if suffix == "parquet":
        pq.write_table(old, path)
    elif suffix == "csv":
        csv.write_csv(old, path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in old.to_pylist()))
    again = read_results(path)
    assert again.margins == "as-is"
    assert again.table["probability"].null_count == 2
    assert again.table.drop_columns(LATER).equals(old)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_tells_the_margins(tmp_path, suffix):
    rows = [(Outcome(TaskKey("s", "p", "coin", "{}", 0), 1.0, 0.1, "done"), 1, 1.0)]
    Results(table_of(rows, "uniform")).save(tmp_path / f"t.{suffix}")
    assert read_results(tmp_path / f"t.{suffix}").margins == "uniform"


def test_results_of_different_or_unknown_margins_are_no_table():
    rows = [(Outcome(TaskKey("s", "p", "coin", "{}", 0), 1.0, 0.1, "done"), 1, 1.0)]
    as_is, normal, odd = (table_of(rows, margins) for margins in ("as-is", "normal", "odd"))
    with pytest.raises(InvalidResultsError, match=r"of one kind of margins .* got as-is, normal"):
        Results(pa.concat_tables([as_is, normal]))
    with pytest.raises(InvalidResultsError, match="out of as-is, normal, uniform; got odd"):
        Results(odd)


def test_results_are_told_in_one_line():
    pairs = bqcd.simulate_pairs("LS", n_pairs=2, n_rows=60)
    told = repr(bqcd.run_benchmark(["igci-g", "reci"], [pairs]))
    assert told == "<Results of 2 methods on 1 data set: 4 answers>"
